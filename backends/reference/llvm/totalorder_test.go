package llvm

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// Floats are compared in the total order as the evaluator compares them: NaNs of either
// sign, with any bits, are less or greater than all other floats, and -0 is less than 0.
func TestTotalOrderOfFloats(t *testing.T) {
	trials.Sequential(t)
	special := map[types.DType][]uint64{
		types.F16:  {0x0000, 0x0001, 0x03FF, 0x3C00, 0x7BFF, 0x7C00, 0x7C01, 0x7E00, 0x7FFF},
		types.BF16: {0x0000, 0x0001, 0x007F, 0x3F80, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0, 0x7FFF},
		types.F32:  {0, 1, 0x7FFFFF, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF},
		types.F64:  {0, 1, 0xFFFFFFFFFFFFF, 0x3FF << 52, 0x7FEF << 48, 0x7FF << 52, 0x7FF<<52 + 1, 0x7FF8 << 48, 1<<63 - 1},
	}
	for d, bits := range special {
		t.Run(d.String(), func(t *testing.T) {
			n := 2 * len(bits)
			x := soa.Make(types.Of(d, n))
			for i := range n {
				b := bits[i/2] | uint64(i%2)<<(8*d.Size()-1)
				copy(unsafe.Slice((*byte)(unsafe.Add(x.Start(), i*d.Size())), d.Size()), (*[8]byte)(unsafe.Pointer(&b))[:])
			}
			require.Equal(t, ordered(t, "eval", d, x), ordered(t, "cpu", d, x))
		})
	}
}

// ordered returns how all pairs of elements of x compare, in each direction.
func ordered(t *testing.T, backend string, d types.DType, x soa.View) []byte {
	n := x.Type.Shape[0]
	var ops, results, kinds []string
	for i, direction := range []string{"EQ", "NE", "LT", "LE", "GT", "GE"} {
		ops = append(ops, fmt.Sprintf("  %%%d = stablehlo.compare %s, %%a, %%b, TOTALORDER : (tensor<%dx%dx%v>, tensor<%dx%dx%v>) -> tensor<%dx%dxi1>\n", i, direction, n, n, d, n, n, d, n, n))
		results, kinds = append(results, fmt.Sprintf("%%%d", i)), append(kinds, fmt.Sprintf("tensor<%dx%dxi1>", n, n))
	}
	text := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]v>) -> (%[3]s) {
  %%a = stablehlo.broadcast_in_dim %%x, dims = [0] : (tensor<%[1]dx%[2]v>) -> tensor<%[1]dx%[1]dx%[2]v>
  %%b = stablehlo.broadcast_in_dim %%x, dims = [1] : (tensor<%[1]dx%[2]v>) -> tensor<%[1]dx%[1]dx%[2]v>
%[4]s  return %[5]s : %[3]s
}`, n, d, strings.Join(kinds, ", "), strings.Join(ops, ""), strings.Join(results, ", "))
	b, err := backends.Open(backend)
	require.NoError(t, err)
	exe, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Name: "order", Compiled: backend == "cpu"})
	require.NoError(t, err)
	call := backends.Call{Args: []soa.View{x}}
	require.NoError(t, exe.Execute(t.Context(), &call))
	var all []byte
	for _, r := range call.Results {
		for _, b := range soa.Slice[bool](r) {
			all = append(all, map[bool]byte{false: '0', true: '1'}[b])
		}
	}
	return all
}
