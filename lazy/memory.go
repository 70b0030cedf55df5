package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/programs"
	"ltc/soa"
)

// ErrMemory: a device's [MemoryLimit], or the memory of the machine or of a GPU,
// does not suffice.
var ErrMemory = soa.ErrMemory

// MemoryLimit sets the most bytes that the device's values may take: host data
// that was copied, variables, results, and what a program needs to run.
// Exceeding it is an error that wraps [ErrMemory] and changes nothing. Values
// that nothing reaches any more do not count, nor do values below 64 KiB. Nor does
// memory of a GPU's, which the backend cuda has a limit for: cuda.Device.Limit.
func MemoryLimit(bytes int64) Option { return func(d *Device) { d.memory.limit = bytes } }

// MemoryCacheLimit sets the most bytes that the device keeps for later of values that
// nothing reaches any more; see the environment variable LTC_MEMORY_CACHE_BYTES.
func MemoryCacheLimit(bytes int64) Option { return func(d *Device) { d.memory.cache = bytes } }

// MemoryStats says what a device's values take, in bytes. Values below 64 KiB
// do not count.
type MemoryStats struct {
	Live       int64 // of values, some of which may wait to be collected
	Peak       int64 // the most that Live has been
	Limit      int64 // that Live may be; 0: no limit but the machine's
	Cached     int64 // kept for later
	CacheLimit int64 // that Cached may be
	OffHeap    int64 // mapped by the whole process: large workspaces, files
}

// String prints the sizes on one line.
func (s MemoryStats) String() string {
	limit := ""
	if s.Limit > 0 {
		limit = " of " + soa.Size(s.Limit)
	}
	return fmt.Sprintf("live %s%s, peak %s, cached %s of %s, off-heap %s",
		soa.Size(s.Live), limit, soa.Size(s.Peak), soa.Size(s.Cached), soa.Size(s.CacheLimit), soa.Size(s.OffHeap))
}

// MemoryStats returns what the device's values take now.
func (d *Device) MemoryStats() MemoryStats {
	if !d.opens() {
		return MemoryStats{}
	}
	p := d.memory.pool.Stats()
	off, _ := soa.OffHeapStats()
	return MemoryStats{Live: p.Live, Peak: p.Peak, Limit: d.memory.limit, Cached: p.Cached, CacheLimit: p.Limit, OffHeap: off}
}

// FreeMemoryCache collects garbage and gives up the memory that is kept for later.
func (d *Device) FreeMemoryCache() {
	soa.Collect()
	if !d.opens() {
		return
	}
	d.memory.pool.Trim()
}

// memory is where the values of a device get theirs.
type memory struct {
	pool  *soa.Pool
	alloc func(types.Type) soa.View // pool.Make
	own   *border.Backend           // of a device whose memory is not the host's; nil otherwise
	limit int64                     // 0: none
	cache int64

	mu       sync.Mutex
	freed    sync.Cond // when reserved has become less
	reserved int64     // for programs that run
}

// standardCache is how much a device keeps unless it is told.
func standardCache() int64 { return min(1<<30, soa.Limit()/8) }

func (m *memory) init() { m.freed.L = &m.mu }

// start is init after the options.
func (m *memory) start() {
	m.pool = soa.NewPool(max(m.cache, 0), checking)
	m.alloc = m.pool.Make
}

// make returns memory for t, contents undefined, and zeroed memory of zeros.
func (m *memory) make(t types.Type) (soa.View, error) {
	if err := m.admits(t); err != nil {
		return soa.View{}, err
	}
	return m.pool.Make(t), nil
}

// resident is make where programs of the device find the memory, if they do not use
// the host's.
func (m *memory) resident(t types.Type) (soa.View, error) {
	if m.own == nil {
		return m.make(t)
	}
	return m.own.Make(t)
}

func (m *memory) zeroed(t types.Type) (soa.View, error) {
	if err := m.admits(t); err != nil {
		return soa.View{}, err
	}
	return m.pool.Zeroed(t), nil
}

// admits returns an error when there is no room for a value of type t.
func (m *memory) admits(t types.Type) error {
	if err := soa.Fits(t.Bytes()); err != nil || m.limit == 0 {
		return err
	}
	n := soa.PooledBytes(t)
	if !m.reserve(n) {
		return m.shortage(fmt.Sprintf("%v takes %s", t, soa.Size(n)))
	}
	m.release(n)
	return nil
}

func (m *memory) shortage(what string) error {
	return fmt.Errorf("out of memory: %w: %s, values that are in use %s of the device's limit of %s",
		ErrMemory, what, soa.Size(m.pool.Stats().Live), soa.Size(m.limit))
}

