package reference

import (
	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// WorkspaceBytes is the memory that a run takes besides arguments and results:
//   - Temporaries.
//   - Scratch memory of parts of steps.
//   - Tables that the code of steps holds.
//   - Results that take over an argument's memory but must not be written there at
//     once.
//   - Memory that regions and steps of the evaluator take themselves.
//
// An argument that is copied also takes its size. A run that can be cancelled and takes
// long also takes the size of the results. Memory that Bind has copied and packed is
// not included: it exists once, for as long as the result of Bind, and not for each
// run.
func (e *compiled) WorkspaceBytes() int {
	n := loops.Added(loops.Added(e.Plan.Program.Arena, e.held), loops.Times(e.scratch, e.workers))
	add := func(t types.Type) { n = loops.Added(n, t.Bytes()) }
	if !e.Rules.Region {
		e.Plan.Program.Waiting(e.Rules.Failing(), add)
	}
	if len(e.hosted) > 0 {
		e.Plan.Program.Carried(add)
	}
	for _, i := range e.hosted {
		s := &e.Plan.Program.Steps[i]
		for _, r := range e.Regions[i] {
			n = loops.Added(n, workspaceOf(r))
		}
		if h := s.Host(); h != nil {
			n = loops.Added(n, workspaceOf(h.Run))
		}
	}
	return n
}

// resultBytes is the memory of results that take over none.
func (e *compiled) resultBytes() int {
	n := 0
	for j, id := range e.Plan.Program.Results {
		if e.Plan.Program.Signature.Results[j].Alias < 0 {
			n = loops.Added(n, e.Plan.Program.Values[id].Type.Bytes())
		}
	}
	return n
}

// workspaceOf returns what runs of x take, if x says so.
func workspaceOf(x backends.Executable) int {
	if s, ok := x.(backends.Sized); ok {
		return s.WorkspaceBytes()
	}
	return 0
}
