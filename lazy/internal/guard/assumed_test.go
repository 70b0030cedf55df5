package guard_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/guard"
	"ltc/soa"
)

// generating writes rows of a table from a position on into its first argument, n of them.
const generating = `graph "cond" @0 {
  %0 = parameter {index = 0, name = ""} : i32[]
  %1 = parameter {index = 1, name = ""} : f32[8,2]
  %2 = parameter {index = 2, name = ""} : i32[]
  %3 = parameter {index = 3, name = ""} : i32[]
  %4 = parameter {index = 4, name = ""} : f32[8,2]
  %5 = compare %0, %2 {direction = "LT"} : bool[]
  return %5
}
graph "body" @1 {
  %0 = parameter {index = 0, name = ""} : i32[]
  %1 = parameter {index = 1, name = ""} : f32[8,2]
  %2 = parameter {index = 2, name = ""} : i32[]
  %3 = parameter {index = 3, name = ""} : i32[]
  %4 = parameter {index = 4, name = ""} : f32[8,2]
  %5 = constant {dtype = i32, value = 1} : i32[]
  %6 = add %0, %5 : i32[]
  %7 = add %0, %3 : i32[]
  %8 = reshape %7 {dims = [1]} : i32[1]
  %9 = gather %4, %8 {axis = 0} : f32[1,2]
  %10 = constant {dtype = i32, value = 0} : i32[]
  %11 = dynamic_update_slice %1, %9, %7, %10 : f32[8,2]
  return %6, %11
}
graph "generating" {
  %0 = parameter {index = 0, name = "v"} : f32[8,2]
  %1 = parameter {index = 1, name = "start"} : i32[]
  %2 = parameter {index = 2, name = "n"} : i32[]
  %3 = parameter {index = 3, name = "table"} : f32[8,2]
  %4 = constant {dtype = i32, value = 0} : i32[]
  %5 = while %4, %0, %2, %1, %3 @0, @1 : (i32[], f32[8,2])
  %6 = result %5 {index = 1} : f32[8,2]
  return %6 alias 0
}
`

// Arguments alone tell whether a position that grows stays in range. The program has no call of the host then,
// and what is known of arguments costs no allocation.
func TestIndicesThatDependOnArguments(t *testing.T) {
	g, err := ir.Parse("test.ir", generating)
	require.NoError(t, err)
	all, program := guard.IndicesOf(g, true, true, false)
	require.Same(t, g, program)
	require.Len(t, all.All, 1)
	a := all.Assumed
	require.NotNil(t, a)

	args := []soa.View{soa.Make(g.Params[0].Type), soa.Make(types.Of(types.I32)), soa.Make(types.Of(types.I32)), soa.Make(g.Params[3].Type)}
	holds := func(start, n int32) bool {
		soa.Slice[int32](args[1])[0], soa.Slice[int32](args[2])[0] = start, n
		holds, err := a.Holds(args, false)
		require.NoError(t, err)
		return holds
	}
	for range 2 {
		for start := int32(-2); start < 10; start++ {
			for n := int32(-1); n < 10; n++ {
				require.Equal(t, n <= 0 || start >= 0 && start+n <= 8, holds(start, n), "%d, %d", start, n)
			}
		}
	}
	require.False(t, holds(math.MaxInt32, 2), "it wraps around")
	require.False(t, holds(0, math.MaxInt32))
	for range 100 { // in the end it is known
		require.True(t, holds(3, 5))
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { _, _ = a.Holds(args, false) }))

	r := a.Rehearsal()
	require.Same(t, r, a.Rehearsal())
	require.Contains(t, r.String(), "ltc.check_index")
	require.NotContains(t, r.String(), "alias")
}
