package llvm

import (
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/vector"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
)

// tier is code that is being compiled. Plain Go stands in for it. The parts and the scratch
// memory of the final code, which is embedded, are known before it is compiled.
type tier struct {
	kernel.ShortLauncher

	now    atomic.Pointer[current]
	done   chan struct{} // closed when now is final
	exact  bool          // the stand-in has the bits of the final code
	begin  func()        // has the final code be compiled without delay
	failed atomic.Bool   // the final code could not be made: who comes later tries again
}

// failedTier reports whether code is a stand-in whose final code could not be made.
func failedTier(c kernel.Code) bool {
	t, ok := c.(*tier)
	return ok && t.failed.Load()
}

// current is the code that launches run, the stand-in or the final one.
type current struct {
	kernel.Code
	final bool
}

var (
	_ kernel.Tier          = (*tier)(nil)
	_ kernel.Tier          = (*product)(nil)
	_ kernel.Tier          = (*spread)(nil)
	_ kernel.ShortLauncher = (*tier)(nil)
	_ kernel.Chainer       = (*tier)(nil)
)

// newTier returns the code of a kernel whose final code is going to be compiled. Exact is a
// stand-in with the bits of that. If it is nil, another one stands in where the tiers of ctx allow
// it; else there is no tier.
func (s *shared) newTier(ctx context.Context, k *kernel.Kernel, exact kernel.Code, final kernel.ShortLauncher) (*tier, error) {
	t := &tier{ShortLauncher: final, done: make(chan struct{}), exact: exact != nil}
	if exact == nil {
		if !kernel.TiersOf(ctx).Inexact {
			return nil, nil
		}
		codes, err := s.plain.Compile(ctx, []*kernel.Kernel{k})
		if err != nil {
			return nil, err
		}
		exact = codes[0]
	}
	t.now.Store(&current{Code: exact})
	return t, nil
}

// exact returns a stand-in for code of a kernel that has the same bits, but for those of a NaN; nil
// if there is none.
func (s *shared) exact(k *kernel.Kernel, schedule *emit.Schedule) kernel.Code {
	order := s.orderOf(k, func() *kernel.Order { return emit.OrderOf(k, schedule, s.machine) })
	if order == nil {
		return nil
	}
	return s.plain.InOrder(k, order)
}

// exactProduct is exact for a product whose plan is r's.
func (p *productKernel) exactProduct(r *product, sizes, strides []int64) kernel.Code {
	q := &r.plan.Problem
	if q.A != q.Acc || q.B != q.Acc || q.GatherA != nil || q.GatherB != nil || p.Spread {
		return nil
	}
	s := p.shared
	order := s.orderOf(p.Kernel, func() *kernel.Order { return p.EpilogueOrder(s.machine) })
	if order == nil {
		return nil
	}
	sums := tiles.OfMatrices
	few, swapped := r.plan.OfFewRows()
	switch {
	case few && swapped:
		return nil
	case few:
		sums = tiles.OfFewRows
	case r.plan.OfRow():
		sums = tiles.OfRow
	}
	return s.plain.ProductInOrder(p.Kernel, order, sums, sizes)
}

// orderOf returns the order of a kernel's code; nil if the loops of tiles convert otherwise.
func (s *shared) orderOf(k *kernel.Kernel, of func() *kernel.Order) *kernel.Order {
	if s.plain.Vectors == nil || s.machine.Level == vector.AVX512BF16 && slices.ContainsFunc(k.Instrs, func(i kernel.Instr) bool { return i.Type == types.BF16 }) {
		return nil
	}
	return of()
}

// become ends the stand-in's time; it stays if there is no code.
func (t *tier) become(code kernel.Code) {
	if code == nil {
		code = t.now.Load().Code
	}
	t.now.Store(&current{code, true})
	close(t.done)
}

// Now implements [kernel.Tier].
func (t *tier) Now() (kernel.Code, bool) {
	c := t.now.Load()
	return c.Code, c.final
}

