package exec

import (
	"context"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
	"ltc/soa"
)

// RunMemory gives a [Driver] access to the memory of a run's values.
type RunMemory interface {
	// View returns a dense view of a value's memory, as type t.
	View(v plan.ValueID, t types.Type) soa.View
	// Make returns memory for values that a loop carries from one iteration to the next. The
	// memory lasts as long as the driver.
	Make(t types.Type) (soa.View, error)
	// Copy copies between dense views of one type, after all earlier work of the run. A
	// copy to the host's memory is done when Copy returns.
	Copy(dst, src soa.View) error
}

// Looper is a [Target] that can run some loops in compiled code, without the host.
type Looper interface {
	Target
	// Loop runs step i, a loop, on m. It returns the number of the arguments with which the
	// condition was false, and true; or false if the host has to run the loop.
	Loop(ctx context.Context, i int, m *LoopMemory) (last int, ran bool, err error)
}

// GroupLooper is a [Looper] that can run loops which follow each other at the same time.
type GroupLooper interface {
	Looper
	// LoopsFrom returns the end of the steps from i on that Loops is to run at the same time, all of
	// them loops; i+1 if step i is to run by itself.
	LoopsFrom(i int) (end int)
	// Loops is Loop for step i and the steps after it, one for each of m, which run at the same
	// time. It sets last by loop. Ran is false if the loops have to run one after the other: none of
	// them has begun. If there is an error, failed is the first step that failed.
	Loops(ctx context.Context, i int, m []*LoopMemory, last []int) (failed int, ran bool, err error)
}

// Regions holds the executables of the regions of loops and branches: [s][r] is region r of
// step s.
type Regions [][]backends.Executable

// MakeRegions returns the regions of a program. For region r of step s, MakeRegions calls one(s,
// r), and sets Region of the executable's [Results]. It returns the first error of one.
func MakeRegions(p *plan.Program, one func(step, region int) (backends.Executable, error)) (Regions, error) {
	all := make(Regions, len(p.Steps))
	for i := range p.Steps {
		for r := range p.Steps[i].Regions() {
			e, err := one(i, r)
			if err != nil {
				return nil, err
			}
			if x, ok := e.(interface{ asRegion() }); ok {
				x.asRegion()
			}
			all[i] = append(all[i], e)
		}
	}
	return all, nil
}

// Driver runs the loops and branches of a program. A region is the body or the condition of a
// loop, or one branch. The host decides which region runs next, and the region's executable runs
// it, unless a [Looper] runs the loop. One run at a time uses a driver, which keeps memory for the
// next run. The zero value is ready for use.
type Driver struct {
	loops  map[int]*LoopMemory // by step
	looper Looper              // nil: the host runs all loops
	groups GroupLooper         // the looper, if it is one; else nil
	group  []*LoopMemory       // of the loops that run at the same time
	last   []int               // of these, what Loops sets
	index  map[types.DType]soa.View
	call   backends.Call
	sizes  []int64
}

// Run runs step i, a loop or a branch. The executables of regions are called with queue, and are
// for the sizes of the run: see [plan.Opening]. An
// error names the op of the loop or branch: see [Failure].
func (d *Driver) Run(ctx context.Context, p *plan.Program, regions Regions, i int, at RunMemory, queue backends.Queue, sizes []int64) error {
	s := &p.Steps[i]
	d.sizes = sizes
	if loop, ok := s.Work.(*plan.Loop); ok {
		return d.loop(ctx, regions[i], at, s, i, loop, queue)
	}
	return d.branch(ctx, p, regions[i], at, s, s.Work.(*plan.Branch), queue)
}

// Failure returns the error of a program whose step s failed with err: the cause of ctx if ctx
// has ended, and otherwise a [backends.RunError] of the step's op. A loop, which may be endless, is
// named in both cases.
func Failure(ctx context.Context, s *plan.Step, err error) error {
	if ctx.Err() != nil {
		if _, loop := s.Work.(*plan.Loop); !loop {
			return context.Cause(ctx)
		}
		err = context.Cause(ctx)
	}
	return s.Failed(err)
}

// LoopMemory is the memory of a loop. A carried value alternates between two buffers from
// one iteration to the next: the step's output (outs), and a buffer of the loop (own). A
// value that the loop updates in place has the output only.
type LoopMemory struct {
	own  []soa.View // by carried value; equal to outs for a value that is updated in place
	room []int      // bytes of own
	// takes are the arguments of the regions: the initial values, the values in outs, and
	// the values in own, each followed by the captured values.
	takes      [3][]soa.View
	outs       []soa.View // by carried value
	cond, body backends.Call
	more       [1]soa.View // result of cond: whether there is another iteration
}

