package lazy

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// reservoir is how many samples a metric keeps for rates and percentiles: the
// latest, as many as the lazy tensor core keeps.
const reservoir = 1024

// percentiles are those that reports show, the lazy tensor core's.
var percentiles = [...]float64{0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99}

// sample is a value and when it was taken.
type sample struct {
	at    time.Duration // since epoch
	value float64
}

// epoch is what samples count time from: differences of it are monotonic.
var epoch = time.Now()

// samples collects the values of a metric. Any goroutine may add to it.
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
	if len(s.ring) < reservoir {
		s.ring = append(s.ring, sample{at, v})
		return
	}
	s.ring[s.next] = sample{at, v}
	s.next = (s.next + 1) % reservoir
}

func (s *samples) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring, s.next, s.total, s.sum = s.ring[:0], 0, 0, 0
}

// collected is a copy of samples, to be evaluated and merged with others.
type collected struct {
	samples []sample // the latest, in order of time
	total   int64
	sum     float64
}

func (s *samples) collect() collected {
	s.mu.Lock()
	defer s.mu.Unlock()
	return collected{slices.Concat(s.ring[s.next:], s.ring[:s.next]), s.total, s.sum}
}

// join returns the samples of several devices as if one had taken them all.
func (c collected) join(d collected) collected {
	all := slices.Concat(c.samples, d.samples)
	slices.SortStableFunc(all, func(a, b sample) int { return cmp.Compare(a.at, b.at) })
	return collected{all[max(len(all)-reservoir, 0):], c.total + d.total, c.sum + d.sum}
}

// rates returns the sum of the values kept, and their number, by the seconds
// between the first and the last; 0 when these are one.
func (c collected) rates() (value, number float64) {
	if len(c.samples) == 0 {
		return 0, 0
	}
	seconds := (c.samples[len(c.samples)-1].at - c.samples[0].at).Seconds()
	if seconds <= 0 {
		return 0, 0
	}
	for _, s := range c.samples {
		value += s.value
	}
	return value / seconds, float64(len(c.samples)) / seconds
}

// percentiles returns the values below which the given parts of those kept
// lie; none when there are none.
func (c collected) percentiles() []Percentile {
	if len(c.samples) == 0 {
		return nil
	}
	sorted := make([]float64, len(c.samples))
	for i, s := range c.samples {
		sorted[i] = s.value
	}
	slices.Sort(sorted)
	all := make([]Percentile, len(percentiles))
	for i, p := range percentiles {
		all[i] = Percentile{p, sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]}
	}
	return all
}
