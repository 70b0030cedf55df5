package reference

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/ir/types"
	"ltc/soa"
)

// Execute runs the program on the calling goroutine and, where a step is cut
// into parts, on helpers besides.
func (e *compiled) Execute(ctx context.Context, c *backends.Call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.Queue != nil {
		return fmt.Errorf("execute: a queue of another backend: %T", c.Queue)
	}
	if err := backends.CheckCall(e.program.Signature, c, e.bound); err != nil {
		return err
	}
	e, err := e.variants.Of(ctx, e, c, ctx.Done() == nil || !e.long)
	if err != nil {
		return err
	}
	l := e.pool.Get()
	err = e.runIn(ctx, l, c)
	e.pool.Put(l)
	return err
}

// runIn runs a call that has been checked, in memory that it has for itself.
func (e *compiled) runIn(ctx context.Context, l *launcher, c *backends.Call) error {
	err := e.placeArgs(l, c)
	if err == nil {
		watch := e.placeResults(l, c, ctx.Done() == nil || !e.long)
		err = e.run(ctx, l, watch)
	}
	if err == nil {
		e.commit(l, c)
	}
	l.forget(e)
	return err
}

// placeArgs points arguments at the caller's memory, or at dense copies, if there
// is memory for all of them.
func (e *compiled) placeArgs(l *launcher, c *backends.Call) error {
	copies := 0 // bytes
	for i, id := range e.program.Args {
		if e.program.Values[id].Last < 0 {
			continue // nobody reads it
		}
		var v soa.View
		if e.bound != nil && !e.bound[i].IsZero() {
			v = e.bound[i]
		} else {
			v = c.Args[i]
		}
		soa.TouchRead(v)
		if e.hasLayout(id) {
			e.placeView(l, id, &v)
			continue
		}
		if !v.IsDense() {
			if err := fitsCopy(&copies, i, v); err != nil {
				return err
			}
			if err := l.copyArg(i, v); err != nil {
				return err
			}
			e.copied.Add(int64(v.Type.Bytes()))
			v = l.args[i]
		}
		l.mem[id] = v.Base()
	}
	return nil
}

// copyArg makes argument i a dense copy of v, in the memory of the one before it if
// that was of such a view.
func (l *launcher) copyArg(i int, v soa.View) error {
	if to := l.args[i]; to.IsZero() || !to.Type.Equal(v.Type) {
		t := v.Type
		t.Shape = slices.Clone(t.Shape) // the caller may change that
		l.args[i] = soa.Make(t)
	}
	if err := soa.Copy(l.args[i], v); err != nil { // it may have been released meanwhile
		return fmt.Errorf("argument %d: %w", i, err)
	}
	return nil
}

// typeOf returns the type of result j for the caller to keep.
func (e *compiled) typeOf(j int) types.Type {
	t := e.program.Signature.Results[j].Type
	if e.pool == nil { // the size of the next run will be in its place
		t.Shape = slices.Clone(t.Shape)
	}
	return t
}

// placeResults chooses the memory of each result: that of the caller if no later step can
// fail and direct is set, or if this is a region; else memory of the run. It returns the
// first step that writes memory that a caller sees.
func (e *compiled) placeResults(l *launcher, c *backends.Call, direct bool) int {
	watch := len(e.steps)
	for j, id := range e.program.Results {
		if e.rules.Made(c, j) {
			l.fresh[j] = c.Make(e.typeOf(j))
			l.mem[id] = l.fresh[j].Base()
			continue
		}
		v, atOnce := e.rules.Place(c, j)
		switch {
		case e.hasLayout(id):
			e.placeView(l, id, v)
		case atOnce && (direct || e.rules.Region) && v.IsDense():
			l.mem[id] = v.Base()
		default:
			l.results[j] = atLeast(l.results[j], e.program.Values[id].Type.Bytes())
			l.mem[id] = l.results[j].Base()
			continue
		}
		if !e.rules.Region {
			watch = min(watch, e.program.Values[id].First)
		}
	}
	return watch
}

// run runs the steps. From step watch on it cannot be cancelled.
func (e *compiled) run(ctx context.Context, l *launcher, watch int) error {
	return exec.Run(ctx, e.program, watch, func(i int, done <-chan struct{}) error {
		if e.times == nil {
			return e.step(ctx, l, i, done)
		}
		return e.timed(ctx, l, i, done)
	})
}

// step runs a step.
func (e *compiled) step(ctx context.Context, l *launcher, i int, done <-chan struct{}) error {
	s := &e.steps[i]
	if s.code == nil {
		return e.hostStep(ctx, l, i)
	}
	pointers := l.pointers[s.first : s.first+len(s.Operands)]
	for j := range s.Operands {
		o := &s.Operands[j]
		if pointers[j] = l.mem[o.Value]; !s.void[j] {
			pointers[j] = unsafe.Add(pointers[j], int(o.Offset)*s.sizes[j])
		}
	}
	if s.Copies && pointers[0] == pointers[1] {
		return nil
	}
	strides := s.Strides
	if e.views != nil {
		strides = l.move(s, pointers)
	}
	if err := l.launch(s, pointers, strides, done); err != nil {
		return &backends.RunError{Op: s.Ordinal, Reason: err}
	}
	return nil
}

