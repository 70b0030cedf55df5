package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/checkpoint"
	"ltc/data"
	"ltc/data/digits"
	"ltc/internal/test/snippets"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/optim/amp"
	"ltc/soa"
	"ltc/train"
)

// arrays are rows of the digits: images f32[n,64] and labels i32[n].
func arrays(t testing.TB, rows int) (some, others data.Arrays) {
	table := digits.Load()
	part := func(rows []int) data.Arrays {
		some := table.Select(rows)
		return data.Arrays{data.Columns[float32](some, 0, digits.Pixels), data.Columns[int32](some, digits.Label, digits.Label+1)}
	}
	all := data.All(rows)
	return part(all[rows/4:]), part(all[:rows/4])
}

// newLoop returns a loop over 150 digits in batches of 32, the last of 22, with a network that drops and has running
// statistics; and its random stream.
func newLoop(t testing.TB, opts ...lazy.Option) *train.Loop {
	dev, err := lazy.Open("cpu", append([]lazy.Option{lazy.Seed(1)}, opts...)...)
	require.NoError(t, err)
	random := lazy.NewRandom(dev, 9)
	net := layers.Sequential{
		&layers.Linear{In: digits.Pixels, Out: 16}, &layers.BatchNorm{Channels: 16}, layers.ReLU(), &layers.Dropout{P: 0.2}, &layers.Linear{In: 16, Out: 10},
	}
	require.NoError(t, module.Build(net, dev, module.Random(random)))
	some, others := arrays(t, 200)
	return &train.Loop{
		Net: net, Optimizer: optim.NewAdamW(dev, module.Trainable(net), optim.AdamConfig{LR: 0.01}),
		Train: some.Loader(data.Batches{Size: 32, Seed: 4}), Validation: others.Loader(data.Batches{Size: 32, InOrder: true}),
		Epochs: 3, LR: optim.Cosine(0.01, 0, 15), Random: []*lazy.Random{random},
		Loss: func(x []*lazy.Tensor) train.Values {
			logits := net.Forward(x[0])
			return train.Values{"loss": nn.CrossEntropy(logits, x[1], nn.CrossEntropyOptions{}), "accuracy": train.Accuracy(logits, x[1])}
		},
	}
}

// bits are the variables of a loop's network and optimizer.
func bits(t testing.TB, l *train.Loop) map[string][]uint32 {
	all := map[string][]uint32{}
	add := func(name string, v *lazy.Tensor) {
		value, err := v.Value()
		require.NoError(t, err)
		if v.DType().Size() == 8 {
			for _, x := range soa.Bits[uint64](value) {
				all[name] = append(all[name], uint32(x), uint32(x>>32))
			}
			return
		}
		all[name] = slices.Clone(soa.Bits[uint32](value))
	}
	for name, v := range module.State(l.Net) {
		add(name, v)
	}
	for _, v := range slices.Concat(l.Optimizer.State(), l.Scaler.State(), l.Average.State(), l.State) {
		add(v.Name(), v)
	}
	return all
}

// requireSame requires that two loops have the same bits.
func requireSame(t testing.TB, want, got map[string][]uint32, cut int) {
	t.Helper()
	require.Len(t, got, len(want))
	for name := range want {
		if !slices.Equal(want[name], got[name]) {
			t.Errorf("%s differs after a cut at step %d", name, cut)
		}
	}
}

// history is that of a loop without times.
func history(l *train.Loop) []train.Epoch {
	all := slices.Clone(l.History)
	for i := range all {
		all[i].Seconds = 0
	}
	return all
}

// An evaluation leaves each layer in the mode that it had.
func TestEvaluateRestoresModes(t *testing.T) {
	l := newLoop(t)
	net := l.Net.(layers.Sequential)
	norm, drop := net[1].(*layers.BatchNorm), net[3].(*layers.Dropout)
	require.NoError(t, module.Eval(norm))
	_, err := l.Evaluate(t.Context(), l.Validation)
	require.NoError(t, err)
	require.False(t, norm.Training())
	require.True(t, drop.Training())
	require.NoError(t, module.Eval(net))
	_, err = l.Evaluate(t.Context(), l.Validation)
	require.NoError(t, err)
	require.False(t, drop.Training())
}

