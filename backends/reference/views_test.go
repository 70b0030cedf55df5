package reference

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/backends/reference/eval"
	"ltc/internal/test/viewtest"
	"ltc/ir/types"
	"ltc/soa"
)

// What kernels in plain Go compute of views that are not dense they compute where
// these lie.
func TestViewsInPlace(t *testing.T) { viewtest.Run(t, asKernels{eval.New()}) }

// Of more combinations of layouts than an executable keeps variants for, views are
// copied.
func TestMostVariants(t *testing.T) {
	said := logged(t)
	const text = `func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %z: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<2x3xf32>
  %1 = stablehlo.add %0, %z : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}`
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	c := e.(*compiled)
	lies := [][]int{{3, 1}, {1, 2}, {-3, 1}}
	n := 0
	for _, x := range lies {
		for _, y := range lies {
			for _, z := range lies {
				call, grown := &backends.Call{Args: viewtest.Strided(t, [][]int{x, y, z}, 2, 3)}, c.Grown().Load()
				require.NoError(t, e.Execute(t.Context(), call))
				want := viewtest.Want(call, func(x, y, z float32) float32 { return x*y + z })
				require.Equal(t, want, viewtest.Floats(call.Results[0]), fmt.Sprint(x, y, z))
				if n++; n <= exec.MostVariants+1 { // the first is dense
					require.Zero(t, c.CopiedBytes())
				}
				require.Equal(t, n > 1 && n <= exec.MostVariants+1, c.Grown().Load() > grown, "what a variant takes counts")
			}
		}
	}
	made, failed := e.(backends.Varying).Variants()
	require.Equal(t, []int{exec.MostVariants, 0}, []int{made, failed})
	require.Positive(t, c.CopiedBytes())
	require.Equal(t, 1, strings.Count(said.String(), "too many view layouts"), said)
}

// A donated argument with strides is overwritten in place, as on GPUs, where each element
// is read before it is written. Other results are written dense and copied.
func TestStridedArgumentsAreDonated(t *testing.T) {
	const text = `func.func public @main(%w: tensor<4x3xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = MADE : tensor<4x3xf32>
  %1 = stablehlo.subtract %0, %g : tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}`
	for made, copies := range map[string]int64{"stablehlo.negate %w": 0, "stablehlo.reverse %w, dims = [0]": 1} {
		text := strings.Replace(text, "MADE", made, 1)
		e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		c := e.(*compiled)
		for _, lies := range [][]int{{3, 1}, {1, 4}, {-3, 1}, {7, 2}} {
			views := viewtest.Strided(t, [][]int{lies, {1, 4}}, 4, 3)
			oracle, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			want := &backends.Call{Args: views, Results: []soa.View{soa.Make(views[0].Type)}}
			require.NoError(t, oracle.Execute(t.Context(), want))
			before := c.CopiedBytes()
			got := &backends.Call{Args: views}
			require.NoError(t, e.Execute(t.Context(), got))
			require.Equal(t, viewtest.Floats(want.Results[0]), viewtest.Floats(views[0]), "%s, strides %v", made, lies)
			require.Equal(t, views[0].Base(), got.Results[0].Base())
			require.Equal(t, copies*48, c.CopiedBytes()-before, "%s, strides %v", made, lies)
		}
	}
}

// Where no code can be made for how views lie the log says once that they are
// copied, and why.
func TestVariantsThatFail(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	var said bytes.Buffer
	e, err := b.Compile(t.Context(), backends.NewModule(`func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.tanh %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`), backends.Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	require.NoError(t, err)
	c := e.(*compiled)
	c.Vary(c, varied(c, func(context.Context, *exec.Views) (*compiled, error) { return nil, errors.New("out of luck") }))
	for range 3 {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: viewtest.Strided(t, [][]int{{1, 2}}, 2, 3)}))
	}
	require.EqualValues(t, 3*24, c.CopiedBytes())
	require.Equal(t, 1, strings.Count(said.String(), "out of luck"), said.String())
	made, failed := e.(backends.Varying).Variants()
	require.Equal(t, []int{0, 1}, []int{made, failed})
}

// logged returns what is logged from now on.
func logged(t *testing.T) *bytes.Buffer {
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &b
}

// So does one program for all sizes.
func TestViewsOfAllSizes(t *testing.T) {
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	viewtest.RunSized(t, b)
}

// What variants are said to take is about what they keep of the heap.
func TestVariantsTakeWhatTheySay(t *testing.T) {
	var text strings.Builder
	text.WriteString("func.func @main(%v0: tensor<20x30xf32>) -> tensor<20xf32> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n")
	const ops = 40
	for i := range ops {
		fmt.Fprintf(&text, "  %%s%d = stablehlo.reverse %%v%d, dims = [0] : tensor<20x30xf32>\n  %%v%d = stablehlo.sine %%s%d : tensor<20x30xf32>\n", i, i, i+1, i)
	}
	fmt.Fprintf(&text, "  %%r = stablehlo.reduce(%%v%d init: %%z) applies stablehlo.add across dimensions = [1] : (tensor<20x30xf32>, tensor<f32>) -> tensor<20xf32>\n  return %%r : tensor<20xf32>\n}\n", ops)
	e, err := asKernels{eval.New()}.Compile(t.Context(), backends.NewModule(text.String()), backends.Options{})
	require.NoError(t, err)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var calls []*backends.Call
	for _, lies := range [][]int{{30, 1}, {1, 20}, {-30, 1}, {60, 2}, {0, 1}, {1, 0}, {0, 0}} {
		calls = append(calls, &backends.Call{Args: viewtest.Strided(t, [][]int{lies}, 20, 30), Results: []soa.View{soa.Make(types.Of(types.F32, 20))}})
	}
	// The first variant leaves behind what counting keeps, too.
	require.NoError(t, e.Execute(t.Context(), calls[0])) // dense
	require.NoError(t, e.Execute(t.Context(), calls[1]))
	grown := e.(backends.Growing).Grown()
	before, first := heap(), grown.Load()
	for _, c := range calls[2:] {
		require.NoError(t, e.Execute(t.Context(), c))
	}
	took, said := heap()-before, grown.Load()-first
	t.Logf("%d bytes, %d are said", took, said)
	require.Greater(t, said, took*3/4)
	require.Less(t, said, took*3/2+16<<10)
	runtime.KeepAlive(e)
	runtime.KeepAlive(calls)
}
