package reference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/internal/env"
	"ltc/ir/types"
	"ltc/soa"
)

// compiled is a module that runs as kernels. It is immutable but for the pool.
type compiled struct {
	program  *kit.Program
	steps    []compiledStep
	scratch  int // bytes that a part of a step needs
	parts    int // most parts of a step
	results  []placement
	bound    []soa.View
	kept     []soa.View // what the code of steps has made of constants
	pool     *sync.Pool // of *launcher
	pointers int        // operands of all steps together
	threads  int
	own      bool // how many threads a run uses is the backend's to say
	// long is set when a run takes so long that one that can be cancelled must
	// be so to its end: it writes no memory of the caller before.
	long   bool
	copied *atomic.Int64 // bytes; see CopiedBytes
	times  []kit.Timer   // by step; nil unless they are measured

	codes     []kernel.Code // by kernel, not yet prepared for sizes
	compilers []kernel.Compiler
	strides   int                  // run-time strides of all steps together
	variants  *variants[*compiled] // for views that are not dense; nil where all are copied
	lays      []kit.Layout         // of a variant: of arguments, then of results; nil: dense
	spare     spare
}

// spare is memory that a run for another size has left to the next.
type spare struct{ arena, scratch soa.View }

// atLeast returns v, or memory of its own where v has fewer than n bytes.
func atLeast(v soa.View, n int) soa.View {
	if !v.IsZero() && v.Type.Elements() >= n {
		return v
	}
	return bytesView(n)
}

// compiledStep is a step with its code and how it is cut.
type compiledStep struct {
	*kit.Step
	code  kernel.Code // nil: the evaluator's
	parts int
	sizes []int // of an element, by operand
	first int   // where its pointers begin in the launcher's
	// where its strides begin in the launcher's, if some depend on the call
	strides int
}

// placement says where a result may be written.
type placement struct {
	direct  bool // in the caller's memory: no later step can fail
	inPlace bool // over the argument that it takes over
	bytes   int
}

// kitOptions are what kernels are made with; body compiles regions. Programs are
// checked after each pass if the environment variable LTC_CHECK is 1.
func kitOptions(body func(context.Context, backends.Module) (backends.Executable, error)) kit.Options {
	return kit.Options{Eval: New(), Body: body, Check: env.Checks.On()}
}

// compileKernels makes kernels of a program and runs them by compilers, of
// which each is asked for what those before it leave.
func (b *Backend) compileKernels(ctx context.Context, p *backends.Program, o backends.Options, compilers []kernel.Compiler) (backends.Executable, error) {
	prog, err := b.kernels(ctx, p, o, compilers)
	if err != nil {
		return nil, err
	}
	codes, err := codesOf(ctx, nil, prog.Kernels, compilers)
	if err != nil {
		return nil, err
	}
	e, err := newCompiled(ctx, p.File, prog, codes, o, nil, nil)
	if err != nil {
		return nil, err
	}
	e.compilers = compilers
	e.vary()
	return e, nil
}

// kernels makes kernels of a program; what is in the regions of its loops and
// branches is compiled.
func (b *Backend) kernels(ctx context.Context, p *backends.Program, o backends.Options, compilers []kernel.Compiler) (*kit.Program, error) {
	options := kitOptions(func(ctx context.Context, m backends.Module) (backends.Executable, error) {
		p, err := backends.Load(ctx, m, backends.Options{Name: p.File})
		if err != nil {
			return nil, err
		}
		return b.compileKernels(ctx, p, o, compilers)
	})
	options.Packs = packsOf(compilers)
	return kit.Compile(ctx, p, options)
}

// codesOf makes kernels runnable. known has the code of the first of them.
func codesOf(ctx context.Context, known []kernel.Code, kernels []*kernel.Kernel, compilers []kernel.Compiler) ([]kernel.Code, error) {
	codes := make([]kernel.Code, len(kernels))
	copy(codes, known)
	for _, c := range compilers {
		var missing []*kernel.Kernel
		var at []int
		for i, code := range codes {
			if code == nil {
				missing, at = append(missing, kernels[i]), append(at, i)
			}
		}
		if len(missing) == 0 {
			break
		}
		got, err := c.Compile(ctx, missing)
		if err != nil {
			return nil, err
		}
		for i, code := range got {
			codes[at[i]] = code
		}
	}
	for i, code := range codes {
		if code == nil {
			return nil, fmt.Errorf("compile: no code for %v", kernels[i])
		}
	}
	return codes, nil
}

// newCompiled makes a program of kernels executable whose code is there. views are
// those at hand of a program that is a variant, nil for others; bound are the
// constants that it has, nil if there are none.
func newCompiled(ctx context.Context, file string, prog *kit.Program, codes []kernel.Code, o backends.Options, views *viewed, bound []soa.View) (*compiled, error) {
	e := &compiled{program: prog, bound: bound, copied: new(atomic.Int64), own: o.Threads == 0, threads: threads(o.Threads), codes: codes}
	if views != nil {
		e.lays = views.lays
	}
	work := 0
	for i := range prog.Steps {
		s := compiledStep{Step: &prog.Steps[i]}
		if s.Kernel >= 0 {
			if err := e.prepare(ctx, &s, views); err != nil {
				return nil, err
			}
			work = added(work, pointsOf(prog.Kernels[s.Kernel], s.Sizes))
		}
		e.add(s)
	}
	e.bindSteps(func(*compiledStep) bool { return true })
	e.cut()
	e.placeable()
	if err := soa.Fits(added(e.WorkspaceBytes(), e.resultBytes())); err != nil {
		return nil, fmt.Errorf("%s: the results and the values that are alive at once: %w", file, err)
	}
	e.long = work > longWork
	if o.Profile {
		e.times = make([]kit.Timer, len(e.steps))
	}
	return e, nil
}

