package plan

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/types"
)

// Family is one program for all sizes of a dimension that its text leaves open.
//
// A family is found from programs for some sizes, which must have the same kernels,
// steps and values. Every number in them (a size, a stride, an offset) must grow by the
// same amount for each further element. Then the numbers of the program for any other
// size follow. Other numbers, such as n·n, or constants that depend on the size, are an
// error: such a program has to be compiled for each size. Code that computes with the
// size takes it as an argument ([Program.SizeArgs]).
type Family struct {
	base  *Program // for size at
	at    int
	lines []types.Line // of base's numbers, in the order of numbers
	most  int          // the largest size whose values have bytes that an int counts

	sizes    []int // what it was made from
	programs []*Program
	bounds   [2]int
	regions  [][]Region // by step
}

// samples are the sizes that families are found from. No sample is a size that programs
// have otherwise, so no two numbers are equal by chance. Programs of one list can still
// be of two kinds. Long sums are split into parts, whose number is no multiple of the
// size. The producer of a small product's operand is a kernel of its own. Where a list
// has programs of both kinds, the next list is tried: lists of smaller sizes, and at
// last lists of sizes that are close together. A family found from any list is right
// for all sizes.
var samples = [][]int{
	{251, 1021, 4093, 16381}, {53, 89, 157, 251}, {19, 29, 47, 83},
	{229, 233, 239, 241}, {101, 103, 107, 109}, {61, 67, 71, 73}, {37, 41, 43, 47}, {19, 23, 29, 31},
}

// edges are the sizes for which a family's programs are checked besides, with the
// least and the largest.
var edges = []int{1, 2, 3, 64, 1000, 1 << 20}

// newFamily returns the program that programs are for sizes at, in the same
// order, of which there are at least three. The size is within bounds, both
// included; what the program reads and writes for the ends of them, and for
// others between, is in its values.
func newFamily(at []int, programs []*Program, bounds [2]int) (*Family, error) {
	if len(at) < 3 || len(at) != len(programs) {
		return nil, fmt.Errorf("kit: %s for %s: two points are on a line whatever they are", diag.Count(len(programs), "program"), diag.Count(len(at), "size"))
	}
	f := &Family{base: programs[0], at: at[0], sizes: at, programs: programs, bounds: bounds}
	numbers := make([][]number, len(programs))
	for i, p := range programs {
		if err := f.base.sameStructure(p); err != nil {
			return nil, fmt.Errorf("kit: programs for %d and %s differ: %w", at[0], diag.Count(at[i], "element"), err)
		}
		if numbers[i] = p.numbers(); len(numbers[i]) != len(numbers[0]) {
			return nil, fmt.Errorf("kit: programs for %d and %s differ in how many sizes and strides they have", at[0], diag.Count(at[i], "element"))
		}
	}
	of := make([]int64, len(programs))
	for k := range numbers[0] {
		for i := range numbers {
			of[i] = numbers[i][k].get()
		}
		l, ok := types.Through(at, of)
		for i, n := range at {
			if ok || l.At(n) == of[i] {
				continue
			}
			return nil, f.base.atStep(f.base.stepOf(k), fmt.Errorf("kit: a size, stride or offset is %d for %s and %d for %d: each element more must add the same, as to 4·n and not to n·n; then it would be %d",
				of[0], diag.Count(at[0], "element"), of[i], n, l.At(n)))
		}
		f.lines = append(f.lines, l)
	}
	for f.most = min(bounds[1], 1<<48); !f.fits(f.most); f.most /= 2 {
		continue
	}
	m := f.Member()
	least := max(bounds[0], 1)
	for _, n := range append([]int{least, f.most}, edges...) {
		if n < least || n > f.most {
			continue
		}
		if err := m.Resize(n); err != nil {
			return nil, err
		}
		if err := m.Program.Check(); err != nil {
			return nil, fmt.Errorf("for %s: %w", diag.Count(n, "element"), err)
		}
	}
	return f, nil
}

// fits reports whether all values for size n have fewer bytes than an int counts
// by far, so that nothing overflows that is computed of them.
func (f *Family) fits(n int) bool {
	const limit = 1 << 60
	k := rankSum(f.base.Signature)
	for i := range f.base.Values {
		size := 16.0 // bytes of an element at most
		for range f.base.Values[i].Type.Shape {
			size *= max(float64(f.lines[k].Base)+float64(f.lines[k].Slope)*float64(n), 1)
			k++
		}
		if size > limit {
			return false
		}
	}
	return true
}

// rankSum returns how many dimensions the arguments and results have together.
func rankSum(s *backends.Signature) int {
	n := 0
	for i := range s.Args {
		n += s.Args[i].Type.Rank()
	}
	for i := range s.Results {
		n += s.Results[i].Type.Rank()
	}
	return n
}

