package lazy

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/lazy/internal/axes"
	"ltc/lazy/internal/philox"
	"ltc/soa"
)

// variable is what a variable's tensor stands for: a sequence of versions, of
// which traces read the latest.
type variable struct {
	dev  *Device
	name string
	typ  types.Type
	made callsite.Site
	id   int // counts the device's variables
	// waits is of an assignment that a trace has recorded and not marked: the low 32 bits
	// of the trace's owner, and the line. 0 if there is none.
	waits atomic.Uint64

	mu       sync.Mutex
	now      *value        // the latest version; it may still be on its way
	assigned callsite.Site // where that was assigned
	lost     *OpError      // of an assignment that was in no trace, until somebody asks
	invalid  bool          // lost stays until the variable gets values: those it has are none
	failed   error         // of the latest version that was taken back, until it was read
}

// keepsSizes is what to do instead of giving a variable an open size, or a value of other sizes.
const keepsSizes = "a variable keeps its sizes: make it as large as it becomes, write a part by DynamicUpdateSlice, and keep the number in use in a scalar"

// Variable makes a variable of the given dtype and dimensions, all zero until
// Init. The name, which need not be unique, appears in programs and errors.
// The tensor returned may be used in any trace of the device, from any
// goroutine; an invalid type gives a poisoned one.
func (d *Device) Variable(name string, dtype types.DType, shape ...int) *Tensor {
	if !d.opens() {
		return &Tensor{err: notOpened("variable")}
	}
	v := &variable{dev: d, name: name, typ: types.Of(dtype, append([]int(nil), shape...)...), made: callsite.Caller()}
	if i := slices.IndexFunc(v.typ.Shape, dims.IsExpr); i >= 0 {
		return d.poisoned(nil, opError(v.made, "variable", ErrType, nil, "%q of %v: dimension %d is open, and %s", name, v.typ, i, keepsSizes))
	}
	if err := v.typ.Check(); err != nil {
		return d.poisoned(nil, opError(v.made, "variable", ErrType, nil, "%q of %v: %v", name, v.typ, err))
	}
	d.mu.Lock()
	v.id = d.variables
	d.variables++
	d.mu.Unlock()
	view, err := d.memory.Zeroed(v.typ)
	if err != nil {
		return d.poisoned(nil, memoryError(v.made, "variable", fmt.Errorf("%q of %v: %w", name, v.typ, err)))
	}
	v.now = &value{name: name, view: view, version: true}
	d.born(v.now, "variable", v.made)
	return &Tensor{dev: d, v: v}
}

// Init gives the variable t values from f, and returns t. It waits for no
// step: call it before the variable is used. Where f, or the function that it gives,
// fails or panics, the tensor returned is poisoned, and steps that use the variable fail
// with that error until it gets values.
func (t *Tensor) Init(f Initializer) *Tensor {
	if b := t.notVariable("init"); b != nil {
		return b
	}
	at := t.callSite()
	view, err := t.initial(f, at)
	if err != nil {
		t.v.mu.Lock()
		defer t.v.mu.Unlock()
		t.v.invalidate(err)
		return t.dev.poisoned(nil, err)
	}
	t.v.set(view, at)
	return t
}

// initial returns the values that f gives the variable t.
func (t *Tensor) initial(f Initializer, at callsite.Site) (view soa.View, failed *OpError) {
	misused := func(format string, args ...any) *OpError {
		return opError(at, "init", ErrUsage, []*Tensor{t}, format, args...)
	}
	if f == nil {
		return view, misused("there is no initializer for variable %q", t.v.name)
	}
	view, err := t.dev.memory.Make(t.v.typ)
	if err != nil {
		return view, memoryError(at, "init", err)
	}
	defer func() {
		if r := recover(); r != nil {
			failed = misused("the initializer of variable %q panicked: %v\n%s", t.v.name, r, debug.Stack())
		}
	}()
	if err := fill(view, f, philox.NewStream(t.dev.seed, uint64(t.v.id))); err != nil {
		return view, misused("%v (variable %q)", err, t.v.name)
	}
	return view, nil
}

