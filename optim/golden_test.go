package optim_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim"
	"ltc/soa"
)

// golden is what tools/goldens/optimizers.py wrote.
type golden struct {
	Start      map[string]json.RawMessage
	X, Y       [][]float64
	Optimizers map[string]struct {
		F64 [][]float64 `json:"64"` // the parameters after the first and the last step
		F32 [][]float64 `json:"32"`

		Losses      []float64 // of LBFGS
		Params      []float64
		Evaluations float64
	}
	Schedules map[string][]float64
	Narrow    struct {
		Start, Master, Param []float64
		Grads                [][]float64
	}
	Averages struct{ Values, EMA, SWA [][]float64 }
	Clips    map[string]json.RawMessage
}

func readGolden(t *testing.T) (g golden) {
	text, err := os.ReadFile("testdata/torch.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &g))
	return g
}

// network is the model of the goldens.
type network struct {
	tr             *lazy.Trace
	w1, b1, w2, b2 *lazy.Tensor
	x, y           *lazy.Tensor
}

func newNetwork(t *testing.T, g golden, dev *lazy.Device, dtype types.DType) *network {
	n := &network{tr: lazy.NewTrace(dev)}
	for name, p := range map[string]struct {
		t     **lazy.Tensor
		shape []int
	}{"w1": {&n.w1, []int{2, 3}}, "b1": {&n.b1, []int{3}}, "w2": {&n.w2, []int{3, 2}}, "b2": {&n.b2, []int{2}}} {
		*p.t = setAll(dev.Variable(name, dtype, p.shape...), flat(t, g.Start[name]))
	}
	n.x = setAll(dev.Variable("x", dtype, 5, 2), slices.Concat(g.X...))
	n.y = setAll(dev.Variable("y", dtype, 5, 2), slices.Concat(g.Y...))
	return n
}

// flat returns the numbers of a list of numbers, or of a list of such lists.
func flat(t *testing.T, raw json.RawMessage) []float64 {
	var list []float64
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	var lists [][]float64
	require.NoError(t, json.Unmarshal(raw, &lists))
	return slices.Concat(lists...)
}

func setAll(v *lazy.Tensor, xs []float64) *lazy.Tensor {
	i := -1
	return v.Init(lazy.InitializerFunc(func(types.Type, func() float64) (func() float64, error) {
		return func() float64 { i++; return xs[i] }, nil
	}))
}

func (n *network) params() []*lazy.Tensor { return []*lazy.Tensor{n.w1, n.b1, n.w2, n.b2} }

func (n *network) loss() *lazy.Tensor {
	d := n.tr.Read(n.x).MatMul(n.w1).Add(n.b1).Tanh().MatMul(n.w2).Add(n.b2).Sub(n.y)
	return d.Mul(d).Mean()
}

func (n *network) values(t *testing.T) (all []float64) {
	for _, p := range n.params() {
		all = append(all, floats(t, p)...)
	}
	return all
}

// floats returns the elements of a tensor of any floating-point dtype.
func floats(t *testing.T, x *lazy.Tensor) []float64 {
	switch x.DType() {
	case lazy.F32:
		return widened(t, x, func(x float32) float64 { return float64(x) })
	case lazy.BF16:
		return widened(t, x, func(x types.BFloat16) float64 { return float64(x.Float32()) })
	}
	return widened(t, x, func(x float64) float64 { return x })
}

func widened[T soa.Element](t *testing.T, x *lazy.Tensor, f func(T) float64) (all []float64) {
	xs, err := lazy.ToSlice[T](x)
	require.NoError(t, err)
	for _, x := range xs {
		all = append(all, f(x))
	}
	return all
}

// near requires numbers to be equal but for a relative error of the largest.
func near(t *testing.T, want, got []float64, relative float64, msg ...any) {
	t.Helper()
	largest := 0.0
	for _, x := range want {
		largest = max(largest, math.Abs(x))
	}
	require.Len(t, got, len(want), msg...)
	require.InDeltaSlice(t, want, got, relative*largest, msg...)
}

type (
	tensors = []*lazy.Tensor
	group   = optim.Group
)

// made makes the optimizer of a golden from the device, the first group's parameters and the second group.
type made func(dev *lazy.Device, first tensors, second group) *optim.Optimizer

// own are the groups of the goldens.
var (
	decayed = group{LR: 0.02, WeightDecay: 0.05}
	beta    = group{LR: 0.02, WeightDecay: 0.05, Betas: [2]float64{0.8, 0.95}}
	slow    = group{LR: 0.02, WeightDecay: 0.05, Momentum: 0.5}
	rate    = group{LR: 0.02}
	matrix  = group{LR: 0.05, WeightDecay: 0.2, Momentum: 0.8}
)

func sgd(c optim.SGDConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewSGD(dev, first, c, second)
	}
}

