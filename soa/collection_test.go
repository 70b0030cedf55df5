package soa_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// filled returns points of n elements: component k of element i is 100*i + k.
func filled(t *testing.T, n int) *soa.Records[point] {
	p := soa.Of[point](n)
	require.NoError(t, p.Err())
	for i := range n {
		f := float64(100 * i)
		p.At(i).Store(point{
			A: [3]float64{f, f + 1, f + 2}, B: [3]float64{f + 3, f + 4, f + 5},
			C: [2][2]float32{{float32(f) + 6, float32(f) + 7}, {float32(f) + 8, float32(f) + 9}},
			X: f + 10, Y: f + 11, Z: f + 12,
		})
	}
	require.NoError(t, soa.SetScalar(p.Columns, "Type", float32(4)))
	return p
}

func values[T soa.Element](t *testing.T, v soa.View) []T {
	t.Helper()
	require.NoError(t, v.Check())
	dense := soa.Make(v.Type)
	require.NoError(t, soa.Copy(dense, v))
	return soa.Slice[T](dense)
}

// The ancestor's test of its interface, and of one element: every kind of
// tensor, read through its strides, is what the elements say.
func TestCollection(t *testing.T) {
	for _, n := range []int{64, 1, 31, 32, 33} {
		p := filled(t, n)
		c := soa.NewCollection(n)
		require.NoError(t, c.Add("vector", p.Col("A"), p.Col("B")))
		require.NoError(t, c.Add("matrix", p.Col("C")))
		require.NoError(t, c.Add("column", p.Col("X"), p.Col("Y"), p.Col("Z")))
		require.NoError(t, c.Add("scalar", p.Col("Type")))
		require.NoError(t, c.Add("single_column", p.Col("Z")))
		require.NoError(t, c.Add("single_vector", p.Col("B")))
		require.Equal(t, []string{"vector", "matrix", "column", "scalar", "single_column", "single_vector"}, c.Names())
		require.NoError(t, c.ChangeOrder("column", "scalar", "matrix", "vector", "single_column", "single_vector"))
		require.Equal(t, 6, c.Len())
		require.Equal(t, n, c.Elements())
		f64, f32 := (n+15)/16*16, (n+31)/32*32 // a column's stride
		for i, want := range []struct {
			t       types.Type
			strides []int
			at      func(i, k int) float64
		}{
			{types.Of(types.F64, n, 3), []int{1, f64}, func(i, k int) float64 { return float64(100*i + 10 + k) }},
			{types.Of(types.F32, n, 1), []int{0, 0}, func(i, k int) float64 { return 4 }},
			{types.Of(types.F32, n, 2, 2), []int{1, f32, 2 * f32}, func(i, k int) float64 { return float64(100*i + 6 + k) }},
			{types.Of(types.F64, n, 2, 3), []int{1, 3 * f64, f64}, func(i, k int) float64 { return float64(100*i + k) }},
			{types.Of(types.F64, n, 1), []int{1, 0}, func(i, k int) float64 { return float64(100*i + 12) }},
			{types.Of(types.F64, n, 3), []int{1, f64}, func(i, k int) float64 { return float64(100*i + 3 + k) }},
		} {
			v := c.Tensor(i)
			require.Equal(t, want.t, v.Type)
			require.Equal(t, want.strides, v.Strides)
			require.Nil(t, v.Table)
			var got []float64
			if v.Type.DType == types.F64 {
				got = values[float64](t, v)
			} else {
				for _, x := range values[float32](t, v) {
					got = append(got, float64(x))
				}
			}
			for j, x := range got {
				per := len(got) / n
				require.Equal(t, want.at(j/per, j%per), x)
			}
		}
		require.Zero(t, c.Copied())
	}
}

// The ancestor's tests without elements and without tensors.
func TestCollectionEmpty(t *testing.T) {
	p := soa.Of[point](0)
	c := soa.NewCollection(0)
	for i, cols := range [][]soa.Column{
		{p.Col("A"), p.Col("B")}, {p.Col("C")}, {p.Col("X"), p.Col("Y"), p.Col("Z")}, {p.Col("X"), p.Col("Z"), p.Col("Y")}, {p.Col("Type")}, {p.Col("Z")}, {p.Col("B")},
	} {
		require.NoError(t, c.Add(fmt.Sprint(i), cols...))
		require.Zero(t, c.Tensor(i).Type.Shape[0])
		require.NoError(t, c.Tensor(i).Check())
	}
	require.NoError(t, c.Writable(nil))
	require.NoError(t, c.AddBatched("b", 0, p.Col("X")))
	require.Zero(t, c.Batches())

	none := soa.NewCollection(3)
	require.Zero(t, none.Len())
	require.Empty(t, none.Names())
	require.NoError(t, none.ChangeOrder())
	require.Equal(t, 1, none.Batches())
	require.Equal(t, "3 elements", none.String())
}