// notVariable returns a poisoned tensor unless t is a variable.
func (t *Tensor) notVariable(op string) *Tensor {
	if b := firstBad(op, t); b != nil || t.v != nil {
		return b
	}
	return t.misuse(op, "it is not a variable")
}

// misuse returns a poisoned tensor for a call that t does not allow.
func (t *Tensor) misuse(op, why string) *Tensor {
	if b := firstBad(op, t); b != nil {
		return b
	}
	return t.dev.poisoned(t.tr, t.misused(op, why))
}

// misused is the error of misuse.
func (t *Tensor) misused(op, why string) *OpError {
	return opError(callsite.Caller(), op, ErrUsage, []*Tensor{t}, "%s", why)
}

// set replaces the latest version from the host.
func (v *variable) set(view soa.View, at callsite.Site) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now, v.assigned = &value{name: v.name, view: view, version: true, host: true}, at
	if v.invalid {
		v.invalid, v.lost = false, nil
	}
	v.dev.born(v.now, "variable", v.made)
}

// lose remembers an assignment that no step knows of, so that the next who
// looks at the variable hears of it.
func (v *variable) lose(err *OpError) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		v.lost = err
	}
}

// invalidate has the variable be an error until it gets values. The caller has mu.
func (v *variable) invalidate(err *OpError) {
	if !v.invalid {
		v.lost, v.invalid = err, true
	}
}

// takeLost returns the error of a lost assignment, once.
func (v *variable) takeLost() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lost == nil {
		return nil
	}
	err := v.lost
	if !v.invalid {
		v.lost = nil
	}
	return err
}

// takeFailed returns why a version was taken back, once, and only until the trace
// of the step that failed has heard of it.
func (v *variable) takeFailed() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	err := v.failed
	v.failed = nil
	if isReported(err) {
		return nil
	}
	return err
}

// pin returns the latest version, which is not overwritten until it is
// unpinned.
func (v *variable) pin() *value {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := v.now
	claims, ok := v.dev.sched.Closure()
	if ok {
		now = now.asClosuresSee(claims)
	}
	now.pins.Add(1)
	for ok { // a program may begin to overwrite it before it sees the pin
		seen := v.now.asClosuresSee(claims)
		if seen == now {
			break
		}
		seen.pins.Add(1)
		now.drop()
		now = seen
	}
	return now
}

// asClosuresSee returns the version of a variable that a step closure reads when v is
// the latest. It is the one from when the closure's step was marked, unless a newer one
// is there already or is being written over it. Other versions may wait for the closure
// to return. The variable's mu is held.
func (v *value) asClosuresSee(claims int64) *value {
	for v.old != nil && (v.claim > claims && !v.over.Load() || v.failed() != nil) { // a version that is there has no old
		v = v.old
	}
	return v
}

// state is what a trace knows of a variable in its current step.
type state struct {
	v     *variable
	read  *value        // the version the step reads; pinned
	param *ir.Node      // the argument that read is
	now   *ir.Node      // what the variable is after the assignments so far
	site  callsite.Site // of the latest assignment
	bad   *OpError      // of an assignment of a poisoned tensor
}

// state returns the trace's state of v, reading the latest version when the
// step has not met v before.
func (tr *Trace) state(v *variable) *state {
	if s := tr.vars[v]; s != nil {
		return s
	}
	s := tr.newState()
	s.v = v
	tr.b.SetLoc(tr.site())                      // or it would be that of the op before
	s.param = tr.b.Variable(v.typ, v.name, nil) // which calls hooks: nothing is pinned yet
	s.read = v.pin()
	s.param.Value = s.read
	s.now = s.param
	s.bad, _ = v.takeLost().(*OpError)
	tr.vars[v] = s
	tr.order = append(tr.order, s)
	return s
}