// A run of training is one compile, and so are its evaluations, although the last batches are short.
func TestOneCompile(t *testing.T) {
	l := newLoop(t)
	l.Epochs = 8
	require.NoError(t, l.Run(t.Context()))
	require.Len(t, l.History, 8)
	require.Equal(t, 8*5, l.Steps())
	first, last := l.History[0], l.History[7]
	require.Less(t, last.Train["loss"], first.Train["loss"]/2)
	require.Greater(t, last.Validation["accuracy"], 0.75)
	training, validation := l.Report()
	require.EqualValues(t, 1, training.Compiled)
	require.EqualValues(t, 1, validation.Compiled)
	require.EqualValues(t, 8*5, training.Runs)
	require.Zero(t, training.Syncs())
	require.NotContains(t, fmt.Sprint(training), "evaluator")
	require.NotContains(t, fmt.Sprint(training)+fmt.Sprint(validation), "compiled again")
}

// The means of an evaluation are over examples and not over batches.
func TestEvaluate(t *testing.T) {
	l := newLoop(t)
	some, _ := arrays(t, 200)
	want, err := l.Evaluate(t.Context(), some.Loader(data.Batches{}))
	require.NoError(t, err)
	again := newLoop(t)
	got, err := again.Evaluate(t.Context(), some.Loader(data.Batches{Size: 32}))
	require.NoError(t, err)
	require.InDelta(t, want["loss"], got["loss"], 1e-5)
	require.InDelta(t, want["accuracy"], got["accuracy"], 1e-6)
	_, report := again.Report()
	require.EqualValues(t, 1, report.Compiled)
}

var errStop = errors.New("stop")

// A run that was ended after any step, in another process as it were, goes on with the bits of one that was not.
func TestResume(t *testing.T) {
	whole := newLoop(t)
	require.NoError(t, whole.Run(t.Context()))
	want := bits(t, whole)
	for _, cut := range []int{1, 3, 5, 6, 10, 14, 15} {
		path := filepath.Join(t.TempDir(), "train.safetensors")
		l := newLoop(t)
		l.Checkpoint, l.EverySteps = path, 1
		l.OnStep = func(step int, _ train.Means) error {
			if step == cut {
				return errStop
			}
			return nil
		}
		if err := l.Run(t.Context()); cut < 15 {
			require.ErrorIs(t, err, errStop)
		} else {
			require.NoError(t, err)
		}
		again := newLoop(t, lazy.Seed(77))
		again.Checkpoint = path
		again.Train.Workers = 2
		require.NoError(t, again.Run(t.Context()))
		requireSame(t, want, bits(t, again), cut)
		require.Equal(t, history(whole), history(again), "cut after step %d", cut)
	}
}

// A run with a scaler, of which some steps are skipped, goes on with the bits of one that was not ended.
func TestResumeWithScaler(t *testing.T) {
	scaled := func() *train.Loop {
		l := newLoop(t)
		l.ClipNorm = 0.5
		l.Scaler = amp.NewLossScaler(l.Optimizer, amp.ScalerConfig{Scale: 0x1p24, Growth: 0x1p6, Backoff: 0x1p-4, Interval: 2})
		loss := l.Loss
		l.Loss = func(x []*lazy.Tensor) train.Values {
			defer x[0].Trace().Autocast(lazy.F16)()
			return loss(x)
		}
		return l
	}
	whole := scaled()
	var factors []float64
	whole.OnStep = func(int, train.Means) error {
		factors = append(factors, whole.Scaler.Factor().Float())
		return nil
	}
	require.NoError(t, whole.Run(t.Context()))
	shrunk, grown := 0, 0
	for i := 1; i < len(factors); i++ {
		switch {
		case factors[i] < factors[i-1]:
			shrunk++
		case factors[i] > factors[i-1]:
			grown++
		}
	}
	require.Positive(t, shrunk, "no step was skipped: %v", factors)
	require.Positive(t, grown, factors)
	training, _ := whole.Report()
	require.EqualValues(t, 1, training.Compiled)
	for _, cut := range []int{1, 4, 8} {
		l := scaled()
		l.Checkpoint, l.EverySteps = filepath.Join(t.TempDir(), "train.safetensors"), 1
		l.OnStep = func(step int, _ train.Means) error {
			if step == cut {
				return errStop
			}
			return nil
		}
		require.ErrorIs(t, l.Run(t.Context()), errStop)
		again := scaled()
		again.Checkpoint = l.Checkpoint
		require.NoError(t, again.Run(t.Context()))
		requireSame(t, bits(t, whole), bits(t, again), cut)
		require.Equal(t, history(whole), history(again))
	}
}

