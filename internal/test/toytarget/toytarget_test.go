package toytarget_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	_ "ltc/backends/reference"
	"ltc/data"
	"ltc/data/digits"
	"ltc/internal/border"
	_ "ltc/internal/test/interpreter" // what the programs of the suite exchange
	"ltc/internal/test/toytarget"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim"
	"ltc/soa"
)

// opened is the device that programs of package lazy run on, of the latest test.
var opened *toytarget.Device

func init() {
	backends.Register("toy", func(string) (backends.Backend, error) {
		opened = toytarget.New()
		return opened, nil
	})
}

// A target of some hundred lines runs all that backends must run, kernels and loops, the
// steps of the host among them.
func TestBackend(t *testing.T) {
	r := backendtest.Run(t, func(string) (backends.Backend, error) { return toytarget.New(), nil })
	for _, g := range r.Groups {
		require.Zero(t, g.Unsupported, g.Name)
	}
}

// A network of one hidden layer learns to read the digits, on variables that stay in the
// device's memory; the steps are those of the backend cpu.
func TestDigits(t *testing.T) {
	table := digits.Load()
	first, last := train(t, "toy", table)
	onCPU, lastOnCPU := train(t, "cpu", table)
	require.Less(t, last, 0.5)
	require.Greater(t, first, 2.0) // log 10, of who knows nothing, is 2.3
	require.InDelta(t, onCPU, first, 1e-5)
	require.InDelta(t, lastOnCPU, last, 1e-3)
}

// train trains for a hundred steps and returns the mean loss of the first ten and the last
// ten.
func train(t *testing.T, backend string, table *data.Table) (first, last float64) {
	const steps, mean = 100, 10
	dev, err := lazy.Open(backend, lazy.Seed(1))
	require.NoError(t, err)
	w0 := dev.Variable("w0", lazy.F32, digits.Pixels, 16).Init(lazy.HeNormal())
	b0 := dev.Variable("b0", lazy.F32, 16)
	w1 := dev.Variable("w1", lazy.F32, 16, 10).Init(lazy.HeNormal())
	b1 := dev.Variable("b1", lazy.F32, 10)
	sgd := optim.NewSGD(dev, []*lazy.Tensor{w0, b0, w1, b1}, optim.SGDConfig{LR: 0.2, Momentum: 0.9})
	tr := lazy.NewTrace(dev)
	batches := data.Batches{Rows: table.Rows, Size: 32, Seed: 1, DropLast: true}
	step := 0
	for epoch := 0; ; epoch++ {
		for _, rows := range batches.Epoch(epoch) {
			images := data.Gather[float32](nil, table, rows, 0, digits.Pixels)
			labels := data.Gather[int32](nil, table, rows, digits.Pixels, digits.Pixels+1)
			x := lazy.From(tr, images, len(rows), digits.Pixels)
			loss := x.MatMul(w0).Add(b0).ReLU().MatMul(w1).Add(b1).CrossEntropy(lazy.From(tr, labels, len(rows)))
			require.NoError(t, sgd.Step(loss))
			require.NoError(t, tr.MarkStep(loss))
			switch v := loss.Float(); {
			case step < mean:
				first += v / mean
			case step >= steps-mean:
				last += v / mean
			}
			if step++; step == steps {
				return first, last
			}
		}
	}
}

// text has kernels, a loop and a sort, which the evaluator runs; %x is donated.
const text = `func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %v = %x, %u = %x) : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.add %v, %v : tensor<4xf32>
      stablehlo.return %j, %u, %w : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    }
  %p = stablehlo.add %r#1, %r#2 : tensor<4xf32>
  %s = "stablehlo.sort"(%p) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %less = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %t = stablehlo.multiply %s, %s : tensor<4xf32>
  return %s, %t : tensor<4xf32>, tensor<4xf32>
}`

// errPanicked: a panic is an error, of an op if a step was under way.
var errPanicked = errors.New("panicked")

