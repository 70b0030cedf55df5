package model_test

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference/llvm"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// hit is what a detector measured, and what a network makes of it.
type hit struct {
	X, Y, Z float32
	Score   float32
	Class   [2]float32
}

// network is two layers on three columns, with two results.
func network(t *testing.T, dev *lazy.Device) *lazy.Function {
	w1 := dev.Variable("w1", types.F32, 3, 16).Init(lazy.Uniform(-1, 1))
	w2 := dev.Variable("w2", types.F32, 16, 2).Init(lazy.Uniform(-1, 1))
	return lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		h := x[0].MatMul(w1).ReLU()
		class := h.MatMul(w2).Softmax(-1)
		return []*lazy.Tensor{x[0].Sum(1), class}
	})
}

func newModel(t *testing.T, f *lazy.Function, backend string, opts ...model.Option) *model.Model {
	t.Helper()
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3)}}, "score", "class")
	require.NoError(t, err)
	b, err := backends.Open(backend)
	require.NoError(t, err)
	m, err := model.New(t.Context(), b, backends.NewModule(x.Text), x.Constants, opts...)
	require.NoError(t, err)
	return m
}

// columns returns n hits with values, as inputs and results in batches of size.
func columns(t *testing.T, n, size int) (*soa.Records[hit], *soa.Collection, *soa.Collection) {
	t.Helper()
	hits := soa.Of[hit](n)
	for c, name := range []string{"X", "Y", "Z"} {
		col := soa.Slice[float32](view(t, hits.Col(name)))
		for i := range col {
			col[i] = float32((i*7+c*3)%23)/11 - 1
		}
	}
	in, out := soa.NewCollection(n), soa.NewCollection(n)
	require.NoError(t, in.AddBatched("x", size, hits.Col("X"), hits.Col("Z"), hits.Col("Y")))
	require.NoError(t, out.AddBatched("class", size, hits.Col("Class")))
	require.NoError(t, out.AddBatched("score", size, hits.Col("Score")))
	return hits, in, out
}

func view(t *testing.T, c soa.Column) soa.View {
	t.Helper()
	v, err := c.View()
	require.NoError(t, err)
	return v
}

// Runs on columns give what the function gives for the same rows packed.
func TestRunsOnColumnsMatchTheFunction(t *testing.T) {
	for _, backend := range []string{"cpu", "eval"} {
		t.Run(backend, func(t *testing.T) {
			dev, err := lazy.Open("cpu")
			require.NoError(t, err)
			f := network(t, dev)
			m := newModel(t, f, backend)
			for _, n := range []int{0, 1, 5, 64, 100} {
				const size = 33
				hits, in, out := columns(t, n, size)
				b := m.Bind(in, out)
				for i := range in.Batches() {
					require.NoError(t, b.Run(t.Context(), nil, i))
				}
				x, y, z := soa.Slice[float32](view(t, hits.Col("X"))), soa.Slice[float32](view(t, hits.Col("Y"))), soa.Slice[float32](view(t, hits.Col("Z")))
				rows := make([]float32, 0, 3*n)
				for i := range n {
					rows = append(rows, x[i], z[i], y[i])
				}
				want, err := f.CallAll(t.Context(), lazy.From(dev, rows, n, 3))
				require.NoError(t, err)
				score, err := lazy.ToSlice[float32](want[0])
				require.NoError(t, err)
				require.InDeltaSlice(t, score, soa.Slice[float32](view(t, hits.Col("Score"))), 1e-5)
				class, err := lazy.ToSlice[float32](want[1])
				require.NoError(t, err)
				got := soa.Make(types.Of(types.F32, n, 2))
				require.NoError(t, soa.Copy(got, view(t, hits.Col("Class"))))
				require.InDeltaSlice(t, class, soa.Slice[float32](got), 1e-5)
			}
		})
	}
}

