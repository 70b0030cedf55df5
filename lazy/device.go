package lazy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/internal/env"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/account"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/lazy/internal/sched"
	"ltc/lazy/internal/settings"
	"ltc/soa"
)

// Device is where programs run. It owns variables and the cache of compiled
// programs. Its methods may be called from any goroutine.
type Device struct {
	name    string
	opened  callsite.Site
	backend *border.Backend
	// distrusted: the backend has broken its contract in a run. It gets no memory any more
	// that it could write over.
	distrusted atomic.Bool
	options    backends.Options

	memory   memory.Memory
	live     *memory.Live        // nil unless they are tracked
	copies   memory.DeviceCopies // of host data
	programs programs.Cache
	commit   sync.Mutex // taken to assign several variables at once
	sched    sched.Scheduler
	metrics  *metrics.Set
	all      account.Account[SyncReason] // what metrics does not count, of all traces and functions
	logger   *slog.Logger                // nil: the process's

	// How traces record, fixed when the device has been opened.
	syncs        syncs
	growth       lines                   // where steps grew too long
	unmarked     lines                   // that read variables which wait for MarkStep
	nanArguments diag.Seen[argumentLine] // that CheckNaNs has warned of
	history      programs.History        // of lines that compile
	settings     struct {
		once sync.Once
		of   *programs.Setting // apart from the device, which it outlives
	}
	fallbacks   diag.Seen[[2]string] // lines, and their ops that the evaluator runs
	graphLimit  int                  // nodes of a step that are worth a warning
	closures    int                  // that one step may have
	strict      bool                 // bad ops panic
	strictTypes bool                 // see StrictTypes
	stacks      int                  // see Stacks
	dumps       *dumps               // where programs are written; nil: nowhere

	// What looks at data before programs run.
	checkIndices, checkNaNs bool
	anyIndex                bool // no step fails for its indices

	constantNumbers bool        // see NumbersAsConstants
	staticShapes    bool        // see StaticShapes
	kept            keptReasons // why sizes stay numbers
	maxBytes        int64       // see MaxBytes; 0: no limit

	// Programs run op by op.
	opByOp   bool
	ops      programs.Cache // of single ops
	observer func(OpRun)

	mu        sync.Mutex
	bodies    map[uint64][]*ir.Composite
	variables int // made so far: each has its own random stream
	seed      uint64

	converters map[types.DType]*Function
}

// Option changes how a device is opened.
type Option func(*Device)

// Threads limits how many threads a program uses; 1 runs programs on the
// goroutine that asks for them. 0, as without it, are as many as the backend
// likes; fewer are an error of [Open].
func Threads(n int) Option { return func(d *Device) { d.options.Threads = n } }

// TF32 lets products of f32 be computed of the 11 leading bits of their factors where
// a device is faster then, as tensor cores of GPUs are. Results are off by a
// thousandth or so. Sums are of f32. On CPUs it changes nothing.
func TF32() Option { return func(d *Device) { d.options.TF32 = true } }

// Ordered has floats that a scatter, or the gradient of a gather, adds to one element
// added in the order of the updates, so that every run gives the same bits. Without it
// GPUs add them as they come, which is faster, and take numbers of f32 that are
// subnormal for 0. Updates that replace elements are in their order without it.
func Ordered() Option { return func(d *Device) { d.options.Ordered = true } }

// Compiled makes it an error of compiling, which wraps [ErrFallback], that the evaluator
// would run a program or an op of it, many times slower than compiled code, as the
// environment variable LTC_COMPILED does. Without it that is a warning.
func Compiled() Option { return func(d *Device) { d.options.Compiled = true } }

// Tiers lets any slower code stand in for kernels that libLLVM still compiles for a CPU, as the
// environment variable LTC_TIERS does. Until all is compiled, the last bits of results then depend
// on the time that compiling takes. Without it only code with the bits of the compiled kernels
// stands in, and steps wait for the others, so that runs can be repeated bit by bit.
// [Trace.Warmup] waits for all.
func Tiers() Option { return func(d *Device) { d.options.Tiers = true } }

// Seed sets where the device's random streams start, those of [Normal] and its
// kin; 0 if not given.
func Seed(seed uint64) Option { return func(d *Device) { d.seed = seed } }