func newLoopMemory(loop *plan.Loop) *LoopMemory {
	m := &LoopMemory{outs: make([]soa.View, len(loop.Outs))}
	m.own, m.room = make([]soa.View, len(loop.Init)), make([]int, len(loop.Init))
	for i := range m.takes {
		m.takes[i] = make([]soa.View, len(loop.Init)+len(loop.Captured))
	}
	m.more[0] = soa.Make(types.Of(types.Bool))
	return m
}

// place points m at the operands and outputs of a run, whose sizes may differ from the
// previous run's. It allocates own where it is too small.
func (m *LoopMemory) place(at RunMemory, loop *plan.Loop) error {
	n := len(loop.Init)
	for i, a := range loop.Init {
		if loop.Stays[i] {
			m.own[i] = at.View(loop.Outs[i], a.Type)
			continue
		}
		if m.own[i].IsZero() || a.Type.Bytes() > m.room[i] {
			t := a.Type
			t.Shape = slices.Clone(t.Shape) // with an open size, later runs change it
			v, err := at.Make(t)
			if err != nil {
				return err
			}
			m.own[i], m.room[i] = v, t.Bytes()
		} else if !m.own[i].Type.Equal(a.Type) {
			t := a.Type
			t.Shape = slices.Clone(t.Shape)
			m.own[i].Type, m.own[i].Strides = t, soa.Dense(t.Shape)
		}
	}
	for i, v := range loop.Outs {
		m.outs[i] = at.View(v, loop.Init[i].Type)
		m.takes[0][i] = at.View(loop.Init[i].Value, loop.Init[i].Type)
	}
	copy(m.takes[1], m.outs)
	copy(m.takes[2], m.own)
	for i, a := range loop.Captured {
		v := at.View(a.Value, a.Type)
		for t := range m.takes {
			m.takes[t][n+i] = v
		}
	}
	return nil
}

// forget drops the views of the caller's memory.
func (m *LoopMemory) forget(loop *plan.Loop) {
	for i, stays := range loop.Stays {
		if stays {
			m.own[i] = soa.View{}
		}
	}
	clear(m.outs)
	for i := range m.takes {
		clear(m.takes[i])
	}
	m.body = backends.Call{}
	m.cond = backends.Call{}
}

// Call returns the views of an iteration. Arguments are those of both regions, results are those
// of the body. Number 0 is the first iteration. Numbers 1 and 2 follow it by turns; they are
// equal if the loop updates all values in place.
func (m *LoopMemory) Call(number int) (args, results []soa.View) {
	if number == 1 {
		return m.takes[1], m.own
	}
	return m.takes[number], m.outs
}

// More is the result of the condition.
func (m *LoopMemory) More() []soa.View { return m.more[:] }

// runGroup runs the loops from step i on that the target runs at the same time. It returns the
// last of them, and false if step i is to run by itself.
func (d *Driver) runGroup(ctx context.Context, p *plan.Program, i int, at RunMemory) (last int, ran bool, err error) {
	if d.groups == nil {
		return i, false, nil
	}
	end := d.groups.LoopsFrom(i)
	if end <= i+1 {
		return i, false, nil
	}
	defer func() {
		for k, m := range d.group {
			m.forget(p.Steps[i+k].Work.(*plan.Loop))
		}
		clear(d.group)
	}()
	d.group, d.last = d.group[:0], d.last[:0]
	for k := i; k < end; k++ {
		loop := p.Steps[k].Work.(*plan.Loop)
		m := d.memory(k, loop)
		d.group, d.last = append(d.group, m), append(d.last, 0)
		if err := m.place(at, loop); err != nil {
			return i, false, nil // which the loop finds again if it comes to that
		}
	}
	failed, ran, err := d.groups.Loops(ctx, i, d.group, d.last)
	switch {
	case !ran:
		return i, false, nil
	case err != nil:
		return end - 1, true, Failure(ctx, &p.Steps[failed], err)
	}
	for k, m := range d.group {
		if err := m.finish(at, d.last[k]); err != nil {
			return end - 1, true, Failure(ctx, &p.Steps[i+k], err)
		}
	}
	return end - 1, true, nil
}

