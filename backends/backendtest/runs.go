package backendtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

var errHost = errors.New("the host says no")

// hostFuncs are registered once, whatever number of backends is tested.
var hostFuncs = sync.OnceValue(func() error {
	return errors.Join(
		backends.RegisterHost("ltc.test.fail", func(context.Context, *backends.HostCall) error { return errHost }),
		backends.RegisterHost("ltc.test.panic", func(context.Context, *backends.HostCall) error { panic("mine") }),
		backends.RegisterHost("ltc.test.sum", func(_ context.Context, c *backends.HostCall) error {
			out := soa.Slice[float32](c.Results[0])
			clear(out)
			for _, a := range c.Args {
				for i, x := range soa.Slice[float32](a) {
					out[i] += x
				}
			}
			if times, ok := mlir.Int(c.Attrs.Get("times")); ok {
				for i := range out {
					out[i] *= float32(times)
				}
			}
			if c.Config == "negate" {
				for i := range out {
					out[i] = -out[i]
				}
			}
			return nil
		}))
})

// updateThen writes a donated argument, in the text's order, before an op that
// may fail.
const updateThen = `func.func public @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.subtract %w, %g : tensor<2xf32>
  %1 = stablehlo.custom_call @ltc.test.fail(%g) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}`

func testFailure(t *testing.T, b backends.Backend) {
	require.NoError(t, hostFuncs())
	for target, check := range map[string]func(error){
		"fail":  func(err error) { require.ErrorIs(t, err, errHost) },
		"panic": func(err error) { require.ErrorContains(t, err, "panicked"); require.ErrorContains(t, err, "mine") },
	} {
		e := compile(t, b, replace(t, updateThen, "ltc.test.fail", "ltc.test."+target))
		w, g, out := []float32{1, 2}, []float32{1, 1}, []float32{7, 7}
		c := &backends.Call{Args: []soa.View{f32s(t, w), f32s(t, g)}, Results: []soa.View{{}, f32s(t, out)}}
		err := e.Execute(context.Background(), c)
		check(err)
		var re *backends.RunError
		require.ErrorAs(t, err, &re)
		require.Equal(t, 2, re.Op, "the ordinal of the op that failed: func.func is 0")
		require.Equal(t, []float32{1, 2}, w)
		require.Equal(t, []float32{7, 7}, out)
		require.True(t, c.Results[0].IsZero())
	}
}

func testCancelled(t *testing.T, b backends.Backend) {
	e := compile(t, b, update)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w := f32s(t, []float32{1, 2, 3})
	args := []soa.View{w, f32s(t, []float32{1, 1, 1}), scalar(t, 1)}
	require.ErrorIs(t, e.Execute(ctx, &backends.Call{Args: args}), context.Canceled)
	require.Equal(t, []float32{1, 2, 3}, floats(w))
	_, err := b.Compile(ctx, backends.NewModule(update), backends.Options{})
	require.ErrorIs(t, err, context.Canceled)

	// A loop without end can only end by its context.
	e = compile(t, b, `func.func public @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%x = %w) : tensor<2xf32>
    cond {
      stablehlo.return %t : tensor<i1>
    } do {
      %1 = stablehlo.add %x, %x : tensor<2xf32>
      stablehlo.return %1 : tensor<2xf32>
    }
  return %0 : tensor<2xf32>
}`)
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	w = f32s(t, []float32{1, 2})
	require.ErrorIs(t, executeToEnd(e, ctx, &backends.Call{Args: []soa.View{w}}), context.DeadlineExceeded)
	require.Equal(t, []float32{1, 2}, floats(w))
}

// patience is how long a run may go on after its context has ended.
var patience = time.Minute

// executeToEnd runs e. A run that goes on after ctx has ended is an error, and left behind.
func executeToEnd(e backends.Executable, ctx context.Context, c *backends.Call) error {
	type outcome struct {
		err   error
		panic string
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		o.panic = recovered(func() { o.err = e.Execute(ctx, c) })
		ended <- o
	}()
	<-ctx.Done()
	select {
	case o := <-ended:
		if o.panic != "" {
			return errors.New(o.panic)
		}
		return o.err
	case <-time.After(patience):
		return fmt.Errorf("Execute goes on %v after its context has ended: look at the context before each iteration of a loop, and return context.Cause of it", patience)
	}
}

func testBind(t *testing.T, b backends.Backend) {
	ctx := context.Background()
	e := compile(t, b, update)
	bound, err := e.Bind(ctx, map[int]soa.View{2: scalar(t, 10)})
	if errors.Is(err, errors.ErrUnsupported) {
		skip(t, err)
	}
	require.NoError(t, err)
	_, err = e.Bind(ctx, map[int]soa.View{1: f32s(t, []float32{1, 1, 1})})
	require.ErrorContains(t, err, `argument 1 ("g") is not marked ltc.constant`)
	_, err = e.Bind(ctx, map[int]soa.View{2: f32s(t, []float32{1})})
	require.ErrorContains(t, err, "want f32[], got f32[1]")
	_, err = e.Bind(ctx, map[int]soa.View{3: scalar(t, 1)})
	require.ErrorContains(t, err, "no argument 3")

	w, g := []float32{1, 2, 3}, f32s(t, []float32{1, 0, 1})
	execute(t, bound, f32s(t, w), g, soa.View{})
	require.Equal(t, []float32{-9, 2, -7}, w)
	// The executable that was bound is as it was.
	execute(t, e, f32s(t, w), g, scalar(t, 1))
	require.Equal(t, []float32{-10, 2, -8}, w)
	require.ErrorContains(t, e.Execute(ctx, &backends.Call{Args: []soa.View{f32s(t, w), g, {}}}), "no view")
	// Binding once more wins.
	again, err := bound.Bind(ctx, map[int]soa.View{2: scalar(t, 100)})
	require.NoError(t, err)
	execute(t, again, f32s(t, w), g, soa.View{})
	require.Equal(t, []float32{-110, 2, -108}, w)
}

