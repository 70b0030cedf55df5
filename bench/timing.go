package main

import (
	"runtime"
	"slices"
	"time"
)

// rules say how often a call is timed.
type rules struct {
	budget  time.Duration // samples are taken for this long
	warm    int           // calls before the first sample
	minReps int           // samples at least
	maxReps int           // and at most
	inner   int           // calls a sample; 0: as many as last 200 µs
}

// timing is what was measured, in seconds a call.
type timing struct {
	median, min float64
	reps        int
	allocs      float64 // heap objects a call
}

func (t timing) result() result {
	return result{Median: t.median, Min: t.min, Reps: t.reps, Allocs: t.allocs}
}

// slow is how long a call may take before it is its own warm-up: it is measured
// three times and not more.
const slow = 2 * time.Second

// time measures fn, which returns when its results are ready.
func (e *env) time(r rules, fn func() error) (timing, error) {
	if e.quick {
		r = rules{minReps: min(2, r.minReps), maxReps: min(2, r.maxReps), inner: r.inner}
	}
	for range r.warm {
		start := time.Now()
		if err := fn(); err != nil {
			return timing{}, err
		}
		if time.Since(start) > slow {
			r.minReps, r.inner = min(3, r.minReps), 1
			break
		}
	}
	if r.inner == 0 {
		start := time.Now()
		if err := fn(); err != nil {
			return timing{}, err
		}
		r.inner = max(1, int(200*time.Microsecond/max(time.Since(start), 1)))
	}
	var samples []float64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	for len(samples) < r.maxReps && (len(samples) < r.minReps || time.Since(begin) < r.budget) {
		start := time.Now()
		for range r.inner {
			if err := fn(); err != nil {
				return timing{}, err
			}
		}
		samples = append(samples, time.Since(start).Seconds()/float64(r.inner))
	}
	runtime.ReadMemStats(&after)
	t := summary(samples)
	t.allocs = float64(after.Mallocs-before.Mallocs) / float64(len(samples)*r.inner)
	return t, nil
}

// summary sorts the samples.
func summary(samples []float64) timing {
	slices.Sort(samples)
	n := len(samples)
	return timing{median: (samples[(n-1)/2] + samples[n/2]) / 2, min: samples[0], reps: n}
}
