package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim"
)

// Each mistake names the optimizer, the parameter or field, and says what to do.
func TestMistakes(t *testing.T) {
	dev, tr := open(t)
	w, u := dev.Variable("w", lazy.F32, 2), dev.Variable("u", lazy.F32, 2, 3)
	one := tensors{w}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		made   *optim.Optimizer
		reason string
	}{
		{"in two groups", optim.NewAdam(dev, one, optim.AdamConfig{}, group{Params: tensors{u}}, group{Params: one}),
			`adam: parameters 0 of group 0 and 0 of group 2 are the same variable, "w": give it once`},
		{"an empty group", optim.NewAdam(dev, one, optim.AdamConfig{}, group{}), "adam: group 1 has no parameters: give it variables to train"},
		{"no group", optim.NewLion(dev, nil, optim.LionConfig{}), "lion: no parameters"},
		{"a value in a group", optim.NewRAdam(dev, one, optim.RAdamConfig{}, group{Params: tensors{lazy.From(dev, []float32{1})}}),
			"radam: parameter 0 of group 1 is a f32[1] that is not a variable; make it with Device.Variable"},
		{"rate", optim.NewAdamW(dev, one, optim.AdamConfig{LR: nan}), "adamw: learning rate NaN: want a finite number"},
		{"rate of a group", optim.NewAdamW(dev, one, optim.AdamConfig{}, group{Params: tensors{u}, LR: -1}), "adamw: group 1: learning rate -1: want"},
		{"ratio to 0", optim.NewAdamW(dev, one, optim.AdamConfig{LR: optim.Zero}, group{Params: tensors{u}, LR: 1}), "adamw: group 1: it has a rate of its own"},
		{"first beta", optim.NewAdam(dev, one, optim.AdamConfig{Betas: [2]float64{1.2}}), "adam: Betas[0] 1.2 is not in [0, 1)"},
		{"second beta", optim.NewAdamax(dev, one, optim.AdamaxConfig{Betas: [2]float64{0.5, 1}}), "adamax: Betas[1] 1 is not in [0, 1)"},
		{"beta of a group", optim.NewLion(dev, one, optim.LionConfig{}, group{Params: tensors{u}, Betas: [2]float64{0.9, nan}}), "lion: group 1: Betas[1] NaN is not in [0, 1)"},
		{"no betas", optim.NewSGD(dev, one, optim.SGDConfig{}, group{Params: tensors{u}, Betas: [2]float64{0.9, 0.9}}), "sgd: group 1: the rule has no Betas"},
		{"no momentum", optim.NewAdam(dev, one, optim.AdamConfig{}, group{Params: tensors{u}, Momentum: 0.9}), "adam: group 1: the rule has no Momentum"},
		{"no decay", optim.NewRprop(dev, one, optim.RpropConfig{}, group{Params: tensors{u}, WeightDecay: 0.1}), "rprop: group 1: the rule has no WeightDecay"},
		{"decay", optim.NewAdam(dev, one, optim.AdamConfig{WeightDecay: -1}), "adam: WeightDecay -1 is not a finite number from 0 on"},
		{"eps", optim.NewNAdam(dev, one, optim.NAdamConfig{Eps: -1}), "nadam: Eps -1 is not a finite number from 0 on"},
		{"momentum decay", optim.NewNAdam(dev, one, optim.NAdamConfig{MomentumDecay: nan}), "nadam: MomentumDecay NaN is not"},
		{"rate's decay", optim.NewAdagrad(dev, one, optim.AdagradConfig{LRDecay: -1}), "adagrad: LRDecay -1 is not"},
		{"average's start", optim.NewASGD(dev, one, optim.ASGDConfig{Start: -1}), "asgd: Start -1 is not"},
		{"rho", optim.NewAdadelta(dev, one, optim.AdadeltaConfig{Rho: 1}), "adadelta: Rho 1 is not in [0, 1)"},
		{"alpha", optim.NewRMSprop(dev, one, optim.RMSpropConfig{Alpha: -0.1}), "rmsprop: Alpha -0.1 is not in [0, 1)"},
		{"etas", optim.NewRprop(dev, one, optim.RpropConfig{Etas: [2]float64{1.2, 0.5}}), "rprop: Etas [1.2 0.5]: want one in (0, 1) and one above 1"},
		{"sizes", optim.NewRprop(dev, one, optim.RpropConfig{Sizes: [2]float64{2, 1}}), "rprop: Sizes [2 1]: want the smallest"},
		{"power", optim.NewAdafactor(dev, one, optim.AdafactorConfig{Beta2Decay: 0.8}), "adafactor: Beta2Decay 0.8 is above 0"},
		{"clipping", optim.NewAdafactor(dev, one, optim.AdafactorConfig{D: 0.5}), "adafactor: D 0.5 is below 1"},
		{"trust", optim.NewLAMB(dev, one, optim.LAMBConfig{Eps: nan}), "lamb: Eps NaN is not"},
		{"no matrix", optim.NewMuon(dev, tensors{u, w}, optim.MuonConfig{}), `muon: parameter "w" is f32[2], no matrix: give it to an optimizer of its own`},
		{"iterations", optim.NewMuon(dev, tensors{u}, optim.MuonConfig{Steps: 100}), "muon: Steps 100 is not from 1 to 99"},
		{"adjustment", optim.NewMuon(dev, tensors{u}, optim.MuonConfig{Adjust: 7}), "muon: Adjust 7 is none of MuonOriginal"},
		{"master", optim.NewAdam(dev, one, optim.AdamConfig{Master: lazy.BF16}), "adam: Master is bf16: want lazy.F32 or lazy.F64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.ErrorContains(t, c.made.Step(tr.Read(w).Sum()), c.reason)
			require.ErrorContains(t, c.made.StepGrads(nil), c.reason)
			require.ErrorContains(t, c.made.LoadState(tr, nil), c.reason)
		})
	}

	large := optim.NewAdamW(dev, one, optim.AdamConfig{LR: 1e40})
	require.ErrorContains(t, large.Step(tr.Read(w).Sum()), "adamw: learning rate 1e+40 is beyond f32")

	o := optim.NewAdam(dev, tensors{w, u}, optim.AdamConfig{})
	require.EqualError(t, o.StepGrads(nil), "adam: 0 gradients for 2 parameters: give one for each of Params, nil for none")
	require.EqualError(t, o.StepGrads(tensors{nil, nil}), "adam: no parameter has a gradient: call Backward of the loss before StepBackward, or give StepGrads one that is not nil")
	require.EqualError(t, o.StepGrads(tensors{tr.Read(u), nil}), `adam: gradient 0 is f32[2,3], parameter "w" is f32[2]: give gradients in the order of Params`)
	require.EqualError(t, o.StepGrads(tensors{w, nil}), `adam: gradient of "w" belongs to no trace: compute it in a step, or use Trace.Read`)
	require.ErrorContains(t, o.StepGrads(tensors{tr.Read(w).Add(tr.Read(u)), nil}), `adam: gradient of "w": `)
	require.EqualError(t, o.Step(tr.Read(dev.Variable("z", lazy.F32))), `adam: the loss depends on none of the parameters that require gradients, "w", "u": compute it from them in this step`)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float64{0, 0}, floats(t, w), "after errors nothing has been assigned")

	o.SetMomentum(1)
	require.EqualError(t, o.Step(tr.Read(w).Sum()), "adam: Betas[0] 1 is not in [0, 1): it is the part of an average that a step keeps")
	o.SetMomentum(0.5)
	require.NoError(t, o.Step(tr.Read(w).Sum()))
	still := optim.NewAdagrad(dev, one, optim.AdagradConfig{})
	still.SetMomentum(0.5)
	require.ErrorContains(t, still.Step(tr.Read(u).Sum()), "adagrad: SetMomentum: it was made without momentum")
}