// Finish implements [kernel.Tier].
func (t *tier) Finish(ctx context.Context) error {
	t.begin()
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Scratch is as much as either code needs.
func (t *tier) Scratch(sizes []int64, parts int) int {
	return max(t.ShortLauncher.Scratch(sizes, parts), t.now.Load().Scratch(sizes, parts))
}

// Run runs all of a launch. Launches of several parts run what Now returns.
func (t *tier) Run(c *kernel.Call) error { return t.now.Load().Run(c) }

// ResidentBytes is what the code takes that is there now.
func (t *tier) ResidentBytes() int {
	n := scheduleBytes
	if r, ok := t.now.Load().Code.(interface{ ResidentBytes() int }); ok {
		n += r.ResidentBytes()
	}
	return n
}

// NewChain implements [kernel.Chainer]: the final code can be in a chain.
func (t *tier) NewChain(launches int) kernel.Chain { return (*code)(nil).NewChain(launches) }

// settle returns code as the caller of ctx may have it: without tiers, the final one, which it
// waits for.
func settle(ctx context.Context, c kernel.Code) (kernel.Code, error) {
	t, ok := c.(*tier)
	if !ok {
		return c, nil
	}
	if tiers := kernel.TiersOf(ctx); tiers == nil || !tiers.Inexact && !t.exact {
		if err := t.Finish(ctx); err != nil {
			return nil, err
		}
	}
	if code, final := t.Now(); final {
		return code, nil
	}
	return t, nil
}

// openTime and kernelTime are about how many nanoseconds it takes to open libLLVM and to
// compile a kernel.
const (
	openTime   = 20e6
	kernelTime = 10e6
)

// compiles reports whether there is libLLVM, or seems to be one that is not open yet. Without it
// plain Go is the final code, and nothing stands in.
func (s *shared) compiles(ctx context.Context) bool {
	if !s.open.ready.Load() {
		return libllvm.Likely()
	}
	c, _ := s.opened(ctx)
	return c != nil
}

// cheap reports whether a run with the kernels in plain Go takes at most half as long as to
// compile them: on one processor, the run takes that time twice, while they are compiled.
func (s *shared) cheap(ctx context.Context, kernels ...*kernel.Kernel) bool {
	tiers := kernel.TiersOf(ctx)
	if tiers == nil || tiers.Cost == nil || !s.compiles(ctx) {
		return false
	}
	limit := kernelTime * float64(len(kernels))
	if !s.open.ready.Load() {
		limit += openTime
	}
	for _, k := range kernels {
		cost, ok := tiers.Cost(k)
		if limit -= 2 * cost; !ok || limit < 0 {
			return false
		}
	}
	return true
}

// background bounds how many objects libLLVM compiles at once that nobody waits for: a processor
// is left to the program. Who has a place waits for nothing else.
var background = sync.OnceValue(func() chan struct{} { return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)) })

// takePlace waits for a place in the background, if ctx is that of work there. The function that it
// returns gives the place back.
func takePlace(ctx context.Context) (leave func()) {
	if !isBackground(ctx) {
		return func() {}
	}
	background() <- struct{}{}
	return func() { <-background() }
}

// In the background time counts less than memory: what compiling leaves is collected from 4 MiB on, if
// the heap is so small that this takes some milliseconds. The runtime itself waits for as much as a
// program's weights and its memory.
const (
	leastGarbage = 4 << 20
	smallHeap    = 128 << 20
)

// collect runs the collector if that is worth it, and ctx is that of work in the background.
func collect(ctx context.Context) {
	if !isBackground(ctx) {
		return
	}
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	if live, all := s[0].Value.Uint64(), s[1].Value.Uint64(); live < smallHeap && all > live+leastGarbage {
		runtime.GC()
	}
}

type backgroundKey struct{}

