package reference

import (
	"ltc/backends"
	"ltc/backends/kit"
)

// WorkspaceBytes is what a run takes besides arguments and results: temporaries,
// what parts of steps work with, results that take over an argument's memory but
// must not be written there at once, and what regions and steps of the evaluator
// take themselves. What Bind has copied and packed is not of a run, and not in it:
// it is there once, for as long as what Bind returned. An argument that is copied takes its size besides,
// and a run that can be cancelled and takes long that of the results.
func (e *compiled) WorkspaceBytes() int {
	n := added(e.program.Arena, times(e.scratch, e.parts))
	for j := range e.results {
		if r := &e.results[j]; !e.region && e.program.Signature.Results[j].Alias >= 0 && !(r.direct && r.inPlace) {
			n = added(n, r.bytes)
		}
	}
	for i := range e.program.Steps {
		switch s := &e.program.Steps[i]; {
		case s.Loop != nil:
			n = added(n, loopBytes(s.Loop))
		case s.Branch != nil:
			for _, b := range s.Branch.Branches {
				n = added(n, workspaceOf(b))
			}
		case s.Host != nil:
			n = added(n, workspaceOf(s.Host.Run))
		}
	}
	return n
}

// loopBytes is what a loop takes besides its operands and outputs.
func loopBytes(loop *kit.Loop) int {
	n := added(workspaceOf(loop.Cond), workspaceOf(loop.Body))
	for i, a := range loop.Init {
		if !loop.Stays[i] {
			n = added(n, a.Type.Bytes())
		}
	}
	return n
}

// CopiedBytes is how many bytes runs have copied, as [backends.Copying] has it.
func (e *compiled) CopiedBytes() int64 { return e.copied.Load() }

// resultBytes is the memory of results that take over none.
func (e *compiled) resultBytes() int {
	n := 0
	for j := range e.results {
		if e.program.Signature.Results[j].Alias < 0 {
			n = added(n, e.results[j].bytes)
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