// Rates of groups keep their ratio, and a field of Zero is 0.
func TestGroups(t *testing.T) {
	dev, _ := open(t)
	w, u := dev.Variable("w", lazy.F32, 2), dev.Variable("u", lazy.F32, 2)
	o := optim.NewAdamW(dev, tensors{w}, optim.AdamConfig{LR: 0.2}, group{Params: tensors{u}, LR: 0.1, Betas: [2]float64{0.7}})
	require.Len(t, o.Groups(), 2)
	require.Equal(t, tensors{w, u}, o.Params())
	require.Equal(t, tensors{u}, o.Groups()[1].Params())
	require.Equal(t, []float64{0.2, 0.1, 0.9, 0.7}, []float64{o.LR(), o.Groups()[1].LR(), o.Groups()[0].Momentum(), o.Groups()[1].Momentum()})
	o.SetLR(0.5)
	require.Equal(t, []float64{0.5, 0.25}, []float64{o.Groups()[0].LR(), o.Groups()[1].LR()})
	o.Groups()[1].SetLR(1)
	require.Equal(t, 0.5, o.LR())
	only := optim.NewAdam(dev, nil, optim.AdamConfig{LR: optim.Zero}, group{Params: tensors{w}})
	require.Len(t, only.Groups(), 1)
	require.Zero(t, only.LR())
}

