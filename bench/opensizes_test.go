package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// layersOf is six layers of the transformer MiniLM, for x of any batch and any length.
func layersOf(_ *lazy.Trace, in []*lazy.Tensor) []*lazy.Tensor {
	x := in[0]
	for p := in[1:]; len(p) > 0; p = p[16:] {
		e := encoder{batch: x.Dim(0), length: x.Dim(1), width: 384, heads: 12, hidden: 1536}
		x = e.forward(append([]*lazy.Tensor{x}, p[:16]...)...)
	}
	return []*lazy.Tensor{x}
}

// BenchmarkOpenSizes reports the time of the program for all sizes in that of the program of
// numbers (open/static), by turns on one thread, and that results have the same bits.
func BenchmarkOpenSizes(b *testing.B) {
	numbers, err := lazy.Open("cpu", lazy.StaticShapes(), lazy.Threads(1))
	require.NoError(b, err)
	open, err := lazy.Open("cpu", lazy.Threads(1))
	require.NoError(b, err)
	fs, fo := lazy.Func(numbers, layersOf), lazy.Func(open, layersOf)
	arguments := func(d *lazy.Device, batch, length int) (all []*lazy.Tensor) {
		for layer := range 6 {
			ops := encoder{batch: batch, length: length, width: 384, heads: 12, hidden: 1536}.operands()
			if layer > 0 {
				ops = ops[1:]
			}
			for _, o := range ops {
				all = append(all, lazy.From(d, o.values(), o.dims...))
			}
		}
		return all
	}
	call := func(f *lazy.Function, x []*lazy.Tensor) []float32 {
		y, err := f.Call(b.Context(), x...)
		require.NoError(b, err)
		v, err := lazy.ToSlice[float32](y)
		require.NoError(b, err)
		return v
	}
	for _, sizes := range [][2]int{{2, 100}, {3, 50}} {
		call(fo, arguments(open, sizes[0], sizes[1]))
	}
	for _, sizes := range [][2]int{{1, 7}, {1, 128}, {8, 128}, {3, 77}, {1, 512}, {16, 16}} {
		b.Run(fmt.Sprintf("%dx%d", sizes[0], sizes[1]), func(b *testing.B) {
			xs, xo := arguments(numbers, sizes[0], sizes[1]), arguments(open, sizes[0], sizes[1])
			worst := 0.0
			y := call(fs, xs)
			for i, v := range call(fo, xo) {
				worst = max(worst, math.Abs(float64(v-y[i])))
			}
			var ratios []float64
			for range max(b.N, 15) {
				start := time.Now()
				call(fs, xs)
				middle := time.Now()
				call(fo, xo)
				ratios = append(ratios, float64(time.Since(middle))/float64(middle.Sub(start)))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "open/static")
			b.ReportMetric(worst, "difference")
		})
	}
	require.EqualValues(b, 2, fo.Report().Compiled)
}
