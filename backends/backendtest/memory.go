package backendtest

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

func replace(t testing.TB, text, old, new string) string {
	t.Helper()
	require.Contains(t, text, old)
	return strings.Replace(text, old, new, 1)
}

// weigh makes the order of a [2,3] argument visible.
const weigh = `func.func public @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = stablehlo.constant dense<[[1.0, 10.0, 100.0], [1000.0, 10000.0, 100000.0]]> : tensor<2x3xf32>
  %0 = stablehlo.multiply %a, %c : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`

func testStrided(t *testing.T, b backends.Backend) {
	e := compile(t, b, weigh)
	mem := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, c := range []struct {
		name    string
		offset  int
		strides []int
		want    []float32
	}{
		{"dense", 0, []int{3, 1}, []float32{1, 20, 300, 4000, 50000, 600000}},
		{"rows apart", 1, []int{6, 1}, []float32{2, 30, 400, 8000, 90000, 1000000}},
		{"transposed", 0, []int{1, 2}, []float32{1, 30, 500, 2000, 40000, 600000}},
		{"reversed", 5, []int{-3, -1}, []float32{6, 50, 400, 3000, 20000, 100000}},
		{"repeated row", 2, []int{0, 1}, []float32{3, 40, 500, 3000, 40000, 500000}},
		{"one element", 6, []int{0, 0}, []float32{7, 70, 700, 7000, 70000, 700000}},
	} {
		v, err := soa.Strided(mem, types.Of(types.F32, 2, 3), c.offset, c.strides)
		require.NoError(t, err)
		require.Equal(t, c.want, floats(execute(t, e, v)[0]), c.name)
	}
}

func testTables(t *testing.T, b backends.Backend) {
	e := compile(t, b, weigh)
	col := func(v ...float32) soa.View { return f32s(t, v) }
	columns, err := soa.NewTable(1, col(1, 4), col(2, 5), col(3, 6))
	require.NoError(t, err)
	want := []float32{1, 20, 300, 4000, 50000, 600000}
	require.Equal(t, want, floats(execute(t, e, columns)[0]), "columns")
	rows, err := soa.NewTable(0, col(1, 2, 3), col(4, 5, 6))
	require.NoError(t, err)
	require.Equal(t, want, floats(execute(t, e, rows)[0]), "rows")

	x, y, z := col(0, 0), col(0, 0), col(0, 0)
	out, err := soa.NewTable(1, x, y, z)
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{rows}, Results: []soa.View{out}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{1, 4000}, floats(x))
	require.Equal(t, []float32{20, 50000}, floats(y))
	require.Equal(t, []float32{300, 600000}, floats(z))
}

func testResults(t *testing.T, b backends.Backend) {
	e := compile(t, b, weigh)
	a := f32s(t, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	mem := make([]float32, 6)
	c := &backends.Call{Args: []soa.View{a}, Results: []soa.View{f32s(t, mem, 2, 3)}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{1, 20, 300, 4000, 50000, 600000}, mem)

	wide := []float32{-1, -1, -1, -1, -1, -1, -1, -1}
	v, err := soa.Strided(wide, types.Of(types.F32, 2, 3), 0, []int{4, 1})
	require.NoError(t, err)
	c.Results[0] = v
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{1, 20, 300, -1, 4000, 50000, 600000, -1}, wide)

	// Memory made by the backend is new in every run.
	first, second := execute(t, e, a)[0], execute(t, e, a)[0]
	require.NotEqual(t, first.Base(), second.Base())
}

func scalar(t testing.TB, x float32) soa.View {
	t.Helper()
	v, err := soa.Borrow([]float32{x}, types.Of(types.F32))
	require.NoError(t, err)
	return v
}

func testDonated(t *testing.T, b backends.Backend) {
	e := compile(t, b, update)
	for _, strided := range []bool{false, true} {
		mem := []float32{1, -1, 2, -1, 3, -1}
		stride := 1
		if strided {
			stride = 2
		} else {
			mem = []float32{1, 2, 3}
		}
		w, err := soa.Strided(mem, types.Of(types.F32, 3), 0, []int{stride})
		require.NoError(t, err)
		got := execute(t, e, w, f32s(t, []float32{1, 2, 3}), scalar(t, 0.5))
		require.Equal(t, w, got[1], "the result is the argument's view")
		require.Equal(t, []float32{0.5, 1, 1.5}, floats(w))
		require.Equal(t, []float32{6}, floats(got[0]))
		if strided {
			require.Equal(t, []float32{0.5, -1, 1, -1, 1.5, -1}, mem)
		}
	}
}

func testDonatedKept(t *testing.T, b backends.Backend) {
	e := compile(t, b, update)
	w, out := f32s(t, []float32{1, 2, 3}), make([]float32, 3)
	c := &backends.Call{
		Args:    []soa.View{w, f32s(t, []float32{1, 2, 3}), scalar(t, 1)},
		Results: []soa.View{{}, f32s(t, out)},
	}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{1, 2, 3}, floats(w), "a result with a view of its own leaves the argument alone")
	require.Equal(t, []float32{0, 0, 0}, out)
	c.Results[1] = w // the same memory, given explicitly
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{0, 0, 0}, floats(w))
}

func testExchanged(t *testing.T, b backends.Backend) {
	e := compile(t, b, `func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  return %b, %a, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}`)
	x, y := f32s(t, []float32{1, 2}), f32s(t, []float32{3, 4})
	got := execute(t, e, x, y)
	require.Equal(t, []float32{3, 4}, floats(x), "the first argument is donated: its memory holds result 0 afterwards")
	require.Equal(t, []float32{1, 2}, floats(y), "the second argument is donated: its memory holds result 1 afterwards")
	require.Equal(t, []float32{1, 2}, floats(got[2]), "result 2 is what the first argument was")
}

// A donated argument is read, after the result that takes its memory has been
// computed, by later ops.
func testReadAfterWrite(t *testing.T, b backends.Backend) {
	e := compile(t, b, `func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %a, %a : tensor<2xf32>
  %1 = stablehlo.multiply %a, %0 : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}`)
	a := f32s(t, []float32{1, 3})
	got := execute(t, e, a)
	require.Equal(t, []float32{2, 6}, floats(a), "the argument is donated: its memory holds result 0 afterwards")
	require.Equal(t, []float32{2, 18}, floats(got[1]), "an op after it reads what the argument was")

	// The same with the argument's memory given for the result, and with
	// memory that overlaps it.
	for _, at := range []int{0, 1} {
		mem := []float32{1, 3, 0}
		c := &backends.Call{Args: []soa.View{f32s(t, mem[:2])}, Results: []soa.View{f32s(t, mem[at:at+2]), {}}}
		require.NoError(t, e.Execute(context.Background(), c))
		require.Equal(t, []float32{2, 6}, mem[at:at+2])
		require.Equal(t, []float32{2, 18}, floats(c.Results[1]))
	}
}
