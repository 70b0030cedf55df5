package gemm

import "ltc/ir/types"

// rowsAhead is how many rows of B before they are read they are asked for, if
// they do not lie one behind the other.
const rowsAhead = 32

// narrowAhead is how many bytes before they are read rows of narrow panels are asked
// for: they come from memory when the first rows of A meet them.
const narrowAhead = 2 << 10

// ask says what the kernel prefetches, besides C. It prefetches rows of A that come from
// beyond the L2 cache, the next matrix of B, rows of an unpacked B that do not stay in that
// cache, and rows of narrow panels. A prefetch beyond the operands' ends does no harm.
func (r *run) ask(x *block, rows int) {
	q, a := r.plan, r.args
	p, c := &q.p, q.core
	panels := x.columns / c.columns()
	if panels == 0 || q.vector {
		return
	}
	whole := x.depth == p.K // rows of a block are those of the matrix
	switch {
	case !q.ahead:
	case q.directA && whole && p.StrideA[1] == p.K && panels <= q.group:
		a[wordDrip] = a[wordARow]
	default:
		a[wordAhead] = word(ceil(ceil(c.steps(x.depth)*c.laneSize(), line), panels))
	}
	if c.narrow != types.Invalid {
		a[wordFar] = narrowAhead
	}
	if !q.directB {
		return
	}
	bytes := p.K * p.N * p.B.Size()
	if x.count > 1 && whole && x.columns == p.N && p.StrideB == [3]int{p.K * p.N, p.N, 1} {
		a[wordNextRow] = word(ceil(bytes, rows))
		a[wordNext] = word(ceil(ceil(bytes, ceil(rows, c.rows)*panels), line))
	}
	if bytes > q.l2()/2 {
		a[wordFar] = rowsAhead * a[wordBStep]
	}
}
