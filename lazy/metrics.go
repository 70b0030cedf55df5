package lazy

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"ltc/ir"
	"ltc/ir/ops"
)

// counter is one of the numbers that a device counts, besides the ops recorded.
type counter int

// The counters. Those up to trieForked have the lazy tensor core's names.
const (
	markStep counter = iota
	cachedCompile
	uncachedCompile
	createTensor
	destroyTensor
	deviceData
	syncedWithIR
	syncedToData
	trimGraph
	trieForked
	implicitSync
	donationCopy
	stepFailed
	programEvicted
	fallback
	recompile
	numCounters
)

// counterRows names the counters and says what they count, for docs/metrics.md.
var counterRows = [numCounters]struct{ name, doc string }{
	markStep:        {"MarkStep", "calls of MarkStep"},
	cachedCompile:   {"CachedCompile", "programs that had been compiled before they were asked for"},
	uncachedCompile: {"UncachedCompile", "programs that were compiled"},
	createTensor:    {"CreateLtcTensor", "tensors made: by ops, of host data, by reading variables in a trace"},
	destroyTensor:   {"DestroyLtcTensor", "computed tensors whose step ended without a value for them. Values are the garbage collector's and not counted: see `Device.LiveTensors`"},
	deviceData:      {"DeviceDataCacheMiss", "host data and scalar arguments brought to the device. Setting a scalar again brings nothing"},
	syncedWithIR:    {"SyncedTensorsWithIR", "tensors and variables that programs were asked to compute"},
	syncedToData:    {"SyncTensorsToData", "roots of steps that needed no program, having a value already"},
	trimGraph:       {"TrimIrGraph", "times that a step has grown by as many nodes as `LTC_TRIM_GRAPH_SIZE` says. Nothing is trimmed: a line is logged instead"},
	trieForked:      {"TrieForked", "steps that began like one before and then recorded something else"},
	implicitSync:    {"ImplicitSync", "tensors computed in the midst of a step because they were read"},
	donationCopy:    {"DonationCopy", "variables assigned, and donated tensors, whose memory was still read, so that the result got memory of its own"},
	stepFailed:      {"StepFailed", "steps that failed when they ran; those cancelled behind them do not count"},
	programEvicted:  {"ProgramEvicted", "compiled programs that were dropped to keep within `LTC_PROGRAM_CACHE_BYTES`"},
	fallback:        {"Fallback", "ops of compiled programs, a program that is compiled in no part being one, that the evaluator runs: [compiled.md](compiled.md) says which"},
	recompile:       {"Recompile", "programs compiled for a line (of `MarkStep`, of a call, of a read) that another was compiled for before. `Trace.Report` says in what they differ"},
}

// metric is one of the quantities that a device samples.
type metric int

// The metrics. Those up to dataToHandle have the lazy tensor core's names.
const (
	graphSize metric = iota
	lockWait
	dataToHandle
	compileTime
	executeTime
	programSize
	copiedBytes
	numMetrics
)

// metricRows names the metrics, says how their values are written and what they
// are.
var metricRows = [numMetrics]struct {
	name string
	kind MetricKind
	doc  string
}{
	graphSize:    {"TensorsGraphSize", ValueMetric, "nodes of each program that was asked for"},
	lockWait:     {"DeviceLockWait", TimeMetric, "how long calls waited for steps under way; those that did not wait are not sampled"},
	dataToHandle: {"IrValueTensorToDataHandle", TimeMetric, "how long host data took to copy"},
	compileTime:  {"CompileTime", TimeMetric, "from graph to executable"},
	executeTime:  {"ExecuteTime", TimeMetric, "runs of programs; not sampled where all run on the goroutine that asks for them"},
	programSize:  {"ProgramBytes", BytesMetric, "what each compiled program takes in the cache"},
	copiedBytes:  {"CopiedBytes", BytesMetric, "what each run copied between the memory of tensors and the backend's own, as it does where their memory is not dense. Runs that copied nothing are not sampled"},
}

// opName is the name under which op i is counted. Composites follow the ops of
// the table.
func opName(i int) string {
	if i < len(ops.Table) {
		return "lazy::" + ir.Op(i).String()
	}
	composites.Lock()
	defer composites.Unlock()
	return "lazy::" + composites.names[i-len(ops.Table)]
}

// tally counts what a trace records. The trace's goroutine alone writes it, any
// may read it: adding takes a few nanoseconds and no lock.
type tally struct {
	others int64   // tensors of no op, less ops of no tensor
	ops    []int64 // by opName; each makes a tensor
	// waiting is the variable that the step has assigned first, until it is marked.
	waiting atomic.Pointer[variable]
}

func newTally() *tally {
	composites.Lock()
	defer composites.Unlock()
	return &tally{ops: make([]int64, len(ops.Table)+len(composites.names))}
}

func (t *tally) other(n int64) { atomic.StoreInt64(&t.others, t.others+n) }

// op counts an op and the tensor that it makes, in one store: each waits for all
// stores before it.
func (t *tally) op(i int) {
	if i >= len(t.ops) { // the composite is younger than the trace
		t.other(1)
		return
	}
	atomic.StoreInt64(&t.ops[i], t.ops[i]+1)
}

// alone counts an op that makes no tensor, or one that is counted as another.
func (t *tally) alone(i int) {
	t.op(i)
	t.other(-1)
}

