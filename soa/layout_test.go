package soa_test

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// point has what the layout of the CMS experiment's tests has.
type point struct {
	A, B    [3]float64
	C       [2][2]float32
	X, Y, Z float64
	Type    float32 `soa:",scalar"`
	Number  int32   `soa:"SomeNumber,scalar"`
}

// Offsets by the rule: each component and each scalar starts at a multiple of
// the alignment, and nothing lies between.
func TestLayoutOffsets(t *testing.T) {
	l, err := soa.LayoutOf[point]()
	require.NoError(t, err)
	require.Equal(t, "point{A f64[3]; B f64[3]; C f32[2,2]; X f64; Y f64; Z f64; Type f32 scalar; SomeNumber i32 scalar}", l.String())
	for _, c := range []struct {
		n       int
		offsets []int
		size    int
		strides []int // of A and C
	}{
		{0, []int{0, 0, 0, 0, 0, 0, 0, 128}, 256, []int{0, 0}},
		{1, []int{0, 384, 768, 1280, 1408, 1536, 1664, 1792}, 1920, []int{16, 32}},
		{7, []int{0, 384, 768, 1280, 1408, 1536, 1664, 1792}, 1920, []int{16, 32}},
		{32, []int{0, 768, 1536, 2048, 2304, 2560, 2816, 2944}, 3072, []int{32, 32}},
		{33, []int{0, 1152, 2304, 3328, 3712, 4096, 4480, 4608}, 4736, []int{48, 64}},
	} {
		fields, size, err := l.Place(c.n)
		require.NoError(t, err)
		offsets := make([]int, len(fields))
		for i, f := range fields {
			offsets[i] = f.Offset
		}
		require.Equal(t, c.offsets, offsets, "n = %d", c.n)
		require.Equal(t, c.size, size, "n = %d", c.n)
		require.Equal(t, c.strides, []int{fields[0].Stride, fields[2].Stride}, "n = %d", c.n)
	}
	tight, err := soa.LayoutOf[point](soa.Align(8))
	require.NoError(t, err)
	size, err := tight.Size(7)
	require.NoError(t, err)
	require.Equal(t, 3*56*2+4*32+3*56+8+8, size)
}

