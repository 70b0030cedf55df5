package reference

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// lookedAt is a context that is done after so many questions whether it is.
type lookedAt struct {
	context.Context
	left *int
}

func (c lookedAt) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// What a run prepares ends with the run's context, not with the one that the program was
// compiled under, which is over by then.
func TestOpsPreparedByARunEndWithItsContext(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		args []soa.View
	}{
		"sizes of arguments": {openSum, []soa.View{vec(t, make([]float32, 4), 2, 2), vec(t, make([]float32, 2), 2)}},
		"values as attributes": {`func.func @main(%a: tensor<4xf32>, %at: tensor<1xi32>) -> tensor<2xf32> {
  %to = stablehlo.constant dense<4> : tensor<1xi32>
  %by = stablehlo.constant dense<2> : tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %a, %at, %to, %by : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}`, []soa.View{vec(t, make([]float32, 4), 4), soa.Make(types.Of(types.I32, 1))}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			e, err := New().Compile(ctx, backends.NewModule(c.text), backends.Options{})
			cancel()
			require.NoError(t, err)
			looks := 1 // that of Execute itself
			err = e.Execute(lookedAt{context.Background(), &looks}, &backends.Call{Args: c.args})
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, "prepare ended on line")
			require.NoError(t, e.Execute(context.Background(), &backends.Call{Args: c.args}), "another run prepares it")
		})
	}
}
