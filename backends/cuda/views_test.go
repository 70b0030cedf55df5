package cuda

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/cudafake"
	"ltc/internal/test/viewtest"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// inPlace is a backend whose executables count what the device copies of views, too.
type inPlace struct{ *Backend }

func (b inPlace) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	e, err := b.Backend.Compile(ctx, m, o)
	return placed{e}, err
}

type placed struct{ backends.Executable }

func (e placed) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	x, err := e.Executable.Bind(ctx, constants)
	return placed{x}, err
}

func (e placed) CopiedBytes() int64 {
	return e.Executable.(backends.Copying).CopiedBytes() + viewsOf(e.Executable)
}

// viewsOf returns how many views the device has copied for runs.
func viewsOf(e backends.Executable) int64 {
	return e.(interface{ Launches() Launches }).Launches().Views
}

// Columns, tables of them, records, gaps, repeated and reversed elements of the device's
// memory are read and written where they lie.
func TestViews(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 7})
	viewtest.Run(t, inPlace{b})
}

// So they are by one program for all sizes.
func TestViewsOfAllSizes(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 8})
	viewtest.RunSized(t, inPlace{b})
}

// A result's memory that the caller releases while the program begins is left alone: the
// other results are there.
func TestResultReleased(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	e := compile(t, b, `func.func public @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = stablehlo.add %x, %x : tensor<2x4xf32>
  %1 = stablehlo.multiply %0, %x : tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}`, backends.Options{})
	x := soa.Make(types.Of(types.F32, 2, 4))
	for i := range soa.Slice[float32](x) {
		soa.Slice[float32](x)[i] = float32(i)
	}
	off, err := soa.OffHeap(64)
	require.NoError(t, err)
	gone, err := off.View(types.Of(types.F32, 2, 8)).Slice(1, 0, 4, 1)
	require.NoError(t, err)
	require.False(t, gone.IsDense())
	c := &backends.Call{Args: []soa.View{x}, Results: []soa.View{gone, {}}, Alloc: func(of types.Type) soa.View {
		off.Release()
		return soa.Make(of)
	}}
	require.NoError(t, e.Execute(t.Context(), c))
	require.Equal(t, []float32{0, 2, 8, 18, 32, 50, 72, 98}, floats(t, c.Results[1]))
}

// lying is a view of a device's memory of 4 rows and 3 columns, in a larger one.
type lying struct {
	name    string
	axis    int
	table   []int // where its columns begin; nil: there is none
	at      int
	strides []int // of the axes but the table's
}

var lyings = []lying{
	{name: "adjacent columns", at: 2, strides: []int{1, 5}},
	{name: "records", at: 1, strides: []int{5, 1}},
	{name: "elements of records", at: 0, strides: []int{9, 2}},
	{name: "gathered columns", axis: 1, table: []int{20, 3, 11}, strides: []int{1}},
	{name: "gathered columns of records", axis: 1, table: []int{7, 6, 40}, strides: []int{4}},
	{name: "gathered rows", axis: 0, table: []int{30, 3, 20, 11}, strides: []int{2}},
}

func (l *lying) make(t testing.TB, b *Backend, of func(i int) float32) (m, whole soa.View) {
	all := make([]float32, 60)
	for i := range all {
		all[i] = -77
	}
	whole = resident(t, b, all...)
	if l.table == nil {
		v, err := whole.Restride(types.Of(types.F32, 4, 3), l.at, l.strides)
		require.NoError(t, err)
		m = v
	} else {
		var columns []soa.View
		for _, at := range l.table {
			v, err := whole.Restride(types.Of(types.F32, 12/len(l.table)), at, l.strides)
			require.NoError(t, err)
			columns = append(columns, v)
		}
		v, err := soa.NewTable(l.axis, columns...)
		require.NoError(t, err)
		m = v
	}
	require.NoError(t, soa.Copy(m, filled(t, of)))
	return m, whole
}

// filled returns 4 rows of 3 columns.
func filled(t testing.TB, of func(i int) float32) soa.View {
	all := make([]float32, 12)
	for i := range all {
		all[i] = of(i)
	}
	v, err := soa.Borrow(all, types.Of(types.F32, 4, 3))
	require.NoError(t, err)
	return v
}

// gaps returns how many elements are as they were.
func gaps(t testing.TB, whole soa.View) (n int) {
	for _, x := range floats(t, whole) {
		if x == -77 {
			n++
		}
	}
	return n
}

