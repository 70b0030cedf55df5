package reference

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/env"
	"ltc/internal/spare"
	"ltc/ir/types"
	"ltc/soa"
)

// compiled is a module that runs as kernels. It is immutable but for the pool; that
// of a program for all sizes, which has no pool, is one run's at a time.
type compiled struct {
	exec.Executable[*compiled]
	file    string
	steps   []compiledStep
	codeOf  []*sizedCode // of all steps that have code, each once
	hosted  []int        // the other steps
	scratch int          // bytes that a part of a step needs
	parts   int          // most parts of a step
	workers int          // most threads of a step
	groups  []int        // by step, the end of the group that it begins, or 0, if there are some
	uses    []use        // by step, of those that may be members
	members int          // most steps of a group; 0: there is none
	held    int          // bytes that the code of steps has besides
	// workspace is WorkspaceBytes of the sizes at hand.
	workspace int
	keeper    *keeper // of constants in other forms
	pool      *spare.Pool[launcher]
	pointers  int // operands of all steps together
	threads   int
	own       bool      // how many threads a run uses is the backend's to say
	deferred  *deferral // of compiling while stand-ins may run; nil: none do
	// long is set when a run takes so long that one that can be cancelled must
	// be so to its end: it writes no memory of the caller before.
	long bool

	codes     []kernel.Code // by kernel, not yet prepared for sizes
	compilers []kernel.Compiler
	strides   int         // run-time strides of all steps together
	views     *exec.Views // of a variant; nil: all are dense
	unbound   *compiled   // what Bind was called on first, whose code has no constants of Bind's; nil: it is that
}

// compiledStep is a step with its code.
type compiledStep struct {
	*plan.Step
	*plan.Launch             // of work that was claimed, its operands; nil: the host runs or drives it
	bound        kernel.Code // before its sizes are known
	*sizedCode
	interim *atomic.Int64 // counts the launches that a stand-in has run; nil: none
	sizes   []int         // of an element, by operand
	first   int           // where its pointers begin in the launcher's
	// where its strides begin in the launcher's, if some depend on the call
	strides int
	loop    *lastLoop // of a loop
}

// sizedCode is the code of a step for its sizes, and how it is cut. Steps share one that have the
// same code, sizes and strides whatever the sizes of the program are.
type sizedCode struct {
	code  kernel.Code // nil: the evaluator's
	parts int
	tier  kernel.Tier // code, as long as a stand-in may run it; else nil
	short bool        // see [kernel.ShortLauncher]
	// void says of each operand that the step accesses none of its elements. Where
	// the first one would be may then be outside of its memory, and so in that of
	// something else, which the collector must not be shown.
	void []bool
	// prepared are the strides that the code is for.
	prepared []int64
	steps    []int      // the numbers of the steps that share it, in their order
	points   int        // how often the bodies of the kernel run
	like     *sizedCode // other code of the same kernel and sizes, which has points and void; nil: none
}

// KitOptions returns what the backend cpu makes kernels of a program with, for those who show
// them. Programs are checked after each pass if the environment variable LTC_CHECK is 1.
func KitOptions(ctx context.Context) kit.Options {
	compilers.Lock()
	use := compilers.fastest
	compilers.Unlock()
	return kitOptions(ctx, use)
}

func kitOptions(ctx context.Context, compilers []kernel.Compiler) kit.Options {
	const launch = 1 << 14   // multiplications, in 0.3 µs
	const splitK = 384 << 10 // smaller matrices are in a cache
	return kit.Options{
		Eval: eval.New(), Check: env.Checks.On(), Launch: launch, ChannelsFirst: true, SplitK: splitK, Claim: Claim, HostComposites: true,
		Fuse: fuse.Options{Packs: packsOf(ctx, compilers), Columns: columnsOf(ctx, compilers), Cut: Cut, Hoist: true, Alone: runsAlone, WindowBorders: packsOf(ctx, compilers) != nil},
	}
}

// compileKernels makes kernels of a program and runs them by compilers, of
// which each is asked for what those before it leave.
func compileKernels(ctx context.Context, p *backends.Program, o backends.Options, compilers []kernel.Compiler) (backends.Executable, error) {
	prog, err := kernelsOf(ctx, p, compilers)
	if err != nil {
		return nil, err
	}
	return compileProgram(ctx, p.File, prog, o, compilers)
}

