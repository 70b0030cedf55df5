package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/kit/plan"
	"ltc/internal/hostmem"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/soa"
)

// recentSizes is how many size lists a run caches programs for. A run caches one program
// if it has more than recentSteps steps, or if their code holds more than recentHeld bytes.
const (
	recentSizes = 4
	recentSteps = 2_000
	recentHeld  = 64 << 10
)

// sizedRun is the memory of a run of a form, and the program for the sizes that it ran last. A run
// has it for itself. The next run, if its sizes are none of these, has the program that was not used
// for longest fitted to them, which allocates nothing.
type sizedRun struct {
	*sizeExecutable // that l runs; nil: none
	form            *form
	recent          []*sizeExecutable // the latest first
	l               *launcher
}

// sizeExecutable is the program for some sizes.
type sizeExecutable struct {
	member *plan.Member
	values []int64  // of the symbols; empty: it is for none
	sizes  []*int32 // the arguments that are sizes
	e      *compiled
	mem    []unsafe.Pointer // of the values, for the launcher
	arena  unsafe.Pointer   // which mem is set for; nil: none
	// sequence is that of the launcher while it runs another program, with the scratch memory that it is
	// for; nil: the steps are linked anew.
	sequence sequence
	scratch  unsafe.Pointer
}

// take returns what runs sizes, which is to be given back to f.runs.
func (f *form) take(ctx context.Context, sizes []int64) (*sizedRun, error) {
	r := f.runs.Get()
	err := r.become(ctx, sizes)
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, plan.ErrOtherSizes), errors.Is(err, dims.ErrTooLarge): // the next run has it fitted anew
		f.runs.Put(r)
	}
	return nil, err
}

// become makes r run sizes.
func (r *sizedRun) become(ctx context.Context, sizes []int64) error {
	for i, x := range r.recent {
		if slices.Equal(x.values, sizes) {
			if x != r.sizeExecutable {
				r.use(i)
			}
			return nil
		}
	}
	i := r.oldest()
	x := r.recent[i]
	if err := x.fit(ctx, r.form, sizes); err != nil {
		return err
	}
	if r.use(i); x.e.held > recentHeld {
		clear(r.recent[1:])
		r.recent = r.recent[:1]
	}
	return nil
}

// oldest returns the number of the program that is fitted to other sizes next.
func (r *sizedRun) oldest() int {
	n := len(r.recent)
	if n > 0 && len(r.recent[n-1].values) == 0 {
		return n - 1 // the sizes that it was fitted to were refused
	}
	if n == 0 || n < recentSizes && len(r.form.steps) <= recentSteps && r.recent[0].e.held <= recentHeld {
		r.recent = append(r.recent, &sizeExecutable{member: r.form.family.Member()})
		return n
	}
	return n - 1
}

// use has the launcher run program i of the recent ones, which becomes the first.
func (r *sizedRun) use(i int) {
	x, before := r.recent[i], r.sizeExecutable
	copy(r.recent[1:i+1], r.recent[:i])
	r.recent[0], r.sizeExecutable = x, x
	if r.l == nil {
		r.l = x.e.launcher()
		r.l.sized, x.mem, x.arena = r, r.l.Mem, r.l.arena.Base()
	}
	if x.mem == nil {
		x.mem = make([]unsafe.Pointer, len(x.member.Program.Values))
	}
	l, arena := r.l, r.l.arena.Base()
	if before != nil && before != x {
		if before.sequence = l.sequence; l.sequence.linked == l.fitted {
			before.scratch = l.workers[0].call.Scratch
		}
		l.sequence, x.sequence = x.sequence, sequence{}
	}
	l.of, l.Plan, l.Mem = x.e, &x.e.Plan, x.mem
	if l.fit(); l.arena.Base() != arena {
		for _, y := range r.recent { // no other keeps the memory that was too small
			clear(y.mem)
			y.arena = nil
		}
	}
	if x.scratch != nil && x.scratch == l.workers[0].call.Scratch {
		l.sequence.linked = l.fitted
	}
	x.scratch = nil
	if x.arena != l.arena.Base() {
		l.place()
		x.arena = l.arena.Base()
	}
	r.form.of.workspace.Store(int64(x.e.workspace))
}

// fit makes x the program for some sizes.
func (x *sizeExecutable) fit(ctx context.Context, f *form, sizes []int64) (err error) {
	x.values, x.arena, x.scratch = x.values[:0], nil, nil
	if err := x.member.Resize(sizes); err != nil {
		return fmt.Errorf("execute: %w", err)
	}
	if x.e == nil {
		err = x.compile(ctx, f)
	} else {
		err = x.e.fit(ctx)
	}
	if err != nil {
		return err
	}
	for i, size := range x.member.Program.SizeArgs {
		*x.sizes[i] = int32(size)
	}
	x.values = append(x.values, sizes...)
	x.e.Sizes = x.values
	return nil
}

// compile makes the program of x executable, for the sizes that it has now.
func (x *sizeExecutable) compile(ctx context.Context, f *form) error {
	s, bound := f.of, f.of.constants()
	x.sizes = nil
	for i := range x.member.Program.SizeArgs {
		v := soa.Make(types.Of(types.I32))
		bound[len(s.Family.Sig.Args)+i] = v
		x.sizes = append(x.sizes, &soa.Slice[int32](v)[0])
	}
	e, err := newCompiled(ctx, s.file, x.member.Program, f.steps, s.o, s.Regions, s.Rules, f.views, bound)
	if err != nil {
		return err
	}
	e.Copied, e.Times, e.Resized = s.Copied, s.Times, true
	e.Known, e.Done = s.Known, s.Done
	e.findGroups() // without the steps that are done
	for i := range e.steps {
		e.steps[i].interim = &s.interim[i]
	}
	x.e = e
	if f.views != nil && len(e.steps) >= manySteps && !f.released.Swap(true) {
		hostmem.Trim()
	}
	return nil
}

// manySteps is the least number of steps of a program whose first run for views trims the process ([hostmem.Trim]). Such a
// run may read whole files that are mapped, and memory that compiling took would add to the peak. Compiling takes much
// longer than trimming.
const manySteps = 256
