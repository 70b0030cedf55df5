package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ltc/backends/kit/kernel"
	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Family is one program for all sizes that its text leaves open.
//
// It is compiled once. Its numbers (sizes, strides, offsets) are expressions of package dims in
// symbols, one for each open size. They are evaluated when the values of the symbols are known,
// and places in memory follow from them. Code that computes with a size takes it as an argument
// ([Program.SizeArgs]).
//
// Sizes are at least 1, except symbols that are fixed at 0 ([Zeros]): identities that hold for one
// element or more fail there. [Member.Resize] returns an error where another size, such as that of a
// slice, is 0, or where the sizes break a type rule.
type Family struct {
	Opening
	open    *Program // whose numbers may be expressions
	base    *Program // for the typical sizes
	symbols []int64  // Expressions
	sizes   []int64  // the typical values
	eval    *dims.Evaluator
	own     []ownValue   // the values that eval takes
	plain   bool         // these are the values as they are given
	numbers int          // of open, which eval has first, then guards, then symbols
	varying []int        // the numbers that are expressions
	guards  []dims.Guard // what has to hold
	regions [][]*Family  // by step
	decoded bool         // it was read: typical sizes are checked, and the others were when it was written
}

// ownValue is a value of a symbol: the value at an index, divided by a number.
type ownValue struct {
	at int
	by int64
}

// ErrOtherSizes is the error of [Member.Resize] for sizes that the program is not for: a value of
// the text has no elements, or the text has a mistake for these sizes.
var ErrOtherSizes = errors.New("the program is not for these sizes")

// checked are the values of all symbols for which a family's programs are checked, with the
// least and the largest and mixtures of these.
var checked = []int64{1, 2, 3, 64, 1000, 1 << 20}

// NewFamily returns the program that open is for all sizes that o leaves open, in which the numbers of
// open are expressions, and for which guards hold. An error says which step reaches beyond the memory
// of its operands, or that a number is none.
func NewFamily(open *Program, o Opening, guards []dims.Guard) (*Family, error) {
	return newFamily(&Family{Opening: o, open: open, guards: guards})
}

func newFamily(f *Family) (*Family, error) {
	open := f.open
	f.symbols = f.Expressions()
	numbers := open.numbers()
	all := make([]int64, 0, len(numbers)+len(f.guards)+len(f.symbols))
	for k, x := range numbers {
		if err := dims.Check(x.get()); err != nil {
			return nil, open.atStep(open.stepOf(k), fmt.Errorf("kit: a size, stride or offset: %w", err))
		}
		if all = append(all, x.get()); dims.IsExpr(x.get()) {
			f.varying = append(f.varying, k)
		}
	}
	for i, k := range open.Kernels {
		if !k.Static() {
			step := slices.IndexFunc(open.Steps, func(s Step) bool { return s.Launch() != nil && s.Launch().Kernel == i })
			return nil, open.atStep(step, fmt.Errorf("kit: kernel %d depends on an open size in another way than by its arguments:\n%v", i, k))
		}
	}
	f.numbers = len(numbers)
	for _, g := range f.guards {
		all = append(all, g.Size())
	}
	var own []int64
	for _, multiples := range []bool{false, true} { // of symbols that are no value
		for i, s := range f.symbols {
			if by, x, ok := dims.Scaled(s); ok && (by > 1) == multiples && !slices.Contains(own, x) {
				own, f.own = append(own, x), append(f.own, ownValue{i, by})
			}
		}
	}
	f.plain = len(f.own) == len(f.symbols) && !slices.ContainsFunc(f.own, func(x ownValue) bool { return x.by != 1 })
	var err error
	if f.eval, err = dims.NewEvaluator(own, append(all, f.symbols...)); err != nil {
		return nil, err
	}
	if f.sizes == nil {
		for _, s := range f.symbols {
			f.sizes = append(f.sizes, dims.Typical(s))
		}
		f.follow(f.sizes)
	}
	if err := f.makeBase(); err != nil {
		return nil, err
	}
	if f.regions == nil {
		if err := f.makeRegions(); err != nil {
			return nil, err
		}
	}
	f.setRegions(f.base)
	if f.decoded {
		return f, nil
	}
	return f, f.check()
}

// makeRegions makes families of the regions of loops and branches, with the same base.
func (f *Family) makeRegions() error {
	f.regions = make([][]*Family, len(f.open.Steps))
	for i := range f.open.Steps {
		for r, p := range f.open.Steps[i].Regions() {
			of, err := newFamily(&Family{Opening: Opening{Symbols: f.Symbols}, open: p, guards: f.guards, sizes: f.sizes, decoded: f.decoded})
			if err != nil {
				return f.open.atStep(i, fmt.Errorf("step %d: region %d: %w", i, r, err))
			}
			of.Sig = of.base.Signature
			f.regions[i] = append(f.regions[i], of)
		}
	}
	return nil
}

