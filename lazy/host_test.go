package lazy

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/soa"
)

// sameAsFirst is the Types of an op whose result is like its first operand.
func sameAsFirst(in []types.Type) ([]types.Type, error) {
	if !in[0].Equal(types.Type{DType: F32, Shape: in[0].Shape}) {
		return nil, fmt.Errorf("x is %v, must be of f32", in[0])
	}
	return in[:1], nil
}

var hostSquare = Host(HostOp{
	Name: "test.host_square", Operands: []ops.Operand{{Name: "x"}}, Types: sameAsFirst,
	Run: func(_ context.Context, in, out []soa.View) error {
		for i, x := range soa.Slice[float32](in[0]) {
			if x > 1000 {
				return errors.New("x is too large")
			}
			soa.Slice[float32](out[0])[i] = x * x
		}
		return nil
	},
	Gradient: func(x, _, ct []*Tensor) []*Tensor { return []*Tensor{ct[0].Mul(x[0]).MulScalar(2)} },
})

// An op on the host stands among others, has its gradient, and runs on each backend.
func TestHost(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		dev, err := Open(backend)
		require.NoError(t, err)
		tr := NewTrace(dev)
		x := From(tr, []float32{1, 2, 3})
		y := hostSquare.Call(nil, x.AddScalar(1)).Sum()
		g := Grad(y, x)[0]
		require.NoError(t, tr.MarkStep(y, g))
		require.Equal(t, 29.0, y.Float())
		got, err := ToSlice[float32](g)
		require.NoError(t, err)
		require.Equal(t, []float32{4, 6, 8}, got)
		require.NoError(t, dev.Close())
	}
}

// Several results have types of their own.
func TestHostOfSeveralResults(t *testing.T) {
	f := Host(HostOp{
		Name: "test.split", Operands: []ops.Operand{{Name: "x"}}, Results: []string{"whole", "rest"},
		Types: func(in []types.Type) ([]types.Type, error) {
			return []types.Type{{DType: I32, Shape: in[0].Shape}, in[0]}, nil
		},
		Run: func(_ context.Context, in, out []soa.View) error {
			for i, x := range soa.Slice[float32](in[0]) {
				soa.Slice[int32](out[0])[i], soa.Slice[float32](out[1])[i] = int32(x), x-float32(int32(x))
			}
			return nil
		},
	})
	tr := evalTrace(t)
	x := From(tr, []float32{1.5, 2.25})
	ys := f.CallAll(nil, x)
	require.ErrorContains(t, Grad(ys[1].Sum(), x)[0].Err(), "there is no gradient through the host function test.split called at host_test.go:")
	many := Vmap(func(_ *Trace, xs []*Tensor) []*Tensor { return f.CallAll(nil, xs[0]) }, []*Tensor{From(tr, []float32{1, 2}, 2, 1)}, VmapOptions{})
	require.ErrorContains(t, many[0].Err(), "the host function test.split takes one example at a time")
	require.NoError(t, tr.MarkStep(ys...))
	whole, err := ToSlice[int32](ys[0])
	require.NoError(t, err)
	rest, err := ToSlice[float32](ys[1])
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, whole)
	require.Equal(t, []float32{0.5, 0.25}, rest)
}

// Mistakes of a definition, of a call and of a run are errors with their line.
func TestMistakesWithHost(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float32{1, 2})
	require.ErrorContains(t, hostSquare.Call(nil, From(tr, []int32{1})).Err(), "test.host_square(i32[1]): x is i32[1], must be of f32 (test.host_square_c2)")
	none := Host(HostOp{Name: "test.none", Operands: operandsOf("x")})
	require.ErrorContains(t, none.Call(nil, x).Err(), "it needs both Types and Run: see its definition at host_test.go:")
	again := Host(HostOp{Name: "test.elements", Operands: operandsOf("x"), Types: sameAsFirst, Run: func(context.Context, []soa.View, []soa.View) error { return nil }})
	require.ErrorContains(t, again.Call(nil, x).Err(), `host function "test.elements" is registered twice`)
	wrong := Host(HostOp{Name: "test.wrong", Operands: operandsOf("x"), Results: []string{"a", "b"}, Types: sameAsFirst, Run: func(context.Context, []soa.View, []soa.View) error { return nil }})
	require.ErrorContains(t, wrong.CallAll(nil, x)[1].Err(), "its Types gives 1 result, must give 2")
	y := hostSquare.Call(nil, x.MulScalar(1000))
	err := tr.MarkStep(y)
	if err == nil {
		_, err = y.Value()
	}
	require.ErrorContains(t, err, "x is too large")
	require.ErrorContains(t, err, "host_test.go:")

	panics := Host(HostOp{Name: "test.panics", Operands: operandsOf("x"), Types: sameAsFirst, Run: func(context.Context, []soa.View, []soa.View) error { panic("mine") }})
	y = panics.Call(nil, x)
	err = errors.Join(tr.MarkStep(y), tr.Wait(t.Context()))
	require.Regexp(t, `host_test\.go:\d+: test\.panics: (.*\n?)*the function registered at host_test\.go:\d+ panicked at host_test\.go:\d+: mine`, err.Error())

	leaves := Host(HostOp{Name: "test.leaves", Operands: operandsOf("x"), Types: sameAsFirst, Run: func(context.Context, []soa.View, []soa.View) error { runtime.Goexit(); return nil }})
	for _, options := range [][]Option{nil, {Threads(1)}} {
		for _, name := range []string{"eval", "cpu"} {
			dev, err := Open(name, options...)
			require.NoError(t, err)
			tr := NewTrace(dev)
			y := leaves.Call(nil, From(tr, []float32{1, 2}))
			err = errors.Join(tr.MarkStep(y), tr.Wait(t.Context()))
			require.Regexp(t, `host_test\.go:\d+: test\.leaves: (.*\n?)*the function registered at host_test\.go:\d+ ended its goroutine with runtime\.Goexit`, err.Error())
			require.NoError(t, dev.Close())
		}
	}

	f := Func(tr.dev, func(_ *Trace, x *Tensor) *Tensor { return hostSquare.Call(nil, x.AddScalar(1)) })
	require.NoError(t, f.Inputs(Input{Name: "x", Type: types.Of(types.F32, Dim("rows", 1, 64))}))
	_, err = f.Call(t.Context(), From(tr.dev, []float32{1, 2}))
	require.Regexp(t, `host_test\.go:\d+: test\.host_square: host_call: the sizes of what a function of the host takes and gives must be numbers, and these are open; give Inputs numbers instead of Dims`, err.Error())
}

// What Types does to the types that it gets changes nothing but what it returns.
func TestHostTypesMayBeWritten(t *testing.T) {
	f := Host(HostOp{
		Name: "test.double", Operands: operandsOf("x"),
		Types: func(in []types.Type) ([]types.Type, error) { in[0].Shape[0] *= 2; return in, nil },
		Run: func(_ context.Context, in, out []soa.View) error {
			x := soa.Slice[float32](in[0])
			copy(soa.Slice[float32](out[0]), append(x, x...))
			return nil
		},
	})
	tr := evalTrace(t)
	x := From(tr, []float32{1, 2})
	y := f.Call(nil, x)
	require.NoError(t, tr.MarkStep(y))
	got, err := ToSlice[float32](y)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2, 1, 2}, got)
	got, err = ToSlice[float32](x)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, got)
}