// A run goes on with the bits of its averages: those that each step updates, and those of epochs, which are the caller's.
func TestResumeWithAverages(t *testing.T) {
	averaged := func(cut int) *train.Loop {
		l := newLoop(t)
		params := l.Optimizer.Params()
		dev := params[0].Device()
		l.Average = optim.NewEMA(dev, params, 0.9)
		swa, tr := optim.NewSWA(dev, params), lazy.NewTrace(dev)
		l.State = swa.State()
		l.OnStep = func(step int, _ train.Means) error {
			if step == cut {
				return errStop
			}
			if l.Train.Position().Batch > 0 {
				return nil
			}
			return errors.Join(swa.Update(tr), tr.MarkStep())
		}
		return l
	}
	whole := averaged(-1)
	require.NoError(t, whole.Run(t.Context()))
	training, _ := whole.Report()
	require.EqualValues(t, 1, training.Compiled)
	for _, cut := range []int{1, 4, 5, 11} {
		l := averaged(cut)
		l.Checkpoint, l.EverySteps = filepath.Join(t.TempDir(), "train.safetensors"), 1
		require.ErrorIs(t, l.Run(t.Context()), errStop)
		again := averaged(-1)
		again.Checkpoint = l.Checkpoint
		require.NoError(t, again.Run(t.Context()))
		requireSame(t, bits(t, whole), bits(t, again), cut)
	}
}

// The averages of a loop that loads a checkpoint without averages are of the steps from there on.
func TestAveragesBeginAtCheckpoint(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	l := newLoop(t)
	l.Epochs, l.Checkpoint = 1, path
	require.NoError(t, l.Run(t.Context()))

	averaged := func() *train.Loop {
		l := newLoop(t)
		l.Average = optim.NewSWA(l.Optimizer.Params()[0].Device(), l.Optimizer.Params())
		l.Epochs = 2
		return l
	}
	want := averaged()
	require.NoError(t, want.Load(path))
	require.NoError(t, want.Run(t.Context()))
	means := want.Average.State()
	require.EqualValues(t, 5, means[len(means)-1].Float(), "updates")

	again := averaged()
	require.NoError(t, again.Run(t.Context())) // its averages of steps before the load are gone after it
	require.NoError(t, again.Load(path))
	require.NoError(t, again.Run(t.Context()))
	requireSame(t, bits(t, want), bits(t, again), 5)

	whole := filepath.Join(t.TempDir(), "b.safetensors")
	require.NoError(t, want.Save(whole))
	err := newLoop(t).Load(whole)
	require.ErrorContains(t, err, "extra: 7 tensors")
	require.ErrorContains(t, err, "give it the Net, Optimizer, Scaler, Average and State of the one that saved")
}

// The averages of a loop are those of updates after its steps.
func TestAverage(t *testing.T) {
	l := newLoop(t)
	params := l.Optimizer.Params()
	dev := params[0].Device()
	l.Average = optim.NewEMA(dev, params, 0.9)
	want, tr := optim.NewEMA(dev, params, 0.9), lazy.NewTrace(dev)
	l.OnStep = func(int, train.Means) error { return errors.Join(want.Update(tr), tr.MarkStep()) }
	require.NoError(t, l.Run(t.Context()))
	for i, mean := range l.Average.Means() {
		of := func(v *lazy.Tensor) []float32 {
			x, err := lazy.ToSlice[float32](v)
			require.NoError(t, err)
			return x
		}
		require.InDeltaSlice(t, of(want.Means()[i]), of(mean), 1e-6, mean.Name())
		require.NotEqual(t, of(params[i]), of(mean), mean.Name())
	}
}

// LoadWeights takes the network's part of a checkpoint, and all of a file of weights.
func TestLoadWeights(t *testing.T) {
	dir := t.TempDir()
	l := newLoop(t)
	l.Epochs = 1
	require.NoError(t, l.Run(t.Context()))
	checkpointed, weights := filepath.Join(dir, "train.safetensors"), filepath.Join(dir, "net.safetensors")
	require.NoError(t, l.Save(checkpointed))
	state, err := checkpoint.StateOf(module.State(l.Net))
	require.NoError(t, err)
	require.NoError(t, checkpoint.Save(weights, state))
	for _, path := range []string{checkpointed, weights} {
		other := newLoop(t, lazy.Seed(7))
		require.NoError(t, train.LoadWeights(path, other.Net))
		want, got := bits(t, l), bits(t, other)
		for name := range module.State(other.Net) {
			require.Equal(t, want[name], got[name], name)
		}

		deeper := layers.Sequential{&layers.Linear{In: digits.Pixels, Out: 16}}
		require.NoError(t, module.Build(deeper, other.Optimizer.Params()[0].Device()))
		err := train.LoadWeights(path, deeper)
		require.ErrorContains(t, err, "extra: 7 tensors\n")
		require.ErrorContains(t, err, "checkpoint.Load has options to allow both")
	}

	f, err := checkpoint.Open(checkpointed)
	require.NoError(t, err)
	defer f.Close()
	var progress map[string]any
	require.NoError(t, f.Metadata.Value("train", &progress))
	delete(progress, "net")
	f.Metadata["train"] = progress
	earlier := filepath.Join(dir, "earlier.safetensors")
	require.NoError(t, checkpoint.Save(earlier, &f.State))
	require.ErrorContains(t, train.LoadWeights(earlier, l.Net), "saved by an earlier version, without the names of the network's variables")
	require.NoError(t, newLoop(t).Load(earlier))

	require.ErrorIs(t, train.LoadWeights(filepath.Join(dir, "none"), l.Net), fs.ErrNotExist)
	require.ErrorContains(t, train.LoadWeights(weights, 3), "int is not a module")
}

