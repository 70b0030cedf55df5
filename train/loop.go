// Package train trains networks: a loop over epochs with metrics, an evaluation after each, early stop, and checkpoints
// from which a run goes on with the same bits. Its central type is [Loop]. A program that needs another loop calls the
// parts that [Loop.Run] calls: [Loop.Step], [Loop.Evaluate], [Loop.Save], [Loop.Load], [EarlyStop] and [Bar].
//
// The package imports only ltc/checkpoint, ltc/data, ltc/internal/diag, ltc/ir/types, ltc/lazy, ltc/nn/module, ltc/optim,
// ltc/optim/amp and ltc/soa.
package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ltc/data"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/optim"
	"ltc/optim/amp"
)

// Values are scalars that a step computes, by name, such as "loss" and "accuracy". Each is a mean over the batch.
type Values map[string]*lazy.Tensor

// Means are [Values] that were computed, or their means over the examples of an epoch.
type Means map[string]float64

// Loop trains a network on the batches of a loader. The fields above the first empty line must be given. They may be
// changed until the first call of a method.
type Loop struct {
	Net       any              // of package module, built
	Optimizer *optim.Optimizer // of its parameters
	Train     *data.Loader[data.Arrays]
	Epochs    int
	// Loss records a step for the tensors of a batch: the mean loss over the batch under the name "loss", and any metrics.
	// The loop calls it once or a few times, and not for each step: see lazy.Func.
	Loss func(x []*lazy.Tensor) Values

	Validation *data.Loader[data.Arrays] // the validation set, which is evaluated after each epoch; nil: none
	LR         optim.Schedule            // the learning rate of each step; nil: that of the optimizer
	ClipNorm   float64                   // the most that the norm of all gradients together may be, as optim.ClipNorm; 0: no clipping
	ClipValue  float64                   // clamps each element of a gradient to ±ClipValue, as optim.ClipValue, before ClipNorm; 0: no clipping
	Scaler     *amp.LossScaler           // loss scaler of Optimizer, for gradients of f16; nil: losses are not scaled
	Average    *optim.Average            // averages of parameters, which each step updates, also one that Scaler skips; nil: none
	Stop       EarlyStop                 // ends training before the last epoch
	Random     []*lazy.Random            // streams that Loss or layers draw from, for checkpoints: see module.Random
	// State has further variables that checkpoints keep, such as those that Loss or OnStep assign. Names must be unique. OnEpoch
	// comes after the save: what it assigns is not in the file.
	State []*lazy.Tensor
	// Checkpoint is a file that Run saves to after each epoch and after each EverySteps steps. Run goes on from it if it is
	// there. Its folder must exist. "" for none. A step with a finite loss can make parameters that are NaN, and the next save has them: keep
	// copies of the file from OnEpoch.
	Checkpoint string
	EverySteps int       // 0: after epochs only
	Out        io.Writer // gets a line for each epoch and one with the compiles, and a progress bar if it is a terminal; nil: nothing
	// Inputs says which sizes of the arrays of batches are open, for package lazy's Function.Inputs. Nil: the number of
	// examples is, if it differs between batches.
	Inputs []lazy.Input
	// AllowUnused accepts trainable parameters that the loss does not depend on.
	AllowUnused bool
	// OnStep is called after each step. Its number is that of the step from 0 on: Steps is one more by then.
	OnStep  func(step int, values Means) error
	OnEpoch func(e Epoch) error // is called after each epoch

	// History has the epochs that have ended.
	History []Epoch

	step     int   // steps taken
	sums     Means // over the examples of this epoch
	examples int   // of this epoch so far
	trained  bool  // this epoch's batches are done, its evaluation is left
	begun    time.Time

	running, stepping bool // in Run, and in the steps of an epoch

	training, validation *program
}

// Epoch is what an epoch of training found.
type Epoch struct {
	Epoch      int     `json:"epoch"` // from 0
	Steps      int     `json:"steps"` // of training at its end
	LR         float64 `json:"lr"`    // of its last step
	Train      Means   `json:"train"`
	Validation Means   `json:"validation,omitempty"`
	Seconds    float64 `json:"seconds"` // since the epoch began, or this run of the program if that was later
}