// setRegions has the base, or a member, run the bases of the regions.
func (f *Family) setRegions(p *Program) {
	for i := range p.Steps {
		switch w := p.Steps[i].Work.(type) {
		case *Loop:
			w.Cond, w.Body = f.regions[i][0].base, f.regions[i][1].base
		case *Branch:
			w.Branches = nil
			for _, r := range f.regions[i] {
				w.Branches = append(w.Branches, r.base)
			}
		}
	}
}

// mostBase is how many bytes a value of the base may have: smaller sizes are picked for that.
const mostBase = 16 << 20

// makeBase makes the program for the typical sizes, or for others if it is not for these.
func (f *Family) makeBase() error {
	m := f.Member()
	err := m.Resize(f.sizes)
	for (err == nil && m.Program.largestValue() > mostBase || errors.Is(err, dims.ErrTooLarge)) && f.halve() {
		err = m.Resize(f.sizes)
	}
	if errors.Is(err, ErrOtherSizes) || errors.Is(err, dims.ErrTooLarge) {
		least := math.Inf(1)
		for _, values := range f.samples() {
			if m.Resize(values) == nil && m.Program.largestValue() < least {
				f.sizes, least = values, m.Program.largestValue()
			}
		}
		err = m.Resize(f.sizes)
	}
	if err != nil {
		return fmt.Errorf("kit: for sizes %v: %w", f.sizes, err)
	}
	f.base = m.Program
	return nil
}

// halve makes the largest of the base's sizes smaller that can be. It reports false if none can.
func (f *Family) halve() bool {
	at := -1
	for _, x := range f.own {
		if lo, _ := dims.Bounds(f.symbols[x.at]); f.sizes[x.at] > lo && (at < 0 || f.sizes[x.at] > f.sizes[at]) {
			at = x.at
		}
	}
	if at < 0 {
		return false
	}
	lo, _ := dims.Bounds(f.symbols[at])
	f.sizes = slices.Clone(f.sizes)
	f.sizes[at] = max(f.sizes[at]/2, lo)
	f.follow(f.sizes)
	return true
}

// largestValue returns how many bytes a value has at most.
func (p *Program) largestValue() float64 {
	most := 0.0
	for i := range p.Values {
		most = max(most, p.Values[i].bytes())
	}
	return most
}

// bytes returns how many bytes a value has, of a dimension at least one element.
func (v *Value) bytes() float64 {
	n := float64(v.Type.DType.Size())
	for _, d := range v.Type.Shape {
		n *= float64(max(d, 1))
	}
	return n
}

// check checks the program for some values of the symbols.
func (f *Family) check() error {
	m := f.Member()
	for _, values := range f.samples() {
		err := m.Resize(values)
		if errors.Is(err, ErrOtherSizes) || errors.Is(err, dims.ErrTooLarge) || m.Program.overflows() {
			continue
		}
		if err == nil {
			err = m.Program.Check()
		}
		if err != nil {
			return fmt.Errorf("for sizes %v: %w", values, err)
		}
	}
	return nil
}

// overflows reports whether locals of a kernel have more bytes than are counted.
func (p *Program) overflows() bool {
	for i := range p.Steps {
		if l := p.Steps[i].Launch(); l != nil {
			if _, ok := kernel.LocalBytes(p.Kernels[l.Kernel], l.Sizes); !ok {
				return true
			}
		}
	}
	return false
}

// samples returns values of the symbols at the ends of their bounds, and between.
func (f *Family) samples() (all [][]int64) {
	values := func(of func(i int, lo, hi int64) int64) {
		v := make([]int64, len(f.symbols))
		for i, s := range f.symbols {
			lo, hi := dims.Bounds(s)
			v[i] = min(max(of(i, lo, hi), lo), hi)
		}
		f.follow(v)
		if !slices.ContainsFunc(all, func(w []int64) bool { return slices.Equal(v, w) }) {
			all = append(all, v)
		}
	}
	values(func(_ int, lo, _ int64) int64 { return lo })
	values(func(_ int, _, hi int64) int64 { return hi })
	for k, n := range checked {
		values(func(int, int64, int64) int64 { return n })
		if len(f.symbols) > 1 {
			values(func(i int, _, _ int64) int64 { return checked[(k+i)%len(checked)] })
			values(func(i int, _, _ int64) int64 { return n + int64(7*i) })
		}
	}
	return all
}

// follow sets the values that follow from the others.
func (f *Family) follow(values []int64) {
	r := f.eval.Registers()
	for _, x := range f.own {
		if x.by > 1 {
			values[x.at] = max(values[x.at]/x.by, 1) * x.by
		}
	}
	if f.evaluate(r, values) != nil {
		return
	}
	for i := range f.symbols {
		values[i] = f.eval.Of(r, f.numbers+len(f.guards)+i)
	}
}

// evaluate sets registers for values of the symbols.
func (f *Family) evaluate(registers, values []int64) error {
	if f.plain {
		return f.eval.Eval(registers, values)
	}
	var few [8]int64
	own := few[:0]
	for _, x := range f.own {
		n := values[x.at] / x.by
		if x.by > 1 && (n == 0 || n*x.by != values[x.at]) {
			return ErrOtherSizes
		}
		own = append(own, n)
	}
	return f.eval.Eval(registers, own)
}