// number is one that depends on the size: a dimension, or a run-time argument.
type number struct {
	dim *int
	arg *int64
}

func (x number) get() int64 {
	if x.dim != nil {
		return int64(*x.dim)
	}
	return *x.arg
}

func (x number) set(n int64) {
	if x.dim != nil {
		*x.dim = int(n)
	} else {
		*x.arg = n
	}
}

// numbers returns all numbers of p that can depend on a size but the places of
// temporaries, which follow from the others.
func (p *Program) numbers() []number {
	var all []number
	p.eachNumber(func(_ int, x number) { all = append(all, x) })
	return all
}

// stepOf returns the step that the number at index k of numbers is of, or that makes the
// value that it is of; -1 if there is none.
func (p *Program) stepOf(k int) (step int) {
	p.eachNumber(func(at int, _ number) {
		if k == 0 {
			step = at
		}
		k--
	})
	return step
}

func (p *Program) eachNumber(visit func(step int, x number)) {
	step := -1
	dims := func(shape []int) {
		for i := range shape {
			visit(step, number{dim: &shape[i]})
		}
	}
	for i := range p.Signature.Args {
		dims(p.Signature.Args[i].Type.Shape)
	}
	for i := range p.Signature.Results {
		if i < len(p.Results) {
			step = p.Values[p.Results[i]].First
		}
		dims(p.Signature.Results[i].Type.Shape)
	}
	for i := range p.Values {
		step = p.Values[i].First
		dims(p.Values[i].Type.Shape)
	}
	for i := range p.SizeArgs {
		visit(-1, number{arg: &p.SizeArgs[i]})
	}
	for i := range p.Steps {
		step = i
		p.Steps[i].Work.numbers(func(x *int64) { visit(step, number{arg: x}) }, func(shape types.Shape) { dims(shape) })
	}
}

// sameStructure returns how q differs from p in anything but numbers; nil if it does not.
func (p *Program) sameStructure(q *Program) error {
	switch {
	case len(p.Kernels) != len(q.Kernels) || len(p.Steps) != len(q.Steps) || len(p.Values) != len(q.Values):
		return p.atStep(p.firstOther(q), fmt.Errorf("one has %s, %s and %s, the other %d, %d and %d",
			diag.Count(len(p.Kernels), "kernel"), diag.Count(len(p.Steps), "step"), diag.Count(len(p.Values), "value"), len(q.Kernels), len(q.Steps), len(q.Values)))
	case p.LastFallible != q.LastFallible || !slices.Equal(p.Args, q.Args) || !slices.Equal(p.Results, q.Results):
		return errors.New("their arguments, results or last steps that may fail are not the same values")
	}
	for i := range p.Kernels {
		if a, b := p.Kernels[i].String(), q.Kernels[i].String(); a != b {
			step := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Launch() != nil && s.Launch().Kernel == i })
			a, b = firstOtherLine(a, b)
			return p.atStep(step, fmt.Errorf("kernel %d has %q in one, and %q in the other", i, a, b))
		}
	}
	for i := range p.Steps {
		s, t := &p.Steps[i], &q.Steps[i]
		if err := s.Work.sameAs(t.Work); err != nil {
			return p.atStep(i, fmt.Errorf("step %d: %w", i, err))
		}
	}
	return p.sameValues(q)
}

// firstOtherLine returns the first line of a that is another one in b, and that one.
// Lines that are missing are empty.
func firstOtherLine(a, b string) (x, y string) {
	for x == y && a+b != "" {
		x, a, _ = strings.Cut(a, "\n")
		y, b, _ = strings.Cut(b, "\n")
	}
	return strings.TrimSpace(x), strings.TrimSpace(y)
}

// sameValues is sameStructure of the values, of which both programs have as many.
func (p *Program) sameValues(q *Program) error {
	for i := range p.Values {
		v, w := &p.Values[i], &q.Values[i]
		switch {
		case v.Kind != w.Kind || v.Index != w.Index || v.Over != w.Over || v.First != w.First || v.Last != w.Last || v.Type.DType != w.Type.DType || v.Type.Rank() != w.Type.Rank():
			return p.atStep(v.First, fmt.Errorf("v%d is %v in one and %v in the other", i, v.Type, w.Type))
		case !bytes.Equal(v.Data, w.Data):
			return fmt.Errorf("the constant v%d depends on the size", i)
		}
	}
	for j := range p.Results {
		if p.InPlace(j) != q.InPlace(j) {
			return fmt.Errorf("result %d is written over its argument for one of them", j)
		}
	}
	return nil
}

// firstOther returns the first step of p that is another one in q.
func (p *Program) firstOther(q *Program) int {
	text := func(p *Program, i int) string {
		if l := p.Steps[i].Launch(); l != nil {
			return p.Kernels[l.Kernel].String()
		}
		return ""
	}
	for i := range p.Steps {
		if i >= len(q.Steps) || text(p, i) != text(q, i) {
			return i
		}
	}
	return len(p.Steps) - 1
}

