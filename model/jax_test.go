package model_test

import (
	_ "embed"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/model"
	"ltc/soa"
)

// jax is what jax.export makes of relu(x@[[1,-1],[2,1]])@[[1],[10]] for x of a
// symbolic number of rows: that there are any is checked by shape_assertion.
//
//go:embed testdata/jax.mlir
var jax string

func TestProgramsOfJAXRun(t *testing.T) {
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			m, err := model.New(t.Context(), b, backends.NewModule(jax), nil)
			require.NoError(t, err)
			run := func(n int) ([]float32, error) {
				points := soa.Of[struct{ X, Y, Score float32 }](n)
				x, y := soa.Slice[float32](view(t, points.Col("X"))), soa.Slice[float32](view(t, points.Col("Y")))
				for i := range n {
					x[i], y[i] = float32(i), 1-float32(i)
				}
				in, out := soa.NewCollection(n), soa.NewCollection(n)
				require.NoError(t, in.Add("points", points.Col("X"), points.Col("Y"))) // by order: the text has no names
				require.NoError(t, out.Add("score", points.Col("Score")))
				bound := m.Bind(in, out)
				err := bound.Run(t.Context(), nil, 0)
				if backend == "cpu" && err == nil {
					require.Zero(t, trials.Allocs(20, func() { err = bound.Run(t.Context(), nil, 0) }))
				}
				return soa.Slice[float32](view(t, points.Col("Score"))), err
			}
			for _, n := range []int{1, 4, 1000} {
				got, err := run(n)
				require.NoError(t, err)
				for i := range n {
					x, y := float32(i), 1-float32(i)
					require.Equal(t, max(x+2*y, 0)+10*max(y-x, 0), got[i])
				}
			}
			if backend == "cpu" {
				require.Zero(t, m.CopiedBytes())
			}
			_, err = run(0)
			require.ErrorContains(t, err, "Expected value >= 1 for dimension variable 'b'")
			require.ErrorContains(t, err, "'b' = 0 from specification")
		})
	}
}

// cumsum is what jax.export makes of jnp.cumsum(x, axis=0) for x of a symbolic
// number of rows: a custom call for a reduce_window whose window is an operand.
//
//go:embed testdata/cumsum.mlir
var cumsum string

func TestSumsOfSymbolicLengthAreJAXs(t *testing.T) {
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(cumsum), backends.Options{})
			require.NoError(t, err)
			for _, n := range []int{1, 3, 70} {
				in := soa.Make(types.Of(types.F32, n, 4))
				for i := range 4 * n {
					soa.Slice[float32](in)[i] = float32(i % 7)
				}
				call := &backends.Call{Args: []soa.View{in}}
				require.NoError(t, e.Execute(t.Context(), call))
				got, sums := soa.Slice[float32](call.Results[0]), make([]float32, 4)
				for i := range 4 * n {
					sums[i%4] += float32(i % 7)
					require.Equal(t, sums[i%4], got[i], "%d of %d", i, n)
				}
			}
		})
	}
}

// topK and randomBits are the texts of jax.export for lax.top_k(x, x.shape[1]//2) and
// lax.rng_bit_generator(key, x.shape), where x has a symbolic dimension. They are custom
// calls: for a chlo.top_k whose k is an operand, and an rng_bit_generator whose shape is
// one. The values wanted are those of JAX itself.
//
//go:embed testdata/topk.mlir
var topK string

//go:embed testdata/randombits.mlir
var randomBits string

func TestTopKOfSymbolicKIsJAXs(t *testing.T) {
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(topK), backends.Options{})
			require.NoError(t, err)
			for _, n := range []int{2, 5, 9, 64} {
				in := soa.Make(types.Of(types.I32, 4, n))
				for i := range 4 * n {
					soa.Slice[int32](in)[i] = int32(i * 7 % 13)
				}
				call := &backends.Call{Args: []soa.View{in}}
				require.NoError(t, e.Execute(t.Context(), call))
				k := n / 2
				require.Equal(t, types.Of(types.I32, 4, k), call.Results[0].Type)
				for row := range 4 {
					x := soa.Slice[int32](in)[row*n : (row+1)*n]
					order := make([]int32, n)
					for i := range order {
						order[i] = int32(i)
					}
					slices.SortStableFunc(order, func(i, j int32) int { return int(x[j] - x[i]) })
					require.Equal(t, order[:k], soa.Slice[int32](call.Results[1])[row*k:(row+1)*k], "%d", n)
					for i, at := range order[:k] {
						require.Equal(t, x[at], soa.Slice[int32](call.Results[0])[row*k+i])
					}
				}
			}
		})
	}
}

func TestRandomBitsOfSymbolicShapeAreJAXs(t *testing.T) {
	want := []uint32{
		895509795, 3230209149, 3834998268, 2007387529, 550253412, 3629164905, 884685582, 1607917910,
		10686132, 2228987125, 1020550072, 3427054331, 2845174807, 3272706308, 2299719724,
	}
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(randomBits), backends.Options{})
			require.NoError(t, err)
			for _, n := range []int{2, 5} {
				key := soa.Make(types.Of(types.U32, 4))
				copy(soa.Slice[uint32](key), []uint32{0, 1, 2, 3})
				call := &backends.Call{Args: []soa.View{key, soa.Make(types.Of(types.F32, n, 3))}}
				require.NoError(t, e.Execute(t.Context(), call))
				require.Equal(t, want[:3*n], soa.Slice[uint32](call.Results[1]))
				require.Equal(t, []uint32{0, 1, 2 + uint32(3*n+3)/4, 3}, soa.Slice[uint32](call.Results[0]))
			}
		})
	}
}