// compileProgram makes a program and its regions executable.
func compileProgram(ctx context.Context, file string, prog *plan.Program, o backends.Options, compilers []kernel.Compiler) (*compiled, error) {
	regions, err := compileRegions(ctx, file, prog, o, compilers)
	if err != nil {
		return nil, err
	}
	ctx = tiersFor(ctx, prog, compilers)
	codes, err := codesOf(ctx, nil, prog.Kernels, compilers)
	if err != nil {
		return nil, err
	}
	own, err := claimedCodes(kernel.WithTiers(ctx, nil), prog, compilers)
	if err != nil {
		return nil, err
	}
	k := new(keeper)
	e, err := newCompiled(ctx, file, prog, boundCodes(prog, codes, nil, nil, k, own, nil), o, regions, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	e.keeper, e.codes, e.compilers, e.deferred = k, codes, compilers, deferralOf(ctx)
	e.ready()
	e.CountIn(e.Grown())
	return e, nil
}

// compileRegions makes the regions of a program executable.
func compileRegions(ctx context.Context, file string, prog *plan.Program, o backends.Options, compilers []kernel.Compiler) (exec.Regions, error) {
	return exec.MakeRegions(prog, func(step, r int) (backends.Executable, error) {
		return compileProgram(ctx, file, prog.Steps[step].Regions()[r], o, compilers)
	})
}

// keptRuns returns for how many simultaneous runs memory is kept while nothing runs. A
// program with constants is a model: it keeps memory for as many runs as come at once
// on a machine that does other things, too. Steps of a program keep none, because they
// are many and some run once.
func keptRuns(bound []soa.View) int {
	if bound == nil {
		return 0
	}
	return 4
}

// ready makes the pool of e, and has it make variants.
func (e *compiled) ready() {
	e.pool = spare.New(keptRuns(e.Bound), e.launcher)
	if e.views == nil {
		e.Vary(e, varied(e, e.variant))
		e.keeper.grown = e.Grown()
	}
}

// CountIn has n count what the program takes more: code of variants, and constants as runs
// pack them.
func (e *compiled) CountIn(n *atomic.Int64) {
	e.Executable.CountIn(n)
	e.keeper.grown = n
}

// kernelsOf makes kernels of a program.
func kernelsOf(ctx context.Context, p *backends.Program, compilers []kernel.Compiler) (*plan.Program, error) {
	return kit.Compile(ctx, p, kitOptions(ctx, compilers))
}

// mostStages is how many unrelated stages a kernel has: what a compiler takes for one
// grows with more than its length, and kernels of equal parts of a long one are
// compiled once.
const mostStages = 16

// Cut says where kernels of many unrelated stages are cut; see [fuse.Options].
func Cut(k *kernel.Kernel) (at []int) {
	for s := mostStages; s < len(k.Stages); s += mostStages {
		at = append(at, s)
	}
	return at
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

// newCompiled makes a program of kernels executable, given the code of each step
// ([boundCodes]). views are those at hand of a program that is a variant, nil for
// others; bound are the constants that it has, nil if there are none. Rules are those of
// the program that it is a variant or a size of; nil if it is none.
func newCompiled(ctx context.Context, file string, prog *plan.Program, codes []kernel.Code, o backends.Options, regions exec.Regions, rules *exec.Results, views *exec.Views, bound []soa.View) (*compiled, error) {
	if rules == nil {
		rules = rulesFor(prog, false)
	}
	e := &compiled{file: file, own: o.Threads == 0, threads: threads(o.Threads), views: views}
	e.Plan = exec.Plan{Program: prog, On: &machine, Regions: regions, Rules: rules, Bound: bound, Copied: new(atomic.Int64)}
	for i := range prog.Steps {
		e.add(compiledStep{Step: &prog.Steps[i], bound: codes[i]})
		if kernel.TiersOf(ctx) != nil { // as Times, Bind's results have them, too
			e.steps[i].interim = new(atomic.Int64)
		}
	}
	e.share()
	if o.Profile {
		e.Times = make([]exec.Timer, len(e.steps))
	}
	return e, e.fit(ctx)
}

// fit prepares e for the sizes that its program has now. If it has been fitted
// before it allocates nothing.
func (e *compiled) fit(ctx context.Context) error {
	if err := e.prepareAll(ctx); err != nil {
		return err
	}
	work := 0
	for _, c := range e.codeOf {
		s := &e.steps[c.steps[0]]
		if own, ok := s.bound.(claimedCode); ok {
			code, err := own.fit(ctx, s.Work, c.code)
			if err != nil {
				return err
			}
			c.code, work = code, loops.Added(work, code.work())
			continue
		}
		if l := c.like; l != nil {
			c.points = l.points
			copy(c.void, l.void)
		} else {
			k := e.Plan.Program.Kernels[s.Kernel]
			c.points = pointsOf(k, s.Sizes)
			setVoid(c.void, k, s.Sizes)
		}
		work = loops.Added(work, loops.Times(c.points, len(c.steps)))
	}
	e.long = work > loops.LongWork
	e.cut()
	e.findGroups()
	e.workspace = e.WorkspaceBytes()
	if err := soa.Fits(loops.Added(e.workspace, e.resultBytes())); err != nil {
		return fmt.Errorf("%s: the results and the values that are alive at once: %w", e.file, err)
	}
	return nil
}

// prepareAll gives all steps with a launch of a kernel their code. Code that is prepared for
// the first time is prepared by several goroutines, since some of it is compiled then.
func (e *compiled) prepareAll(ctx context.Context) error {
	var fresh, again []*compiledStep // first one of each kernel: others wait for what these compile
	var begun []bool
	for _, c := range e.codeOf {
		s := &e.steps[c.steps[0]]
		if _, own := s.bound.(claimedCode); own {
			continue
		}
		p, ok := s.bound.(kernel.Preparer)
		switch {
		case !ok:
			c.code = s.bound
		case c.code != nil:
			if err := e.prepare(ctx, s, p); err != nil {
				return err
			}
		default:
			if begun == nil {
				begun = make([]bool, len(e.Plan.Program.Kernels))
			}
			if begun[s.Kernel] {
				again = append(again, s)
			} else {
				fresh, begun[s.Kernel] = append(fresh, s), true
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	fresh = append(fresh, again...)
	errs := make([]error, len(fresh))
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(fresh); i = int(next.Add(1)) - 1 {
			if errs[i] = e.prepare(ctx, fresh[i], fresh[i].bound.(kernel.Preparer)); errs[i] != nil {
				next.Store(int64(len(fresh))) // the others leave the rest
			}
		}
	}
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(fresh)) - 1 {
		wait.Go(work)
	}
	work()
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare gives a step its code, for its sizes and its strides, with the views at
// hand those that they make it.
func (e *compiled) prepare(ctx context.Context, s *compiledStep, p kernel.Preparer) (err error) {
	defer e.caught(s, p, &err) // prepareAll calls it on other goroutines, too
	s.prepared = strides(s.prepared[:0], e.views, e.Plan.Program, s.Launch)
	s.code, err = p.Prepare(ctx, s.Sizes, s.prepared, s.code)
	return err
}

// add adds a step.
func (e *compiled) add(s compiledStep) {
	s.first, s.strides = e.pointers, e.strides
	switch w := s.Work.(type) {
	case *plan.Sort:
		s.Launch, s.sizes = launchOf(w.Args, w.Outs)
	case *plan.Triangular:
		s.Launch, s.sizes = launchOf(w.Args, w.Outs)
	case *plan.Composite:
		s.Launch, s.sizes = launchOf(w.Arrays())
	case *plan.Loop:
		s.loop = new(lastLoop)
	case *plan.Launch:
		s.Launch = w
		for _, p := range e.Plan.Program.Kernels[s.Kernel].Params {
			s.sizes = append(s.sizes, p.DType.Size())
		}
		if len(s.Moving) > 0 {
			e.strides += len(s.Strides)
		}
	}
	e.pointers += len(s.sizes)
	e.steps = append(e.steps, s)
}

// launchKind is what steps have in common that share their code for sizes. Lists of numbers that
// are one list are equal for all sizes.
type launchKind struct {
	code           kernel.Code // nil: any, and of any strides
	kernel         int
	sizes, strides *int64
	many           [2]int // how many of these
}

// share gives steps the memory of their code for sizes, now that the code before is known.
func (e *compiled) share() {
	e.codeOf, e.hosted = nil, nil
	known := map[launchKind]*sizedCode{}
	for i := range e.steps {
		s := &e.steps[i]
		l := s.Step.Launch()
		of := launchKind{code: s.bound}
		if l != nil {
			of.kernel, of.sizes, of.strides, of.many = l.Kernel, unsafe.SliceData(l.Sizes), unsafe.SliceData(l.Strides), [2]int{len(l.Sizes), len(l.Strides)}
		}
		shares := l != nil && len(l.Moving) == 0 && reflect.TypeOf(s.bound).Kind() == reflect.Pointer
		if shares && known[of] != nil {
			s.sizedCode = known[of]
			s.steps = append(s.steps, i)
			continue
		}
		if s.sizedCode = new(sizedCode); s.Launch == nil {
			e.hosted = append(e.hosted, i)
			continue
		}
		s.void, s.steps = make([]bool, len(s.sizes)), []int{i}
		e.codeOf = append(e.codeOf, s.sizedCode)
		if shares {
			known[of] = s.sizedCode
		}
		if l != nil {
			of.code, of.strides, of.many[1] = nil, nil, 0
			if s.like = known[of]; s.like == nil {
				known[of] = s.sizedCode
			}
		}
	}
}

// rulesFor returns the rules for where a program's results are written: of the steps,
// only those that are no kernels can fail. Opens says that sizes are open: a loop is fitted to
// them before its first iteration, and that can fail.
func rulesFor(p *plan.Program, opens bool) *exec.Results {
	return exec.NewResults(p, p.LastFallible, false).Uncancelled(p.LastFailing(!opens))
}

// cut says in how many parts the steps run, and what memory that takes.
func (e *compiled) cut() {
	e.parts, e.workers, e.scratch, e.held = 1, 1, 0, 0
	for _, c := range e.codeOf {
		e.begun(c)
		sizes := e.steps[c.steps[0]].Sizes
		c.parts = min(c.code.Parts(sizes, e.threads), mostParts)
		b, ok := c.code.(kernel.ShortLauncher)
		c.short = ok && b.IsShort(sizes)
		e.parts, e.workers = max(e.parts, c.parts), max(e.workers, min(c.parts, e.threads))
		e.scratch = max(e.scratch, lines(c.code.Scratch(sizes, c.parts)))
		if h, ok := c.code.(kernel.Holder); ok {
			e.held = loops.Added(e.held, h.HeldBytes())
		}
	}
}

// lines returns a number of bytes that is one of whole lines of a cache.
func lines(n int) int { return (n + 63) &^ 63 }

// accessesNone reports whether a kernel accesses no element of an operand: it has no
// points, or the operand no elements.
func accessesNone(k *kernel.Kernel, operand int, sizes []int64) bool {
	return hasNoPoints(k, sizes) || hasNoElements(k, operand, sizes)
}

// setVoid sets, by operand, whether a kernel accesses none of its elements.
func setVoid(void []bool, k *kernel.Kernel, sizes []int64) {
	none := hasNoPoints(k, sizes)
	for j := range void {
		void[j] = none || hasNoElements(k, j, sizes)
	}
}

func hasNoPoints(k *kernel.Kernel, sizes []int64) bool {
	for i := range k.Axes {
		if k.Axes[i].Size.Of(sizes) == 0 {
			return true
		}
	}
	return false
}

func hasNoElements(k *kernel.Kernel, operand int, sizes []int64) bool {
	for _, d := range k.Params[operand].Dims {
		if d.Of(sizes) == 0 {
			return true
		}
	}
	return false
}

// pointsOf returns how often the bodies of a kernel run.
func pointsOf(k *kernel.Kernel, sizes []int64) int {
	n := 0
	for s := range k.Stages {
		points := 1
		for a := range len(k.Axes) + len(k.Stages[s].Axes) {
			points = loops.Times(points, int(k.Axis(s, a).Size.Of(sizes)))
		}
		n = loops.Added(n, points)
	}
	return n
}

// launcher runs the kernels of one run at a time; it is the [exec.Target].
type launcher struct {
	*exec.Run
	of        *compiled
	arena     soa.View
	pointers  []unsafe.Pointer // by step and operand
	workers   []worker
	scratch   soa.View
	crew      crew
	now       launched   // what is under way
	group     []launched // the members of a group that is; else empty
	loopGroup loopGroup
	failed    atomic.Bool         // whether a part of it has
	strides   []int64             // by step, of those with strides that depend on the call
	fitted    uint64              // the number of its last fit, which no other fit has
	sized     *sizedRun           // that it belongs to; nil: none
	loops     map[int]*kernelLoop // by step, of the loops that have run
	sequence  sequence            // of short steps that follow each other
}

// launched is what all parts of a launch have in common.
type launched struct {
	step    *compiledStep
	code    kernel.Code
	mem     []unsafe.Pointer
	sizes   []int64
	strides []int64
	parts   int
	done    <-chan struct{}
}

// worker is who runs parts: the goroutine that asks, or a helper.
type worker struct {
	call  kernel.Call
	err   error // of the first of its parts that failed, and which that is
	first int
	_     [128]byte // so that no other writes to the same line of a cache
}

func bytesView(n int) soa.View {
	return soa.Make(types.Type{DType: types.U8, Shape: types.Shape{max(n, 1)}})
}

// fits counts how often launchers were made or fitted to sizes.
var fits atomic.Uint64

// launcher makes the memory of a run.
func (e *compiled) launcher() *launcher {
	l := &launcher{of: e, pointers: make([]unsafe.Pointer, e.pointers), strides: make([]int64, e.strides)}
	l.Run = exec.NewRun(&e.Plan, l, nil)
	l.fit()
	l.place()
	return l
}

// fit gives the launcher the memory that its program takes for the sizes that it has now. It
// allocates where that is more than it has been.
func (l *launcher) fit() {
	e := l.of
	l.fitted = fits.Add(1)
	l.arena, l.scratch = atLeast(l.arena, e.Plan.Program.Arena), atLeast(l.scratch, e.scratch*e.workers)
	most := 1
	if e.workers > 1 {
		most = e.threads // of any size: once helpers are awake, they are who they are
	}
	if len(l.workers) < most {
		l.workers = make([]worker, most)
		l.crew.init(most, l.part)
	}
	l.crew.limit(e.workers)
	l.group = slices.Grow(l.group[:0], e.members)
	for i := range e.workers {
		l.workers[i].call.Scratch = unsafe.Add(l.scratch.Base(), i*e.scratch)
	}
}

// place sets the addresses of temporaries and constants.
func (l *launcher) place() {
	e := l.of
	for v := range e.Plan.Program.Values {
		switch val := &e.Plan.Program.Values[v]; val.Kind {
		case plan.Temporary:
			if l.Mem[v] = unsafe.Add(l.arena.Base(), val.Offset); e.Known != nil && !e.Known[v].IsZero() {
				l.Mem[v] = e.Known[v].Base()
			}
		case plan.Constant:
			l.Mem[v] = unsafe.Pointer(unsafe.SliceData(val.Data))
		}
	}
}

// atLeast returns v, or memory of its own where v has fewer than n bytes: more than
// these if v has some, so that sizes that grow bit by bit seldom need other memory.
func atLeast(v soa.View, n int) soa.View {
	switch {
	case v.IsZero():
		return bytesView(n)
	case v.Type.Elements() < n:
		return bytesView(max(n, v.Type.Elements()*3/2))
	}
	return v
}

// Artifact returns an error: compiled programs are cached, not yet saved.
func (e *compiled) Artifact() ([]byte, error) {
	return nil, fmt.Errorf("artifact: %w", errors.ErrUnsupported)
}

// Compiled returns how many steps of the program and of its regions are kernels,
// and how many ops were left to the evaluator.
func (e *compiled) Compiled() (kernels, evaluated int) { return countSteps(e.Plan.Program) }

func countSteps(p *plan.Program) (kernels, evaluated int) {
	p.Each(func(s *plan.Step) {
		switch s.Work.(type) {
		case *plan.Host:
			evaluated++
		case *plan.Launch, *plan.Composite, *plan.Sort, *plan.Triangular:
			kernels++
		}
	})
	return kernels, evaluated
}

// Parts returns into how many parts steps are cut at most.
func (e *compiled) Parts() int { return e.parts }