// program is a compiled function of batches.
type program struct {
	loop  *Loop
	f     *lazy.Function
	names []string // of results
	err   error    // of the last recording
}

func (l *Loop) check() error {
	switch {
	case l.Net == nil:
		return errors.New("train: Net is nil: give the network, after module.Build")
	case l.Optimizer == nil:
		return errors.New("train: Optimizer is nil: give one of package optim, of module.Trainable(net)")
	case l.Train == nil:
		return errors.New("train: Train is nil: give the loader of the examples, such as data.Arrays.Loader")
	case l.Train.Err() != nil:
		return fmt.Errorf("train: %w", l.Train.Err())
	case l.Train.Len() == 0:
		return errors.New("train: the loader Train has no batches: it has fewer rows than a batch and drops the last, or none")
	case l.Validation != nil && l.Validation.Err() != nil:
		return fmt.Errorf("train: Validation: %w", l.Validation.Err())
	case l.Validation != nil && l.Validation.Len() == 0:
		return errors.New("train: the loader Validation has no batches: it has fewer rows than a batch and drops the last, or none")
	case l.Loss == nil:
		return errors.New(`train: Loss is nil: give a function that records the value "loss"`)
	}
	for _, limit := range []struct {
		field string
		of    float64
	}{{"ClipNorm", l.ClipNorm}, {"ClipValue", l.ClipValue}} {
		if !(limit.of >= 0) {
			return fmt.Errorf("train: %s is %v: give a limit above 0, or 0 for none", limit.field, limit.of)
		}
	}
	for i, v := range l.State {
		switch {
		case v == nil:
			return fmt.Errorf("train: State[%d] is nil: give variables with names", i)
		case v.Err() != nil:
			return fmt.Errorf("train: State[%d]: %w", i, v.Err())
		case !v.IsVariable():
			return fmt.Errorf("train: State[%d] is a %v that is not a variable, and a checkpoint could not load it: make it with Device.Variable", i, v.Type())
		}
	}
	if l.Scaler != nil {
		if err := l.Scaler.Check(l.Optimizer); err != nil {
			return fmt.Errorf("train: Scaler: %w", err)
		}
	}
	if l.Average != nil {
		if err := l.Average.Check(); err != nil {
			return fmt.Errorf("train: Average: %w", err)
		}
	}
	if err := module.Check(l.Net); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if params := l.Optimizer.Params(); len(params) == 0 || params[0].Device() == nil {
		return errors.New("train: the optimizer has no parameters of a device: make it after module.Build")
	}
	if l.Checkpoint != "" || len(l.State) > 0 {
		return l.checkNames()
	}
	return nil
}

// newProgram returns the function that record makes of the arrays of batches like b.
func (l *Loop) newProgram(b data.Arrays, from *data.Loader[data.Arrays], record func(x []*lazy.Tensor) (Values, error)) (*program, error) {
	p := &program{loop: l}
	p.f = lazy.Func(l.device(), func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		for i := range x {
			x[i] = tr.Read(x[i])
		}
		values, err := record(x)
		if p.err = err; err != nil {
			return nil
		}
		p.names = names(values)
		all := make([]*lazy.Tensor, len(p.names))
		for i, name := range p.names {
			all[i] = values[name]
		}
		return all
	})
	inputs := l.Inputs
	if inputs == nil && from.ShortLast() {
		for i, v := range b {
			shape := slices.Clone(v.Type.Shape)
			shape[0] = lazy.Dim("batch", 1, from.Size)
			inputs = append(inputs, lazy.Input{Name: fmt.Sprint("x", i), Type: types.Of(v.Type.DType, shape...)})
		}
	}
	if inputs != nil {
		if err := p.f.Inputs(inputs...); err != nil {
			return nil, fmt.Errorf("train: %w", err)
		}
	}
	return p, nil
}

// Names returns the names of the means: the loss first, then by name.
func (m Means) Names() []string { return names(m) }

func names[T any](values map[string]T) []string {
	all := slices.Sorted(maps.Keys(values))
	if i := slices.Index(all, "loss"); i > 0 {
		all = slices.Insert(slices.Delete(all, i, i+1), 0, "loss")
	}
	return all
}

