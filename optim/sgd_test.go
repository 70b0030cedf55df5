package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim"
)

func open(t *testing.T) (*lazy.Device, *lazy.Trace) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	return dev, lazy.NewTrace(dev)
}

// descend takes steps on Σ w²/2, whose gradient is w, starting from w = start.
func descend(t *testing.T, start []float64, c optim.SGDConfig, steps int) (w, v []float64) {
	dev, tr := open(t)
	p := lazy.SetValues(dev.Variable("w", lazy.F64, len(start)), start)
	sgd := optim.NewSGD(dev, []*lazy.Tensor{p}, c)
	for range steps {
		x := tr.Read(p)
		require.NoError(t, sgd.Step(x.Mul(x).Sum().MulScalar(0.5)))
		require.NoError(t, tr.MarkStep())
	}
	w, err := lazy.ToSlice[float64](p)
	require.NoError(t, err)
	for _, x := range sgd.State() {
		v, err = lazy.ToSlice[float64](x)
		require.NoError(t, err)
	}
	require.Len(t, tr.Report().Compiles, 1, "velocities exist before the first step")
	return w, v
}

func TestSGD(t *testing.T) {
	for _, c := range []struct {
		name   string
		config optim.SGDConfig
		steps  int
		w, v   []float64
	}{
		// w: 1 → 1 - 0.1·1 → 0.9 - 0.1·0.9
		{"plain", optim.SGDConfig{LR: 0.1}, 2, []float64{0.81, -1.62}, nil},
		// v: 1, 0.5·1 + 0.9, 0.5·1.4 + 0.76; w: 0.9, 0.76, 0.614
		{"momentum", optim.SGDConfig{LR: 0.1, Momentum: 0.5}, 3, []float64{0.614, -1.228}, []float64{1.46, -2.92}},
		// g is 1.2 w; w: 1 - 0.12, 0.88 - 0.1056
		{"weight decay", optim.SGDConfig{LR: 0.1, WeightDecay: 0.2}, 2, []float64{0.7744, -1.5488}, nil},
		// v: 1.2, 0.5·1.2 + 1.2·0.88; w: 0.88, 0.88 - 0.1656
		{"both", optim.SGDConfig{LR: 0.1, Momentum: 0.5, WeightDecay: 0.2}, 2, []float64{0.7144, -1.4288}, []float64{1.656, -3.312}},
		// w: 1 - 0.1(1 + 0.5·1) = 0.85; v = 0.5 + 0.85 = 1.35; w: 0.85 - 0.1(0.85 + 0.675)
		{"nesterov", optim.SGDConfig{LR: 0.1, Momentum: 0.5, Nesterov: true}, 2, []float64{0.6975, -1.395}, []float64{1.35, -2.7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, v := descend(t, []float64{1, -2}, c.config, c.steps)
			require.InDeltaSlice(t, c.w, w, 1e-15)
			if c.v != nil {
				require.InDeltaSlice(t, c.v, v, 1e-15)
			}
		})
	}
}

func TestLearningRatesAreOneCompile(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(1))
	sgd := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{Momentum: 0.9})
	moved := 0.0
	for i := range 100 {
		sgd.SetLR(float64(i) / 1000)
		require.NoError(t, sgd.Step(tr.Read(w).Sum()))
		require.NoError(t, tr.MarkStep())
		now, err := lazy.ToSlice[float32](w)
		require.NoError(t, err)
		if i == 0 {
			require.Equal(t, []float32{1, 1, 1}, now, "the rate is 0")
		}
		if i == 1 {
			moved = 1 - float64(now[0])
		}
	}
	require.InDelta(t, 0.001*1.9, moved, 1e-6, "the second rate and velocity")
	require.Equal(t, 0.099, sgd.LR())
	r := tr.Report()
	require.Len(t, r.Compiles, 1)
	require.EqualValues(t, 99, r.CachedRuns)
	require.Zero(t, r.Syncs())
}

// Parameters of 16 bits: a step far below half a unit in the last place of the
// weight must still add up in the velocity.
func TestNarrowParameters(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.BF16, 2).Init(lazy.Constant(256))
	sgd := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.5, Momentum: 0.5})
	for range 2 {
		require.NoError(t, sgd.Step(tr.Read(w).Sum()))
		require.NoError(t, tr.MarkStep())
	}
	v, err := lazy.ToSlice[float32](sgd.State()[0])
	require.NoError(t, err)
	require.Equal(t, []float32{1.5, 1.5}, v)
	now, err := lazy.ToSlice[types.BFloat16](w)
	require.NoError(t, err)
	// 256 - 0.5 is a tie between 255 and 256 and goes to the even 256, from
	// which 0.5·1.5 more is nearest to 255.
	require.Equal(t, float32(255), now[0].Float32())
}