// reserve sets n bytes aside, if they are within the limit once garbage has
// been collected and programs that run have ended.
func (m *memory) reserve(n int64) bool {
	const collections = 2
	m.mu.Lock()
	defer m.mu.Unlock()
	for tried := 0; ; {
		s := m.pool.Stats()
		if m.reserved+s.Live+n <= m.limit {
			m.reserved += n
			if m.reserved+s.Live+s.Cached > m.limit {
				m.pool.Trim()
			}
			return true
		}
		switch {
		case n > m.limit:
			return false
		case tried < collections:
			tried++
			m.mu.Unlock()
			m.pool.Trim()
			soa.Collect()
			m.mu.Lock()
		case m.reserved > 0: // programs that run wait for nobody
			m.freed.Wait()
			tried = 0
		default:
			return false
		}
	}
}

func (m *memory) release(n int64) {
	m.mu.Lock()
	m.reserved -= n
	m.mu.Unlock()
	m.freed.Broadcast()
}

// metered is an executable whose results come from the device's memory, and of
// whose copies the device has samples.
type metered struct {
	programs.Runner
	whole  *border.Executable // nil if ops run one by one
	dev    *Device
	of     *programs.Program
	copied atomic.Int64  // bytes that have been sampled
	mute   atomic.Bool   // nobody tells what was copied
	grown  *atomic.Int64 // by how much the executable has grown; nil if it does not
	known  atomic.Int64  // of that, what the cache has counted
	guards *guards       // nil: none look at data
}

func newMetered(exec programs.Runner, d *Device, p *programs.Program) *metered {
	e := &metered{Runner: exec, dev: d, of: p}
	e.whole, _ = exec.(*border.Executable)
	return e
}

// Execute runs the program, if there is memory for it.
func (e *metered) Execute(ctx context.Context, c *backends.Call) error {
	m := &e.dev.memory
	if e.guards != nil {
		if err := e.guards.look(ctx, c); err != nil {
			return err
		}
	}
	c.Alloc, c.Resident = m.alloc, true
	if m.limit > 0 {
		workspace, err := e.workspace()
		if err != nil {
			return err
		}
		n := workspace + e.needs(c)
		if !m.reserve(n) {
			return e.shortage(n, workspace)
		}
		defer m.release(n)
	}
	err := e.Runner.Execute(ctx, c)
	e.sampleCopies()
	if e.grown != nil && e.grown.Load() != e.known.Load() {
		now := max(e.grown.Load(), 0)
		e.dev.programs.Grew(e.of, now-e.known.Swap(now))
	}
	return err
}

// sampleCopies samples what has been copied since it was last called: by one
// run, or by those that ended at once.
func (e *metered) sampleCopies() {
	if e.whole == nil || e.mute.Load() {
		return
	}
	now, err := e.whole.CopiedBytes()
	if err != nil && !e.mute.Swap(true) {
		e.dev.log(slog.LevelWarn, "a backend does not tell what its runs have copied", slog.Any("error", err))
	}
	before := e.copied.Load()
	for now > before && !e.copied.CompareAndSwap(before, now) {
		before = e.copied.Load()
	}
	if now > before {
		e.dev.metrics.Sample(metrics.CopiedBytes, float64(now-before))
	}
}

// needs returns the bytes that results of a run take.
func (e *metered) needs(c *backends.Call) int64 {
	n := int64(0)
	for j, r := range e.of.Graph.Results {
		if e.of.Graph.Alias[j] < 0 && (j >= len(c.Results) || c.Results[j].IsZero()) {
			n += soa.PooledBytes(r.Type)
		}
	}
	return n
}

func (e *metered) workspace() (int64, error) {
	if e.whole == nil {
		return 0, nil
	}
	n, err := e.whole.WorkspaceBytes()
	return int64(n), err
}

// shortage names the largest value of the program, which is the first to look
// at.
func (e *metered) shortage(n, workspace int64) error {
	largest := e.of.Graph.Results[0]
	nodes := e.of.Graph.Results
	if 2*workspace > n {
		nodes = e.of.Graph.Nodes
	}
	for _, x := range nodes {
		if x.Op != ir.OpParameter && x.Type.Bytes() > largest.Type.Bytes() {
			largest = x
		}
	}
	reason := e.dev.memory.shortage(fmt.Sprintf("the step takes %s (results %s, workspace %s), the most for this %v of %s",
		soa.Size(n), soa.Size(n-workspace), soa.Size(workspace), largest.Type, soa.Size(int64(largest.Type.Bytes()))))
	return nodeError(largest, ErrMemory, reason.Error())
}

// memoryError makes the error of a value that finds no memory.
func memoryError(at callsite.Site, op string, err error) *OpError {
	kind := ErrMemory
	if !errors.Is(err, ErrMemory) {
		kind = ErrUsage
	}
	return opError(at, op, kind, nil, "%v", err)
}

// outOfMemory returns the poisoned tensor of host data that finds no memory.
func outOfMemory(p Place, op string, err error) *Tensor {
	var sites callsite.Cache
	return p.device().poisoned(p.trace(), memoryError(sites.Caller(), op, err))
}
