package cudafake

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/cuda/driver"
	"ltc/internal/diag"
)

// Options are what a fake has. Zero values stand for what the comments say.
type Options struct {
	Seed       uint64
	Devices    int   // 1; negative: none
	Memory     int64 // bytes of each device: 1 GiB
	Version    int   // 13000
	Major      int   // of what kernels devices run: 9
	Minor      int
	Processors int  // the multiprocessors of each device: 4
	NoPeers    bool // devices cannot access each other's memory
	NoJIT      bool // the driver compiles no PTX to run it
	Violations int  // how many are kept: 100
	CuBLASLt   int  // the version of that library: 130100
}

// Fake is a driver with its devices.
type Fake struct {
	mu         sync.Mutex
	o          Options
	r          *rand.Rand
	late       int  // of 4: how often something runs that nobody waits for
	hangs      bool // nothing runs that nobody waits for
	devices    []*device
	handles    map[uintptr]any
	last       uintptr // the handle made last
	space      []*memory
	next       uint64 // the address of the next allocation
	hosts      []*memory
	gone       []*memory // freed memory of the host
	current    map[int][]*device
	streams    []*stream
	host       clock
	lanes      int
	captures   map[int]*capture // by the thread that began them
	relaxed    map[int]bool
	injected   []*injection
	ran        int64
	calls      map[string]int64
	before     map[string]func() // what the next call of a function begins with
	violations []Violation
	watching   bool
	watched    []Work
	hosting    atomic.Int64 // the thread on which a function of the host runs
	slot       *slot
}

// Violation is something that no program may do.
type Violation struct {
	Kind Kind
	Text string
}

func (v Violation) Error() string { return fmt.Sprintf("cudafake: %v: %s", v.Kind, v.Text) }

// Kind is what sort of thing.
type Kind int

// Kinds of violations.
const (
	Race         Kind = iota // two accesses whose order is left open
	UseAfterFree             // of memory, handles and modules
	OutOfBounds              // memory that is not there, or not the device's
	KernelFault              // what the interpreter reports besides
	WrongContext
	BadHandle
	BadArgument
	Undefined // a kernel, or a copy to the host, reads what nothing has written
	Leak
)

func (k Kind) String() string {
	return [...]string{"race", "use after free", "out of bounds", "kernel fault", "wrong context", "bad handle", "bad argument", "undefined", "leak"}[k]
}

// injection is a failure to come.
type injection struct {
	call  string // empty: what is queued
	after int
	code  driver.Code
}

// New makes a fake. [Fake.Close] ends it; no more than 16 are open at the same
// time.
func New(o Options) *Fake {
	for _, d := range []struct{ field, standard *int }{{&o.Devices, ptr(1)}, {&o.Version, ptr(13000)}, {&o.Major, ptr(9)}, {&o.Violations, ptr(100)}, {&o.Processors, ptr(4)}, {&o.CuBLASLt, ptr(130100)}} {
		if *d.field == 0 {
			*d.field = *d.standard
		}
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	f := &Fake{o: o, r: rand.New(rand.NewPCG(o.Seed, 17)), handles: map[uintptr]any{}, current: map[int][]*device{},
		calls: map[string]int64{}, before: map[string]func(){}, captures: map[int]*capture{}, relaxed: map[int]bool{}, next: 0x7_0000_0000, lanes: 1, host: clock{1}}
	f.late = f.r.IntN(5)
	for i := range max(o.Devices, 0) {
		d := &device{ordinal: i, peers: map[*device]bool{}}
		d.handle = f.handle(d)
		d.pool = &pool{device: d, access: map[*device]bool{}, standard: true}
		d.pool.handle = f.handle(d.pool)
		f.devices = append(f.devices, d)
	}
	f.slot = take(f)
	return f
}

func ptr[T any](v T) *T { return &v }

// Lookup returns the address of a function, for [driver.Use] and
// [cublaslt.Use].
func (f *Fake) Lookup(name string) uintptr { return f.slot.addresses[name] }

// Products is [cublaslt.Use] of the fake.
func (f *Fake) Products() (*cublaslt.Library, error) {
	return cublaslt.Use(f.Lookup, f.o.Version/1000)
}

// Open is [driver.Use] of the fake.
func (f *Fake) Open() (*driver.Driver, error) { return driver.Use(f.Lookup) }

// Violations lists what was done wrong so far.
func (f *Fake) Violations() []Violation {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Violation(nil), f.violations...)
}

