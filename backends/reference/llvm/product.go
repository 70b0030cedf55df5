package llvm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/objcache"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/env"
	"ltc/internal/spare"
)

// productKernel is the code of a contraction before its sizes are known. Should
// there be no product of such elements, or too little to do for one, it runs
// as any other kernel does.
type productKernel struct {
	*emit.Product
	shared *shared
	units  *units
	own    func(context.Context) (kernel.Code, error) // the code as that of any other kernel
	known  *functions
	keeps  *keeps // nil: no operand is known to be the same in all runs
}

// functions are what products of one kernel are made of, by the kind of their plan,
// or why there are none: without libLLVM some cannot be made, whatever the size.
// Looking for them takes no lock and allocates nothing.
type functions struct {
	list atomic.Pointer[[]ofKind]
	mu   sync.Mutex // of who adds some
}

type ofKind struct {
	kind    gemm.Kind
	product *gemm.Product
	err     error
}

// Parts implements [kernel.Code].
func (p *productKernel) Parts([]int64, int) int { return 1 }

// Scratch implements [kernel.Code].
func (p *productKernel) Scratch([]int64, int) int { return 0 }

// Run implements [kernel.Code]: as a [kernel.Preparer], a product does not run before
// it has been prepared.
func (p *productKernel) Run(*kernel.Call) error {
	return fmt.Errorf("llvm: product %s was not prepared for its sizes", p.Kernel.Name)
}

// ResidentBytes is what the product's description takes: functions are for all
// products of the process, and what is packed is the program's.
func (p *productKernel) ResidentBytes() int { return scheduleBytes }

// Prepare plans the product for sizes and compiles what is missing.
func (p *productKernel) Prepare(ctx context.Context, sizes, strides []int64, last kernel.Code) (kernel.Code, error) {
	r, _ := last.(*product)
	if r == nil {
		if t, err := p.standIn(ctx, newProduct(p), sizes, strides); t != nil || err != nil {
			return t, err
		}
		r = newProduct(p)
	}
	return r, r.become(ctx, sizes, strides)
}

func newProduct(p *productKernel) *product {
	return &product{of: p, moved: spare.New(4, func() *moved { return new(moved) })}
}

// functions returns those of a plan, in a product of the same kind.
func (p *productKernel) functions(ctx context.Context, q *gemm.Plan) (*gemm.Product, error) {
	return p.known.of(ctx, q, p.units)
}

