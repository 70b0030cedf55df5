package lazy

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/alloc"
	"ltc/lazy/internal/maps"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
	"ltc/lazy/internal/varying"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Trace records programs for one device, a step each. It belongs to one
// goroutine at a time.
type Trace struct {
	dev   *Device
	b     *ir.Builder
	in    [4]*ir.Node             // operands of the op that is being recorded
	busy  atomic.Uint32           // 1 while a goroutine is in the trace
	crowd atomic.Pointer[OpError] // of another that came then

	sites     callsite.Cache
	lines     lineMode
	fixedSite callsite.Site // with fixedLine
	defines   bool          // what it records is the body of a composite
	sizes     bool          // sizes as numbers are ops: see [Dim]
	anySize   bool          // the program is that of all sizes, also where they are numbers
	exporting bool          // it is of a function that is exported

	current
	epoch uint32 // counts steps; 0 is none's
	step  int64  // that is being recorded, from 1
	name  string // of this step and the next ones
	run   run    // memory used again by every step
	queue *sched.Queue

	closures []*closure // open ones of control flow, from the outermost
	epochs   uint32     // of closures so far

	handles alloc.Slab[Tensor] // to use
	roots   alloc.Slab[Tensor] // to use, for nodes that were roots before
	values  alloc.Slab[value]  // to use, for these

	account  account.Account[SyncReason]
	tally    *tally
	stepped  *programs.Program // the latest that MarkStep ran
	syncs    SyncMode
	owner    uint64     // the goroutine that made the trace; 0 of one that is neither the user's nor a function's
	serial   int64      // counts the traces of the process
	gentle   int        // calls of gently under way
	mistake  *OpError   // of the first bad op of the body that is being recorded
	exact    bool       // no operand is converted: see quotient
	inline   string     // the composite whose ops are being recorded in its place, the user's; "" if none
	noted    *ir.Called // of that, at nodes that it has recorded; nil if at none
	hooks    []*hook
	reuse    bool                    // see Reuse
	noGrad   []*typeScope            // of NoGrad that are open
	casts    []*typeScope            // of Autocast that are open
	autocast types.DType             // see Autocast; Invalid outside of it
	gradFns  []callsite.Site         // of the gradient functions that run, see gradientFunction
	live     *alloc.WeakList[Tensor] // the handles of the step, with LiveRoots; else nil
	numbers  varying.Lines           // see NumbersAsConstants
	broken   *OpError                // of a trace that has no device

	preparing *flight   // of the step that MarkStep compiles
	slab      *soa.Slab // of small results of steps; used by the flight that runs
}

// lineMode says which line an op carries.
type lineMode uint8

const (
	callersLine  lineMode = iota // that of the user's call
	callersStack                 // the same with the calls that led there; see Stacks
	fixedLine                    // fixedSite
)

// current is what a trace has recorded of its step besides nodes.
type current struct {
	vars      map[*variable]*state
	order     []*state                      // vars, in the order of first use
	arguments *maps.Small[*value, *ir.Node] // the values that the step reads, with their nodes
	latest    struct {                      // of arguments: most ops ask for the same few
		v *value
		n *ir.Node
	}
	pinned    []*value                 // the arguments
	kept      roster                   // Keep
	read      []*Tensor                // handles with a value that keep their history for gradients
	written   roster                   // handles with a value that were written in place
	after     []func(error)            // step closures
	dests     []destination            // memory of Into
	scopes    []scope                  // open ones
	scopeNext int                      // the number of the next scope that is in none
	made      int                      // handles
	survived  int                      // of these, how many have a value
	watch     int                      // how many nodes there may be before grown looks at them
	bad       *OpError                 // of a call whose result nobody need look at
	counts    []counted                // the sizes that follow from data
	gradHooks map[*ir.Node][]*gradHook // see OnGrad
	retained  []*Tensor                // see RetainGrad
	customs   []customGrad             // by their numbers
	forgotten bool                     // some history was given up
	function  bool                     // the step is a function being traced
}

// next returns what the step after c starts with: nothing but the memory of c,
// whose variables and pins have been handed over.
func (c *current) next() current {
	c.arguments.Clear()
	clear(c.read)
	clear(c.after)
	clear(c.dests)
	clear(c.retained)
	clear(c.customs)
	return current{
		vars: c.vars, order: c.order[:0], arguments: c.arguments, pinned: c.pinned[:0], kept: c.kept.Emptied(),
		read: c.read[:0], written: c.written.Emptied(), after: c.after[:0], dests: c.dests[:0], scopes: c.scopes[:0],
		retained: c.retained[:0], customs: c.customs[:0],
	}
}

// NewTrace returns a trace that records programs for d. Without a device, as when
// the error of [Open] was not looked at, it is a trace of which every call gives
// an error that says so.
func NewTrace(d *Device) *Trace {
	if !d.opens() {
		return broken(notOpened("new_trace"))
	}
	tr := newTrace(d).registered()
	tr.Reuse(settings.Reuse.On())
	tr.owner = sched.Goroutine()
	return tr
}

// newTrace returns a trace for one step, whose ops count nowhere: those of
// composites' bodies are not the user's.
func newTrace(d *Device) *Trace {
	mode := callersLine
	if d.stacks > 1 {
		mode = callersStack
	}
	return &Trace{
		dev: d, serial: traces.Add(1), lines: mode, b: ir.NewBuilder(shapeinfer.Infer), epoch: 1, step: 1,
		current: current{vars: map[*variable]*state{}, arguments: new(maps.Small[*value, *ir.Node]), watch: d.graphLimit},
		queue:   d.sched.NewQueue(), slab: d.slab(), tally: newTally(), syncs: d.syncs.mode,
	}
}

