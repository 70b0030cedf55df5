package gemm

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

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

// ahead is how many bytes before they are read elements of B are prefetched, as far
// as the L2 cache, where several runs of B are read side by side.
const ahead = 1536

// soon is how far from the start of a run of bytes what is prefetched lies, when its byte
// at is read. Behind its end comes the start of a run that lies next bytes behind it.
func (f *fn) soon(at, bytes, next value.Value) value.Value {
	then := f.add(at, f.min(i64(ahead), bytes))
	return f.Block.NewSelect(f.Block.NewICmp(enum.IPredSLT, then, bytes), then, f.add(f.sub(then, bytes), next))
}
