package kernel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/ir/types"
)

func TestAsContraction(t *testing.T) {
	c, ok := kernel.AsContraction(kerneltest.Kernel(t, "linear_gelu"))
	require.True(t, ok)
	require.Equal(t, &kernel.Contraction{
		A: kernel.Factor{Value: 0, Load: 0, Source: 0, Type: types.F32, Body: []kernel.ID{0}},
		B: kernel.Factor{Value: 1, Load: 1, Source: 1, Type: types.F32, Body: []kernel.ID{1}},
		M: []int{0}, N: []int{1}, K: []int{2}, Type: types.F32, Product: 2, Sum: 3,
	}, c)

	c, ok = kernel.AsContraction(kerneltest.Kernel(t, "bmm_bf16"))
	require.True(t, ok)
	require.Equal(t, [][]int{{0}, {1}, {2}, {3}}, [][]int{c.Batch, c.M, c.N, c.K})
	require.Equal(t, kernel.Factor{Value: 3, Load: 2, Source: 2, Type: types.BF16, Body: []kernel.ID{2, 3}}, c.B)
	require.Equal(t, types.F32, c.Type)

	k := kerneltest.Kernel(t, "convolution")
	c, ok = kernel.AsContraction(k)
	require.True(t, ok)
	require.Equal(t, [][]int{nil, {0, 1}, {2}, {3, 4}}, [][]int{c.Batch, c.M, c.N, c.K})
	x, strides := k.Instrs[c.A.Load].Mem, []int64{100, 10, 1}
	require.Equal(t, []int64{100, 20, 10, 1, 0}, []int64{x.StrideAlong(0, strides), x.StrideAlong(1, strides),
		x.StrideAlong(3, strides), x.StrideAlong(4, strides), x.Origin(strides)})
}

// Changes to a product that leave a contraction, of another form, or none.
func TestAsContractionForms(t *testing.T) {
	const product = `kernel k(x: f32[8, 9] strides [*, *], y: f32[9, 7] strides [*, *], out z: f32[8, 7] strides [*, 1]) {
  for m < 8
  for n < 7
  stage k < 9 {
    %x = load x[m, k]
    %y = load y[k, n]
    %xy = multiply %x, %y : f32
    %sum = reduce add %xy
  }
  stage {
    store z[m, n], %sum
  }
}`
	for _, c := range []struct {
		name, old, new string
		m, n           []int
	}{
		{"as it is", "k(", "k(", []int{0}, []int{1}},
		{"factors exchanged", "%x, %y", "%y, %x", []int{0}, []int{1}},
		{"transposed", "for m < 8\n  for n < 7", "for n < 7\n  for m < 8", []int{0}, []int{1}},
		{"repeated", "y[k, n]", "y[k, 0]", nil, nil},
		{"vector by matrix", "for m < 8\n  for n < 7\n  stage k < 9 {\n    %x = load x[m, k]", "for n < 7\n  stage k < 9 {\n    %x = load x[0, k]", nil, []int{0}},
		{"computed", "%xy = multiply %x", "%s = negate %x : f32\n %xy = multiply %s", []int{0}, []int{1}},
		{"guarded", "load x[m, k]", "load x[m, k - 1] else %c", []int{0}, []int{1}},
		{"guarded by 1", "load x[m, k]", "load x[m, k - 1] else %c", []int{0}, []int{1}},
		{"of one operand", "y[k, n]", "x[m, k]", nil, nil},
		{"maximum", "reduce add", "reduce maximum", nil, nil},
		{"sum", "= multiply", "= add", nil, nil},
		{"another reduction", "%sum = ", "%m = reduce maximum %x\n %sum = ", nil, nil},
		{"another stage", "stage {", "stage j < 3 {", nil, nil},
		{"nothing behind", "  stage {\n    store z[m, n], %sum\n  }\n", "", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := replace(product, c.old, c.new)
			guarded := strings.HasPrefix(c.name, "guarded")
			switch c.name {
			case "guarded":
				text = replace(text, "%x = ", "%c = constant 0.0 : f32\n %x = ")
			case "guarded by 1":
				text = replace(text, "%x = ", "%c = constant 1.0 : f32\n %x = ")
			}
			if c.name == "vector by matrix" {
				text = replace(text, "z[m, n]", "z[0, n]")
			}
			got, ok := kernel.AsContraction(parse(t, text))
			require.Equal(t, c.m != nil || c.n != nil, ok)
			if ok {
				require.Equal(t, [][]int{nil, c.m, c.n, {len(c.m) + len(c.n)}}, [][]int{got.Batch, got.M, got.N, got.K})
				require.Equal(t, c.name == "computed" || guarded, got.A.Load == kernel.None)
				require.Equal(t, guarded, got.A.Source == kernel.None)
				require.Equal(t, [2]bool{c.name == "guarded", false}, [2]bool{got.A.Bordered, got.B.Bordered}, "a border of 0")
			}
		})
	}
}

func TestSeparable(t *testing.T) {
	for _, c := range []struct {
		kernel string
		want   []bool
	}{
		{"scale", []bool{true}},
		{"transpose", []bool{true, true}},
		{"scatter", []bool{false, true}},
		{"concatenate", []bool{true}},
		{"sumall", nil},
		{"slice", []bool{true}},
	} {
		k := kerneltest.Kernel(t, c.kernel)
		var got []bool
		for a := range k.Axes {
			got = append(got, k.Separable(a))
		}
		require.Equal(t, c.want, got, c.kernel)
	}
}

func TestDependence(t *testing.T) {
	require.Equal(t, []kernel.AxisSet{3, 1, 3, 3, 3, 3, 1, 0, 1, 3, 3, 3}, kerneltest.Kernel(t, "softmax").Dependence())
	require.Equal(t, kernel.AxisSet(6), kernel.AxisRange(1, 3))
}
