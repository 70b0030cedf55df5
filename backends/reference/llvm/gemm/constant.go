package gemm

import "unsafe"

// A packed B is a list of panels for each of its matrices, one if all are the
// same. A panel has the rows of all blocks of k, one behind the other.

// rowsBefore is how many rows of a panel are before the block that begins with
// element k.
func (q *Plan) rowsBefore(k int) int {
	if q.core.offset {
		return k/q.core.group + k/q.depth
	}
	return k / q.core.group
}

// panelBytes is the bytes of a panel of all of k.
func (q *Plan) panelBytes() int {
	last := max(q.p.K-1, 0) / q.depth * q.depth
	return (q.rowsBefore(last) + q.core.panelRows(q.p.K-last)) * q.packed.panelRow()
}

func (q *Plan) matrixBytes() int { return ceil(q.p.N, q.core.columns()) * q.panelBytes() }

// Packs reports whether each run packs all of B, and would not if
// [Problem.PackedB] said that it is. The result has the same bits either way.
func (q *Plan) Packs() bool {
	return !q.vector && !q.few && !q.swapped && !q.directB && !q.p.PackedB
}

// Core names the kernel of the plan, on whose form of B panels depend.
func (q *Plan) Core() string { return q.packed.panels() }

// PackedBytes returns how many bytes [Product.Pack] writes.
func (q *Plan) PackedBytes() int { return q.matricesB(q.p.Batch) * q.matrixBytes() }

// ElementBytes is the bytes that the elements of B take in panels, without what fills these
// up.
func (q *Plan) ElementBytes() int {
	return q.matricesB(q.p.Batch) * q.p.K * q.p.N * q.packed.unitSize() / q.packed.group
}

// Pack packs o.B, for products that have it in o.PackedB, which has
// [Plan.PackedBytes] bytes: once, whatever the other operands' sizes are. It
// does one of so many parts of the work, from 0 on; parts may run at the same
// time.
func (r *Product) Pack(part, parts int, o Operands) {
	q := r.plan
	p, c := &q.p, q.core
	args := new([packWords]uintptr)
	if g := p.GatherB; g != nil {
		o.PrologueB = unsafe.Pointer(g)
	}
	panels := ceil(p.N, c.columns())
	from, to := part*panels/parts, (part+1)*panels/parts
	if from == to {
		return
	}
	size, panel := p.B.Size(), q.panelBytes()
	n := from * c.columns()
	for k := 0; k == 0 || k < p.K; k += q.depth {
		*args = [packWords]uintptr{
			packFrom:      uintptr(o.B) + word((k*p.StrideB[1]+n*p.StrideB[2])*size),
			packTo:        uintptr(o.PackedB) + word(from*panel+q.rowsBefore(k)*q.packed.panelRow()),
			packOperands:  uintptr(o.PrologueB),
			packBatch:     word(q.matricesB(p.Batch)),
			packK:         word(min(q.depth, p.K-k)),
			packN:         word(min(to*c.columns(), p.N) - n),
			packFromBatch: word(p.StrideB[0] * size),
			packFromK:     word(p.StrideB[1] * size),
			packFromN:     word(p.StrideB[2] * size),
			packToBatch:   word(q.matrixBytes()),
			packToPanel:   word(panel),
			packFirstK:    word(k),
			packFirstN:    word(n),
		}
		r.packB.Call(unsafe.Pointer(args))
	}
}
