package reference

import (
	"context"
	"slices"
	"time"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/env"
)

// kernelLoop runs a loop whose condition and body are kernels. Launches that follow each other are
// a chain, if they are short and their code can be in one. The launches of an iteration are there
// once for each number of [exec.LoopMemory.Call].
type kernelLoop struct {
	programs [2]region    // the condition and the body; nil: the host drives the loop
	regions  [2]*launcher // those that run them
	chain    kernel.Chain // nil: no launch can be in one
	inPlace  bool         // all values are updated in place: numbers 1 and 2 are equal
	calls    []kernel.Call
	pointers []unsafe.Pointer // of the operands of all launches
	launches []loopLaunch     // of the run, those that have something to do
	// successors are by launch. They and chain are for the launches linked, and for these fits
	// of the regions.
	successors []successor
	linked     []loopLaunch
	fits       [2]uint64
	test       *bool // the condition's result
	pending    bool  // code of a launch was still being compiled when launches were linked
	call       backends.Call
	last       *lastLoop
	grouped    bool // other loops run meanwhile: launches run on one thread
}

// region is the program of a region of a loop.
type region interface {
	// hold returns a launcher with memory for calls of c's sizes, which follow from the open sizes of
	// the run. It is another's until release.
	hold(ctx context.Context, c *backends.Call, sizes []int64) (*launcher, error)
	release(l *launcher)
	// measures reports whether it has timers for its steps.
	measures() bool
	// launches reports whether all its steps have code, so that the host runs and drives none.
	launches() bool
}

func (e *compiled) hold(context.Context, *backends.Call, []int64) (*launcher, error) {
	return e.pool.Get(), nil
}
func (e *compiled) release(l *launcher) { e.pool.Put(l) }
func (e *compiled) measures() bool      { return e.Times != nil }
func (e *compiled) launches() bool {
	return !slices.ContainsFunc(e.steps, func(s compiledStep) bool { return s.code == nil })
}

func (s *openExecutable) hold(ctx context.Context, c *backends.Call, sizes []int64) (*launcher, error) {
	r, err := s.Dense().take(ctx, sizes)
	if err != nil {
		return nil, err
	}
	return r.l, r.member.Program.FitResults(c)
}

func (s *openExecutable) release(l *launcher) { s.Dense().runs.Put(l.sized) }
func (s *openExecutable) measures() bool      { return s.Times != nil }
func (s *openExecutable) launches() bool      { return !slices.Contains(s.Dense().steps, nil) }

// loopLaunch is a launch of a loop: a step of a region in iterations of a number.
type loopLaunch struct{ number, region, step int }

// successor is the launch that follows a launch of a loop.
type successor struct {
	next    int
	tests   bool // the loop ends here if the condition is false
	chained bool // the launch is in the chain
}

// condition is the region of a loop that says whether there is another iteration.
const condition = 0

// loopTime is about how many nanoseconds a chain runs before the context of the run is looked at,
// and before the scheduler and the collector may have the thread.
const loopTime = 100_000

// Loop implements [exec.Looper].
func (l *launcher) Loop(ctx context.Context, i int, m *exec.LoopMemory) (last int, ran bool, err error) {
	c := l.loop(i)
	if c.programs[condition] == nil {
		return 0, false, nil
	}
	defer c.forget()
	if ready, err := c.prepare(ctx, m, l.Sizes); err != nil || !ready {
		return 0, false, err
	}
	last, err = c.run(ctx)
	return last, true, err
}

// loop returns what runs step i, a loop.
func (l *launcher) loop(i int) *kernelLoop {
	c := l.loops[i]
	if c == nil {
		c = newKernelLoop(l.of, i)
		if l.loops == nil {
			l.loops = map[int]*kernelLoop{}
		}
		l.loops[i] = c
	}
	c.last = l.of.steps[i].loop // for other sizes, another one
	return c
}

