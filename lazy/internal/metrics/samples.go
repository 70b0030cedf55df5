package metrics

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

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
}

func (s *samples) add(v float64) {
	at := time.Since(epoch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	s.sum += v
	if len(s.ring) < Reservoir {
		s.ring = append(s.ring, sample{at, v})
		return
	}
	s.ring[s.next] = sample{at, v}
	s.next = (s.next + 1) % Reservoir
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