// Any number of goroutines run one model at once, and none is started for them.
func TestGoroutinesRunAModelAtOnce(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	m := newModel(t, network(t, dev), "cpu")
	hits, in, out := columns(t, 1000, 10)
	b := m.Bind(in, out)
	require.NoError(t, b.Run(t.Context(), nil, 0))
	before := runtime.NumGoroutine()
	for i := range in.Batches() {
		require.NoError(t, b.Run(t.Context(), nil, i))
	}
	require.Equal(t, before, runtime.NumGoroutine())
	want := append([]float32(nil), soa.Slice[float32](view(t, hits.Col("Score")))...)
	clear(soa.Slice[float32](view(t, hits.Col("Score"))))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := g; i < in.Batches(); i += 8 {
				if err := b.Run(context.Background(), nil, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, want, soa.Slice[float32](view(t, hits.Col("Score"))))
}

// Nor does a run take another thread of the system, whether one goroutine runs the
// model or several do. The runtime may start one meanwhile for itself: runs that
// took some would do so each time.
func TestRunsStartNoThreads(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	m := newModel(t, network(t, dev), "cpu")
	_, in, out := columns(t, 1000, 10)
	b := m.Bind(in, out)
	runs := func(first, step int) {
		for range 20 {
			for i := first; i < in.Batches(); i += step {
				if err := b.Run(context.Background(), nil, i); err != nil {
					t.Error(err)
				}
			}
		}
	}
	for name, all := range map[string]func(){
		"one goroutine": func() { runs(0, 1) },
		"eight goroutines": func() {
			var wg sync.WaitGroup
			for g := range 8 {
				wg.Go(func() { runs(g, 8) })
			}
			wg.Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			all()
			var started int
			for range 5 {
				before := threads(t)
				all()
				if started = threads(t) - before; started <= 0 {
					break
				}
			}
			require.LessOrEqual(t, started, 0, "threads that runs started")
		})
	}
}

// threads returns how many threads of the system the process has, or, where it does
// not tell, those of Go's runtime.
func threads(t *testing.T) int {
	if runtime.GOOS != "linux" {
		return pprof.Lookup("threadcreate").Count()
	}
	all, err := os.ReadDir("/proc/self/task")
	require.NoError(t, err)
	return len(all)
}

// What is bound to a batch runs on the elements that this had then, when the same
// collection has become that of others.
func TestBoundBatchesKeepTheirElements(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	m := newModel(t, network(t, dev), "cpu")
	hits, in, out := columns(t, 70, 32)
	all := m.Bind(in, out)
	for i := range in.Batches() {
		require.NoError(t, all.Run(t.Context(), nil, i))
	}
	score := soa.Slice[float32](view(t, hits.Col("Score")))
	want := slices.Clone(score)
	clear(score)
	var inputs, results soa.Collection
	var bound []*model.Bound
	for i := range in.Batches() {
		require.NoError(t, in.Batch(i, &inputs))
		require.NoError(t, out.Batch(i, &results))
		bound = append(bound, m.Bind(&inputs, &results))
	}
	for _, b := range bound {
		require.NoError(t, b.Run(t.Context(), nil, 0))
	}
	require.Equal(t, want, score)
}

// Mistakes are errors that name what is wrong.
func TestBindErrorsNameTheMistake(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	m := newModel(t, network(t, dev), "cpu")
	hits, in, out := columns(t, 10, 10)
	run := func(in, out *soa.Collection, batch int) error { return m.Bind(in, out).Run(t.Context(), nil, batch) }
	require.NoError(t, run(in, out, 0))
	require.ErrorContains(t, run(in, out, 1), "batch 1 is out of range: the only batch is 0")
	require.ErrorContains(t, run(in, out, -1), "batch -1 is out of range: the only batch is 0")
	require.EqualError(t, run(nil, out, 0), "model: bind: a collection is nil: Bind needs a collection of inputs and a collection of results")
	require.ErrorContains(t, run(out, out, 0), `there is no tensor "x": there are ["class" "score"]`)
	require.ErrorContains(t, run(in, in, 0), `there is no tensor "score"`)

	narrow := soa.NewCollection(10)
	require.NoError(t, narrow.AddBatched("x", 10, hits.Col("X"), hits.Col("Y")))
	require.ErrorContains(t, run(narrow, out, 0), "input 0: tensor x: layout hit: column X: want f32[?,3], got f32[10,2]")

	aliased := soa.NewCollection(10)
	require.NoError(t, aliased.AddBatched("class", 10, hits.Col("Class")))
	require.NoError(t, aliased.AddBatched("score", 10, hits.Col("X")))
	require.ErrorContains(t, run(in, aliased, 0), "its memory is also that of input x")
}