// prepare makes the loop ready to run on m. It reports false if the host has to run it.
func (c *kernelLoop) prepare(ctx context.Context, m *exec.LoopMemory, sizes []int64) (bool, error) {
	for r := range c.programs {
		if err := c.hold(ctx, r, m, sizes); err != nil {
			return false, err
		}
	}
	c.allocate()
	if !c.place(m) {
		return false, nil
	}
	c.link(m)
	return true, nil
}

// newKernelLoop returns loop i of a program. It has no programs if the host has to drive the loop:
// a step has no code, or steps are measured or checked.
func newKernelLoop(e *compiled, i int) *kernelLoop {
	c := new(kernelLoop)
	if e.Times != nil || env.Checks.On() {
		return c
	}
	loop := e.Plan.Program.Steps[i].Work.(*plan.Loop)
	var programs [2]region
	for r := range programs {
		of, ok := e.Regions[i][r].(region)
		if !ok || of.measures() || !of.launches() {
			return c
		}
		programs[r] = of
	}
	c.programs, c.inPlace = programs, !slices.Contains(loop.Stays, false)
	return c
}

// hold takes memory for region r, for the views of m.
func (c *kernelLoop) hold(ctx context.Context, r int, m *exec.LoopMemory, sizes []int64) (err error) {
	c.view(r, 0, m)
	c.regions[r], err = c.programs[r].hold(ctx, &c.call, sizes)
	return err
}

// view sets the call of region r in iterations of a number.
func (c *kernelLoop) view(r, number int, m *exec.LoopMemory) {
	if c.call.Args, c.call.Results = m.Call(number); r == condition {
		c.call.Results = m.More()
	}
}

// allocate makes room for the launches of the regions, unless these are fitted as in the run before.
func (c *kernelLoop) allocate() {
	fits := [2]uint64{c.regions[0].fitted, c.regions[1].fitted}
	if fits == c.fits {
		return
	}
	c.fits, c.linked = fits, nil
	if c.calls != nil { // of other sizes, launches are as many
		return
	}
	count, operands := 0, 0
	var chainer kernel.Chainer
	for _, l := range c.regions {
		count += len(l.of.steps)
		for k := range l.of.steps {
			s := &l.of.steps[k]
			operands += len(s.Operands)
			if n, ok := s.code.(kernel.Chainer); ok {
				chainer = n
			}
		}
	}
	c.calls = make([]kernel.Call, c.numbers()*count)
	c.pointers = make([]unsafe.Pointer, c.numbers()*operands)
	if chainer != nil {
		c.chain = chainer.NewChain(len(c.calls))
	}
}

// isCut reports whether a launch is cut, and takes long.
func (c *kernelLoop) isCut() bool {
	for _, l := range c.regions {
		if slices.ContainsFunc(l.of.codeOf, func(s *sizedCode) bool { return s.parts > 1 && !s.short }) {
			return true
		}
	}
	return false
}

// numbers returns the count of numbers that [exec.LoopMemory.Call] takes.
func (c *kernelLoop) numbers() int {
	if c.inPlace {
		return 2
	}
	return 3
}

// place sets the pointers of all launches, and lists those that have something to do.
// It returns false if a result of the body cannot be written at once where it belongs.
func (c *kernelLoop) place(m *exec.LoopMemory) bool {
	c.launches = c.launches[:0]
	pointers := c.pointers
	for number := range c.numbers() {
		for r, l := range c.regions {
			c.view(r, number, m)
			if !l.placeRegion(&c.call) {
				return false
			}
			before := len(c.launches)
			for k := range l.of.steps {
				s := &l.of.steps[k]
				own := pointers[:len(s.Operands):len(s.Operands)]
				pointers = pointers[len(own):]
				if s.point(own, l.Mem); s.Copies && own[0] == own[1] {
					continue
				}
				c.calls[len(c.launches)].Mem = own
				c.launches = append(c.launches, loopLaunch{number, r, k})
			}
			if r == condition && len(c.launches) == before {
				return false
			}
		}
	}
	return true
}

