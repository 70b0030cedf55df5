package soa_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// Generated accessors and reflection see the same elements in the same memory.
func TestAccessorsAndReflectionSeeTheSameElements(t *testing.T) {
	reflected, err := soa.LayoutOf[Hit]()
	require.NoError(t, err)
	generated, err := HitLayout()
	require.NoError(t, err)
	require.Equal(t, reflected.String(), generated.String())

	const n = 33
	v, err := NewHitView(n, soa.Count("Cells", 2*n), soa.Count("Ids", n))
	require.NoError(t, err)
	lengths := make([]int, n)
	for i := range lengths {
		lengths[i] = i % 3
	}
	require.NoError(t, v.Columns().SetLengths("Cells", lengths))
	require.NoError(t, v.Columns().SetLengths("Ids", make([]int, n)))
	for r := range 3 {
		v.SetField(r, float32(r)/4)
	}
	v.SetRun(9)
	for i := range n {
		e := v.At(i)
		f := float32(100 * i)
		e.SetX(f)
		e.SetY(f + 1)
		e.SetZ(f + 2)
		e.SetVertexX(f + 3)
		e.SetVertexY(f + 4)
		e.SetTime(types.ToFloat16(float64(i)))
		e.SetLayer(Layer(i))
		e.SetGood(i%2 == 1)
		for r := range 3 {
			e.SetDir(r, f+5+float32(r))
			for c := range 2 {
				e.SetCov(c, r, float64(f)+10*float64(c)+float64(r))
			}
			e.SetImage(r+2, r+1, f-float32(r))
		}
		require.Equal(t, i%3, e.CellsLen())
		for k := range e.CellsLen() {
			e.SetCellsCharge(k, f+float32(k))
			e.SetCellsAt(k, 1, int32(i*k))
		}
	}
	records, err := soa.ConstAs[Hit](v.Columns())
	require.NoError(t, err)
	c := v.Const()
	for i := range n {
		h, e := records.At(i).Load(), c.At(i)
		f := float32(100 * i)
		want := Hit{X: f, Y: f + 1, Z: f + 2, Dir: [3]float32{f + 5, f + 6, f + 7}, Time: types.ToFloat16(float64(i)), Layer: Layer(i), Good: i%2 == 1,
			Field: [3]float32{0, 0.25, 0.5}, Run: 9, Cells: h.Cells}
		want.Vertex.X, want.Vertex.Y = f+3, f+4
		for r := range 2 {
			for c := range 3 {
				want.Cov[r][c] = float64(f) + 10*float64(r) + float64(c)
				require.Equal(t, want.Cov[r][c], e.Cov(r, c))
			}
		}
		for r := range 3 {
			want.Image[r+2][r+1] = f - float32(r)
			require.Equal(t, want.Image[r+2][r+1], e.Image(r+2, r+1))
		}
		require.Equal(t, want, h)
		require.Len(t, h.Cells, i%3)
		for k, cell := range h.Cells {
			require.Equal(t, f+float32(k), cell.Charge)
			require.Equal(t, [2]int32{0, int32(i * k)}, cell.At)
			require.Equal(t, cell.Charge, e.CellsCharge(k))
		}
		require.Equal(t, []any{h.X, h.Y, h.Z, h.Vertex.Y, h.Time, h.Layer, h.Good}, []any{e.X(), e.Y(), e.Z(), e.VertexY(), e.Time(), e.Layer(), e.Good()})
		require.Equal(t, i, e.Index())
	}
	require.Equal(t, []any{float32(0.5), uint32(9), n}, []any{c.Field(2), c.Run(), c.Len()})

	x, dir := v.XEntries(), c.DirEntries(2)
	x.Set(7, -1)
	require.Equal(t, []any{float32(-1), float32(-1), float32(707), n}, []any{v.At(7).X(), c.XEntries().At(7), dir.At(7), dir.Len()})
	require.Equal(t, v.At(5).Cov(1, 2), v.CovEntries(1, 2).At(5))
	require.Equal(t, Layer(3), c.LayerEntries().At(3))
	require.Equal(t, v.At(5).Image(3, 2), v.ImageEntries(3, 2).At(5))
	require.Panics(t, func() { x.At(n) })
	require.Panics(t, func() { x.Set(-1, 0) })
	require.Panics(t, func() { v.DirEntries(3) })

	require.PanicsWithError(t, "soa: layout Hit: there is no element 33 of 33", func() { v.At(n) })
	require.PanicsWithError(t, "soa: layout Hit: column Cells: element 1 has 1 value: there is no value 1", func() { v.At(1).CellsCharge(1) })
	require.Panics(t, func() { v.At(0).Dir(3) })
	require.Panics(t, func() { v.At(0).Cov(0, -1) })
	require.Panics(t, func() { v.At(0).Cov(2, 0) })
	require.Panics(t, func() { v.At(0).Image(5, 0) })
	_, err = HitViewOf(c.Columns())
	require.ErrorIs(t, err, soa.ErrReadOnly)
	_, err = HitViewOf(soa.Of[point](3).Columns)
	require.EqualError(t, err, "layout point: column X is X f64, not X f32")
	_, err = HitConstViewOf(soa.Of[position](3).Columns)
	require.EqualError(t, err, "layout position: there is no column Z: there are X, Y")
	_, err = NewHitView(-1)
	require.EqualError(t, err, "layout Hit: the number of elements is -1: it must be at least 0")

	b := soa.NewAligned(1<<20, 128)
	v, err = NewHitView(n, soa.In(b, 0))
	require.NoError(t, err)
	b.Release()
	require.PanicsWithError(t, "soa: layout Hit: column X: its memory was released", func() { v.At(0) })
	require.PanicsWithError(t, "soa: layout Hit: column X: its memory was released", func() { v.Const().Run() })
	require.PanicsWithError(t, "soa: layout Hit: column X: its memory was released", func() { v.DirEntries(0) })
}