func (l *Loop) device() *lazy.Device { return l.Optimizer.Params()[0].Device() }

// call runs the program on a batch.
func (p *program) call(ctx context.Context, b data.Arrays) (Means, error) {
	dev := p.loop.device()
	x := make([]*lazy.Tensor, len(b))
	for i, v := range b {
		x[i] = lazy.FromView(dev, v)
	}
	ys, err := p.f.CallAll(ctx, x...)
	if p.err != nil {
		return nil, p.err
	}
	if err != nil {
		return nil, err
	}
	values := Means{}
	for i, y := range ys {
		v, err := lazy.ToSliceContext[float32](ctx, y)
		if err != nil {
			return nil, fmt.Errorf("value %s: %w", p.names[i], err)
		}
		values[p.names[i]] = float64(v[0])
	}
	return values, nil
}

// recordLoss calls Loss and checks what it returns.
func (l *Loop) recordLoss(x []*lazy.Tensor) (Values, error) {
	values := l.Loss(x)
	if values["loss"] == nil {
		return nil, fmt.Errorf(`Loss returned no value "loss", but %q`, slices.Sorted(maps.Keys(values)))
	}
	out := Values{}
	for name, v := range values {
		switch {
		case v == nil:
			return nil, fmt.Errorf("value %s is nil", name)
		case v.Err() != nil:
			return nil, v.Err()
		case v.Rank() != 0:
			return nil, fmt.Errorf("value %s is %v: it must be a scalar, such as the mean over the batch", name, v.Type())
		}
		out[name] = v.Convert(lazy.F32)
	}
	return out, nil
}

// Unused returns the names of the parameters that a loss does not depend on.
func Unused(loss *lazy.Tensor, o *optim.Optimizer) ([]string, error) {
	grads, err := o.Grads(loss)
	if err != nil {
		return nil, err
	}
	return unused(grads, o), nil
}

func unused(grads []*lazy.Tensor, o *optim.Optimizer) (names []string) {
	for i, w := range o.Params() {
		if grads[i] == nil && w.RequiresGrad() {
			names = append(names, w.Name())
		}
	}
	return names
}

// recordStep records a step of training.
func (l *Loop) recordStep(x []*lazy.Tensor) (Values, error) {
	values, err := l.recordLoss(x)
	if err != nil {
		return nil, err
	}
	loss := values["loss"]
	if l.Scaler != nil {
		loss = l.Scaler.Scale(loss)
	}
	grads, err := l.Optimizer.Grads(loss)
	if err != nil {
		return nil, err
	}
	if names := unused(grads, l.Optimizer); len(names) > 0 && !l.AllowUnused {
		return nil, fmt.Errorf("the loss does not depend on %s: %s; use the layers in Forward, freeze them, or set AllowUnused", diag.Count(len(names), "parameter"), strings.Join(names, ", "))
	}
	if err := l.stepGrads(grads, values); err != nil || l.Average == nil {
		return values, err
	}
	return values, l.Average.Update(loss.Trace())
}

// skipped is the name of a value beside those of Loss: 1 for a step that the scaler skips.
const skipped = "train.skipped"

// stepGrads records the update by gradients of the loss, or of the scaled loss: they are clipped by their true size. With a
// scaler the values get the one that says whether it skips the step.
func (l *Loop) stepGrads(grads []*lazy.Tensor, values Values) (err error) {
	step := l.Optimizer.StepGrads
	if l.Scaler != nil {
		if grads, err = l.Scaler.Unscale(grads); err != nil {
			return err
		}
		values[skipped] = l.Scaler.NonFinite().Convert(lazy.F32)
		step = l.Scaler.StepGrads
	}
	if l.ClipValue > 0 {
		if grads, err = optim.ClipValue(grads, l.ClipValue); err != nil {
			return err
		}
	}
	if l.ClipNorm > 0 {
		if grads, _, err = optim.ClipNorm(grads, l.ClipNorm); err != nil {
			return err
		}
	}
	return step(grads)
}