// A group without momentum takes none later: it has no velocities.
func TestSetMomentumOfAStillGroup(t *testing.T) {
	dev, tr := open(t)
	w, u := dev.Variable("w", lazy.F32, 2), dev.Variable("u", lazy.F32, 2)
	still := group{Params: tensors{u}, Momentum: optim.Zero}
	for _, o := range []*optim.Optimizer{
		optim.NewSGD(dev, tensors{w}, optim.SGDConfig{Momentum: 0.9}, still),
		optim.NewRMSprop(dev, tensors{w}, optim.RMSpropConfig{Momentum: 0.9}, still),
	} {
		loss := tr.Read(w).Add(tr.Read(u)).Sum()
		o.Groups()[1].SetMomentum(0.5)
		require.ErrorContains(t, o.Step(loss), "SetMomentum: it was made without momentum")
		o.Groups()[1].SetMomentum(0)
		o.SetMomentum(0)
		o.SetMomentum(0.5)
		require.Equal(t, []float64{0.5, 0}, []float64{o.Groups()[0].Momentum(), o.Groups()[1].Momentum()})
		require.NoError(t, o.Step(loss))
		require.NoError(t, tr.MarkStep())
	}
}

// A parameter that the loss does not depend on, or that requires no gradient, stays, and so does its state.
func TestUnusedAndFrozen(t *testing.T) {
	dev, tr := open(t)
	var params tensors
	for _, name := range []string{"used", "unused", "frozen"} {
		params = append(params, dev.Variable(name, lazy.F32, 2).Init(lazy.Constant(1)))
	}
	o := optim.NewAdamW(dev, params, optim.AdamConfig{LR: 0.1})
	params[2].SetRequiresGrad(false)
	step := func(used ...*lazy.Tensor) {
		loss := tr.Read(used[0]).Sum()
		for _, x := range used[1:] {
			loss = loss.Add(tr.Read(x).Sum())
		}
		require.NoError(t, o.Step(loss))
		require.NoError(t, tr.MarkStep())
	}
	step(params[0], params[2])
	first := 1.0 - 0.1*0.01 - 0.1
	require.InDelta(t, first, floats(t, params[0])[0], 1e-6)
	require.Equal(t, []float64{1, 1}, floats(t, params[1]))
	require.Equal(t, []float64{1, 1}, floats(t, params[2]))
	params[2].SetRequiresGrad(true)
	step(params[0], params[2])
	require.Less(t, floats(t, params[2])[0], 1.0)
	require.Equal(t, []float64{1, 1}, floats(t, params[1]))
	for _, s := range o.State() {
		if s.Name() == "unused.exp_avg" {
			require.Equal(t, []float64{0, 0}, floats(t, s))
		}
	}
	require.Len(t, tr.Report().Compiles, 2)
}

// An optimizer that has loaded a state goes on as the one that saved it.
func TestLoadState(t *testing.T) {
	g := readGolden(t)
	for _, name := range []string{"sgd momentum", "nadam", "adafactor", "adam amsgrad", "rprop"} {
		t.Run(name, func(t *testing.T) {
			c := optimizers[name]
			train := func(n *network, o *optim.Optimizer, steps int) {
				for range steps {
					require.NoError(t, o.Step(n.loss()))
					require.NoError(t, n.tr.MarkStep())
				}
			}
			fresh := func() (*network, *optim.Optimizer) {
				dev, err := lazy.Open("cpu")
				require.NoError(t, err)
				n := newNetwork(t, g, dev, lazy.F64)
				c.second.Params = tensors{n.w2, n.b2}
				return n, c.make(dev, tensors{n.w1, n.b1}, c.second)
			}
			n, o := fresh()
			train(n, o, 4)
			saved := map[string]*lazy.Tensor{}
			m, p := fresh()
			for _, v := range append(o.State(), o.Params()...) {
				view, err := v.Value()
				require.NoError(t, err)
				saved[v.Name()] = lazy.FromView(m.tr, view)
			}
			require.NoError(t, p.LoadState(m.tr, saved))
			for _, v := range p.Params() {
				v.Assign(saved[v.Name()])
			}
			require.NoError(t, m.tr.MarkStep())
			train(n, o, 4)
			train(m, p, 4)
			require.Equal(t, n.values(t), m.values(t))
		})
	}
	dev, tr := open(t)
	o := optim.NewAdam(dev, tensors{dev.Variable("w", lazy.F32, 2)}, optim.AdamConfig{})
	state := map[string]*lazy.Tensor{"w.exp_avg": lazy.Ones(tr, lazy.F32, 3), "adam.step": lazy.Ones(tr, lazy.F32)}
	require.EqualError(t, o.LoadState(tr, state), `adam: load: "adam.step" is f32[], and its variable f64[]; "w.exp_avg" is f32[3], and its variable f32[2]; `+
		`the tensors lack "w.exp_avg_sq": load the state that adam with the same arguments saved`)
	require.ErrorContains(t, o.LoadState(nil, state), "adam: load: the trace is nil")
	twins := optim.NewAdagrad(dev, tensors{dev.Variable("w", lazy.F32, 2), dev.Variable("w", lazy.F32, 2)}, optim.AdagradConfig{})
	require.ErrorContains(t, twins.LoadState(tr, map[string]*lazy.Tensor{"w.sum": lazy.Ones(tr, lazy.F32, 2)}), `adagrad: load: two variables are named "w.sum"`)
}