// A step that the scaler skips goes on at a loss that is not finite, as with torch.amp.GradScaler. One that it takes is an
// error.
func TestScalerSkipsInfiniteLoss(t *testing.T) {
	l := newLoop(t)
	l.Scaler = amp.NewLossScaler(l.Optimizer, amp.ScalerConfig{Scale: 0x1p12})
	loss := l.Loss
	l.Loss = func(x []*lazy.Tensor) train.Values {
		values := loss(x)
		scale := x[0].Trace().Read(l.Scaler.Factor())
		values["loss"] = values["loss"].Mul(scale.GreaterScalar(0x1p10).Where(scale.MulScalar(0).AddScalar(math.Inf(1)), scale.MulScalar(0).AddScalar(1)))
		return values
	}
	l.Validation, l.Epochs, l.Checkpoint = nil, 1, filepath.Join(t.TempDir(), "train.safetensors")
	weight := func() []float32 {
		w, err := lazy.ToSlice[float32](l.Optimizer.Params()[0])
		require.NoError(t, err)
		return w
	}
	first := weight()
	l.OnStep = func(step int, values train.Means) error {
		require.Len(t, values, 2)
		require.Equal(t, step < 2, math.IsInf(values["loss"], 1), "step %d", step)
		require.Equal(t, step < 2, slices.Equal(first, weight()), "step %d", step)
		return nil
	}
	require.NoError(t, l.Run(t.Context()))
	require.Equal(t, 5, l.Steps())
	require.Equal(t, 0x1p10, l.Scaler.Factor().Float())
	require.False(t, math.IsInf(l.History[0].Train["loss"], 0), l.History[0])

	l = newLoop(t)
	l.Scaler = amp.NewLossScaler(l.Optimizer, amp.ScalerConfig{})
	loss = l.Loss
	l.Loss = func(x []*lazy.Tensor) train.Values {
		values := loss(x)
		values["loss"] = values["loss"].AddScalar(math.Inf(1)) // whose gradients are finite
		return values
	}
	require.ErrorIs(t, l.Run(t.Context()), lazy.ErrNaN)
}

// The gradients of a step are clipped: with a rate of 1 they are what the parameters change by.
func TestClips(t *testing.T) {
	changes := func(change func(l *train.Loop)) (norm, largest float64) {
		l := newLoop(t)
		l.Optimizer, l.LR = optim.NewSGD(l.Optimizer.Params()[0].Device(), l.Optimizer.Params(), optim.SGDConfig{LR: 1}), nil
		change(l)
		var before [][]float32
		for _, w := range l.Optimizer.Params() {
			x, err := lazy.ToSlice[float32](w)
			require.NoError(t, err)
			before = append(before, x)
		}
		for b, err := range l.Train.Rest() {
			require.NoError(t, err)
			_, err = l.Step(t.Context(), b)
			require.NoError(t, err)
			break
		}
		for i, w := range l.Optimizer.Params() {
			x, err := lazy.ToSlice[float32](w)
			require.NoError(t, err)
			for j := range x {
				d := float64(x[j]) - float64(before[i][j])
				norm, largest = norm+d*d, max(largest, math.Abs(d))
			}
		}
		return math.Sqrt(norm), largest
	}
	norm, largest := changes(func(*train.Loop) {})
	require.Greater(t, norm, 0.5)
	require.Greater(t, largest, 0.1)
	norm, _ = changes(func(l *train.Loop) { l.ClipNorm = 0.25 })
	require.InDelta(t, 0.25, norm, 1e-5)
	norm, _ = changes(func(l *train.Loop) {
		l.ClipNorm, l.Scaler = 0.25, amp.NewLossScaler(l.Optimizer, amp.ScalerConfig{})
	})
	require.InDelta(t, 0.25, norm, 1e-5, "gradients of a scaled loss are clipped by their true size")
	_, largest = changes(func(l *train.Loop) { l.ClipValue = 0.01 })
	require.InDelta(t, 0.01, largest, 1e-6)
	norm, largest = changes(func(l *train.Loop) { l.ClipValue, l.ClipNorm = 0.01, 0.02 })
	require.InDelta(t, 0.02, norm, 1e-6)
	require.Less(t, largest, 0.01)
}

