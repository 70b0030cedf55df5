package ptx

import (
	"math"
	"slices"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/cuda/ptx/internal/body"
	"ltc/backends/kit/kernel"
)

// Rows of flat tiles are of all axes of M, one after the other: a convolution's are
// the places of its result, of all images, where one row of an image would fill a
// tile in part only. Its image is never written out as a matrix: where each row of
// the tile begins in the operand, and at which point it is, is computed once for a
// tile and kept in the block's memory; from there copies go along the window. What a
// load with a guard finds outside is 0, which a copy of no bytes leaves.

// rowBytes is how much of a block's memory says of a row where it begins and at which
// point of the axes it is.
func (t *tile) rowBytes() int {
	if t.flat == 0 {
		return 0
	}
	return addressBytes + indexBytes*t.flat
}

const (
	addressBytes = 8
	indexBytes   = 4
)

// load returns the load that a factor is copied by as it lies; None if it is not. If it
// has a guard, what is outside is 0.
func (s *Schedule) load(f *kernel.Factor) kernel.ID { return loadOf(s.k, f) }

func loadOf(k *kernel.Kernel, f *kernel.Factor) kernel.ID {
	if f.Load != kernel.None {
		return f.Load
	}
	v := f.Value
	if i := &k.Instrs[v]; i.Op == kernel.Convert {
		v = i.Args[0]
	}
	i := &k.Instrs[v]
	if i.Op != kernel.Load || !i.Mem.Guard || i.Mem.Local || slices.ContainsFunc(i.Mem.Index, func(x kernel.Index) bool { return x.Value != kernel.None }) {
		return kernel.None
	}
	if other := &k.Instrs[i.Args[0]]; other.Op != kernel.Constant || other.Aux != 0 {
		return kernel.None
	}
	return v
}

// guarded reports whether rows of A are read where there may be nothing.
func (s *Schedule) guarded() bool {
	load := s.load(&s.product.A)
	return load != kernel.None && s.k.Instrs[load].Mem.Guard
}

// flattens reports whether there are tiles whose rows are of all axes of M: where these
// are several, or what is outside of the operand is not to be read, and chunks of A
// lie along K.
func (s *Schedule) flattens() bool {
	load := s.load(&s.product.A)
	if load == kernel.None || body.Neighbours(s.k, load) != s.Inner {
		return false
	}
	return len(s.product.M) > 1 || s.guarded()
}

// sums is how a launch shares out the sums of a Tensor: by which of the tiles, and of
// how many rows, columns and products.
type sums struct {
	variant             int
	rows, columns, many int64
}

func (x *sums) tiles(t *tile) int64 {
	return asm.Ceil(x.rows, int64(t.rows)) * asm.Ceil(x.columns, int64(t.columns))
}

// computed is how many sums there are with those that tiles have too many.
func (x *sums) computed(all []tile) int64 {
	t := &all[x.variant]
	return x.tiles(t) * int64(t.rows*t.columns) * x.many
}

// share chooses the tile for run-time sizes: a flat one, unless rows of the last axis
// fill tiles of that size as well.
func (s *Schedule) share(sizes []int64) sums {
	of := func(axes ...int) int64 {
		n := int64(1)
		for _, a := range axes {
			n *= s.k.Axis(0, a).Size.Of(sizes)
		}
		return n
	}
	enough := s.options.processors()
	x := sums{rows: of(s.Across), columns: of(s.X), many: of(s.Outer...)}
	x.variant = tileFor(s.tiles[:s.plain], x.rows, x.columns, x.many, enough)
	if s.flat == 0 || slices.ContainsFunc(s.product.M, func(a int) bool { return of(a) > math.MaxInt32 }) {
		return x
	}
	flat := sums{rows: of(s.product.M...), columns: x.columns, many: of(s.outer(len(s.product.M))...)}
	all := s.tiles[s.flat:]
	flat.variant = tileFor(all, flat.rows, flat.columns, flat.many, enough)
	if !s.guarded() && flat.variant == x.variant && flat.computed(all) >= x.computed(s.tiles) {
		return x
	}
	flat.variant += s.flat
	return flat
}

// outer are the axes that tiles are of, each with one product: of flat tiles none of M.
func (s *Schedule) outer(flat int) []int {
	if flat == 0 {
		return s.Outer
	}
	return slices.DeleteFunc(slices.Clone(s.Outer), func(a int) bool { return slices.Contains(s.product.M, a) })
}

// rowAxes are the axes that rows of the tile are of.
func (m *tensor) rowAxes() []int {
	if m.tile.flat > 0 {
		return m.c.M
	}
	return []int{m.s.Across}
}

