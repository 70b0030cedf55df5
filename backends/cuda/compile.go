package cuda

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/cuda/ptx"
	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/kit"
	"ltc/backends/kit/exec"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/env"
	"ltc/ir/types"
)

// localBytes is what stages of a kernel hand on in a block's memory, of the 48 KiB
// that every kernel may have.
const localBytes = 40 << 10

// compilation is a program with those of its regions, whose kernels are one module.
// It is made without a device.
type compilation struct {
	ctx     context.Context // of whoever compiles
	o       backends.Options
	target  ptx.Options       // what kernels may rely on
	needs   ptx.Options       // and what of that they do
	entries map[string]*entry // by the kernel's text, and which operands are the same; by what attention is like
	texts   []string          // of the entries
	machine []byte            // the module's code, from an artifact; empty: the driver gets the text
	main    *code
	all     []*code         // of main and its regions
	open    *openExecutable // main, if it leaves a size open
	opens   bool            // launches are of any size
	// mu is of entries' host code, and of what blocks may ask for, once loaded; that of
	// variants is the same.
	mu *sync.Mutex
	// gpu is the device, once loaded.
	gpu *exec.Machine
}

// entry is a kernel, attention or a sort, and how it is run.
type entry struct {
	kernel   *kernel.Kernel // nil: attention or a sort
	schedule *ptx.Schedule
	variants map[int]*variant // those that steps launch
	lacks    error            // why there are none
	onHost   kernel.Code      // of steps that are run there
}

// variant is an entry of the module.
type variant struct {
	name string
	fn   *driver.Function
	// Of a block's memory the most that a launch has asked for, and that one may ask
	// for, if that is more than any may.
	shared, allowed int
}

// code is a program that was compiled.
type code struct {
	program       *plan.Program
	regions       exec.Regions
	steps         []step
	rows          []row
	rules         *exec.Results
	reads         []int // by argument, the first step that reads it
	writes        []int // by result, the last step that writes it
	awaited       []int // steps that a step of the host waits for: see await
	of            *compilation
	constantBytes int // bytes of constants, and where each is among them:
	constant      []int
	// besides is how many bytes of memory the products that cuBLASLt computes take in a run.
	besides int
	on      *deviceCode
}

// step is how a step is run: as a kernel of the device, as one of the host, or as
// the kit does.
type step struct {
	*plan.Step
	*plan.Launch // what the entry is launched with; nil: the host runs or drives the step
	entry        *entry
	claimed      fmt.Stringer // attention or a sort; nil: a kernel
	variant      *variant
	launch       ptx.Launch
	byMaps       *relaunch
	product      *product   // nil: it is nothing that cuBLASLt has
	taken        bool       // cuBLASLt computes it
	then         []relaunch // what is launched behind it
	lacks        error      // why the host runs the kernel
	sizes        []int      // of an element, by operand
	row          int        // of code.rows; -1: none
	awaits       []int      // of a step of the host, by operand: the step that has written it last
}

// relaunch is a launch of a step's operands besides its own: one of several behind it, with
// sizes of its own, or one instead of it, where tensor maps reach the operands.
type relaunch struct {
	variant *variant
	launch  ptx.Launch
	sizes   []int64
	maps    []ptx.Map
}

// deviceCode is what of a compilation is on a device.
type deviceCode struct {
	dev      *Device
	free     []*resource
	launches *launches
	base     *deviceCode // of a variant: what it is one of, whose kernels it has
}

// empty reports whether a kernel has nothing to compute.
func (s *step) empty() bool { return s.launch.Grid[0] == 0 }

func newCompilation(ctx context.Context, p *backends.Program, o backends.Options, target ptx.Options) (*compilation, error) {
	c := &compilation{ctx: ctx, o: o, target: target, gpu: new(exec.Machine), entries: map[string]*entry{}, mu: new(sync.Mutex)}
	var err error
	c.main, err = c.compile(ctx, p)
	return c, err
}

// compile adds a program and its regions.
func (c *compilation) compile(ctx context.Context, p *backends.Program) (*code, error) {
	prog, err := c.kernels(ctx, p)
	if err != nil {
		return nil, err
	}
	return c.program(prog)
}

