package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Sizes that a result gives fit the operands that the op has, and no others.
func TestTriangularOf(t *testing.T) {
	f32 := func(dims ...int) types.Type { return types.Of(types.F32, dims...) }
	for name, c := range map[string]struct {
		of              kernel.Triangular
		args            []types.Type
		out             types.Type
		count, n, sides int
		fits            bool
	}{
		"factor":                  {kernel.Triangular{}, []types.Type{f32(5, 4, 4)}, f32(5, 4, 4), 5, 4, 4, true},
		"factor of another shape": {kernel.Triangular{}, []types.Type{f32(4, 4)}, f32(4, 3), 1, 4, 3, false},
		"left":                    {kernel.Triangular{Solve: true, Left: true}, []types.Type{f32(2, 4, 4), f32(2, 4, 3)}, f32(2, 4, 3), 2, 4, 3, true},
		"right":                   {kernel.Triangular{Solve: true}, []types.Type{f32(3, 3), f32(4, 3)}, f32(4, 3), 1, 3, 4, true},
		"right of A at the left":  {kernel.Triangular{Solve: true}, []types.Type{f32(4, 4), f32(4, 3)}, f32(4, 3), 1, 3, 4, false},
		"without B":               {kernel.Triangular{Solve: true, Left: true}, []types.Type{f32(4, 4)}, f32(4, 4), 1, 4, 4, false},
	} {
		w := Triangular{Triangular: TriangularOf(c.of, c.out), Outs: []HostArg{{Type: c.out}}}
		for _, a := range c.args {
			w.Args = append(w.Args, HostArg{Type: a})
		}
		require.Equal(t, []int{c.count, c.n, c.sides}, []int{w.Count, w.N, w.Sides}, name)
		require.Equal(t, c.fits, w.fits(), name)
		w.Sides++
		require.False(t, w.fits(), name)
	}
}
