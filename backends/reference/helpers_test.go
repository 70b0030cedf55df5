package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/internal/test/interpreter" // what the suite's programs exchange
	"ltc/ir/types"
	"ltc/soa"
)

func vec(t testing.TB, v []float32, dims ...int) soa.View {
	t.Helper()
	w, err := soa.Borrow(v, types.Of(types.F32, dims...))
	require.NoError(t, err)
	return w
}

// arguments makes dense arguments for e with values that sums stay finite with.
func arguments(e backends.Executable) []soa.View {
	var args []soa.View
	for i, a := range e.Signature().Args {
		v := soa.Make(a.Type)
		if a.Type.DType == types.F32 {
			for k := range soa.Slice[float32](v) {
				soa.Slice[float32](v)[k] = float32((k*7+i*3)%13-6) / 64
			}
		}
		args = append(args, v)
	}
	return args
}
