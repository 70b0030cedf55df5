package reference

import (
	"context"
	"errors"
	"unsafe"

	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// varied says how variants of a program are made: each by create.
func varied[E interface{ runBytes() int }](dense E, create func(context.Context, *exec.Views) (E, error)) exec.VariantOptions[E] {
	return exec.VariantOptions[E]{
		Make:   create,
		Passes: func(err error) bool { return errors.Is(err, soa.ErrMemory) },
		Bytes:  func(e E) int { return residentBeside(e, dense) + e.runBytes() },
	}
}

// variant returns what e is for views with layouts.
func (e *compiled) variant(ctx context.Context, views *exec.Views) (*compiled, error) {
	n := len(e.Plan.Program.Args)
	prog, err := e.Plan.Program.Variant(views.Layouts[:n], views.Layouts[n:])
	if err != nil {
		return nil, err
	}
	x := &compiled{file: e.file, keeper: e.keeper, threads: e.threads, own: e.own, compilers: e.compilers, views: views}
	x.Plan = e.Plan
	x.Plan.Program = prog
	if x.codes, err = codesOf(ctx, e.codes, prog.Kernels, e.compilers); err != nil {
		return nil, err
	}
	own := make([]kernel.Code, len(e.steps))
	for i := range own {
		own[i] = e.steps[i].bound
	}
	codes := boundCodes(prog, x.codes, e.Bound, e.Known, e.keeper, unmoved(prog, own), nil)
	for i := range prog.Steps {
		x.add(compiledStep{Step: &prog.Steps[i], bound: codes[i]})
	}
	x.share()
	if err := x.fit(ctx); err != nil {
		return nil, err
	}
	x.ready()
	return x, nil
}

// strides appends the run-time strides of a step for which its code is prepared:
// those of the views at hand. Where they are 0 or 1 by chance they are others, so
// that nothing depends on it. v is nil where there are no such views.
func strides(to []int64, v *exec.Views, p *plan.Program, s *plan.Launch) []int64 {
	to = append(to, s.Strides...)
	for _, m := range s.Moving {
		x := &to[m.At]
		if *x += plan.Along(m.By, stridesOf(v, p, s.Operands[m.Operand].Value)); *x == 0 || *x == 1 {
			*x = 2
		}
	}
	return to
}

// stridesOf returns the strides of a value.
func stridesOf(v *exec.Views, p *plan.Program, id plan.ValueID) []int {
	val := &p.Values[id]
	if val.Kind == plan.Result {
		return v.Strides[len(p.Args)+val.Index]
	}
	return v.Strides[val.Index]
}

// move adds to the pointers of a step what depends on how views lie, and returns
// its strides.
func (l *launcher) move(s *compiledStep, pointers []unsafe.Pointer) []int64 {
	for j := range s.Operands {
		if o := &s.Operands[j]; len(o.By) > 0 && !s.void[j] {
			pointers[j] = unsafe.Add(pointers[j], int(plan.Along(o.By, l.Strides[o.Value]))*s.sizes[j])
		}
	}
	if len(s.Moving) == 0 {
		return s.Strides
	}
	strides := l.strides[s.strides : s.strides+len(s.Strides)]
	copy(strides, s.Strides)
	for _, m := range s.Moving {
		strides[m.At] += plan.Along(m.By, l.Strides[s.Operands[m.Operand].Value])
	}
	return strides
}
