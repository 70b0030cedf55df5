package cuda

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

const squares = `func.func public @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}`

const scattered = `func.func public @main(%x: tensor<4xf32>, %i: tensor<64x1xi32>, %u: tensor<64xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<64x1xi32>, tensor<64xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`

// What options ask for is in the text, and results are those of the evaluator: of small
// integers, of which TF32 loses nothing, and of sums in their order.
func TestOptions(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	for _, c := range []struct {
		name, text string
		o          backends.Options
		has, not   string
	}{
		{"f32", squares, backends.Options{}, "fma.rn.f32", "tf32"},
		{"TF32", squares, backends.Options{TF32: true}, ".tf32.tf32.f32", "fma.rn.f32"},
		{"as they come", scattered, backends.Options{}, "red.", "@!%p0 bra"},
		{"Ordered", scattered, backends.Options{Ordered: true}, "@!%p0 bra", ""}, // one thread adds them
	} {
		t.Run(c.name, func(t *testing.T) {
			e := compile(t, b, c.text, c.o)
			text, err := e.Artifact()
			require.NoError(t, err)
			require.Contains(t, string(text), c.has)
			if c.not != "" {
				require.NotContains(t, string(text), c.not)
			}
			args := []soa.View{soa.Make(types.Of(types.F32, 64, 64)), soa.Make(types.Of(types.F32, 64, 64))}
			if c.text == scattered {
				args = []soa.View{soa.Make(types.Of(types.F32, 4)), soa.Make(types.Of(types.I32, 64, 1)), soa.Make(types.Of(types.F32, 64))}
				for i := range soa.Slice[int32](args[1]) {
					soa.Slice[int32](args[1])[i] = int32(i * i % 5)
				}
			}
			for _, v := range args {
				if v.Type.DType == types.F32 {
					for i := range soa.Slice[float32](v) {
						soa.Slice[float32](v)[i] = float32(i*7%11 - 5)
					}
				}
			}
			want := evaluated(t, c.text, args...)
			call := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), call))
			require.Equal(t, want, floats(t, call.Results[0]))
		})
	}
}

// Devices are opened with them.
func TestOptionsOfDevices(t *testing.T) {
	var seen backends.Options
	backends.Register("cuda-options", func(string) (backends.Backend, error) { return &noting{o: &seen}, nil })
	dev, err := lazy.Open("cuda-options", lazy.TF32(), lazy.Ordered())
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 2}, 2)
	require.Error(t, tr.MarkStep(x.Add(x)))
	require.True(t, seen.TF32 && seen.Ordered)
}

// noting notes the options that it is asked to compile with.
type noting struct {
	backends.NotImplemented
	o *backends.Options
}

func (*noting) Name() string { return "cuda-options" }
func (n *noting) Compile(_ context.Context, _ backends.Module, o backends.Options) (backends.Executable, error) {
	*n.o = o
	return nil, errors.ErrUnsupported
}
