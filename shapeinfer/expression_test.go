package shapeinfer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/shapeinfer"
)

// Sizes of arguments in each sample, and a constant that differs with them, have the simplest
// expression that fits all samples.
func TestExpressionsOfSizes(t *testing.T) {
	for _, c := range []struct {
		arguments [][]int
		sizes     []int
		want      string // the expression, or the error
	}{
		{[][]int{{4}, {6}}, []int{20, 30}, "5*n"},
		{[][]int{{4}, {6}}, []int{-4, -6}, "-n"},
		{[][]int{{4}, {6}}, []int{16, 36}, "n*n"},
		{[][]int{{4}, {6}}, []int{48, 108}, "3*n*n"},
		{[][]int{{4}, {6}}, []int{64, 216}, "n*n*n"},
		{[][]int{{4}, {6}}, []int{-128, -432}, "-2*n*n*n"},
		{[][]int{{4}, {6}}, []int{9, 13}, "2*n + 1"},
		{[][]int{{4}, {6}}, []int{104, 106}, "n + 100"},
		{[][]int{{4}, {6}}, []int{108, 112}, "2*n + 100"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{64008, 120, 65536}, "8*n*n1"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{-8001, -15, -8192}, "-n*n1"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{8001, 15, 8192}, "n*n1"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{8002, 16, 8193}, "n*n1 + 1"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{-64016, -128, -65544}, "-8*n*n1 - 8"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{190, 8, 192}, "n + n1"},
		{[][]int{{63, 127}, {3, 5}, {64, 128}}, []int{2032254, 150, 2097152}, "2*n*n1*n1"},
		{[][]int{{64, 16}, {32, 20}}, []int{8192, 5120}, "8*n*n1"}, // and 96*n + 2048
		{[][]int{{2, 4}, {4, 8}}, []int{64, 256}, "8*n*n1"},        // and 16*n*n, and 4*n1*n1
		{[][]int{{2, 3, 5}, {4, 3, 7}}, []int{60, 168}, "6*n*n1"},  // the last is the second open size
		{[][]int{{2, 3, 5}, {4, 9, 7}}, []int{30, 252}, "n*n1*n2"}, // of three
		{[][]int{{2, 3, 5}, {4, 9, 7}}, []int{-90, -756}, "-3*n*n1*n2"},
		{[][]int{{4}, {6}}, []int{256, 1296}, "n*n*n*n"},
		{[][]int{{2, 3, 5, 7}, {4, 9, 7, 3}}, []int{210, 756}, "n*n1*n2*n3"}, // of four
		{[][]int{{4093}, {3}, {130}}, []int{3069, 2, 97}, "floor(3*n / 4)"},
		{[][]int{{4093}, {3}, {130}}, []int{2046, 1, 64}, "floor((n + 1) / 2) - 1"},
		{[][]int{{4093}, {3}, {130}}, []int{4093, 16, 130}, "max(n, 16)"},
		{[][]int{{4093, 4091}, {3, 5}, {130, 132}}, []int{16742417, 14, 17095}, "n*n1 - floor(n / 2)"},
		{[][]int{{4093, 978}, {3, 5}, {130, 400}}, []int{2046 + 326 + 1, 3, 65 + 133 + 1}, "floor(n / 2) + floor(n1 / 3) + 1"},
		{[][]int{{4093, 978}, {3, 5}, {130, 400}}, []int{4093 * 978 / 5071, 1, 130 * 400 / 530}, "constant: the sizes 789, 1 and 98 follow from no sizes of the arguments: axis 0 of argument 0 is 4093, 3 and 130; axis 1 of argument 0 is 978, 5 and 400"},
		{[][]int{{100}, {300}}, []int{7, 90}, "constant: the sizes 7 and 90 follow from no sizes of the arguments: axis 0 of argument 0 is 100 and 300"},
		{[][]int{{5, 7}, {9, 11}, {3, 4}}, []int{36, 107, 12}, "constant: the sizes 36, 107 and 12 follow from no sizes of the arguments: axis 0 of argument 0 is 5, 9 and 3; axis 1 of argument 0 is 7, 11 and 4"},
		{[][]int{{5}, {5}}, []int{36, 101}, "constant: the sizes 36 and 101 follow from no sizes of the arguments, which do not differ"},
	} {
		var samples []*ir.Graph
		for k, shape := range c.arguments {
			dim := fmt.Sprint(shape[0])
			for _, d := range shape[1:] {
				dim += fmt.Sprint(",", d)
			}
			g, err := ir.Parse("sizes.ir", fmt.Sprintf(`graph "f" {
  %%0 = parameter {index = 0, name = "x"} : f32[%s]
  %%1 = constant {dtype = i64, value = %d} : i64[]
  return %%0, %%1
}
`, dim, c.sizes[k]))
			require.NoError(t, err)
			samples = append(samples, g)
		}
		got := ""
		if open, err := shapeinfer.Generalize(samples); err != nil {
			got = err.Error()
		} else {
			got = dims.String(open.Graph.Nodes[1].Attrs[ir.SizeOfSize].Int)
		}
		require.Equal(t, c.want, got, "%v: %v", c.arguments, c.sizes)
	}
}
