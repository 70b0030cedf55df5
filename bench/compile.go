package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ltc/bench/measure"
	"ltc/lazy"
)

// compileEW100 times the first call of programs of 100 elementwise ops, each of
// a shape of its own, in a process that has compiled something before.
func compileEW100(e *env) (result, error) {
	dev, err := e.open()
	if err != nil {
		return result{}, err
	}
	tr := lazy.NewTrace(dev)
	if err := tr.MarkStep(lazy.From(tr, measure.Gen(1, 7), 7).AddScalar(1)); err != nil {
		return result{}, err
	}
	var samples []float64
	for k := range 5 {
		p := ew100(256, 256+k)
		data := p.data()
		x, err := p.tensors(tr, data)
		if err != nil {
			return result{}, err
		}
		took, _, err := p.first(tr, x, data)
		if err != nil {
			return result{}, err
		}
		samples = append(samples, took.Seconds())
	}
	return figures(measure.Summary(samples)), nil
}

// step100First times the first step of the process, with all compiling.
func step100First(e *env) (result, error) {
	s, err := newStepper(e, mix100)
	if err != nil {
		return result{}, err
	}
	start := time.Now()
	if err := s.step(); err != nil {
		return result{}, err
	}
	r := once(time.Since(start))
	return r, checkMix(s.x, 25)
}

// checkMix compares the result of n times mix with float64's.
func checkMix(got *lazy.Tensor, n int) error {
	x, y := mixNumbers()
	for range n {
		z := make([]float64, len(x))
		for i := range x {
			x[i] = max((x[i]+y[i])*y[i], 0)
		}
		for i := range z {
			for k := range 8 {
				z[i] += x[i/8*8+k] * y[k*8+i%8]
			}
		}
		x = z
	}
	values, err := lazy.ToSlice[float32](got)
	if err != nil {
		return err
	}
	for i, v := range values {
		if !(math.Abs(float64(v)-x[i]) <= 1e-4*math.Abs(x[i])) {
			return fmt.Errorf("wrong result: element %d is %v, want %v", i, v, x[i])
		}
	}
	return nil
}

// trainMLPFirst times the first step of the process.
func trainMLPFirst(e *env) (result, error) {
	dev, err := e.open()
	if err != nil {
		return result{}, err
	}
	m := newMLP(dev, mlpBatch, 784, 512, 256, 10)
	start := time.Now()
	if err := m.step(); err != nil {
		return result{}, err
	}
	r := once(time.Since(start))
	r.Losses = []float64{m.loss.Float()}
	return r, checkLosses(r.Losses, mlpLosses)
}

// once is the result of a single call.
func once(took time.Duration) result {
	s := took.Seconds()
	return result{Median: s, Min: s, Reps: 1, FirstCall: s, PeakRSSMiB: peakRSS()}
}

// medianOf merges the results of processes that measured the same.
func medianOf(rs []result) result {
	slices.SortFunc(rs, func(a, b result) int {
		if a.Median < b.Median {
			return -1
		}
		return 1
	})
	r := rs[(len(rs)-1)/2]
	r.Min, r.Reps = rs[0].Min, len(rs)
	return r
}
