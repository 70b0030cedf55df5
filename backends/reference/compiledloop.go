package reference

import (
	"context"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/ir/types"
	"ltc/soa"
)

// loopMemory is what a loop of a launcher works with. What is carried lies in
// turns in the one or the other of two places: that of the step's outputs, and
// one of the loop's own.
type loopMemory struct {
	own        []soa.View
	takes      [3][]soa.View // what regions take: the first values, those in outs, those in own; each with what is captured
	outs       []soa.View
	cond, body backends.Call
	more       [1]soa.View // result of cond
}

func newLoopMemory(loop *kit.Loop) *loopMemory {
	m := &loopMemory{outs: make([]soa.View, len(loop.Outs))}
	for _, a := range loop.Init {
		m.own = append(m.own, soa.Make(a.Type))
	}
	for i := range m.takes {
		m.takes[i] = make([]soa.View, len(loop.Init)+len(loop.Captured))
	}
	m.more[0] = soa.Make(types.Of(types.Bool))
	return m
}

// place shows m where the operands and outputs of a run are.
func (m *loopMemory) place(e *compiled, l *launcher, loop *kit.Loop) {
	n := len(loop.Init)
	for i, v := range loop.Outs {
		m.outs[i] = e.view(l, v, loop.Init[i].Type)
		m.takes[0][i] = e.view(l, loop.Init[i].Value, loop.Init[i].Type)
	}
	copy(m.takes[1], m.outs)
	copy(m.takes[2], m.own)
	for i, a := range loop.Captured {
		v := e.view(l, a.Value, a.Type)
		for t := range m.takes {
			m.takes[t][n+i] = v
		}
	}
}

// forget drops the memory of the caller.
func (m *loopMemory) forget() {
	clear(m.outs)
	for i := range m.takes {
		clear(m.takes[i])
	}
	m.body = backends.Call{}
	m.cond = backends.Call{}
}

// loopBytes is what a loop takes besides its operands and outputs.
func loopBytes(loop *kit.Loop) int {
	n := added(workspaceOf(loop.Cond), workspaceOf(loop.Body))
	for _, a := range loop.Init {
		n = added(n, a.Type.Bytes())
	}
	return n
}

// loop runs a while.
func (e *compiled) loop(ctx context.Context, l *launcher, s *compiledStep) error {
	m := l.loops[s]
	if m == nil {
		m = newLoopMemory(s.Loop)
		if l.loops == nil {
			l.loops = map[*compiledStep]*loopMemory{}
		}
		l.loops[s] = m
	}
	defer m.forget()
	m.place(e, l, s.Loop)
	places := [2][]soa.View{m.outs, m.own}
	at := 0 // of takes
	for turn := 0; ; turn = 1 - turn {
		m.cond.Args, m.cond.Results = m.takes[at], m.more[:]
		if err := e.body(ctx, s.Loop.Cond, &m.cond, s); err != nil {
			return err
		}
		if !soa.Slice[bool](m.more[0])[0] {
			break
		}
		m.body.Args, m.body.Results = m.takes[at], places[turn]
		if err := e.body(ctx, s.Loop.Body, &m.body, s); err != nil {
			return err
		}
		at = 1 + turn
	}
	for i, to := range m.outs {
		if from := m.takes[at][i]; from.Base() != to.Base() {
			copyBytes(to.Base(), from.Base(), to.Type.Bytes())
		}
	}
	return nil
}

// branch runs the region that an if or a case chooses.
func (e *compiled) branch(ctx context.Context, l *launcher, s *compiledStep) error {
	b := s.Branch
	call := &l.call
	call.Args, call.Results = call.Args[:0], call.Results[:0]
	for _, a := range b.Captured {
		call.Args = append(call.Args, e.view(l, a.Value, a.Type))
	}
	for _, v := range b.Outs {
		call.Results = append(call.Results, e.view(l, v, e.program.Values[v].Type))
	}
	return e.body(ctx, b.Branches[chosen(e.view(l, b.Index.Value, b.Index.Type), len(b.Branches))], call, s)
}

// chosen is the number of the region that an index stands for.
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

// body runs a region. What fails is the op whose region it is.
func (e *compiled) body(ctx context.Context, x backends.Executable, c *backends.Call, s *compiledStep) error {
	if err := x.Execute(ctx, c); err != nil {
		return runFailure(ctx, s, err)
	}
	return nil
}