// A donated argument is written in place if each element is read before it is written, and
// the device copies it if not. The same holds for results of other memory that is given for
// donated arguments.
func TestViewsDonated(t *testing.T) {
	const text = `func.func public @main(%w: T {tf.aliasing_output = 0 : i32}, %g: T) -> T {
  %0 = MADE : T
  %1 = stablehlo.subtract %0, %g : T
  return %1 : T
}`
	b, _ := backend(t, cudafake.Options{Seed: 9})
	for made, copies := range map[string]int64{"stablehlo.negate %w": 0, "stablehlo.reverse %w, dims = [0]": 1} {
		text := strings.NewReplacer("T", "tensor<4x3xf32>", "MADE", made).Replace(text)
		e := compile(t, b, text, backends.Options{})
		for i := range lyings {
			l := &lyings[i]
			t.Run(made[len("stablehlo."):][:6]+" "+l.name, func(t *testing.T) {
				g, _ := lyings[(i+3)%len(lyings)].make(t, b, func(i int) float32 { return float32(i * i) })
				for _, other := range []bool{false, true} {
					w, whole := l.make(t, b, func(i int) float32 { return float32(i) })
					want := evaluated(t, text, filled(t, func(i int) float32 { return float32(i) }), filled(t, func(i int) float32 { return float32(i * i) }))
					c := &backends.Call{Args: []soa.View{w, g}, Resident: true}
					before, copies := viewsOf(e), copies
					if other { // which might overlap what is read
						var out soa.View
						out, whole = lyings[(i+1)%len(lyings)].make(t, b, func(int) float32 { return 0 })
						c.Results, copies = []soa.View{out}, 1
					}
					require.NoError(t, e.Execute(t.Context(), c))
					require.Equal(t, want, floats(t, c.Results[0]))
					require.Equal(t, 60-12, gaps(t, whole), "what lies between the elements")
					require.Equal(t, copies, viewsOf(e)-before)
				}
			})
		}
		require.Zero(t, e.CopiedBytes())
	}
}

// What no kernel reads or writes where it lies, the device copies: operands of steps of
// the host, and views that lie in more ways than there are variants for.
func TestViewsCopied(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 10})
	text := `func.func public @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}`
	e := compile(t, b, text, backends.Options{})
	for i := range lyings {
		t.Run(lyings[i].name, func(t *testing.T) {
			of := func(i int) float32 { return float32(i * 7 % 12) }
			x, _ := lyings[i].make(t, b, of)
			out, whole := lyings[(i+2)%len(lyings)].make(t, b, func(int) float32 { return 0 })
			before := viewsOf(e)
			c := &backends.Call{Args: []soa.View{x}, Results: []soa.View{out}}
			require.NoError(t, e.Execute(t.Context(), c))
			require.Equal(t, evaluated(t, text, filled(t, of)), floats(t, out))
			require.Equal(t, 60-12, gaps(t, whole))
			require.EqualValues(t, 2, viewsOf(e)-before)
		})
	}
	require.Zero(t, e.CopiedBytes())
}

// Tables are brought to the device when columns lie otherwise beside each other, and
// only then; runs in a queue of their own that need others come one after the other.
func TestTables(t *testing.T) {
	trials.Sequential(t)
	b, f := backend(t, cudafake.Options{Seed: 11})
	e := compile(t, b, `func.func public @main(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}`, backends.Options{})
	q := queue(t, b.dev)
	run := func(l lying) (copies int64) {
		x, _ := l.make(t, b, func(i int) float32 { return float32(i) })
		out := there(t, b, soa.Make(x.Type))
		if f != nil {
			copies = f.Calls("cuMemcpyHtoDAsync_v2")
		}
		c := &backends.Call{Args: []soa.View{x}, Results: []soa.View{out}, Queue: q}
		require.NoError(t, e.Execute(t.Context(), c))
		if f != nil {
			copies = f.Calls("cuMemcpyHtoDAsync_v2") - copies
		}
		require.NoError(t, q.Wait(t.Context()))
		require.Equal(t, []float32{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, floats(t, out))
		return copies
	}
	table := func(at ...int) lying { return lying{axis: 1, table: at, strides: []int{1}} }
	for _, c := range []struct {
		l      lying
		copies int64
	}{{table(0, 10, 20), 1}, {table(3, 13, 23), 0}, {table(30, 4, 20), 1}, {table(30, 4, 20), 0}, {table(0, 10, 20), 1}} {
		if got := run(c.l); f != nil {
			require.Equal(t, c.copies, got, fmt.Sprint(c.l.table))
		}
	}
	require.Zero(t, e.CopiedBytes())
	require.Zero(t, viewsOf(e))
}
