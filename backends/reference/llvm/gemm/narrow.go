package gemm

import (
	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// panelPlace is where a row of a panel is in B, for a prologue that kernels apply.
type panelPlace struct {
	apply       Apply
	batch, n, k value.Value
	masks       []value.Value // of the columns that there are, by vector
}

// placeOf returns what is known of a panel whose first column is n. There are left columns
// from it on, or a whole panel if left is nil.
func (f *fn) placeOf(c *core, apply Apply, batch, n, left value.Value) panelPlace {
	p := panelPlace{apply: apply, batch: batch, n: n, masks: make([]value.Value, c.vecs)}
	for j := range p.masks {
		if apply != nil && left != nil {
			p.masks[j] = f.mask(c.lanes, f.sub(left, i64(j*c.lanes)))
		}
	}
	return p
}

// units returns the vectors of a row of a panel, as they are multiplied.
func (f *fn) units(c *core, from value.Value, p panelPlace) []value.Value {
	all := make([]value.Value, c.vecs)
	if p.apply != nil {
		for j := range all {
			at := f.PointerTo(f.off(from, i64(j*c.lanes*c.unitSize())), c.narrow)
			place := Place{Batch: p.batch, Row: f.add(p.n, i64(j*c.lanes)), K: p.k, Lanes: vector.Lanes{N: c.lanes, Mask: p.masks[j]}}
			all[j] = f.Narrow(f.Convert(p.apply(f.LoadLanes(at, vector.Lanes{N: c.lanes}), place), c.elem))
		}
		return all
	}
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
		switch {
		case c.elem == types.U8 && c.narrow != types.Invalid:
			bytes := f.load(vec(c.lanes*c.group, ll.I8), at, c.unitSize())
			words := vec(c.lanes*c.group, c.mem)
			if c.signed[1] {
				all[j] = f.Block.NewBitCast(f.Block.NewSExt(bytes, words), vec(c.lanes, c.unit))
			} else {
				all[j] = f.Block.NewBitCast(f.Block.NewZExt(bytes, words), vec(c.lanes, c.unit))
			}
		case c.narrow == types.Invalid:
			all[j] = f.load(vec(c.lanesOf(j), c.unit), at, c.unitSize())
		default:
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
	firstB, firstN, firstK := f.word(args, packFirstB), f.word(args, packFirstN), f.word(args, packFirstK)
	var apply Apply
	if narrow.prologue != nil {
		apply = narrow.prologue(f.Builder, f.pointer(args, packOperands))
	}
	start := []value.Value{f.pointer(args, packFrom), f.pointer(args, packTo)}
	f.count(batch, i64(1), start, func(b value.Value, matrix []value.Value) []value.Value {
		widen := func(first, left value.Value, panel []value.Value) []value.Value {
			place := f.placeOf(narrow, apply, f.add(b, firstB), f.add(first, firstN), left)
			f.count(k, i64(1), panel, func(i value.Value, at []value.Value) []value.Value {
				place.k = f.add(i, firstK)
				for j, v := range f.units(narrow, at[0], place) {
					f.store(v, f.off(at[1], i64(j*wide.lanes*wide.unitSize())), wide.unitSize())
				}
				return []value.Value{f.off(at[0], i64(narrow.panelRow())), f.off(at[1], i64(wide.panelRow()))}
			})
			return []value.Value{f.off(panel[0], fromPanel), f.off(panel[1], toPanel)}
		}
		rest, whole := f.rest(n, wide.columns())
		last := f.count(whole, i64(wide.columns()), matrix, func(first value.Value, panel []value.Value) []value.Value {
			return widen(first, nil, panel)
		})
		f.when(f.some(rest), func() { widen(whole, rest, last) })
		return []value.Value{f.off(matrix[0], fromBatch), f.off(matrix[1], toBatch)}
	})
	f.end()
}