// addTo adds the tally to sums, tensors first.
func (t *tally) addTo(sums []int64) []int64 {
	for len(sums) < len(t.ops)+1 {
		sums = append(sums, 0)
	}
	sums[0] += atomic.LoadInt64(&t.others)
	for i := range t.ops {
		n := atomic.LoadInt64(&t.ops[i])
		sums[0] += n
		sums[i+1] += n
	}
	return sums
}

// metrics are what a device counts and samples. It refers to no device, so that
// it does not keep one alive.
type metrics struct {
	counts  [numCounters]atomic.Int64
	sampled [numMetrics]samples

	mu      sync.Mutex
	tallies map[*tally]struct{}
	ended   []int64 // the sums of traces that are gone, tensors first
	base    []int64 // the sums at the last reset
	reasons [numReasons]atomic.Int64
	left    []string // by [tally.unmarked], what traces that are gone have not marked
}

const maxLeft = 16

func (m *metrics) add(c counter, n int) {
	if n != 0 {
		m.counts[c].Add(int64(n))
	}
}

// count counts for the device and for the trace or function that it was for.
func (d *Device) count(c counter, by *counters) {
	by.counts[c].Add(1)
	d.metrics.counts[c].Add(1)
}

func (m *metrics) sample(x metric, v float64) { m.sampled[x].add(v) }

// since samples the time that has passed since start.
func (m *metrics) since(x metric, start time.Time) { m.sample(x, float64(time.Since(start))) }

// metered adds the trace's tally to those of its device for as long as the trace
// is reachable, and its sums for ever.
func (tr *Trace) metered() *Trace {
	m, t := tr.dev.metrics, tr.tally
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tallies == nil {
		m.tallies = map[*tally]struct{}{}
	}
	m.tallies[t] = struct{}{}
	runtime.AddCleanup(tr, m.end, t)
	return tr
}

func (m *metrics) end(t *tally) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = t.addTo(m.ended)
	delete(m.tallies, t)
	if s := t.unmarked(); s != "" && len(m.left) < maxLeft {
		m.left = append(m.left, s)
	}
}

// sums returns what all traces have recorded so far; m.mu is held.
func (m *metrics) sums() []int64 {
	all := slices.Clone(m.ended)
	for t := range m.tallies {
		all = t.addTo(all)
	}
	return all
}

// snapshot is a device's metrics at one time.
type snapshot struct {
	device   string
	counters map[string]int64
	sampled  [numMetrics]collected
}

func (m *metrics) snapshot(device string) snapshot {
	s := snapshot{device, map[string]int64{}, [numMetrics]collected{}}
	for c, row := range counterRows {
		s.counters[row.name] = m.counts[c].Load()
	}
	for r := range m.reasons {
		s.counters["ImplicitSync::"+SyncReason(r).String()] = m.reasons[r].Load()
	}
	m.mu.Lock()
	sums, base := m.sums(), m.base
	m.mu.Unlock()
	for i, n := range sums {
		if i < len(base) {
			n -= base[i]
		}
		switch {
		case n == 0:
		case i == 0:
			s.counters[counterRows[createTensor].name] += n
		default:
			s.counters[opName(i-1)] += n
		}
	}
	for i := range m.sampled {
		s.sampled[i] = m.sampled[i].collect()
	}
	return s
}

// join adds up two snapshots.
func (s snapshot) join(o snapshot) snapshot {
	s.device += "+" + o.device
	for name, n := range o.counters {
		s.counters[name] += n
	}
	for i := range s.sampled {
		s.sampled[i] = s.sampled[i].join(o.sampled[i])
	}
	return s
}

func (s snapshot) metrics() Metrics {
	m := Metrics{Device: s.device}
	for name, n := range s.counters {
		if n > 0 {
			m.Counters = append(m.Counters, Counter{name, n})
		}
	}
	slices.SortFunc(m.Counters, func(a, b Counter) int { return cmp.Compare(a.Name, b.Name) })
	for i, c := range s.sampled {
		if c.total == 0 {
			continue
		}
		x := Metric{Name: metricRows[i].name, Kind: metricRows[i].kind, TotalSamples: c.total, Accumulator: c.sum, Percentiles: c.percentiles()}
		x.ValueRate, x.Rate = c.rates()
		m.Metrics = append(m.Metrics, x)
	}
	return m
}

// Metrics returns what the device has counted and sampled since it was opened
// or [Device.ResetMetrics] was called. It may be called from any goroutine, as
// may ResetMetrics; ops that are being recorded meanwhile count or not.
func (d *Device) Metrics() Metrics { return SumMetrics(d) }

// ResetMetrics sets all counters and metrics of the device to nothing.
func (d *Device) ResetMetrics() {
	if !d.opens() {
		return
	}
	m := d.metrics
	m.mu.Lock()
	m.base = m.sums()
	m.mu.Unlock()
	for i := range m.counts {
		m.counts[i].Store(0)
	}
	for i := range m.reasons {
		m.reasons[i].Store(0)
	}
	for i := range m.sampled {
		m.sampled[i].reset()
	}
}

// SumMetrics returns what several devices have counted and sampled, added up.
func SumMetrics(devices ...*Device) Metrics {
	var all *snapshot
	for _, d := range devices {
		if !d.opens() {
			continue
		}
		s := d.metrics.snapshot(d.name)
		if all != nil {
			s = all.join(s)
		}
		all = &s
	}
	if all == nil {
		return Metrics{}
	}
	return all.metrics()
}
