package reference

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/env"
)

// loopChain runs a loop whose condition and body are short kernels as a chain of launches. The
// chain has the launches of an iteration once for each numbering of [exec.LoopMemory.Call].
type loopChain struct {
	regions  [2]*launcher // of the condition and of the body: the memory of their temporaries
	chain    kernel.Chain // nil: the host runs the loop
	stays    bool         // all values are updated in place: numbers 1 and 2 are equal
	calls    []kernel.Call
	pointers []unsafe.Pointer // of the operands of all launches
	links    []loopLink
	had      []loopLink // those that the chain is set to
	call     backends.Call
}

// loopLink is a launch of a chain: a step of a region in iterations of a number.
type loopLink struct{ number, region, step int }

// condition is the region of a loop that says whether there is another iteration.
const condition = 0

// loopTime is about how many nanoseconds a chain runs before the context of the run is looked at,
// and before the scheduler and the collector may have the thread.
const loopTime = 100_000

// Loop implements [exec.Looper].
func (l *launcher) Loop(ctx context.Context, i int, m *exec.LoopMemory) (last int, ran bool, err error) {
	c := l.loops[i]
	if c == nil {
		c = newLoopChain(l.of, i)
		if l.loops == nil {
			l.loops = map[int]*loopChain{}
		}
		l.loops[i] = c
	}
	if c.chain == nil {
		return 0, false, nil
	}
	defer c.forget()
	if !c.place(m) || !c.link(m) {
		return 0, false, nil
	}
	last, err = c.run(ctx)
	return last, true, err
}

// newLoopChain returns the chain for loop i of a program. It has none if the host has to run the
// loop: something in it is no kernel, is cut for threads or has no compiled code; or the steps
// are measured or checked.
func newLoopChain(e *compiled, i int) *loopChain {
	c := new(loopChain)
	if e.Times != nil || env.Checks.On() {
		return c
	}
	launches, operands := 0, 0
	var code kernel.Chainer
	for r, x := range e.Regions[i] {
		of, ok := x.(*compiled)
		if !ok || of.views != nil || of.Times != nil {
			return c
		}
		for k := range of.steps {
			s := &of.steps[k]
			if _, kernels := s.Work.(*plan.Launch); !kernels || s.parts != 1 {
				return c
			}
			if code, ok = s.code.(kernel.Chainer); !ok {
				return c
			}
			operands += len(s.Operands)
		}
		launches += len(of.steps)
		if r == condition && launches == 0 {
			return c
		}
	}
	loop := e.Plan.Program.Steps[i].Work.(*plan.Loop)
	c.stays = true
	for _, stays := range loop.Stays {
		c.stays = c.stays && stays
	}
	for r, x := range e.Regions[i] {
		c.regions[r] = x.(*compiled).launcher()
	}
	c.calls = make([]kernel.Call, c.numbers()*launches)
	c.pointers = make([]unsafe.Pointer, c.numbers()*operands)
	c.chain = code.NewChain(len(c.calls))
	return c
}

// numbers returns how many numbers of iterations differ.
func (c *loopChain) numbers() int {
	if c.stays {
		return 2
	}
	return 3
}

// place sets the pointers of all launches, and links to the launches that have something to do.
// It returns false if a result of the body cannot be written at once where it belongs.
func (c *loopChain) place(m *exec.LoopMemory) bool {
	c.links = c.links[:0]
	pointers := c.pointers
	for number := range c.numbers() {
		args, results := m.Call(number)
		for region, l := range c.regions {
			c.call.Args, c.call.Results = args, results
			if region == condition {
				c.call.Results = m.More()
			}
			if !l.placeRegion(&c.call) {
				return false
			}
			before := len(c.links)
			for k := range l.of.steps {
				s := &l.of.steps[k]
				own := pointers[:len(s.Operands):len(s.Operands)]
				pointers = pointers[len(own):]
				if s.point(own, l.Mem); s.Copies && own[0] == own[1] {
					continue
				}
				c.calls[len(c.links)].Mem = own
				c.links = append(c.links, loopLink{number, region, k})
			}
			if region == condition && len(c.links) == before {
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
		l.Mem[id] = call.Args[i].Base()
	}
	for j, id := range p.Results {
		v, atOnce := l.Rules.Destination(call, j)
		if !atOnce {
			return false
		}
		l.Mem[id] = v.Base()
	}
	return true
}

// link sets the launches of the chain, unless it has the same ones. It returns false if some launch
// cannot be in it: then the host runs this loop and those that follow.
func (c *loopChain) link(m *exec.LoopMemory) bool {
	if slices.Equal(c.had, c.links) {
		return true
	}
	c.had = append(c.had[:0], c.links...)
	more := (*bool)(m.More()[0].Base())
	for i, at := range c.links {
		l := c.regions[at.region]
		s := &l.of.steps[at.step]
		call := &c.calls[i]
		call.Sizes, call.Strides, call.Scratch, call.Parts = s.Sizes, s.Strides, l.workers[0].call.Scratch, 1
		next, test := i+1, (*bool)(nil)
		if next == len(c.links) {
			next = slices.IndexFunc(c.links, func(x loopLink) bool { return x.number == 1 })
		}
		if to := c.links[next]; at.region == condition && (to.region != condition || to.number != at.number || next <= i) {
			test = more
		}
		if !c.chain.Set(i, s.code, call, test, next) {
			*c = loopChain{}
			return false
		}
	}
	return true
}

// run runs the chain. It returns the number of the iteration whose condition was false.
func (c *loopChain) run(ctx context.Context) (last int, err error) {
	done := ctx.Done()
	for at, ended := 0, false; ; {
		if at, ended, err = c.chain.Run(at, loopTime); err != nil {
			of := c.links[at]
			return 0, &backends.RunError{Op: c.regions[of.region].of.steps[of.step].Ordinal, Reason: err}
		}
		if ended {
			return c.links[at].number, nil
		}
		select {
		case <-done:
			return 0, context.Cause(ctx)
		default:
		}
	}
}

// forget drops the caller's memory.
func (c *loopChain) forget() {
	clear(c.pointers)
	c.call = backends.Call{}
	for _, l := range c.regions {
		if l == nil {
			continue
		}
		for _, id := range l.Program.Args {
			l.Mem[id] = nil
		}
		for _, id := range l.Program.Results {
			l.Mem[id] = nil
		}
	}
}