// program adds a program and its regions.
func (c *compilation) program(prog *plan.Program) (*code, error) {
	regions, err := exec.MakeRegions(prog, func(step, r int) (backends.Executable, error) {
		x, err := c.program(prog.Steps[step].Regions()[r])
		if err != nil {
			return nil, err
		}
		x.rules.Region = true
		return newExecutable(x, nil), nil
	})
	if err != nil {
		return nil, err
	}
	return c.add(prog, regions)
}

// productParts returns into how many parts to cut the sums of a product. Of large ones in
// batches into none: the library takes products that are all as far apart as one another,
// which parts of several are not.
func (c *compilation) productParts(k *kernel.Kernel) int64 {
	x, ok := kernel.AsContraction(k)
	if ok && len(x.Batch) > 0 {
		work := int64(1)
		for _, a := range slices.Concat(k.Axes, k.Stages[0].Axes) {
			work *= int64(a.Size)
		}
		if work >= leastWork {
			return 1
		}
	}
	return gemm.SplitK(k, c.target.TF32)
}

// kernels makes kernels of a program.
func (c *compilation) kernels(ctx context.Context, p *backends.Program) (*plan.Program, error) {
	parts, productParts, pitch := ptx.Parts, c.productParts, gemm.Pitch
	if c.opens { // kernels are the same for all sizes, as far as the kit's rule lets them be
		parts, productParts, pitch = nil, nil, nil
	}
	const launch = 1 << 25 // multiplications, of f32 in 2 µs
	return kit.Compile(ctx, p, kit.Options{Check: env.Checks.On(), Claim: c.claim, Launch: launch, Fuse: fuse.Options{
		Parts:        parts,
		ProductParts: productParts,
		Pitch:        pitch,
		Cut:          func(k *kernel.Kernel) []int { return ptx.Cut(k, c.opens) },
		Borders:      true,
		LocalBytes:   localBytes,
	}})
}

// claim is that of [kit.Options]: there are entries for attention and sorts. How often
// sorts are launched depends on the size.
func (c *compilation) claim(w plan.Work) (work []types.Type, ok bool) {
	switch w := w.(type) {
	case *plan.Composite:
		a, ok := attentionOf(w)
		return a.work(), ok
	case *plan.Sort:
		if !c.opens {
			return sortFor(w)
		}
	}
	return nil, false
}

// add adds a program, whose regions are there.
func (c *compilation) add(prog *plan.Program, regions exec.Regions) (*code, error) {
	x := &code{program: prog, regions: regions, of: c, constant: make([]int, len(prog.Values))}
	for i := range prog.Steps {
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		s := step{Step: &prog.Steps[i]}
		var err error
		switch w := s.Work.(type) {
		case *plan.Composite:
			err = c.attention(&s, w)
		case *plan.Sort:
			err = c.sort(&s, w)
		case *plan.Launch:
			s.Launch = w
			err = c.kernel(&s, prog.Kernels[w.Kernel])
		}
		if err != nil {
			return nil, err
		}
		x.steps = append(x.steps, s)
	}
	for v := range prog.Values {
		if val := &prog.Values[v]; val.Kind == plan.Constant {
			x.constant[v] = x.constantBytes
			x.constantBytes += aligned(len(val.Data))
		}
	}
	x.rules = exec.NewResults(prog, x.fallible(), true).Uncancelled(x.failing())
	x.ready()
	c.all = append(c.all, x)
	return x, nil
}

// ready finds out what follows from how steps are run.
func (x *code) ready() {
	x.await()
	x.rows = rows(x.steps, x.awaited)
	x.reads, x.writes = accesses(x.program)
}

// fallible returns the last step that can fail; -1 if there is none.
func (x *code) fallible() int { return x.lastOf(x.program.LastFallible) }

// failing is fallible for runs that nobody can cancel; see [plan.Program.LastFailing].
func (x *code) failing() int {
	last := x.program.LastFallible
	if last == x.program.LastFailing(false) || slices.ContainsFunc(x.regions[last], canFail) {
		return x.fallible()
	}
	return x.lastOf(x.program.LastFailing(false))
}

// canFail reports whether a step of a region can fail.
func canFail(region backends.Executable) bool {
	x, ok := region.(interface{ fallible() int })
	return !ok || x.fallible() >= 0
}

