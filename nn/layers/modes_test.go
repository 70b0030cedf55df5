package layers_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/internal/modes"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
)

// ones returns a value of ones.
func ones(dev *lazy.Device, shape ...int) *lazy.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return lazy.From(dev, slices.Repeat([]float32{1}, n), shape...)
}

// A function has the mode that its network has at a call, and compiles a program once for each.
func TestFuncHasTheModeOfTheCall(t *testing.T) {
	for _, open := range []bool{false, true} {
		dev, err := lazy.Open("cpu")
		require.NoError(t, err)
		drop := &layers.Dropout{P: 0.5}
		require.NoError(t, module.Build(drop, dev))
		recorded := 0
		f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			recorded++
			return drop.Forward(x)
		})
		if open {
			require.NoError(t, f.Inputs(lazy.Input{Name: "x", Type: types.Of(types.F32, lazy.Dim("n", 1, 1<<12))}))
		}
		zeros := func(n int) (zeros int) {
			y, err := f.Call(context.Background(), ones(dev, n))
			require.NoError(t, err)
			got, err := lazy.ToSlice[float32](y)
			require.NoError(t, err)
			for _, v := range got {
				if v == 0 {
					zeros++
				}
			}
			return zeros
		}
		var first int
		for i := range 3 {
			require.NoError(t, module.Train(drop))
			require.InDelta(t, 500, zeros(1000), 100)
			require.NoError(t, module.Eval(drop))
			require.Zero(t, zeros(1000))
			if i == 0 {
				first = recorded
			}
		}
		require.Equal(t, first, recorded, "a mode that was there before has its recordings")
		require.Len(t, f.Report().Compiles, 2)
		require.NoError(t, module.Train(drop))
		require.InDelta(t, 600, zeros(1200), 120)
		require.NoError(t, module.Eval(drop))
		require.Zero(t, zeros(1200))
	}
}

// A function that sets the mode of its network itself is recorded once.
func TestFuncThatSetsTheMode(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	drop := &layers.Dropout{P: 0.5}
	require.NoError(t, module.Build(drop, dev))
	recorded := 0
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		recorded++
		require.NoError(t, module.Eval(drop))
		defer module.Train(drop)
		return drop.Forward(x).Neg()
	})
	for range 3 {
		y, err := f.Call(context.Background(), ones(dev, 2))
		require.NoError(t, err)
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		require.Equal(t, []float32{-1, -1}, got)
	}
	require.Equal(t, 1, recorded)
}

// A function that trains leaves the parameters alone that are frozen at a call.
func TestFuncSeesFreeze(t *testing.T) {
	ctx := context.Background()
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	net := &layers.Linear{In: 2, Out: 1}
	require.NoError(t, module.Build(net, dev))
	opt := optim.NewSGD(dev, module.Parameters(net), optim.SGDConfig{LR: 0.1})
	step := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		loss := net.Forward(tr.Read(x)).Sum()
		require.NoError(t, opt.Step(loss))
		return loss
	})
	moves := func() bool {
		was, err := lazy.ToSlice[float32](net.Weight)
		require.NoError(t, err)
		_, err = step.Call(ctx, ones(dev, 1, 2))
		require.NoError(t, err)
		is, err := lazy.ToSlice[float32](net.Weight)
		require.NoError(t, err)
		return was[0] != is[0]
	}
	for range 2 {
		require.True(t, moves())
		net.Weight.SetRequiresGrad(false)
		require.False(t, moves())
		require.NoError(t, module.Unfreeze(net))
	}
	require.Len(t, step.Report().Compiles, 2)
}

// A hook acts in functions that were called before it was added, until it is removed.
func TestFuncCallsHooks(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	layer := &layers.Dropout{}
	require.NoError(t, module.Build(layer, dev))
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return layer.Forward(x).Neg() })
	is := func(want float32) {
		y, err := f.Call(context.Background(), ones(dev, 1))
		require.NoError(t, err)
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		require.Equal(t, []float32{want}, got)
	}
	is(-1)
	remove, err := module.OnForward(layer, func(c module.Call) *lazy.Tensor { return c.Out.AddScalar(2) })
	require.NoError(t, err)
	is(-3)
	remove()
	is(-1)
	remove()
	is(-1)
}

// Functions keep the recordings of some modes only, and none of modes that are gone.
func TestFuncForgetsModes(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	recorded := 0
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { recorded++; return x.Neg() })
	var others [6]modes.Flag
	call := func() int {
		_, err := f.Call(context.Background(), ones(dev, 1))
		require.NoError(t, err)
		return recorded
	}
	require.Equal(t, 1, call())
	for i := range others {
		others[i].Set(true)
		require.Equal(t, i+2, call())
	}
	require.Equal(t, 7, call())
	for i := range others {
		others[i].Set(false)
	}
	require.Equal(t, 8, call(), "the first was forgotten")
	require.Len(t, f.Report().Compiles, 1)
}

// The errors of an export of a network in training say how to put it into the mode for evaluation.
func TestExportInTraining(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	for _, c := range []struct {
		layer interface {
			Forward(*lazy.Tensor) *lazy.Tensor
		}
		want string
	}{
		{&layers.Dropout{P: 0.5}, "dropout(): the function that is exported draws random numbers; for a network call module.Eval(net) before Export, which turns dropout off"},
		{&layers.BatchNorm{Channels: 3}, `the function assigns "running_mean"; for a network call module.Eval(net) before Export: in training its batch norms assign their statistics`},
	} {
		require.NoError(t, module.Build(c.layer, dev))
		f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return c.layer.Forward(x) })
		for _, rows := range []int{4, lazy.AnySize} {
			require.NoError(t, module.Train(c.layer))
			in := lazy.Input{Name: "x", Type: types.Of(types.F32, rows, 3)}
			_, err := f.Export([]lazy.Input{in})
			require.ErrorIs(t, err, lazy.ErrUsage)
			require.ErrorContains(t, err, c.want)
			require.NoError(t, module.Eval(c.layer))
			_, err = f.Export([]lazy.Input{in})
			require.NoError(t, err)
		}
	}
}
