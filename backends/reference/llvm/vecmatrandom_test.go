package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/trials"
	"ltc/soa"
)

// randomVecmat returns a product of a row and a matrix, whose sizes are about multiples of
// vectors, and the matrix lies in any way: reversed, with steps, repeated or transposed.
func randomVecmat(r *rand.Rand) string {
	about := func() int {
		return max(0, []int{0, 1, 2, 8, 16, 32, 64, 128, 200, 256, 512}[r.IntN(11)]+r.IntN(3)-1)
	}
	k, n, batch := about(), about(), 1
	if r.IntN(4) == 0 {
		batch = 1 + r.IntN(3)
	}
	elem := []string{"f32", "f64", "bf16", "f16"}[r.IntN(4)]
	out := elem
	if elem == "bf16" && r.IntN(2) == 0 {
		out = "f32"
	}
	contract, b := 1, []int{batch, k, n}
	if r.IntN(2) == 0 {
		contract, b = 2, []int{batch, n, k}
	}
	typ := func(shape []int, elem string) string {
		return "tensor<" + strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]") + "x" + elem + ">"
	}
	all := typ(b, elem)
	given, made := all, "%m = stablehlo.add %b, %b : "+all
	switch r.IntN(6) {
	case 0:
		made = fmt.Sprintf("%%m = stablehlo.reverse %%b, dims = [%d] : %s", 1+r.IntN(2), all)
	case 1:
		wide := []int{b[0], 2*b[1] + 1, b[2] + 3}
		given = typ(wide, elem)
		made = fmt.Sprintf("%%m = stablehlo.slice %%b [0:%d, 1:%d:2, 2:%d] : (%s) -> %s", b[0], 2*b[1]+1, b[2]+2, given, all)
	case 2:
		given = typ(b[2:], elem)
		made = fmt.Sprintf("%%m = stablehlo.broadcast_in_dim %%b, dims = [2] : (%s) -> %s", given, all)
	case 3:
		given = typ(b[:2], elem)
		made = fmt.Sprintf("%%m = stablehlo.broadcast_in_dim %%b, dims = [0, 1] : (%s) -> %s", given, all)
	case 4:
		given = typ([]int{b[0], b[2], b[1]}, elem)
		made = fmt.Sprintf("%%m = stablehlo.transpose %%b, dims = [0, 2, 1] : (%s) -> %s", given, all)
	}
	x, y := typ([]int{batch, 1, k}, elem), typ([]int{batch, 1, n}, out)
	return fmt.Sprintf(`func.func @main(%%x: %s, %%b: %s) -> %s {
  %s
  %%y = stablehlo.dot_general %%x, %%m, batching_dims = [0] x [0], contracting_dims = [2] x [%d] : (%s, %s) -> %s
  return %%y : %s
}
`, x, given, y, made, contract, x, all, y, y)
}

// Products of random rows and matrices are the evaluator's.
func TestRandomVecmat(t *testing.T) {
	trials.Sequential(t)
	compilers(t)
	for seed := range trials.Soak(100, 4000) {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		text := randomVecmat(r)
		want, got := compiledFor(t, "eval", text, 1), compiledFor(t, "cpu", text, 1+seed%2)
		var args []soa.View
		for i, a := range want.Signature().Args {
			v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+i))
			require.NoError(t, err)
			if s := a.Type.Shape; len(s) == 3 && r.IntN(3) == 0 { // columns one behind the other
				w := soa.Make(a.Type)
				w.Strides = []int{s[1] * s[2], 1, s[1]}
				require.NoError(t, soa.Copy(w, v))
				v = w
			}
			args = append(args, v)
		}
		var results [2]soa.View
		for i, e := range []backends.Executable{want, got} {
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call), text)
			results[i] = call.Results[0]
		}
		d, err := samples.Differ(results[1], results[0])
		require.NoError(t, err)
		require.LessOrEqual(t, d.Size, tolerance(results[0].Type.DType, results[0].Type.DType.Size() == 2), "seed %d at %v: %s, want %s\n%s", seed, d.At, d.Got, d.Want, text)
	}
}
