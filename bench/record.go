package main

import (
	"runtime"
	"runtime/debug"
	"time"

	"ltc/bench/measure"
	"ltc/lazy"
)

// mix records n times add, mul, relu and matmul.
func mix(x, y *lazy.Tensor, n int) *lazy.Tensor {
	for range n {
		x = x.Add(y)
		x = x.Mul(y)
		x = x.ReLU()
		x = x.MatMul(y)
	}
	return x
}

// chain records n additions.
func chain(x, y *lazy.Tensor, n int) *lazy.Tensor {
	for range n {
		x = x.Add(y)
	}
	return x
}

func recordChain(e *env) (result, error) {
	return e.record(func(x, y *lazy.Tensor) *lazy.Tensor { return chain(x, y, 1000) })
}

func recordMix(e *env) (result, error) {
	return e.record(func(x, y *lazy.Tensor) *lazy.Tensor { return mix(x, y, 250) })
}

// quiet waits until other goroutines allocate next to nothing, five seconds at most: programs of earlier workloads may still be
// compiled in the background, and heap objects are counted for the whole process.
func quiet() {
	for range 1000 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		time.Sleep(5 * time.Millisecond)
		if runtime.ReadMemStats(&after); after.Mallocs-before.Mallocs < 100 {
			return
		}
	}
}

// record times fn, which records 1000 ops and runs nothing, with the collector
// off but for a collection after every eighth sample. Between samples the
// trace forgets the step, or equal ops would be found and not made.
func (e *env) record(fn func(x, y *lazy.Tensor) *lazy.Tensor) (result, error) {
	const ops = 1000
	dev, err := e.open()
	if err != nil {
		return result{}, err
	}
	tr := lazy.NewTrace(dev)
	tr.Reuse(false)
	x, y := mixData(tr)
	reps := 25
	if e.quick {
		reps = 2
	}
	quiet()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var samples []float64
	var mallocs uint64
	for i := range reps {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		z := fn(x, y)
		samples = append(samples, time.Since(start).Seconds()/ops)
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		if err := z.Err(); err != nil {
			return result{}, err
		}
		if err := tr.MarkStep(); err != nil {
			return result{}, err
		}
		if i%8 == 0 {
			runtime.GC()
		}
	}
	t := measure.Summary(samples)
	t.Allocs = float64(mallocs) / float64(reps*ops)
	return figures(t), nil
}
