package eval

import (
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/soa"
	"ltc/stablehlo"
)

// prepareVectorDot is dot: a vector or matrix times a vector or matrix.
func prepareVectorDot(b *builder, o *site) error {
	if err := o.arity(2, 1); err != nil {
		return err
	}
	l, r := len(o.in[0].shape), len(o.in[1].shape)
	if l < 1 || l > 2 || r < 1 || r > 2 {
		return fmt.Errorf("operands %v and %v, want vectors or matrices", o.in[0].tensor, o.in[1].tensor)
	}
	var c contraction
	c.contract = [2][]int{{l - 1}, {0}}
	for i := range l - 1 {
		c.free[0] = append(c.free[0], i)
	}
	for i := 1; i < r; i++ {
		c.free[1] = append(c.free[1], i)
	}
	if err := c.fits(o); err != nil {
		return err
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
	operands := 2
	if o.op.Code == stablehlo.UnaryEinsum {
		operands = 1
	}
	if err := o.arity(operands, 1); err != nil {
		return err
	}
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
	case loops.I8:
		return sumProducts[int8]
	case loops.I16:
		return sumProducts[int16]
	case loops.I32:
		return sumProducts[int32]
	case loops.I64:
		return sumProducts[int64]
	case loops.U8:
		return sumProducts[uint8]
	case loops.U16:
		return sumProducts[uint16]
	case loops.U32:
		return sumProducts[uint32]
	case loops.U64:
		return sumProducts[uint64]
	case loops.F32:
		return sumProducts[float32]
	case loops.F64:
		return sumProducts[float64]
	case loops.C64:
		return sumProducts[complex64]
	case loops.C128:
		return sumProducts[complex128]
	}
	return nil
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