func adam(c optim.AdamConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewAdam(dev, first, c, second)
	}
}

func adamw(c optim.AdamConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewAdamW(dev, first, c, second)
	}
}

func adamax(c optim.AdamaxConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewAdamax(dev, first, c, second)
	}
}

func nadam(c optim.NAdamConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewNAdam(dev, first, c, second)
	}
}

func radam(c optim.RAdamConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewRAdam(dev, first, c, second)
	}
}

func adagrad(c optim.AdagradConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewAdagrad(dev, first, c, second)
	}
}

func adadelta(c optim.AdadeltaConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewAdadelta(dev, first, c, second)
	}
}

func rmsprop(c optim.RMSpropConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewRMSprop(dev, first, c, second)
	}
}

func rprop(c optim.RpropConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewRprop(dev, first, c, second)
	}
}

func adafactor(c optim.AdafactorConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewAdafactor(dev, first, c, second)
	}
}

func asgd(c optim.ASGDConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewASGD(dev, first, c, second)
	}
}

func lion(c optim.LionConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewLion(dev, first, c, second)
	}
}

func lamb(c optim.LAMBConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewLAMB(dev, first, c, second)
	}
}

func muon(c optim.MuonConfig) made {
	return func(dev *lazy.Device, first tensors, second group) *optim.Optimizer {
		return optim.NewMuon(dev, first[:1], c, group{Params: second.Params[:1], LR: second.LR, WeightDecay: second.WeightDecay, Momentum: second.Momentum})
	}
}

// optimizers are the goldens' but for LBFGS.
var optimizers = map[string]struct {
	make   made
	second group
}{
	"sgd":                     {sgd(optim.SGDConfig{LR: 0.1}), decayed},
	"sgd momentum":            {sgd(optim.SGDConfig{LR: 0.1, Momentum: 0.9, Dampening: 0.3, WeightDecay: 0.01}), slow},
	"sgd nesterov":            {sgd(optim.SGDConfig{LR: 0.1, Momentum: 0.9, Nesterov: true}), decayed},
	"sgd maximize":            {sgd(optim.SGDConfig{LR: 0.1, Momentum: 0.9, Maximize: true}), decayed},
	"adam":                    {adam(optim.AdamConfig{LR: 0.05}), beta},
	"adam amsgrad":            {adam(optim.AdamConfig{LR: 0.05, AMSGrad: true, WeightDecay: 0.1, Maximize: true}), beta},
	"adam defaults":           {adam(optim.AdamConfig{}), group{}},
	"adamw":                   {adamw(optim.AdamConfig{LR: 0.05}), beta},
	"adamw amsgrad":           {adamw(optim.AdamConfig{LR: 0.05, AMSGrad: true, Eps: 1e-3}), group{WeightDecay: optim.Zero}},
	"adamax":                  {adamax(optim.AdamaxConfig{LR: 0.05}), beta},
	"nadam":                   {nadam(optim.NAdamConfig{LR: 0.05}), beta},
	"nadam decoupled":         {nadam(optim.NAdamConfig{LR: 0.05, WeightDecay: 0.1, Decoupled: true, MomentumDecay: 0.1}), rate},
	"radam":                   {radam(optim.RAdamConfig{LR: 0.05}), beta},
	"radam decoupled":         {radam(optim.RAdamConfig{LR: 0.05, WeightDecay: 0.1, Decoupled: true}), rate},
	"adagrad":                 {adagrad(optim.AdagradConfig{LR: 0.1, LRDecay: 0.1, Initial: 0.2}), decayed},
	"adagrad defaults":        {adagrad(optim.AdagradConfig{}), group{}},
	"adadelta":                {adadelta(optim.AdadeltaConfig{}), group{LR: 2, WeightDecay: 0.05}},
	"rmsprop":                 {rmsprop(optim.RMSpropConfig{}), decayed},
	"rmsprop centered":        {rmsprop(optim.RMSpropConfig{LR: 0.01, Momentum: 0.9, Centered: true, Alpha: 0.9}), slow},
	"rprop":                   {rprop(optim.RpropConfig{}), group{LR: 0.05}},
	"adafactor":               {adafactor(optim.AdafactorConfig{LR: 0.1}), decayed},
	"adafactor clipped":       {adafactor(optim.AdafactorConfig{LR: 0.1, D: 1.5, Beta2Decay: -0.5, Eps: [2]float64{1e-4, 1e-2}, Maximize: true}), decayed},
	"asgd":                    {asgd(optim.ASGDConfig{LR: 0.1, Lambda: 0.05, Alpha: 0.6, Start: 4}), decayed},
	"lion":                    {lion(optim.LionConfig{LR: 0.01}), beta},
	"lamb":                    {lamb(optim.LAMBConfig{LR: 0.01}), beta},
	"muon original":           {muon(optim.MuonConfig{LR: 0.02}), matrix},
	"muon match_rms_adamw":    {muon(optim.MuonConfig{LR: 0.02, Adjust: optim.MuonMatchRMS}), matrix},
	"muon spectral_unclamped": {muon(optim.MuonConfig{LR: 0.02, Adjust: optim.MuonUnclamped, Plain: true}), matrix},
	"sgd one cycle":           {sgd(optim.SGDConfig{LR: 0.1, Momentum: 0.9}), rate},
	"adamw one cycle":         {adamw(optim.AdamConfig{LR: 0.1}), rate},
}

