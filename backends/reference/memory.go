package reference

import (
	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// WorkspaceBytes is what a run takes besides arguments and results: temporaries,
// what parts of steps work with, tables that their code holds, results that take over
// an argument's memory but must not be written there at once, and what regions and
// steps of the evaluator take themselves. What Bind has copied and packed is not of a
// run, and not in it: it is there once, for as long as what Bind returned. An argument
// that is copied takes its size besides, and a run that can be cancelled and takes long
// that of the results.
func (e *compiled) WorkspaceBytes() int {
	n := loops.Added(loops.Added(e.Plan.Program.Arena, e.held), loops.Times(e.scratch, e.workers))
	add := func(t types.Type) { n = loops.Added(n, t.Bytes()) }
	if !e.Rules.Region {
		e.Plan.Program.Waiting(e.Plan.Program.LastFallible, add)
	}
	e.Plan.Program.Carried(add)
	for i := range e.Plan.Program.Steps {
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
