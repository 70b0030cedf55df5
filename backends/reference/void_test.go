package reference

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
	"ltc/soa"
)

// watchful is [tiles.Compiler], which has each call of its code looked at.
type watchful struct{ look func(*kernel.Call) }

type watched struct {
	kernel.Code
	look func(*kernel.Call)
}

func (w watchful) Compile(ctx context.Context, kernels []*kernel.Kernel) ([]kernel.Code, error) {
	all, err := tiles.Compiler{}.Compile(ctx, kernels)
	for i := range all {
		if all[i] != nil {
			all[i] = watched{all[i], w.look}
		}
	}
	return all, err
}

func (w watched) Run(c *kernel.Call) error {
	w.look(c)
	return w.Code.Run(c)
}

// Kernels are given the address of a first element only where there is one. Another
// address could be in memory of something else. The garbage collector ends a process
// that holds an address in free memory.
func TestOperandsWithoutElements(t *testing.T) {
	const text = `func.func public @main(%x: tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x5xf32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %z = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %from = stablehlo.concatenate %z, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %to = stablehlo.concatenate %n1, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %by = stablehlo.concatenate %one, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %from, %to, %by : (tensor<?x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  %1 = stablehlo.tanh %0 : tensor<?x2xf32>
  %2 = stablehlo.reverse %x, dims = [0] : tensor<?x5xf32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<?x2xf32>, tensor<f32>) -> tensor<?xf32>
  return %1, %2, %3 : tensor<?x2xf32>, tensor<?x5xf32>, tensor<?xf32>
}`
	var x soa.View
	calls := 0
	look := func(c *kernel.Call) {
		calls++
		for _, p := range c.Mem {
			// Results of no elements may be anywhere near: only x is known.
			if at := int(uintptr(p) - uintptr(x.Base())); at != 0 && at > -100 && at < 100 {
				t.Errorf("an operand is %d bytes behind an argument without elements", at)
			}
		}
	}
	m, o := backends.NewModule(text), backends.Options{Threads: 1}
	p, err := backends.LoadOpen(t.Context(), m, o)
	require.NoError(t, err)
	e, err := compileSized(t.Context(), m, o, p, []kernel.Compiler{watchful{look}})
	require.NoError(t, err)
	room := make([]float32, 400)
	for _, turned := range []bool{false, true} {
		x = soa.At(unsafe.Pointer(&room[200]), types.Of(types.F32, 0, 5))
		if turned {
			x.Strides = []int{1, 7}
		}
		results := []soa.View{soa.Make(types.Of(types.F32, 0, 2)), soa.Make(types.Of(types.F32, 0, 5)), soa.Make(types.Of(types.F32, 0))}
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{x}, Results: results}))
	}
	require.Positive(t, calls)
}