// Open opens the device of the backend registered under name, which may be
// followed by a colon and the number of one of its devices: "cpu", "eval:0",
// "null", "cuda:1". Without a number it is the backend's first. Import the
// backend's package for its side effect first. A program may open any number of
// devices, of the same backend or of others; each has its own variables,
// programs and memory, and [Tensor.To] copies between them.
func Open(name string, opts ...Option) (*Device, error) {
	if err := env.Check(); err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	b, err := backends.Open(name)
	if err != nil {
		return nil, err
	}
	d := &Device{name: name, opened: callsite.Caller(), backend: border.Of(b, name), bodies: map[uint64][]*ir.Composite{}, metrics: &metrics.Set{}}
	if d.backend.Allocates() {
		d.memory.Remote = deviceMemory{d}
	}
	d.options.Warn = d.fellBack
	if err := d.fromEnvironment(); err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	for _, o := range opts {
		o(d)
	}
	if n := d.options.Threads; n < 0 {
		return nil, fmt.Errorf("open %q: Threads(%d): want a number of threads, or 0 for as many as the backend likes", name, n)
	}
	d.options.Logger = d.logger
	d.programs.Compiler, d.ops.Compiler = compiler{d}, opCompiler{compiler{d}}
	if d.opensSizes() {
		d.programs.Families = &programs.Families{Opened: d.openedSizes, Kept: d.keptSizes}
	}
	d.sched.Owner = queueOwner{d}
	d.memory.Start(checking)
	d.warnOfStrangers()
	return d, nil
}

// Wait returns when no trace of the device, and of this device only, has a step
// queued or running, or ctx is done. Its error is ctx's, or what has failed in
// the device's traces, unless these or this function have returned it already. The
// traces themselves return it all the same. It may be called from any goroutine, but
// not from a step closure.
func (d *Device) Wait(ctx context.Context) error {
	if !d.opens() {
		return notOpened("wait")
	}
	return d.settled(ctx, waitError("wait", d.sched.Wait(ctx)))
}

// Close waits for what is queued on the device and returns what Wait would. It also waits for
// code that is still being compiled ([Tiers]). Assignments
// of steps that were not marked are lost, which is a warning with a line for each trace.
// From then on marking steps and calling functions are errors wrapping
// [ErrClosed]; values stay readable. A device that is not closed is freed like
// anything else when nothing refers to it.
func (d *Device) Close() error {
	if !d.opens() {
		return notOpened("close")
	}
	if !d.sched.Close() {
		d.warnUnmarked()
	}
	err := d.Wait(context.Background())
	for _, p := range d.programs.Compiled() { // no code of the device is compiled any more
		err = cmp.Or(err, finish(context.Background(), p))
	}
	return err
}

// settled waits for what runs that have returned have left queued on the device. before is
// the error of a wait for the runs, if there was one.
func (d *Device) settled(ctx context.Context, before error) error {
	ctx = cmp.Or(ctx, context.Background())
	if before != nil && ctx.Err() != nil {
		return before
	}
	err := d.backend.Wait(ctx)
	switch {
	case err == nil:
		return before
	case ctx.Err() != nil:
		err = fmt.Errorf("wait: waiting for what is queued on %v: %w", d, err)
	}
	if before == nil {
		return err
	}
	return errors.Join(before, err)
}

// reach waits for what is queued on the device before v is read, if the context may end
// first: copies of the device's memory have none.
func (d *Device) reach(ctx context.Context, v *value) error {
	if ctx.Done() == nil || v.view.Remote() == nil {
		return nil
	}
	return d.backend.Wait(ctx)
}

// EnvVar is an environment variable that the library reads. What a program
// passes as an [Option] wins over it.
type EnvVar = env.Var

// Environment lists the environment variables that the library reads.
func Environment() []EnvVar { return env.All() }

// strangers are the variables that there was a warning for.
var strangers diag.Seen[string]