// A run that its context ends saves, and loses no batch.
// A folder that is not there is an error before the first step.
func TestFolderOfCheckpointIsMissing(t *testing.T) {
	l, dir := newLoop(t), t.TempDir()
	l.Checkpoint = filepath.Join(dir, "out", "train.safetensors")
	err := l.Run(t.Context())
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "make the folder before Run, as with os.MkdirAll")
	require.Zero(t, l.Steps())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out"), nil, 0o600))
	require.ErrorContains(t, l.Run(t.Context()), "out is not a folder: give a path in one")
	require.Zero(t, l.Steps())
}

func TestCancel(t *testing.T) {
	whole := newLoop(t)
	require.NoError(t, whole.Run(t.Context()))
	for _, cut := range []int{0, 4, 7, 9} { // before the evaluation of an epoch, too
		path := filepath.Join(t.TempDir(), "train.safetensors")
		l := newLoop(t)
		l.Checkpoint = path
		ctx, cancel := context.WithCancel(t.Context())
		l.OnStep = func(step int, _ train.Means) error {
			if step == cut {
				cancel()
			}
			return nil
		}
		require.ErrorIs(t, l.Run(ctx), context.Canceled)
		again := newLoop(t)
		again.Checkpoint = path
		require.NoError(t, again.Load(path))
		require.Equal(t, cut+1, again.Steps())
		require.NoError(t, again.Run(t.Context()))
		requireSame(t, bits(t, whole), bits(t, again), cut)
		require.Equal(t, history(whole), history(again))
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	l := newLoop(t)
	require.ErrorIs(t, l.Load(filepath.Join(dir, "none")), fs.ErrNotExist)
	path := filepath.Join(dir, "a.safetensors")
	require.NoError(t, l.Save(path))
	other := newLoop(t)
	other.Random = nil
	require.ErrorContains(t, other.Load(path), "it has the states of 1 random streams, and Random 0")
	other = newLoop(t)
	other.Train.Size, other.Train.Seed = 30, 5
	require.EqualError(t, other.Load(path), "train: load "+path+": saved with batches {Rows:150 Size:32 Seed:4 DropLast:false InOrder:false}, and Train has {Rows:150 Size:30 Seed:5 DropLast:false InOrder:false}: give the same rows, size, seed and order")
	other = newLoop(t)
	net := layers.Sequential{&layers.Linear{In: digits.Pixels, Out: 10}}
	require.NoError(t, module.Build(net, other.Optimizer.Params()[0].Device()))
	other.Net = net
	err := other.Load(path)
	require.ErrorContains(t, err, "0.bias")
	require.ErrorContains(t, err, "a loop loads all variables: give it the Net, ")
	require.NotContains(t, err.Error(), "Allow") // a loop has no options
	require.Zero(t, other.Train.Position())
	require.Zero(t, other.Steps())
}

func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		change func(l *train.Loop)
		want   string
	}{
		{func(l *train.Loop) { l.Net = nil }, "train: Net is nil: give the network, after module.Build"},
		{func(l *train.Loop) { l.Net = 3 }, "train: module: int is not a module: give a pointer to a struct, such as &Net{…}, or a slice or map of modules"},
		{func(l *train.Loop) { l.Optimizer = nil }, "train: Optimizer is nil"},
		{func(l *train.Loop) { l.Train = nil }, "train: Train is nil"},
		{func(l *train.Loop) { l.Train.Rows = 0 }, "train: the loader Train has no batches"},
		{func(l *train.Loop) { l.Validation.Load = nil }, "train: Validation: data: Load is nil: give the function that makes a batch"},
		{func(l *train.Loop) { l.Validation.Rows = 0 }, "train: the loader Validation has no batches: it has fewer rows than a batch and drops the last, or none"},
		{func(l *train.Loop) { l.Loss = nil }, `train: Loss is nil: give a function that records the value "loss"`},
		{func(l *train.Loop) { l.ClipNorm = -1 }, "train: ClipNorm is -1: give a limit above 0, or 0 for none"},
		{func(l *train.Loop) { l.ClipValue = math.NaN() }, "train: ClipValue is NaN: give a limit above 0, or 0 for none"},
		{func(l *train.Loop) { l.State = []*lazy.Tensor{nil} }, "train: State[0] is nil: give variables with names"},
		{func(l *train.Loop) {
			l.State = []*lazy.Tensor{lazy.From(l.Optimizer.Params()[0].Device(), []float32{1, 2}, 2)}
		}, "train: State[0] is a f32[2] that is not a variable, and a checkpoint could not load it: make it with Device.Variable"},
		{func(l *train.Loop) {
			l.State = []*lazy.Tensor{l.Optimizer.Params()[0].Device().Variable("v", lazy.F32, -1)}
		}, "train: State[0]: "},
		{func(l *train.Loop) { l.State = l.Optimizer.State() }, "train: State[0] is the variable adamw.step of Optimizer, which checkpoints keep already: leave it out of State"},
		{func(l *train.Loop) { l.State = l.Optimizer.Params()[:1] }, "train: State[0] is the variable 0.weight of Net, which checkpoints keep already: leave it out of State"},
		{func(l *train.Loop) {
			params := l.Optimizer.Params()
			l.Average = optim.NewEMA(params[0].Device(), params, 0.9)
			l.State = l.Average.State()[1:]
		}, "train: State[0] is the variable 0.bias.ema of Average, which checkpoints keep already: leave it out of State"},
		{func(l *train.Loop) {
			params := l.Optimizer.Params()
			l.Average = optim.NewEMA(params[0].Device(), params, 0.9)
			l.State = optim.NewEMA(params[0].Device(), params, 0.99).State()
		}, "train: Average and State[0] have two variables of the name 0.weight.ema, and a checkpoint keeps one of a name: give one another name, or save it in another file with package checkpoint"},
		{func(l *train.Loop) { l.Average = new(optim.Average) }, "train: Average: average: it is the zero value: make it by NewEMA or NewSWA"},
		{func(l *train.Loop) { l.Scaler = new(amp.LossScaler) }, "train: Scaler: loss_scaler: the scaler is the zero value: make it by NewLossScaler"},
		{func(l *train.Loop) {
			other := optim.NewSGD(l.Optimizer.Params()[0].Device(), l.Optimizer.Params(), optim.SGDConfig{LR: 1})
			l.Scaler = amp.NewLossScaler(other, amp.ScalerConfig{})
		}, "train: Scaler: loss_scaler: the scaler is another optimizer's: give NewLossScaler the one whose steps it is to skip"},
		{func(l *train.Loop) {
			l.Loss = func(x []*lazy.Tensor) train.Values { return train.Values{"los": x[0].Sum()} }
		}, `train: step 0: Loss returned no value "loss", but ["los"]`},
		{func(l *train.Loop) {
			l.Loss = func(x []*lazy.Tensor) train.Values { return train.Values{"loss": x[0]} }
		}, `value loss is f32[`},
		{func(l *train.Loop) {
			l.Loss = func(x []*lazy.Tensor) train.Values { return train.Values{"loss": x[0].MatMul(x[0]).Sum()} }
		}, `loop_test.go:`},
	} {
		l := newLoop(t)
		c.change(l)
		require.ErrorContains(t, l.Run(t.Context()), c.want)
		require.Zero(t, l.Steps())
	}
}

