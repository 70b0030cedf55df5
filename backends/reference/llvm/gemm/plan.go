package gemm

import (
	"fmt"

	"ltc/ir/types"
)

// Plan is how a [Problem] is computed on a machine: which kernels, how they cut
// it to pieces. It depends on the sizes as well, kernels do not.
type Plan struct {
	Problem Problem // as it was given
	on      Machine
	core    *core
	// p is the problem as it is computed: the one given or, if swapped is set,
	// that of the transposed operands.
	p       Problem
	swapped bool
	vector  bool // A is one row

	directA, directB bool // operands are taken as they lie
	inC              bool // sums are kept in C
	depth            int  // elements of k at a time
	width            int  // columns of B at a time
	chunk            int  // rows of A at a time
	group            int  // panels of B that meet a chunk at a time
	batches          int  // matrices of a call of the kernel
	calls            int  // rows of a call of the kernel at most

	kernel, packA, packB, epilogue string // names of units, empty if there is none
}

// UnsupportedError says that there is no product of such elements.
type UnsupportedError struct{ A, B, Acc, C types.DType }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("gemm: no product of %v and %v with sums of %v that become %v", e.A, e.B, e.Acc, e.C)
}

// New plans a problem. It returns an *[UnsupportedError] for dtypes that there
// is no kernel for.
func New(p Problem, on Machine) (*Plan, error) {
	if on.L2 == 0 {
		on.L2 = 1 << 20
	}
	if on.L3 == 0 {
		on.L3 = 8 << 20
	}
	q := &Plan{Problem: p, on: on, p: p}
	if (p.N == 1 || p.StrideC[2] != 1 && p.StrideC[1] == 1) && p.M > 1 && !p.PackedB {
		q.p, q.swapped = p.swapped(), true
	}
	q.vector = q.p.M == 1 && !p.PackedB && q.orderB() != Anyhow
	q.core = coreOf(&q.p, on, q.vector)
	if q.core == nil {
		return nil, &UnsupportedError{p.A, p.B, p.Acc, p.C}
	}
	if q.vector {
		q.oneRow()
	} else {
		q.blocks()
		q.choose()
	}
	q.names()
	return q, nil
}

// blocks chooses the sizes of the blocks. What a thread is given is not yet
// known, and must not change how sums are formed: depth depends on K alone.
func (q *Plan) blocks() {
	c, p := q.core, &q.p
	const bytes = 2048 // of k of a row of A and a column of B
	limit := bytes / c.laneSize() * c.group
	q.depth = max(p.K, 1)
	if p.K > limit {
		n := (p.K + limit - 1) / limit
		unit := c.lanes * c.group
		q.depth = ((p.K+n-1)/n + unit - 1) / unit * unit
	}
	deep := c.steps(q.depth) * c.laneSize()
	q.width = max(q.on.L3/4/deep/c.columns(), 1) * c.columns()
	q.width = min(q.width, 2048)
	q.chunk = max(q.on.L2*5/8/deep/c.rows, 1) * c.rows
	q.chunk = min(q.chunk, ceil(max(p.M, 1), c.rows)*c.rows)
	q.group = 4
}

// choose decides what is packed and where sums are kept.
func (q *Plan) choose() {
	c, p := q.core, &q.p
	q.directA = p.A == c.elem && c.group == 1 && !p.PrologueA.set() && p.StrideA[2] == 1
	q.directB = !p.PackedB && p.B == c.elem && c.group == 1 && !c.offset && !p.PrologueB.set() && p.StrideB[2] == 1
	q.inC = p.C == p.Acc && p.StrideC[2] == 1 && !p.Overlap
	rows := 2e8 / float64(q.depth*min(q.width, max(p.N, 1)))
	q.calls = max(int(min(rows, 1e9))/q.chunk, 1) * q.chunk
	q.batches = 1
	if q.sharedB() || q.directB && p.K <= q.depth && p.N <= q.width {
		q.batches = min(max(int(1e8/float64(p.M*p.N*p.K+1)), 1), 64, max(p.Batch, 1))
	}
}

// sharedB reports whether all matrices of A are multiplied by the same packed
// block of B before the next one.
func (q *Plan) sharedB() bool {
	return q.p.StrideB[0] == 0 && (q.inC || q.p.K <= q.depth)
}

// oneRow chooses how one row is multiplied by B: how many columns at a time, in
// scratch memory that takes a part of the L1 cache.
func (q *Plan) oneRow() {
	c, p := q.core, &q.p
	q.directA = p.A == c.acc && c.elem == c.acc && !p.PrologueA.set() && p.StrideA[2] == 1
	q.directB = true
	q.inC = p.C == p.Acc && p.StrideC[2] == 1 && !p.Overlap
	q.depth = max(p.K, 1)
	q.group = 16 << 10 / c.laneSize()
	q.width = max(2e7/q.depth/c.columns(), 1) * c.columns()
	q.chunk, q.calls = 1, 1
	q.batches = min(max(int(1e7/float64(p.N*p.K+1)), 1), max(p.Batch, 1))
}

func (q *Plan) orderA() Order { return orderOf(q.p.StrideA[2], q.p.StrideA[1]) }
func (q *Plan) orderB() Order { return orderOf(q.p.StrideB[1], q.p.StrideB[2]) }

// names names the units that the plan needs.
func (q *Plan) names() {
	c, p := q.core, &q.p
	q.packA, q.packB, q.epilogue = "", "", ""
	q.kernel = unitName(c.name)
	if q.vector {
		q.kernel = unitName(c.name, "vecmat", p.B.String(), q.orderB().String(), p.PrologueB.Name)
	}
	if !q.directA {
		q.packA = unitName(c.name, "packa", p.A.String(), q.orderA().String(), p.PrologueA.Name)
	}
	if !q.vector && !(q.directB && p.N%c.columns() == 0) {
		q.packB = unitName(c.name, "packb", p.B.String(), q.orderB().String(), p.PrologueB.Name)
	}
	if !q.inC || p.Epilogue.set() {
		q.epilogue = unitName("epilogue", p.Acc.String(), p.C.String(), orderOf(p.StrideC[2], 0).String(), p.Epilogue.Name)
		if q.swapped && p.Epilogue.set() {
			q.epilogue += "_swapped"
		}
	}
}
