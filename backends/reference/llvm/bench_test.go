package llvm

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/soa"
)

// workloads is the kernels of the benchmarks, by name.
//
//go:embed testdata/workloads.txt
var workloads string

func workload(t testing.TB, name string) *kernel.Kernel {
	t.Helper()
	for _, text := range strings.SplitAfter(workloads, "\n}\n") {
		if strings.HasPrefix(text, "kernel "+name+"(") {
			k, err := kernel.Parse(text)
			require.NoError(t, err)
			require.NoError(t, kernel.Verify(k))
			return k
		}
	}
	require.FailNow(t, "there is no kernel "+name)
	return nil
}

var launches = []struct {
	name  string
	sizes []int64
}{
	{"affine_relu", []int64{1 << 16}},
	{"tanh", []int64{1 << 16}},
	{"gelu", []int64{1 << 16}},
	{"expgelu", []int64{1 << 16}},
	{"fma3", []int64{1 << 16}},
	{"chain20", []int64{1 << 16}},
	{"softmax", []int64{64, 1024}},
	{"layernorm", []int64{64, 1024}},
	{"sum0", []int64{64, 1024}},
	{"sum1", []int64{64, 1024}},
	{"transpose", []int64{256, 256}},
	{"affine_relu", []int64{1 << 24}},
	{"tanh", []int64{1 << 24}},
	{"gelu", []int64{1 << 24}},
	{"expgelu", []int64{1 << 24}},
	{"fma3", []int64{1 << 24}},
	{"chain20", []int64{1 << 24}},
	{"softmax", []int64{4096, 1024}},
	{"softmax", []int64{1 << 16, 10}},
	{"layernorm", []int64{4096, 1024}},
	{"sum0", []int64{4096, 4096}},
	{"sum1", []int64{4096, 4096}},
	{"sumall", []int64{1 << 24}},
	{"cumsum", []int64{1024, 4096}},
	{"transpose", []int64{4096, 4096}},
	{"transpose", []int64{1000, 1000}},
}

// BenchmarkKernels reports the best time of each launch besides the mean, and
// that of a copy of as many bytes at the same time.
func BenchmarkKernels(b *testing.B) {
	c := compilers(b)[0]
	for _, l := range launches {
		b.Run(strings.Trim(strings.ReplaceAll(fmt.Sprint(l.name, l.sizes), " ", "x"), "[]"), func(b *testing.B) {
			k := workload(b, l.name)
			run, bytes := launch(b, c, k, l.sizes)
			yardstick, copied := launch(b, c, workload(b, "copy"), []int64{int64(bytes) / 8})
			require.InDelta(b, bytes, copied, 8)
			best, copying := time.Hour, time.Hour
			for b.Loop() {
				best = min(best, timed(run))
				copying = min(copying, timed(yardstick))
			}
			b.ReportMetric(float64(best.Nanoseconds())/1e3, "best-µs")
			b.ReportMetric(float64(copying.Nanoseconds())/1e3, "copy-µs")
			b.ReportMetric(float64(bytes)/float64(best.Nanoseconds()), "GB/s")
		})
	}
}

func timed(run func()) time.Duration {
	start := time.Now()
	run()
	return time.Since(start)
}

// launch returns what runs a kernel on memory of its own, and how many bytes its
// operands have.
func launch(b testing.TB, c *shared, k *kernel.Kernel, sizes []int64) (func(), int) {
	code := compile(b, c, k)[0]
	call := &kernel.Call{Sizes: sizes, Parts: 1}
	bytes := 0
	for _, p := range k.Params {
		n := 1
		for _, s := range p.Dims {
			n *= int(s.Of(sizes))
		}
		for d := range p.Dims {
			if p.Strides[d] != kernel.AnyStride {
				continue
			}
			stride := int64(1)
			for _, s := range p.Dims[d+1:] {
				stride *= s.Of(sizes)
			}
			call.Strides = append(call.Strides, stride)
		}
		v := soa.Make(types.Of(p.DType, n))
		for i := range n {
			*(*float32)(unsafe.Add(v.Base(), 4*i)) = float32(i%1000)/250 - 2
		}
		call.Mem = append(call.Mem, v.Base())
		bytes += n * p.DType.Size()
	}
	scratch := make([]byte, code.Scratch(sizes, 1)+64)
	call.Scratch = unsafe.Pointer(&scratch[int(-uintptr(unsafe.Pointer(&scratch[0]))%64)])
	require.NoError(b, code.Run(call))
	return func() {
		if err := code.Run(call); err != nil {
			b.Fatal(err)
		}
	}, bytes
}