// methods are those of [exec.Target] and [exec.Device] that can fail.
var methods = []string{"Make", "Upload", "Download", "Begin", "Launch", "Fence", "Yield", "Fetch", "Store", "Copy", "End", "Release"}

// Whatever method fails, panics or waits until the time is over: that is the run's error,
// what was donated and the caller's memory is as it was, and the next run is right.
func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	for _, kind := range []struct {
		name  string
		fault func(ctx context.Context) error
		is    error
	}{
		{"error", func(context.Context) error { return broken }, broken},
		{"panic", func(context.Context) error { panic("broken") }, errPanicked},
		{"hang", func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) }, context.DeadlineExceeded},
	} {
		for _, method := range methods {
			t.Run(kind.name+" in "+method, func(t *testing.T) {
				d := toytarget.New()
				x := program(t, d)
				called := false
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				d.Fault = func(ctx context.Context, now string) error {
					if now != method {
						return nil
					}
					called = true
					if kind.is == context.DeadlineExceeded { // the time is over once method waits
						time.AfterFunc(time.Millisecond, func() { cancel(context.DeadlineExceeded) })
					}
					return kind.fault(ctx)
				}
				arg, out := view(t, []float32{3, 1, 4, 2}, types.F32, 4), view(t, []float32{7, 7, 7, 7}, types.F32, 4)
				c := &backends.Call{Args: []soa.View{arg, view(t, []int32{2}, types.I32)}, Results: []soa.View{{}, out}}
				err := x.Execute(ctx, c)
				require.True(t, called)
				if kind.is == errPanicked {
					require.ErrorContains(t, err, "panicked")
					require.ErrorContains(t, err, ": broken\n")
				} else {
					require.ErrorIs(t, err, kind.is)
				}
				require.Equal(t, []float32{3, 1, 4, 2}, soa.Slice[float32](arg))
				require.Equal(t, []float32{7, 7, 7, 7}, soa.Slice[float32](out))

				d.Fault = nil
				c.Results = []soa.View{{}, out}
				require.NoError(t, x.Execute(t.Context(), c))
				require.Equal(t, []float32{4, 8, 12, 16}, soa.Slice[float32](arg))
				require.Equal(t, []float32{16, 64, 144, 256}, soa.Slice[float32](out))
			})
		}
	}
}

// program compiles text as package lazy does.
func program(t *testing.T, d *toytarget.Device) *border.Executable {
	x, err := border.Of(d, "toy").Compile(t.Context(), backends.NewModule(text), backends.Options{}, nil)
	require.NoError(t, err)
	return x
}

// view returns one of a slice.
func view[T soa.Element](t *testing.T, data []T, of types.DType, dims ...int) soa.View {
	v, err := soa.Borrow(data, types.Of(of, dims...))
	require.NoError(t, err)
	return v
}

// A step that fails on the target is the error of MarkStep, and the variables that it
// assigns keep their values.
func TestFailedStep(t *testing.T) {
	dev, err := lazy.Open("toy")
	require.NoError(t, err)
	d := opened
	v := dev.Variable("v", lazy.F32, 3)
	require.NoError(t, lazy.SetValues(v, []float32{1, 2, 3}).Err())
	tr := lazy.NewTrace(dev)
	broken := errors.New("broken")
	for _, method := range []string{"Begin", "Launch", "End", "Release"} {
		d.Fault = func(_ context.Context, now string) error {
			if now == method {
				return broken
			}
			return nil
		}
		v.Copy_(tr.Read(v).AddScalar(1))
		err := errors.Join(tr.MarkStep(), tr.Wait(t.Context()))
		require.ErrorIs(t, err, broken, method)
		if method == "Launch" { // of an op
			require.ErrorContains(t, err, "toytarget_test.go:")
		}
		d.Fault = nil
		got, err := lazy.ToSlice[float32](v)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2, 3}, got, method)
	}
	v.Copy_(tr.Read(v).AddScalar(1))
	require.NoError(t, tr.MarkStep())
	got, err := lazy.ToSlice[float32](v)
	require.NoError(t, err)
	require.Equal(t, []float32{2, 3, 4}, got)
}
