package eval

import (
	"context"
	"errors"
	"unsafe"

	"ltc/backends"
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

// What moves much memory at a time does it in stretches, between which the run
// can be cancelled. Whoever goes on after one that ended early finds the fuel
// used up, and so ends at the next look; see loops.Budget.

// stretchBytes is what is cleared or copied at a time: memory that the system
// hands out only now takes about a millisecond.
const stretchBytes = 1 << 20

// stretches runs something for n things, at most so many at a time, and reports
// whether the run was cancelled.
func (f *frame) stretches(n, most int, run func(i, n int)) bool {
	if f.ws.Done == nil || n <= most {
		run(0, n)
		return false
	}
	for i := 0; i < n; i += most {
		if run(i, min(most, n-i)); f.due(loops.Tank) {
			return true
		}
	}
	return false
}

func (f *frame) clear(to unsafe.Pointer, bytes int) bool {
	return f.stretches(bytes, stretchBytes, func(i, n int) { clear(unsafe.Slice((*byte)(unsafe.Add(to, i)), n)) })
}

func (f *frame) copy(to, from unsafe.Pointer, bytes int) bool {
	if bytes <= stretchBytes { // as a loop's counter is
		loops.CopyBytes(to, from, bytes)
		return false
	}
	return f.stretches(bytes, stretchBytes, func(i, n int) { loops.CopyBytes(unsafe.Add(to, i), unsafe.Add(from, i), n) })
}

// fill runs a loop of loops.Fill for n elements of the given size.
func (f *frame) fill(k loops.Loop1, size int, to, value unsafe.Pointer, n int) bool {
	return f.stretches(n, stretchBytes/size, func(i, n int) { k(unsafe.Add(to, i*size), value, n) })
}

// convert runs a kernel whose results and operands have the given sizes.
func (f *frame) convert(k loops.Loop1, toSize, fromSize int, to, from unsafe.Pointer, n int) bool {
	return f.stretches(n, loops.Tank, func(i, n int) { k(unsafe.Add(to, i*toSize), unsafe.Add(from, i*fromSize), n) })
}

// combine runs a kernel whose first operand is its result, of elements of the
// given size.
func (f *frame) combine(k loops.Loop2, size int, acc, x unsafe.Pointer, n int) bool {
	if n <= loops.Tank {
		k(acc, acc, x, n)
		return false
	}
	return f.stretches(n, loops.Tank, func(i, n int) {
		p := unsafe.Add(acc, i*size)
		k(p, p, unsafe.Add(x, i*size), n)
	})
}

// due notes that work was done, and reports whether the run is cancelled: then
// the op returns at once, whatever its results are.
func (f *frame) due(work int) bool { return f.ws.Due(work) }

// stop is due for loops that end with an error.
func (f *frame) stop(work int) error {
	if f.due(work) {
		return errStopped
	}
	return nil
}

// stepWork is the work of any step, beside what it does with elements.
const stepWork = 64

// errStopped is what a loop within an op returns when due has told it to end.
var errStopped = errors.New("stopped")

// halt returns the error of a cancelled run: its op is the first to see it,
// which is the innermost. As with any RunError, whoever has the text says more.
func (ws *workspace) halt(op *mlir.Op) error {
	if ws.halted == nil {
		ws.halted = &backends.RunError{Op: op.Ordinal, At: backends.LineOf(op.Loc), Reason: context.Cause(ws.ctx)}
	}
	return ws.halted
}

// failed adds the op's position to err; an inner op's stays.
func (ws *workspace) failed(op *mlir.Op, err error) error {
	if errors.Is(err, errStopped) {
		return ws.halt(op)
	}
	return runError(op, err)
}

// runError adds an op's position to err; an inner op's stays.
func runError(op *mlir.Op, err error) error {
	var re *backends.RunError
	if errors.As(err, &re) {
		return err
	}
	return &backends.RunError{Op: op.Ordinal, At: backends.LineOf(op.Loc), Reason: err}
}

// workOf sums the work of steps.
func workOf(steps []step) int {
	n := 0
	for i := range steps {
		n = loops.Added(n, steps[i].work)
	}
	return n
}

// elements is the work of an op that looks at each element once.
func (o *site) elements() int {
	n := stepWork
	for _, x := range o.in {
		n = loops.Added(n, x.n)
	}
	for _, x := range o.out {
		n = loops.Added(n, x.n)
	}
	return n
}