// Runs copy nothing and, once the largest size has come, allocate nothing, whatever
// the columns: adjacent, in another order, far apart, scalars, vectors, several
// results.
func TestNothingIsCopied(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	const n, size = 1000, 96
	type event struct {
		A, B, C, D float32
		V          [3]float32
		S          float32 `soa:",scalar"`
		Score      float32
		Class      [2]float32
	}
	events := soa.Of[event](n)
	for name, fields := range map[string][]string{
		"adjacent":      {"A", "B", "C"},
		"every second":  {"A", "C"},
		"another order": {"D", "A", "B", "C"},
		"vector":        {"V"},
		"scalar":        {"S"},
	} {
		t.Run(name, func(t *testing.T) {
			in, out := soa.NewCollection(n), soa.NewCollection(n)
			require.NoError(t, in.AddBatched("x", size, columnsOf(events.Columns, fields)...))
			require.NoError(t, out.AddBatched("class", size, events.Col("Class")))
			require.NoError(t, out.AddBatched("score", size, events.Col("Score")))
			k := in.Tensor(0).Type.Shape[1]
			w1 := dev.Variable("w1", types.F32, k, 16).Init(lazy.Uniform(-1, 1))
			w2 := dev.Variable("w2", types.F32, 16, 2).Init(lazy.Uniform(-1, 1))
			f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
				return []*lazy.Tensor{x[0].Sum(1), x[0].MatMul(w1).ReLU().MatMul(w2).Softmax(-1)}
			})
			x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, k)}}, "score", "class")
			require.NoError(t, err)
			cpu, err := backends.Open("cpu")
			require.NoError(t, err)
			m, err := model.New(t.Context(), cpu, backends.NewModule(x.Text), x.Constants)
			require.NoError(t, err)
			b := m.Bind(in, out)
			ctx := t.Context()
			all := func() {
				for i := range in.Batches() {
					if err := b.Run(ctx, nil, i); err != nil {
						t.Error(err)
					}
				}
			}
			all()
			require.Zero(t, m.CopiedBytes())
			none := soa.Of[event](0)
			noIn, noOut := soa.NewCollection(0), soa.NewCollection(0)
			require.NoError(t, noIn.Add("x", columnsOf(none.Columns, fields)...))
			require.NoError(t, noOut.Add("class", none.Col("Class")))
			require.NoError(t, noOut.Add("score", none.Col("Score")))
			require.NoError(t, m.Bind(noIn, noOut).Run(t.Context(), nil, 0))
			require.Zero(t, m.CopiedBytes())
			made, failed := m.Variants()
			require.Positive(t, made, "code for the columns as they lie")
			require.Zero(t, failed)
			require.Zero(t, trials.Allocs(10, all))
		})
	}
}

func columnsOf(c *soa.Columns, fields []string) []soa.Column {
	var all []soa.Column
	for _, f := range fields {
		all = append(all, c.Col(f))
	}
	return all
}

// Inputs and results that are not of one size are errors that name them.
func TestSizesThatDifferAreNamed(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].Add(x[1])} })
	column := types.Of(types.F32, lazy.AnySize, 1)
	x, err := f.Export([]lazy.Input{{Name: "a", Type: column}, {Name: "b", Type: column}}, "sum")
	require.NoError(t, err)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	m, err := model.New(t.Context(), cpu, backends.NewModule(x.Text), x.Constants)
	require.NoError(t, err)
	_, err = model.New(t.Context(), cpu, backends.NewModule(x.Text), map[string]soa.View{"w": soa.Make(types.Of(types.F32))})
	require.EqualError(t, err, `model: there is a value for "w", but the program's constants are []`)
	hits, more := soa.Of[hit](5), soa.Of[hit](7)
	in, out := soa.NewCollection(5), soa.NewCollection(5)
	require.NoError(t, in.AddBatched("a", 3, hits.Col("X")))
	require.NoError(t, in.Add("b", hits.Col("Y")))
	require.NoError(t, out.AddBatched("sum", 3, hits.Col("Score")))
	require.ErrorContains(t, m.Bind(in, out).Run(t.Context(), nil, 0), `dimension 0 of argument 1 ("b") is 5, and dimension 0 of argument 0 ("a") 3: they are one size`)
	in, out = soa.NewCollection(5), soa.NewCollection(7)
	require.NoError(t, in.Add("a", hits.Col("X")))
	require.NoError(t, in.Add("b", hits.Col("Y")))
	require.NoError(t, out.Add("sum", more.Col("Score")))
	require.EqualError(t, m.Bind(in, out).Run(t.Context(), nil, 0), `model: bind: batch 0: execute: result 0 ("sum"): want f32[5,1], got f32[7,1]`+
		` (in has 5 elements in 1 batch (tensor a: layout hit: column X), out has 7 elements in 1 batch (tensor sum: layout hit: column Score))`)

	// Batches of other sizes, of the first or of the last one, are an error of all.
	for want, sizes := range map[string][3]int{
		`model: bind: batch 0: execute: result 0 ("sum"): want f32[3,1], got f32[4,1]` +
			` (in has 5 elements in 2 batches of 3 (tensor a: layout hit: column X), out has 7 elements in 2 batches of 4 (tensor sum: layout hit: column Score))`: {3, 7, 4},
		`model: bind: batch 1: execute: result 0 ("sum"): want f32[1,1], got f32[3,1]` +
			` (in has 5 elements in 2 batches of 4 (tensor a: layout hit: column X), out has 7 elements in 2 batches of 4 (tensor sum: layout hit: column Score))`: {4, 7, 4},
		`model: bind: in has 5 elements in 1 batch (tensor a: layout hit: column X), out has 7 elements in 2 batches of 6 (tensor sum: layout hit: column Score):` +
			` AddBatched cuts a tensor into batches, Add gives the whole tensor to each batch`: {5, 7, 6},
	} {
		in, out = soa.NewCollection(5), soa.NewCollection(sizes[1])
		require.NoError(t, in.AddBatched("a", sizes[0], hits.Col("X")))
		require.NoError(t, in.AddBatched("b", sizes[0], hits.Col("Y")))
		require.NoError(t, out.AddBatched("sum", sizes[2], more.Col("Score")))
		require.EqualError(t, m.Bind(in, out).Run(t.Context(), nil, 0), want)
	}
}