// of returns the functions of a plan, in a product of the same kind.
func (f *functions) of(ctx context.Context, q *gemm.Plan, units *units) (*gemm.Product, error) {
	kind := q.Kind()
	of := func(list *[]ofKind) *ofKind {
		if list != nil {
			for i := range *list {
				if x := &(*list)[i]; x.kind == kind {
					return x
				}
			}
		}
		return nil
	}
	if x := of(f.list.Load()); x != nil {
		return x.product, x.err
	}
	plan, err := gemm.New(q.Problem, units.machine)
	if err != nil {
		return nil, err
	}
	made, err := units.bind(ctx, plan)
	if err != nil && ctx.Err() != nil { // another may have the time
		return nil, context.Cause(ctx)
	}
	if errors.Is(err, backends.ErrExhausted) { // or the room
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list.Load()
	if x := of(list); x != nil {
		return x.product, x.err
	}
	var all []ofKind
	if list != nil {
		all = slices.Clone(*list)
	}
	all = append(all, ofKind{kind, made, err})
	f.list.Store(&all)
	return made, err
}

// inBytes makes what factors count in elements bytes.
func inBytes(factors *[3]emit.Factor, problem *gemm.Problem) {
	for n, size := range [3]int{problem.A.Size(), problem.B.Size(), problem.C.Size()} {
		f := &factors[n]
		f.Origin *= int64(size)
		for i := range f.Steps {
			f.Steps[i] *= int64(size)
		}
	}
}

// Packs implements [kernel.Packer]. Where there is no libLLVM to make prologues
// with, products are made of what is built in.
func (s *shared) Packs(ctx context.Context, k *kernel.Kernel, sizes, strides []int64) (a, b int) {
	s.once.Do(s.start)
	if s.none != nil {
		return 0, 0
	}
	p, ok := emit.AsProduct(k, s.units.machine)
	if !ok || p.ComputesBytes() {
		return 0, 0
	}
	problem := p.Problem(sizes, strides)
	if p.Border {
		r := (&spreadKernel{productKernel{Product: p, shared: s, units: s.units}}).newSpread()
		if problem, ok = r.locate(sizes, strides); !ok || r.border.whole {
			return 0, 0
		}
	}
	plan, err := gemm.New(problem, s.units.machine)
	if err != nil || flopsOf(&problem) < fewFlops || !s.units.there(ctx, plan) {
		return 0, 0
	}
	return plan.Packings()
}

// Columns implements [kernel.RowCompiler]. Where there is no libLLVM, products are made of
// what is built in.
func (s *shared) Columns(ctx context.Context) int {
	s.once.Do(s.start)
	if kernel.TiersOf(ctx) != nil && !s.found.ready.Load() { // to open it takes long
		if s.none == nil && (s.foundBefore() || libllvm.Likely()) {
			return mostColumns
		}
		return 0
	}
	if there, err := s.found.get(ctx, s.hasLLVM); err != nil || !there {
		return 0
	}
	return mostColumns
}

// hasLLVM reports whether there is a libLLVM to compile for this processor.
func (s *shared) hasLLVM() bool { return s.none == nil && s.findLLVM() }

// findLLVM reports whether there is a libLLVM. To open it takes longer than a program
// whose objects are on disk takes to begin, and so which file it was the last time is
// there, too.
func (s *shared) findLLVM() bool {
	if s.foundBefore() {
		return true
	}
	l, err := libllvm.Open()
	if err == nil {
		s.disk.Put(s.whereLLVM(), "where libLLVM is", []byte(l.Path()))
	}
	return err == nil
}

// foundBefore reports whether the file is there that libLLVM was the last time.
func (s *shared) foundBefore() bool {
	if name, ok := s.disk.Get(s.whereLLVM().Key()); ok {
		_, err := os.Stat(string(name))
		return err == nil
	}
	return false
}

// whereLLVM is all that the name of its file depends on.
func (s *shared) whereLLVM() objcache.Parts {
	return objcache.Parts{
		{Name: "compiler", Value: "llvm " + buildID},
		{Name: env.LibLLVM.Name, Value: env.LibLLVM.Value()},
	}
}

// mostColumns is up to how many columns a matrix has for which code of its own is
// compiled.
const mostColumns = 256

// flops returns those of the problem for sizes, of one point of the outer axes.
func (p *productKernel) flops(sizes []int64) float64 {
	n := 2.0
	for _, axis := range [...]int{p.Batch, p.M, p.N, p.Contraction.K[0]} {
		if axis >= 0 {
			n *= float64(p.Kernel.Axis(0, axis).Size.Of(sizes))
		}
	}
	return n
}

func flopsOf(p *gemm.Problem) float64 {
	return 2 * float64(p.M) * float64(p.N) * float64(p.K) * float64(p.Batch)
}

// fewFlops is for how few operations, of all matrices of a call, the kernel's
// own code is faster than blocks and packing.
const fewFlops = 1 << 11

// product is a contraction for sizes that are known. It can become one for others.
type product struct {
	of      *productKernel
	own     kernel.Code // what runs instead of a product; nil if it is one
	product gemm.Product
	plan    *gemm.Plan
	outer   []int          // the sizes of the outer axes
	points  int            // of these
	factors [3]emit.Factor // A, B and C, in bytes
	flops   float64        // of one point
	packed  unsafe.Pointer // B, if the plan says that it is packed
	key     []int64        // of packed
	order   []int64        // of the axes of the sum, if there are several

	strides []int64 // for which all of it is
	table   [][]int64
	moved   *spare.Pool[moved]
}

// become makes r the product for sizes and strides.
func (r *product) become(ctx context.Context, sizes, strides []int64) error {
	problem, ok := r.locate(sizes, strides)
	if !ok {
		return r.alone(ctx)
	}
	return r.planned(ctx, problem, sizes)
}

// locate finds the problem for sizes and strides, and where its factors are; false if it is too
// little to do for a product.
func (r *product) locate(sizes, strides []int64) (gemm.Problem, bool) {
	p := r.of
	r.own, r.packed, r.points, r.outer = nil, nil, 1, r.outer[:0]
	if r.flops = p.flops(sizes); r.flops < fewFlops {
		return gemm.Problem{}, false
	}
	r.table = p.Kernel.StrideTable(r.table, strides)
	r.strides = append(r.strides[:0], strides...)
	for _, a := range p.Outer {
		n := int(p.Kernel.Axes[a].Size.Of(sizes))
		r.outer, r.points = append(r.outer, n), r.points*n
	}
	if r.points == 0 {
		return gemm.Problem{}, false
	}
	problem := p.ProblemIn(sizes, r.table)
	p.Locate(&r.factors, r.table)
	inBytes(&r.factors, &problem)
	return problem, true
}

// alone has r run the kernel's own code.
func (r *product) alone(ctx context.Context) (err error) {
	r.own, err = r.of.own(ctx)
	return err
}

// planned makes r the product for a problem, of factors that are where they are.
func (r *product) planned(ctx context.Context, problem gemm.Problem, sizes []int64) error {
	r.own, r.packed, r.flops = nil, nil, flopsOf(&problem)
	if err := r.replan(problem); err != nil {
		return r.alone(ctx) // other elements
	}
	keeps, err := r.packOnce(problem, sizes)
	if err != nil {
		return err
	}
	if err := r.bind(ctx, sizes, keeps); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, backends.ErrExhausted) {
			return err
		}
		r.of.units.failed(err)
		return r.alone(ctx)
	}
	return nil
}

// bind gives r the functions of its plan, and the packed B if it keeps that.
func (r *product) bind(ctx context.Context, sizes []int64, keeps bool) error {
	made, err := r.of.functions(ctx, r.plan)
	if err != nil {
		return err
	}
	r.product = made.For(r.plan)
	if keeps {
		r.keep(sizes)
	}
	return nil
}