// Columns that are not neighbours: at equal distances one tensor, else a table,
// also of several buffers.
func TestCollectionGathers(t *testing.T) {
	p, q := filled(t, 5), filled(t, 5)
	own := []float64{-1, -2, -3, -4, -5}
	c := soa.NewCollection(5)
	require.NoError(t, c.Add("xz", p.Col("X"), p.Col("Z")))
	require.NoError(t, c.Add("zyx", p.Col("Z"), p.Col("Y"), p.Col("X")))
	require.NoError(t, c.Add("yxz", p.Col("Y"), p.Col("X"), p.Col("Z")))
	require.NoError(t, c.Add("two", q.Col("X"), p.Col("X"), soa.ColumnOf("own", own)))
	require.NoError(t, c.Add("vectors", p.Col("A"), q.Col("B"), p.Col("B")))
	require.NoError(t, c.Add("component", p.Col("A").Component(2), p.Col("X")))
	for i, want := range []struct {
		strides []int
		table   int
		second  []float64 // element 1
	}{
		{[]int{1, 32}, 0, []float64{110, 112}},
		{[]int{1, -16}, 0, []float64{112, 111, 110}},
		{[]int{1, 0}, 3, []float64{111, 110, 112}},
		{[]int{1, 0}, 3, []float64{110, 110, -2}},
		{[]int{1, 0, 16}, 3, []float64{100, 101, 102, 103, 104, 105, 103, 104, 105}},
		{[]int{1, 128}, 0, []float64{102, 110}},
	} {
		v := c.Tensor(i)
		require.Equal(t, want.strides, v.Strides)
		require.Len(t, v.Table, want.table)
		per := len(want.second)
		require.Equal(t, want.second, values[float64](t, v)[per:2*per])
	}
	require.Equal(t, `5 elements
xz: f64[5,2] strides [1 32] of X, Z
zyx: f64[5,3] strides [1 -16] of Z, Y, X
yxz: f64[5,3] strides [1 0] table along axis 1 of Y, X, Z
two: f64[5,3] strides [1 0] table along axis 1 of X, X, own
vectors: f64[5,3,3] strides [1 0 16] table along axis 1 of A, B, B
component: f64[5,2] strides [1 128] of A[2], X`, c.String())
}

// The ancestor puts the name of a tensor that is added twice into its order
// twice, and takes any names for a new order.
func TestCollectionOrderSurvivesBadNames(t *testing.T) {
	p := filled(t, 2)
	c := soa.NewCollection(2)
	require.NoError(t, c.Add("x", p.Col("X")))
	require.NoError(t, c.Add("y", p.Col("Y")))
	require.EqualError(t, c.Add("x", p.Col("Z")), "collection: there is a tensor x already: layout point: column Z")
	require.Equal(t, []string{"x", "y"}, c.Names())
	for want, names := range map[string][]string{
		"change of order: there is no tensor z: there are x, y": {"x", "z"},
		"change of order: tensor x is named twice":              {"x", "x"},
		"change of order: tensor y is not named":                {"x"},
	} {
		require.EqualError(t, c.ChangeOrder(names...), want)
	}
	require.ErrorContains(t, c.ChangeOrder("x", "y", "x"), "named twice")
	require.Equal(t, []string{"x", "y"}, c.Names())
	require.NoError(t, c.ChangeOrder("y", "x"))
	require.Equal(t, []string{"y", "x"}, c.Names())
	require.Equal(t, []float64{11, 111}, values[float64](t, c.Tensor(0)))
	v, err := c.Lookup("x")
	require.NoError(t, err)
	require.Equal(t, []float64{10, 110}, values[float64](t, v))
	_, err = c.Lookup("z")
	require.EqualError(t, err, "collection: there is no tensor z: there are y, x")
}