// warnOfStrangers logs, once a process for each, variables that are set and that
// nothing reads.
func (d *Device) warnOfStrangers() {
	for _, v := range env.Unknown() {
		if !strangers.First(v.Name) {
			continue
		}
		attrs := []slog.Attr{slog.String("name", v.Name)}
		if v.Nearest != "" {
			attrs = append(attrs, slog.String("nearest", v.Nearest))
		}
		for _, i := range settings.Ignored {
			if i.Name == v.Name {
				attrs = []slog.Attr{slog.String("name", v.Name), slog.String("because", strings.ReplaceAll(i.Why, "`", ""))}
			}
		}
		d.log(slog.LevelWarn, "environment variable without effect", attrs...)
	}
}

// fromEnvironment sets what the environment says of a device. It has been
// checked.
func (d *Device) fromEnvironment() error {
	d.syncs.mode = SyncMode(slices.Index(settings.SyncModes[:], settings.Sync.Value()))
	d.graphLimit = graphLimit(settings.GraphLimit.Number())
	d.programs.Limit = settings.ProgramCache.Bytes(0)
	d.ops.Limit = d.programs.Limit
	d.memory.Cache = settings.MemoryCache.Bytes(memory.StandardCache())
	d.closures = settings.Closures.Number()
	d.strict = settings.Strict.On()
	d.stacks = settings.Stacks.Number()
	d.opByOp = settings.OpByOp.On()
	d.staticShapes = !settings.OpenSizes.On()
	d.options.Profile = settings.Profile.On()
	d.checkIndices, d.checkNaNs = checking, settings.CheckNaNs.On()
	if settings.TrackLive.On() {
		TrackLive()(d)
	}
	if file := settings.DumpFile.Value(); file != "" {
		dumps, err := openDumps(file, Format(slices.Index(settings.Formats[:], settings.DumpFormat.Value())))
		if err != nil {
			return fmt.Errorf("environment variable %s: %w", settings.DumpFile.Name, err)
		}
		d.dumps = dumps
	}
	return nil
}

// Logger makes the device log to l; without it, or with nil, that is slog.Default, as it
// is at each record. Warnings come once for each line of the program. They are of implicit
// syncs, reads of variables whose assignments wait for MarkStep, and arguments in which
// CheckNaNs finds NaNs. Others are of steps that grow without end, lines that compile again
// and again, and programs that take over five seconds to compile. Ops that the evaluator
// runs are warned of, and assignments that wait for MarkStep when the device is closed.
// Environment variables without effect are warned of once. Steps that fail in the background
// are information, since their errors come back later. Those whose error MarkStep returns,
// compiles, copies of donated variables and programs dropped from the cache are for debugging.
// What the device's backend logs goes to l, too.
func Logger(l *slog.Logger) Option { return func(d *Device) { d.logger = l } }

// log logs for the device. Callers on hot paths ask logs first, which spares
// them the attributes.
func (d *Device) log(level slog.Level, message string, attrs ...slog.Attr) {
	if d.logs(level) {
		d.slog().LogAttrs(context.Background(), level, message, append([]slog.Attr{slog.String("device", d.name)}, attrs...)...)
	}
}

func (d *Device) logs(level slog.Level) bool { return d.slog().Enabled(context.Background(), level) }

func (d *Device) slog() *slog.Logger {
	if d.logger != nil {
		return d.logger
	}
	return slog.Default()
}

// slab returns memory for small results of a trace: the host's, where they can be read at
// once, unless runs return before they have ended.
func (d *Device) slab() *soa.Slab {
	if d.backend == nil || d.backend.Queue() == nil {
		return &soa.Slab{}
	}
	return &soa.Slab{Remote: d.memory.Resident}
}

// Name returns the name that the device was opened with.
func (d *Device) Name() string {
	if d == nil {
		return ""
	}
	return d.name
}

// OpenedAt returns the line of the program that opened the device, as main.go:12; "" of no
// device. It tells devices of one name apart.
func (d *Device) OpenedAt() string {
	if d == nil {
		return ""
	}
	return d.opened.String()
}

// Devices lists what the device's backend can run on; nothing, which is logged, if asking
// it panics.
func (d *Device) Devices() []backends.Device {
	if !d.opens() {
		return nil
	}
	all, err := d.backend.Devices()
	if err != nil {
		d.log(slog.LevelWarn, "a backend does not tell its devices", slog.Any("error", err))
	}
	return all
}

