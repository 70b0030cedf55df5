package reference

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// combination is how the values of a group become one: in the group's order,
// each converted to the type that the computation takes.
type combination struct {
	convert []kernel1 // by operand; nil where the type is the computation's
	scratch []int
	apply   func(f *frame, acc, x unsafe.Pointer, n int) error
}

// combination reads the op's computation, whose type is out's.
func (b *builder) combination(o *site, in []operand) (*combination, error) {
	c := &combination{}
	to := o.out[0].element()
	for i, x := range in {
		if o.out[i].dt != to.dt {
			return nil, fmt.Errorf("results of %v and %v", to.dt, o.out[i].dt)
		}
		var k kernel1
		if x.dt != to.dt {
			k = convertKernel(x.dt, to.dt)
		}
		c.convert = append(c.convert, k)
		c.scratch = append(c.scratch, b.scratch(o, x.n*to.dt.size()))
	}
	if o.op.Code == stablehlo.CrossReplicaSum {
		return c, c.direct(stablehlo.Add, to.dt)
	}
	if len(o.op.Regions) == 1 {
		if op, mirrored := simpleBody(o.op.Regions[0]); !mirrored && c.direct(op, to.dt) == nil {
			return c, nil
		}
	}
	args := []int{b.pointer(o), b.pointer(o)}
	body, err := b.region(o, 0, args, []tensor{to, to})
	if err != nil {
		return nil, err
	}
	store, err := b.storing(o, body, []tensor{to})
	if err != nil {
		return nil, err
	}
	size := to.dt.size()
	c.apply = func(f *frame, acc, x unsafe.Pointer, n int) error {
		for i := range n {
			f.p[args[0]], f.p[args[1]] = unsafe.Add(acc, i*size), unsafe.Add(x, i*size)
			if err := f.exec(body.steps); err != nil {
				return err
			}
			store(f, args)
		}
		return nil
	}
	return c, nil
}

// direct combines by an op's kernel.
func (c *combination) direct(op mlir.Code, d dtype) error {
	k := binaryKernel(op, d)
	if k == nil {
		return unsupportedf("elements of type %v", d)
	}
	c.apply = func(_ *frame, acc, x unsafe.Pointer, n int) error {
		k(acc, acc, x, n)
		return nil
	}
	return nil
}

// run combines value i of all into the memory at acc.
func (c *combination) run(f *frame, acc unsafe.Pointer, all []parcel, i int) error {
	for k, part := range all {
		t, x := part.types[i], first(part.bytes[i])
		to := f.p[c.scratch[i]]
		if k == 0 {
			to = acc
		}
		switch {
		case c.convert[i] != nil:
			c.convert[i](to, x, t.n)
			x = to
		case k == 0:
			copyBytes(acc, x, t.bytes())
		}
		if k > 0 {
			if err := c.apply(f, acc, x, t.n); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepareAllReduce combines the values of a group, for each of it.
func prepareAllReduce(b *builder, o *site) error {
	groups, err := newGroups(b, o, crossReplicaAndPartition)
	if err := firstError(err, b.oneToOne(o, o.in), o.shapesKept(o.in)); err != nil {
		return err
	}
	c, err := b.combination(o, o.in)
	if err != nil {
		return err
	}
	b.emitTry(func(f *frame) error {
		all, _, err := groups.inGroup(f, o, o.in)
		for i := 0; err == nil && i < len(o.out); i++ {
			err = c.run(f, f.p[o.res[i]], all, i)
		}
		return err
	})
	return nil
}

// shapesKept checks that the results have the operands' shapes.
func (o *site) shapesKept(in []operand) error {
	for i := range min(len(in), len(o.out)) {
		if !slices.Equal(in[i].shape, o.out[i].shape) {
			return fmt.Errorf("operand %d is %v, the result %v", i, in[i].tensor, o.out[i])
		}
	}
	return nil
}

// prepareCollectiveReduce combines the values of a group for one of it; the
// others get zeros.
func prepareCollectiveReduce(b *builder, o *site) error {
	groups, err := newGroups(b, o, crossPartition)
	if err != nil {
		return err
	}
	in, root, err := roots(o)
	if err := firstError(err, b.oneToOne(o, in), o.shapesKept(in)); err != nil {
		return err
	}
	c, err := b.combination(o, in)
	if err != nil {
		return err
	}
	b.emitTry(func(f *frame) error {
		all, index, err := groups.exchange(f, o, in)
		if err != nil {
			return err
		}
		for i, out := range o.out {
			switch r := root(f, i); {
			case index >= 0 && (r < 0 || r >= len(all)):
				return fmt.Errorf("root %d of a group of %d", r, len(all))
			case index < 0 || r != index:
				f.clear(f.p[o.res[i]], out.bytes())
			default:
				if err := c.run(f, f.p[o.res[i]], all, i); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return nil
}

// prepareReduceScatter combines the values of a group and gives each of it a
// part.
func prepareReduceScatter(b *builder, o *site) error {
	groups, err := newGroups(b, o, crossReplicaAndPartition)
	if err := firstError(err, o.arity(1, 1)); err != nil {
		return err
	}
	dim, err := intAttr(o.op.Attrs, "scatter_dimension", -1)
	if err != nil {
		return err
	}
	in, out := o.in[0], o.out[0]
	if dim < 0 || dim >= len(in.shape) || len(out.shape) != len(in.shape) || !slices.Equal(with(in.shape, dim, out.shape[dim]), out.shape) {
		return fmt.Errorf("scatter_dimension = %d of %v, the result is %v", dim, in.tensor, out)
	}
	c, err := b.combination(o, o.in)
	if err != nil {
		return err
	}
	r, sum := b.result(o, 0), b.scratch(o, in.n*out.dt.size())
	b.emitTry(func(f *frame) error {
		all, index, err := groups.inGroup(f, o, o.in)
		if err != nil {
			return err
		}
		n := out.shape[dim]
		if n*len(all) != in.shape[dim] {
			return fmt.Errorf("%d of dimension %d for a group of %d, the result has %d", in.shape[dim], dim, len(all), n)
		}
		if err := c.run(f, f.p[sum], all, 0); err != nil {
			return err
		}
		place(f.p[r], out, dim, 0, f.p[sum], tensorOf(out.dt, in.shape...), dim, index*n, out.shape)
		return nil
	})
	return nil
}
