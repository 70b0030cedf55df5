package gemm

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
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

// Products of one row with matrices that come from memory, each in as many parts as threads: rows of B
// are cut, or k is, into pieces whose sums are apart.
func BenchmarkOneRow(b *testing.B) {
	for _, s := range [][2]int{{576, 192}, {576, 576}, {1536, 576}, {576, 1536}, {576, 2048}, {576, 3072}, {576, 4096}, {576, 8192}, {4096, 4096}, {2048, 16384}} {
		for _, order := range []string{"across", "along"} {
			for _, pieces := range []int{1, 2, 4, 8} {
				if pieces > 1 && order == "along" {
					continue
				}
				b.Run(fmt.Sprintf("%dx%d/%s/%d", s[0], s[1], order, pieces), func(b *testing.B) { benchmarkFromMemory(b, 1, s[0], s[1], pieces, order == "along") })
			}
		}
	}
}

// Products of some rows with matrices that come from memory and are not packed: weights, and the cached
// values of some heads.
func BenchmarkSomeRows(b *testing.B) {
	for _, m := range []int{2, 4, 8, 32} {
		for _, s := range [][3]int{{576, 576, 1}, {576, 1536, 1}, {1024, 4096, 1}, {3 * 256, 64, 3}, {8 * 2048, 128, 8}} {
			b.Run(fmt.Sprint(m, "/", s), func(b *testing.B) { benchmarkFromMemory(b, m, s[0], s[1], s[2], false) })
		}
	}
}

// benchmarkFromMemory times a batch of products on one thread and on two, by turns.
func benchmarkFromMemory(b *testing.B, m, k, n, batch int, along bool) {
	const bytes = 160 << 20
	p := Dense(types.F32, types.F32, types.F32, types.F32, batch, m, n, k/batch)
	if along {
		p.StrideB = [3]int{0, 1, k}
	}
	r := bind(b, p, best())
	memory, err := soa.HugePages(bytes / 4 / (k * n) * (k * n) * 4)
	require.NoError(b, err)
	defer memory.Release()
	matrices := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(memory.Bytes()))), len(memory.Bytes())/4)
	for i := range matrices {
		matrices[i] = 1e-3
	}
	count := len(matrices) / (k * n)
	x, z := make([]float32, m*k), make([]float32, batch*m*n)
	helper := newHelper()
	defer helper.stop()
	work, each := workspace(r, 4), r.plan.PartBytes(4)
	var least [2]time.Duration
	for b.Loop() {
		for threads := 1; threads <= 2; threads++ {
			parts := threads
			if threads == 2 {
				parts = 4
			}
			start := time.Now()
			for m := range count {
				o := Operands{A: unsafe.Pointer(&x[0]), B: unsafe.Pointer(&matrices[m*k*n]), C: unsafe.Pointer(&z[0])}
				if threads == 1 {
					r.RunIn(0, 1, o, work, nil)
					continue
				}
				helper.do(func() {
					r.RunIn(3, parts, o, unsafe.Add(work, 3*each), nil)
					r.RunIn(2, parts, o, unsafe.Add(work, 2*each), nil)
				})
				r.RunIn(0, parts, o, work, nil)
				r.RunIn(1, parts, o, unsafe.Add(work, each), nil)
				helper.wait()
			}
			if took := time.Since(start) / time.Duration(count); least[threads-1] == 0 || took < least[threads-1] {
				least[threads-1] = took
			}
		}
	}
	b.ReportMetric(float64(least[0].Nanoseconds())/1000, "one-µs")
	b.ReportMetric(float64(least[1].Nanoseconds())/1000, "two-µs")
	b.ReportMetric(float64(4*k*n)/float64(least[1].Nanoseconds()), "two-GB/s")
}

// helper is a goroutine that polls for what to run, as one of a launch does.
type helper struct {
	next   func()
	number atomic.Int64 // of what there was to run; -1 to stop
	done   atomic.Int64
}

func newHelper() *helper {
	h := &helper{}
	go func() {
		for last := int64(0); ; {
			n := h.number.Load()
			if n < 0 {
				return
			}
			if n != last {
				h.next()
				last = n
				h.done.Store(n)
			}
		}
	}()
	return h
}

func (h *helper) do(run func()) { h.next = run; h.number.Add(1) }
func (h *helper) stop()         { h.number.Store(-1) }
func (h *helper) wait() {
	for h.done.Load() != h.number.Load() {
		continue
	}
}
