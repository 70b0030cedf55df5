package llvm

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// evaluatedBlockDot returns the result that the evaluator has for a step, and how far from it code may be. Code rounds x to
// 2^-23 of the largest of its block, and sums of floats have errors of their own.
func evaluatedBlockDot(t *testing.T, of kernel.BlockDot, operands []soa.View) (want soa.View, within []float64) {
	t.Helper()
	e, err := eval.New().Compile(t.Context(), backends.NewModule(kerneltest.BlockDotText(of)), backends.Options{})
	require.NoError(t, err)
	sizes := soa.Make(operands[0].Type) // the largest of a block, for each x
	x, most := soa.Slice[float32](operands[0]), soa.Slice[float32](sizes)
	for i := range x {
		for _, v := range x[i/kernel.BlockDotCodes*kernel.BlockDotCodes:][:kernel.BlockDotCodes] {
			most[i] = max(most[i], float32(math.Abs(float64(v))))
		}
	}
	call := &backends.Call{Args: operands}
	require.NoError(t, e.Execute(t.Context(), call))
	const lanes, codes = kernel.BlockDotLanes, kernel.BlockDotCodes
	half := func(block []uint32, i int) float64 {
		return math.Abs(float64(types.Float16(block[i/2] >> (i % 2 * 16)).Float32()))
	}
	code := max(math.Abs(float64(of.Offset)), math.Abs(float64(of.Offset+1<<of.Bits-1)))
	within = make([]float64, of.Rows*of.Groups*lanes)
	for i := range within {
		row, group, lane := i/(of.Groups*lanes), i/lanes%of.Groups, i%lanes
		for j := range of.Blocks {
			block := soa.Slice[uint32](operands[1])[(group*of.Blocks+j)*of.Size():]
			each := code * half(block, lane)
			if of.Minima {
				each += half(block, lanes+lane)
			}
			within[i] += codes * each * float64(most[(row*of.Blocks+j)*codes]) * 0x1p-21
		}
	}
	return call.Results[0], within
}

// Code of all levels gives what the evaluator does, in any number of parts, and touches
// nothing but its operands and its scratch memory.
func TestBlockDot(t *testing.T) {
	for _, c := range compilers(t) {
		t.Run(c.machine.Level.String(), func(t *testing.T) {
			t.Parallel()
			for _, of := range trials.First(kerneltest.BlockDots()) {
				code, err := c.CompileBlockDot(t.Context(), of)
				require.NoError(t, err)
				require.NotNil(t, code)
				operands := blockDotOperands(t, of)
				want, within := evaluatedBlockDot(t, of, operands)
				for _, parts := range []int{1, 3} {
					got := floatsOf(runGuarded(t, code, operands, want, parts))
					for i, w := range soa.Slice[float32](want) {
						require.InDelta(t, w, got[i], within[i], "%+v element %d", of, i)
					}
				}
			}
		})
	}
}

// floatsOf returns the elements in memory.
func floatsOf(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// Numbers that are not finite come out as by products of floats; of none, and of the least and the largest, too.
func TestBlockDotOfExtremes(t *testing.T) {
	of := kernel.BlockDot{Rows: 1, Groups: 2, Blocks: 3, Bits: 4, Offset: -8}
	for _, c := range compilers(t) {
		code, err := c.CompileBlockDot(t.Context(), of)
		require.NoError(t, err)
		for _, x := range []float64{0, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32 / 0x1p20, 0x1p-149, -0x1p-126, 0x1p-104, 0x1p-103} {
			operands := blockDotOperands(t, of)
			all := soa.Slice[float32](operands[0])
			for i := range all {
				all[i] = float32(x)
			}
			want, within := evaluatedBlockDot(t, of, operands)
			got := floatsOf(runGuarded(t, code, operands, want, 1))
			for i, w := range soa.Slice[float32](want) {
				switch {
				case math.IsNaN(float64(w)):
					require.True(t, math.IsNaN(float64(got[i])), "%v: %v", x, got[i])
				case math.IsInf(float64(w), 0):
					require.Equal(t, w, got[i], "%v", x)
				default:
					require.InDelta(t, w, got[i], max(within[i], 0x1p-120), "%v", x)
				}
			}
		}
	}
}

// BenchmarkBlockDot multiplies one row by matrices of 90 MB, beyond caches.
func BenchmarkBlockDot(b *testing.B) {
	for _, of := range []kernel.BlockDot{{Bits: 4, Minima: true}, {Bits: 8, Offset: -128}} {
		of.Rows, of.Blocks = 1, 18
		of.Groups = 90_000_000 / (of.Blocks * of.Size() * 4)
		for _, c := range compilers(b) {
			b.Run(fmt.Sprint(&of, "/", c.machine), func(b *testing.B) {
				code, err := c.CompileBlockDot(b.Context(), of)
				require.NoError(b, err)
				call := &kernel.Call{Parts: 1}
				small := blockDotOperands(b, kernel.BlockDot{Rows: 1, Groups: 1, Blocks: of.Blocks, Bits: of.Bits, Offset: of.Offset, Minima: of.Minima})
				bytes, memory := 0, []*soa.Buffer(nil) // which addresses alone do not keep
				for i, o := range append(small, soa.Make(types.Of(types.F32, 1, 1, kernel.BlockDotLanes))) {
					n := o.Type.Bytes()
					if i > 0 {
						n *= of.Groups
					}
					bytes += n
					m, err := soa.HugePages(n)
					require.NoError(b, err)
					memory = append(memory, m)
					for at := 0; at < n; at += o.Type.Bytes() {
						copy(m.Bytes()[at:], memoryOf(o))
					}
					call.Mem = append(call.Mem, unsafe.Pointer(unsafe.SliceData(m.Bytes())))
				}
				scratch, err := soa.HugePages(code.Scratch(nil, 1))
				require.NoError(b, err)
				call.Scratch = unsafe.Pointer(unsafe.SliceData(scratch.Bytes()))
				b.SetBytes(int64(bytes))
				for b.Loop() {
					require.NoError(b, code.Run(call))
				}
				runtime.KeepAlive(memory)
				runtime.KeepAlive(scratch)
			})
		}
	}
}

// blockDotOperands returns operands of a step as its code has them.
func blockDotOperands(t testing.TB, of kernel.BlockDot) []soa.View {
	t.Helper()
	x, blocks := kerneltest.BlockDotOperands(of)
	return []soa.View{
		borrowed(t, x, types.F32, of.Rows, of.Blocks, kernel.BlockDotCodes),
		borrowed(t, blocks, types.U32, of.Groups, of.Blocks, of.Size()),
	}
}

func borrowed[T soa.Element](t testing.TB, elements []T, d types.DType, shape ...int) soa.View {
	t.Helper()
	v, err := soa.Borrow(elements, types.Of(d, shape...))
	require.NoError(t, err)
	return v
}