// memory returns the memory of step i, a loop.
func (d *Driver) memory(i int, loop *plan.Loop) *LoopMemory {
	m := d.loops[i]
	if m == nil {
		m = newLoopMemory(loop)
		if d.loops == nil {
			d.loops = map[int]*LoopMemory{}
		}
		d.loops[i] = m
	}
	return m
}

// finish copies what the loop carries at last to where it belongs. Last is the number of the
// arguments that it is: see Call.
func (m *LoopMemory) finish(at RunMemory, last int) error {
	for i, to := range m.outs {
		if from := m.takes[last][i]; from.Base() != to.Base() {
			if err := at.Copy(to, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// loop runs a while, which is step i.
func (d *Driver) loop(ctx context.Context, regions []backends.Executable, at RunMemory, s *plan.Step, i int, loop *plan.Loop, queue backends.Queue) error {
	m := d.memory(i, loop)
	defer m.forget(loop)
	if err := m.place(at, loop); err != nil {
		return Failure(ctx, s, err)
	}
	last, ran := 0, false
	var err error
	if d.looper != nil {
		last, ran, err = d.looper.Loop(ctx, i, m)
	}
	if !ran && err == nil {
		last, err = m.run(ctx, regions[0], regions[1], queue, d.sizes)
	}
	if err != nil {
		return Failure(ctx, s, err)
	}
	if err := m.finish(at, last); err != nil {
		return Failure(ctx, s, err)
	}
	return nil
}

// run runs the iterations of a loop by calls of its regions. It returns the number of the
// arguments with which the condition was false: see Call.
func (m *LoopMemory) run(ctx context.Context, cond, body backends.Executable, queue backends.Queue, sizes []int64) (last int, err error) {
	m.cond.Queue, m.body.Queue = queue, queue
	for {
		args, results := m.Call(last)
		m.cond.Args, m.cond.Results = args, m.more[:]
		if err := execute(ctx, cond, &m.cond, sizes); err != nil {
			return 0, err
		}
		if !soa.Slice[bool](m.more[0])[0] {
			return last, nil
		}
		m.body.Args, m.body.Results = args, results
		if err := execute(ctx, body, &m.body, sizes); err != nil {
			return 0, err
		}
		last = 1 + last&1
	}
}

// execute runs a region on views of the run, which are dense and fit its signature.
func execute(ctx context.Context, region backends.Executable, c *backends.Call, sizes []int64) error {
	if x, ok := region.(interface {
		runDense(context.Context, *backends.Call, []int64) error
	}); ok {
		return x.runDense(ctx, c, sizes)
	}
	return region.Execute(ctx, c)
}

// branch runs the region that an if or a case chooses.
func (d *Driver) branch(ctx context.Context, p *plan.Program, regions []backends.Executable, at RunMemory, s *plan.Step, b *plan.Branch, queue backends.Queue) error {
	index, known := d.index[b.Index.Type.DType]
	if !known {
		if d.index == nil {
			d.index = map[types.DType]soa.View{}
		}
		index = soa.Make(types.Of(b.Index.Type.DType))
		d.index[b.Index.Type.DType] = index
	}
	if err := at.Copy(index, at.View(b.Index.Value, index.Type)); err != nil {
		return Failure(ctx, s, err)
	}
	c := &d.call
	c.Queue = queue
	show(c, p, at, b.Captured, b.Outs)
	err := execute(ctx, regions[chosen(index, len(regions))], c, d.sizes)
	clear(c.Args)
	clear(c.Results)
	if err != nil {
		return Failure(ctx, s, err)
	}
	return nil
}

// show sets the arguments and results of a call to views of a program's values.
func show(c *backends.Call, p *plan.Program, at RunMemory, args []plan.HostArg, outs []plan.ValueID) {
	c.Args, c.Results = c.Args[:0], c.Results[:0]
	for _, a := range args {
		c.Args = append(c.Args, at.View(a.Value, a.Type))
	}
	for _, v := range outs {
		c.Results = append(c.Results, at.View(v, p.Values[v].Type))
	}
}

// chosen returns the number of the region that a branch's index selects, of n regions: the
// first for true, and the last for an index that is out of range.
func chosen(index soa.View, n int) int {
	if index.Type.DType == types.Bool {
		if soa.Slice[bool](index)[0] {
			return 0
		}
		return 1
	}
	if i := int(soa.Slice[int32](index)[0]); i >= 0 && i < n {
		return i
	}
	return n - 1
}