// A model whose results have another number of rows than its inputs binds with
// collections of those numbers, and with no others.
func TestResultsBindWithTheirOwnNumberOfRows(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{lazy.Concatenate(0, x[0], x[0].Neg())}
	})
	x, err := f.Export([]lazy.Input{{Name: "a", Type: types.Of(types.F32, lazy.AnySize)}}, "twice")
	require.NoError(t, err)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	m, err := model.New(t.Context(), cpu, backends.NewModule(x.Text), x.Constants)
	require.NoError(t, err)
	for _, n := range []int{10, 9} {
		in, out := soa.NewCollection(5), soa.NewCollection(n)
		twice := make([]float32, n)
		require.NoError(t, in.AddBatched("a", 3, soa.ColumnOf("a", []float32{1, 2, 3, 4, 5})))
		require.NoError(t, out.AddBatched("twice", 6, soa.ColumnOf("twice", twice)))
		b := m.Bind(in, out)
		if n == 9 {
			require.ErrorContains(t, b.Run(t.Context(), nil, 0), `model: bind: batch 1: execute: result 0 ("twice"): want f32[4], got f32[3]`)
			continue
		}
		require.NoError(t, b.Run(t.Context(), nil, 0))
		require.NoError(t, b.Run(t.Context(), nil, 1))
		require.Equal(t, []float32{1, 2, 3, -1, -2, -3, 4, 5, -4, -5}, twice)
	}
}

// Jagged columns in place have two sizes, of which a model has one: that is an error
// of Bind which says what takes them. Padded ones need no last dimension.
func TestJaggedInputsInPlaceAreErrors(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	type shower struct {
		Hits []float32
		Sum  float32
	}
	showers := soa.Of[shower](3, soa.Count("Hits", 6))
	require.NoError(t, showers.SetLengths("Hits", []int{1, 2, 3}))
	for i, hits := range [][]float32{{1}, {2, 3}, {4, 5, 6}} {
		showers.At(i).Store(shower{Hits: hits})
	}
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	compile := func(f func(x []*lazy.Tensor) *lazy.Tensor, inputs ...lazy.Input) *model.Model {
		x, err := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{f(x)}
		}).Export(inputs, "sum")
		require.NoError(t, err)
		m, err := model.New(t.Context(), cpu, backends.NewModule(x.Text), x.Constants)
		require.NoError(t, err)
		return m
	}
	out := soa.NewCollection(3)
	require.NoError(t, out.Add("sum", showers.Col("Sum")))

	ragged := soa.NewCollection(3)
	require.NoError(t, ragged.AddRagged("hits", showers.Col("Hits")))
	m := compile(func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Sum(1).Add(x[1].Convert(lazy.F32)) },
		lazy.Input{Name: "hits", Type: types.Of(types.F32, lazy.AnySize, 1)},
		lazy.Input{Name: "hits.offsets", Type: types.Of(types.I64, lazy.AnySize)})
	require.EqualError(t, m.Bind(ragged, out).Run(t.Context(), nil, 0),
		`model: bind: batch 0: execute: dimension 0 of argument 1 ("hits.offsets") is 4, and dimension 0 of argument 0 ("hits") 6: they are one size`+
			" (tensor hits: layout shower: column Hits: 6 rows for 3 elements: AddRagged adds values and offsets of two sizes, but a model has one: use AddPadded)")

	padded := soa.NewCollection(3)
	require.NoError(t, padded.AddPadded("hits", 2, showers.Col("Hits")))
	m = compile(func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Sum(1) }, lazy.Input{Name: "hits", Type: types.Of(types.F32, lazy.AnySize, 2)})
	require.NoError(t, m.Bind(padded, out).Run(t.Context(), nil, 0))
	sums, err := soa.Elements[float32](showers.Col("Sum"))
	require.NoError(t, err)
	require.Equal(t, []float32{1, 5, 9}, sums)
}