func testHost(t *testing.T, b backends.Backend) {
	require.NoError(t, hostFuncs())
	e := compile(t, b, `func.func public @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.custom_call @ltc.test.sum(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.custom_call @ltc.test.sum(%a, %0) {backend_config = "negate"} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.custom_call @ltc.test.sum(%a) {api_version = 4 : i32, backend_config = {times = 3 : i64}} : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @ltc.test.sum(%2) {backend_config = "", mhlo.backend_config = {times = 2 : ui8}} : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}`)
	for range 2 {
		got := execute(t, e, f32s(t, []float32{1, 2}), f32s(t, []float32{10, 20}))
		require.Equal(t, []float32{11, 22}, floats(got[0]))
		require.Equal(t, []float32{-12, -24}, floats(got[1]))
		require.Equal(t, []float32{6, 12}, floats(got[2]))
	}
	require.Error(t, backends.RegisterHost("ltc.test.sum", backends.Host("ltc.test.fail")), "registered twice")
}

func testArtifact(t *testing.T, b backends.Backend) {
	data, err := compile(t, b, weigh).Artifact()
	if err != nil {
		require.ErrorIs(t, err, errors.ErrUnsupported)
		return
	}
	require.NotEmpty(t, data)
	l := b.Capabilities().Loader
	if l == nil {
		return
	}
	e, err := l.Load(t.Context(), backends.NewModule(weigh), backends.Options{}, data)
	require.NoError(t, err)
	a := f32s(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	require.Equal(t, []float32{1, 20, 300, 4000, 50000, 600000}, floats(execute(t, e, a)[0]))
	again, err := e.Artifact()
	require.NoError(t, err)
	require.Equal(t, data, again)
	other := strings.Replace(weigh, "stablehlo.multiply", "stablehlo.add", 1)
	for what, bad := range map[string]struct {
		text string
		data []byte
	}{"cut short": {weigh, data[:len(data)-1]}, "longer": {weigh, append(data[:len(data):len(data)], 0)}, "empty": {weigh, nil}, "another program's": {other, data}} {
		_, err := l.Load(t.Context(), backends.NewModule(bad.text), backends.Options{}, bad.data)
		require.ErrorIs(t, err, backends.ErrArtifact, what)
	}
}

// Any number of goroutines run one executable with arguments of their own.
func testGoroutines(t *testing.T, b backends.Backend) {
	const goroutines, n = 32, 64
	runs := trials.Soak(10, 50)
	e := compile(t, b, `func.func public @main(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = call @scale(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8xf32>
}
func.func private @scale(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = stablehlo.constant dense<0.5> : tensor<8x8xf32>
  %0 = stablehlo.multiply %x, %c : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}`)
	shared := make([]float32, n)
	for i := range shared {
		shared[i] = float32(i % 5)
	}
	args := func(seed int) []soa.View {
		own := make([]float32, n)
		for i := range own {
			own[i] = float32((i + seed) % 7)
		}
		return []soa.View{f32s(t, own, 8, 8), f32s(t, shared, 8, 8)}
	}
	want := make([][]soa.View, goroutines)
	for g := range want {
		want[g] = execute(t, e, args(g)...)
	}
	fail := make(chan string, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		in := args(g)
		run := func() string {
			c := &backends.Call{Args: in, Results: []soa.View{{}, soa.Make(types.Of(types.F32, 8))}}
			for range runs {
				c.Results[0] = soa.View{}
				if err := e.Execute(context.Background(), c); err != nil {
					return err.Error()
				}
				for i, w := range want[g] {
					if d := difference(c.Results[i], w, 0); d != "" {
						return d
					}
				}
			}
			return ""
		}
		wg.Go(func() {
			var wrong string
			if p := recovered(func() { wrong = run() }); p != "" {
				wrong = p
			}
			if wrong != "" {
				fail <- wrong
			}
		})
	}
	wg.Wait()
	close(fail)
	for f := range fail {
		require.Fail(t, f)
	}
}

// A call keeps what it was given: results made in one run are written in the
// next.
func testCallAgain(t *testing.T, b backends.Backend) {
	e := compile(t, b, weigh)
	a := []float32{1, 1, 1, 1, 1, 1}
	c := &backends.Call{Args: []soa.View{f32s(t, a, 2, 3)}, Results: make([]soa.View, 1)}
	require.NoError(t, e.Execute(context.Background(), c))
	first := c.Results[0]
	a[0] = 9
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, first, c.Results[0])
	require.Equal(t, []float32{9, 10, 100, 1000, 10000, 100000}, floats(first))
}
