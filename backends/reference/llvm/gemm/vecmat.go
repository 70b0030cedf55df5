package gemm

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// vecmat is a kernel for one row of A, which is bound by how fast B comes from
// memory: B is read once, as it lies. It takes the words of the macro-kernel;
// wordBStep is the bytes between elements of k of B, wordBPanel between columns,
// wordGroup how many columns are computed at a time. Sums of a group go to wordC,
// those of the next one wordCPanel bytes for each column behind.
type vecmat struct {
	packer
	w     [words]value.Value
	batch value.Value
	x     value.Value // the row of A, of dtype Acc
	first value.Value // column of B
	b     value.Value // column first of B
	n     value.Value // columns
	sums  value.Value
}

// vecmat emits the kernel for B in an order that is not Anyhow.
func (m *module) vecmat(p packer, name string, o Order) {
	v := &vecmat{}
	f, args := m.kernel(name)
	for i := range v.w {
		if i < wordBatch {
			v.w[i] = f.pointer(args, i)
		} else {
			v.w[i] = f.word(args, i)
		}
	}
	w := &v.w
	v.packer = *p.in(f, w[wordPrologueB])
	packs := f.some(w[wordPackA])
	f.count(w[wordBatch], i64(1), []value.Value{w[wordA], w[wordB], w[wordC]}, func(b value.Value, at []value.Value) []value.Value {
		v.batch = f.add(b, w[wordFirstB])
		f.when(packs, func() {
			f.callPack(w, at[0], i64(1), v.batch, w[wordFirstM])
		})
		v.x = f.Block.NewSelect(packs, w[wordRows], at[0])
		f.count(w[wordN], w[wordGroup], nil, func(n value.Value, _ []value.Value) []value.Value {
			v.first = n
			v.n = f.min(w[wordGroup], f.sub(w[wordN], n))
			v.b = f.off(at[1], f.mul(n, w[wordBPanel]))
			v.sums = f.off(at[2], f.mul(n, w[wordCPanel]))
			if o == AlongK {
				v.dots()
			} else {
				v.axpys()
			}
			f.when(f.some(w[wordEpilogue]), func() {
				f.callEpilogue(w, v.sums, i64(0), v.batch, w[wordFirstM], n, i64(1), v.n)
			})
			return nil
		})
		return []value.Value{f.off(at[0], w[wordABatch]), f.off(at[1], w[wordBBatch]), f.off(at[2], w[wordCBatch])}
	})
	f.end()
}

// place is the place in B of the k-th element of the n-th column at hand.
func (v *vecmat) place(n, k value.Value, mask value.Value) Place {
	w := &v.w
	return Place{Batch: v.batch, Row: v.add(v.add(v.first, n), w[wordFirstN]), K: v.add(k, w[wordFirstK]),
		Lanes: vector.Lanes{Mask: mask}}
}

// dotColumns is the number of columns whose dot products [vecmat.dots] stores together.
const dotColumns = 8

// dots forms dot products along k of some columns at a time. Where there are no
// more columns the last one is read again.
func (v *vecmat) dots() {
	c, w := v.core, &v.w
	r := min(dotColumns, c.lanes)
	d := &dots{vecmat: v}
	d.rest, d.full = v.rest(w[wordK], c.lanes)
	d.most = v.sub(d.full, v.Block.NewURem(d.full, i64(sumsOfColumn*c.lanes)))
	d.mask = v.mask(c.lanes, d.rest)
	v.count(v.n, i64(r), nil, func(n value.Value, _ []value.Value) []value.Value {
		last := v.sub(v.n, i64(1))
		sums := make([]value.Value, r)
		for i := range r {
			sums[i] = d.column(v.min(v.add(n, i64(i)), last))
		}
		left := v.mask(r, v.sub(v.n, n))
		v.maskedStore(v.sumLanes(sums), v.off(v.sums, v.mul(n, i64(c.laneSize()))), c.laneSize(), left)
		return nil
	})
}

// dots is what the dot products of all columns have in common.
type dots struct {
	*vecmat
	most value.Value // elements in full vectors that several sums share
	full value.Value // elements in full vectors
	rest value.Value // elements behind them
	mask value.Value // of the rest
}

// sumsOfColumn is how many sums of one column are added to by turns, so that an addition
// need not wait for the one before.
const sumsOfColumn = 4

// column returns a vector whose lanes add up to the dot product of a column. Columns are
// read one behind the other, as B is one stream then, which prefetchers follow best.
func (d *dots) column(n value.Value) value.Value {
	c, v := d.core, d.vecmat
	column := v.off(v.b, v.mul(n, v.w[wordBPanel]))
	add := func(sum, k, mask value.Value) value.Value {
		at := v.off(v.x, v.mul(k, i64(c.laneSize())))
		x := value.Value(nil)
		if mask == nil {
			x = v.load(c.vector(), at, c.laneSize())
		} else {
			x = v.maskedLoad(c.vector(), at, c.laneSize(), mask)
		}
		return c.mac(v.fn, sum, x, v.along(v.off(column, v.mul(k, i64(v.from.Size()))), v.place(n, k, mask)))
	}
	sums := make([]value.Value, sumsOfColumn)
	for i := range sums {
		sums[i] = zero(c.vector())
	}
	sums = v.count(d.most, i64(sumsOfColumn*c.lanes), sums, func(k value.Value, sums []value.Value) []value.Value {
		next := make([]value.Value, len(sums))
		for i := range next {
			next[i] = add(sums[i], v.add(k, i64(i*c.lanes)), nil)
		}
		return next
	})
	sum := []value.Value{c.plus(v.fn, c.plus(v.fn, sums[0], sums[1]), c.plus(v.fn, sums[2], sums[3]))}
	sum = v.count(v.sub(d.full, d.most), i64(c.lanes), sum, func(k value.Value, sum []value.Value) []value.Value {
		return []value.Value{add(sum[0], v.add(d.most, k), nil)}
	})
	return v.choose(v.some(d.rest), sum, func() []value.Value {
		return []value.Value{add(sum[0], d.full, d.mask)}
	})[0]
}