func TestLayoutErrors(t *testing.T) {
	of := func(_ *soa.Layout, err error) error { return err }
	for want, err := range map[string]error{
		"layout of float32: it is no struct":                                                   of(soa.LayoutOf[float32]()),
		"layout struct: it has no columns: the struct has no exported fields":                  of(soa.LayoutOf[struct{ x, y float32 }]()),
		"layout struct: column N: int has no fixed size: use int32 or int64":                   of(soa.LayoutOf[struct{ N int }]()),
		"layout struct: column S: no dtype holds string":                                       of(soa.LayoutOf[struct{ S string }]()),
		"layout struct: column P.X: no dtype holds *float32":                                   of(soa.LayoutOf[struct{ P struct{ X *float32 } }]()),
		"layout struct: column M: an element is a value, a vector or a matrix, not f32[2,2,2]": of(soa.LayoutOf[struct{ M [2][2][2]float32 }]()),
		"layout struct: column M: f32[0]: dimensions of an element are from 1 to 1048576":      of(soa.LayoutOf[struct{ M [0]float32 }]()),
		"layout struct: column J.J: a jagged column cannot be inside another jagged column":    of(soa.LayoutOf[struct{ J []struct{ J []float32 } }]()),
		"layout struct: there are two columns X": of(soa.LayoutOf[struct {
			X float32
			Y float32 `soa:"X"`
		}]()),
		`layout struct: column X: option "scaler" is unknown: the options are scalar and block`: of(soa.LayoutOf[struct {
			X float32 `soa:",scaler"`
		}]()),
		"layout struct: column X: a []float32 cannot be a scalar here": of(soa.LayoutOf[struct {
			X []float32 `soa:",scalar"`
		}]()),
		"layout struct: column X: a block must be a struct, not float32": of(soa.LayoutOf[struct {
			X float32 `soa:",block"`
		}]()),
		"layout struct: column B.X: a block cannot be inside another block or a jagged column": of(soa.LayoutOf[struct {
			B struct {
				X struct{ Y float32 } `soa:",block"`
			} `soa:",block"`
		}]()),
		"layout point: an alignment of 100 bytes is no power of two":                                  of(soa.LayoutOf[point](soa.Align(100))),
		"layout point: column A: an alignment of 4 bytes is less than an element's 8":                 of(soa.LayoutOf[point](soa.Align(4))),
		"layout point: the number of elements is -1: it must be at least 0":                           soa.Of[point](-1).Err(),
		"layout point: there is no block or jagged column X: Count cannot set its number of elements": soa.Of[point](1, soa.Count("X", 3)).Err(),
		"layout point: column A: not enough memory: it has 9223372036854775807 entries":               soa.Of[point](math.MaxInt).Err(),
		"layout struct: column J.offsets: not enough memory: it has 9223372036854775808 entries":      soa.Of[struct{ J []float32 }](math.MaxInt).Err(),
		"layout point: the buffer of In is nil":                                                       soa.Of[point](1, soa.In(nil, 0)).Err(),
		"layout point: columns 1 are nil": func() error {
			_, err := soa.Join("point", soa.Of[point](1).Columns, nil)
			return err
		}(),
	} {
		require.EqualError(t, err, want)
	}
	require.ErrorIs(t, soa.Of[point](1<<50).Err(), soa.ErrMemory)
	field := func(name string, k soa.Kind, of string) soa.Field {
		return soa.Field{Name: name, Kind: k, DType: types.I64, Of: of}
	}
	for want, fields := range map[string][]soa.Field{
		"layout L: column : it has no name":                                 {field("", soa.Plain, "")},
		"layout L: column V: there is no J.offsets before it":               {field("V", soa.Values, "J")},
		"layout L: column V: values must belong to a jagged column":         {field("V", soa.Values, "")},
		"layout L: column V: a column cannot belong to the jagged column J": {field("J.offsets", soa.Offsets, ""), field("V", soa.Plain, "J")},
		"layout L: there are two columns J.offsets":                         {field("J.offsets", soa.Offsets, ""), field("J.offsets", soa.Offsets, "")},
		"layout L: column J: offsets of column J are J.offsets":             {field("J", soa.Offsets, "")},
		"layout L: column X: its kind is unknown: kind(9)":                  {field("X", 9, "")},
		"layout L: column X: its dtype is invalid":                          {{Name: "X"}},
		"layout L: column J.offsets: offsets are i64, not f32[]":            {{Name: "J.offsets", Kind: soa.Offsets, DType: types.F32}},
	} {
		_, err := soa.NewLayout("L", fields)
		require.EqualError(t, err, want)
	}
}

func TestColumnsPrint(t *testing.T) {
	p := soa.Of[point](33)
	require.NoError(t, p.Err())
	require.Equal(t, `point: 33 elements, aligned to 128 bytes (enforced), 4736 bytes
  offset  bytes  stride  column
       0   1152      48  A f64[3]
    1152   1152      48  B f64[3]
    2304   1024      64  C f32[2,2]
    3328    384      48  X f64
    3712    384      48  Y f64
    4096    384      48  Z f64
    4480    128      32  Type f32 scalar
    4608    128      32  SomeNumber i32 scalar
`, p.String())
	require.Zero(t, uintptr(p.Base())%128)
	require.Equal(t, 4736, p.Bytes())
	require.Equal(t, 128, p.Layout().Alignment())
	require.True(t, p.Layout().Enforced())
}