// Base returns the program for one of the sizes that f was found from, BaseSize.
func (f *Family) Base() *Program { return f.base }

// BaseSize returns the size that Base is for.
func (f *Family) BaseSize() int { return f.at }

// Moves reports whether the place of an operand of a step in its value depends on
// the size.
func (f *Family) Moves(step, operand int) bool {
	offset := func(p *Program) int64 { return p.Steps[step].Launch().Operands[operand].Offset }
	return slices.ContainsFunc(f.programs, func(p *Program) bool { return offset(p) != offset(f.base) })
}

// Varying returns, by step, whether a number of the step, or of a value that it is the first
// to write, depends on the size.
func (f *Family) Varying() []bool {
	all, k := make([]bool, len(f.base.Steps)), 0
	f.base.eachNumber(func(step int, _ number) {
		if step >= 0 && f.lines[k].Slope != 0 {
			all[step] = true
		}
		k++
	})
	return all
}

func sameDims(a, b []Factor) bool {
	return slices.EqualFunc(a, b, func(a, b Factor) bool { return a.Dim == b.Dim })
}

// Variant returns the family of the programs' variants; see [Program.Variant].
func (f *Family) Variant(args, results []Layout) (*Family, error) {
	var programs []*Program
	for _, p := range f.programs {
		v, err := p.Variant(args, results)
		if err != nil {
			return nil, err
		}
		programs = append(programs, v)
	}
	v, err := newFamily(f.sizes, programs, f.bounds)
	if err != nil {
		return nil, err
	}
	base := *v.base
	base.Steps = slices.Clone(base.Steps)
	for i := range base.Steps {
		if base.Steps[i].Launch() == nil {
			base.Steps[i].Work = f.base.Steps[i].Work // which runs all sizes
		}
	}
	v.base, v.regions = &base, f.regions
	return v, nil
}

// Region is a region of a loop or a branch, for all sizes.
type Region struct {
	Opening
	*Family
}

// Region returns region r of a step.
func (f *Family) Region(step, r int) Region { return f.regions[step][r] }

// Member is the program of a family for one size at a time. It is one
// goroutine's.
type Member struct {
	Program *Program // to be read only, until the next Resize
	family  *Family
	numbers []number
	placer  placer
}

// Member returns a new member, for the first of the sizes that the family was
// found from.
func (f *Family) Member() *Member {
	p := *f.base
	sig := &backends.Signature{Args: slices.Clone(p.Signature.Args), Results: slices.Clone(p.Signature.Results)}
	for i := range sig.Args {
		sig.Args[i].Type.Shape = slices.Clone(sig.Args[i].Type.Shape)
	}
	for i := range sig.Results {
		sig.Results[i].Type.Shape = slices.Clone(sig.Results[i].Type.Shape)
	}
	p.Signature, p.Values, p.Steps, p.SizeArgs = sig, slices.Clone(p.Values), slices.Clone(p.Steps), slices.Clone(p.SizeArgs)
	for i := range p.Values {
		p.Values[i].Type.Shape = slices.Clone(p.Values[i].Type.Shape)
	}
	for i := range p.Steps {
		p.Steps[i].Work = p.Steps[i].Work.own()
	}
	m := &Member{Program: &p, family: f, numbers: p.numbers()}
	m.placer.again = true
	return m
}

// Resize makes m the program for size n. It allocates nothing once it has been
// called.
func (m *Member) Resize(n int) error {
	f := m.family
	if n < 1 || n > f.most {
		return fmt.Errorf("%s: there can be 1 to %d", diag.Count(n, "element"), f.most)
	}
	for i, x := range m.numbers {
		x.set(f.lines[i].At(n))
	}
	m.placer.place(m.Program)
	return nil
}

// CompileFamily compiles a program for some sizes by compile, which is given one
// of them, and returns what it is for all within bounds, both included. Eval runs
// the ops that are no kernels.
func CompileFamily(ctx context.Context, eval backends.Backend, bounds [2]int, compile func(n int) (*Program, error)) (*Family, error) {
	var first error
	for _, at := range samples {
		f, err := compileFamily(ctx, at, bounds, compile)
		if err == nil {
			err = f.openSteps(ctx, eval)
		}
		if err == nil || ctx.Err() != nil {
			return f, err
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func compileFamily(ctx context.Context, at []int, bounds [2]int, compile func(n int) (*Program, error)) (*Family, error) {
	programs := make([]*Program, len(at))
	for i, n := range at {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var err error
		if programs[i], err = compile(n); err != nil {
			return nil, fmt.Errorf("for %s: %w", diag.Count(n, "element"), err)
		}
	}
	return newFamily(at, programs, bounds)
}