// choose returns what body does if cond, else otherwise.
func (f *fn) choose(cond value.Value, otherwise []value.Value, body func() []value.Value) []value.Value {
	return f.Either(cond, body, func() []value.Value { return otherwise })
}

// sumLanes returns a vector whose lane i is the sum of the lanes of list[i]. It adds the halves
// of each vector, then the halves of the sum, and so on: to the lower halves of one vector and the
// upper ones of another, in place, their others. Shuffles are scarce.
func (p *packer) sumLanes(list []value.Value) value.Value {
	c := p.core
	n := len(list)
	of := make([][]int, n) // whose sum each segment is, by vector
	for i := range of {
		of[i] = []int{i}
	}
	for segment := c.lanes; segment > 1; segment /= 2 { // lanes that belong to one vector of list
		half := segment / 2
		kept, moved := make([]int, c.lanes), make([]int, c.lanes)
		for l := range c.lanes {
			if l%segment < half {
				kept[l], moved[l] = l, l+half
			} else {
				kept[l], moved[l] = c.lanes+l, c.lanes+l-half
			}
		}
		var next []value.Value
		var ofNext [][]int
		for i := 0; i < len(list); i += 2 {
			j := min(i+1, len(list)-1)
			next = append(next, c.plus(p.fn, p.shuffle(list[i], list[j], kept), p.shuffle(list[i], list[j], moved)))
			var segments []int
			for s := range of[i] {
				segments = append(segments, of[i][s], of[j][s])
			}
			ofNext = append(ofNext, segments)
		}
		list, of = next, ofNext
	}
	lanes := make([]int, n)
	for lane, i := range of[0] {
		lanes[i] = lane
	}
	return p.shuffle(list[0], list[0], lanes)
}

// axpyRows is the number of rows of B that [vecmat.axpys] reads side by side, unless they are
// short.
const axpyRows = 8

// shortRow is the most bytes of a short row: such rows, read one behind the other, are one
// stream, which prefetchers follow best, while they and their sums fit the L1 cache.
const shortRow = 4 << 10

// axpys adds multiples of rows of B to a row of sums, which stays in the L1
// cache. Only full vectors of sums are kept, in scratch memory.
func (v *vecmat) axpys() {
	c, w := v.core, &v.w
	bytes := c.lanes * c.laneSize()
	rest, full := v.rest(v.n, c.lanes)
	mask := v.mask(c.lanes, rest)
	sums := w[wordTile]
	v.count(v.n, i64(c.lanes), []value.Value{sums}, func(_ value.Value, at []value.Value) []value.Value {
		v.store(zero(c.vector()), at[0], c.laneSize())
		return []value.Value{v.off(at[0], i64(bytes))}
	})
	row := v.mul(v.n, i64(v.from.Size()))
	add := func(k value.Value, r int) {
		next := v.mul(w[wordBStep], i64(r))
		xs, rows := make([]value.Value, r), make([]value.Value, r)
		for i := range r {
			at := v.add(k, i64(i))
			xs[i] = v.splat(c.lanes, v.load(c.lane, v.off(v.x, v.mul(at, i64(c.laneSize()))), c.laneSize()))
			rows[i] = v.off(v.b, v.mul(at, w[wordBStep]))
		}
		step := func(n value.Value, to, mask value.Value) {
			sum := v.load(c.vector(), to, c.laneSize())
			offset := v.mul(n, i64(v.from.Size()))
			ahead := v.prefetchOffset(offset, row, next)
			for i := range r {
				if mask == nil && r > 1 {
					v.prefetch(v.off(rows[i], ahead), false, 1)
				}
				b := v.across(v.off(rows[i], offset), i64(0), nil, v.place(n, v.add(k, i64(i)), mask))
				sum = c.mac(v.fn, sum, xs[i], b)
			}
			v.store(sum, to, c.laneSize())
		}
		v.count(full, i64(c.lanes), nil, func(n value.Value, _ []value.Value) []value.Value {
			step(n, v.off(sums, v.mul(n, i64(c.laneSize()))), nil)
			return nil
		})
		v.when(v.some(rest), func() { step(full, v.off(sums, v.mul(full, i64(c.laneSize()))), mask) })
	}
	left, whole := v.rest(w[wordK], axpyRows)
	alone := v.Block.NewICmp(enum.IPredSLE, row, i64(shortRow))
	left, whole = v.Block.NewSelect(alone, w[wordK], left), v.Block.NewSelect(alone, i64(0), whole)
	v.count(whole, i64(axpyRows), nil, func(k value.Value, _ []value.Value) []value.Value {
		add(k, axpyRows)
		return nil
	})
	v.count(left, i64(1), nil, func(k value.Value, _ []value.Value) []value.Value {
		add(v.add(whole, k), 1)
		return nil
	})
	v.count(full, i64(c.lanes), nil, func(n value.Value, _ []value.Value) []value.Value {
		at := v.mul(n, i64(c.laneSize()))
		v.store(v.load(c.vector(), v.off(sums, at), c.laneSize()), v.off(v.sums, at), c.laneSize())
		return nil
	})
	v.when(v.some(rest), func() {
		at := v.mul(full, i64(c.laneSize()))
		v.maskedStore(v.load(c.vector(), v.off(sums, at), c.laneSize()), v.off(v.sums, at), c.laneSize(), mask)
	})
}