// launch runs all parts of a step.
func (l *launcher) launch(s *compiledStep, pointers []unsafe.Pointer, strides []int64, done <-chan struct{}) error {
	cut, start := s.parts > 1, true
	if cut && s.brief {
		cut, start = l.crew.brief()
	}
	if !cut {
		c := &l.workers[0].call
		c.Mem, c.Sizes, c.Strides = pointers, s.Sizes, strides
		c.Part, c.More, c.Parts, c.Done = 0, 0, 1, done
		return s.code.Run(c)
	}
	l.now = launched{s.code, pointers, s.Sizes, strides, s.parts, done}
	l.crew.do(s.parts, start)
	if l.failed.Load() {
		return l.failure()
	}
	return nil
}

// part has a worker run parts of the launch under way: n, from p on.
func (l *launcher) part(worker, p, n int) {
	w, now := &l.workers[worker], &l.now
	c := &w.call
	c.Mem, c.Sizes, c.Strides = now.mem, now.sizes, now.strides
	c.Part, c.More, c.Parts, c.Done = p, n-1, now.parts, now.done
	if err := now.code.Run(c); err != nil {
		if l.failed.Store(true); w.err == nil || p < w.first {
			w.err, w.first = err, p
		}
	}
}

// failure returns the error of the first part that failed, whoever ran it.
func (l *launcher) failure() error {
	var first *worker
	for i := range l.workers {
		if w := &l.workers[i]; w.err != nil && (first == nil || w.first < first.first) {
			first = w
		}
	}
	return first.err
}

// hostStep runs a step that is no kernel.
func (e *compiled) hostStep(ctx context.Context, l *launcher, i int) error {
	if h, ok := e.steps[i].Work.(*kit.Host); ok {
		return e.host(ctx, l, &e.steps[i], h)
	}
	return l.driver.Run(ctx, e.program, e.regions, i, l, nil)
}

// View is where a value is in the run, for [exec.Driver].
func (l *launcher) View(v kit.ValueID, t types.Type) soa.View { return l.of.view(l, v, t) }

// Make returns memory for what loops carry.
func (l *launcher) Make(t types.Type) (soa.View, error) { return soa.Make(t), nil }

// Copy copies between values of the run.
func (l *launcher) Copy(dst, src soa.View) error {
	copyBytes(dst.Base(), src.Base(), dst.Type.Bytes())
	return nil
}

// host runs a step by the evaluator.
func (e *compiled) host(ctx context.Context, l *launcher, s *compiledStep, h *kit.Host) error {
	c := &l.call
	c.Args, c.Results = c.Args[:0], c.Results[:0]
	for _, a := range h.Args {
		c.Args = append(c.Args, e.view(l, a.Value, a.Type))
	}
	for _, v := range h.Outs {
		c.Results = append(c.Results, e.view(l, v, e.program.Values[v].Type))
	}
	if err := h.Run.Execute(ctx, c); err != nil {
		return exec.Failure(ctx, s.Step, err)
	}
	return nil
}

// view is a value's memory in the given type. A constant of one element stands
// for all.
func (e *compiled) view(l *launcher, v kit.ValueID, t types.Type) soa.View {
	if d := e.program.Values[v].Data; d != nil && len(d) < t.Bytes() {
		w := soa.Make(t)
		for i := 0; i < t.Bytes(); i += len(d) {
			copyBytes(unsafe.Add(w.Base(), i), unsafe.Pointer(unsafe.SliceData(d)), len(d))
		}
		return w
	}
	return soa.At(l.mem[v], t)
}

// commit hands the results over. Nothing in it can fail.
func (e *compiled) commit(l *launcher, c *backends.Call) {
	for j, id := range e.program.Results {
		if e.hasLayout(id) {
			if c.Results[j].IsZero() {
				c.Results[j] = c.Args[e.program.Signature.Results[j].Alias]
			}
			soa.TouchWrite(c.Results[j])
			continue
		}
		if n := deliver(c, j, &e.program.Signature.Results[j], l.fresh[j], l.mem[id]); n > 0 {
			e.copied.Add(int64(n))
		}
	}
}

// forget drops the caller's memory, so that a pooled launcher does not keep it.
func (l *launcher) forget(e *compiled) {
	for _, id := range e.program.Args {
		l.mem[id] = nil
	}
	for _, id := range e.program.Results {
		l.mem[id] = nil
	}
	clear(l.pointers)
	clear(l.lies)
	clear(l.fresh)
	if l.failed.Swap(false) {
		for i := range l.workers {
			l.workers[i].err = nil
		}
	}
	l.now = launched{}
	clear(l.call.Args)
	clear(l.call.Results)
}
