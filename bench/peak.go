package main

import (
	"fmt"
	"time"

	"ltc/bench/measure"
	"ltc/internal/peak"
	"ltc/ir/types"
)

// The peaks are what the machine can do at all, with as many threads as the
// workloads have: other figures are given as a share of them.
var peaks = []workload{
	{name: "peak_fma_f32", doc: "multiplications and additions of f32 in registers", run: peakFMA(types.F32)},
	{name: "peak_fma_bf16", doc: "the same of bf16, added in f32", run: peakFMA(types.BF16)},
	{name: "peak_copy", doc: "bytes read and written by a copy of 256 MiB", run: peakCopy},
	{name: "peak_read", doc: "bytes read of 512 MiB, by the fastest of several loops that only read", run: peakRead},
}

// peakRules take the fastest of many short samples.
var peakRules = measure.Rules{Budget: 500 * time.Millisecond, Warm: 3, MinReps: 5, MaxReps: 200, Inner: 1}

// peakFMA measures the loop of a dtype. Where the machine has none it gives an
// empty result.
func peakFMA(d types.DType) func(e *env) (result, error) {
	return func(e *env) (result, error) {
		loop, flops := peak.FMA(d)
		if loop == nil {
			return result{}, fmt.Errorf("no loop of %v for this machine: its peak is unknown", d)
		}
		t, err := e.time(peakRules, func() error {
			peak.Parallel(e.threads, func(int) { loop(peak.Rounds) })
			return nil
		})
		r := figures(t)
		r.GFlops = flops * peak.Rounds * float64(e.threads) / t.Min / 1e9
		return r, err
	}
}

// peakCopy measures a copy between two large slices, whose pages are there.
func peakCopy(e *env) (result, error) {
	n := 256 << 20
	if e.quick {
		n = 1 << 20
	}
	from, to := peak.Pages(n), peak.Pages(n)
	part := n / e.threads &^ 4095
	t, err := e.time(peakRules, func() error {
		peak.Parallel(e.threads, func(i int) { peak.Copy(to[i*part:(i+1)*part], from[i*part:]) })
		return nil
	})
	r := figures(t)
	r.GBps = 2 * float64(part*e.threads) / t.Min / 1e9
	return r, err
}

// peakRead measures loops that only read a large slice, whose pages are there, and returns
// the figures of the fastest.
func peakRead(e *env) (result, error) {
	n := 512 << 20
	if e.quick {
		n = 1 << 20
	}
	from := peak.Pages(n)
	part := n / e.threads &^ 4095
	var r result
	for _, read := range peak.Reads() {
		t, err := e.time(peakRules, func() error {
			peak.Parallel(e.threads, func(i int) { read(from[i*part : (i+1)*part]) })
			return nil
		})
		if err != nil {
			return result{}, err
		}
		if r.Min == 0 || t.Min < r.Min {
			r = figures(t)
			r.GBps = float64(part*e.threads) / t.Min / 1e9
		}
	}
	return r, nil
}