// newState returns a state to use, for one step.
func (tr *Trace) newState() *state {
	if n := len(tr.order); n < cap(tr.order) {
		if s := tr.order[:n+1][n]; s != nil {
			*s = state{}
			return s
		}
	}
	return &state{}
}

// refresh makes the step read what the variable is, if the version it has read
// was taken back since: its program had failed.
func (s *state) refresh() {
	if s.read.failed() == nil {
		return
	}
	s.read.drop()
	s.read = s.v.pin()
	s.param.Value = s.read
}

// Read returns what the variable or value x is in the trace's current step,
// for ops none of whose operands is in the trace otherwise.
func (tr *Trace) Read(x *Tensor) *Tensor {
	tr = tr.some()
	if !tr.enter() {
		return tr.poisoned(tr.crowded("read", x))
	}
	defer tr.leave()
	n := tr.operand(x)
	if n == nil {
		return tr.refuse("read", x)
	}
	return tr.wrap(n)
}

func (t *Tensor) kind() string {
	switch {
	case t.v != nil:
		return fmt.Sprintf("variable %q", t.v.name)
	case t.isView():
		return "the view made at " + t.alias.loc.String()
	case t.val != nil:
		return "the value"
	}
	return fmt.Sprintf("the result of %v", t.node.Op)
}

// SetValues copies data, in row-major order, into the variable t, and returns
// t; like Init, before it is used. T must be the Go type of t's dtype.
func SetValues[T soa.Element](t *Tensor, data []T) *Tensor {
	if b := t.notVariable("set_values"); b != nil {
		return b
	}
	if d := dtypeOf[T](); d != t.v.typ.DType {
		return t.misuse("set_values", fmt.Sprintf("the values are %v, the variable is %v", d, t.v.typ))
	}
	if _, err := soa.Borrow(data, t.v.typ); err != nil {
		return t.misuse("set_values", err.Error())
	}
	at := t.callSite()
	view, err := t.dev.memory.Make(t.v.typ)
	if err != nil {
		return t.dev.poisoned(nil, memoryError(at, "set_values", err))
	}
	copy(soa.Slice[T](view), data)
	t.v.set(view, at)
	return t
}

// Initializer gives a variable its first values: next returns one element after
// the other, in row-major order, drawing from uniform numbers of [0, 1).
type Initializer func(t types.Type, uniform func() float64) (next func() float64, err error)

// Normal draws from the normal distribution.
func Normal(mean, stddev float64) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		if !t.DType.IsFloat() {
			return nil, notNormal(t.DType)
		}
		var spare float64
		have := false
		// Box, Muller: A note on the generation of random normal deviates, 1958.
		return func() float64 {
			if have = !have; !have {
				return mean + stddev*spare
			}
			radius := math.Sqrt(-2 * math.Log(1-uniform()))
			sin, cos := math.Sincos(2 * math.Pi * uniform())
			spare = radius * sin
			return mean + stddev*radius*cos
		}, nil
	}
}

func notNormal(d types.DType) error {
	return fmt.Errorf("normal numbers do not fit %v: use a float dtype, Uniform or Constant", d)
}

// Uniform draws from [low, high).
func Uniform(low, high float64) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		return func() float64 { return low + (high-low)*uniform() }, nil
	}
}

// TruncatedNormal draws from the normal distribution numbers between low and high alone,
// as PyTorch's trunc_normal_ does: by inverting its cumulative distribution function. The
// deviation of what is drawn is less than stddev: 0.8796 of it between -2 and 2 stddev.
func TruncatedNormal(mean, stddev, low, high float64) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		below := func(x float64) float64 { return math.Erfc((mean-x)/(stddev*math.Sqrt2)) / 2 }
		from, to := below(low), below(high)
		switch {
		case !t.DType.IsFloat():
			return nil, notNormal(t.DType)
		case !(stddev > 0) || math.IsInf(stddev, 0) || !(low < high):
			return nil, fmt.Errorf("stddev %v must be positive and finite, and low %v below high %v", stddev, low, high)
		case !(to-from >= 1e-6): // beyond it inverting is inexact
			return nil, fmt.Errorf("less than a millionth of the normal distribution of mean %v and stddev %v is between %v and %v: widen the interval", mean, stddev, low, high)
		}
		return func() float64 {
			x := mean + stddev*math.Sqrt2*math.Erfinv(2*(from+(to-from)*uniform())-1)
			return min(max(x, low), high)
		}, nil
	}
}