// Parameters that nothing uses are listed.
func TestUnused(t *testing.T) {
	l := newLoop(t)
	dev := l.Optimizer.Params()[0].Device()
	net := struct{ Used, Spare layers.Linear }{layers.Linear{In: digits.Pixels, Out: 10}, layers.Linear{In: 3, Out: 2}}
	require.NoError(t, module.Build(&net, dev))
	l.Net, l.Optimizer = &net, optim.NewSGD(dev, module.Trainable(&net), optim.SGDConfig{LR: 0.1})
	l.Loss = func(x []*lazy.Tensor) train.Values {
		return train.Values{"loss": nn.CrossEntropy(net.Used.Forward(x[0]), x[1], nn.CrossEntropyOptions{})}
	}
	require.EqualError(t, l.Run(t.Context()), "train: step 0: the loss does not depend on 2 parameters: spare.weight, spare.bias; use the layers in Forward, freeze them, or set AllowUnused")
	l.AllowUnused = true
	require.NoError(t, l.Run(t.Context()))
}

// A label that is no class is an error with the line of the loss, and changes nothing.
func TestLabels(t *testing.T) {
	l := newLoop(t)
	l.Loss = func(x []*lazy.Tensor) train.Values {
		return train.Values{"loss": nn.CrossEntropy(l.Net.(layers.Layer).Forward(x[0]), x[1].AddScalar(1), nn.CrossEntropyOptions{})}
	}
	before := bits(t, l)
	err := l.Run(t.Context())
	require.ErrorIs(t, err, lazy.ErrIndex)
	require.ErrorContains(t, err, "loop_test.go:")
	require.Equal(t, before, bits(t, l))
}