// Forgive returns what was done wrong so far and forgets it: for tests that do
// wrong on purpose.
func (f *Fake) Forgive() []Violation {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.violations
	f.violations = nil
	return v
}

// Close runs what is queued and ends the fake: its functions return
// [driver.Deinitialized] from now on. The error joins all violations, and a
// [Leak] for each thing that was made and not destroyed, but for what was lost.
func (f *Fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.slot == nil {
		return nil
	}
	for f.step() {
	}
	f.leaks()
	f.slot.give()
	f.slot = nil
	var all []error
	for _, v := range f.violations {
		all = append(all, v)
	}
	return errors.Join(all...)
}

// Work is a kernel or a copy that was queued in a stream.
type Work struct {
	What  string // the kernel, by its name, or the function that queued it
	Bytes int64  // of a copy
	when  *moment
}

// Before reports whether w is certain to be over when o begins. Where neither is before
// the other they may run at the same time.
func (w Work) Before(o Work) bool { return w.when.before(o.when) }

// Watch calls a function and returns what was queued meanwhile, but for what graphs
// launch, in the order in which it was.
func (f *Fake) Watch(call func()) []Work {
	f.mu.Lock()
	f.watching, f.watched = true, nil
	f.mu.Unlock()
	call()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watching = false
	return f.watched
}

// Fail makes a call of a function fail with a code, one of cuBLASLt
// with the status of that number: the next but as many. An
// allocation that is to find no memory fails with [driver.OutOfMemory].
func (f *Fake) Fail(call string, after int, code driver.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.injected = append(f.injected, &injection{call, after, code})
}

// FailQueued makes something queued fail when it runs, with a code that loses the
// context: the next thing but as many.
func (f *Fake) FailQueued(after int, code driver.Code) { f.Fail("", after, code) }

// Before has the next call of a function begin with do, while others are served.
func (f *Fake) Before(call string, do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before[call] = do
}

// Hang has nothing run that is queued, until Hang(false); waits without a context run it all
// the same.
func (f *Fake) Hang(hangs bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hangs = hangs
}

// Lose loses a device's context at once.
func (f *Fake) Lose(device int, code driver.Code) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lose(f.devices[device], code)
}

// Ran is how many kernels, copies and so on have run.
func (f *Fake) Ran() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ran
}

// Calls is how often a function has been called.
func (f *Fake) Calls(name string) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[name]
}

// failure returns what a call is to fail with.
func (f *Fake) failure(call string) driver.Code {
	for i, j := range f.injected {
		if j.call == call {
			if j.after--; j.after < 0 {
				f.injected = append(f.injected[:i:i], f.injected[i+1:]...)
				return j.code
			}
			return driver.Success
		}
	}
	return driver.Success
}

// violate notes a violation.
func (f *Fake) violate(k Kind, format string, args ...any) {
	if len(f.violations) < f.o.Violations {
		f.violations = append(f.violations, Violation{k, fmt.Sprintf(format, args...)})
	}
}

// bad notes a violation and returns the code of a call that did it.
func (f *Fake) bad(code driver.Code, k Kind, format string, args ...any) driver.Code {
	f.violate(k, format, args...)
	return code
}

// leaks notes what was not destroyed.
func (f *Fake) leaks() {
	count := map[string]int{}
	bytes := map[string]int64{}
	for _, m := range append(append([]*memory(nil), f.space...), f.hosts...) {
		if m.freed == "" && cmp.Or(m.device, m.owner).lost == 0 {
			count[m.what]++
			bytes[m.what] += m.size
		}
	}
	for _, h := range f.handles {
		if o, ok := h.(interface{ leaked() string }); ok {
			if what := o.leaked(); what != "" {
				count[what]++
			}
		}
	}
	for _, what := range sorted(count) {
		if n := bytes[what]; n > 0 {
			f.violate(Leak, "%d of %s: %s", count[what], strings.ToLower(what), diag.Count(n, "byte"))
		} else {
			f.violate(Leak, "%d of %s", count[what], what)
		}
	}
}
