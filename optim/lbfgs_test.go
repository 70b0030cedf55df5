package optim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim"
)

// LBFGS makes what PyTorch's makes, with as many evaluations, and compiles three programs.
func TestLBFGSGoldens(t *testing.T) {
	g := readGolden(t)
	for name, c := range map[string]optim.LBFGSConfig{
		"lbfgs":          {LR: 0.3},
		"lbfgs wolfe":    {LineSearch: true, Iterations: 8, History: 4},
		"lbfgs maximize": {LR: 0.3, Iterations: 6, History: 3, Maximize: true},
	} {
		for _, dtype := range []types.DType{lazy.F64, lazy.F32} {
			t.Run(name+" "+dtype.String(), func(t *testing.T) {
				dev, err := lazy.Open("cpu")
				require.NoError(t, err)
				n := newNetwork(t, g, dev, dtype)
				o := optim.NewLBFGS(dev, n.params(), c)
				closure := n.loss
				if c.Maximize {
					closure = func() *lazy.Tensor { return n.loss().Neg() }
				}
				relative := 1e-9
				if dtype == lazy.F32 {
					relative = 1e-2 // the goldens are f64: each iteration builds on what the one before rounded
				}
				want := g.Optimizers[name]
				require.Len(t, want.Losses, 5)
				for i, loss := range want.Losses {
					got, err := o.Step(n.tr, closure)
					require.NoError(t, err)
					require.InEpsilon(t, loss, got, relative, "step %d", i)
				}
				if dtype == lazy.F64 {
					near(t, want.Params, n.values(t), relative)
					require.EqualValues(t, want.Evaluations, o.Evaluations())
				}
				require.Len(t, n.tr.Report().Compiles, 3, "the loss, the direction and the move")
			})
		}
	}
}

// One that has loaded a state goes on as the one that saved it.
func TestLBFGSState(t *testing.T) {
	g := readGolden(t)
	fresh := func() (*network, *optim.LBFGS) {
		dev, err := lazy.Open("cpu")
		require.NoError(t, err)
		n := newNetwork(t, g, dev, lazy.F64)
		return n, optim.NewLBFGS(dev, n.params(), optim.LBFGSConfig{LR: 0.5, Iterations: 3, History: 2})
	}
	n, o := fresh()
	_, err := o.Step(n.tr, n.loss)
	require.NoError(t, err)
	m, p := fresh()
	saved := map[string]*lazy.Tensor{}
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
	for range 2 {
		want, err := o.Step(n.tr, n.loss)
		require.NoError(t, err)
		got, err := p.Step(m.tr, m.loss)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Equal(t, n.values(t), m.values(t))
}

func TestLBFGSMistakes(t *testing.T) {
	dev, tr := open(t)
	w, u := dev.Variable("w", lazy.F32, 2), dev.Variable("u", lazy.F32)
	loss := func() *lazy.Tensor { return tr.Read(w).Sub(lazy.Const(tr, lazy.F32, 2)).Abs().Sum() }
	for name, o := range map[string]*optim.LBFGS{
		`lbfgs: parameters 0 and 1 are the same variable, "w": give it once`: optim.NewLBFGS(dev, tensors{w, w}, optim.LBFGSConfig{}),
		"lbfgs: no parameters":                        optim.NewLBFGS(dev, nil, optim.LBFGSConfig{}),
		"lbfgs: learning rate NaN":                    optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{LR: math.NaN()}),
		"lbfgs: History -1 is below 1":                optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{History: -1}),
		"lbfgs: History 1099511627776 is above 65536": optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{History: 1 << 40}),
		"lbfgs: ToleranceGrad -1 is not a":            optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{ToleranceGrad: -1}),
	} {
		_, err := o.Step(tr, loss)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, o.LoadState(tr, nil), name)
		require.Nil(t, o.State())
	}
	o := optim.NewLBFGS(dev, tensors{w, u}, optim.LBFGSConfig{LineSearch: true})
	_, err := o.Step(tr, func() *lazy.Tensor { return nil })
	require.EqualError(t, err, "lbfgs: the loss is nil")
	_, err = o.Step(tr, nil)
	require.ErrorContains(t, err, "lbfgs: Step needs the trace of the loss")
	_, err = o.Step(tr, func() *lazy.Tensor { return tr.Read(w) })
	require.ErrorContains(t, err, "must be a floating-point scalar")
	o.SetLR(-1)
	_, err = o.Step(tr, loss)
	require.ErrorContains(t, err, "lbfgs: learning rate -1: want")
	o.SetLR(1)
	first, err := o.Step(tr, loss)
	require.NoError(t, err, "it is usable after an error")
	require.Equal(t, 4.0, first)
	require.Equal(t, 1.0, o.LR())
	require.Zero(t, u.Float(), "the loss does not depend on it")
}

// A loss that is not finite is an error, and leaves the parameters of the iteration before.
func TestLBFGSOfLossesThatAreNotFinite(t *testing.T) {
	for _, search := range []bool{false, true} {
		dev, tr := open(t)
		w := dev.Variable("w", lazy.F64, 2).Init(lazy.Constant(1))
		o := optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{LineSearch: search})
		_, err := o.Step(tr, func() *lazy.Tensor { return tr.Read(w).SubScalar(2).Log().Sum() })
		require.ErrorContains(t, err, "lbfgs: evaluation 1: the loss is NaN")
		require.Equal(t, []float64{1, 1}, floats(t, w))
		require.NoError(t, tr.MarkStep())
		_, err = o.Step(tr, func() *lazy.Tensor { return tr.Read(w).SubScalar(2).Square().Sum() })
		require.NoError(t, err, "it is usable after the error")
		near(t, []float64{2, 2}, floats(t, w), 1e-6)
	}

	// A step of length 10 leaves the domain of the logarithm; a line search finds a shorter one.
	loss := func(tr *lazy.Trace, w *lazy.Tensor) func() *lazy.Tensor {
		return func() *lazy.Tensor { x := tr.Read(w); return x.Sub(x.Log()).Sum() }
	}
	dev, tr := open(t)
	w := dev.Variable("w", lazy.F64, 2).Init(lazy.Constant(3))
	o := optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{LR: 10})
	_, err := o.Step(tr, loss(tr, w))
	require.ErrorContains(t, err, "lbfgs: evaluation 2: the loss is NaN")
	require.Equal(t, []float64{3, 3}, floats(t, w))
	dev, tr = open(t)
	w = dev.Variable("w", lazy.F64, 2).Init(lazy.Constant(3))
	o = optim.NewLBFGS(dev, tensors{w}, optim.LBFGSConfig{LR: 10, LineSearch: true})
	_, err = o.Step(tr, loss(tr, w))
	require.NoError(t, err)
	near(t, []float64{1, 1}, floats(t, w), 1e-4)
}