// A loss that becomes NaN ends training, and on request names the op and the line that made it.
func TestNaN(t *testing.T) {
	broken := func(opts ...lazy.Option) *train.Loop {
		l := newLoop(t, opts...)
		l.Loss = func(x []*lazy.Tensor) train.Values {
			logits := l.Net.(layers.Layer).Forward(x[0])
			return train.Values{"loss": logits.SubScalar(9).Log().Mean()}
		}
		return l
	}
	l := broken()
	l.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	l.EverySteps = 1
	err := l.Run(t.Context())
	require.ErrorIs(t, err, lazy.ErrNaN)
	require.ErrorContains(t, err, "train: step 0: the loss is NaN")
	require.ErrorContains(t, err, "LTC_CHECK_NANS=1")
	require.NoFileExists(t, l.Checkpoint)

	l = broken(lazy.CheckNaNs(true))
	before := bits(t, l)
	err = l.Run(t.Context())
	require.ErrorIs(t, err, lazy.ErrNaN)
	require.ErrorContains(t, err, "loop_test.go:")
	require.ErrorContains(t, err, "log")
	require.Equal(t, before, bits(t, l))
}

// A last step of an epoch whose loss is finite and whose parameters are not: its evaluation ends training, unsaved.
func TestNaNAfterEpoch(t *testing.T) {
	l := newLoop(t)
	l.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	l.LR = func(step int) float64 {
		if step == 4 {
			return 1e38
		}
		return 0.01
	}
	err := l.Run(t.Context())
	require.ErrorIs(t, err, lazy.ErrNaN)
	require.ErrorContains(t, err, "train: evaluate after step 4: the loss is ")
	require.Empty(t, l.History)
	require.NoFileExists(t, l.Checkpoint)
}

func TestEarlyStop(t *testing.T) {
	of := func(losses ...float64) (all []train.Epoch) {
		for _, x := range losses {
			all = append(all, train.Epoch{Train: train.Means{"loss": 1 - x}, Validation: train.Means{"loss": x, "accuracy": -x}})
		}
		return all
	}
	stop := train.EarlyStop{Patience: 2}
	require.False(t, stop.Done(nil))
	require.False(t, stop.Done(of(3, 2, 2)))
	require.True(t, stop.Done(of(3, 2, 2, 2.5)))
	require.False(t, stop.Done(of(3, 2, 2, 1.9)))
	stop.MinDelta = 0.5
	require.True(t, stop.Done(of(3, 2, 2, 1.9)))
	require.True(t, train.EarlyStop{Patience: 1, Metric: "accuracy", Maximize: true}.Done(of(3, 2, 2)))
	require.False(t, train.EarlyStop{}.Done(of(1, 2, 3, 4)))
	require.True(t, train.EarlyStop{Patience: 1}.Done([]train.Epoch{{Train: train.Means{"loss": 1}}, {Train: train.Means{"loss": 1}}}))

	l := newLoop(t)
	l.Epochs, l.Stop = 50, train.EarlyStop{Patience: 1, MinDelta: 1e9}
	require.NoError(t, l.Run(t.Context()))
	require.Len(t, l.History, 1+1)
}

func TestNames(t *testing.T) {
	require.Equal(t, []string{"loss", "accuracy", "recall"}, train.Means{"recall": 1, "loss": 2, "accuracy": 3}.Names())
	require.Equal(t, []string{"accuracy"}, train.Means{"accuracy": 3}.Names())
}

// What is no terminal gets a line for each epoch, and no bar.
func TestOut(t *testing.T) {
	var out bytes.Buffer
	l := newLoop(t)
	l.Out, l.Epochs = &out, 2
	require.NoError(t, l.Run(context.Background()))
	require.Regexp(t, `^epoch 1/2  loss \d\.\d{4} accuracy 0\.\d{4}  validation loss \d\.\d{4} accuracy 0\.\d{4}  \d+\.\d s\nepoch 2/2  loss [^\n]*\ntraining: 1 compile, 10 steps; validation: 1 compile, 4 batches\n$`, out.String())

	l, out = newLoop(t), bytes.Buffer{}
	l.Out, l.Epochs = &out, 1
	require.NoError(t, l.Run(t.Context())) // which can be cancelled
	require.Regexp(t, `; \d+\.\d KiB copied, as the context can be cancelled\n$`, out.String())
}

