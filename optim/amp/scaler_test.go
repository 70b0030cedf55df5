package amp_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/lazy"
	"ltc/optim"
	"ltc/optim/amp"
)

type tensors = []*lazy.Tensor

func open(t *testing.T) (*lazy.Device, *lazy.Trace) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	return dev, lazy.NewTrace(dev)
}

// floats are the elements of a vector or scalar.
func floats(t *testing.T, x *lazy.Tensor) []float64 {
	if x.DType() == lazy.F64 {
		xs, err := lazy.ToSlice[float64](x)
		require.NoError(t, err)
		return xs
	}
	xs, err := lazy.ToSlice[float32](x)
	require.NoError(t, err)
	all := make([]float64, len(xs))
	for i, x := range xs {
		all[i] = float64(x)
	}
	return all
}

func near(t *testing.T, want, got []float64, tolerance float64, msg ...any) {
	t.Helper()
	require.Len(t, got, len(want), msg...)
	for i := range want {
		require.InDelta(t, want[i], got[i], tolerance*max(1, math.Abs(want[i])), msg...)
	}
}

// The scales and parameters are those of torch.amp.GradScaler over 50 steps, five of which have gradients
// that are not finite. A step that is skipped compiles nothing and reads nothing.
func TestScalerGoldens(t *testing.T) {
	text, err := os.ReadFile("../testdata/torch.json")
	require.NoError(t, err)
	var goldens struct{ Scaler map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &goldens))
	g := goldens.Scaler
	for name, c := range map[string]amp.ScalerConfig{
		"plain":   {Scale: 1024, Interval: 4},
		"largest": {Scale: math.Ldexp(1, 126), Growth: 4, Backoff: 0.25, Interval: 3},
	} {
		t.Run(name, func(t *testing.T) {
			var values []any
			var want struct {
				Scales []float64
				Params [][]float64
			}
			require.NoError(t, json.Unmarshal(g["values"], &values))
			require.NoError(t, json.Unmarshal(g[name], &want))
			dev, tr := open(t)
			w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, -2})
			s := amp.NewLossScaler(optim.NewAdam(dev, tensors{w}, optim.AdamConfig{LR: 0.1}), c)
			var scales, params [][]float64
			for i := range values {
				v := map[any]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN()}[values[i]]
				if x, ok := values[i].(float64); ok {
					v = x
				}
				loss := lazy.From(tr, []float32{float32(v), 0.5}).Mul(w).Sum()
				if math.IsInf(v, 0) || math.IsNaN(v) {
					loss = tr.Read(w).Mul(lazy.From(tr, []float32{float32(v), 0.5})).Sum()
				}
				require.NoError(t, s.Step(loss))
				require.NoError(t, tr.MarkStep())
				require.Empty(t, tr.Report().Syncs())
				scales, params = append(scales, floats(t, s.Factor())), append(params, floats(t, w))
			}
			for i := range values {
				require.Equal(t, float32(want.Scales[i]), float32(scales[i][0]), "step %d", i)
				near(t, want.Params[i], params[i], 1e-6, i)
			}
			require.Len(t, tr.Report().Compiles, 1)
		})
	}
}

// A loss whose gradients are below the smallest number of f16 trains parameters of f16 by its scale, with
// masters of f32.
func TestScalerOfNarrowParameters(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F16, 2).Init(lazy.Constant(1))
	o := optim.NewAdam(dev, tensors{w}, optim.AdamConfig{LR: 1e-5, Master: lazy.F32})
	s := amp.NewLossScaler(o, amp.ScalerConfig{})
	loss := func() *lazy.Tensor { return tr.Read(w).Convert(lazy.F32).MulScalar(1e-9).Sum() }
	for range 200 {
		require.NoError(t, s.Scale(loss()).Backward())
		require.NoError(t, s.StepBackward())
		require.NoError(t, tr.MarkStep())
	}
	require.Nil(t, w.Grad())
	// The step of Adam is m̂/(√v̂ + ε) = 1e-9/(1e-9 + 1e-8) of LR: with gradients of 0 nothing moves.
	near(t, []float64{1 - 200*1e-5/11, 1 - 200*1e-5/11}, floats(t, o.State()[1]), 5e-6)
}

// Gradients are clipped between Unscale and StepGrads by their true size. A value that is clipped was
// not finite all the same.
func TestScalerAndClips(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32, 2)
	o := optim.NewSGD(dev, tensors{w}, optim.SGDConfig{LR: 1})
	s := amp.NewLossScaler(o, amp.ScalerConfig{Scale: 16})
	for _, last := range []float32{4, float32(math.Inf(1))} {
		grads, err := o.Grads(s.Scale(lazy.From(tr, []float32{3, last}).Mul(w).Sum()))
		require.NoError(t, err)
		grads, err = s.Unscale(grads)
		require.NoError(t, err)
		grads, err = optim.ClipValue(grads, 3.5)
		require.NoError(t, err)
		require.NoError(t, s.StepGrads(grads))
		require.NoError(t, tr.MarkStep())
		near(t, []float64{-3, -3.5}, floats(t, w), 1e-7)
	}
	require.Equal(t, 8.0, s.Factor().Float())
	require.ErrorContains(t, s.StepGrads(tensors{tr.Read(w)}), "loss_scaler: the step's gradients are not unscaled: give StepGrads what Unscale returns, once")
}