// steps trains for 20 steps and returns the parameters after the first and the last.
func steps(t *testing.T, g golden, name string, dtype types.DType) (first, last []float64, r lazy.Report) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	n := newNetwork(t, g, dev, dtype)
	c := optimizers[name]
	c.second.Params = tensors{n.w2, n.b2}
	o := c.make(dev, tensors{n.w1, n.b1}, c.second)
	lr, momentum := optim.OneCycle(optim.OneCycleConfig{Max: 0.1, Steps: 21})
	for i := range 20 {
		if strings.HasSuffix(name, "one cycle") {
			o.SetLR(lr(i))
			o.SetMomentum(momentum(i))
		} else {
			o.SetLR(o.LR())
		}
		require.NoError(t, o.Step(n.loss()))
		require.NoError(t, n.tr.MarkStep())
		if i == 0 {
			first = n.values(t)
		}
	}
	return first, n.values(t), n.tr.Report()
}

// Every optimizer makes what PyTorch's makes of two groups, in f64 and f32.
func TestGoldens(t *testing.T) {
	g := readGolden(t)
	for name, want := range g.Optimizers {
		if want.Losses != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			require.Contains(t, optimizers, name)
			of64, of32 := 1e-12, 1e-6
			if strings.HasPrefix(name, "nadam") || name == "asgd" {
				of64 = 1e-7 // PyTorch keeps the product of momenta, and ASGD's rate, in f32
			}
			first, last, r := steps(t, g, name, lazy.F64)
			near(t, want.F64[0], first, of64, "f64, the first step")
			near(t, want.F64[1], last, of64, "f64, the last step")
			require.Len(t, r.Compiles, 1, "rates, momentum and counts of steps are no part of the program")
			require.EqualValues(t, 19, r.CachedRuns)
			require.Zero(t, r.Syncs())
			first, last, _ = steps(t, g, name, lazy.F32)
			near(t, want.F32[0], first, of32, "f32, the first step")
			near(t, want.F32[1], last, of32, "f32, the last step")
		})
	}
	for name := range optimizers {
		require.Contains(t, g.Optimizers, name)
	}
}

// A schedule of the rate, and of the momentum where there is one, is one program for every optimizer.
func TestSchedulesAreOneCompile(t *testing.T) {
	g := readGolden(t)
	for name, c := range optimizers {
		t.Run(name, func(t *testing.T) {
			dev, err := lazy.Open("cpu")
			require.NoError(t, err)
			n := newNetwork(t, g, dev, lazy.F32)
			c.second.Params = tensors{n.w2, n.b2}
			o := c.make(dev, tensors{n.w1, n.b1}, c.second)
			lr := optim.WarmUp(5, 0.1, optim.Cosine(0.1, 0, 15))
			before := n.values(t)
			for i := range 20 {
				o.SetLR(lr(i))
				if o.Groups()[0].Momentum() != 0 {
					o.SetMomentum(0.9 - 0.01*float64(i))
				}
				require.NoError(t, o.Step(n.loss()))
				require.NoError(t, n.tr.MarkStep())
			}
			require.NotEqual(t, before, n.values(t))
			require.Len(t, n.tr.Report().Compiles, 1)
			require.EqualValues(t, 19, n.tr.Report().CachedRuns)
			require.InDelta(t, lr(19), o.LR(), 1e-15)
		})
	}
}