// The state ax of ASGD averages the parameters after the step Start.
func TestASGDAverages(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F64).Init(lazy.Constant(1))
	o := optim.NewASGD(dev, tensors{w}, optim.ASGDConfig{LR: 0.1, Start: 2})
	var all []float64
	for range 6 {
		require.NoError(t, o.Step(tr.Read(w).Mul(w)))
		require.NoError(t, tr.MarkStep())
		all = append(all, w.Float())
	}
	// Weights of 1, 1/2, 1/3 begin after step Start + 1.
	require.Equal(t, "w.ax", o.State()[2].Name())
	require.InDelta(t, (all[3]+all[4]+all[5])/3, o.State()[2].Float(), 1e-15)
}

// Sums over batches give the step of the whole.
func TestAccumulator(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.BF16, 2).Init(lazy.Constant(1))
	u := dev.Variable("u", lazy.F32)
	o := optim.NewSGD(dev, tensors{w, u}, optim.SGDConfig{LR: 1})
	a := optim.NewAccumulator(dev, o.Params())
	for range 2 {
		for i := range 4 {
			x := lazy.From(tr, []float32{float32(i), 1})
			grads, err := o.Grads(tr.Read(w).Convert(lazy.F32).Mul(x).Sum().MulScalar(0.25))
			require.NoError(t, err)
			require.Nil(t, grads[1])
			require.NoError(t, a.Add(grads))
			if i == 3 {
				sums, err := a.Take(tr)
				require.NoError(t, err)
				require.NoError(t, o.StepGrads(sums))
			}
			require.NoError(t, tr.MarkStep())
		}
	}
	require.Equal(t, []float64{1 - 2*1.5, 1 - 2}, floats(t, w))
	require.Len(t, tr.Report().Compiles, 2, "a batch, and the last of several")
	require.EqualError(t, a.Add(nil), "accumulator: 0 gradients for 2 parameters: give one for each, nil for none")
	require.ErrorContains(t, a.Add(tensors{tr.Read(u), nil}), `accumulator: gradient 0 is f32[], parameter "w" is bf16[2]`)
	require.ErrorContains(t, optim.NewAccumulator(dev, nil).Add(nil), "accumulator: no parameters")
}

// Before the first Update a Swap leaves the parameters as they are, and Update starts from them after.
func TestSwapBeforeTheFirstUpdate(t *testing.T) {
	for _, dtype := range []types.DType{lazy.F32, lazy.BF16} {
		dev, tr := open(t)
		w := dev.Variable("w", dtype, 2).Init(lazy.Constant(3))
		ema := optim.NewEMA(dev, tensors{w}, 0.5)
		for range 2 {
			require.NoError(t, ema.Swap(tr))
			require.NoError(t, tr.MarkStep())
			require.Equal(t, []float64{3, 3}, floats(t, w))
			require.Equal(t, []float64{3, 3}, floats(t, ema.Means()[0]))
		}
		w.Assign(tr.Read(w).AddScalar(1))
		require.NoError(t, ema.Update(tr))
		require.NoError(t, ema.Swap(tr))
		require.NoError(t, tr.MarkStep())
		require.Equal(t, []float64{4, 4}, floats(t, w))
	}
}