// A scaler that loads the state of another goes on with its scales.
func TestScalerLoadState(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32)
	made := func() *amp.LossScaler {
		return amp.NewLossScaler(optim.NewSGD(dev, tensors{w}, optim.SGDConfig{LR: 1}), amp.ScalerConfig{Scale: 16, Interval: 3})
	}
	step := func(s *amp.LossScaler, g float64) {
		grads, err := s.Unscale(tensors{lazy.Const(tr, lazy.F32, g)})
		require.NoError(t, err)
		require.NoError(t, s.StepGrads(grads))
		require.NoError(t, tr.MarkStep())
	}
	s, again := made(), made()
	for _, g := range []float64{math.Inf(1), 1, 1} {
		step(s, g)
	}
	saved := map[string]*lazy.Tensor{}
	for _, v := range s.State() {
		saved[v.Name()] = v
	}
	require.NoError(t, again.LoadState(tr, saved))
	require.NoError(t, tr.MarkStep())
	for _, want := range []float64{16, 16, 16, 32} { // the third good step is the first after loading
		step(again, 1)
		require.Equal(t, []float64{want}, floats(t, again.Factor()))
	}
	delete(saved, "loss_scaler.tracker")
	require.EqualError(t, again.LoadState(tr, saved), `loss_scaler: load: the tensors lack "loss_scaler.tracker": load the state that loss_scaler with the same arguments saved`)
	require.EqualError(t, again.LoadState(nil, saved), "loss_scaler: load: the trace is nil: give the one whose MarkStep is to load")
	require.EqualError(t, new(amp.LossScaler).LoadState(tr, saved), "loss_scaler: the scaler is the zero value: make it by NewLossScaler")
}

func TestScalerMistakes(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32)
	o := optim.NewSGD(dev, tensors{w}, optim.SGDConfig{LR: 1})
	for want, s := range map[string]*amp.LossScaler{
		"loss_scaler: the optimizer is nil: give the one whose steps it is to skip": amp.NewLossScaler(nil, amp.ScalerConfig{}),
		"loss_scaler: sgd: no parameters: give the variables to train":              amp.NewLossScaler(optim.NewSGD(dev, nil, optim.SGDConfig{}), amp.ScalerConfig{}),
		"loss_scaler: Scale -1 is not a number of f32 above 0":                      amp.NewLossScaler(o, amp.ScalerConfig{Scale: -1}),
		"loss_scaler: Scale 1e-60 is not a number of f32 above 0":                   amp.NewLossScaler(o, amp.ScalerConfig{Scale: 1e-60}),
		"loss_scaler: Growth 0.5 is not a finite number from 1 on":                  amp.NewLossScaler(o, amp.ScalerConfig{Growth: 0.5}),
		"loss_scaler: Backoff 1 is not in (0, 1)":                                   amp.NewLossScaler(o, amp.ScalerConfig{Backoff: 1}),
		"loss_scaler: Interval -1 is not from 1 on":                                 amp.NewLossScaler(o, amp.ScalerConfig{Interval: -1}),
	} {
		require.EqualError(t, s.Step(tr.Read(w)), want)
		_, err := s.Unscale(tensors{tr.Read(w)})
		require.EqualError(t, err, want)
		require.EqualError(t, s.StepGrads(tensors{tr.Read(w)}), want)
		require.EqualError(t, s.StepBackward(), want)
	}
	require.EqualError(t, amp.NewLossScaler(o, amp.ScalerConfig{}).Step(nil), "loss_scaler: the loss is nil")
	var none *amp.LossScaler
	require.EqualError(t, none.Step(tr.Read(w)), "loss_scaler: the scaler is nil: make it by NewLossScaler")
	require.EqualError(t, none.StepBackward(), "loss_scaler: the scaler is nil: make it by NewLossScaler")
	require.Nil(t, none.Factor())
	require.Empty(t, none.State())
	require.EqualError(t, new(amp.LossScaler).Step(tr.Read(w)), "loss_scaler: the scaler is the zero value: make it by NewLossScaler")
	s := amp.NewLossScaler(o, amp.ScalerConfig{})
	_, err := s.Unscale(tensors{tr.Read(w)})
	require.NoError(t, err)
	_, err = s.Unscale(tensors{tr.Read(w)})
	require.EqualError(t, err, "loss_scaler: Unscale is called twice in a step: give what it returns to StepGrads before")
	_, err = s.Unscale(tensors{tr.Read(w)})
	require.NoError(t, err)
}

// The scale never becomes 0, from which it would not grow.
func TestLeastScale(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32)
	s := amp.NewLossScaler(optim.NewSGD(dev, tensors{w}, optim.SGDConfig{LR: 1}), amp.ScalerConfig{Scale: 0x1p-125, Backoff: 0.25})
	for range 2 {
		_, err := s.Unscale(tensors{lazy.Const(tr, lazy.F32, math.Inf(1))})
		require.NoError(t, err)
		require.NoError(t, s.StepGrads(tensors{lazy.Const(tr, lazy.F32, math.Inf(1))}))
		require.NoError(t, tr.MarkStep())
		require.Equal(t, []float64{0x1p-126}, floats(t, s.Factor()))
	}
}