func TestCollectionErrors(t *testing.T) {
	p, long := filled(t, 5), filled(t, 20)
	e := soa.Of[event](5)
	c := soa.NewCollection(5)
	rows, err := soa.Strided(make([]float64, 10), types.Of(types.F64, 5), 0, []int{2})
	require.NoError(t, err)
	cube := soa.Make(types.Of(types.F32, 5, 2, 2, 2))
	longAs, err := long.Col("A").View()
	require.NoError(t, err)
	head, err := longAs.Slice(0, 0, 5, 1)
	require.NoError(t, err)
	alone := soa.Make(types.Of(types.F32))
	for _, tt := range []struct {
		columns []soa.Column
		want    string
	}{
		{nil, "tensor t: it has no columns"},
		{[]soa.Column{p.Col("X"), p.Col("W")}, "tensor t: layout point: there is no column W: there are A, B, C, X, Y, Z, Type, SomeNumber"},
		{[]soa.Column{p.Col("X"), p.Col("C")}, "tensor t: layout point: column C: the dtype is f32, but layout point: column X has f64: all columns of a tensor have one dtype"},
		{[]soa.Column{p.Col("X"), p.Col("A")}, "tensor t: layout point: column A: an element is f64[3], but an element of layout point: column X is f64[]"},
		{[]soa.Column{p.Col("Type"), p.Col("SomeNumber")}, "tensor t: layout point: column SomeNumber: the dtype is i32, but layout point: column Type has f32: all columns of a tensor have one dtype"},
		{[]soa.Column{long.Col("X")}, "tensor t: layout point: column X: it has 20 elements, not 5"},
		{[]soa.Column{e.Col("Jets.Pt")}, "tensor t: layout event: column Jets.Pt: it is part of a jagged column: add it with AddRagged or AddPadded"},
		{[]soa.Column{p.Col("X"), soa.ViewColumn("rows", rows)}, "tensor t: column rows: it has strides [2], but layout point: column X has [1]: they cannot be one tensor in place"},
		{[]soa.Column{p.Col("A"), soa.ViewColumn("head", head)}, "tensor t: column head: it has strides [1 32], but layout point: column A has [1 16]: they cannot be one tensor in place"},
		{[]soa.Column{p.Col("X"), soa.ViewColumn("cube", cube)}, "tensor t: column cube: the dtype is f32, but layout point: column X has f64: all columns of a tensor have one dtype"},
		{[]soa.Column{soa.ViewColumn("alone", alone)}, "tensor t: column alone: f32[] has no dimension that counts elements"},
	} {
		require.EqualError(t, c.Add("t", tt.columns...), tt.want)
	}
	require.Zero(t, c.Len())
	shifted := soa.Wrap(soa.NewAligned(64, 64).Bytes()[1:]).View(types.Of(types.F32, 5))
	require.EqualError(t, c.Add("t", soa.ViewColumn("v", shifted)), "tensor t: column v: f32[5] starts 1 byte after a multiple of 4: copy its bytes to a buffer of New")
	require.EqualError(t, c.Add("t", soa.Column{}), "tensor t: column : it is the zero Column: make a column with Columns.Col or ViewColumn")
	require.EqualError(t, c.Add("", p.Col("X")), "collection: a tensor without a name")
	require.EqualError(t, soa.NewCollection(-1).Add("t", p.Col("X")), "tensor t: the collection was made for -1 elements: give NewCollection at least 0")
}

func firstDims(views []soa.View) (all []int) {
	for _, v := range views {
		all = append(all, v.Type.Shape[0])
	}
	return all
}

func TestBatches(t *testing.T) {
	p, q := filled(t, 70), filled(t, 70)
	c := soa.NewCollection(70)
	require.NoError(t, c.AddBatched("xyz", 32, p.Col("X"), p.Col("Y"), p.Col("Z")))
	require.NoError(t, c.AddBatched("gathered", 32, p.Col("X"), q.Col("Y")))
	require.NoError(t, c.AddBatched("scalar", 32, p.Col("Type")))
	require.NoError(t, c.Add("all", p.Col("C")))
	require.Equal(t, 3, c.Batches())
	whole, _ := c.Lookup("xyz")
	all, gathered := values[float64](t, whole), values[float64](t, c.Tensor(1))
	require.NoError(t, c.ChangeOrder("all", "xyz", "gathered", "scalar"))
	var b soa.Collection
	var kept []soa.View
	for k, i := range []int{2, 0, 1, 2} {
		require.NoError(t, c.Batch(i, &b))
		n := min(32, 70-32*i)
		kept = append(kept, b.Tensor(2))
		require.Equal(t, []int{6, 32, 32, 6}[:k+1], firstDims(kept), "a batch that came later has changed the shape of one before")
		require.Equal(t, n, b.Elements())
		require.Equal(t, c.Names(), b.Names())
		require.Equal(t, 70, b.Tensor(0).Type.Shape[0])
		require.Equal(t, types.Of(types.F64, n, 3), b.Tensor(1).Type)
		require.Equal(t, all[3*32*i:][:3*n], values[float64](t, b.Tensor(1)))
		require.Equal(t, gathered[2*32*i:][:2*n], values[float64](t, b.Tensor(2)))
		require.Equal(t, types.Of(types.F32, n, 1), b.Tensor(3).Type)
	}
	require.Equal(t, types.Of(types.F64, 70, 3), c.Tensor(1).Type)
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = c.Batch(1, &b) }))
	require.EqualError(t, c.Batch(3, &b), "collection: batch 3 is out of range: the batches are 0 to 2: tensor xyz: layout point: column X: a batch has 32 of 70 elements")
	require.EqualError(t, c.Batch(-1, &b), "collection: batch -1 is out of range: the batches are 0 to 2: tensor xyz: layout point: column X: a batch has 32 of 70 elements")
	require.EqualError(t, c.Batch(1, c), "collection: into is the collection itself: give Batch(1) another collection to set")
	require.EqualError(t, c.AddBatched("x", 8, p.Col("X")), "tensor x: a batch has 8 of 70 elements, but a batch of tensor xyz has 32: all must have one size")
	require.EqualError(t, c.AddBatched("x", 33, p.Col("X")), "tensor x: a batch has 33 of 70 elements, but a batch of tensor xyz has 32: all must have one size")
	require.EqualError(t, c.AddBatched("x", 0, p.Col("X")), "tensor x: the size of a batch is 0: it must be at least 1")
	require.EqualError(t, c.AddBatched("xyz", 32, p.Col("X")), "collection: there is a tensor xyz already: layout point: column X")
	require.EqualError(t, c.AddBatched("jets", 32, soa.Of[event](70).Col("Jets.Pt")),
		"tensor jets: layout event: column Jets.Pt: it is part of a jagged column: pad it in a second collection with AddPadded, and add the padded tensor here as a ViewColumn")
	require.Equal(t, 4, c.Len())
	uncut := soa.NewCollection(70)
	require.NoError(t, uncut.Add("all", p.Col("C")))
	require.EqualError(t, uncut.Batch(1, &b), "collection: batch 1 is out of range: the only batch is 0: no tensor is cut into batches")
}

// A clone of a batch stays that of its elements when the batch is made into that of
// others, and a batch made into a clone leaves the collection as it was.
func TestClonesOfBatches(t *testing.T) {
	p, q := filled(t, 70), filled(t, 70)
	c := soa.NewCollection(70)
	require.NoError(t, c.AddBatched("gathered", 32, p.Col("X"), q.Col("Y")))
	require.NoError(t, c.AddBatched("xyz", 32, p.Col("X"), p.Col("Y"), p.Col("Z")))
	var b soa.Collection
	require.NoError(t, c.Batch(0, &b))
	first := b.Clone()
	gathered, xyz := values[float64](t, b.Tensor(0)), values[float64](t, b.Tensor(1))
	require.NoError(t, c.Batch(2, &b))
	require.Equal(t, gathered, values[float64](t, first.Tensor(0)))
	require.Equal(t, xyz, values[float64](t, first.Tensor(1)))

	all := values[float64](t, c.Tensor(0))
	require.NoError(t, c.Batch(2, c.Clone()))
	require.Equal(t, all, values[float64](t, c.Tensor(0)))
	require.Equal(t, types.Of(types.F64, 70, 3), c.Tensor(1).Type)
}

func TestJaggedTensors(t *testing.T) {
	type shower struct{ Hits []position }
	s := soa.Of[shower](3, soa.Count("Hits", 5))
	require.NoError(t, s.SetLengths("Hits", []int{2, 0, 3}))
	for i, n := range []int{2, 0, 3} {
		var h []position
		for k := range n {
			h = append(h, position{float32(10*i + k), float32(-10*i - k)})
		}
		s.At(i).Store(shower{h})
	}
	c := soa.NewCollection(3)
	require.NoError(t, c.AddRagged("hits", s.Col("Hits.X"), s.Col("Hits.Y")))
	require.Equal(t, []string{"hits", "hits.offsets"}, c.Names())
	require.Equal(t, types.Of(types.F32, 5, 2), c.Tensor(0).Type)
	require.Equal(t, []float32{0, 0, 1, -1, 20, -20, 21, -21, 22, -22}, values[float32](t, c.Tensor(0)))
	require.Equal(t, []int64{0, 2, 2, 5}, values[int64](t, c.Tensor(1)))
	require.Zero(t, c.Copied())

	require.NoError(t, c.AddPadded("p", 2, s.Col("Hits.X"), s.Col("Hits.Y")))
	require.Equal(t, types.Of(types.F32, 3, 2, 2), c.Tensor(2).Type)
	require.Equal(t, []float32{0, 0, 1, -1, 0, 0, 0, 0, 20, -20, 21, -21}, values[float32](t, c.Tensor(2)))
	require.Equal(t, []bool{true, true, false, false, true, true}, values[bool](t, c.Tensor(3)))
	require.EqualValues(t, 32, c.Copied())
	require.NoError(t, s.SetLengths("Hits", []int{1, 1, 1}))
	require.NoError(t, c.Refresh())
	require.Equal(t, []float32{0, 0, 0, 0, 1, -1, 0, 0, 20, -20, 0, 0}, values[float32](t, c.Tensor(2)))
	require.EqualValues(t, 56, c.Copied())

	// Of any memory, such as a file's arrays.
	j := soa.JaggedColumn(soa.ColumnOf("c_pt", []float32{1, 2, 3}), soa.ColumnOf("c_offset", []int64{0, 1, 3, 3}))
	require.NoError(t, c.AddPadded("pt", 4, j))
	require.Equal(t, []float32{1, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0}, values[float32](t, c.Tensor(4)))
	bad := soa.JaggedColumn(soa.ColumnOf("c_pt", []float32{1, 2, 3}), soa.ColumnOf("c_offset", []int64{0, 1, 0, 3}))
	require.EqualError(t, c.AddPadded("bad", 4, bad), "tensor bad: column c_pt: the offsets of element 1 are 1 and 0: want ascending numbers from 0 to 3")
	bad = soa.JaggedColumn(soa.ColumnOf("c_pt", []float32{1, 2, 3}), soa.ColumnOf("c_offset", []int32{0, 1, 3, 3}))
	require.EqualError(t, c.AddPadded("bad", 4, bad), "tensor bad: column c_offset: its type is i32[4]: offsets must be a column of i64, with at least one entry")
	require.EqualError(t, c.AddRagged("bad", j, s.Col("Hits.X")), "tensor bad: layout shower: column Hits.X: its offsets are not those of column c_pt")
	require.EqualError(t, soa.NewCollection(4).AddRagged("bad", j), "tensor bad: column c_pt: it has 4 offsets, want one more than the 4 elements of the collection")
	require.EqualError(t, c.AddRagged("bad", soa.ColumnOf("x", []float32{1})), "tensor bad: column x: it is not jagged")
	o := soa.ColumnOf("o", []int64{0, 1, 1, 1})
	require.EqualError(t, soa.JaggedColumn(soa.JaggedColumn(soa.ColumnOf("v", []float32{1}), o), o).Err(), "column v: its kind is values: the values of a jagged column must be a plain column")
	empty := soa.JaggedColumn(soa.ViewColumn("v", soa.Make(types.Of(types.F32, 1, 0))), o)
	require.ErrorIs(t, c.AddPadded("bad", 1<<50, empty), soa.ErrMemory, "of the mask alone")
}

// Elements may be of any rank: images, say.
func TestElementsOfColumnsHaveAnyRank(t *testing.T) {
	images, err := soa.Borrow(make([]float32, 5*3*4*2), types.Of(types.F32, 5, 3, 4, 2))
	require.NoError(t, err)
	for i := range soa.Slice[float32](images) {
		soa.Slice[float32](images)[i] = float32(i)
	}
	c := soa.NewCollection(5)
	require.NoError(t, c.AddBatched("x", 2, soa.ViewColumn("images", images)))
	require.NoError(t, c.AddBatched("pair", 2, soa.ViewColumn("a", images), soa.ViewColumn("b", images)))
	tensor := c.Tensor(0)
	require.True(t, tensor.IsDense())
	require.Equal(t, types.Of(types.F32, 5, 2, 3, 4, 2), c.Tensor(1).Type)
	var batch soa.Collection
	require.NoError(t, c.Batch(2, &batch))
	require.Equal(t, types.Of(types.F32, 1, 3, 4, 2), batch.Tensor(0).Type)
	last := soa.Make(batch.Tensor(0).Type)
	require.NoError(t, soa.Copy(last, batch.Tensor(0)))
	require.Equal(t, float32(4*24), soa.Slice[float32](last)[0])
	pair := soa.Make(batch.Tensor(1).Type)
	require.NoError(t, soa.Copy(pair, batch.Tensor(1)))
	require.Equal(t, float32(4*24+23), soa.Slice[float32](pair)[47])

	// Of outputs, shared memory is found.
	other := soa.NewCollection(5)
	require.NoError(t, other.Add("y", soa.ViewColumn("images", images)))
	one := soa.NewCollection(5)
	require.NoError(t, one.Add("x", soa.ViewColumn("images", images)))
	require.ErrorContains(t, other.Writable(one), "output y: column images: its memory is also that of input x")
}