// prepare gives a step its code, for its sizes and its strides, with views at
// hand those that they make it.
func (e *compiled) prepare(ctx context.Context, s *compiledStep, views *viewed) (err error) {
	s.code = e.codes[s.Kernel]
	if p, ok := s.code.(kernel.Preparer); ok {
		if s.code, err = p.Prepare(ctx, s.Sizes, views.strides(e.program, s.Step)); err != nil {
			return err
		}
	}
	s.sizes = nil
	for _, p := range e.program.Kernels[s.Kernel].Params {
		s.sizes = append(s.sizes, p.DType.Size())
	}
	return nil
}

// add adds a step.
func (e *compiled) add(s compiledStep) {
	s.first, s.strides = e.pointers, e.strides
	e.pointers += len(s.Operands)
	if len(s.Moving) > 0 {
		e.strides += len(s.Strides)
	}
	e.steps = append(e.steps, s)
}

// placeable finds out where results may be written.
func (e *compiled) placeable() {
	prog := e.program
	for j := range prog.Results {
		v := prog.Values[prog.Results[j]]
		e.results = append(e.results, placement{direct: v.First > prog.LastFallible, inPlace: prog.InPlace(j), bytes: v.Type.Bytes()})
	}
}

// cut says in how many parts the steps run. It is called before the first run.
func (e *compiled) cut() {
	e.parts, e.scratch = 1, 0
	for i := range e.steps {
		s := &e.steps[i]
		if s.code == nil {
			continue
		}
		s.parts = s.code.Parts(s.Sizes, e.threads)
		e.parts = max(e.parts, s.parts)
		e.scratch = max(e.scratch, align(s.code.Scratch(s.Sizes, s.parts)))
	}
	e.pool = &sync.Pool{New: func() any { return e.launcher() }}
}

// pointsOf returns how often the bodies of a kernel run.
func pointsOf(k *kernel.Kernel, sizes []int64) int {
	n := 0
	for s := range k.Stages {
		points := 1
		for _, a := range slices.Concat(k.Axes, k.Stages[s].Axes) {
			points = times(points, int(a.Size.Of(sizes)))
		}
		n = added(n, points)
	}
	return n
}

// launcher is what one run works with.
type launcher struct {
	of       *compiled
	arena    soa.View
	mem      []unsafe.Pointer // by value
	pointers []unsafe.Pointer // by step and operand
	calls    []kernel.Call    // by part
	scratch  soa.View
	args     []soa.View // dense copies of arguments that are not
	results  []soa.View // where results are written that cannot go to the caller's memory at once
	fresh    []soa.View // memory made for results that the caller leaves to us
	call     backends.Call
	regions  kit.Regions
	errs     []error
	crew     crew
	code     kernel.Code // of the launch under way
	lies     [][]int     // by value: the strides of views that are not copied
	strides  []int64     // by step, of those with strides that depend on the call
	tables   [][]int64   // by value, of those of kind Table
}

func bytesView(n int) soa.View {
	return soa.Make(types.Type{DType: types.U8, Shape: types.Shape{max(n, 1)}})
}

// launcher makes the memory of a run.
func (e *compiled) launcher() *launcher {
	l := &launcher{
		of:       e,
		arena:    atLeast(e.spare.arena, e.program.Arena),
		mem:      make([]unsafe.Pointer, len(e.program.Values)),
		pointers: make([]unsafe.Pointer, e.pointers),
		calls:    make([]kernel.Call, e.parts),
		scratch:  atLeast(e.spare.scratch, e.scratch*e.parts),
		args:     make([]soa.View, len(e.program.Args)),
		results:  make([]soa.View, len(e.program.Results)),
		fresh:    make([]soa.View, len(e.program.Results)),
		errs:     make([]error, e.parts),
		lies:     make([][]int, len(e.program.Values)),
		strides:  make([]int64, e.strides),
		tables:   make([][]int64, len(e.program.Values)),
	}
	l.crew.init(e.parts, l.part)
	for i := range l.calls {
		l.calls[i].Scratch = unsafe.Add(l.scratch.Base(), i*e.scratch)
	}
	for v := range e.program.Values {
		switch val := &e.program.Values[v]; val.Kind {
		case kit.Temporary:
			l.mem[v] = unsafe.Add(l.arena.Base(), val.Offset)
		case kit.Constant:
			l.mem[v] = unsafe.Pointer(unsafe.SliceData(val.Data))
		case kit.Table:
			l.tables[v] = make([]int64, max(val.Type.Elements(), 1))
			l.mem[v] = unsafe.Pointer(unsafe.SliceData(l.tables[v]))
		}
	}
	return l
}

// Signature returns what the program takes and gives.
func (e *compiled) Signature() *backends.Signature { return e.program.Signature }

// Artifact returns an error: compiled programs are cached, not yet saved.
func (e *compiled) Artifact() ([]byte, error) {
	return nil, fmt.Errorf("artifact: %w", errors.ErrUnsupported)
}

// Program returns what the module became.
func (e *compiled) Program() *kit.Program { return e.program }

// Compiled returns how many steps of the program and of its regions are kernels,
// and how many ops were left to the evaluator.
func (e *compiled) Compiled() (kernels, evaluated int) {
	e.program.Each(func(s *kit.Step) {
		switch {
		case s.Host != nil:
			evaluated++
		case s.Kernel >= 0:
			kernels++
		}
	})
	return kernels, evaluated
}

// Parts returns into how many parts, of which each may have a thread of its own,
// steps are cut at most.
func (e *compiled) Parts() int { return e.parts }