// placeRegion sets the addresses of a region's arguments and results. It returns false if kernels
// may not write a result there.
func (l *launcher) placeRegion(call *backends.Call) bool {
	p := l.Program
	for i, id := range p.Args {
		if l.Bound != nil && !l.Bound[i].IsZero() {
			l.Mem[id] = l.Bound[i].Base()
		} else {
			l.Mem[id] = call.Args[i].Base()
		}
	}
	for j, id := range p.Results {
		v, atOnce := l.Rules.Destination(call, j, false)
		if !atOnce {
			return false
		}
		l.Mem[id] = v.Base()
	}
	return true
}

// link finds the successor of each launch, and sets the launches of the chain, unless the launches
// are those of the run before.
func (c *kernelLoop) link(m *exec.LoopMemory) {
	if slices.Equal(c.linked, c.launches) && !c.pending {
		return
	}
	c.pending = false
	c.linked, c.successors = append(c.linked[:0], c.launches...), c.successors[:0]
	c.test = (*bool)(m.More()[0].Base())
	for i, at := range c.launches {
		l, s := c.step(i)
		call := &c.calls[i]
		call.Sizes, call.Strides, call.Scratch, call.Parts = s.Sizes, s.Strides, l.workers[0].call.Scratch, 1
		w := successor{next: i + 1}
		if w.next == len(c.launches) {
			w.next = slices.IndexFunc(c.launches, func(x loopLaunch) bool { return x.number == 1 })
		}
		to := c.launches[w.next]
		w.tests = at.region == condition && (to.region != condition || w.next != i+1 || to.number != at.number)
		w.chained = c.setChained(i, w, w.next)
		c.successors = append(c.successors, w)
	}
	for i, w := range c.successors {
		if w.chained && !c.successors[w.next].chained {
			c.setChained(i, w, kernel.ChainEnds)
		}
	}
}

// step returns the step of launch i, and the launcher of its region.
func (c *kernelLoop) step(i int) (*launcher, *compiledStep) {
	at := c.launches[i]
	l := c.regions[at.region]
	return l, &l.of.steps[at.step]
}

// setChained sets launch i of the chain, and reports whether it can be in one.
func (c *kernelLoop) setChained(i int, w successor, next int) bool {
	_, s := c.step(i)
	if s.pending() {
		c.pending = true
		return false
	}
	var test *bool
	if w.tests {
		test = c.test
	}
	return c.chain != nil && s.parts == 1 && c.chain.Set(i, s.now(), &c.calls[i], test, next)
}

// run runs the launches. It returns the number of the iteration whose condition was false.
func (c *kernelLoop) run(ctx context.Context) (last int, err error) {
	done, start := ctx.Done(), time.Now()
	for at := 0; ; {
		ended := true
		if c.successors[at].chained {
			at, ended, err = c.chain.Run(at, loopTime)
		} else {
			l, s := c.step(at)
			err = l.launch(s, c.calls[at].Mem, s.Strides, done)
		}
		if err != nil {
			_, s := c.step(at)
			return 0, s.Failed(err)
		}
		select {
		case <-done:
			return 0, context.Cause(ctx)
		default:
		}
		if ended {
			if c.successors[at].tests && !*c.test {
				c.last.cut.Store(c.isCut())
				c.last.took.Store(int64(time.Since(start)))
				return c.launches[at].number, nil
			}
			at = c.successors[at].next
		}
	}
}

// forget drops the caller's memory, and gives the regions' memory back.
func (c *kernelLoop) forget() {
	clear(c.pointers)
	c.call = backends.Call{}
	for r, l := range c.regions {
		if l == nil {
			continue
		}
		if c.grouped {
			l.crew.limit(l.of.workers)
		}
		l.Forget()
		for _, id := range l.Program.Args {
			l.Mem[id] = nil
		}
		for _, id := range l.Program.Results {
			l.Mem[id] = nil
		}
		c.programs[r].release(l)
		c.regions[r] = nil
	}
	c.grouped = false
}
