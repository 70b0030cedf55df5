package loops

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/internal/test/accuracy"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
)

// The evaluator's functions are within a unit in the last place of the exact
// value, wherever they have one; but for those of f32 that follow a formula.
func TestFunctionsAreExactToAUnit(t *testing.T) {
	for _, f := range append(accuracy.Functions, accuracy.Composed...) {
		f.Floor = 0
		code := mlir.CodeOf("stablehlo." + f.Name)
		if code == 0 {
			code = mlir.CodeOf("chlo." + f.Name)
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			for _, d := range []types.DType{types.F32, types.F64} {
				worst, err := f.Measure(d, trials.Soak(100, 20_000), func(d types.DType, x, y, z []byte) error {
					n, of := len(z)/d.Size(), Of(d)
					if f.Binary {
						Binary(code, of)(unsafe.Pointer(&z[0]), unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), n)
					} else {
						Unary(code, of)(unsafe.Pointer(&z[0]), unsafe.Pointer(&x[0]), n)
					}
					return nil
				})
				require.NoError(t, err)
				most := 1.0
				if d == types.F32 && (f.Name == "cosh" || f.Name == "sinh") {
					most = f.Most32
				}
				t.Logf("%v: %.2f at %v", d, worst[0].Off, worst[0].At)
				assert.LessOrEqual(t, worst[0].Off, most, "%v at %v", d, worst[0].At)
			}
		})
	}
}
