package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"ltc/ir/types"
)

func BenchmarkProduct(b *testing.B) {
	for _, d := range [][4]int{{1, 128, 128, 128}, {1, 512, 512, 512}, {1, 1024, 1024, 1024}, {96, 128, 32, 128}, {96, 128, 128, 32}} {
		p := Dense(types.F32, types.F32, types.F32, types.F32, d[0], d[1], d[2], d[3])
		b.Run(fmt.Sprint(d), func(b *testing.B) { benchmark(b, p, best()) })
	}
}

// Products whose last panel lacks columns.
func BenchmarkEdges(b *testing.B) {
	for _, d := range [][3]int{{12544, 16, 32}, {3136, 24, 144}, {784, 40, 240}, {196, 80, 480}, {196, 112, 480}, {3136, 144, 24}, {784, 240, 40}} {
		p := Dense(types.F32, types.F32, types.F32, types.F32, 1, d[0], d[1], d[2])
		b.Run(fmt.Sprint(d), func(b *testing.B) { benchmark(b, p, best()) })
	}
}

// Products of a matrix that is packed once.
func BenchmarkPacked(b *testing.B) {
	for _, on := range machines() {
		for _, of := range []types.DType{types.F32, types.BF16, types.F16} {
			for _, m := range []int{2, 8, 32, 128, 1024} {
				p := Dense(types.F32, of, types.F32, types.F32, 1, m, 4096, 1024)
				p.PackedB = true
				b.Run(fmt.Sprint(on, "/", of, "/", m), func(b *testing.B) { benchmark(b, p, on) })
			}
		}
	}
}

// Products of few rows with a matrix whose elements of k are neighbours: read as it lies, packed once,
// and packed in each run, by turns. In a model other matrices follow, and it comes from memory.
func BenchmarkFewRows(b *testing.B) {
	for _, of := range []types.DType{types.F32, types.F64} {
		for _, s := range [][2]int{{1152, 384}, {384, 1536}, {576, 1536}, {2048, 2048}, {1152, 320}, {2048, 512}, {4608, 512}} {
			for _, m := range []int{2, 3, 4, 8, 16, 49, 64} {
				for _, copies := range []int{1, 16} {
					b.Run(fmt.Sprintf("%v/%dx%d/%d/%d", of, s[0], s[1], m, copies), func(b *testing.B) { benchmarkFewRows(b, of, m, s[0], s[1], copies, best()) })
				}
			}
		}
	}
}

func benchmarkFewRows(b *testing.B, of types.DType, m, k, n, copies int, on Machine) {
	p := Dense(of, of, of, of, 1, m, n, k)
	p.StrideB = [3]int{0, 1, k}
	packed, packs := p, p
	packed.PackedB, packs.Block = true, true
	rnd := rand.New(rand.NewPCG(1, 2))
	matrices := []*tensor{newTensor(b, p.B, [3]int{1, k, n}, orders[1], 0, false).fill(rnd)}
	for len(matrices) < copies {
		y := newTensor(b, p.B, [3]int{1, k, n}, orders[1], 0, false)
		copy(y.bytes, matrices[0].bytes)
		matrices = append(matrices, y)
	}
	var ways []func(copy int)
	for _, p := range []Problem{p, packed, packs} {
		r := bind(b, p, on)
		work := workspace(r, 1)
		x := newTensor(b, p.A, [3]int{1, m, k}, orders[0], 0, false).fill(rnd)
		z := newTensor(b, p.C, [3]int{1, m, n}, orders[0], 0, false)
		var all []Operands
		for _, y := range matrices {
			o := Operands{A: x.pointer(), B: y.pointer(), C: z.pointer()}
			if p.PackedB {
				o.PackedB = unsafe.Pointer(unsafe.SliceData(guarded(b, r.plan.PackedBytes(), false)))
				r.Pack(0, 1, o)
			}
			all = append(all, o)
		}
		ways = append(ways, func(copy int) { r.RunIn(0, 1, all[copy], work, nil) })
	}
	least := [3]time.Duration{time.Hour, time.Hour, time.Hour}
	for b.Loop() {
		for i, run := range ways {
			run(0)
			start := time.Now()
			for copy := range copies {
				run(copy)
			}
			least[i] = min(least[i], time.Since(start)/time.Duration(copies))
		}
	}
	b.ReportMetric(float64(least[0].Nanoseconds())/1000, "few-µs")
	b.ReportMetric(float64(least[1].Nanoseconds())/1000, "packed-µs")
	b.ReportMetric(float64(least[0])/float64(least[1]), "few/packed")
	b.ReportMetric(float64(least[2])/float64(least[1]), "packs/packed")
}

func benchmark(b *testing.B, p Problem, on Machine) {
	r := bind(b, p, on)
	rnd := rand.New(rand.NewPCG(1, 2))
	x := newTensor(b, p.A, [3]int{p.Batch, p.M, p.K}, orders[0], 0, false).fill(rnd)
	y := newTensor(b, p.B, [3]int{p.Batch, p.K, p.N}, orders[0], 0, false).fill(rnd)
	z := newTensor(b, p.C, [3]int{p.Batch, p.M, p.N}, orders[0], 0, false)
	o := Operands{A: x.pointer(), B: y.pointer(), C: z.pointer()}
	if p.PackedB {
		o.PackedB = unsafe.Pointer(unsafe.SliceData(guarded(b, r.plan.PackedBytes(), false)))
		r.Pack(0, 1, o)
	}
	work := workspace(r, 1)
	b.ReportAllocs()
	for b.Loop() {
		r.RunIn(0, 1, o, work, nil)
	}
	b.ReportMetric(2*float64(p.Batch*p.M)*float64(p.N)*float64(p.K)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
}