// Step trains on one batch and returns its values. It does not move the loader.
//
// A loss that is not finite is an error that wraps lazy.ErrNaN. The parameters have been updated then, and are lost. A step
// that Scaler skips is no error: it counts as a step, and the means of
// the epoch are without its values if the loss is not finite. On a
// device with lazy.CheckNaNs the step fails before that, and the error has the first op that made a NaN, and its line.
func (l *Loop) Step(ctx context.Context, b data.Arrays) (Means, error) {
	if err := checkBatch(b); err != nil {
		return nil, fmt.Errorf("train: step %d: %w", l.step, err)
	}
	if l.training == nil {
		if err := l.check(); err != nil {
			return nil, err
		}
		p, err := l.newProgram(b, l.Train, l.recordStep)
		if err != nil {
			return nil, err
		}
		l.training = p
	}
	if l.LR != nil {
		l.Optimizer.SetLR(l.LR(l.step))
	}
	random := l.randomStates()
	values, err := l.training.call(ctx, b)
	if err != nil {
		for i, s := range random { // a step that did not run has drawn nothing
			l.Random[i].SetState(s)
		}
		if l.training.err != nil {
			l.training = nil // has no results, and the next call records it anew
		}
		return nil, fmt.Errorf("train: step %d: %w", l.step, err)
	}
	skips := values[skipped] != 0
	delete(values, skipped)
	lost := finite(values["loss"])
	if lost != nil && !skips {
		return values, fmt.Errorf("train: step %d: %w", l.step, lost)
	}
	l.step++
	if lost != nil {
		return values, nil
	}
	if l.sums == nil {
		l.sums = Means{}
	}
	l.sums.add(values, b.Len())
	l.examples += b.Len()
	return values, nil
}

// checkBatch returns an error if there are no arrays, or one without an axis for the examples.
func checkBatch(b data.Arrays) error {
	if len(b) == 0 {
		return errors.New("the batch has no arrays")
	}
	for i, v := range b {
		if err := (data.Arrays{v}).Check(); err != nil {
			return fmt.Errorf("array %d of the batch: %w", i, err)
		}
	}
	return nil
}

// finite returns an error if a loss is NaN or infinite.
func finite(loss float64) error {
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("the loss is %v (%w): go on from an earlier checkpoint with lazy.CheckNaNs(true) or LTC_CHECK_NANS=1, which stops at the first op that makes a NaN and names its line", loss, lazy.ErrNaN)
	}
	return nil
}

func (l *Loop) randomStates() (all []lazy.RandomState) {
	for _, r := range l.Random {
		all = append(all, r.State())
	}
	return all
}

func (m Means) add(values Means, examples int) {
	for name, x := range values {
		m[name] += x * float64(examples)
	}
}

func (m Means) over(examples int) Means {
	all := Means{}
	for name, x := range m {
		all[name] = x / float64(max(examples, 1))
	}
	return all
}

// modes returns a function that puts the layers of the network back into the modes that they have now.
func (l *Loop) modes() (restore func()) {
	was := map[any]bool{}
	for _, m := range module.Modules(l.Net) {
		if b, ok := m.(interface{ Training() bool }); ok {
			was[m] = b.Training()
		}
	}
	return func() {
		for _, m := range module.Modules(l.Net) { // each before its submodules
			training, known := was[m]
			switch {
			case !known:
			case training:
				module.Train(m)
			default:
				module.Eval(m)
			}
		}
	}
}

// Evaluate returns the means of the values over the first epoch of a loader, with the network in the mode for evaluation.
// After it each layer is in the mode that it had before. The loader's position stays what it is.
func (l *Loop) Evaluate(ctx context.Context, from *data.Loader[data.Arrays]) (Means, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	if from == nil {
		return nil, errors.New("train: evaluate: the loader is nil: give that of the examples, such as data.Arrays.Loader")
	}
	restore := l.modes()
	if err := module.Eval(l.Net); err != nil {
		return nil, err
	}
	defer restore()
	own := *from // whose position is another: from may be the loader that Run trains with
	from = &own
	if err := from.Seek(data.Position{}); err != nil {
		return nil, fmt.Errorf("train: evaluate: %w", err)
	}
	sums, examples := Means{}, 0
	for b, err := range from.Rest() {
		if err != nil {
			return nil, fmt.Errorf("train: evaluate: %w", err)
		}
		if err := checkBatch(b); err != nil {
			return nil, fmt.Errorf("train: evaluate: %w", err)
		}
		if l.validation == nil {
			if l.validation, err = l.newProgram(b, from, l.recordLoss); err != nil {
				return nil, err
			}
		}
		values, err := l.validation.call(ctx, b)
		if err != nil {
			if l.validation.err != nil {
				l.validation = nil
			}
			return nil, fmt.Errorf("train: evaluate: %w", err)
		}
		sums.add(values, b.Len())
		examples += b.Len()
	}
	return sums.over(examples), nil
}

