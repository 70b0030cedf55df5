package tiles

import (
	"math"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/internal/loops"
	"ltc/ir/types"
)

// InOrder returns code that rounds and sums as an order says, with the functions of Vectors: with
// the bits of any code of that order. It is nil where tiles cannot.
func (c Compiler) InOrder(k *kernel.Kernel, order *kernel.Order) kernel.Code {
	return c.inOrder(&code{k: k}, vectored{c.Vectors, order})
}

// SumOrder is the order in which Vectors' products form sums.
type SumOrder uint8

// The orders.
const (
	AnyOrder SumOrder = iota
	OfMatrices
	OfRow     // of products of one row
	OfFewRows // of products of few rows, whose b has neighbours along the sum
)

// ProductInOrder is InOrder for launches of a contraction of some sizes, whose sums have an order of
// Vectors' products.
func (c Compiler) ProductInOrder(k *kernel.Kernel, order *kernel.Order, sums SumOrder, sizes []int64) kernel.Code {
	v := vectored{c.Vectors, order}
	g := newGemm(k, v)
	if !g.fits(sizes) || !g.ordered() || sums == OfRow && g.extent(g.M, sizes) > 1 || sums == OfFewRows && !g.contiguous(&g.b, g.K[0]) {
		return nil
	}
	g.order = sums
	return c.inOrder(&code{k: k, gemm: g}, v)
}

func (c Compiler) inOrder(x *code, v vectored) kernel.Code {
	if v.Vectors == nil || v.order == nil || !x.init(v) {
		return nil
	}
	x.least = partWork
	if c.Least > 0 {
		x.least = c.Least
	}
	return x
}

// ordered reports whether built-in products form all sums of g: the elements of both factors lie
// side by side along the sum, or along the rows or columns.
func (g *gemm) ordered() bool {
	if g.fast == nil || len(g.M) > 1 || len(g.N) != 1 || len(g.K) != 1 || g.epilogue.inexact {
		return false
	}
	for i, own := range [2][]int{g.M, g.N} {
		f := g.factors()[i]
		if f.convert != nil || f.way != nil || !g.contiguous(f, g.K[0]) && !slices.ContainsFunc(own, func(a int) bool { return g.contiguous(f, a) }) {
			return false
		}
	}
	return true
}

// contiguous reports whether neighbours along an axis are neighbours in a factor's memory.
func (g *gemm) contiguous(f *gemmFactor, axis int) bool {
	n := int64(0)
	for d, x := range f.Index {
		at := factorOf(x, axis)
		if at != 0 && g.k.Params[f.Param].Strides[d] != kernel.UnitStride {
			return false
		}
		n += at
	}
	return n == 1
}

// fusedProduct returns the product that an instruction is rounded once with; None if there is none.
func (v vectored) fusedProduct(id kernel.ID) kernel.ID {
	if v.order == nil {
		return kernel.None
	}
	return v.order.Fused[id]
}

// inverted reports whether a division is by the inverse of the divisor, where that is normal.
func (b *builder) inverted(id kernel.ID) bool {
	return b.order != nil && slices.Contains(b.order.Stages[b.st.number].Inverse, id)
}

// kernelOrder is the order of a kernel.
type kernelOrder struct {
	*kernel.Order
	k *kernel.Kernel
}

// alongOf returns the axis of stage s that tiles must lie along for its sums and inverses; false if
// there are none that ask for one.
func (o *kernelOrder) alongOf(s int) (axis int, ok bool) {
	st, at := &o.Stages[s], &o.k.Stages[s]
	if st.Vector < 0 {
		return -1, false
	}
	sums := false
	for id := at.Begin; id < at.End; id++ {
		sums = sums || o.k.Sums(id)
	}
	return st.Vector, sums && st.Lanes*st.Unroll > 1 || len(st.Inverse) > 0
}

// orderedWays makes the ways of code that has an order, and reports whether all have it.
func (c *code) orderedWays(v vectored) bool {
	o := &kernelOrder{v.order, c.k}
	own, sums := false, false
	for s := range c.k.Stages {
		axis, along := o.alongOf(s)
		if along && (c.k.Carries(s) || !storesInOrder(c.k, s, axis)) {
			return false
		}
		own = own || along
		for id := c.k.Stages[s].Begin; id < c.k.Stages[s].End; id++ {
			sums = sums || c.k.Sums(id)
		}
	}
	if !own {
		c.across(v)
	}
	if own || !sums && c.hasOwnAxes() || len(c.ways) == 0 {
		c.ways = append(c.ways, newTiling(c.k, v, ownAxes, 0))
	}
	return !slices.ContainsFunc(c.ways, func(w *tiling) bool { return w.inexact })
}

// needsVectors notes that an op on floats without a loop on vectors may have other bits.
func (b *builder) needsVectors(op kernel.Op, from, to types.DType) {
	if b.order != nil && (from.IsFloat() || to.IsFloat()) && !b.fast(op, from, to) {
		b.inexact = true
	}
}

// fusing returns the step of an addition or subtraction that is rounded once with a product of two
// operands, and these three.
func (b *builder) fusing(in *kernel.Instr, p kernel.ID) (op kernel.Op, args [3]kernel.ID) {
	m := b.k.Instrs[p].Args
	switch {
	case in.Args[0] == p && in.Op == kernel.Subtract:
		return kernel.Subtract, [3]kernel.ID{m[0], m[1], in.Args[1]}
	case in.Args[0] == p:
		return kernel.Add, [3]kernel.ID{m[0], m[1], in.Args[1]}
	case in.Op == kernel.Subtract:
		return kernel.Negate, [3]kernel.ID{m[0], m[1], in.Args[0]}
	}
	return kernel.Add, [3]kernel.ID{m[0], m[1], in.Args[0]}
}

