package shapeinfer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/shapeinfer"
)

// common is the name of the dtype to which types promote; - if there is none.
func common(ts ...types.Type) string {
	d := shapeinfer.CommonDType(len(ts), func(i int) types.Type { return ts[i] })
	if d == types.Invalid {
		return "-"
	}
	return d.String()
}

// Every pair of dtypes promotes as in PyTorch: with axes, a scalar, and two scalars.
func TestPairsPromoteAsInPyTorch(t *testing.T) {
	text, err := os.ReadFile("testdata/promotion.txt")
	require.NoError(t, err)
	blocks := strings.Split(strings.TrimSpace(string(text)), "\n\n")[1:]
	shapes := [][2]types.Shape{{{2}, {2}}, {{2}, {}}, {{}, {}}}
	require.Len(t, blocks, len(shapes))
	pairs := 0
	for k, block := range blocks {
		lines := strings.Split(block, "\n")[1:]
		columns := strings.Fields(lines[0])
		for _, line := range lines[1:] {
			row := strings.Fields(line)
			for j, want := range row[1:] {
				a, ok := types.ParseDType(row[0])
				require.True(t, ok, row[0])
				b, ok := types.ParseDType(columns[j])
				require.True(t, ok, columns[j])
				x, y := types.Type{DType: a, Shape: shapes[k][0]}, types.Type{DType: b, Shape: shapes[k][1]}
				require.Equal(t, want, common(x, y), "%v and %v", x, y)
				require.Equal(t, want, common(y, x), "%v and %v", y, x)
				pairs++
			}
		}
	}
	n := len(types.AllDTypes())
	require.GreaterOrEqual(t, pairs, len(shapes)*15*15)
	require.LessOrEqual(t, pairs, len(shapes)*n*n)
}

// Scalars count together, and only for a category that comes after those of the others.
func TestManyTypesPromote(t *testing.T) {
	array := func(d types.DType) types.Type { return types.Type{DType: d, Shape: types.Shape{2}} }
	scalar := func(d types.DType) types.Type { return types.Type{DType: d} }
	require.Equal(t, "f64", common(array(types.I8), scalar(types.F64), scalar(types.F16)))
	require.Equal(t, "i8", common(array(types.I8), scalar(types.I64), scalar(types.Bool)))
	require.Equal(t, "f32", common(array(types.BF16), array(types.F16), scalar(types.F64)))
	require.Equal(t, "i16", common(array(types.Bool), array(types.U8), array(types.I8)))
	require.Equal(t, "-", common(array(types.I8), array(types.U16), array(types.I8)))
	require.Equal(t, "i8", common(array(types.I8)))
	require.Equal(t, "-", common())
	// PyTorch 2.15: promotion for float8 types is not supported.
	for _, d := range types.AllDTypes() {
		want := "-"
		if d == types.F8E5M2 {
			want = "f8E5M2"
		}
		require.Equal(t, want, common(array(types.F8E5M2), array(d)), d)
		require.Equal(t, want, common(array(d), array(types.F8E5M2)), d)
	}
	require.Equal(t, "f8E4M3FN", common(array(types.F8E4M3FN), scalar(types.F32)))
	require.Equal(t, "-", common(array(types.I32), scalar(types.F8E4M3FN)))
	require.Equal(t, "-", common(array(types.F8E4M3FN), scalar(types.C64)))
}

// What is written over may lose digits, but not its kind of number.
func TestCastable(t *testing.T) {
	require.True(t, shapeinfer.Castable(types.F64, types.F16))
	require.True(t, shapeinfer.Castable(types.I64, types.U8))
	require.True(t, shapeinfer.Castable(types.Bool, types.I8))
	require.True(t, shapeinfer.Castable(types.I8, types.F16))
	require.False(t, shapeinfer.Castable(types.F16, types.I64))
	require.False(t, shapeinfer.Castable(types.U8, types.Bool))
}