// Run trains until Epochs epochs have ended or Stop says so. With a Checkpoint it goes on from that file if it is there, and
// saves to it; also when ctx is done, before it returns the context's error.
func (l *Loop) Run(ctx context.Context) error {
	if err := l.check(); err != nil {
		return err
	}
	if l.Epochs < 1 {
		return fmt.Errorf("train: Epochs is %d: give the number of epochs to train for", l.Epochs)
	}
	if l.running {
		return errors.New("train: Run is called within Run: return from OnStep or OnEpoch before")
	}
	l.running = true
	defer func() { l.running = false }()
	if err := l.checkFolder(); err != nil {
		return err
	}
	if l.Checkpoint != "" && l.step == 0 {
		if err := l.Load(l.Checkpoint); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for len(l.History) < l.Epochs && !l.Stop.Done(l.History) {
		l.begun = time.Now()
		if !l.trained {
			if err := l.epoch(ctx); err != nil {
				return err
			}
		}
		if err := l.endEpoch(ctx); err != nil {
			if ctx.Err() != nil && l.Checkpoint != "" && l.trained && !errors.Is(err, lazy.ErrNaN) { // its evaluation is left
				return errors.Join(err, l.Save(l.Checkpoint))
			}
			return err
		}
	}
	if l.Out != nil && l.training != nil {
		training, validation := l.Report()
		fmt.Fprintf(l.Out, "training: %s, %s", diag.Count(training.Compiled, "compile"), diag.Count(training.Runs, "step"))
		if l.validation != nil {
			fmt.Fprintf(l.Out, "; validation: %s, %s", diag.Count(validation.Compiled, "compile"), diag.Count(validation.Runs, "batch"))
		}
		if ctx.Done() != nil && training.CopiedBytes > 0 {
			fmt.Fprintf(l.Out, "; %s copied, as the context can be cancelled", diag.Bytes(training.CopiedBytes))
		}
		fmt.Fprintln(l.Out)
	}
	return nil
}

// checkFolder returns an error if Checkpoint is in no folder: the first save would find that out an epoch later.
func (l *Loop) checkFolder() error {
	if l.Checkpoint == "" {
		return nil
	}
	dir := filepath.Dir(l.Checkpoint)
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("train: Checkpoint is %s: %w: make the folder before Run, as with os.MkdirAll", l.Checkpoint, err)
	case !info.IsDir():
		return fmt.Errorf("train: Checkpoint is %s, and %s is not a folder: give a path in one", l.Checkpoint, dir)
	}
	return nil
}

