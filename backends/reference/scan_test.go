package reference

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
)

// counting is [tiles.Compiler], which counts the bytes that its code moves, and holds some.
type counting struct{ moved *float64 }

type counted struct {
	kernel.Code
	of    *kernel.Kernel
	moved *float64
}

func (c counting) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	all, err := tiles.Compiler{}.Compile(ctx, kernels)
	for i := range all {
		all[i] = counted{all[i], kernels[i], c.moved}
	}
	return all, err
}

func (c counted) Run(call *kernel.Call) error {
	if call.Part == 0 {
		*c.moved += c.of.Work(call.Sizes).Bytes
	}
	return c.Code.Run(call)
}

func (counted) HeldBytes() int { return 1000 }

// program compiles a text whose runs count what they move.
func (c counting) program(t *testing.T, text string) *compiled {
	p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	e, err := compileKernels(t.Context(), p, backends.Options{Threads: 1}, []kernel.Compiler{c})
	require.NoError(t, err)
	return e.(*compiled)
}

// What a scan collects costs what its rows do, however many there are: each turn
// writes one and copies none.
func TestScansMoveTheirRows(t *testing.T) {
	const scan = `func.func public @main(%%x: tensor<%[1]dx64xf32>, %%h: tensor<64xf32>) -> (tensor<%[1]dx64xf32>) {
  %%zero = stablehlo.constant dense<0> : tensor<i32>
  %%one = stablehlo.constant dense<1> : tensor<i32>
  %%n = stablehlo.constant dense<%[1]d> : tensor<i32>
  %%z = stablehlo.constant dense<0.0> : tensor<%[1]dx64xf32>
  %%r:3 = stablehlo.while(%%i = %%zero, %%s = %%h, %%y = %%z) : tensor<i32>, tensor<64xf32>, tensor<%[1]dx64xf32> cond {
    %%c = stablehlo.compare LT, %%i, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%c : tensor<i1>
  } do {
    %%next = stablehlo.add %%i, %%one : tensor<i32>
    %%row = stablehlo.dynamic_slice %%x, %%i, %%zero, sizes = [1, 64] : (tensor<%[1]dx64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %%v = stablehlo.reshape %%row : (tensor<1x64xf32>) -> tensor<64xf32>
    %%a = stablehlo.add %%s, %%v : tensor<64xf32>
    %%b = stablehlo.reshape %%a : (tensor<64xf32>) -> tensor<1x64xf32>
    %%to = stablehlo.dynamic_update_slice %%y, %%b, %%i, %%zero : (tensor<%[1]dx64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<%[1]dx64xf32>
    stablehlo.return %%next, %%a, %%to : tensor<i32>, tensor<64xf32>, tensor<%[1]dx64xf32>
  }
  return %%r#2 : tensor<%[1]dx64xf32>
}`
	moved := func(rows int) float64 {
		bytes := 0.0
		e := counting{&bytes}.program(t, fmt.Sprintf(scan, rows))
		updated(t, e, 1)
		return bytes
	}
	const row = 64 * 4
	few, many := moved(10), moved(1000)
	require.LessOrEqual(t, many, 1000*12.0*row)
	require.InDelta(t, many, 100*few, 0.1*many)
}

// What code holds is part of what a run takes.
func TestHeldBytesArePlanned(t *testing.T) {
	const text = `func.func public @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}`
	e := counting{new(float64)}.program(t, text)
	require.Len(t, e.steps, 2)
	require.Equal(t, e.Program().Arena+e.scratch*e.workers+2*1000, e.WorkspaceBytes())
}
