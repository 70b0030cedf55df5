package llvm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/objcache"
	"ltc/backends/reference"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/prebuilt"
	"ltc/backends/reference/llvm/vector"
	"ltc/backends/reference/tiles"
	"ltc/internal/ctxmutex"
	"ltc/internal/env"
)

//go:generate go run ./buildid
//go:generate go test -run=^TestObjects$ ./prebuilt -update

func init() { reference.UseCompiler(&shared{}) }

var _ interface {
	kernel.Packer
	kernel.RowCompiler
	reference.Describer
	reference.Vectorizer
	reference.PageReleaser
} = (*shared)(nil)

// mostKept is how many kernels' code is kept in memory for programs to come.
const mostKept = 4096

// shared is the compiler of the backend cpu: one for all programs. It keeps the
// code of kernels in memory and their objects on disk, so that libLLVM is
// opened when a kernel is met that neither has. Where there is none, or it gives
// up, kernels are left to plain Go, and one line of the log says so.
type shared struct {
	once    sync.Once
	machine vector.Machine
	cpu     string
	none    error // why there is no code for this processor
	disk    *objcache.Cache
	open    future[*compiler] // nil if there is none
	units   *units            // what products are made of
	plain   tiles.Compiler    // of kernels whose code is not there
	warned  sync.Once
	logger  atomic.Pointer[slog.Logger] // of the last compile that had one
	found   future[bool]                // whether there is a libLLVM, which may not be open yet
	likely  func() bool                 // whether there is a file of the name of one

	mu    sync.Mutex
	codes map[string]kernel.Code // by symbol; nil for kernels that are not compiled
}

// Compiler says which libLLVM makes code, which it opens for that, and for which
// level of the processor; or that there is none.
func (s *shared) Compiler() string {
	s.once.Do(s.start)
	l, err := libllvm.Open()
	switch {
	case s.none != nil:
		return "none: plain Go (" + s.none.Error() + ")"
	case err != nil && env.LibLLVM.Value() != "":
		return "none: plain Go, and what is built in or cached (" + err.Error() + ")"
	case err != nil: // where all was looked is for the log
		return "none: plain Go, and what is built in or cached"
	}
	return l.String() + " for " + s.machine.Level.String()
}

// start finds out about the machine.
func (s *shared) start() {
	cpu, err := host()
	if err == nil {
		err = s.become(cpu)
	}
	if s.none = err; err != nil {
		s.warn(err)
	}
	s.likely = sync.OnceValue(libllvm.Likely)
	s.disk = objcache.FromEnvironment(func(err error) { s.log().Warn("ltc: " + err.Error()) })
}

// become makes s the compiler for a processor.
func (s *shared) become(cpu native.CPU) (err error) {
	s.cpu = cpu.String()
	s.codes = map[string]kernel.Code{}
	if s.machine, err = machineOf(cpu); err != nil {
		return err
	}
	s.units = newUnits(s.machine, cpu, s.unit, s.hasUnit, s.warn)
	if v := newTileVectors(s.machine.Level, s.units); v.there() {
		s.plain.Vectors = v
	}
	return nil
}

// Compile returns the code of kernels.
func (s *shared) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	if l := backends.LoggerOf(ctx); l != nil {
		s.logger.Store(l)
	}
	s.once.Do(s.start)
	codes := make([]kernel.Code, len(kernels))
	if s.none != nil {
		return codes, nil
	}
	var missing []*kernel.Kernel
	var at []int
	s.mu.Lock()
	for i, k := range kernels {
		if code, ok := s.codes[emit.Symbol(k)]; ok && !failedTier(code) {
			codes[i] = code
		} else {
			missing, at = append(missing, k), append(at, i)
		}
	}
	s.mu.Unlock()
	for i := range codes {
		var err error
		if codes[i], err = settle(ctx, codes[i]); err != nil {
			return nil, err
		}
	}
	if len(missing) == 0 {
		return codes, nil
	}
	made, err := s.make(ctx, missing)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, backends.ErrExhausted) {
			return nil, err
		}
		s.warn(err)
	}
	for i, code := range made {
		codes[at[i]] = code
	}
	if err == nil {
		s.keep(missing, made)
	}
	return codes, nil
}