func TestAverageMistakes(t *testing.T) {
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F32, 2)
	for mistake, a := range map[string]*optim.Average{"the zero value": new(optim.Average), "nil": nil} {
		want := "average: it is " + mistake + ": make it by NewEMA or NewSWA"
		require.EqualError(t, a.Update(tr), want)
		require.EqualError(t, a.Swap(tr), want)
		require.EqualError(t, a.LoadState(tr, nil), want)
		require.EqualError(t, a.Check(), want)
		require.Empty(t, a.State())
	}
	require.EqualError(t, optim.NewEMA(dev, tensors{w}, 1).Update(tr), "ema: decay 1 is not in (0, 1): 0.999 is usual")
	require.ErrorContains(t, optim.NewSWA(dev, tensors{w, w}).Swap(tr), `swa: parameters 0 and 1 are the same variable, "w"`)
	swa := optim.NewSWA(dev, tensors{w})
	require.ErrorContains(t, swa.LoadState(tr, nil), `swa: load: the tensors lack "w.swa", "swa.count"`)
}

// Updates of 16-bit parameters without masters are computed in f32, for every rule.
func TestNarrowParametersOfAllRules(t *testing.T) {
	g := readGolden(t)
	for name, c := range optimizers {
		dev, err := lazy.Open("cpu")
		require.NoError(t, err)
		n := newNetwork(t, g, dev, lazy.BF16)
		c.second.Params = tensors{n.w2, n.b2}
		o := c.make(dev, tensors{n.w1, n.b1}, c.second)
		before := n.values(t)
		require.NoError(t, o.Step(n.loss()), name)
		require.NoError(t, n.tr.MarkStep(), name)
		require.NotEqual(t, before, n.values(t), name)
		for _, s := range o.State() {
			require.NotEqual(t, types.BF16, s.DType(), name)
		}
	}
}

// Gradients of several batches, added up by Backward over several steps, are one update.
func TestStepBackward(t *testing.T) {
	dev, tr := open(t)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 1})
	unused := dev.Variable("unused", lazy.F32)
	opt := optim.NewSGD(dev, tensors{w, unused}, optim.SGDConfig{LR: 1})
	require.ErrorContains(t, opt.StepBackward(), "sgd: no parameter has a gradient: call Backward of the loss before StepBackward")
	for _, c := range []struct{ first, second, want []float32 }{
		{[]float32{1, 2}, []float32{2, 2}, []float32{-2, -3}},
		{[]float32{5, 6}, []float32{6, 6}, []float32{-13, -15}},
	} {
		require.NoError(t, lazy.From(tr, c.first).Mul(w).Sum().Backward())
		require.NoError(t, tr.MarkStep())
		require.NoError(t, lazy.From(tr, c.second).Mul(w).Sum().Backward())
		require.NoError(t, opt.StepBackward())
		require.Nil(t, w.Grad())
		require.NoError(t, tr.MarkStep())
		got, err := lazy.ToSlice[float32](w)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

// Every rule leaves parameters and all of its state alone in a step that is skipped, and compiles nothing for it.
func TestStepGradsUnless(t *testing.T) {
	for name, c := range optimizers {
		dev, tr := open(t)
		w := setAll(dev.Variable("w", lazy.F32, 3, 2), []float64{1, 2, 3, 4, 5, 6})
		b := setAll(dev.Variable("b", lazy.F32, 2, 1), []float64{7, 8})
		c.second.Params = tensors{b}
		o := c.make(dev, tensors{w}, c.second)
		bad := lazy.NewScalar(dev, "bad", lazy.F32, 0)
		var states [][]float64
		for _, x := range []float64{0, 1, 0} {
			require.NoError(t, bad.Set(x))
			grads, err := o.Grads(tr.Read(w).Mul(w).Sum().Add(tr.Read(b).Sum()))
			require.NoError(t, err)
			require.NoError(t, o.StepGradsUnless(tr.Read(bad).GreaterScalar(0), grads), name)
			require.NoError(t, tr.MarkStep(), name)
			var state []float64
			for _, v := range append(o.Params(), o.State()...) {
				state = append(state, floats(t, v)...)
			}
			states = append(states, state)
		}
		require.Equal(t, states[0], states[1], name)
		require.NotEqual(t, states[1], states[2], name)
		require.Len(t, tr.Report().Compiles, 1, name)
		require.ErrorContains(t, o.StepGradsUnless(tr.Read(w), o.Params()), "give a bool scalar", name)
		wrong := tr.Read(w).MatMul(lazy.Ones(tr, lazy.F32, 5)).Max().GreaterScalar(0)
		err := o.StepGradsUnless(wrong, o.Params())
		require.ErrorIs(t, err, wrong.Err(), name)
		require.ErrorContains(t, err, ": skip: optimizer_test.go:", name)
	}
}
