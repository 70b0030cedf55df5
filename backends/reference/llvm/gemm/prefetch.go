package gemm

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// strideDistance returns the prefetch distance of an unpacked B whose rows are so many bytes apart: 64
// rows or, of long rows, fewer, which share sets of the L2 cache.
func strideDistance(row int) int {
	const rows, least, bytes = 64, 32, 512 << 10
	return row * min(rows, max(bytes/max(abs(row), 1), least))
}

// narrowDistance is the prefetch distance, in bytes, of narrow panels: they come from memory
// when the first rows of A meet them.
const narrowDistance = 2 << 10

// farCache is the cache to which a kernel prefetches rows of B: the L1 cache (3) for narrow panels, which
// are consecutive in memory, and else the L2 cache (1). The L1 cache waits for fewer lines of memory at a time.
func (c *core) farCache() int {
	if c.narrow != types.Invalid {
		return 3
	}
	return 1
}

// setPrefetch sets what the kernel prefetches, besides C: rows of A that come from beyond the L2
// cache, the next matrix of B, and rows of narrow panels. It prefetches rows of an unpacked B that
// few rows meet or that do not stay in that cache. A prefetch beyond the operands' ends does no harm.
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
	few := p.M <= c.rows // they meet each row of B once
	if !few && x.count > 1 && whole && x.columns == p.N && p.StrideB == [3]int{p.K * p.N, p.N, 1} {
		a[wordNextRow] = word(ceil(bytes, rows))
		a[wordNext] = word(ceil(ceil(bytes, ceil(rows, c.rows)*panels), line))
	}
	if few || bytes > q.l2()/2 {
		a[wordFar] = word(strideDistance(p.StrideB[1] * p.B.Size()))
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