// The initializers below know how many inputs and outputs an element of a weight is
// between, its fan-in and fan-out. A matrix is [in, out], as MatMul takes it on the right.
// The axes of any other weight must be named as [ConvOptions.Layout] names those of a
// kernel, or by the whole of that layout. "OIHW" is the kernel that Conv takes by default.
// "HWIO" is that of the layout "NHWC,HWIO->NHWC". "OI" is a matrix [out, in]. The fan-in
// is the dimension of I times those of the spatial axes, the fan-out that of O times the
// same. In a convolution with groups I has the input features of one group. Axes that are
// named N hold weights of their own and count in neither.

// HeNormal draws weights for layers followed by ReLU: normal with variance 2/fan-in (He,
// Zhang, Ren, Sun: Delving deep into rectifiers, 2015, equation 10). It is PyTorch's
// kaiming_normal_.
func HeNormal(layout ...string) Initializer {
	return scaled("HeNormal", layout, func(in, _ float64) Initializer { return Normal(0, math.Sqrt(2/in)) })
}

// HeUniform is [HeNormal] with uniform numbers of the same variance: within
// sqrt(6/fan-in). It is PyTorch's kaiming_uniform_ with a = 0.
func HeUniform(layout ...string) Initializer {
	return scaled("HeUniform", layout, func(in, _ float64) Initializer { return within(math.Sqrt(6 / in)) })
}

// GlorotNormal draws weights for layers followed by tanh and the like: normal with
// variance 2/(fan-in + fan-out) (Glorot, Bengio: Understanding the difficulty of training
// deep feedforward neural networks, 2010, equation 12). It is PyTorch's xavier_normal_.
func GlorotNormal(layout ...string) Initializer {
	return scaled("GlorotNormal", layout, func(in, out float64) Initializer { return Normal(0, math.Sqrt(2/(in+out))) })
}

// GlorotUniform is [GlorotNormal] with uniform numbers of the same variance: within
// sqrt(6/(fan-in + fan-out)), the paper's equation 16. It is PyTorch's xavier_uniform_.
func GlorotUniform(layout ...string) Initializer {
	return scaled("GlorotUniform", layout, func(in, out float64) Initializer { return within(math.Sqrt(6 / (in + out))) })
}

// KaimingUniform is what PyTorch's Linear and Conv layers start from: kaiming_uniform_
// with a = sqrt(5), whose limit sqrt(6/((1+a²) fan-in)) is 1/sqrt(fan-in)
// (torch/nn/modules/linear.py, reset_parameters). PyTorch draws their biases within the
// same limit: Uniform(-k, k) with k = 1/sqrt(fan-in) of the weight.
func KaimingUniform(layout ...string) Initializer {
	return scaled("KaimingUniform", layout, func(in, _ float64) Initializer { return within(math.Sqrt(1 / in)) })
}

func within(limit float64) Initializer { return Uniform(-limit, limit) }

// scaled is the initializer that of gives for the fan-in and fan-out of a weight.
func scaled(name string, layout []string, of func(in, out float64) Initializer) Initializer {
	return func(t types.Type, uniform func() float64) (func() float64, error) {
		in, out, err := axes.Fans(name, t.Shape, layout)
		if err != nil {
			return nil, err
		}
		return of(in, out)(t, uniform)
	}
}

// Constant sets every element to v.
func Constant(v float64) Initializer {
	return func(types.Type, func() float64) (func() float64, error) {
		return func() float64 { return v }, nil
	}
}