func TestScheduleGoldens(t *testing.T) {
	cosine := optim.Cosine(0.1, 0.01, 20)
	schedules := map[string]optim.Schedule{
		"step":             optim.StepDecay(0.1, 7, 0.3),
		"multistep":        optim.MultiStep(0.1, 0.4, 30, 5, 12),
		"exponential":      optim.Exponential(0.1, 0.93),
		"cosine":           cosine,
		"restarts":         optim.CosineRestarts(0.1, 0.01, 6, 1),
		"growing restarts": optim.CosineRestarts(0.1, 0.01, 6, 2),
		"linear":           optim.Linear(0.1, 0.2, 0.9, 30),
		"factor":           optim.Factor(0.1, 0.25, 11),
		"polynomial":       optim.Polynomial(0.1, 1.7, 40),
		"warm up":          optim.WarmUp(8, 0.1, optim.Cosine(0.1, 0, 42)),
		"sequence":         optim.Sequence([]int{9, 30}, optim.Factor(0.1, 0.5, 9), optim.Exponential(0.1, 0.9), optim.StepDecay(0.1, 4, 0.1)),
	}
	for name, c := range map[string]optim.OneCycleConfig{
		"one cycle":       {},
		"one cycle lines": {Straight: true},
		"three phases":    {ThreePhases: true, Rise: 0.4, Divide: 10},
	} {
		c.Max, c.Steps = 0.5, 51
		schedules[name], schedules[name+" momentum"] = optim.OneCycle(c)
	}
	for name, mode := range map[string]optim.CyclicMode{"triangular": optim.Triangular, "triangular2": optim.Triangular2, "exp_range": optim.ExpRange} {
		schedules[name], schedules[name+" momentum"] = optim.Cyclic(optim.CyclicConfig{Base: 0.01, Max: 0.2, Up: 5, Down: 8, Mode: mode, Gamma: 0.97})
	}
	for name, p := range map[string]struct {
		config optim.PlateauConfig
		metric func(step int) float64
	}{
		"plateau":        {optim.PlateauConfig{Factor: 0.5, Patience: 3, Cooldown: 2, Least: 0.004}, func(step int) float64 { return 1 / (1 + float64(min(step, 12))) }},
		"plateau rising": {optim.PlateauConfig{Rising: true, Factor: 0.7, Patience: 4, Threshold: 0.5, Absolute: true}, func(step int) float64 { return float64(min(step, 9) % 7) }},
	} {
		p.config.LR = 0.1
		plateau := optim.NewPlateau(p.config)
		schedules[name] = func(step int) float64 {
			lr := plateau.Rate
			saved, err := json.Marshal(plateau)
			require.NoError(t, err)
			plateau = &optim.Plateau{}
			require.NoError(t, json.Unmarshal(saved, plateau))
			plateau.Next(p.metric(step))
			return lr
		}
	}
	for name, want := range readGolden(t).Schedules {
		require.Contains(t, schedules, name)
		require.Len(t, want, 50)
		got := make([]float64, len(want))
		for i := range got {
			got[i] = schedules[name](i)
		}
		require.InDeltaSlice(t, want, got, 1e-13, name)
	}
	for name, s := range map[string]optim.Schedule{
		"step": optim.StepDecay(1, 0, 0.1), "cosine": optim.Cosine(1, 0, 0), "restarts": optim.CosineRestarts(1, 0, 0, 1),
		"linear": optim.Linear(1, 0, 1, 0), "polynomial": optim.Polynomial(1, 1, 0), "sequence": optim.Sequence([]int{1}, cosine),
	} {
		require.True(t, math.IsNaN(s(3)), name)
	}
}

