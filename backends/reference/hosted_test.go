package reference_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// registerScale registers the function of a composite, for f32. It computes another function
// than the body, so that results tell which one has run.
var registerScale = sync.OnceValue(func() error {
	return backends.RegisterHostComposite("reference.test.scale", func(args, results []types.Type, attrs mlir.Dict) bool {
		return args[0].DType == types.F32 && attrs.Get("by") != nil
	}, func(_ context.Context, c *backends.HostCall) error {
		by, _ := mlir.Int(c.Attrs.Get("by"))
		for i, x := range soa.Slice[float32](c.Args[0]) {
			soa.Slice[float32](c.Results[0])[i] = 100 * x * float32(by)
		}
		return nil
	})
})

// A function of the host stands for a composite on cpu where it takes the types and no size is
// open. The evaluator runs bodies.
func TestHostedComposite(t *testing.T) {
	require.NoError(t, registerScale())
	text := func(typ, call string) string {
		return `func.func public @main(%x: ` + typ + `) -> ` + typ + ` {
  %0 = stablehlo.add %x, %x : ` + typ + `
  %1 = stablehlo.composite "reference.test.scale" %0 {` + call + `decomposition = @scale} : (` + typ + `) -> ` + typ + `
  return %1 : ` + typ + `
}
func.func private @scale(%x: ` + typ + `) -> ` + typ + ` {
  %0 = stablehlo.add %x, %x : ` + typ + `
  %1 = stablehlo.add %0, %x : ` + typ + `
  return %1 : ` + typ + `
}`
	}
	const by = "composite_attributes = {by = 3 : i64}, "
	for _, c := range []struct {
		name, backend, typ, call string
		want                     float32
	}{
		{"function", "cpu", "tensor<3xf32>", by, 600},
		{"oracle", "eval", "tensor<3xf32>", by, 6},
		{"attributes", "cpu", "tensor<3xf32>", "", 6},
		{"open", "cpu", "tensor<?xf32>", by, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := backends.Open(c.backend)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(text(c.typ, c.call)), backends.Options{Compiled: c.backend == "cpu"})
			require.NoError(t, err)
			x, err := soa.Borrow([]float32{1, 2, 3}, types.Of(types.F32, 3))
			require.NoError(t, err)
			call := &backends.Call{Args: []soa.View{x}}
			require.NoError(t, e.Execute(t.Context(), call))
			require.Equal(t, []float32{c.want, 2 * c.want, 3 * c.want}, soa.Slice[float32](call.Results[0]))
		})
	}
	require.EqualError(t, backends.RegisterHostComposite("reference.test.none", nil, backends.Host("reference.test.scale")), `host function "reference.test.none": the test of its composites is nil`)
}