// What is written element by element is in the columns where they should be.
func TestRecordsLieInTheirColumns(t *testing.T) {
	for _, n := range []int{1, 7, 31, 32, 33, 64} {
		p := soa.Of[point](n)
		require.NoError(t, p.Err())
		require.Equal(t, n, p.Len())
		require.NoError(t, soa.SetScalar(p.Columns, "Type", float32(4)))
		require.NoError(t, soa.SetScalar(p.Columns, "SomeNumber", int32(5)))
		want := make([]point, n)
		for i := range n {
			f := float64(100 * i)
			want[i] = point{
				A: [3]float64{f, f + 1, f + 2}, B: [3]float64{f + 3, f + 4, f + 5},
				C: [2][2]float32{{float32(f) + 6, float32(f) + 7}, {float32(f) + 8, float32(f) + 9}},
				X: f + 10, Y: f + 11, Z: f + 12, Type: 4, Number: 5,
			}
			p.At(i).Store(want[i])
		}
		for i := range n {
			require.Equal(t, want[i], p.At(i).Load())
			require.Equal(t, want[i], p.Const().At(i).Load())
			require.Equal(t, i, p.At(i).Index())
		}
		c, err := p.Col("C").View()
		require.NoError(t, err)
		require.Equal(t, types.Of(types.F32, n, 2, 2), c.Type)
		per := (n + 31) / 32 * 32
		require.Equal(t, []int{1, per, 2 * per}, c.Strides)
		dense := soa.Make(c.Type)
		require.NoError(t, soa.Copy(dense, c))
		for i, v := range soa.Slice[float32](dense) {
			require.Equal(t, want[i/4].C[i/2%2][i%2], v)
		}
		x, err := soa.Elements[float64](p.Col("X"))
		require.NoError(t, err)
		require.Equal(t, want[n-1].X, x[n-1])
		c10, err := soa.Elements[float32](p.Col("C").Component(1, 0))
		require.NoError(t, err)
		require.Equal(t, want[n-1].C[1][0], c10[n-1])
		number, err := soa.Elements[int32](p.Col("SomeNumber"))
		require.NoError(t, err)
		require.Equal(t, []int32{5}, number)
	}
	plain := soa.Of[struct{ X, Y float32 }](4)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		e := plain.At(3).Load()
		e.X++
		plain.At(3).Store(e)
	}))
}

func TestRecordsErrors(t *testing.T) {
	p := soa.Of[point](3)
	require.PanicsWithError(t, "soa: layout point: there is no element 3 of 3", func() { p.At(3) })
	require.PanicsWithError(t, "soa: layout point: there is no element -1 of 3", func() { p.Const().At(-1) })
	require.PanicsWithError(t, "soa: layout point: there is no element 0 of 0", func() { soa.Of[point](0).At(0) })
	require.EqualError(t, p.Col("W").Err(), "layout point: there is no column W: there are A, B, C, X, Y, Z, Type, SomeNumber")
	bad := soa.Of[struct{ N int }](3)
	require.Zero(t, bad.Len())
	require.EqualError(t, bad.Col("N").Err(), "layout struct: column N: int has no fixed size: use int32 or int64")
	require.Equal(t, "layout struct: column N: int has no fixed size: use int32 or int64", bad.String())

	elements := func(_ []float32, err error) error { return err }
	for want, err := range map[string]error{
		"layout point: column X: float32 does not hold elements of f64":                                        elements(soa.Elements[float32](p.Col("X"))),
		"layout point: column C: f32[3,2,2] with strides [1 32 64] cannot be a slice: see Column.View":         elements(soa.Elements[float32](p.Col("C"))),
		"layout point: column C: component [2 0] of f32[3,2,2]: an index is out of range":                      p.Col("C").Component(2, 0).Err(),
		"layout point: column C: component [1] of f32[3,2,2]: give one index for each dimension of an element": p.Col("C").Component(1).Err(),
		"layout point: column Type: component [1] of f32[]: give one index for each dimension of an element":   p.Col("Type").Component(1).Err(),
		"layout point: column Type: it is read only":                                                           elements(soa.Elements[float32](p.Const().Col("Type"))),
		"layout point: column X: it is not jagged":                                                             p.Col("X").Offsets().Err(),
		"layout point: column X: its type is f64[3], not a scalar of float64":                                  soa.SetScalar(p.Columns, "X", 1.0),
		"layout point: column Type: its type is f32[], not a scalar of float64":                                soa.SetScalar(p.Columns, "Type", 1.0),
		"layout point: column SomeNumber: it is read only":                                                     soa.SetScalar(p.Const().Columns, "SomeNumber", int32(1)),
	} {
		require.EqualError(t, err, want)
	}
	_, err := soa.As[point](p.Const().Columns)
	require.ErrorIs(t, err, soa.ErrReadOnly)
	_, err = soa.As[struct{ X float32 }](p.Columns)
	require.EqualError(t, err, "struct { X float32 }: layout point: column X is X f64, not X f32")
	_, err = soa.As[struct{ W float32 }](p.Columns)
	require.EqualError(t, err, "struct { W float32 }: layout point: there is no column W: there are A, B, C, X, Y, Z, Type, SomeNumber")
}

