package llvm

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// Transposes larger than the tiles that they are done in, of every size of
// element.
func TestTranspose(t *testing.T) {
	trials.Sequential(t)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	for _, elem := range []string{"f32", "f64", "i32", "ui8", "bf16", "i1", "i64"} {
		for _, size := range [][2]int{{64, 64}, {70, 129}, {300, 40}, {16, 1000}} {
			text := fmt.Sprintf(`func.func @main(%%x: tensor<%dx%dx%s>) -> tensor<%[2]dx%[1]dx%[3]s> {
				%%0 = stablehlo.transpose %%x, dims = [1, 0] : (tensor<%[1]dx%[2]dx%[3]s>) -> tensor<%[2]dx%[1]dx%[3]s>
				return %%0 : tensor<%[2]dx%[1]dx%[3]s>
			}`, size[0], size[1], elem)
			ok, err := alike(t.Context(), cpu, eval, programs.Program{Text: text}, 1)
			require.NoError(t, err, "%s %v", elem, size)
			require.True(t, ok, "not compiled")
		}
	}
}
