package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ltc/ir/types"
)

func BenchmarkProduct(b *testing.B) {
	for _, d := range [][4]int{{1, 128, 128, 128}, {1, 512, 512, 512}, {1, 1024, 1024, 1024}, {96, 128, 32, 128}, {96, 128, 128, 32}} {
		p := Dense(types.F32, types.F32, types.F32, types.F32, d[0], d[1], d[2], d[3])
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