// replan plans a problem in the memory of the plan at hand.
func (r *product) replan(problem gemm.Problem) (err error) {
	if r.plan != nil {
		return r.plan.Replan(problem)
	}
	r.plan, err = gemm.New(problem, r.of.units.machine)
	return err
}

// moved is a product for other strides of the same classes.
type moved struct {
	gemm.Moved
	factors [3]emit.Factor
	table   [][]int64
}

// move returns the product for run-time strides, and where its factors are then.
// It is given back to r.moved.
func (r *product) move(strides []int64) *moved {
	m := r.moved.Get()
	m.table = r.of.Kernel.StrideTable(m.table, strides)
	r.of.Locate(&m.factors, m.table)
	inBytes(&m.factors, &r.plan.Problem)
	m.Move(&r.product, r.of.Strides(m.table))
	return m
}

// Parts returns how many parts are worth it.
func (r *product) Parts(sizes []int64, threads int) int {
	if r.own != nil {
		return r.own.Parts(sizes, threads)
	}
	if threads <= 1 {
		return 1
	}
	if r.short() {
		return max(min(threads, int(r.total()/(1.5*partCost))), 1)
	}
	parts := r.partsOf(threads)
	for n := threads * partsPerThread; n > parts; n /= 2 {
		if r.partsOf(n) == n && (r.points >= n || r.points == 1 && r.plan.CutsFreely(threads, n)) {
			return n
		}
	}
	return parts
}

// partsOf returns how many parts of enough work there are, at most so many.
func (r *product) partsOf(most int) int {
	return max(min(most, int(r.total()/(wakeCost/2))), 1)
}

// total returns about how many nanoseconds the product takes.
func (r *product) total() float64 { return r.cost() * float64(r.points) }

// short reports whether that is less than to wake a thread is worth.
func (r *product) short() bool { return r.total() < wakeCost }

// cost returns about how many nanoseconds a point takes. Products of few rows or columns take as
// long as it takes to read their matrices.
func (r *product) cost() float64 {
	const flop, byte = 0.01, 0.04 // nanoseconds
	p := &r.plan.Problem
	if p.GatherA != nil || p.GatherB != nil { // elements are read several times
		return r.flops * flop
	}
	a, b := float64(p.M)*float64(p.A.Size()), float64(p.N)*float64(p.B.Size())
	return max(r.flops*flop, float64(p.Batch)*float64(p.K)*(a+b)*byte)
}

// IsShort implements [kernel.ShortLauncher].
func (r *product) IsShort(sizes []int64) bool {
	if r.own == nil {
		return r.short()
	}
	b, ok := r.own.(kernel.ShortLauncher)
	return ok && b.IsShort(sizes)
}

// split says how parts share the work: whole points, if there are enough for
// all parts, else each point in parts.
func (r *product) split(parts int) (byPoint bool) { return r.points >= parts }

// Scratch returns the workspace of a part.
func (r *product) Scratch(sizes []int64, parts int) int {
	if r.own != nil {
		return r.own.Scratch(sizes, parts)
	}
	if r.split(parts) {
		parts = 1
	}
	return r.plan.PartBytes(parts)
}

// Run runs a part.
func (r *product) Run(c *kernel.Call) error {
	if r.own != nil {
		return r.own.Run(c)
	}
	return r.run(c, nil)
}

// run runs a part. B is of another operand than the call's, unless that is nil.
func (r *product) run(c *kernel.Call, operandB unsafe.Pointer) error {
	b := &c.Block
	b.Mem, b.Sizes, b.Strides = unsafe.SliceData(c.Mem), unsafe.SliceData(c.Sizes), unsafe.SliceData(c.Strides)
	from, to := int64(0), int64(r.points)
	first, last, parts := c.Part, c.Part+c.More, c.Parts
	if r.split(parts) {
		from, to = c.Share(to)
		first, last, parts = 0, 0, 1
	}
	factors, run := &r.factors, &r.product
	if !slices.Equal(c.Strides, r.strides) {
		m := r.move(c.Strides)
		defer r.moved.Put(m)
		factors, run = &m.factors, &m.Product
	}
	for point := int(from); point < int(to); point++ {
		var at [3]unsafe.Pointer
		for n := range factors {
			f := &factors[n]
			operand := c.Mem[f.Param]
			if n == 1 && operandB != nil {
				operand = operandB
			}
			at[n] = unsafe.Add(operand, f.Origin)
		}
		rest := point
		for i := len(r.outer) - 1; i >= 0; i-- {
			here := rest % r.outer[i]
			rest /= r.outer[i]
			b.At[i] = int64(here)
			for n := range factors {
				at[n] = unsafe.Add(at[n], int64(here)*factors[n].Steps[i])
			}
		}
		of := gemm.Operands{A: at[0], B: at[1], C: at[2], PackedB: r.packed, PrologueA: unsafe.Pointer(b), PrologueB: unsafe.Pointer(b), Epilogue: unsafe.Pointer(b)}
		for part := first; part <= last; part++ {
			if !run.RunIn(part, parts, of, c.Scratch, c.Done) {
				return nil // given up
			}
		}
	}
	return nil
}
