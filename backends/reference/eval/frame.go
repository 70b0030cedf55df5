package eval

import (
	"context"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/soa"
)

// workspace is the memory of one run. Frames of called functions follow their
// callers' in arena and ptrs, like a stack.
type workspace struct {
	arena  *soa.Buffer
	ptrs   []unsafe.Pointer
	frames []frame // by depth of calls

	ctx context.Context
	loops.Budget
	halted error // of a run that was cancelled: what its innermost op returned
	state  *any  // of extensions; nil until one asks for it

	args  []soa.View // dense copies of arguments, by argument; made when first needed
	fresh []soa.View // scratch of placeResults

	draws uint64 // random numbers that the run has drawn; see rng.go

	wanted map[*mlir.Value][]int // of an open function, shapes that memory given for results has
}

// frame is where a function's values are while it runs.
type frame struct {
	p     []unsafe.Pointer // by slot
	arena unsafe.Pointer   // of the slots planned in it
	ws    *workspace
	depth int
	lo    int // where p starts in ws.ptrs
}

// offHeapArena is the size from which on the arenas of pooled workspaces are
// off the Go heap: so they do not make the collector wait for as much garbage
// again.
const offHeapArena = 1 << 20

// pooledWorkspace is newWorkspace for one that goes back to a pool after its
// run, and so outlives it: only its own pointer keeps an arena off the heap.
func pooledWorkspace(c *code) *workspace {
	if c.arenaAll >= offHeapArena {
		if arena, err := soa.OffHeap(c.arenaAll + 1); err == nil {
			return workspaceIn(c, arena)
		}
	}
	return newWorkspace(c)
}

// newWorkspace returns memory for a run of c.
func newWorkspace(c *code) *workspace {
	// One byte more, so that an empty value at the end points into it.
	return workspaceIn(c, soa.New(c.arenaAll+1))
}

func workspaceIn(c *code, arena *soa.Buffer) *workspace {
	ws := &workspace{
		arena:  arena,
		ptrs:   make([]unsafe.Pointer, c.slotsAll),
		frames: make([]frame, c.depth),
	}
	ws.frames[0] = frame{p: ws.ptrs[:len(c.slots)], arena: unsafe.Pointer(unsafe.SliceData(ws.arena.Bytes())), ws: ws}
	c.bind(&ws.frames[0])
	return ws
}

// call runs c with its arguments and results at the memory of f's slots.
func (f *frame) call(caller, c *code, args, results []int) error {
	g := &f.ws.frames[f.depth+1]
	lo := f.lo + len(f.p)
	*g = frame{
		p:     f.ws.ptrs[lo : lo+len(c.slots)],
		arena: unsafe.Add(f.arena, caller.arena),
		ws:    f.ws,
		depth: f.depth + 1,
		lo:    lo,
	}
	c.bind(g)
	for i, s := range c.args {
		g.p[s] = f.p[args[i]]
	}
	for i, s := range c.results {
		g.p[s] = f.p[results[i]]
	}
	err := g.exec(c.steps)
	clear(g.p)
	return err
}

// exec runs steps in order until one fails or the run is cancelled.
func (f *frame) exec(steps []step) error {
	if f.ws.Done != nil {
		return f.execWatched(steps)
	}
	for i := range steps {
		s := &steps[i]
		if s.do != nil {
			s.do(f)
		} else if err := s.try(f); err != nil {
			return f.ws.failed(s.op, err)
		}
	}
	return nil
}

// execWatched is exec of a run that can be cancelled. What a step that ended
// early has left undone is read by no later one: it used up the fuel.
func (f *frame) execWatched(steps []step) error {
	ws := f.ws
	for i := range steps {
		s := &steps[i]
		if s.do != nil {
			s.do(f)
		} else if err := s.try(f); err != nil {
			return ws.failed(s.op, err)
		}
		if ws.Spend(s.work) {
			return ws.halt(s.op)
		}
	}
	return nil
}

// at returns the memory of slot s as n elements.
func at[T any](f *frame, s, n int) []T { return unsafe.Slice((*T)(f.p[s]), n) }