// String returns the name.
func (d *Device) String() string {
	if d == nil {
		return "no device"
	}
	return d.name
}

func (d *Device) device() *Device { return d }
func (d *Device) trace() *Trace   { return nil }

// Place is a [*Device] or a [*Trace]: where a tensor of host data is made.
// That of a trace is recorded as made there, which errors then say; both can be
// used in any trace of the device.
type Place interface {
	device() *Device
	trace() *Trace
}

// sameDevice says why two devices do not go together; "" if they are one.
func sameDevice(a, b *Device) string {
	if a == b {
		return ""
	}
	one, other := a.name, b.name
	if one == other { // opened twice: say where
		one, other = fmt.Sprintf("%s opened at %v", one, a.opened), fmt.Sprintf("%s opened at %v", other, b.opened)
	}
	return fmt.Sprintf("one is on device %s, another on device %s; bring them to one device with To", one, other)
}

// The process's default device. It is a convenience for programs with one
// device: nothing in this package uses it unasked, and traces keep the device
// that they were made for.
var defaults struct {
	sync.Mutex
	device *Device    // set, or opened by Default
	scopes []**Device // of UseDevice, the innermost last, each at an address of its own
}

// Default returns the device of the innermost [UseDevice] that is in force, or that of
// [SetDefault]. Without either it opens one: the device that the environment variable
// LTC_DEVICE names, "cpu" if the program imports it, or the only backend that it imports.
// It returns the same device from then on.
//
// The default belongs to the process, as that of package log does, not to a
// goroutine: where goroutines use different devices, hand the device on, or a
// context that carries it ([WithDevice]).
func Default() (*Device, error) {
	d := &defaults
	d.Lock()
	defer d.Unlock()
	if n := len(d.scopes); n > 0 {
		return *d.scopes[n-1], nil
	}
	if d.device != nil {
		return d.device, nil
	}
	name, err := defaultName(backends.Names())
	if err != nil {
		return nil, err
	}
	dev, err := Open(name)
	if err != nil {
		return nil, fmt.Errorf("default device: %w", err)
	}
	d.device = dev
	return dev, nil
}

// defaultName returns the name of the device to open, given the registered backends.
func defaultName(names []string) (string, error) {
	if name := settings.Device.Value(); name != "" {
		return name, nil
	}
	switch {
	case slices.Contains(names, "cpu"):
		return "cpu", nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fmt.Errorf("default device: no backend is registered; import one for its side effect, such as _ %q", backends.Import("cpu"))
	default:
		return "", fmt.Errorf("default device: several backends are registered (%s) and none is cpu; call SetDefault, or set %s",
			strings.Join(names, ", "), settings.Device.Name)
	}
}

// SetDefault makes d the process's default device, for when no [UseDevice] is
// in force, and returns the one before. With nil, the next [Default] opens one
// anew.
func SetDefault(d *Device) (before *Device) {
	defaults.Lock()
	defer defaults.Unlock()
	before, defaults.device = defaults.device, d
	return before
}

// UseDevice makes d the process's default device until restore is called:
//
//	defer lazy.UseDevice(d)()
//
// Scopes may nest, and end in any order: the default is that of the latest
// scope that has not ended. Calling restore again does nothing. It is for
// tests and programs of one goroutine, since all goroutines see it.
func UseDevice(d *Device) (restore func()) {
	if d == nil {
		return func() {}
	}
	defaults.Lock()
	defer defaults.Unlock()
	defaults.scopes = append(defaults.scopes, &d)
	return func() {
		defaults.Lock()
		defer defaults.Unlock()
		defaults.scopes = slices.DeleteFunc(defaults.scopes, func(s **Device) bool { return s == &d })
	}
}

type deviceKey struct{}

// WithDevice returns a context that carries d, for [DeviceFrom]: the way to
// give goroutines devices of their own.
func WithDevice(ctx context.Context, d *Device) context.Context {
	return context.WithValue(ctx, deviceKey{}, d)
}

// DeviceFrom returns the device that ctx carries, and [Default] if there is
// none.
func DeviceFrom(ctx context.Context) (*Device, error) {
	if d, _ := ctx.Value(deviceKey{}).(*Device); d != nil {
		return d, nil
	}
	return Default()
}