// Device returns the device that the trace records for; nil if it has none.
func (tr *Trace) Device() *Device {
	if nowhere(tr) {
		return nil
	}
	return tr.dev
}

// String names the trace's device and the step that is being recorded.
func (tr *Trace) String() string {
	if nowhere(tr) {
		return "no trace"
	}
	return fmt.Sprintf("trace on %v, %s", tr.dev, sched.StepText(tr.step, tr.name))
}

func (tr *Trace) device() *Device { return tr.dev }
func (tr *Trace) trace() *Trace   { return tr }

// fail makes the step fail with err: for calls made for their effect.
func (tr *Trace) fail(err *OpError) *Tensor {
	if tr.bad == nil {
		tr.bad = err
	}
	return tr.poisoned(err)
}

// traces counts the traces that were made.
var traces atomic.Int64

// tracing are the traces that functions are being traced in, each on the goroutine that owns it.
var tracing struct {
	n atomic.Int32
	sync.Mutex
	traces []*Trace
}

// beginFunction notes that the calling goroutine traces a function in tr, until it calls end.
func (tr *Trace) beginFunction() (end func()) {
	tr.function, tr.owner = true, sched.Goroutine()
	tracing.n.Add(1)
	tracing.Lock()
	defer tracing.Unlock()
	tracing.traces = append(tracing.traces, tr)
	return func() {
		tracing.n.Add(-1)
		tracing.Lock()
		defer tracing.Unlock()
		i := slices.Index(tracing.traces, tr)
		tracing.traces = slices.Delete(tracing.traces, i, i+1)
	}
}

// innerTrace returns the trace of the function that the calling goroutine is tracing, if tr was
// made before: what is recorded in tr then is recorded once, and not with each call. It returns
// nil if there is none.
func (tr *Trace) innerTrace() *Trace {
	if tracing.n.Load() == 0 {
		return nil
	}
	me := sched.Goroutine()
	tracing.Lock()
	defer tracing.Unlock()
	for _, f := range slices.Backward(tracing.traces) {
		if f.owner == me {
			if tr.serial < f.serial {
				return f
			}
			return nil
		}
	}
	return nil
}

// once is the error of op, which writes for a step of tr while a function is traced that each
// call is to run; nil if none is.
func (tr *Trace) once(op string, xs ...*Tensor) *Tensor {
	f := tr.innerTrace()
	if f == nil {
		return nil
	}
	return f.fail(opError(f.site(), op, ErrUsage, xs, "it writes for a step of another trace, within a function that is being traced: that would be done once, and not by each call; assign a variable, or return the tensor"))
}

// scope is a named part of a step, open.
type scope struct {
	path string // of names and numbers: encoder.0/layer.1
	next int    // the number of the next scope within
	site callsite.Site
}

// NameStep names the step being recorded, and those after it until the next call,
// in errors and reports. Programs do not depend on it.
func (tr *Trace) NameStep(step string) { tr.some().name = step }

// Scope opens a named part of the step: ops recorded until the function that it returns is
// called belong to it. Errors, the text of programs and ltc-dump show it; the code that is
// compiled and run does not depend on it. Scopes nest: the second one opened within
// encoder.0 is encoder.0/layer.1, numbers starting anew in each and at each step. Closing a
// scope closes those opened within. A scope still open at MarkStep makes the step fail:
// close it before, as with
//
//	func (e *Encoder) Forward(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
//		defer tr.Scope("encoder")()
func (tr *Trace) Scope(name string) (end func()) {
	tr = tr.some()
	next, path := &tr.scopeNext, ""
	if n := len(tr.scopes); n > 0 {
		outer := &tr.scopes[n-1]
		next, path = &outer.next, outer.path+"/"
	}
	path += name + "." + strconv.Itoa(*next)
	*next++
	at, epoch := len(tr.scopes), tr.epoch
	site := tr.site()
	tr.scopes = append(tr.scopes, scope{path: path, site: site})
	closed := false
	return func() {
		if !closed && epoch == tr.epoch && at < len(tr.scopes) {
			tr.scopes = tr.scopes[:at]
		}
		closed = true
	}
}

// A trace belongs to one goroutine at a time. enter and leave stand around what
// changes it, so that a second goroutine is found and changes nothing.

// enter reports whether no other goroutine is in the trace.
func (tr *Trace) enter() bool { return tr.busy.CompareAndSwap(0, 1) }

func (tr *Trace) leave() { tr.busy.Store(0) }

// crowded is the error of a call while another goroutine is in the trace. The
// step fails with it, too: what that one records has lost an op.
func (tr *Trace) crowded(op string, xs ...*Tensor) *OpError {
	if tr.broken != nil {
		return tr.broken
	}
	why := "another goroutine is using the trace; a trace belongs to one goroutine at a time: give each its own, they share variables"
	if tr.queue.ClosingHere() {
		why = "a step closure must not record in the trace that runs it: record in another one, or after the step"
	}
	err := opError(callsite.Caller(), op, ErrUsage, xs, "%s", why) // the trace's are the other goroutine's
	tr.crowd.CompareAndSwap(nil, err)
	return err
}

// uncrowded returns the error of a call by another goroutine in the step, once
// unless the step goes on.
func (tr *Trace) uncrowded(on bool) error {
	err := tr.crowd.Load()
	switch {
	case err == nil:
		return nil
	case !on:
		tr.crowd.Store(nil)
	}
	return err
}
