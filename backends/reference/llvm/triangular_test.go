package llvm

import (
	"bytes"
	"context"
	"fmt"
	"math"
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

// Code of all levels gives what the evaluator does, in any number of parts, and touches
// nothing but its operands and its scratch memory.
func TestTriangular(t *testing.T) {
	for _, c := range compilers(t) {
		t.Run(c.machine.Level.String(), func(t *testing.T) {
			t.Parallel()
			for _, of := range trials.First(kerneltest.Triangulars()) {
				code, err := c.CompileTriangular(t.Context(), of)
				require.NoError(t, err)
				require.NotNil(t, code)
				operands, want := evaluatedTriangular(t, of)
				for _, parts := range []int{1, 3} {
					requireNear(t, of, want, runGuarded(t, code, operands, want, parts))
				}
			}
		})
	}
}

// guard is how many bytes before and behind memory are not to be touched.
const guard = 4096

// guarded returns memory with the bytes of values, and a guard around each.
func guarded(values []soa.View) [][]byte {
	var all [][]byte
	for _, v := range values {
		b := make([]byte, 2*guard+v.Type.Bytes()+64)
		b = b[-uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64:]
		b = b[:2*guard+v.Type.Bytes()]
		for i := range b {
			b[i] = 0xC7
		}
		copy(b[guard:], memoryOf(v))
		all = append(all, b)
	}
	return all
}

// runGuarded runs code in parts and returns the bytes of its result. The operands stay as they are, and nothing else is
// written but scratch memory.
func runGuarded(t *testing.T, code kernel.Code, operands []soa.View, result soa.View, parts int) []byte {
	t.Helper()
	got := guarded(append(operands[:len(operands):len(operands)], result))
	for part := range parts {
		call := &kernel.Call{Part: part, Parts: parts}
		for _, g := range got {
			call.Mem = append(call.Mem, unsafe.Pointer(&g[guard]))
		}
		scratch := guarded([]soa.View{soa.Make(types.Of(types.U8, code.Scratch(nil, parts)))})[0]
		call.Scratch = unsafe.Pointer(&scratch[guard])
		require.NoError(t, code.Run(call))
		requireGuards(t, scratch)
	}
	for i, o := range operands {
		requireGuards(t, got[i])
		require.True(t, bytes.Equal(memoryOf(o), got[i][guard:len(got[i])-guard]), "operand %d was written", i)
	}
	last := got[len(operands)]
	requireGuards(t, last)
	return last[guard : len(last)-guard]
}

func memoryOf(v soa.View) []byte { return unsafe.Slice((*byte)(v.Base()), v.Type.Bytes()) }

func requireGuards(t *testing.T, b []byte) {
	t.Helper()
	for i := range guard {
		if b[i] != 0xC7 || b[len(b)-1-i] != 0xC7 {
			require.Fail(t, "memory was written that is nobody's")
		}
	}
}

// evaluatedTriangular returns the operands of a step, and what the evaluator makes of them.
func evaluatedTriangular(t *testing.T, of kernel.Triangular) (operands []soa.View, want soa.View) {
	t.Helper()
	e, err := eval.New().Compile(t.Context(), backends.NewModule(kerneltest.TriangularText(of)), backends.Options{})
	require.NoError(t, err)
	a, b := kerneltest.TriangularValues(of)
	for i, arg := range e.Signature().Args {
		v := soa.Make(arg.Type)
		for k, x := range [][]float64{a, b}[i] {
			if of.DType == types.F32 {
				soa.Slice[float32](v)[k] = float32(x)
			} else {
				soa.Slice[float64](v)[k] = x
			}
		}
		operands = append(operands, v)
	}
	call := &backends.Call{Args: operands}
	require.NoError(t, e.Execute(context.Background(), call))
	return operands, call.Results[0]
}

func requireNear(t *testing.T, of kernel.Triangular, want soa.View, got []byte) {
	t.Helper()
	for i := range want.Type.Elements() {
		var x, y, most float64
		if of.DType == types.F32 {
			x, y, most = float64(soa.Slice[float32](want)[i]), float64(*(*float32)(unsafe.Pointer(&got[4*i]))), 2e-6
		} else {
			x, y, most = soa.Slice[float64](want)[i], *(*float64)(unsafe.Pointer(&got[8*i])), 4e-15
		}
		if !(math.Abs(x-y) <= most*max(1, math.Abs(x))) {
			require.Fail(t, fmt.Sprintf("element %d of %v is %v, but should be %v", i, &of, y, x), "%+v", of)
		}
	}
}

// A run that is given up ends with the matrix, the rows or the strips under way.
func TestTriangularGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := compilers(t)[0]
	for _, of := range []kernel.Triangular{
		{DType: types.F32, Lower: true, Count: 2, N: 5},
		{DType: types.F32, Count: 1, N: 1500}, // its result is written by the last call
		{Solve: true, DType: types.F64, Lower: true, Left: true, Count: 2, N: 5, Sides: 1},
	} {
		code, err := c.CompileTriangular(t.Context(), of)
		require.NoError(t, err)
		a := guarded([]soa.View{soa.Make(types.Of(of.DType, of.Count, of.N, of.N))})[0]
		result := bytes.Repeat([]byte{0xC7}, 2*guard+of.Count*of.N*max(of.N, of.Sides)*of.DType.Size())
		call := &kernel.Call{Parts: 1, Done: ctx.Done(), Mem: []unsafe.Pointer{unsafe.Pointer(&a[guard])}}
		if of.Solve {
			call.Mem = append(call.Mem, unsafe.Pointer(&a[guard]))
		}
		call.Mem = append(call.Mem, unsafe.Pointer(&result[guard]))
		scratch := guarded([]soa.View{soa.Make(types.Of(types.U8, code.Scratch(nil, 1)))})[0]
		call.Scratch = unsafe.Pointer(&scratch[guard])
		require.NoError(t, code.Run(call))
		last := result[len(result)-guard-of.DType.Size():][:of.DType.Size()]
		require.Equal(t, bytes.Repeat([]byte{0xC7}, of.DType.Size()), last, "%+v", of)
	}
}