// Memory of the caller's: too short, at the wrong place, released.
func TestColumnsIn(t *testing.T) {
	l, err := soa.LayoutOf[point]()
	require.NoError(t, err)
	loose, err := soa.LayoutOf[point](soa.Relaxed())
	require.NoError(t, err)
	b := soa.NewAligned(4096, 128)
	in := func(l *soa.Layout, offset, n int) error {
		_, err := l.New(n, soa.In(b, offset))
		return err
	}
	require.NoError(t, in(l, 0, 32))
	require.NoError(t, in(l, 1024, 32))
	require.NoError(t, in(loose, 8, 32))
	require.EqualError(t, in(l, 8, 32), "layout point: column A: its memory starts 8 bytes after a multiple of 128: start it there (NewAligned), or give the layout the option Relaxed")
	require.EqualError(t, in(loose, 4, 32), "layout point: column A: its memory starts 4 bytes after a multiple of 8: copy its bytes to a buffer of New")
	require.EqualError(t, in(l, 1152, 32), "layout point: column SomeNumber: it ends at byte 3072 of 3072 for 32 elements, but the memory has 2944 bytes")
	require.EqualError(t, in(l, 4097, 1), "layout point: byte 4097 is not in a buffer of 4096")
	require.EqualError(t, in(l, -1, 1), "layout point: byte -1 is not in a buffer of 4096")

	a, err := l.New(32, soa.In(b, 0))
	require.NoError(t, err)
	p, err := soa.As[point](a)
	require.NoError(t, err)
	p.At(0).Store(point{A: [3]float64{1, 2, 3}})
	require.Equal(t, 1.0, *(*float64)(unsafe.Pointer(&b.Bytes()[0])))
	require.Equal(t, 3.0, *(*float64)(unsafe.Pointer(&b.Bytes()[2*256])))
	row, col := p.At(1), p.Col("X")
	b.Release()
	b.Release()
	require.PanicsWithError(t, "soa: layout point: column A: its memory was released", func() { p.At(1) })
	row.Load() // as it was
	require.EqualError(t, col.Err(), "layout point: column X: its memory was released")
	require.ErrorIs(t, p.Col("X").Err(), soa.ErrReleased)
	require.ErrorIs(t, in(l, 0, 1), soa.ErrReleased)
	_, err = soa.As[point](a)
	require.ErrorIs(t, err, soa.ErrReleased)

	off, err := soa.OffHeap(4096)
	require.NoError(t, err)
	c, err := l.New(32, soa.In(off, 0))
	require.NoError(t, err)
	_, err = soa.Elements[float64](c.Col("X"))
	require.EqualError(t, err, "layout point: column X: it is off the Go heap, where a slice would not keep it")
	p, err = soa.As[point](c)
	require.NoError(t, err)
	p.At(3).Store(point{Z: 7})
	row = p.At(3)
	require.Equal(t, 7.0, row.Load().Z)
	off.Release()
	require.Contains(t, []float64{0, 7}, row.Load().Z) // detected where it is looked up, no fault where it is not
	require.Panics(t, func() { p.At(3) })
}