// Vectors are the loops of plain Go kernels on vectors, whose code is built in; nil where there is
// none.
func (s *shared) Vectors() tiles.Vectors {
	s.once.Do(s.start)
	return s.plain.Vectors
}

// keep keeps the code of kernels for programs to come.
func (s *shared) keep(kernels []*kernel.Kernel, codes []kernel.Code) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.codes)+len(codes) > mostKept {
		clear(s.codes)
	}
	for i, k := range kernels {
		s.codes[emit.Symbol(k)] = codes[i]
	}
}

// make returns the code of kernels: products, which are compiled as their sizes
// become known, and all others in one object. An error leaves those nil.
func (s *shared) make(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	codes := make([]kernel.Code, len(kernels))
	var others []*kernel.Kernel
	var at []int
	var products []*emit.Product
	for i, k := range kernels {
		if p, ok := emit.AsProduct(k, s.units.machine); ok {
			products = append(products, p)
			x := productKernel{Product: p, shared: s, units: s.units, own: s.own(k), known: new(functions)}
			if codes[i] = &x; p.Spread {
				codes[i] = &spreadKernel{x}
			}
		} else {
			others, at = append(others, k), append(at, i)
		}
	}
	made, err := s.object(ctx, others, products, s.keep)
	for i, code := range made {
		codes[at[i]] = code
	}
	return codes, err
}

// own returns what makes the code of a product as that of any other kernel:
// once, when it is first needed. Where it cannot be compiled it is plain Go. An
// error is that of a context that has ended, and the next caller makes it.
func (s *shared) own(k *kernel.Kernel) func(context.Context) (kernel.Code, error) {
	var known atomic.Pointer[kernel.Code]
	making := ctxmutex.New()
	return func(ctx context.Context) (kernel.Code, error) {
		if code := known.Load(); code != nil && !failedTier(*code) {
			return settle(ctx, *code)
		}
		if err := making.Lock(ctx); err != nil {
			return nil, err
		}
		defer making.Unlock()
		if code := known.Load(); code != nil {
			if !failedTier(*code) {
				return settle(ctx, *code)
			}
			known.CompareAndSwap(code, nil)
		}
		made, err := s.object(ctx, []*kernel.Kernel{k}, nil, func(_ []*kernel.Kernel, codes []kernel.Code) { known.CompareAndSwap(nil, &codes[0]) })
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			s.warn(err)
		}
		if err != nil || made[0] == nil {
			if made, err = s.plain.Compile(ctx, []*kernel.Kernel{k}); err != nil {
				return nil, err
			}
		}
		known.Store(&made[0])
		return settle(ctx, made[0])
	}
}

// future is a value that takes long to find, once, and cannot be ended: callers wait until
// it is there or their context ends.
type future[T any] struct {
	once  sync.Once
	done  chan struct{}
	ready atomic.Bool
	value T
}

// begin begins to find the value.
func (l *future[T]) begin(find func() T) {
	l.once.Do(func() {
		l.done = make(chan struct{})
		go func() {
			defer close(l.done)
			l.value = find()
			l.ready.Store(true)
		}()
	})
}

