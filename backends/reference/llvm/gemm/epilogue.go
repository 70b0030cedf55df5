package gemm

import (
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Epilogue turns finished sums into elements of C, of C's dtype. It may load
// from, and store to, what the words of operands, an i8*, point to, at the
// place at hand; each place comes once. Lanes that at.Lanes leaves out hold
// anything, and what becomes of them is not stored.
type Epilogue func(b *vector.Builder, sum vector.Value, operands value.Value, at Tile) vector.Value

// Tile is the place of some sums in C: of those of the first lane. Those of the
// others follow along the columns; along the rows if AlongM is set.
type Tile struct {
	Batch, M, N value.Value // i64
	AlongM      bool
	Lanes       vector.Lanes
}

// epilogueType is the type of functions that are given finished sums: rows and
// columns of them, sumsRow bytes from row to row.
//
//	void epilogue(block, sums, sumsRow, b, m, n, rows, columns)
var epilogueType = ll.NewFunc(ll.Void, ll.I8Ptr, ll.I8Ptr, ll.I64, ll.I64, ll.I64, ll.I64, ll.I64, ll.I64)

// The words of the block of an epilogue. Strides are in elements.
const (
	outC        = iota // element (0, 0, 0) of C
	outOperands        // of the [Epilogue]
	outBatch
	outRow
	outColumn
	outWords
)

// finish says what an epilogue's function stores where.
type finish struct {
	sum, out types.DType
	unit     bool // columns of C are neighbours
	swapped  bool // rows of the function are columns of C
	emit     Epilogue
}

// epilogue emits a function of epilogueType.
func (m *module) epilogue(name string, e finish) {
	f := m.exported(name, epilogueType)
	a := f.Func.Params
	a[0].Attrs = append(a[0].Attrs, enum.ParamAttrNoAlias)
	w := [outWords]value.Value{}
	for i := range w {
		if i < outBatch {
			w[i] = f.pointer(a[0], i)
		} else {
			w[i] = f.word(a[0], i)
		}
	}
	batch, row, column := a[3], a[4], a[5]
	base := f.add(f.mul(batch, w[outBatch]), f.add(f.mul(row, w[outRow]), f.mul(column, w[outColumn])))
	to := f.At(f.PointerTo(w[outC], e.out), base)
	f.count(a[6], i64(1), []value.Value{a[1], to.V}, func(r value.Value, at []value.Value) []value.Value {
		sums, to := f.PointerTo(at[0], e.sum), vector.Pointer{V: at[1], DType: e.out}
		f.Sweep(a[7], f.Machine.Lanes(e.sum), func(i value.Value, l vector.Lanes) {
			v := f.LoadLanes(f.At(sums, i), l)
			if e.emit == nil {
				v = f.Convert(v, e.out)
			} else {
				pl := Tile{Batch: batch, M: f.add(row, r), N: f.add(column, i), Lanes: l}
				if e.swapped {
					pl.M, pl.N, pl.AlongM = pl.N, pl.M, true
				}
				v = e.emit(f.Builder, v, w[outOperands], pl)
			}
			if e.unit {
				f.StoreLanes(f.At(to, i), v, l)
			} else {
				f.StoreStrided(f.At(to, f.mul(i, w[outColumn])), w[outColumn], v, l)
			}
		})
		return []value.Value{f.off(at[0], a[2]), f.At(to, w[outRow]).V}
	})
	f.Block.NewRet(nil)
}
