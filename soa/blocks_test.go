package soa_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/soa"
)

type position struct{ X, Y float32 }

type event struct {
	position
	Vertex position
	Jets   []jet
	Times  []float64
	Tracks struct {
		Pt  float32
		Hit []int32
	} `soa:",block"`
	Run  uint32 `soa:"run,scalar"`
	Note string `soa:"-"`
}

type jet struct {
	Pt  float32
	Dir [2]float32
	At  position
}

// Blocks have numbers of their own; jagged columns have one for each element.
func TestBlocks(t *testing.T) {
	l, err := soa.LayoutOf[event]()
	require.NoError(t, err)
	require.Equal(t, "event{X f32; Y f32; Vertex.X f32; Vertex.Y f32; Jets.offsets i64 offsets; Jets.Pt f32 values; Jets.Dir f32[2] values; "+
		"Jets.At.X f32 values; Jets.At.Y f32 values; Times.offsets i64 offsets; Times f64 values; Tracks.Pt f32; Tracks.Hit.offsets i64 offsets; "+
		"Tracks.Hit i32 values; run u32 scalar}", l.String())
	fields, _, err := l.Place(3, soa.Count("Jets", 33), soa.Count("Times", 2), soa.Count("Tracks", 64), soa.Count("Tracks.Hit", 100))
	require.NoError(t, err)
	counts := map[string]int{}
	for _, f := range fields {
		counts[f.Name] = f.Count
	}
	require.Equal(t, map[string]int{"X": 3, "Y": 3, "Vertex.X": 3, "Vertex.Y": 3, "Jets.offsets": 4, "Jets.Pt": 33, "Jets.Dir": 33, "Jets.At.X": 33,
		"Jets.At.Y": 33, "Times.offsets": 4, "Times": 2, "Tracks.Pt": 64, "Tracks.Hit.offsets": 65, "Tracks.Hit": 100, "run": 1}, counts)

	e := soa.Of[event](3, soa.Count("Jets", 4), soa.Count("Times", 2), soa.Count("Tracks", 2), soa.Count("Tracks.Hit", 5))
	require.NoError(t, e.Err())
	require.Equal(t, 4, e.Count("Jets"))
	require.NoError(t, e.SetLengths("Jets", []int{1, 0, 3}))
	require.NoError(t, e.SetLengths("Times", []int{0, 2, 0}))
	j := func(x float32) jet { return jet{x, [2]float32{x + 1, x + 2}, position{x + 3, x + 4}} }
	want := []event{
		{position: position{1, 2}, Vertex: position{3, 4}, Jets: []jet{j(10)}},
		{position: position{5, 6}, Times: []float64{0.5, 1.5}},
		{position: position{7, 8}, Jets: []jet{j(20), j(30), j(40)}},
	}
	for i, w := range want {
		e.At(i).Store(w)
	}
	for i, w := range want {
		require.Equal(t, w, e.At(i).Load())
	}
	require.PanicsWithValue(t, "soa: layout event: column Jets: 1 value for element 1, whose length is 0: set the lengths first, with SetLengths", func() { e.At(1).Store(want[0]) })

	jets, err := e.Block("Jets")
	require.NoError(t, err)
	require.Equal(t, "event.Jets{Pt f32; Dir f32[2]; At.X f32; At.Y f32}", jets.Layout().String())
	all, err := soa.ConstAs[jet](jets)
	require.NoError(t, err)
	require.Equal(t, 4, all.Len())
	require.Equal(t, j(30), all.At(2).Load())
	vertices, err := e.Block("Vertex")
	require.NoError(t, err)
	vertex, err := soa.As[position](vertices)
	require.NoError(t, err)
	vertex.At(2).Store(position{-1, -2})
	require.Equal(t, position{-1, -2}, e.At(2).Load().Vertex)

	tracks, err := e.Block("Tracks")
	require.NoError(t, err)
	require.Equal(t, "event.Tracks{Pt f32; Hit.offsets i64 offsets; Hit i32 values}", tracks.Layout().String())
	require.Equal(t, 2, tracks.Len())
	require.Equal(t, 5, tracks.Count("Hit"))
	type track struct {
		Pt  float32
		Hit []int32
	}
	tr, err := soa.As[track](tracks)
	require.NoError(t, err)
	require.NoError(t, tracks.SetLengths("Hit", []int{3, 2}))
	tr.At(1).Store(track{1, []int32{8, 9}})
	require.Equal(t, track{1, []int32{8, 9}}, tr.At(1).Load())
	hits, err := soa.Elements[int32](e.Col("Tracks.Hit"))
	require.NoError(t, err)
	require.Equal(t, []int32{0, 0, 0, 8, 9}, hits)
	offsets, err := soa.Elements[int64](e.Col("Tracks.Hit").Offsets())
	require.NoError(t, err)
	require.Equal(t, []int64{0, 3, 5}, offsets)
	_, err = e.Block("Run")
	require.ErrorContains(t, err, "layout event: there are no columns Run.…")

	require.EqualError(t, e.SetLengths("Jets", []int{1}), "layout event: column Jets.offsets: 1 length for 3 elements")
	require.EqualError(t, e.SetLengths("Jets", []int{1, 2, 2}), "layout event: column Jets.offsets: element 2 has 2 values, 5 with those before it: there is room for 4, which the option soa.Count sets")
	require.EqualError(t, e.SetLengths("Jets", []int{1, -1, 2}), "layout event: column Jets.offsets: element 1 has -1 values, 0 with those before it: there is room for 4, which the option soa.Count sets")
	require.ErrorIs(t, e.Columns.Const().SetLengths("Jets", []int{1, 1, 1}), soa.ErrReadOnly)

	// Offsets are data: nonsense there must not read elsewhere.
	o, err := soa.Elements[int64](e.Col("Times.offsets"))
	require.NoError(t, err)
	o[1] = 1 << 40
	require.PanicsWithValue(t, "soa: layout event: column Times: the offsets of element 0 are 0 and 1099511627776: want ascending numbers from 0 to 2", func() { e.At(0).Load() })
}

