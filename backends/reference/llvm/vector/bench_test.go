package vector_test

import (
	"context"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/test/accuracy"
	"ltc/ir/types"
)

func apply(op kernel.Op) func(b *vector.Builder, v []vector.Value) vector.Value {
	return func(b *vector.Builder, v []vector.Value) vector.Value {
		r, err := b.Unary(op, v[0])
		if err != nil {
			panic(err)
		}
		return r
	}
}

// BenchmarkBuild builds and prints a kernel.
func BenchmarkBuild(b *testing.B) {
	for _, op := range []kernel.Op{kernel.Abs, kernel.Tanh} {
		b.Run(op.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := vector.NewModule(vector.Machine{Level: vector.AVX512, Splats: true})
				kernelOf(m, "k", 16, []types.DType{types.F32}, types.F32, apply(op))
				b.SetBytes(int64(len(m.String())))
			}
		})
	}
}

// BenchmarkCompile is what LLVM then takes.
func BenchmarkCompile(b *testing.B) {
	l := library(b)
	for _, op := range []kernel.Op{kernel.Abs, kernel.Tanh} {
		b.Run(op.String(), func(b *testing.B) {
			m := vector.NewModule(vector.Machine{Level: vector.AVX512, Splats: true})
			kernelOf(m, "k", 16, []types.DType{types.F32}, types.F32, apply(op))
			text := m.String()
			for b.Loop() {
				_, err := l.Compile(context.Background(), text, libllvm.Options{})
				require.NoError(b, err)
			}
		})
	}
}

// BenchmarkMath runs functions on numbers in the L1 cache: elements a second.
func BenchmarkMath(b *testing.B) {
	levels := runnable(b)
	level := levels[len(levels)-1]
	for _, f := range accuracy.Functions {
		if f.Binary {
			continue
		}
		op, _ := kernel.ParseOp(f.Name)
		b.Run(f.Name, func(b *testing.B) {
			m := vector.NewModule(machine(level))
			kernelOf(m, "k", m.Machine.Lanes(types.F32), []types.DType{types.F32}, types.F32, apply(op))
			im := load(b, m)
			const n = 4096
			x, y := make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = float32(i%4001)/1000 - 2
			}
			k, _ := im.Kernel("k")
			args := []uintptr{uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0])), n}
			for b.Loop() {
				k.Call(unsafe.Pointer(&args[0]))
			}
			runtime.KeepAlive(x)
			runtime.KeepAlive(y)
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e9, "Gelem/s")
		})
	}
}
