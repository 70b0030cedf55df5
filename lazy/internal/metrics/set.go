package metrics

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Set is what a device counts and samples. It refers to no device but by steps that are not
// marked, so that it does not keep one alive. Its methods may be called from any goroutine.
type Set struct {
	counts  [NumCounters]atomic.Int64
	sampled [NumQuantities]samples

	mu      sync.Mutex
	tallies map[*Tally]func() string
	left    []string // what traces that are gone have not marked
	ended   []int64  // the sums of tallies that have left, tensors first
	base    []int64  // the sums at the last reset
}

// Add counts n more.
func (s *Set) Add(c Counter, n int) {
	if n != 0 {
		s.counts[c].Add(int64(n))
	}
}

// Count returns a counter.
func (s *Set) Count(c Counter) int64 { return s.counts[c].Load() }

// Sample adds a sample.
func (s *Set) Sample(q Quantity, v float64) { s.sampled[q].add(v) }

// Since samples the time that has passed since start.
func (s *Set) Since(q Quantity, start time.Time) { s.Sample(q, float64(time.Since(start))) }

// maxLeft bounds Set.left.
const maxLeft = 16

// Join adds a tally to what the set counts, until it leaves. The function says what its
// trace has assigned and not marked; "" if nothing.
func (s *Set) Join(t *Tally, unmarked func() string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tallies == nil {
		s.tallies = map[*Tally]func() string{}
	}
	s.tallies[t] = unmarked
}

// Leave keeps the sums of a tally that nobody writes any more, and not the tally.
func (s *Set) Leave(t *Tally) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = t.addTo(s.ended)
	if what := s.tallies[t](); what != "" && len(s.left) < maxLeft {
		s.left = append(s.left, what)
	}
	delete(s.tallies, t)
}

// Unmarked returns what traces have assigned and not marked, sorted.
func (s *Set) Unmarked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.left)
	for _, unmarked := range s.tallies {
		if what := unmarked(); what != "" {
			all = append(all, what)
		}
	}
	slices.Sort(all)
	return all
}

// sums returns what all tallies have counted so far; s.mu is held.
func (s *Set) sums() []int64 {
	all := slices.Clone(s.ended)
	for t := range s.tallies {
		all = t.addTo(all)
	}
	return all
}

// Reset sets all counters and quantities to nothing.
func (s *Set) Reset() {
	s.mu.Lock()
	s.base = s.sums()
	s.mu.Unlock()
	for i := range s.counts {
		s.counts[i].Store(0)
	}
	for i := range s.sampled {
		s.sampled[i].reset()
	}
}

// Snapshot is a set at one time.
type Snapshot struct {
	Counters map[string]int64
	Sampled  [NumQuantities]Samples
}

// Snapshot returns what has been counted and sampled since the last reset. The ops of
// tallies are counted under the names that opName gives.
func (s *Set) Snapshot(opName func(op int) string) Snapshot {
	x := Snapshot{Counters: map[string]int64{}}
	for c, row := range Counters {
		x.Counters[row.Name] = s.counts[c].Load()
	}
	s.mu.Lock()
	sums, base := s.sums(), s.base
	s.mu.Unlock()
	for i, n := range sums {
		if i < len(base) {
			n -= base[i]
		}
		switch {
		case n == 0:
		case i == 0:
			x.Counters[Counters[CreateTensor].Name] += n
		default:
			x.Counters[opName(i-1)] += n
		}
	}
	for i := range s.sampled {
		x.Sampled[i] = s.sampled[i].collect()
	}
	return x
}

// Join adds up two snapshots.
func (x Snapshot) Join(y Snapshot) Snapshot {
	for name, n := range y.Counters {
		x.Counters[name] += n
	}
	for i := range x.Sampled {
		x.Sampled[i] = x.Sampled[i].join(y.Sampled[i])
	}
	return x
}

// Tally counts what a trace records. One goroutine at a time writes it, any may read it:
// adding takes a few nanoseconds and no lock.
type Tally struct {
	others int64   // tensors of no op, less ops of no tensor
	ops    []int64 // each makes a tensor
}