func (l *future[T]) get(ctx context.Context, find func() T) (T, error) {
	l.begin(find)
	select {
	case <-l.done:
		return l.value, nil
	default:
	}
	select {
	case <-l.done:
		return l.value, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// keepFunc keeps the code of kernels that are compiled after their caller has left.
type keepFunc func([]*kernel.Kernel, []kernel.Code)

// object returns the code of kernels, from disk or compiled, with what most launches of
// products need meanwhile. Groups of kernels are objects of their own, which are made at
// the same time. keep gets the code of those that are made after ctx ends. An error leaves
// the kernels of its group nil.
func (s *shared) object(ctx context.Context, kernels []*kernel.Kernel, products []*emit.Product, keep keepFunc) ([]kernel.Code, error) {
	codes := make([]kernel.Code, len(kernels))
	ends := groups(kernels)
	errs := make([]error, len(ends))
	var ahead sync.Once // when the first object is missing
	begin := func(rest context.Context) { ahead.Do(func() { s.units.ahead(rest, products) }) }
	var wait sync.WaitGroup
	from := 0
	for i, to := range ends {
		some, theirs := kernels[from:to], codes[from:to]
		from = to
		group := func() { errs[i] = s.group(ctx, some, theirs, begin, keep) }
		if i == len(ends)-1 || runtime.GOMAXPROCS(0) == 1 {
			group()
		} else {
			wait.Go(group)
		}
	}
	wait.Wait()
	return codes, errors.Join(errs...)
}

// mostGroups is how many objects the kernels of one compile are at most: loading one takes
// some 50 µs. groupInstrs is the least number of written instructions of an
// object if there are several.
const (
	mostGroups  = 4
	groupInstrs = 24
)

// groups returns where each group of kernels ends. It depends on the kernels alone: other
// processes look for the same objects.
func groups(kernels []*kernel.Kernel) (ends []int) {
	all := 0
	for _, k := range kernels {
		all += emit.Instrs(k)
	}
	n, least := 0, max(groupInstrs, (all+mostGroups-1)/mostGroups)
	for i, k := range kernels {
		if n += emit.Instrs(k); n >= least {
			ends, n = append(ends, i+1), 0
		}
	}
	switch {
	case n == 0:
	case len(ends) == 0 || n >= groupInstrs && len(ends) < mostGroups:
		ends = append(ends, len(kernels))
	default:
		ends[len(ends)-1] = len(kernels)
	}
	return ends
}

// group loads an object from disk or compiles it, and sets the code of its kernels. begin
// is called before it is compiled.
func (s *shared) group(ctx context.Context, kernels []*kernel.Kernel, codes []kernel.Code, begin func(context.Context), keep keepFunc) error {
	set := func(object []byte, schedules []*emit.Schedule) error {
		loaded, err := s.loaded(object, kernels, schedules)
		copy(codes, loaded)
		return err
	}
	parts := s.parts(kernels)
	if object, ok := s.disk.Get(parts.Key()); ok {
		if err := set(object, emit.Schedules(kernels, s.machine)); err == nil || errors.Is(err, backends.ErrExhausted) {
			return err
		}
	}
	if s.cheap(ctx, kernels...) {
		if later, err := s.groupLater(ctx, kernels, codes, keep); later || err != nil {
			return err
		}
	}
	c, err := s.opened(ctx)
	if c == nil {
		return err
	}
	rest, end := context.WithCancel(context.WithoutCancel(ctx)) // the units may take longer
	defer func() {
		if ctx.Err() != nil {
			end()
		}
	}()
	begin(rest)
	object, schedules, err := c.object(ctx, kernels, func(object []byte) {
		s.disk.Put(parts, title(kernels), object)
		if codes, err := s.loaded(object, kernels, emit.Schedules(kernels, s.machine)); err == nil {
			keep(kernels, codes)
		}
	})
	if err != nil || object == nil {
		return err
	}
	s.disk.Put(parts, title(kernels), object)
	return set(object, schedules)
}

// loaded returns the code of kernels in an object.
func (s *shared) loaded(object []byte, kernels []*kernel.Kernel, schedules []*emit.Schedule) ([]kernel.Code, error) {
	return load(s, func() ([]kernel.Code, error) { return loadKernels(object, kernels, schedules) })
}

// title names kernels in the list of what is on disk: what each does, in at most
// some eighty letters.
func title(kernels []*kernel.Kernel) string {
	said := kernels[0].Title()
	for i, k := range kernels[1:] {
		next := said + "; " + k.Title()
		if utf8.RuneCountInString(next) > 80 {
			return fmt.Sprintf("%s; and %d more", said, len(kernels)-1-i)
		}
		said = next
	}
	return said
}

// opened opens libLLVM; nil if that cannot be, with an error if ctx ends first.
func (s *shared) opened(ctx context.Context) (*compiler, error) {
	return s.open.get(ctx, func() *compiler {
		open := libllvm.Open
		if isBackground(ctx) {
			open = libllvm.OpenBackground
		}
		l, err := open()
		if err != nil {
			s.warn(err)
			return nil
		}
		s.findLLVM()
		return newCompiler(l, s.machine)
	})
}

// ReleasePages gives back memory of libLLVM, now that a program has been compiled.
func (s *shared) ReleasePages() {
	if s.open.ready.Load() && s.open.value != nil {
		s.open.value.library.ReleasePages()
	}
}

// unit returns the code of a function of products: one that is built in, from
// disk, or compiled. An object from disk that does not load is compiled anew.
func (s *shared) unit(ctx context.Context, u gemm.Unit) (native.Kernel, error) {
	loaded := func(object []byte) (native.Kernel, error) {
		return load(s, func() (native.Kernel, error) { return loadUnit(object, u) })
	}
	if object := prebuilt.Object(u.On.String(), u.Name); object != nil {
		return loaded(object)
	}
	parts := s.unitParts(u)
	if object, ok := s.disk.Get(parts.Key()); ok {
		if code, err := loaded(object); err == nil || errors.Is(err, backends.ErrExhausted) {
			return code, err
		}
	}
	c, err := s.opened(ctx)
	if c == nil {
		return native.Kernel{}, cmp.Or(err, libllvm.ErrNotFound)
	}
	object, err := c.unit(ctx, u, func(object []byte) {
		s.disk.Put(parts, u.Name, object)
		if code, err := loaded(object); err == nil {
			s.units.keep(u, code)
		}
	})
	if err != nil {
		return native.Kernel{}, err
	}
	s.disk.Put(parts, u.Name, object)
	return loaded(object)
}

// hasUnit reports whether the object of a function of products is there, or can
// be made.
func (s *shared) hasUnit(ctx context.Context, u gemm.Unit) bool {
	if s.kept(u) {
		return true
	}
	if kernel.TiersOf(ctx) != nil { // to open it takes long
		return s.compiles(ctx)
	}
	c, _ := s.opened(ctx)
	return c != nil
}

// kept reports whether the object of a function of products is built in or on disk.
func (s *shared) kept(u gemm.Unit) bool {
	if prebuilt.Object(u.On.String(), u.Name) != nil {
		return true
	}
	_, ok := s.disk.Get(s.unitParts(u).Key())
	return ok
}

// unitParts is all that the object of a function of products depends on.
func (s *shared) unitParts(u gemm.Unit) objcache.Parts {
	return objcache.Parts{
		{Name: "compiler", Value: "llvm " + buildID},
		{Name: "processor", Value: s.cpu},
		{Name: "unit", Value: u.Name},
	}
}

// parts is all that an object depends on. Which libLLVM made it is not among
// them: any that can is as good.
func (s *shared) parts(kernels []*kernel.Kernel) objcache.Parts {
	var text strings.Builder
	for _, k := range kernels {
		text.WriteString(k.String())
	}
	return objcache.Parts{
		{Name: "compiler", Value: "llvm " + buildID},
		{Name: "processor", Value: s.cpu},
		{Name: "kernels", Value: text.String()},
	}
}

func (s *shared) warn(err error) {
	s.warned.Do(func() { s.log().Warn("ltc: the CPU runs without compiled code, several times slower", "reason", err) })
}

// log returns the logger of the last compile that had one.
func (s *shared) log() *slog.Logger {
	if l := s.logger.Load(); l != nil {
		return l
	}
	return slog.Default()
}