// isBackground reports whether ctx is that of work that nobody waits for.
func isBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// later does work that nobody waits for, with a context that has no tiers and does not end. It
// begins when the tiers of ctx say so, or when begin is called.
func later(ctx context.Context, work func(context.Context)) (begin func()) {
	tiers := kernel.TiersOf(ctx)
	ctx = kernel.WithTiers(context.WithoutCancel(ctx), nil)
	ctx = context.WithValue(ctx, backgroundKey{}, true)
	if tiers.Later == nil {
		go work(ctx)
		return func() {}
	}
	return tiers.Later(func() { work(ctx) })
}

// groupLater sets the code of kernels that are compiled meanwhile, and reports whether they are:
// not if a kernel has no stand-in.
func (s *shared) groupLater(ctx context.Context, kernels []*kernel.Kernel, codes []kernel.Code, keep keepFunc) (bool, error) {
	tiers := make([]*tier, len(kernels))
	for i, schedule := range emit.Schedules(kernels, s.machine) {
		if schedule == nil {
			continue
		}
		t, err := s.newTier(ctx, kernels[i], s.exact(kernels[i], schedule), &code{kernel: kernels[i], schedule: schedule})
		if err != nil || t == nil {
			return false, err
		}
		tiers[i] = t
	}
	for i, t := range tiers {
		if t != nil {
			codes[i] = t
		}
	}
	begin := later(ctx, func(ctx context.Context) {
		made := make([]kernel.Code, len(kernels))
		err := s.group(ctx, kernels, made, func(context.Context) {}, keep)
		if err != nil {
			s.warn(err)
		} else {
			keep(kernels, made)
		}
		for i, t := range tiers {
			if t != nil {
				t.failed.Store(err != nil)
				t.become(made[i])
			}
		}
	})
	for _, t := range tiers {
		if t != nil {
			t.begin = begin
		}
	}
	return true, nil
}

// Now implements [kernel.Tier]: the product's own code may be one.
func (r *product) Now() (kernel.Code, bool) {
	if t, ok := r.own.(*tier); ok {
		return t.Now()
	}
	return r, true
}

// Finish implements [kernel.Tier].
func (r *product) Finish(ctx context.Context) error {
	if t, ok := r.own.(*tier); ok {
		return t.Finish(ctx)
	}
	return nil
}

// Now implements [kernel.Tier].
func (r *spread) Now() (kernel.Code, bool) {
	if t, ok := r.own.(*tier); ok {
		return t.Now()
	}
	return r, true
}

// locating is a product that has not been planned.
type locating interface {
	kernel.ShortLauncher
	// locate finds the problem for sizes and strides; false if it is too little to do.
	locate(sizes, strides []int64) (gemm.Problem, bool)
	// unplanned is what plans the problem.
	unplanned() *product
}

func (r *product) unplanned() *product { return r }

// standIn returns code of a product whose functions are compiled meanwhile; nil if they are
// there, or the stand-in takes too long. The product is of this kernel.
func (p *productKernel) standIn(ctx context.Context, x locating, sizes, strides []int64) (*tier, error) {
	if kernel.TiersOf(ctx) == nil {
		return nil, nil
	}
	r := x.unplanned()
	problem, ok := x.locate(sizes, strides)
	if !ok || r.replan(problem) != nil {
		return nil, nil
	}
	keeps, err := r.packOnce(problem, sizes)
	if err != nil {
		return nil, err
	}
	if p.shared.unitsReady(r.plan) || !p.shared.cheap(ctx, p.Kernel) {
		return nil, nil
	}
	t, err := p.shared.newTier(ctx, p.Kernel, p.exactProduct(r, sizes, strides), x)
	if err != nil || t == nil {
		return nil, err
	}
	sizes = slices.Clone(sizes)
	t.begin = later(ctx, func(ctx context.Context) {
		if err := r.bind(ctx, sizes, keeps); err != nil {
			p.units.failed(err)
			t.become(nil)
			return
		}
		t.become(x)
	})
	return t, nil
}

// unitsReady reports whether a plan's functions are there or on disk.
func (s *shared) unitsReady(q *gemm.Plan) bool {
	for _, u := range q.Units() {
		if !s.units.made(u) && !s.kept(u) {
			return false
		}
	}
	return true
}
