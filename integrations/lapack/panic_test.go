package lapack

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// A panic, on any thread, is an error that names the function, the types of its operands, and
// where it was.
func TestPanic(t *testing.T) {
	f := &function{name: "none", args: []operand{matrix}, results: []operand{vector}, dtype: types.F64, run: func(p *problem) error {
		p.results[0].data[len(p.results[0].data)] = 1
		return nil
	}}
	for _, threads := range []int{1, 2} {
		err := f.call(t.Context(), &backends.HostCall{
			Target: "lapack_dnone_ffi", Threads: threads,
			Args:    []soa.View{soa.Make(types.Of(types.F64, 2, 300, 200))},
			Results: []soa.View{soa.Make(types.Of(types.F64, 2, 7))},
		})
		require.ErrorContains(t, err, "lapack_dnone_ffi(f64[2,300,200]): a panic, in Gonum's function or in what prepares its operands: runtime error: index out of range [7] with length 7")
		require.ErrorContains(t, err, "panic_test.go:")
	}
}
