package main

import (
	"fmt"
	"sync"
	"time"

	"ltc/ir/types"
)

// The peaks are what the machine can do at all, with as many threads as the
// workloads have: other figures are given as a share of them.
var peaks = []workload{
	{name: "peak_fma_f32", doc: "multiplications and additions of f32 in registers", run: peakFMA(types.F32)},
	{name: "peak_fma_bf16", doc: "the same of bf16, added in f32", run: peakFMA(types.BF16)},
	{name: "peak_copy", doc: "bytes read and written by a copy of 256 MiB", run: peakCopy},
}

// peakRules take the fastest of many short samples.
var peakRules = rules{budget: 500 * time.Millisecond, warm: 3, minReps: 5, maxReps: 200, inner: 1}

// peakFMA measures the loop of a dtype. Where the machine has none it gives an
// empty result.
func peakFMA(d types.DType) func(e *env) (result, error) {
	return func(e *env) (result, error) {
		loop, flops := fmaLoop(d)
		if loop == nil {
			return result{}, fmt.Errorf("no loop of %v for this machine: its peak is unknown", d)
		}
		const rounds = 1 << 18
		t, err := e.time(peakRules, func() error {
			parallel(e.threads, func(int) { loop(rounds) })
			return nil
		})
		r := t.result()
		r.GFlops = flops * rounds * float64(e.threads) / t.min / 1e9
		return r, err
	}
}

// peakCopy measures a copy between two large slices, whose pages are there.
func peakCopy(e *env) (result, error) {
	n := 256 << 20
	if e.quick {
		n = 1 << 20
	}
	from, to := make([]byte, n), make([]byte, n)
	for i := 0; i < n; i += 4096 { // memory that nobody has written shares one page of zeros
		from[i], to[i] = 1, 1
	}
	part := n / e.threads &^ 4095
	t, err := e.time(peakRules, func() error {
		parallel(e.threads, func(i int) { copyAll(to[i*part:(i+1)*part], from[i*part:]) })
		return nil
	})
	r := t.result()
	r.GBps = 2 * float64(part*e.threads) / t.min / 1e9
	return r, err
}

// parallel runs n calls of f at once and waits for them.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { f(i) })
	}
	f(0)
	wg.Wait()
}
