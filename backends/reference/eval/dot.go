package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/soa"
)

// contraction says which dimensions of the operands of a dot_general do what.
type contraction struct {
	batch, contract, free [2][]int // of lhs and rhs
}

func prepareDot(b *builder, o *site) error {
	if err := o.arity(2, 1); err != nil {
		return err
	}
	c, err := parseContraction(o)
	if err != nil {
		return err
	}
	return b.product(o, c)
}

// product multiplies and adds as c says.
func (b *builder) product(o *site, c contraction) error {
	l, r, out := o.in[0], o.in[1], o.out[0]
	acc := out.dt.Accum()
	if acc == loops.I1 {
		acc = loops.I64 // a sum of products that is not 0 is an or of ands
	}
	mul := loops.Gemm(acc)
	if mul == nil {
		return unsupportedf("elements of %v and %v with a result of %v", l.dt, r.dt, out.dt)
	}
	nb, m, k, n := extent(l, c.batch[0]), extent(l, c.free[0]), extent(l, c.contract[0]), extent(r, c.free[1])

	// The right operand lies as [batch, contracted, free], the left one as
	// [batch, free, contracted] or with the last two exchanged.
	right := b.arranged(o, 1, acc, slices.Concat(c.batch[1], c.contract[1], c.free[1]))
	mk := slices.Concat(c.batch[0], c.free[0], c.contract[0])
	km := slices.Concat(c.batch[0], c.contract[0], c.free[0])
	ai, al := k, 1
	if !inOrder(l.tensor, mk) && inOrder(l.tensor, km) {
		mk, ai, al = km, 1, m
	}
	left := b.arranged(o, 0, acc, mk)

	sum := b.result(o, 0)
	res, size := sum, acc.Size()
	var narrow loops.Loop1
	if acc != out.dt {
		sum, narrow = b.scratch(o, out.n*size), loops.Convert(acc, out.dt)
	}
	b.emitWork(loops.Times(nb, loops.Times(m, loops.Times(n, k))), func(f *frame) {
		pc, pa, pb := f.p[sum], f.p[left], f.p[right]
		f.clear(pc, out.n*size)
		for i := range nb {
			if f.due(stepWork) {
				return
			}
			mul(&f.ws.Budget, unsafe.Add(pc, i*m*n*size), unsafe.Add(pa, i*m*k*size), unsafe.Add(pb, i*k*n*size), m, n, k, ai, al)
		}
		if narrow != nil {
			f.convert(narrow, out.dt.Size(), size, f.p[res], pc, out.n)
		}
	})
	return nil
}

func parseContraction(o *site) (contraction, error) {
	var c contraction
	d, err := fields(o.op.Attrs, "dot_dimension_numbers")
	if err != nil {
		return c, err
	}
	for i, side := range []string{"lhs", "rhs"} {
		in := o.in[i]
		var err1, err2 error
		c.batch[i], err1 = axes(d, side+"_batching_dimensions", len(in.shape))
		c.contract[i], err2 = axes(d, side+"_contracting_dimensions", len(in.shape))
		if err := firstError(err1, err2); err != nil {
			return c, err
		}
		named := slices.Concat(c.batch[i], c.contract[i])
		for k := range in.shape {
			if !slices.Contains(named, k) {
				c.free[i] = append(c.free[i], k)
			}
		}
		if len(named)+len(c.free[i]) != len(in.shape) {
			return c, fmt.Errorf("%s_batching_dimensions and %s_contracting_dimensions name a dimension twice", side, side)
		}
	}
	return c, c.fits(o)
}

// fits checks the shapes of the operands and the result.
func (c contraction) fits(o *site) error {
	l, r := o.in[0], o.in[1]
	var want []int
	for i, pair := range [][2][]int{c.batch, c.contract} {
		if len(pair[0]) != len(pair[1]) {
			return fmt.Errorf("%d dimensions of the left operand are paired with %d of the right", len(pair[0]), len(pair[1]))
		}
		for j := range pair[0] {
			if l.shape[pair[0][j]] != r.shape[pair[1][j]] {
				return fmt.Errorf("dimension %d of the left operand is %d, dimension %d of the right %d",
					pair[0][j], l.shape[pair[0][j]], pair[1][j], r.shape[pair[1][j]])
			}
			if i == 0 {
				want = append(want, l.shape[pair[0][j]])
			}
		}
	}
	want = append(append(want, pick(l.shape, c.free[0])...), pick(r.shape, c.free[1])...)
	if !slices.Equal(want, o.out[0].shape) {
		return fmt.Errorf("the product has shape %v, the result %v", want, o.out[0].shape)
	}
	return nil
}

func pick(shape, dims []int) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = shape[d]
	}
	return out
}

func extent(t operand, dims []int) int {
	n := 1
	for _, d := range dims {
		n *= t.shape[d]
	}
	return n
}

// inOrder reports whether t lies in memory as if transposed by perm.
func inOrder(t tensor, perm []int) bool {
	shape := pick(t.shape, perm)
	return soa.NewMove(t.dt.Size(), shape, soa.Dense(shape), pick(soa.Dense(t.shape), perm)).Contiguous()
}

// arranged returns a slot that holds operand i transposed by perm as elements
// of type d: the operand's own, or scratch filled by steps that it emits.
func (b *builder) arranged(o *site, i int, d loops.DType, perm []int) int {
	in, s := o.in[i], o.in[i].slot
	if !inOrder(in.tensor, perm) {
		shape := pick(in.shape, perm)
		m := newMover(in.dt.Size(), shape, soa.Dense(shape), pick(soa.Dense(in.shape), perm))
		from, to := s, b.scratch(o, in.bytes())
		b.emit(func(f *frame) { m.run(f, f.p[to], f.p[from]) })
		s = to
	}
	return b.converted(o, s, in.dt, d, in.n)
}

// converted returns a slot that holds the n elements of s as elements of type to.
func (b *builder) converted(o *site, s int, from, to loops.DType, n int) int {
	if from == to {
		return s
	}
	k, r := loops.Convert(from, to), b.scratch(o, n*to.Size())
	b.emitKernel(k, r, to.Size(), s, from.Size(), n)
	return r
}
