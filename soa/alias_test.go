package soa_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

func collection(t *testing.T, n int, columns ...[]soa.Column) *soa.Collection {
	c := soa.NewCollection(n)
	for i, list := range columns {
		require.NoError(t, c.Add(string(rune('a'+i)), list...))
	}
	return c
}

func TestWritable(t *testing.T) {
	type list = []soa.Column
	p := filled(t, 40)
	in := collection(t, 40, list{p.Col("X"), p.Col("Y")}, list{p.Col("C")})
	require.NoError(t, collection(t, 40, list{p.Col("Z")}, list{p.Col("A"), p.Col("B")}).Writable(in))
	mem := make([]float64, 120)
	every := func(k, n int) soa.Column {
		v, err := soa.Strided(mem, types.Of(types.F64, n), k, []int{3})
		require.NoError(t, err)
		return soa.ViewColumn("mem", v)
	}
	// Fields of elements that lie one after the other: each third number.
	require.NoError(t, collection(t, 40, list{every(0, 40)}, list{every(1, 40)}).Writable(collection(t, 40, list{every(2, 40)})))
	back, err := soa.Strided(mem, types.Of(types.F64, 40), 39, []int{-1})
	require.NoError(t, err)
	for _, tt := range []struct {
		out  *soa.Collection
		in   *soa.Collection
		want string
	}{
		{collection(t, 40, list{p.Col("Z")}, list{p.Col("Y"), p.Col("Z")}), nil, "output a: layout point: column Z: its memory is also that of output b, layout point: column Z"},
		{collection(t, 40, list{p.Col("Y")}), in, "output a: layout point: column Y: its memory is also that of input a, layout point: column Y"},
		{collection(t, 40, list{p.Col("C").Component(0, 1)}), in, "output a: layout point: column C[0 1]: its memory is also that of input b, layout point: column C"},
		{collection(t, 40, list{p.Col("Type")}), nil, "output a: layout point: column Type: its elements share memory: give each element memory of its own"},
		{collection(t, 40, list{p.Col("X"), p.Col("X")}), nil, "output a: layout point: column X: its elements share memory: give each element memory of its own"},
		{collection(t, 40, list{p.Col("X"), p.Col("Y"), p.Col("X")}), nil, "output a: layout point: column X: its memory is also that of output a, layout point: column X"},
		{collection(t, 40, list{p.Const().Col("Z")}), nil, "output a: layout point: column Z: it is read only"},
		{collection(t, 40, list{soa.ViewColumn("back", back)}), collection(t, 40, list{every(1, 40)}), "output a: column back: its memory is also that of input a, column mem"},
	} {
		require.EqualError(t, tt.out.Writable(tt.in), tt.want)
	}
	one := filled(t, 1)
	require.NoError(t, collection(t, 1, list{one.Col("Type")}).Writable(nil))
}

// Elements of many components that lie row by row, such as images, are compared at once,
// and inputs with outputs only: pairs of their components are billions.
func TestWritableComparesImagesAtOnce(t *testing.T) {
	const n, side = 4, 200
	mem := make([]float32, 3*n*side*side)
	channel := func(k int) soa.Column {
		v, err := soa.Strided(mem, types.Of(types.F32, n, side, side), k, []int{3 * side * side, 3 * side, 3})
		require.NoError(t, err)
		return soa.ViewColumn("channel", v)
	}
	images := func() soa.Column { return soa.ViewColumn("image", soa.Make(types.Of(types.F32, n, side, side))) }
	type list = []soa.Column
	out := list{images()}
	in := collection(t, n, list{channel(0)}, list{channel(1)}, list{images()})
	trials.Soon(t, 5*time.Second, func() { require.NoError(t, collection(t, n, out).Writable(in)) })
	require.EqualError(t, collection(t, n, out).Writable(collection(t, n, list{channel(0)}, out)),
		"output a: column image: its memory is also that of input b, column image")
}

// Memory that is released while a run uses it goes when the run is done.
func TestAcquire(t *testing.T) {
	off, err := soa.OffHeap(4096)
	require.NoError(t, err)
	p := soa.Of[position](40, soa.In(off, 0))
	require.NoError(t, p.Err())
	p.At(7).Store(position{1, 2})
	q := soa.Of[position](40)
	c := collection(t, 40, []soa.Column{q.Col("X")}, []soa.Column{p.Col("X"), p.Col("Y")})
	require.NoError(t, c.Acquire())
	row := p.At(7)
	off.Release()
	require.EqualError(t, c.Acquire(), "tensor b: layout position: column X: its memory was released")
	require.Equal(t, position{1, 2}, row.Load())
	c.Done()
	require.ErrorIs(t, c.Acquire(), soa.ErrReleased)
	require.EqualError(t, c.Add("c", p.Col("X")), "tensor c: layout position: column X: its memory was released")
	live := collection(t, 40, []soa.Column{q.Col("X")})
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if live.Acquire() == nil {
			live.Done()
		}
	}))
}

// Columns of records span each other, and those of thousands are not compared in pairs.
func TestWritableRecords(t *testing.T) {
	const n, fields = 3, 30_000
	mem := make([]float32, n*fields)
	field := func(k int) soa.Column {
		v, err := soa.Strided(mem, types.Of(types.F32, n), k, []int{fields})
		require.NoError(t, err)
		return soa.ViewColumn("field", v)
	}
	var even, odd []soa.Column
	for k := range fields / 2 {
		even, odd = append(even, field(2*k)), append(odd, field(2*k+1))
	}
	out, in := collection(t, n, even), collection(t, n, odd)
	trials.Soon(t, 4*time.Second, func() { require.NoError(t, out.Writable(in)) })
	require.NoError(t, in.Add("last", field(fields-2)))
	require.EqualError(t, out.Writable(in), "output a: column field: its memory is also that of input last, column field")
}

// Whether results lie over inputs or each other is what a comparison of bytes says,
// where strides are alike.
func TestWritableRandomly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mem := make([]uint16, 400)
	shared, apart := 0, 0
	for range 20_000 {
		stride := 1 + r.IntN(6)
		touched := map[int]int{} // by outputs: 1 and more, by inputs: -1
		clash := false
		out, in := soa.NewCollection(5), soa.NewCollection(5)
		for k := range 1 + r.IntN(6) {
			to, output := in, r.IntN(2) == 0
			if output {
				to = out
			}
			at, step := r.IntN(120), stride
			if r.IntN(4) == 0 {
				at, step = at+4*stride, -stride
			}
			wide := 1 + r.IntN(2)
			v, err := soa.Strided(mem, types.Of(types.U16, 5, wide), at, []int{step, 1})
			require.NoError(t, err)
			require.NoError(t, to.Add(string(rune('a'+k)), soa.ViewColumn("v", v)))
			for i := range 5 * wide {
				e := at + i/wide*step + i%wide
				clash = clash || touched[e] == 1 || touched[e] == -1 && output
				if output {
					touched[e] = 1
				} else if touched[e] == 0 {
					touched[e] = -1
				}
			}
		}
		if clash {
			shared++
		} else {
			apart++
		}
		require.Equal(t, clash, out.Writable(in) != nil, "%v\n%v", out, in)
	}
	require.Greater(t, min(shared, apart), 1000)
}
