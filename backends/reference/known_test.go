package reference

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/ir/types"
	"ltc/soa"
)

// What depends on bound arguments alone is computed once, by Bind: x·(A·B) multiplies A by B
// there. The results are those of a program with nothing bound.
func TestBindComputesWhatIsKnown(t *testing.T) {
	const product = `%p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<24x16xf32>, tensor<16x20xf32>) -> tensor<24x20xf32>
`
	for name, c := range map[string]struct {
		args, body string
		bound      []int
		done       int // steps that runs leave out
	}{
		"product of products": {
			args:  "%x: tensor<40x24xf32>, %a: tensor<24x16xf32> {ltc.constant}, %b: tensor<16x20xf32> {ltc.constant}",
			body:  product + "%r = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<40x24xf32>, tensor<24x20xf32>) -> tensor<40x20xf32>\nreturn %r : tensor<40x20xf32>",
			bound: []int{1, 2}, done: 1,
		},
		"one factor is not bound": {
			args:  "%x: tensor<40x24xf32>, %a: tensor<24x16xf32> {ltc.constant}, %b: tensor<16x20xf32> {ltc.constant}",
			body:  product + "%r = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<40x24xf32>, tensor<24x20xf32>) -> tensor<40x20xf32>\nreturn %r : tensor<40x20xf32>",
			bound: []int{2}, done: 0,
		},
		"any number of rows": {
			args:  "%x: tensor<?x24xf32>, %a: tensor<24x16xf32> {ltc.constant}, %b: tensor<16x20xf32> {ltc.constant}",
			body:  product + "%r = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<?x24xf32>, tensor<24x20xf32>) -> tensor<?x20xf32>\nreturn %r : tensor<?x20xf32>",
			bound: []int{1, 2}, done: 1,
		},
		"a result is the caller's": {
			args:  "%x: tensor<40x24xf32>, %a: tensor<24x16xf32> {ltc.constant}, %b: tensor<16x20xf32> {ltc.constant}",
			body:  product + "%r = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<40x24xf32>, tensor<24x20xf32>) -> tensor<40x20xf32>\nreturn %r, %p : tensor<40x20xf32>, tensor<24x20xf32>",
			bound: []int{1, 2}, done: 0,
		},
		"larger than what it is made of": {
			args: "%x: tensor<4x300xf32>, %a: tensor<300x1xf32> {ltc.constant}, %b: tensor<1x301xf32> {ltc.constant}",
			body: `%p = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<300x1xf32>, tensor<1x301xf32>) -> tensor<300x301xf32>
%q = stablehlo.dot_general %p, %p, contracting_dims = [1] x [1] : (tensor<300x301xf32>, tensor<300x301xf32>) -> tensor<300x300xf32>
%r = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<4x300xf32>, tensor<300x300xf32>) -> tensor<4x300xf32>
return %r : tensor<4x300xf32>`,
			bound: []int{1, 2}, done: 0,
		},
		"a loop starts from it": {
			args: "%n: tensor<i32>, %a: tensor<24x16xf32> {ltc.constant}, %b: tensor<16x20xf32> {ltc.constant}",
			body: product + `%one = stablehlo.constant dense<1> : tensor<i32>
%zero = stablehlo.constant dense<0> : tensor<i32>
%r:2 = stablehlo.while(%i = %n, %v = %p) : tensor<i32>, tensor<24x20xf32> cond {
  %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
} do {
  %j = stablehlo.subtract %i, %one : tensor<i32>
  %w = stablehlo.add %v, %p : tensor<24x20xf32>
  stablehlo.return %j, %w : tensor<i32>, tensor<24x20xf32>
}
return %r#1 : tensor<24x20xf32>`,
			bound: []int{1, 2}, done: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			results := c.body[strings.LastIndex(c.body, " : ")+3:]
			m := backends.NewModule("func.func @main(" + c.args + ") -> (" + results + ") {\n" + c.body + "\n}")
			e, err := new(Backend).Compile(t.Context(), m, backends.Options{})
			require.NoError(t, err)
			want, err := eval.New().Compile(t.Context(), m, backends.Options{})
			require.NoError(t, err)
			for _, rows := range []int{40, 3, 40} {
				args := argumentsOf(e.Signature(), rows)
				constants := map[int]soa.View{}
				for _, i := range c.bound {
					constants[i] = args[i]
				}
				bound, err := e.Bind(t.Context(), constants)
				require.NoError(t, err)
				require.Equal(t, c.done, stepsDone(bound))
				all := &backends.Call{Args: args}
				require.NoError(t, want.Execute(t.Context(), all))
				free := &backends.Call{Args: append([]soa.View{}, args...)}
				for i := range constants {
					free.Args[i] = soa.View{}
				}
				for i := range 3 {
					if free.Results = nil; i == 1 && args[0].Type.Rank() == 2 { // a variant of the program
						free.Args[0] = columnsApart(t, args[0])
					}
					require.NoError(t, bound.Execute(t.Context(), free))
					for j := range all.Results {
						require.InDeltaSlice(t, soa.Slice[float32](all.Results[j]), soa.Slice[float32](free.Results[j]), 1e-5)
					}
				}
			}
		})
	}
}