// A loop over a view's elements meets each in order, and none of released memory.
func TestLoopsMeetEachElementInOrder(t *testing.T) {
	for _, n := range []int{0, 1, 5} {
		v, err := NewHitView(n)
		require.NoError(t, err)
		var at []int
		for e := range v.All() {
			e.SetX(float32(e.Index()))
			at = append(at, e.Index())
		}
		require.Len(t, at, n)
		sum, next := float32(0), 0
		for e := range v.Const().All() {
			require.Equal(t, next, e.Index())
			sum, next = sum+e.X(), next+1
			if next == 3 {
				break
			}
		}
		require.Equal(t, []any{min(n, 3), []float32{0, 0, 0, 3}[min(n, 3)]}, []any{next, sum})
	}
	for name, b := range map[string]func() (*soa.Buffer, error){
		"heap":     func() (*soa.Buffer, error) { return soa.NewAligned(1<<20, 128), nil },
		"off heap": func() (*soa.Buffer, error) { return soa.OffHeap(1 << 20) },
	} {
		t.Run(name, func(t *testing.T) {
			b, err := b()
			require.NoError(t, err)
			v, err := NewHitView(4, soa.In(b, 0))
			require.NoError(t, err)
			turns := 0
			for e := range v.All() {
				if turns++; turns == 2 {
					b.Release() // the loop at work ends on memory that is no one's
				}
				e.SetX(1)
			}
			require.Equal(t, 4, turns)
			const gone = "soa: layout Hit: column X: its memory was released"
			require.PanicsWithError(t, gone, func() {
				for range v.All() {
					turns++
				}
			})
			require.PanicsWithError(t, gone, func() {
				for range v.Const().All() {
					turns++
				}
			})
			require.Equal(t, 4, turns)
		})
	}
}

// There are no entries of memory that they would not keep.
func TestEntriesOffTheHeapPanic(t *testing.T) {
	b, err := soa.OffHeap(1 << 20)
	require.NoError(t, err)
	if whole := b.View(types.Of(types.U8, 1<<20)); !whole.OffHeap() {
		t.Skip("this system has no memory off the Go heap")
	}
	v, err := NewHitView(10, soa.In(b, 0))
	require.NoError(t, err)
	require.PanicsWithValue(t, "soa: layout Hit: column X: it is off the Go heap, where its entries would not keep it: use At", func() { v.ZEntries() })
	require.Zero(t, v.At(9).Z())

	none, err := NewHitView(0)
	require.NoError(t, err)
	require.Zero(t, none.XEntries().Len())
}