// addressOf returns where it is said in which place of A a row of the tile begins; 0
// says that there is none.
func (m *tensor) addressOf(row string) string {
	return m.Sum(m.Plus(m.memory, m.tile.rowsAt()), m.Times(row, addressBytes))
}

// indexOf returns where the index of a row along axis n of M is.
func (m *tensor) indexOf(row string, n int) string {
	return m.Sum(m.Plus(m.memory, m.tile.rowsAt()+m.tile.rows*(addressBytes+n*indexBytes)), m.Times(row, indexBytes))
}

// rows says, for a flat tile, which rows it has.
func (m *tensor) rows() {
	if m.tile.flat == 0 {
		return
	}
	m.Loop(m.Wide(m.tid), asm.Number(int64(m.tile.rows)), asm.Number(int64(m.Threads[0])), func(n string) {
		row := m.Op(asm.Word, "cvt.u32.u64", n)
		at := m.Add(m.y, n)
		p := body.Point{At: slices.Clone(m.p.At)}
		m.Split(0, m.c.M, at, p.At)
		for i, a := range m.c.M {
			m.Line("st.shared.b32 [%s], %s", m.indexOf(row, i), m.Op(asm.Word, "cvt.u32.u64", p.At[a]))
		}
		if !m.a.direct {
			return
		}
		mem := *m.K.Instrs[m.a.load].Mem
		inside := m.Op(asm.Predicate, "setp.lt.s64", at, m.nY)
		for d := range mem.Index {
			if mem.Guard && m.a.unit != d && !m.alongK(&mem.Index[d]) {
				inside = m.Both(inside, m.within(&mem, d, p))
			}
		}
		mem.Guard = false
		address, _ := m.Operand(&mem, p)
		m.Line("st.shared.b64 [%s], %s", m.addressOf(row), m.Op(asm.Long, "selp.b64", address, "0", inside))
	})
	if m.tile.groups {
		m.Barrier() // the ring has one before it copies, that of warpgroups has none
	}
}

// at puts the indices of a row of a flat tile into a point.
func (m *tensor) at(row string, p *body.Point) {
	if m.tile.flat == 0 {
		return
	}
	for n, a := range m.c.M {
		p.At[a] = m.Wide(m.loadWord(m.indexOf(row, n)))
	}
}

func (m *tensor) loadWord(at string) string {
	r := m.Fresh(asm.Word)
	m.Line("ld.shared.b32 %s, [%s]", r, at)
	return r
}

// alongK reports whether an axis of K moves an index.
func (m *tensor) alongK(x *kernel.Index) bool {
	return slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return slices.Contains(m.c.K, t.Axis) })
}

// within returns the predicate that an access is within a dimension.
func (m *tensor) within(mem *kernel.Access, d int, p body.Point) string {
	return m.Op(asm.Predicate, "setp.lt.u64", m.Index(&mem.Index[d], p), m.Size(m.K.Params[mem.Param].Dims[d]))
}

// flatChunks copies chunks of a flat tile's rows beside the threads, in pieces of a size.
func (m *tensor) flatChunks(s *factor, into, from string, size int) {
	row, chunk, each := m.mine(s)
	mem := m.K.Instrs[s.load].Mem
	to := m.Sum(into, m.Plus(m.offset(s, row, chunk), s.at))
	first := m.Add(from, m.Mul(m.Wide(chunk), asm.Number(m.perChunk())))
	depth := m.depth
	if mem.Guard {
		depth = m.Op(asm.Long, "min.s64", depth, m.Size(m.K.Params[mem.Param].Dims[s.unit]))
	}
	bytes := m.remainingBytes(depth, first)
	along := m.Mul(first, s.kStep)
	for _, a := range m.outerK() {
		along = m.Mad(m.p.At[a], s.step(a), along)
	}
	for n := 0; n < s.rows; n += each {
		address := m.Fresh(asm.Long)
		m.Line("ld.shared.b64 %s, [%s+%d]", address, m.addressOf(row), n*addressBytes)
		inside := m.Op(asm.Predicate, "setp.ne.s64", address, "0")
		p := body.Point{At: slices.Clone(m.p.At)}
		loaded := map[int]bool{}
		for d := range mem.Index {
			if x := &mem.Index[d]; mem.Guard && d != s.unit && m.alongK(x) {
				for i, a := range m.c.M {
					if !loaded[a] && slices.ContainsFunc(x.Terms, func(t kernel.Term) bool { return t.Axis == a }) {
						loaded[a] = true
						p.At[a] = m.Wide(m.loadWord(asm.PlusOffset(m.indexOf(row, i), n*indexBytes)))
					}
				}
				inside = m.Both(inside, m.within(mem, d, p))
			}
		}
		m.CopyChunk(to, n*s.pitch, m.Add(address, along), size, bytes, inside)
	}
}
