package gemm

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// strideDistance is the prefetch distance, in rows, of an unpacked B whose rows are not
// consecutive in memory.
const strideDistance = 32

// narrowDistance is the prefetch distance, in bytes, of narrow panels: they come from memory
// when the first rows of A meet them.
const narrowDistance = 2 << 10

// setPrefetch sets what the kernel prefetches, besides C. It prefetches rows of A that come from
// beyond the L2 cache, the next matrix of B, rows of an unpacked B that do not stay in that
// cache, and rows of narrow panels. A prefetch beyond the operands' ends does no harm.
func (r *run) setPrefetch(x *block, rows int) {
	q, a := r.plan, r.args
	p, c := &q.p, q.core
	panels := x.columns / c.columns()
	if panels == 0 || q.vector || q.few {
		return
	}
	whole := x.depth == p.K // rows of a block are those of the matrix
	switch {
	case !q.prefetchA:
	case q.directA && whole && p.StrideA[1] == p.K && panels <= q.group:
		a[wordDrip] = a[wordARow]
	default:
		a[wordAhead] = word(ceil(ceil(c.steps(x.depth)*c.laneSize(), line), panels))
	}
	if c.narrow != types.Invalid {
		a[wordFar] = narrowDistance
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
		a[wordFar] = strideDistance * a[wordBStep]
	}
}

// rowDistance is the prefetch distance, in bytes, of rows or columns of B that are read side by
// side. They are fetched into the L2 cache.
const rowDistance = 1536

// prefetchOffset returns the offset to prefetch, from the start of a row of so many bytes,
// while the byte at offset at is read. An offset beyond the row's end becomes one in the row
// that begins next bytes behind the start.
func (f *fn) prefetchOffset(at, bytes, next value.Value) value.Value {
	then := f.add(at, f.min(i64(rowDistance), bytes))
	return f.Block.NewSelect(f.Block.NewICmp(enum.IPredSLT, then, bytes), then, f.add(f.sub(then, bytes), next))
}