func TestBadArguments(t *testing.T) {
	dev, tr := open(t)
	other, err := lazy.Open("cpu") // another line
	require.NoError(t, err)
	require.Contains(t, other.OpenedAt(), "sgd_test.go:")
	require.NotEqual(t, dev.OpenedAt(), other.OpenedAt())
	w := dev.Variable("w", lazy.F32, 2)
	type params = []*lazy.Tensor
	good := optim.SGDConfig{LR: 0.1}
	for _, c := range []struct {
		name   string
		sgd    *optim.Optimizer
		reason string
	}{
		{"not a variable", optim.NewSGD(dev, params{w, lazy.From(dev, []float32{1}, 1)}, good),
			"sgd: parameter 1 is a f32[1] that is not a variable; make it with Device.Variable"},
		{"integers", optim.NewSGD(dev, params{dev.Variable("n", lazy.I32, 2)}, good),
			`sgd: parameter 0, "n", is i32[2]; only floating-point variables have gradients`},
		{"another device", optim.NewSGD(other, params{w}, good),
			`sgd: parameter 0, "w", is on device cpu opened at ` + dev.OpenedAt() + `, the optimizer on cpu opened at ` + other.OpenedAt()},
		{"poisoned", optim.NewSGD(dev, params{dev.Variable("bad", lazy.F32, -1)}, good), "sgd: parameter 0: "},
		{"nil", optim.NewSGD(dev, params{w, nil}, good), "sgd: parameter 1 is nil: make it with Device.Variable"},
		{"twice", optim.NewSGD(dev, params{dev.Variable("b", lazy.F32, 2), w, w}, good),
			`sgd: parameters 1 and 2 are the same variable, "w": give it once`},
		{"none", optim.NewSGD(dev, nil, good), "sgd: no parameters: give the variables to train"},
		{"no device", optim.NewSGD(nil, params{w}, good), "sgd: the device is nil"},
		{"nesterov", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 0.1, Nesterov: true}), "sgd: Nesterov needs a Momentum"},
		{"dampened nesterov", optim.NewSGD(dev, params{w}, optim.SGDConfig{Momentum: 0.9, Dampening: 0.1, Nesterov: true}), "sgd: Nesterov needs a Momentum, and no Dampening"},
		{"negative dampening", optim.NewSGD(dev, params{w}, optim.SGDConfig{Momentum: 0.9, Dampening: -1}), "sgd: Dampening -1 is not a finite number from 0 on"},
		{"negative rate", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: -0.1}), "sgd: learning rate -0.1: want a finite number"},
		{"rate NaN", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: math.NaN()}), "sgd: learning rate NaN: want a finite number"},
		{"infinite rate", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: math.Inf(1)}), "sgd: learning rate +Inf: want a finite number"},
		{"rate beyond f32", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 1e39}), "sgd: learning rate 1e+39 is beyond f32"},
		{"momentum 1", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 0.1, Momentum: 1}), "sgd: Momentum 1 is not in [0, 1)"},
		{"negative momentum", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 0.1, Momentum: -0.9}), "sgd: Momentum -0.9 is not in [0, 1)"},
		{"momentum NaN", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 0.1, Momentum: math.NaN()}), "sgd: Momentum NaN is not in [0, 1)"},
		{"negative decay", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 0.1, WeightDecay: -1}), "sgd: WeightDecay -1 is not a finite number from 0 on"},
		{"infinite decay", optim.NewSGD(dev, params{w}, optim.SGDConfig{LR: 0.1, WeightDecay: math.Inf(1)}), "sgd: WeightDecay +Inf is not a finite number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 {
				require.ErrorContains(t, c.sgd.Step(tr.Read(w).Sum()), c.reason)
			}
		})
	}
	sgd := optim.NewSGD(dev, params{w}, good)
	require.Equal(t, 1e-3, optim.NewSGD(dev, params{w}, optim.SGDConfig{}).LR(), "PyTorch's")
	require.ErrorContains(t, sgd.Step(tr.Read(w)), "must be a floating-point scalar")
	require.ErrorContains(t, sgd.Step(nil), "sgd: the loss is nil")
	require.NoError(t, sgd.Step(tr.Read(w).Sum()), "the optimizer is usable after an error")
	require.NoError(t, tr.MarkStep())
}

// A bad rate changes nothing, and a good one ends its error.
func TestSetLR(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32, 2)
	sgd := optim.NewSGD(dev, []*lazy.Tensor{w}, optim.SGDConfig{LR: 0.5})
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1e39} {
		sgd.SetLR(bad)
		require.Equal(t, 0.5, sgd.LR())
		require.ErrorContains(t, sgd.Step(tr.Read(w).Sum()), "sgd: learning rate ")
	}
	sgd.SetLR(0.25)
	require.NoError(t, sgd.Step(tr.Read(w).Sum()))
	require.NoError(t, tr.MarkStep())
	now, err := lazy.ToSlice[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{-0.25, -0.25}, now)
}

// https://github.com/pytorch/xla/pull/7817: an optimizer made its state in the
// first step, which was another program than the second. Here it is there from
// the start: all steps are one program.
func TestStateIsThereFromTheFirstStep(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(1))
	u := dev.Variable("u", lazy.F32, 2).Init(lazy.Constant(1))
	sgd := optim.NewSGD(dev, []*lazy.Tensor{w, u}, optim.SGDConfig{LR: 0.1, Momentum: 0.9, WeightDecay: 0.01})
	require.Len(t, sgd.State(), 2)
	for i := range 10 {
		loss := tr.Read(w).Mul(w).Sum().Add(tr.Read(u).Sum())
		require.NoError(t, sgd.Step(loss))
		require.NoError(t, tr.MarkStep(loss))
		require.Len(t, tr.Report().Compiles, 1, "step %d", i)
	}
	require.EqualValues(t, 9, tr.Report().CachedRuns)
}