// What the page shows are parts of the examples here.
func TestPage(t *testing.T) { snippets.Check(t, "../docs/training.md", "example_test.go") }

// A loop that has trained can go back to a checkpoint.
func TestGoBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	l := newLoop(t)
	l.OnStep = func(step int, _ train.Means) error {
		if step == 6 {
			return l.Save(path)
		}
		return nil
	}
	require.NoError(t, l.Run(t.Context()))
	want := bits(t, l)
	require.NoError(t, l.Load(path))
	require.Equal(t, 7, l.Steps())
	require.Len(t, l.History, 1)
	require.NoError(t, l.Run(t.Context()))
	requireSame(t, want, bits(t, l), 6)
	training, _ := l.Report()
	require.EqualValues(t, 1, training.Compiled)
}

// A step before Run belongs to no epoch, and an evaluation leaves its loader where it is.
func TestStepAndEvaluateBesideRun(t *testing.T) {
	l := newLoop(t)
	l.Epochs, l.Validation = 1, l.Train
	for b, err := range l.Train.Rest() {
		require.NoError(t, err)
		_, err = l.Step(t.Context(), b)
		require.NoError(t, err)
		break
	}
	require.NoError(t, l.Train.Seek(data.Position{}))
	l.OnEpoch = func(train.Epoch) error {
		_, err := l.Evaluate(t.Context(), l.Train)
		return err
	}
	require.NoError(t, l.Run(t.Context()))
	require.Equal(t, 1+5, l.Steps())
	require.Len(t, l.History, 1)
	require.Equal(t, data.Position{Epoch: 1}, l.Train.Position())
}

// Values that are no numbers are saved, and load again.
func TestSaveOfNaN(t *testing.T) {
	l := newLoop(t)
	l.Checkpoint = filepath.Join(t.TempDir(), "a.safetensors")
	loss := l.Loss
	l.Loss = func(x []*lazy.Tensor) train.Values {
		values := loss(x)
		values["infinite"] = values["loss"].MulScalar(0).AddScalar(1).DivScalar(0)
		values["none"] = values["loss"].MulScalar(0).DivScalar(0)
		return values
	}
	l.Epochs = 1
	require.NoError(t, l.Run(t.Context()))
	again := newLoop(t)
	again.Loss = l.Loss
	require.NoError(t, again.Load(l.Checkpoint))
	require.Equal(t, l.History[0].String(), again.History[0].String())
	require.Contains(t, again.History[0].String(), "infinite +Inf none NaN")
	require.ErrorContains(t, new(train.Means).UnmarshalJSON([]byte(`{"a":[]}`)), "value a is []: want a number")
}

// A loop refuses what would end its run badly.
func TestRefused(t *testing.T) {
	run := func(change func(l *train.Loop)) error {
		l := newLoop(t)
		change(l)
		return l.Run(t.Context())
	}
	for want, change := range map[string]func(l *train.Loop){
		`train: Stop.Metric is "acuracy", and Loss returns ["loss" "accuracy"]: name one of these`: func(l *train.Loop) {
			l.Stop = train.EarlyStop{Patience: 1, Metric: "acuracy"}
		},
		"train: Epochs is 0: give the number of epochs to train for": func(l *train.Loop) { l.Epochs = 0 },
		"train: Run is called within Run: return from OnStep or OnEpoch before": func(l *train.Loop) {
			l.OnEpoch = func(train.Epoch) error { return l.Run(t.Context()) }
		},
		"train: load a: the steps of an epoch are under way: load in OnEpoch, or before Run": func(l *train.Loop) {
			l.OnStep = func(int, train.Means) error { return l.Load("a") }
		},
		"train: data: Load is nil: give the function that makes a batch": func(l *train.Loop) { l.Train.Load = nil },
	} {
		require.EqualError(t, run(change), want)
	}
	l := newLoop(t)
	_, err := l.Evaluate(t.Context(), nil)
	require.ErrorContains(t, err, "train: evaluate: the loader is nil")
	_, err = l.Step(t.Context(), nil)
	require.EqualError(t, err, "train: step 0: the batch has no arrays")
	_, err = l.Step(t.Context(), data.Arrays{soa.Make(types.Of(types.F32))})
	require.ErrorContains(t, err, "train: step 0: array 0 of the batch: data: array 0 is f32[]: its first axis must be the examples")
	_, err = l.Step(t.Context(), data.Arrays{{}})
	require.ErrorContains(t, err, "train: step 0: array 0 of the batch: ")
}