// lastOf returns last, or a later step that the host runs.
func (x *code) lastOf(last int) int {
	for i := range x.steps {
		if x.steps[i].lacks != nil {
			last = max(last, i)
		}
	}
	return last
}

// entry returns the one by a key, which is new the first time.
func (c *compilation) entry(key string) *entry {
	if c.entries[key] == nil {
		c.entries[key] = &entry{variants: map[int]*variant{}}
	}
	return c.entries[key]
}

// kernel finds out how a step runs its kernel.
func (c *compilation) kernel(s *step, k *kernel.Kernel) error {
	same := sameValues(s.Operands, k)
	text := fmt.Sprint(k.String(), same)
	e := c.entry(text)
	if e.kernel == nil {
		e.kernel = k
		if e.schedule, e.lacks = c.target.Plan(k); e.lacks == nil {
			e.schedule.Same = same
		}
	}
	s.entry = e
	for _, p := range k.Params {
		s.sizes = append(s.sizes, p.DType.Size())
	}
	for v := 0; c.opens && e.lacks == nil && v < e.schedule.Variants(); v++ {
		if _, err := c.write(e, ptx.Launch{Variant: v}); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			return err
		}
	}
	return c.launch(c.ctx, s)
}

// launch finds out how a step launches its kernel for the sizes that it has, or has
// the host run it.
func (c *compilation) launch(ctx context.Context, s *step) error {
	e := s.entry
	s.byMaps, s.product, s.taken = nil, nil, false
	if s.lacks = e.lacks; s.lacks == nil {
		s.launch, s.lacks = e.schedule.Launch(s.Sizes)
	}
	if s.lacks == nil {
		s.variant, s.lacks = c.write(e, s.launch)
	}
	if s.lacks == nil && len(s.Moving) == 0 { // maps are of strides that are known
		if l, maps, ok := e.schedule.MapLaunch(s.launch, s.Sizes, s.Strides); ok {
			s.byMaps = &relaunch{launch: l, maps: maps}
			s.byMaps.variant, s.lacks = c.write(e, l)
		}
	}
	if s.lacks == nil {
		s.product = productOf(s.Launch, e.kernel, c.target.TF32)
		return nil
	}
	if !errors.Is(s.lacks, errors.ErrUnsupported) {
		return fmt.Errorf("compile: kernel %s: %w", e.kernel.Name, s.lacks)
	}
	if e.onHost != nil {
		return nil
	}
	var err error
	e.onHost, err = exec.HostCode(ctx, e.kernel)
	return err
}

// sameValues returns, for each operand of a kernel, the first that is the same
// value; nil if none of these is stored to.
func sameValues(operands []plan.Operand, k *kernel.Kernel) []int {
	same, some := make([]int, len(operands)), false
	for j, o := range operands {
		same[j] = slices.IndexFunc(operands, func(x plan.Operand) bool { return x.Value == o.Value })
		some = some || same[j] != j && (k.Params[j].Out || k.Params[same[j]].Out)
	}
	if !some {
		return nil
	}
	return same
}

// write writes the text of what a launch of a kernel takes, or says why there is none.
func (c *compilation) write(e *entry, l ptx.Launch) (*variant, error) {
	v, err := c.entryVariant(e, l, func(name string) (string, error) {
		c.needs.Hopper = c.needs.Hopper || e.schedule.Hopper(l)
		return ptx.Variant(name, e.kernel, e.schedule, l.Variant)
	})
	if err != nil {
		e.lacks = err
	}
	return v, err
}

// entryVariant returns the entry of the module that a launch takes. write writes its text
// when it is first asked for.
func (c *compilation) entryVariant(e *entry, l ptx.Launch, write func(name string) (string, error)) (*variant, error) {
	v := e.variants[l.Variant]
	if v == nil {
		v = &variant{name: fmt.Sprintf("k%d", len(c.texts))}
		text, err := write(v.name)
		if err != nil {
			return nil, err
		}
		c.texts = append(c.texts, text)
		e.variants[l.Variant] = v
	}
	v.shared = max(v.shared, l.Shared)
	return v, nil
}

// text is the module of all kernels.
func (c *compilation) text() string { return c.needs.Module(c.texts...) }

