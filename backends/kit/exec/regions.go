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

// Regions holds the executables of the regions of loops and branches: [s][r] is region r of
// step s.
type Regions [][]backends.Executable

// MakeRegions returns the regions of a program. For region r of step s, MakeRegions calls one(s,
// r). It returns the first error of one.
func MakeRegions(p *plan.Program, one func(step, region int) (backends.Executable, error)) (Regions, error) {
	all := make(Regions, len(p.Steps))
	for i := range p.Steps {
		for r := range p.Steps[i].Regions() {
			e, err := one(i, r)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], e)
		}
	}
	return all, nil
}

// Driver runs the loops and branches of a program. A region is the body or the condition of a
// loop, or one branch. The host decides which region runs next, and the region's executable runs
// it. One run at a time uses a driver, which keeps memory for the next run. The zero value is
// ready for use.
type Driver struct {
	loops map[*plan.Step]*loopMemory
	index map[types.DType]soa.View
	call  backends.Call
}

// Run runs step i, a loop or a branch. The executables of regions are called with queue. An
// error names the op of the loop or branch: see [Failure].
func (d *Driver) Run(ctx context.Context, p *plan.Program, regions Regions, i int, at RunMemory, queue backends.Queue) error {
	s := &p.Steps[i]
	if loop, ok := s.Work.(*plan.Loop); ok {
		return d.loop(ctx, regions[i][0], regions[i][1], at, s, loop, queue)
	}
	return d.branch(ctx, p, regions[i], at, s, s.Work.(*plan.Branch), queue)
}

// Failure returns the error of a program whose step s failed with err: the cause of ctx if ctx
// has ended, and otherwise a [backends.RunError] of the step's op.
func Failure(ctx context.Context, s *plan.Step, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &backends.RunError{Op: s.Ordinal, Reason: err}
}

// loopMemory is the memory of a loop. A carried value alternates between two buffers from
// one iteration to the next: the step's output (outs), and a buffer of the loop (own). A
// value that the loop updates in place has the output only.
type loopMemory struct {
	own  []soa.View // by carried value; equal to outs for a value that is updated in place
	room []int      // bytes of own
	// takes are the arguments of the regions: the initial values, the values in outs, and
	// the values in own, each followed by the captured values.
	takes      [3][]soa.View
	outs       []soa.View // by carried value
	cond, body backends.Call
	more       [1]soa.View // result of cond: whether there is another iteration
}

func newLoopMemory(loop *plan.Loop) *loopMemory {
	m := &loopMemory{outs: make([]soa.View, len(loop.Outs))}
	m.own, m.room = make([]soa.View, len(loop.Init)), make([]int, len(loop.Init))
	for i := range m.takes {
		m.takes[i] = make([]soa.View, len(loop.Init)+len(loop.Captured))
	}
	m.more[0] = soa.Make(types.Of(types.Bool))
	return m
}

// place points m at the operands and outputs of a run, whose sizes may differ from the
// previous run's. It allocates own where it is too small.
func (m *loopMemory) place(at RunMemory, loop *plan.Loop) error {
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
func (m *loopMemory) forget(loop *plan.Loop) {
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

// loop runs a while.
func (d *Driver) loop(ctx context.Context, cond, body backends.Executable, at RunMemory, s *plan.Step, loop *plan.Loop, queue backends.Queue) error {
	m := d.loops[s]
	if m == nil {
		m = newLoopMemory(loop)
		if d.loops == nil {
			d.loops = map[*plan.Step]*loopMemory{}
		}
		d.loops[s] = m
	}
	defer m.forget(loop)
	if err := m.place(at, loop); err != nil {
		return Failure(ctx, s, err)
	}
	m.cond.Queue, m.body.Queue = queue, queue
	places := [2][]soa.View{m.outs, m.own}
	from := 0 // index into takes
	// next is the number of the buffers that the iteration writes
	for next := 0; ; next = 1 - next {
		m.cond.Args, m.cond.Results = m.takes[from], m.more[:]
		if err := cond.Execute(ctx, &m.cond); err != nil {
			return Failure(ctx, s, err)
		}
		if !soa.Slice[bool](m.more[0])[0] {
			break
		}
		m.body.Args, m.body.Results = m.takes[from], places[next]
		if err := body.Execute(ctx, &m.body); err != nil {
			return Failure(ctx, s, err)
		}
		from = 1 + next
	}
	for i, to := range m.outs {
		if last := m.takes[from][i]; last.Base() != to.Base() {
			if err := at.Copy(to, last); err != nil {
				return Failure(ctx, s, err)
			}
		}
	}
	return nil
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
	err := regions[chosen(index, len(regions))].Execute(ctx, c)
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