// Views come and go over one buffer; it does not keep what they leave.
func TestBuffersForgetViewsThatAreGone(t *testing.T) {
	b := soa.NewAligned(1<<12, 128)
	l, err := soa.LayoutOf[position]()
	require.NoError(t, err)
	var kept []*soa.Columns
	for i := range 10_000 {
		c, err := l.New(i%100, soa.In(b, 0))
		require.NoError(t, err)
		if i%1000 == 1 {
			kept = append(kept, c)
		}
	}
	last := soa.Of[position](50, soa.In(b, 0))
	b.Release()
	for _, c := range kept {
		require.Panics(t, c.MustLive)
		r, err := soa.ConstAs[position](c)
		require.ErrorIs(t, err, soa.ErrReleased)
		require.Nil(t, r)
	}
	require.PanicsWithError(t, "soa: layout position: column X: its memory was released", func() { last.At(1) })
}

// All elements taken once are those of At, in columns of one size; where columns lie
// otherwise, were released or are off the heap, taking them panics.
func TestEntriesAreTheElementsOfAt(t *testing.T) {
	const n = 40
	v, err := NewTrackView(n)
	require.NoError(t, err)
	all := v.Entries()
	require.Equal(t, n, all.Len())
	for i := range all.Len() {
		e := all.At(i)
		e.SetPt(float32(i))
		e.SetLabel(Layer(-i))
		for k := range 6 {
			e.SetCov(k%2, k/2, float32(10*i+k))
		}
		e.SetDir(2, 0.5)
	}
	read := v.Const().Entries()
	for i := range n {
		e, r := v.At(i), read.At(i)
		require.Equal(t, []any{float32(i), Layer(-i), float32(10*i + 3), float32(10*i + 4), float32(0.5)},
			[]any{e.Pt(), e.Label(), e.Cov(1, 1), e.Cov(0, 2), e.Dir(2)})
		require.Equal(t, []any{e.Pt(), e.Label(), e.Cov(1, 1), e.Cov(0, 2), e.Dir(2), e.Dir(1)},
			[]any{r.Pt(), r.Label(), r.Cov(1, 1), r.Cov(0, 2), r.Dir(2), r.Dir(1)})
	}
	for _, i := range []int{-1, n} {
		require.PanicsWithError(t, fmt.Sprintf("soa: layout Track: there is no element %d of 40", i), func() { all.At(i) })
	}
	require.Panics(t, func() { all.At(0).Dir(3) })
	require.Panics(t, func() { all.At(0).Cov(2, 0) })

	none, err := NewTrackView(0)
	require.NoError(t, err)
	require.Zero(t, none.Entries().Len())

	// Of two blocks, or in another order, columns lie otherwise.
	type front struct {
		Charge float32 `soa:",scalar"`
		Label  Layer
		Pt     float32
		Cov    [2][3]float32
	}
	type back struct {
		Dir  [3]float32
		Hits []uint64
	}
	both, err := soa.Join("both", soa.Of[front](n).Columns, soa.Of[back](n).Columns)
	require.NoError(t, err)
	joined, err := TrackViewOf(both)
	require.NoError(t, err)
	require.PanicsWithValue(t, "soa: layout both: column Label: its components are not at the distance of those before them: use At", func() { joined.Entries() })

	off, err := soa.OffHeap(1 << 20)
	require.NoError(t, err)
	far, err := NewTrackView(n, soa.In(off, 0))
	require.NoError(t, err)
	require.Panics(t, func() { far.Entries() })

	b := soa.NewAligned(1<<20, 128)
	gone, err := NewTrackView(n, soa.In(b, 0))
	require.NoError(t, err)
	b.Release()
	require.PanicsWithError(t, "soa: layout Track: column Charge: its memory was released", func() { gone.Entries() })
}

// Columns of floats of 8 bits are accessed by their Go types, of which a byte is an element.
func TestFloat8Columns(t *testing.T) {
	reflected, err := soa.LayoutOf[Coded]()
	require.NoError(t, err)
	generated, err := CodedLayout()
	require.NoError(t, err)
	require.Equal(t, "Coded{Weight f8E4M3FN; Gradient f8E5M2[2]}", reflected.String())
	require.Equal(t, reflected.String(), generated.String())
	v, err := NewCodedView(5)
	require.NoError(t, err)
	v.At(4).SetWeight(types.ToFloat8E4M3FN(1e9))
	v.At(4).SetGradient(1, types.ToFloat8E5M2(-1e9))
	require.Equal(t, float32(448), v.At(4).Weight().Float32())
	require.Equal(t, float32(math.Inf(-1)), v.At(4).Gradient(1).Float32())
}
