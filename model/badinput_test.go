package model_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/soa"
)

// What cannot be an input or a result is an error that names the column and its
// layout, whichever backend would run it, and nothing has been written then.
func TestBadInputsAreErrorsThatWriteNothing(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := network(t, dev)
	type doubles struct {
		X, Y, Z float64
	}
	type list = []soa.Column
	const n = 10
	// add adds a tensor to a new collection.
	add := func(t *testing.T, to *soa.Collection, name string, columns list) *soa.Collection {
		require.NoError(t, to.AddBatched(name, 5, columns...))
		return to
	}
	for _, backend := range []string{"cpu", "eval"} {
		m := newModel(t, f, backend)
		for _, tt := range []struct {
			name string
			run  func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error
			want string
		}{
			{"mixed dtypes", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return in.Add("more", hits.Col("X"), soa.Of[doubles](n).Col("Y"))
			}, "tensor more: layout doubles: column Y: the dtype is f64, but layout hit: column X has f32: all columns of a tensor have one dtype"},
			{"another dtype", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				d := soa.Of[doubles](n)
				in = add(t, soa.NewCollection(n), "x", list{d.Col("X"), d.Col("Y"), d.Col("Z")})
				return m.Bind(in, out).Run(t.Context(), nil, 0)
			}, "model: bind: input 0: tensor x: layout doubles: column X: want f32[?,3], got f64[10,3]: a model does not convert: declare the tensor as f64, and Convert it in the function"},
			{"a name twice", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return in.Add("x", hits.Col("X"))
			}, "collection: there is a tensor x already: layout hit: column X"},
			{"an unknown column", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return in.Add("w", hits.Col("W"))
			}, "tensor w: layout hit: there is no column W: there are X, Y, Z, Score, Class"},
			{"an unknown name in an order", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return out.ChangeOrder("score", "classes")
			}, "change of order: there is no tensor classes: there are class, score"},
			{"misaligned memory", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return soa.Of[hit](n, soa.In(soa.NewAligned(4096, 128), 64)).Err()
			}, "layout hit: column X: its memory starts 64 bytes after a multiple of 128: start it there (NewAligned), or give the layout the option Relaxed"},
			{"too little memory", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return soa.Of[hit](n, soa.In(soa.NewAligned(512, 128), 0)).Err()
			}, "layout hit: column Class: it ends at byte 768 of 768 for 10 elements, but the memory has 512 bytes"},
			{"a column of others", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return in.Add("more", soa.Of[hit](n+1).Col("X"))
			}, "tensor more: layout hit: column X: it has 11 elements, not 10"},
			{"a batch that is not there", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				return m.Bind(in, out).Run(t.Context(), nil, 2)
			}, "model: input: collection: batch 2 is out of range: the batches are 0 to 1: tensor x: layout hit: column X: a batch has 5 of 10 elements"},
			{"a result that is read only", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				out = add(t, add(t, soa.NewCollection(n), "score", list{hits.Const().Col("Score")}), "class", list{hits.Col("Class")})
				return m.Bind(in, out).Run(t.Context(), nil, 0)
			}, "model: bind: output score: layout hit: column Score: it is read only"},
			{"results over each other", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				out = add(t, add(t, soa.NewCollection(n), "score", list{hits.Col("Class").Component(1)}), "class", list{hits.Col("Class")})
				return m.Bind(in, out).Run(t.Context(), nil, 0)
			}, "model: bind: output score: layout hit: column Class[1]: its memory is also that of output class, layout hit: column Class"},
			{"a result over an input", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				out = add(t, add(t, soa.NewCollection(n), "score", list{hits.Col("Y")}), "class", list{hits.Col("Class")})
				return m.Bind(in, out).Run(t.Context(), nil, 0)
			}, "model: bind: output score: layout hit: column Y: its memory is also that of input x, layout hit: column Y"},
			{"an input that is released", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				b := soa.NewAligned(4096, 128)
				mine := soa.Of[hit](n, soa.In(b, 0))
				bound := m.Bind(add(t, soa.NewCollection(n), "x", list{mine.Col("X"), mine.Col("Y"), mine.Col("Z")}), out)
				b.Release()
				return bound.Run(t.Context(), nil, 0)
			}, "model: input tensor x: layout hit: column X: its memory was released"},
			{"a result that is released", func(t *testing.T, hits *soa.Records[hit], in, out *soa.Collection) error {
				b, err := soa.OffHeap(4096)
				require.NoError(t, err)
				mine := soa.Of[hit](n, soa.In(b, 0))
				bound := m.Bind(in, add(t, add(t, soa.NewCollection(n), "class", list{mine.Col("Class")}), "score", list{mine.Col("Score")}))
				b.Release()
				return bound.Run(t.Context(), nil, 0)
			}, "model: result tensor class: layout hit: column Class: its memory was released"},
		} {
			t.Run(backend+"/"+tt.name, func(t *testing.T) {
				hits, in, out := columns(t, n, 5)
				var before []hit
				for i := range n {
					hits.At(i).Store(hit{X: float32(i), Score: -1, Class: [2]float32{-2, -3}})
					before = append(before, hits.At(i).Load())
				}
				require.EqualError(t, tt.run(t, hits, in, out), tt.want)
				for i, want := range before {
					require.Equal(t, want, hits.At(i).Load())
				}
				require.NoError(t, m.Bind(in, out).Run(t.Context(), nil, 1), "the collections are as they were")
				require.NotEqual(t, before[5], hits.At(5).Load())
			})
		}
	}
}