// epoch trains on what is left of an epoch.
func (l *Loop) epoch(ctx context.Context) error {
	bar := NewBar(l.Out, fmt.Sprintf("epoch %d/%d", len(l.History)+1, l.Epochs), l.Train.Len(), l.Train.Position().Batch)
	defer bar.Close()
	l.stepping = true
	defer func() { l.stepping = false }()
	if l.Train.Position().Batch == 0 {
		l.sums, l.examples = Means{}, 0 // without those of steps before the epoch
	}
	for b, err := range l.Train.Rest() {
		if err != nil {
			return fmt.Errorf("train: %w", err)
		}
		values, err := l.Step(ctx, b)
		if err != nil {
			if ctx.Err() != nil && l.Checkpoint != "" { // the batch is lost: go back to it
				return errors.Join(err, l.saveBefore())
			}
			return err
		}
		l.trained = l.Train.Position().Batch == 0
		bar.Add(1, values)
		if l.OnStep != nil {
			if err := l.OnStep(l.step-1, values); err != nil {
				return err
			}
		}
		if l.Checkpoint != "" && l.EverySteps > 0 && l.step%l.EverySteps == 0 {
			if err := l.Save(l.Checkpoint); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveBefore saves with the loader at the batch whose step did not run.
func (l *Loop) saveBefore() error {
	at := l.Train.Position()
	before := data.Position{Epoch: at.Epoch, Batch: at.Batch - 1}
	if at.Batch == 0 {
		before = data.Position{Epoch: at.Epoch - 1, Batch: l.Train.Len() - 1}
	}
	if err := l.Train.Seek(before); err != nil {
		return err
	}
	return l.Save(l.Checkpoint)
}

func (l *Loop) endEpoch(ctx context.Context) error {
	e := Epoch{Epoch: len(l.History), Steps: l.step, LR: l.Optimizer.LR(), Train: l.sums.over(l.examples)}
	if l.Validation != nil {
		var err error
		if e.Validation, err = l.Evaluate(ctx, l.Validation); err != nil {
			return err
		}
		if err := finite(e.Validation["loss"]); err != nil {
			return fmt.Errorf("train: evaluate after step %d: %w", l.step-1, err)
		}
	}
	e.Seconds = time.Since(l.begun).Seconds()
	l.History = append(l.History, e)
	l.sums, l.examples, l.trained = Means{}, 0, false
	if l.Out != nil {
		fmt.Fprintf(l.Out, "epoch %d/%d  %v\n", e.Epoch+1, l.Epochs, e)
	}
	if l.Checkpoint != "" {
		if err := l.Save(l.Checkpoint); err != nil {
			return err
		}
	}
	if err := l.Stop.check(e); err != nil {
		return err
	}
	if l.OnEpoch != nil {
		return l.OnEpoch(e)
	}
	return nil
}

// String is the means of an epoch and its seconds.
func (e Epoch) String() string {
	text := e.Train.String()
	if e.Validation != nil {
		text += "  validation " + e.Validation.String()
	}
	return fmt.Sprintf("%s  %.1f s", text, e.Seconds)
}

// String is the means, the loss first.
func (m Means) String() string {
	var all []string
	for _, name := range m.Names() {
		all = append(all, fmt.Sprintf("%s %.4f", name, m[name]))
	}
	return strings.Join(all, " ")
}

// Report returns what the programs have done: that of a training step, and that of evaluations. Each compiles once.
func (l *Loop) Report() (training, validation lazy.Report) {
	if l.training != nil {
		training = l.training.f.Report()
	}
	if l.validation != nil {
		validation = l.validation.f.Report()
	}
	return training, validation
}

// Steps returns how many steps have been taken.
func (l *Loop) Steps() int { return l.step }

// Accuracy is the part of the rows of logits[batch, classes] whose largest element is that of the label[batch].
func Accuracy(logits, labels *lazy.Tensor) *lazy.Tensor {
	return logits.ArgMax(-1).Equal(labels.Convert(lazy.I64)).Convert(lazy.F32).Mean()
}

// EarlyStop says when training brings nothing more. The zero EarlyStop never does.
type EarlyStop struct {
	Metric   string  // of the validation set, or of training without one; "": the loss
	Patience int     // epochs without a better value after which to stop; 0: never
	MinDelta float64 // a value is better by more than this
	Maximize bool    // larger values are better
}

func (s EarlyStop) metric() string { return cmp.Or(s.Metric, "loss") }

// check returns an error if an epoch has no value of the metric.
func (s EarlyStop) check(e Epoch) error {
	if _, ok := e.found()[s.metric()]; ok || s.Patience < 1 {
		return nil
	}
	return fmt.Errorf("train: Stop.Metric is %q, and Loss returns %q: name one of these", s.metric(), e.found().Names())
}

// found returns the values of the validation set, or those of training without one.
func (e Epoch) found() Means {
	if e.Validation != nil {
		return e.Validation
	}
	return e.Train
}

// Done reports whether to stop after these epochs.
func (s EarlyStop) Done(history []Epoch) bool {
	if s.Patience < 1 {
		return false
	}
	best, since := math.Inf(1), 0
	for _, e := range history {
		x, ok := e.found()[s.metric()]
		if !ok {
			continue
		}
		if s.Maximize {
			x = -x
		}
		if since++; x < best-s.MinDelta {
			best, since = x, 0
		}
	}
	return since >= s.Patience
}