// fuse returns the loop that fuses, of which there must be one.
func (b *builder) fuse(op kernel.Op, t types.DType) func(o, x, y, z unsafe.Pointer, n int) {
	f := b.Fused(op, t)
	b.inexact = b.inexact || f == nil
	return f
}

// operandsOf returns the operands of an instruction: of those that are rounded once with a product
// its factors, too, in place of it.
func (b *builder) operandsOf(id kernel.ID) []kernel.ID {
	in := &b.k.Instrs[id]
	switch p := b.fusedProduct(id); {
	case p == kernel.None:
		return in.Args
	case in.Op == kernel.Reduce:
		return b.k.Instrs[p].Args
	default:
		_, args := b.fusing(in, p)
		return args[:]
	}
}

// sum adds the steps of a sum along the stage's tiles that has an order.
func (b *builder) sum(id kernel.ID, in *kernel.Instr) {
	t, size, op := in.Type, in.Type.Size(), kernel.Op(in.Aux)
	o := b.order.Stages[b.st.number]
	b.inexact = b.inexact || b.st.vector != o.Vector
	lanes, width := o.Lanes, o.Lanes*o.Unroll
	combine, fill := b.binary(op, t, t), b.fill(t)
	b.needsVectors(op, t, t)
	start := b.constant(loops.Of(t), kernel.Neutral(op, t), 1)
	b.places[id].cell = int32(id)
	whole, rest := b.newValue(), b.newValue()
	b.keepIn(whole, inShared, 0)
	b.keepIn(rest, inShared, 0)
	b.st.begin = append(b.st.begin, func(r *run, n int) {
		fill(r.p[whole], r.p[start], width)
		fill(r.p[rest], r.p[start], lanes)
	})
	var take func(r *run, sums unsafe.Pointer, at, n int)
	if p := b.fusedProduct(id); p != kernel.None {
		m := b.k.Instrs[p].Args
		fuse, x, y := b.fuse(kernel.Add, t), b.operand(m[0], true), b.operand(m[1], true)
		take = func(r *run, sums unsafe.Pointer, at, n int) {
			fuse(sums, unsafe.Add(r.p[x], at*size), unsafe.Add(r.p[y], at*size), sums, n)
		}
	} else {
		x := b.operand(in.Args[0], true)
		take = func(r *run, sums unsafe.Pointer, at, n int) {
			combine(sums, sums, unsafe.Add(r.p[x], at*size), n)
		}
	}
	each := 1
	if o.Masked {
		each = lanes
	}
	b.emit(inBody, func(r *run, n int) {
		at := 0
		for ; at+width <= n; at += width {
			take(r, r.p[whole], at, width)
		}
		for ; at < n; at += each {
			take(r, r.p[rest], at, min(each, n-at))
		}
	})
	b.st.end = append(b.st.end, func(r *run, n int) {
		main := r.p[whole]
		at := func(i int) unsafe.Pointer { return unsafe.Add(main, i*size) }
		for vectors := o.Unroll; vectors > 1; vectors /= 2 {
			for v := range vectors / 2 {
				combine(at(v*lanes), at(2*v*lanes), at((2*v+1)*lanes), lanes)
			}
		}
		if each == lanes {
			combine(main, main, r.p[rest], lanes)
		}
		for half := lanes / 2; half > 0; half /= 2 {
			combine(main, main, at(half), half)
		}
		if each != lanes {
			combine(main, main, r.p[rest], 1)
		}
		copyElement(int64(size), r.p[id], main)
	})
}

// byInverse returns the step of a division that multiplies where the inverses of all divisors of the
// stage that have one are normal numbers.
func (b *builder) byInverse(id kernel.ID, args []int) step {
	t := b.k.Instrs[id].Type
	divide, multiply, fill := b.binary(kernel.Divide, t, t), b.binary(kernel.Multiply, t, t), b.fill(t)
	b.needsVectors(kernel.Divide, t, t)
	b.needsVectors(kernel.Multiply, t, t)
	var divisors []int
	for _, q := range b.order.Stages[b.st.number].Inverse {
		divisors = append(divisors, b.operand(b.k.Instrs[q].Args[1], false))
	}
	by := b.operand(b.k.Instrs[id].Args[1], false)
	inverse := b.newValue()
	b.keepIn(inverse, inShared, 0)
	normal, invert := normal64, invert64
	if t == types.F32 {
		normal, invert = normal32, invert32
	}
	x, y := args[0], args[1]
	return func(r *run, n int) {
		for _, d := range divisors {
			if !normal(r.p[d]) {
				divide(r.p[id], r.p[x], r.p[y], n)
				return
			}
		}
		var one uint64
		invert(unsafe.Pointer(&one), r.p[by])
		fill(r.p[inverse], unsafe.Pointer(&one), n)
		multiply(r.p[id], r.p[x], r.p[inverse], n)
	}
}

func normal32(p unsafe.Pointer) bool {
	x := math.Abs(float64(*(*float32)(p)))
	return x >= 0x1p-126 && x <= 0x1p126
}

func normal64(p unsafe.Pointer) bool {
	x := math.Abs(*(*float64)(p))
	return x >= 0x1p-1022 && x <= 0x1p1022
}

func invert32(o, p unsafe.Pointer) { *(*float32)(o) = 1 / *(*float32)(p) }
func invert64(o, p unsafe.Pointer) { *(*float64)(o) = 1 / *(*float64)(p) }
