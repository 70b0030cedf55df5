package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/reference/internal/dense"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/sharing"
	"ltc/ir/types"
	"ltc/soa"
)

// executable is a compiled module. It is immutable but for the pool.
type executable struct {
	sig   *backends.Signature
	code  *code
	plan  resultPlan
	bound []soa.View // by argument; zero where not bound
	pool  *sync.Pool // of *workspace
	// copied is how many bytes runs have copied; see CopiedBytes.
	copied *atomic.Int64
	grown  *atomic.Int64 // bytes of ops that runs have prepared; nil if they prepare none
}

// resultPlan says which results may be written while the program runs.
type resultPlan struct {
	// direct results are first written after the last step that can fail, so
	// memory of the caller can take them.
	direct []bool
	// inPlace results can in addition be written to the argument that they
	// take over: nothing reads it after that.
	inPlace []bool
	used    []bool // arguments that any step reads
	watch   int    // steps before this one write no memory of the caller
	// long is set when the steps from watch on take so long that a run that can
	// be cancelled must be so in them too: no result of it is direct then.
	long bool
}

func planResults(c *code, sig *backends.Signature) resultPlan {
	p := resultPlan{watch: len(c.steps)}
	for j, s := range c.results {
		sl := &c.slots[s]
		direct := sl.def > c.lastFallible
		in := false
		if i := sig.Results[j].Alias; i >= 0 && direct {
			arg := c.slots[c.args[i]]
			in = arg.last < sl.def || arg.last == sl.def && slices.Contains(sl.reuse, c.args[i])
		}
		if direct {
			p.watch = min(p.watch, c.firstStep(sl.def))
		}
		p.direct = append(p.direct, direct)
		p.inPlace = append(p.inPlace, in)
	}
	p.long = workOf(c.steps[p.watch:]) > loops.LongWork
	for _, s := range c.args {
		p.used = append(p.used, c.slots[s].last > c.slots[s].def)
	}
	return p
}

// Signature returns what the program takes and gives.
func (e *executable) Signature() *backends.Signature { return e.sig }

// Artifact returns an error: the evaluator keeps no form but the text.
func (e *executable) Artifact() ([]byte, error) {
	return nil, fmt.Errorf("artifact: the evaluator runs from text only: %w", errors.ErrUnsupported)
}

// WorkspaceBytes is the size of the arena.
func (e *executable) WorkspaceBytes() int { return e.code.arenaAll }

// CopiedBytes is how many bytes runs have copied, as [backends.Copying] has it.
func (e *executable) CopiedBytes() int64 { return e.copied.Load() }

// Execute runs the program on the calling goroutine.
func (e *executable) Execute(ctx context.Context, c *backends.Call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := backends.CheckCall(e.sig, c, e.bound); err != nil {
		return err
	}
	ws := e.pool.Get().(*workspace)
	ws.ctx, ws.Done = ctx, ctx.Done()
	f := &ws.frames[0]
	err := e.readArgs(ws, c)
	if err == nil {
		direct := ws.Done == nil || !e.plan.long
		fresh := e.placeResults(ws, c, direct)
		if err = e.run(f, direct); err == nil {
			e.commit(f, c, fresh)
		}
	}
	ws.release(e.code)
	e.pool.Put(ws)
	return err
}

func (e *executable) run(f *frame, direct bool) error {
	if !direct {
		return f.exec(e.code.steps)
	}
	if err := f.exec(e.code.steps[:e.plan.watch]); err != nil {
		return err
	}
	// From here on no step can fail, and the caller's memory changes.
	f.ws.Done = nil
	return f.exec(e.code.steps[e.plan.watch:])
}

// arg returns the view that argument i is read from.
func (e *executable) arg(c *backends.Call, i int) soa.View {
	if e.bound != nil && !e.bound[i].IsZero() {
		return e.bound[i]
	}
	return c.Args[i]
}