// NewTally returns a tally of so many ops.
func NewTally(ops int) Tally { return Tally{ops: make([]int64, ops)} }

// Other counts n tensors of no op.
func (t *Tally) Other(n int64) { atomic.StoreInt64(&t.others, t.others+n) }

// Op counts an op and the tensor that it makes, in one store: each waits for all stores
// before it. Of an op that is younger than the tally, only the tensor is counted.
func (t *Tally) Op(i int) {
	if i >= len(t.ops) {
		t.Other(1)
		return
	}
	atomic.StoreInt64(&t.ops[i], t.ops[i]+1)
}

// Alone counts an op that makes no tensor, or one that is counted as another.
func (t *Tally) Alone(i int) {
	t.Op(i)
	t.Other(-1)
}

// addTo adds the tally to sums, tensors first.
func (t *Tally) addTo(sums []int64) []int64 {
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

// Reservoir is how many samples of a quantity are kept for rates and percentiles: the
// latest, as many as the lazy tensor core keeps.
const Reservoir = 1024

// Percentiles are those that reports show, the lazy tensor core's.
var Percentiles = [...]float64{0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99}

// sample is a value and when it was taken.
type sample struct {
	at    time.Duration // since epoch
	value float64
}

// epoch is what samples count time from: differences of it are monotonic.
var epoch = time.Now()

// samples collects the values of a quantity. Any goroutine may add to it.
type samples struct {
	mu    sync.Mutex
	ring  []sample // the latest; the oldest is at next once it is full
	next  int
	total int64
	sum   float64
	at    time.Duration // of the latest reading of the clock
}

// share is how many samples in a row have the time of the first of them once the ring is
// full, since reading the clock takes longer than all else of a sample. The rate of samples
// that come steadily is off by a fiftieth at most.
const share = Reservoir / 64

func (s *samples) add(v float64) {
	s.mu.Lock()
	s.total++
	s.sum += v
	if len(s.ring) < Reservoir {
		s.at = time.Since(epoch)
		s.ring = append(s.ring, sample{s.at, v})
	} else {
		if s.next%share == 0 {
			s.at = time.Since(epoch)
		}
		s.ring[s.next] = sample{s.at, v}
		s.next = (s.next + 1) % Reservoir
	}
	s.mu.Unlock()
}

func (s *samples) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring, s.next, s.total, s.sum = s.ring[:0], 0, 0, 0
}

// Samples is a copy of what was sampled of a quantity, to be evaluated and merged with others.
type Samples struct {
	latest []sample // in order of time
	Total  int64    // how many there were
	Sum    float64
}

func (s *samples) collect() Samples {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Samples{slices.Concat(s.ring[s.next:], s.ring[:s.next]), s.total, s.sum}
}

// join returns the samples of several devices as if one had taken them all.
func (c Samples) join(d Samples) Samples {
	all := slices.Concat(c.latest, d.latest)
	slices.SortStableFunc(all, func(a, b sample) int { return cmp.Compare(a.at, b.at) })
	return Samples{all[max(len(all)-Reservoir, 0):], c.Total + d.Total, c.Sum + d.Sum}
}

// Rates returns the sum of the samples kept, and their number, by the seconds
// between the first and the last; 0 when these are one.
func (c Samples) Rates() (value, number float64) {
	if len(c.latest) == 0 {
		return 0, 0
	}
	seconds := (c.latest[len(c.latest)-1].at - c.latest[0].at).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	for _, s := range c.latest {
		value += s.value
	}
	return value / seconds, float64(len(c.latest)) / seconds
}

// Below returns the value below which each of [Percentiles] of the samples kept lies; nil
// when there are none.
func (c Samples) Below() []float64 {
	if len(c.latest) == 0 {
		return nil
	}
	sorted := make([]float64, len(c.latest))
	for i, s := range c.latest {
		sorted[i] = s.value
	}
	slices.Sort(sorted)
	below := make([]float64, len(Percentiles))
	for i, p := range Percentiles {
		below[i] = sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
	}
	return below
}