// Binding once more, also the same argument to another value, leaves what was bound before as it
// is, while runs read it.
func TestBindAgainLeavesWhatIsKnown(t *testing.T) {
	for name, rows := range map[string]string{"closed": "4", "open": "?"} {
		t.Run(name, func(t *testing.T) {
			e, err := new(Backend).Compile(t.Context(), backends.NewModule(strings.ReplaceAll(`func.func @main(%x: tensor<ROWSx48xf32>, %a: tensor<48x48xf32> {ltc.constant}) -> tensor<ROWSx48xf32> {
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<48x48xf32>, tensor<48x48xf32>) -> tensor<48x48xf32>
  %r = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<ROWSx48xf32>, tensor<48x48xf32>) -> tensor<ROWSx48xf32>
  return %r : tensor<ROWSx48xf32>
}`, "ROWS", rows)), backends.Options{})
			require.NoError(t, err)
			x, ones := soa.Make(types.Of(types.F32, 4, 48)), soa.Make(types.Of(types.F32, 48, 48))
			twos := soa.Make(ones.Type)
			for i := range soa.Slice[float32](ones) {
				soa.Slice[float32](ones)[i], soa.Slice[float32](twos)[i] = 1, 2
			}
			for i := range soa.Slice[float32](x) {
				soa.Slice[float32](x)[i] = 1
			}
			run := func(e backends.Executable) float32 {
				c := &backends.Call{Args: []soa.View{x, {}}}
				if err := e.Execute(context.Background(), c); err != nil {
					t.Error(err)
					return 0
				}
				return soa.Slice[float32](c.Results[0])[7]
			}
			first, err := e.Bind(t.Context(), map[int]soa.View{1: ones})
			require.NoError(t, err)
			var wait sync.WaitGroup
			wait.Go(func() {
				for range 200 {
					if got := run(first); got != 48*48 {
						t.Errorf("%v of the first Bind, want %d", got, 48*48)
						return
					}
				}
			})
			for range 20 {
				again, err := first.Bind(t.Context(), map[int]soa.View{1: twos})
				require.NoError(t, err)
				require.EqualValues(t, 4*48*48, run(again))
			}
			wait.Wait()
			require.EqualValues(t, 48*48, run(first))
		})
	}
}

// A Bind whose context ends while it computes what is known returns the context's cause. To the
// end it would take a hundred times as long as the context lasts.
func TestBindEndsWithItsContext(t *testing.T) {
	e, err := new(Backend).Compile(t.Context(), backends.NewModule(`func.func @main(%x: tensor<1x2000xf32>, %a: tensor<2000x2000xf32> {ltc.constant}) -> tensor<1x2000xf32> {
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2000x2000xf32>, tensor<2000x2000xf32>) -> tensor<2000x2000xf32>
  %r = stablehlo.dot_general %x, %p, contracting_dims = [1] x [0] : (tensor<1x2000xf32>, tensor<2000x2000xf32>) -> tensor<1x2000xf32>
  return %r : tensor<1x2000xf32>
}`), backends.Options{})
	require.NoError(t, err)
	late := errors.New("late")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(time.Millisecond, func() { cancel(late) })
	_, err = e.Bind(ctx, map[int]soa.View{1: soa.Make(types.Of(types.F32, 2000, 2000))})
	require.ErrorIs(t, err, late)
}

// argumentsOf makes dense arguments, with n elements where a size is open: 3 for integers.
func argumentsOf(sig *backends.Signature, n int) []soa.View {
	var args []soa.View
	for i, a := range sig.Args {
		shape := slices.Clone(a.Type.Shape)
		for d := range shape {
			if shape[d] == backends.AnySize {
				shape[d] = n
			}
		}
		v := soa.Make(types.Type{DType: a.Type.DType, Shape: shape})
		if a.Type.DType == types.I32 {
			soa.Slice[int32](v)[0] = 3
		} else {
			for k := range soa.Slice[float32](v) {
				soa.Slice[float32](v)[k] = float32((k*7+i*3)%13-6) / 64
			}
		}
		args = append(args, v)
	}
	return args
}

// columnsApart returns a copy of a matrix whose columns have others between them.
func columnsApart(t *testing.T, v soa.View) soa.View {
	rows, columns := v.Type.Shape[0], v.Type.Shape[1]
	w, err := soa.Strided(make([]float32, 2*rows*columns), v.Type, 1, []int{2 * columns, 2})
	require.NoError(t, err)
	require.NoError(t, soa.Copy(w, v))
	return w
}

// stepsDone returns how many steps runs of a program leave out.
func stepsDone(e backends.Executable) (n int) {
	var done []bool
	switch e := e.(type) {
	case *compiled:
		done = e.Done
	case *openExecutable:
		done = e.Done
	}
	for _, d := range done {
		if d {
			n++
		}
	}
	return n
}
