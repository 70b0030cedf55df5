package eval

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/stridedcopy"
	"ltc/soa"
	"ltc/stablehlo"
)

// contraction says which dimensions of the operands of a dot_general do what.
type contraction struct {
	batch, contract, free [2][]int // of lhs and rhs
}

func prepareDot(b *builder, o *site) error { return b.product(o, contractionOf(o)) }

// contractionOf reads the dimensions of a dot_general.
func contractionOf(o *site) (c contraction) {
	d := stablehlo.AsDotGeneral(o.op).DotDimensionNumbers()
	for i, of := range [2][2][]int64{{d.LHSBatch, d.LHSContract}, {d.RHSBatch, d.RHSContract}} {
		c.batch[i], c.contract[i] = toInts(of[0]), toInts(of[1])
		for k := range o.in[i].shape {
			if !slices.Contains(c.batch[i], k) && !slices.Contains(c.contract[i], k) {
				c.free[i] = append(c.free[i], k)
			}
		}
	}
	return c
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
	nb, m := volume(pick(l.shape, c.batch[0])), volume(pick(l.shape, c.free[0]))
	k, n := volume(pick(l.shape, c.contract[0])), volume(pick(r.shape, c.free[1]))

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

func pick(shape, dims []int) []int {
	out := make([]int, len(dims))
	for i, d := range dims {
		out[i] = shape[d]
	}
	return out
}

// inOrder reports whether t lies in memory as if transposed by perm.
func inOrder(t tensor, perm []int) bool {
	shape := pick(t.shape, perm)
	return stridedcopy.NewMove(t.dt.Size(), shape, soa.Dense(shape), pick(soa.Dense(t.shape), perm)).Contiguous()
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

// prepareVectorDot is dot: a vector or matrix times a vector or matrix.
func prepareVectorDot(b *builder, o *site) error {
	l, r := len(o.in[0].shape), len(o.in[1].shape)
	var c contraction
	c.contract = [2][]int{{l - 1}, {0}}
	for i := range l - 1 {
		c.free[0] = append(c.free[0], i)
	}
	for i := 1; i < r; i++ {
		c.free[1] = append(c.free[1], i)
	}
	return b.product(o, c)
}

// einsum is a sum of products, over all indices that the result lacks.
type einsum struct {
	kept, summed []int    // sizes of the result's indices, and of the others
	strides      [2][]int // of each operand, by index: of kept, then of summed
	in           []int    // slots
	sums         int
	acc          loops.DType
}

// prepareEinsum handles einsum and unary_einsum, whose configurations are
// "ij,jk->ik" and "ij->ji".
func prepareEinsum(b *builder, o *site) error {
	x := &einsum{acc: o.out[0].dt.Accum()}
	if x.acc == loops.I1 {
		x.acc = loops.I64
	}
	run := einsumKernel(x.acc)
	if run == nil {
		return unsupportedf("elements of %v", o.out[0].dt)
	}
	if err := x.parse(o, stringAttr(o.op.Attrs.Get("einsum_config"))); err != nil {
		return fmt.Errorf("einsum_config: %w", err)
	}
	for i, in := range o.in {
		x.in = append(x.in, b.converted(o, in.slot, in.dt, x.acc, in.n))
		if i > 0 && in.dt != o.in[0].dt {
			return fmt.Errorf("operands %v and %v, want one element type", o.in[0].tensor, in.tensor)
		}
	}
	out := o.out[0]
	x.sums = b.scratch(o, out.n*x.acc.Size())
	b.emitWork(loops.Times(loops.Times(out.n, volume(x.summed)), stepWork/4), func(f *frame) { run(f, x) })
	from, r := b.converted(o, x.sums, x.acc, out.dt, out.n), b.result(o, 0)
	b.emit(copySlot(r, from, out.bytes()))
	return nil
}

// labels splits "ij" for a tensor of the given rank into one letter a dimension.
func labels(term string, rank int) ([]string, error) {
	all := strings.Split(term, "")
	if len(all) != rank {
		return nil, fmt.Errorf("%q for a tensor of rank %d", term, rank)
	}
	return all, nil
}

func (x *einsum) parse(o *site, config string) error {
	left, right, ok := strings.Cut(strings.ReplaceAll(config, " ", ""), "->")
	terms := strings.Split(left, ",")
	if !ok || len(terms) != len(o.in) {
		return fmt.Errorf("%q, want as many terms as operands, -> and a term for the result", config)
	}
	kept, err := labels(right, len(o.out[0].shape))
	if err != nil {
		return err
	}
	sizes := map[string]int{}
	var summed []string
	var names [2][]string
	for i, in := range o.in {
		if names[i], err = labels(terms[i], len(in.shape)); err != nil {
			return err
		}
		for d, l := range names[i] {
			if n, known := sizes[l]; known && n != in.shape[d] {
				return fmt.Errorf("index %s counts to %d and to %d", l, n, in.shape[d])
			} else if !known && !slices.Contains(kept, l) {
				summed = append(summed, l)
			}
			sizes[l] = in.shape[d]
		}
	}
	for d, l := range kept {
		if n, known := sizes[l]; !known || n != o.out[0].shape[d] || slices.Contains(kept[:d], l) {
			return fmt.Errorf("index %s of the result %v, want each once, from an operand, of its size", l, o.out[0])
		}
	}
	for _, l := range summed {
		x.summed = append(x.summed, sizes[l])
	}
	x.kept = o.out[0].shape
	for i, in := range o.in {
		dense := soa.Dense(in.shape)
		for _, l := range slices.Concat(kept, summed) {
			step := 0
			for d, name := range names[i] {
				if name == l {
					step += dense[d] // an index that stands twice takes the diagonal
				}
			}
			x.strides[i] = append(x.strides[i], step)
		}
	}
	return nil
}

func einsumKernel(d loops.DType) func(f *frame, x *einsum) {
	switch d {
	case loops.F32:
		return sumProducts[float32]
	case loops.F64:
		return sumProducts[float64]
	case loops.C64:
		return sumProducts[complex64]
	case loops.C128:
		return sumProducts[complex128]
	}
	return loops.ByInteger(d, sumProducts[int8], sumProducts[int16], sumProducts[int32], sumProducts[int64], sumProducts[uint8], sumProducts[uint16], sumProducts[uint32], sumProducts[uint64])
}

func sumProducts[T loops.Numeric](f *frame, x *einsum) {
	sums := at[T](f, x.sums, volume(x.kept))
	element := func(i, offset int) T { return *(*T)(unsafe.Add(f.p[x.in[i]], offset*x.acc.Size())) }
	offset := func(i int, kept, summed []int) int {
		to := 0
		for k, v := range kept {
			to += v * x.strides[i][k]
		}
		for k, v := range summed {
			to += v * x.strides[i][len(kept)+k]
		}
		return to
	}
	_ = eachIndex(x.kept, func(at int, kept []int) error {
		var sum T
		err := eachIndex(x.summed, func(_ int, summed []int) error {
			if err := f.stop(stepWork / 4); err != nil {
				return err
			}
			v := element(0, offset(0, kept, summed))
			if len(x.in) == 2 {
				v = T(v * element(1, offset(1, kept, summed)))
			}
			sum += v
			return nil
		})
		sums[at] = sum
		return err
	})
}