// module loads the module of all kernels: its machine code, if there is some and the
// driver takes it, else its text. The driver cannot be stopped: when ctx ends before it
// has compiled the text, the module is dropped once it is there; the driver has it in a
// cache of its own.
func (c *compilation) module(ctx context.Context, d *Device) (*driver.Module, error) {
	if ctx.Done() == nil {
		return c.loadModule(d)
	}
	type loading struct {
		m   *driver.Module
		err error
	}
	done := make(chan loading, 1)
	go func() {
		m, err := c.loadModule(d)
		done <- loading{m, err}
	}()
	select {
	case l := <-done:
		return l.m, l.err
	case <-ctx.Done():
	}
	go func() {
		if l := <-done; l.m != nil {
			_ = l.m.Unload() // nobody has a function of it
		}
		runtime.KeepAlive(d)
	}()
	return nil, context.Cause(ctx)
}

func (c *compilation) loadModule(d *Device) (*driver.Module, error) {
	if len(c.machine) > 0 {
		m, err := d.ctx.Load(c.machine)
		if err == nil || d.Err() != nil {
			return m, err
		}
		c.o.Log().Warn("the artifact's PTX is compiled: the driver does not take its machine code", "device", d, "reason", err)
	}
	return d.ctx.Load([]byte(c.text()))
}

// load makes the program runnable on a device.
func (c *compilation) load(ctx context.Context, d *Device) (backends.Executable, error) {
	defer func() { c.ctx = nil }() // later sizes are under their runs' contexts
	d.logger.Store(c.o.Logger)
	on := &deviceCode{dev: d, launches: new(launches)}
	defer func() { runtime.AddCleanup(on, drop, on.free) }()
	if len(c.texts) > 0 {
		m, err := c.module(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("%v: compile: %w", d, err)
		}
		on.free = append(on.free, d.held.add(m.Unload))
		for _, e := range c.entries {
			for _, v := range e.variants {
				if v.fn != nil {
					continue // of a variant's base
				}
				if v.fn, err = m.Function(v.name); err == nil {
					err = v.allow(d, v.shared)
				}
				if err != nil {
					return nil, fmt.Errorf("%v: compile: %w", d, err)
				}
			}
		}
	}
	*c.gpu = d.machine()
	for _, x := range c.all {
		x.on = on
		x.take(d)
		if err := x.constants(d); err != nil {
			return nil, err
		}
	}
	if c.open != nil {
		c.open.CountIn(c.open.Grown())
		return c.open, nil
	}
	e := newExecutable(c.main, nil)
	e.CountIn(e.Grown())
	return e, nil
}

// fallbacks returns the steps that the host runs for want of a kernel of the device.
func (c *compilation) fallbacks() []backends.Fallback {
	all := c.main.program.Fallbacks()
	for _, x := range c.all {
		for i := range x.steps {
			s := &x.steps[i]
			if s.lacks == nil {
				continue
			}
			f := backends.Fallback{Op: s.entry.kernel.Name, Line: backends.LineOf(s.Loc), Ordinal: s.Ordinal, Reason: s.lacks.Error()}
			if x.rules.Region { // its ordinals are of another text
				f.Ordinal = -1
			}
			all = append(all, f)
		}
	}
	return all
}

// allow lets launches ask for n bytes of a block's memory.
func (v *variant) allow(d *Device, n int) error {
	if n <= max(v.allowed, d.Properties().SharedBlock) {
		return nil
	}
	err := v.fn.AllowShared(n)
	if err == nil {
		v.allowed = n
	}
	return err
}

func drop(all []*resource) {
	for _, r := range all {
		r.drop()
	}
}

// constants brings the program's constants to the device: code.constant are their
// addresses then.
func (x *code) constants(d *Device) error {
	if x.constantBytes == 0 {
		return nil
	}
	p, err := d.home.allocHard(x.constantBytes)
	if err != nil {
		return fmt.Errorf("the constants of the program: %w", err)
	}
	n := x.constantBytes
	x.on.free = append(x.on.free, d.held.add(func() error { return d.home.release(p, n) }))
	image := make([]byte, x.constantBytes)
	for v := range x.program.Values {
		if val := &x.program.Values[v]; val.Kind == plan.Constant {
			copy(image[x.constant[v]:], val.Data)
			x.constant[v] += int(p)
		}
	}
	return d.home.upload(p, image)
}

// aligned is what memory of values begins at multiples of.
func aligned(n int) int { return roundUp(n, 256) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }
