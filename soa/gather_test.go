package soa_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// The arrays of a .npz file as records, in place.
func TestGatherArchive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jets.npz")
	array := func(name string, v soa.View, err error) npy.Entry {
		require.NoError(t, err)
		return npy.Entry{Name: name, View: v}
	}
	f32 := func(name string, x ...float32) npy.Entry {
		v, err := soa.Borrow(x, types.Of(types.F32, len(x)))
		return array(name, v, err)
	}
	offsets, err := soa.Borrow([]int64{0, 2, 2, 5}, types.Of(types.I64, 4))
	require.NoError(t, npy.WriteArchive(path, []npy.Entry{
		f32("pt", 10, 20, 30), f32("eta", 1, 2, 3), f32("c_pt", 1, 2, 3, 4, 5), f32("c_eta", 6, 7, 8, 9, 10), array("c_offset", offsets, err),
	}))
	entries, err := npy.ReadArchive(path)
	require.NoError(t, err)
	column := map[string]soa.Column{}
	for _, e := range entries {
		column[e.Name] = soa.ViewColumn(e.Name, e.View)
	}
	o := column["c_offset"].Named("Parts.offsets")
	c, err := soa.Gather("jets", column["pt"].Named("Pt"),
		soa.JaggedColumn(column["c_pt"].Named("Parts.Pt"), o), soa.JaggedColumn(column["c_eta"].Named("Parts.Eta"), o), column["eta"].Named("Eta"))
	require.NoError(t, err)
	require.Equal(t, "jets{Pt f32; Parts.offsets i64 offsets; Parts.Pt f32 values; Parts.Eta f32 values; Eta f32}", c.Layout().String())
	type part struct{ Pt, Eta float32 }
	type jet struct {
		Pt, Eta float32
		Parts   []part
	}
	jets, err := soa.As[jet](c)
	require.NoError(t, err)
	require.Equal(t, 3, jets.Len())
	require.Equal(t, jet{10, 1, []part{{1, 6}, {2, 7}}}, jets.At(0).Load())
	require.Equal(t, jet{30, 3, []part{{3, 8}, {4, 9}, {5, 10}}}, jets.At(2).Load())
	jets.At(1).Store(jet{Pt: 7, Eta: 8})
	require.Equal(t, []float32{10, 7, 30}, soa.Slice[float32](entries[0].View))
	in := soa.NewCollection(3)
	require.NoError(t, in.Add("kinematics", c.Col("Eta"), c.Col("Pt")))
	require.NoError(t, in.AddPadded("parts", 2, c.Col("Parts.Pt"), c.Col("Parts.Eta")))
	require.Equal(t, []float32{1, 10, 8, 7, 3, 30}, values[float32](t, in.Tensor(0)))
	require.Equal(t, []float32{1, 6, 2, 7, 0, 0, 0, 0, 3, 8, 4, 9}, values[float32](t, in.Tensor(1)))
}

func TestGather(t *testing.T) {
	mem := make([]float32, 24)
	for i := range mem {
		mem[i] = float32(i)
	}
	view := func(name string, strides []int, shape ...int) soa.Column {
		v, err := soa.Strided(mem, types.Of(types.F32, shape...), 0, strides)
		require.NoError(t, err)
		return soa.ViewColumn(name, v)
	}
	c, err := soa.Gather("g", view("V", []int{1, 5}, 4, 3), view("M", []int{1, 4, 8}, 4, 2, 3), view("Row", []int{1, 3, 4}, 4, 1, 3), soa.ColumnOf("B", make([]bool, 4)).Const())
	require.NoError(t, err)
	require.Equal(t, "g{V f32[3]; M f32[2,3]; Row f32[1,3]; B bool}", c.Layout().String())
	require.True(t, c.ReadOnly())
	r, err := soa.ConstAs[struct {
		V [3]float32
		M [2][3]float32
	}](c)
	require.NoError(t, err)
	e := r.At(1).Load()
	require.Equal(t, [3]float32{1, 6, 11}, e.V)
	require.Equal(t, [2][3]float32{{1, 9, 17}, {5, 13, 21}}, e.M)

	five := soa.ColumnOf("five", make([]float32, 5))
	o := soa.ColumnOf("J.offsets", []int64{0, 1, 2, 3, 5})
	for want, columns := range map[string][]soa.Column{
		"layout g: column V: its elements are not adjacent: their strides are [3 1]":                    {view("V", []int{3, 1}, 4, 3)},
		"layout g: column M: its components are not stored column by column: their strides are [1 8 4]": {view("M", []int{1, 8, 4}, 4, 2, 2)},
		"layout g: column five: it has 5 elements, and columns before it 4":                             {view("V", []int{1}, 4), five},
		"layout g: column five: its offsets are named J.offsets, not five.offsets: see Column.Named":    {soa.JaggedColumn(five, o)},
		"layout g: column J.Y: its offsets are not those of other columns of J":                         {soa.JaggedColumn(five.Named("J.X"), o), soa.JaggedColumn(five.Named("J.Y"), soa.ColumnOf("J.offsets", make([]int64, 5)))},
		"layout g: column J.Y: it has 4 values, and J.X 5":                                              {soa.JaggedColumn(five.Named("J.X"), o), soa.JaggedColumn(view("J.Y", []int{1}, 4), o)},
		"layout g: there are two columns five":                                                          {five, five},
		"layout g: there is nothing to gather":                                                          {},
		"layout g: layout point: there is no column W: there are A, B, C, X, Y, Z, Type, SomeNumber":    {soa.Of[point](1).Col("W")},
	} {
		_, err := soa.Gather("g", columns...)
		require.EqualError(t, err, want)
	}
}
