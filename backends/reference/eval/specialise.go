package eval

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"ltc/internal/diag"
	"ltc/internal/stridedcopy"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// A dynamic op is a static op some of whose attributes, or whose result's
// shape, are given as operands. Once these are known it becomes that op: the
// only thing there is to run is the static one.

// special is a dynamic op with its values known.
type special struct {
	op     *mlir.Op // the static op; its operands are those kept
	kept   []int    // of the dynamic op's operands
	shape  []int    // of result shaped; nil if it follows from the operands
	shaped int
	shapes [][]int // of all results of a custom_call that has operands for them; else nil
}

// specialise returns the static op that op is for the given values of the
// operands that d names.
func specialise(d *mlir.Static, op *mlir.Op, values [][]int) special {
	s := special{shaped: d.Shaped, op: &mlir.Op{
		Code: d.Op, Results: op.Results, Attrs: slices.Clone(op.Attrs), Regions: op.Regions,
		Loc: op.Loc, Pos: op.Pos, Ordinal: op.Ordinal,
	}}
	for i, v := range op.Operands {
		k := slices.IndexFunc(d.Parts, func(p mlir.StaticPart) bool { return p.Operand == i })
		switch {
		case k < 0:
			s.kept, s.op.Operands = append(s.kept, i), append(s.op.Operands, v)
		case d.Parts[k].Attr == "":
			s.shape = append([]int{}, values[k]...)
		default:
			list := make([]int64, len(values[k]))
			for i, n := range values[k] {
				list[i] = int64(n)
			}
			s.op.Attrs.Set(d.Parts[k].Attr, d.Parts[k].Value(list))
		}
	}
	return s
}

// valuesBy returns the values of the operands that d names, of which read gives each.
func valuesBy(d *mlir.Static, read func(operand int) ([]int, error)) (values [][]int, err error) {
	values = make([][]int, len(d.Parts))
	for i, p := range d.Parts {
		if values[i], err = read(p.Operand); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// static returns what the dynamic op becomes; nil for other ops.
func static(op *mlir.Op) *mlir.Static { return op.Code.Info().Static }

// readInts reads a tensor of integers.
func readInts(p unsafe.Pointer, t tensor) ([]int, error) {
	read := indexReader(t.dt)
	if read == nil {
		return nil, fmt.Errorf("%v is read as a list of integers", t)
	}
	v := make([]int, t.n)
	for i := range v {
		v[i] = read(unsafe.Add(p, i*t.dt.Size()))
	}
	return v, nil
}

// prepareDynamic prepares a dynamic op between static types: as the static op
// where its values are constants, else as a step that prepares that op when it
// knows them.
func prepareDynamic(b *builder, o *site) error {
	d := static(o.op)
	last := d.Parts[len(d.Parts)-1].Operand
	if len(o.out) <= d.Shaped || len(o.in) <= last {
		return fmt.Errorf("%s and %s", diag.Count(len(o.in), "operand"), diag.Count(len(o.out), "result"))
	}
	of := func(k int) *slot { return &b.code.slots[o.in[k].slot] }
	if slices.ContainsFunc(d.Parts, func(p mlir.StaticPart) bool { return of(p.Operand).kind != constant }) {
		return b.prepareLate(o, d)
	}
	values, err := valuesBy(d, func(k int) ([]int, error) { return readInts(first(of(k).constant), o.in[k].tensor) })
	if err != nil {
		return err
	}
	s := specialise(d, o.op, values)
	if err := s.gives(o.out); err != nil {
		return err
	}
	var in []operand
	for _, k := range s.kept {
		in = append(in, o.in[k])
	}
	o.op, o.in = s.op, in
	return opTable[d.Op].prepare(b, o)
}

// gives checks that the shape that the values say is the result's.
func (s *special) gives(out []tensor) error {
	if s.shape != nil && !slices.Equal(s.shape, out[s.shaped].shape) {
		return fmt.Errorf("the values say shape %v, the result is %v", s.shape, out[s.shaped])
	}
	return nil
}

// prepareLate is prepareDynamic for values that the run brings.
func (b *builder) prepareLate(o *site, d *mlir.Static) error {
	to := make([]int, len(o.out))
	for i := range to {
		to[i] = b.result(o, i)
	}
	cache := newOpCache(b.compiler)
	in, out := slices.Clone(o.in), slices.Clone(o.out)
	op := o.op
	types := make([]mlir.Type, len(op.Results))
	for i, r := range op.Results {
		types[i] = r.Type
	}
	b.emitTry(func(f *frame) error {
		values, err := valuesBy(d, func(k int) ([]int, error) { return readInts(f.p[in[k].slot], in[k].tensor) })
		if err != nil {
			return err
		}
		s := specialise(d, op, values)
		if err := s.gives(out); err != nil {
			return err
		}
		var args []part
		for _, k := range s.kept {
			args = append(args, part{in[k].tensor, f.p[in[k].slot]})
		}
		c, err := cache.prepare(f.ws.ctx, op, s.op, values, tensorsOf(args), nil, nil, types)
		if err != nil {
			return err
		}
		results := make([]part, len(out))
		for i, t := range out {
			results[i] = part{t, f.p[to[i]]}
		}
		return c.run(f.ws, args, results)
	})
	return nil
}

// prepareDimensionSize is a constant once the operand's type is known.
func prepareDimensionSize(b *builder, o *site) error {
	dim := stablehlo.AsGetDimensionSize(o.op).Dimension()
	n := o.in[0].shape[dim]
	if n != int(int32(n)) {
		return fmt.Errorf("dimension %d is %d, which is no i32: an open size that a program asks for is at most %d; give smaller arguments, or compile the program for this size", dim, n, math.MaxInt32)
	}
	data := make([]byte, 4)
	*(*int32)(first(data)) = int32(n)
	b.alias(o, 0, b.newSlot(slot{kind: constant, constant: aligned(data)}))
	return nil
}

// prepareSetDimensionSize takes the first elements of a dimension, as many as
// the result has; where that is more than there are, zeros follow.
func prepareSetDimensionSize(b *builder, o *site) error {
	in, size, out := o.in[0], o.in[1], o.out[0]
	dim, read := int(stablehlo.AsSetDimensionSize(o.op).Dimension()), indexReader(size.dt)
	r, common := b.result(o, 0), with(in.shape, dim, min(in.shape[dim], out.shape[dim]))
	m := stridedcopy.NewMove(out.dt.Size(), common, soa.Dense(out.shape), soa.Dense(in.shape))
	b.emitTry(func(f *frame) error {
		if n := read(f.p[size.slot]); n != out.shape[dim] {
			return fmt.Errorf("size %d of dimension %d, the result is %v", n, dim, out)
		}
		f.clear(f.p[r], out.bytes())
		if volume(common) > 0 {
			m.Run(f.p[r], f.p[in.slot])
		}
		return nil
	})
	return nil
}
