package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// openSorts are functions of matrices of any size.
var openSorts = []struct {
	name string
	of   func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor
}{
	{"sort", func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { y, _ := x.Sort(1, false); return y }},
	{"sort of columns", func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { y, _ := x.Sort(0, false); return y }},
	{"argsort", func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { _, p := x.Sort(1, true); return p }},
	{"top 5", func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { y, _ := x.TopK(5, 1); return y }},
	{"top 2", func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { y, _ := x.TopK(2, 1); return y }},
}

// BenchmarkOpenSorts reports the time of the program for all sizes in that of the program of
// numbers (open/static), by turns on one thread.
func BenchmarkOpenSorts(b *testing.B) {
	for _, s := range openSorts {
		numbers, err := lazy.Open("cpu", lazy.StaticShapes(), lazy.Threads(1))
		require.NoError(b, err)
		open, err := lazy.Open("cpu", lazy.Compiled(), lazy.Threads(1))
		require.NoError(b, err)
		fs, fo := lazy.Func(numbers, s.of), lazy.Func(open, s.of)
		argument := func(d *lazy.Device, rows, n int) *lazy.Tensor {
			r := rand.New(rand.NewPCG(uint64(rows), uint64(n)))
			x := make([]float32, rows*n)
			for i := range x {
				x[i] = float32(r.NormFloat64())
			}
			return lazy.From(d, x, rows, n)
		}
		call := func(f *lazy.Function, x *lazy.Tensor) {
			y, err := f.Call(b.Context(), x)
			require.NoError(b, err)
			require.NoError(b, y.Device().Wait(b.Context()))
		}
		for _, n := range [][2]int{{2, 100}, {3, 50}} {
			call(fo, argument(open, n[0], n[1]))
		}
		for _, n := range [][2]int{{2000, 10}, {1000, 40}, {1000, 200}, {100, 2000}, {16, 50_000}, {1, 1_000_000}} {
			b.Run(fmt.Sprintf("%s/%dx%d", s.name, n[0], n[1]), func(b *testing.B) {
				xs, xo := argument(numbers, n[0], n[1]), argument(open, n[0], n[1])
				var ratios, times []float64
				for i := range max(b.N, 25) {
					start := time.Now()
					call(fs, xs)
					middle := time.Now()
					call(fo, xo)
					if i > 2 { // numbers are compiled
						ratios = append(ratios, float64(time.Since(middle))/float64(middle.Sub(start)))
						times = append(times, float64(middle.Sub(start)))
					}
				}
				slices.Sort(ratios)
				slices.Sort(times)
				b.ReportMetric(ratios[len(ratios)/2], "open/static")
				b.ReportMetric(times[len(times)/2]/1e3, "µs-static")
			})
		}
		require.EqualValues(b, 2, fo.Report().Compiled)
	}
}
