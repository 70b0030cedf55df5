package cudasim_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/cuda/cudasim"
	"ltc/backends/reference/eval"
	_ "ltc/backends/reference/llvm"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// scattering is a scatter whose updates meet: n is how many there are.
type scattering struct {
	name                      string
	operand, indices, updates string
	numbers                   string
	limit                     int // of indices; some are outside
}

var scatterings = []scattering{
	{"elements", "9", "Nx1", "N", "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", 9},
	{"no index vector", "9", "N", "N", "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", 9},
	{"rows", "9x70", "Nx1", "Nx70", "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", 9},
	{"columns", "70x9", "Nx1", "70xN", "update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1", 9},
	{"windows", "12x11", "Nx2", "Nx3x4", "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1", 9},
	{"windows first", "12x11", "Nx2", "3x4xN", "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1", 9},
	{"windows around", "12x11", "Nx2", "3xNx4", "update_window_dims = [0, 2], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1", 9},
	{"windows in rows", "12x40", "Nx1", "3xNx40", "update_window_dims = [0, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", 9},
	{"two dimensions of indices", "12x5", "2x7xN", "7x3xN", "update_window_dims = [1], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0", 9},
	{"batches", "6x12", "Nx6x1", "3xNx6", "update_window_dims = [0], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2", 9},
}

func (s scattering) text(d string, body string, n int) string {
	sized := func(shape, elem string) string {
		return strings.ReplaceAll("tensor<"+shape+"x"+elem+">", "N", fmt.Sprint(n))
	}
	return strings.NewReplacer("$X", sized(s.operand, d), "$I", sized(s.indices, "i32"), "$U", sized(s.updates, d), "$S", "tensor<"+d+">",
		"$BODY", body, "$NUMBERS", s.numbers).Replace(`func.func @main(%x: $X, %i: $I, %u: $U) -> $X {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<$NUMBERS>, unique_indices = false}> ({
  ^bb0(%a: $S, %b: $S):
    $BODY
  }) : ($X, $I, $U) -> $X
  return %0 : $X
}`)
}

// Of several updates of an element the last stays, on every backend and whichever
// dimensions the windows have. Sums of floats are taken in the order of the updates: the
// compiled backends give the evaluator's bits.
func TestScatterKeepsTheLastUpdate(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const replaced, added = "stablehlo.return %b : $S", "%c = stablehlo.add %a, %b : $S\n    stablehlo.return %c : $S"
	for _, on := range []struct {
		backend string
		n       int
	}{{"cpu", 8000}, {"cudasim", 60}} {
		b, err := backends.Open(on.backend)
		require.NoError(t, err)
		for _, s := range scatterings {
			for _, c := range []struct{ elem, body string }{
				{"f32", replaced}, {"i1", replaced}, {"f64", replaced}, {"f32", added},
			} {
				t.Run(on.backend+"/"+s.name+"/"+c.elem, func(t *testing.T) {
					body := strings.ReplaceAll(c.body, "$S", "tensor<"+c.elem+">")
					text := s.text(c.elem, body, on.n)
					oracle, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
					require.NoError(t, err)
					exe, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Ordered: true})
					require.NoError(t, err)
					rng := rand.New(rand.NewPCG(1, 2))
					want, got := &backends.Call{}, &backends.Call{}
					for i, a := range oracle.Signature().Args {
						v := soa.Make(a.Type)
						for k := range a.Type.Elements() {
							x := rng.Float64()*200 - 100
							switch {
							case i == 1:
								x = float64(rng.IntN(s.limit+2) - 1)
							case a.Type.DType == types.Bool:
								x = float64(rng.IntN(2))
							}
							samples.Set(v, k, x)
						}
						want.Args, got.Args = append(want.Args, v), append(got.Args, v)
					}
					require.NoError(t, oracle.Execute(t.Context(), want))
					require.NoError(t, exe.Execute(t.Context(), got))
					d, err := samples.Differ(got.Results[0], want.Results[0])
					require.NoError(t, err)
					require.Zero(t, d.Count, "%+v", d)
				})
			}
		}
	}
}