// number is one that depends on sizes: a dimension, or a run-time argument.
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
	shape := func(shape []int) {
		for i := range shape {
			visit(step, number{dim: &shape[i]})
		}
	}
	for i := range p.Signature.Args {
		shape(p.Signature.Args[i].Type.Shape)
	}
	for i := range p.Signature.Results {
		if i < len(p.Results) {
			step = p.Values[p.Results[i]].First
		}
		shape(p.Signature.Results[i].Type.Shape)
	}
	for i := range p.Values {
		step = p.Values[i].First
		shape(p.Values[i].Type.Shape)
	}
	for i := range p.SizeArgs {
		visit(-1, number{arg: &p.SizeArgs[i]})
	}
	for i := range p.Steps {
		step = i
		p.Steps[i].Work.numbers(func(x *int64) { visit(step, number{arg: x}) }, func(n *int) { visit(step, number{dim: n}) })
	}
}

// Static reports whether no number of the program is an expression of package dims.
func (p *Program) Static() bool {
	static := true
	p.eachNumber(func(_ int, x number) { static = static && !dims.IsExpr(x.get()) })
	return static
}

// KernelSizes returns the sizes that are expressions of the kernels of p and of the regions of its
// steps, each once.
func (p *Program) KernelSizes() (all []int64) {
	add := func(n int64) {
		if dims.IsExpr(n) && !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	for i := range p.Steps {
		if l := p.Steps[i].Launch(); l != nil {
			for _, n := range l.Sizes {
				add(n)
			}
		}
		for _, r := range p.Steps[i].Regions() {
			for _, n := range r.KernelSizes() {
				add(n)
			}
		}
	}
	return all
}

// Open returns the program whose numbers are expressions.
func (f *Family) Open() *Program { return f.open }

// Base returns the program for the sizes that BaseSizes returns.
func (f *Family) Base() *Program { return f.base }

// BaseSizes returns the values of the symbols that Base is for. The caller does not change them.
func (f *Family) BaseSizes() []int64 { return f.sizes }

// BaseText says which sizes Base is for: 256 elements, or batch = 1, seq = 256 where there are
// several.
func (f *Family) BaseText() string {
	if len(f.sizes) == 1 {
		return diag.Count(int(f.sizes[0]), "element")
	}
	all := make([]string, len(f.sizes))
	for i, n := range f.sizes {
		all[i] = fmt.Sprintf("%s = %d", dims.String(f.symbols[i]), n)
	}
	return strings.Join(all, ", ")
}

// Moves reports whether the place of an operand of a step in its value depends on
// a size.
func (f *Family) Moves(step, operand int) bool {
	return dims.IsExpr(f.open.Steps[step].Launch().Operands[operand].Offset)
}

// Varying returns, by step, whether a number of the step, or of a value that it is the first
// to write, depends on a size.
func (f *Family) Varying() []bool {
	all := make([]bool, len(f.open.Steps))
	f.open.eachNumber(func(step int, x number) {
		if step >= 0 && dims.IsExpr(x.get()) {
			all[step] = true
		}
	})
	return all
}

// Variant returns the family of the programs' variants; see [Program.Variant].
func (f *Family) Variant(args, results []Layout) (*Family, error) {
	open, err := f.open.Variant(args, results)
	if err != nil {
		return nil, err
	}
	return newFamily(&Family{Opening: f.Opening, open: open, guards: f.guards, sizes: f.sizes, regions: f.regions, decoded: open.Decoded})
}

// Region returns region r of a step.
func (f *Family) Region(step, r int) *Family { return f.regions[step][r] }

// ResultTypes returns the types of the results for values of the symbols.
func (f *Family) ResultTypes(values []int64) ([]types.Type, error) {
	r := f.eval.Registers()
	if err := f.evaluate(r, values); err != nil {
		return nil, otherSizes(err)
	}
	if !f.holds(r, values) {
		return nil, ErrOtherSizes
	}
	k := 0
	for i := range f.open.Signature.Args {
		k += f.open.Signature.Args[i].Type.Rank()
	}
	all := make([]types.Type, len(f.open.Signature.Results))
	for j := range all {
		t := f.open.Signature.Results[j].Type
		all[j] = types.Type{DType: t.DType, Shape: make(types.Shape, t.Rank())}
		for d := range all[j].Shape {
			all[j].Shape[d] = int(f.eval.Of(r, k))
			k++
		}
	}
	return all, nil
}

// otherSizes returns an error of an evaluation: where numbers are too large the text's integers
// may wrap and be sizes all the same.
func otherSizes(err error) error {
	if errors.Is(err, dims.ErrTooLarge) {
		return fmt.Errorf("%w: %w", ErrOtherSizes, err)
	}
	return err
}

// holds reports whether the program is for values of the symbols, which registers were set for.
func (f *Family) holds(registers, values []int64) bool {
	k := f.numbers
	for i := range f.guards {
		if !f.guards[i].Holds(f.eval.Of(registers, k)) {
			return false
		}
		k++
	}
	for i, n := range values {
		if f.eval.Of(registers, k+i) != n {
			return false
		}
	}
	return true
}
