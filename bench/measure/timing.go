// Package measure is what the programs that measure share: how often a call is
// timed and what is made of the samples, data and results to check, and the
// machine that it was on. Its central type is [Rules].
//
// The package imports only ltc/soa, ltc/ir/types and ltc/internal/samples.
package measure

import (
	"math"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// Rules say how often a call is timed.
type Rules struct {
	Budget  time.Duration // samples are taken for this long
	Warm    int           // calls before the first sample
	MinReps int           // samples at least
	MaxReps int           // and at most
	Inner   int           // calls a sample; 0: as many as last 200 µs

	// Clock is what samples are taken of; nil: time that passes. See [Used].
	Clock func() time.Duration
}

// Quick returns rules for tests: as few repetitions as there may be.
func (r Rules) Quick() Rules {
	return Rules{MinReps: min(2, r.MinReps), MaxReps: min(2, r.MaxReps), Inner: r.Inner, Clock: r.Clock}
}

// Timing is what was measured, in seconds a call.
type Timing struct {
	Median, Min float64
	Reps        int
	Allocs      float64 // heap objects a call
}

// slow is how long a call may take before it is its own warm-up: it is measured
// three times and not more.
const slow = 2 * time.Second

// Time measures fn, which returns when its results are ready.
func (r Rules) Time(fn func() error) (Timing, error) {
	if err := r.prepare(fn); err != nil {
		return Timing{}, err
	}
	var samples []float64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for begin := time.Now(); r.more(len(samples), begin); {
		s, err := r.sample(fn)
		if err != nil {
			return Timing{}, err
		}
		samples = append(samples, s)
	}
	runtime.ReadMemStats(&after)
	t := Summary(samples)
	t.Allocs = float64(after.Mallocs-before.Mallocs) / float64(len(samples)*r.Inner)
	return t, nil
}

// brief is how long a call takes that runs quicker or slower by what the one before
// has left in the caches.
const brief = 50 * time.Millisecond

// Turns measures several calls by turns, a sample of each at a time, so that what
// else the machine does meets all of them. The order turns round from sample to
// sample. Before a sample of brief calls is one that does not count, so that none
// finds what another has left in the caches, and all what they leave themselves.
func (r Rules) Turns(fns ...func() error) ([]Timing, error) {
	rules := make([]Rules, len(fns))
	for i, fn := range fns {
		rules[i] = r
		if err := rules[i].prepare(fn); err != nil {
			return nil, err
		}
		r.MinReps = min(r.MinReps, rules[i].MinReps)
	}
	samples, mallocs := make([][]float64, len(fns)), make([]uint64, len(fns))
	var before, after runtime.MemStats
	for n, begin := 0, time.Now(); r.more(n, begin); n++ {
		for k := range fns {
			i := k
			if n%2 == 1 {
				i = len(fns) - 1 - k
			}
			if last := len(samples[i]) - 1; last < 0 || samples[i][last] < brief.Seconds() {
				if err := fns[i](); err != nil {
					return nil, err
				}
			}
			runtime.ReadMemStats(&before)
			s, err := rules[i].sample(fns[i])
			if err != nil {
				return nil, err
			}
			runtime.ReadMemStats(&after)
			samples[i] = append(samples[i], s)
			mallocs[i] += after.Mallocs - before.Mallocs
		}
	}
	timings := make([]Timing, len(fns))
	for i := range fns {
		calls := len(samples[i]) * rules[i].Inner
		timings[i] = Summary(samples[i])
		timings[i].Allocs = float64(mallocs[i]) / float64(calls)
	}
	return timings, nil
}

// prepare calls fn to warm it up, and decides how many calls make a sample.
func (r *Rules) prepare(fn func() error) error {
	for range r.Warm {
		start := time.Now()
		if err := fn(); err != nil {
			return err
		}
		if time.Since(start) > slow {
			r.MinReps, r.Inner = min(3, r.MinReps), 1
			break
		}
	}
	if r.Inner > 0 {
		return nil
	}
	start := time.Now()
	if err := fn(); err != nil {
		return err
	}
	r.Inner = max(1, int(200*time.Microsecond/max(time.Since(start), 1)))
	return nil
}

// more reports whether another sample is to be taken after n.
func (r Rules) more(n int, begin time.Time) bool {
	return n < r.MaxReps && (n < r.MinReps || time.Since(begin) < r.Budget)
}

// sample returns the seconds of a call.
func (r Rules) sample(fn func() error) (float64, error) {
	clock := r.Clock
	if clock == nil {
		begin := time.Now()
		clock = func() time.Duration { return time.Since(begin) }
	}
	start := clock()
	for range r.Inner {
		if err := fn(); err != nil {
			return 0, err
		}
	}
	return (clock() - start).Seconds() / float64(r.Inner), nil
}

// Summary sorts the samples.
func Summary(samples []float64) Timing {
	slices.Sort(samples)
	n := len(samples)
	return Timing{Median: (samples[(n-1)/2] + samples[n/2]) / 2, Min: samples[0], Reps: n}
}

// Seconds prints a duration with three digits.
func Seconds(s float64) string {
	for _, u := range []struct {
		scale float64
		name  string
	}{{1, "s"}, {1e3, "ms"}, {1e6, "µs"}} {
		if x := s * u.scale; x >= 0.9995 { // which prints as 1
			return strconv.FormatFloat(x, 'g', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(math.Round(s*1e10)/10, 'f', -1, 64) + " ns"
}
