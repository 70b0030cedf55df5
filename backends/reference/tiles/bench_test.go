package tiles

import (
	"testing"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// BenchmarkTiles runs golden kernels on dense operands of f32.
func BenchmarkTiles(b *testing.B) {
	for _, c := range []struct {
		kernel  string
		sizes   []int64
		strides []int64
	}{
		{"scale", []int64{1, 1 << 16}, []int64{1 << 16, 1 << 16}},
		{"scale", []int64{1 << 12, 1 << 12}, []int64{1 << 12, 1 << 12}},
		{"softmax", []int64{4096, 1024}, []int64{1024, 1024}},
		{"softmax", []int64{100000, 10}, []int64{10, 10}},
		{"layernorm", []int64{4096, 1024}, []int64{1024, 1024}},
		{"sum0", []int64{4096, 4096}, []int64{4096}},
		{"sum1", []int64{4096, 4096}, []int64{4096}},
		{"sumall", []int64{4096, 4096}, []int64{4096}},
		{"transpose", []int64{4096, 4096}, []int64{4096, 4096}},
		{"linear_gelu", []int64{512, 512, 512}, []int64{512, 512, 512}},
	} {
		k := kerneltest.Kernel(b, c.kernel)
		code := newCode(k, vectored{})
		call := &kernel.Call{Sizes: c.sizes, Strides: c.strides, Parts: 1}
		bytes := 0
		for _, p := range k.Params {
			n := 1
			for _, d := range p.Dims {
				n *= int(d.Of(c.sizes))
			}
			bytes += n * p.DType.Size()
			mem := make([]float32, n)
			for i := range mem {
				mem[i] = float32(i%19) - 9
			}
			call.Mem = append(call.Mem, unsafe.Pointer(&mem[0]))
		}
		scratch := make([]byte, code.Scratch(c.sizes, 1)+64)
		call.Scratch = align64(unsafe.Pointer(&scratch[0]))
		b.Run(c.kernel, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				if err := code.Run(call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