// Masters of f32 take steps that bf16 parameters are too coarse for.
func TestMasterGolden(t *testing.T) {
	g := readGolden(t).Narrow
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	w := setAll(dev.Variable("w", lazy.BF16, 6), g.Start)
	grad := dev.Variable("grad", lazy.BF16, 6)
	o := optim.NewAdamW(dev, tensors{w}, optim.AdamConfig{Master: lazy.F32})
	for _, values := range g.Grads {
		setAll(grad, values)
		require.NoError(t, o.StepGrads(tensors{tr.Read(grad)}))
		require.NoError(t, tr.MarkStep())
	}
	near(t, g.Param, floats(t, w), 0)
	require.Equal(t, "w.master", o.State()[1].Name())
	near(t, g.Master, floats(t, o.State()[1]), 1e-6)
	require.Len(t, tr.Report().Compiles, 1)

	w.Assign(lazy.Full(tr, lazy.BF16, 3, 6)) // of other weights that are loaded
	require.NoError(t, tr.MarkStep())
	require.NoError(t, o.StepGrads(tensors{tr.Read(grad)}))
	require.NoError(t, tr.MarkStep())
	for _, x := range floats(t, o.State()[1]) {
		require.InDelta(t, 3, x, 2e-3, "masters begin again at weights that were set")
		require.NotEqual(t, 3.0, x)
	}
}

func TestAverageGoldens(t *testing.T) {
	g := readGolden(t).Averages
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F64, 3)
	ema, swa := optim.NewEMA(dev, tensors{w}, 0.9), optim.NewSWA(dev, tensors{w})
	for i, values := range g.Values {
		w.Assign(lazy.From(tr, values))
		require.NoError(t, ema.Update(tr))
		require.NoError(t, swa.Update(tr))
		require.NoError(t, tr.MarkStep())
		near(t, g.EMA[i], floats(t, ema.Means()[0]), 1e-14)
		near(t, g.SWA[i], floats(t, swa.Means()[0]), 1e-14)
	}
	require.Len(t, tr.Report().Compiles, 1)
	last := len(g.Values) - 1
	require.NoError(t, ema.Swap(tr))
	require.NoError(t, tr.MarkStep())
	near(t, g.EMA[last], floats(t, w), 1e-14)
	near(t, g.Values[last], floats(t, ema.Means()[0]), 0)
	require.Equal(t, []string{"w.ema", "ema.count"}, []string{ema.State()[0].Name(), ema.State()[1].Name()})
}

func TestClipGoldens(t *testing.T) {
	g := readGolden(t).Clips
	var all [][]float64
	require.NoError(t, json.Unmarshal(g["grads"], &all))
	_, tr := open(t)
	grads := tensors{lazy.From(tr, all[0]), nil, lazy.From(tr, all[1])}
	for _, name := range []string{"norm", "wide norm", "value"} {
		var want struct {
			Limit, Norm float64
			Grads       [][]float64
		}
		require.NoError(t, json.Unmarshal(g[name], &want))
		var clipped tensors
		var norm *lazy.Tensor
		var err error
		if name == "value" {
			clipped, err = optim.ClipValue(grads, want.Limit)
		} else {
			clipped, norm, err = optim.ClipNorm(grads, want.Limit)
		}
		require.NoError(t, err)
		require.Nil(t, clipped[1])
		roots := tensors{clipped[0], clipped[2]}
		if norm != nil {
			roots = append(roots, norm)
		}
		require.NoError(t, tr.MarkStep(roots...))
		near(t, want.Grads[0], floats(t, clipped[0]), 1e-7, name)
		near(t, want.Grads[1], floats(t, clipped[2]), 1e-7, name)
		if norm != nil {
			require.InEpsilon(t, want.Norm, norm.Float(), 1e-7)
		}
	}
	large := tensors{lazy.From(tr, []float64{3e20}), lazy.From(tr, []float64{4e20})}
	clipped, norm, err := optim.ClipNorm(large, 1)
	require.NoError(t, err)
	require.NoError(t, tr.MarkStep(clipped[0], clipped[1], norm))
	require.InEpsilon(t, 0.6, floats(t, clipped[0])[0], 1e-12, "the squares are beyond f32")
	require.InEpsilon(t, 0.8, floats(t, clipped[1])[0], 1e-12)
	require.InEpsilon(t, 5e20, norm.Float(), 1e-12)
	_, _, err = optim.ClipNorm(grads, 0)
	require.EqualError(t, err, "clip: the norm's limit 0 is not above 0")
	_, err = optim.ClipValue(grads, math.NaN())
	require.EqualError(t, err, "clip: the values' limit NaN is not above 0")
	none, norm, err := optim.ClipNorm(tensors{nil}, 1)
	require.NoError(t, err)
	require.Nil(t, norm)
	require.Equal(t, tensors{nil}, none)
}