// Several layouts, one view.
func TestJoin(t *testing.T) {
	type momentum struct{ Px, Py float64 }
	a, b := soa.Of[position](5), soa.Of[momentum](5)
	both, err := soa.Join("particle", a.Columns, b.Columns)
	require.NoError(t, err)
	require.Equal(t, "particle{X f32; Y f32; Px f64; Py f64}", both.Layout().String())
	type particle struct {
		position
		momentum
	}
	p, err := soa.As[particle](both)
	require.NoError(t, err)
	p.At(4).Store(particle{position{1, 2}, momentum{3, 4}})
	require.Equal(t, position{1, 2}, a.At(4).Load())
	require.Equal(t, momentum{3, 4}, b.At(4).Load())

	_, err = soa.Join("j", a.Columns, soa.Of[momentum](4).Columns)
	require.EqualError(t, err, "layout j: 4 elements of momentum, but 5 of position: joined columns have one number of elements")
	_, err = soa.Join("j", a.Columns, a.Columns)
	require.EqualError(t, err, "layout j: there are two columns X")
	_, err = soa.Join("j")
	require.EqualError(t, err, "layout j: there is nothing to join")
	half, err := soa.Join("particle", a.Columns, b.Const().Columns)
	require.NoError(t, err)
	_, err = soa.As[particle](half)
	require.EqualError(t, err, "layout particle: it is read only")
}

// The first column of a block may be jagged.
func TestBlockBeginsJagged(t *testing.T) {
	type track struct {
		Hit []int32
		Pt  float32
	}
	type event struct {
		Tracks track `soa:",block"`
	}
	e := soa.Of[event](1, soa.Count("Tracks", 2), soa.Count("Tracks.Hit", 3))
	require.NoError(t, e.Err())
	block, err := e.Block("Tracks")
	require.NoError(t, err)
	require.NoError(t, block.SetLengths("Hit", []int{1, 2}))
	tracks, err := soa.As[track](block)
	require.NoError(t, err)
	want := track{Hit: []int32{7, 8}, Pt: 9}
	tracks.At(1).Store(want)
	require.Equal(t, want, tracks.At(1).Load())
}