// readArgs points the arguments' slots at the caller's memory, or at a dense
// copy where the program reads a view with strides or a table, if there is memory
// for all copies.
func (e *executable) readArgs(ws *workspace, c *backends.Call) error {
	f := &ws.frames[0]
	copies := 0 // bytes
	for i, s := range e.code.args {
		v := e.arg(c, i)
		switch {
		case !e.plan.used[i]:
		case v.IsDense():
			sharing.Read(v)
			f.p[s] = v.Base()
		default:
			if err := dense.Fits(&copies, i, v); err != nil {
				return err
			}
			sharing.Read(v)
			d := ws.dense(i, v.Type, len(e.code.args))
			if err := soa.Copy(d, v); err != nil { // it may have been released meanwhile
				return fmt.Errorf("argument %d: %w", i, err)
			}
			e.copied.Add(int64(v.Type.Bytes()))
			f.p[s] = d.Base()
		}
	}
	return nil
}

// dense returns workspace memory for argument i of n.
func (ws *workspace) dense(i int, t types.Type, n int) soa.View {
	if ws.args == nil {
		ws.args = make([]soa.View, n)
	}
	if ws.args[i].IsZero() {
		ws.args[i] = soa.Make(t)
	}
	return ws.args[i]
}

// placeResults points results at their final memory where they may be written
// there at once, which is the caller's only if direct is set. The others stay
// in the workspace until commit. It returns the memory made for results that
// the caller leaves to us, by result.
func (e *executable) placeResults(ws *workspace, c *backends.Call, direct bool) []soa.View {
	f := &ws.frames[0]
	fresh := ws.fresh[:0]
	for j, s := range e.code.results {
		v, r := c.Results[j], &e.sig.Results[j]
		var made soa.View
		switch {
		case v.IsZero() && r.Alias < 0:
			made = c.Make(r.Type)
			f.p[s] = made.Base()
		case !direct:
		case v.IsZero():
			if a := c.Args[r.Alias]; e.plan.inPlace[j] && a.IsDense() {
				f.p[s] = a.Base()
			}
		case e.plan.direct[j] && v.IsDense():
			if r.Alias < 0 || e.plan.inPlace[j] && c.Args[r.Alias].Base() == v.Base() || sharing.Disjoint(&v, &c.Args[r.Alias]) {
				f.p[s] = v.Base()
			}
		}
		fresh = append(fresh, made)
	}
	ws.fresh = fresh
	return fresh
}

// commit hands the results over. Nothing in it can fail.
func (e *executable) commit(f *frame, c *backends.Call, fresh []soa.View) {
	for j, s := range e.code.results {
		if n := deliver(c, j, &e.sig.Results[j], fresh[j], f.p[s]); n > 0 {
			e.copied.Add(int64(n))
		}
	}
}

// deliver makes a call's result j the memory that was made for it, or, if none
// was, copies what lies dense at from to the caller's memory, unless it is there.
// It returns how many bytes it copied. Nothing in it can fail.
func deliver(c *backends.Call, j int, r *backends.Result, fresh soa.View, from unsafe.Pointer) (copied int) {
	if !fresh.IsZero() {
		c.Results[j] = fresh
		return 0
	}
	if c.Results[j].IsZero() {
		c.Results[j] = c.Args[r.Alias]
	}
	to := c.Results[j]
	sharing.Write(to)
	switch {
	case to.IsDense() && to.Base() == from:
		return 0
	case to.IsDense():
		loops.CopyBytes(to.Base(), from, r.Type.Bytes())
	default:
		handOver(to, soa.At(from, r.Type))
	}
	return r.Type.Bytes()
}

// handOver copies a result to the caller's memory, which was checked to have its type.
// A caller who released it meanwhile, and did not acquire it before, wants no result.
func handOver(to, result soa.View) {
	if err := soa.Copy(to, result); err != nil && !errors.Is(err, soa.ErrReleased) {
		panic("reference: " + err.Error())
	}
}

// release forgets the caller's memory, so that a pooled workspace does not
// keep it alive.
func (ws *workspace) release(c *code) {
	f := &ws.frames[0]
	for i := range c.slots {
		if c.slots[i].kind == external {
			f.p[i] = nil
		}
	}
	for _, s := range c.results {
		f.p[s] = unsafe.Add(f.arena, c.slots[s].offset)
	}
	clear(ws.fresh)
	ws.ctx, ws.Done, ws.state = nil, nil, nil
	ws.Fuel, ws.halted = 0, nil
	ws.draws = 0
}

// Bind fixes arguments marked ltc.constant: every later run reads them in place.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := dense.Bind(ctx, e.sig, e.bound, constants)
	if err != nil {
		return nil, err
	}
	n := *e
	n.copied, n.bound = new(atomic.Int64), bound
	return &n, nil
}
