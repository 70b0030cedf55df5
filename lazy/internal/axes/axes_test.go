package axes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
)

func TestOfConv(t *testing.T) {
	d, err := OfConv("NHWC,HWIO->NCHW")
	require.NoError(t, err)
	require.Equal(t, ir.ConvDims{Input: []int{0, 3, 1, 2}, Kernel: []int{3, 2, 0, 1}, Output: []int{0, 1, 2, 3}}, d)
	for layout, want := range map[string]string{
		"NHWC":            `layout "NHWC" is not written as NHWC,HWIO->NHWC is`,
		"NHWC,HWIO":       `layout "NHWC,HWIO" does not name the axes of the result: write it as NHWC,HWIO->NHWC`,
		"NHWC,HIO->NHWC":  `layout "NHWC,HIO->NHWC": HIO has not each of OI and of "HW" once`,
		"NHHC,HHIO->NHHC": `layout "NHHC,HHIO->NHHC": NHHC has not each of NC and of "HH" once`,
	} {
		_, err := OfConv(layout)
		require.EqualError(t, err, want)
	}
}

func TestOfPool(t *testing.T) {
	spatial, err := OfPool("NHWC", 4)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, spatial)
	spatial, err = OfPool("", 5)
	require.NoError(t, err)
	require.Equal(t, []int{2, 3, 4}, spatial)
	_, err = OfPool("NHWC", 3)
	require.EqualError(t, err, `layout "NHWC" is not N, C and the spatial axes of 3 axes`)
	_, err = OfPool("NHHC", 4)
	require.EqualError(t, err, `layout "NHHC" has H twice`)
}

// An axis N counts in neither, and a dimension of 0 as one.
func TestFans(t *testing.T) {
	in, out, err := Fans("HeNormal", types.Shape{7, 5, 0, 3, 2}, []string{"NOIHW"})
	require.NoError(t, err)
	require.Equal(t, []float64{6, 30}, []float64{in, out})
	in, out, err = Fans("HeNormal", types.Shape{3, 3, 4, 8}, []string{"NHWC,HWIO->NHWC"})
	require.NoError(t, err)
	require.Equal(t, []float64{36, 72}, []float64{in, out})
}
