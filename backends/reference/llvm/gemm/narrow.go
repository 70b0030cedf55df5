package gemm

import (
	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// units returns the vectors of a row of a panel, as they are multiplied.
func (f *fn) units(c *core, from value.Value) []value.Value {
	all := make([]value.Value, c.vecs)
	if c.paired() {
		pairs := f.load(vec(c.lanes, ll.I32), from, c.unitSize())
		all[0] = f.Block.NewShl(pairs, splatConst(c.lanes, constant.NewInt(ll.I32, 16)))
		all[1] = f.Block.NewAnd(pairs, splatConst(c.lanes, constant.NewInt(ll.I32, -1<<16)))
		for j := range all {
			all[j] = f.Block.NewBitCast(all[j], c.vector())
		}
		return all
	}
	for j := range all {
		at := f.off(from, i64(j*c.lanes*c.unitSize()))
		if c.narrow == types.Invalid {
			all[j] = f.load(vec(c.lanes, c.unit), at, c.unitSize())
		} else {
			all[j] = f.Widen(f.load(vec(c.lanes, vector.Memory(c.narrow)), at, c.unitSize()), c.narrow).V
		}
	}
	return all
}

// widen emits a kernel that copies panels, whose elements are narrow, to those that
// another core takes. It is given the words of the packers of B; packFromN is between
// panels.
func (m *module) widen(narrow, wide *core, name string) {
	f, args := m.kernel(name)
	batch, k, n := f.word(args, packBatch), f.word(args, packK), f.word(args, packN)
	fromBatch, fromPanel := f.word(args, packFromBatch), f.word(args, packFromN)
	toBatch, toPanel := f.word(args, packToBatch), f.word(args, packToPanel)
	start := []value.Value{f.pointer(args, packFrom), f.pointer(args, packTo)}
	f.count(batch, i64(1), start, func(_ value.Value, matrix []value.Value) []value.Value {
		f.count(n, i64(wide.columns()), matrix, func(_ value.Value, panel []value.Value) []value.Value {
			f.count(k, i64(1), panel, func(_ value.Value, at []value.Value) []value.Value {
				for j, v := range f.units(narrow, at[0]) {
					f.store(v, f.off(at[1], i64(j*wide.lanes*wide.unitSize())), wide.unitSize())
				}
				return []value.Value{f.off(at[0], i64(narrow.panelRow())), f.off(at[1], i64(wide.panelRow()))}
			})
			return []value.Value{f.off(panel[0], fromPanel), f.off(panel[1], toPanel)}
		})
		return []value.Value{f.off(matrix[0], fromBatch), f.off(matrix[1], toBatch)}
	})
	f.end()
}
