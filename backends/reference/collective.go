package reference

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/soa"
)

// exchange brings the operands to p's group and returns what each of it
// brought, and p's index in it; -1 and nothing if p is in no group.
func (c *collective) exchange(f *frame, o *site, in []operand) ([]parcel, int, error) {
	p := f.ws.process()
	group, index, err := c.group(p)
	if err != nil || index < 0 {
		return nil, -1, err
	}
	all, err := p.meet(f.ws.ctx, o.op.Name(), c.channel, group, pack(f, in))
	if err != nil {
		return nil, 0, err
	}
	for k, other := range all {
		if !slices.EqualFunc(other.types, all[index].types, tensor.equal) {
			return nil, 0, fmt.Errorf("process %v brings %v, process %s %v", p, all[index].types, p.name(group[k]), other.types)
		}
	}
	return all, index, nil
}

// inGroup is exchange for an op that needs a group.
func (c *collective) inGroup(f *frame, o *site, in []operand) ([]parcel, int, error) {
	all, index, err := c.exchange(f, o, in)
	if err == nil && index < 0 {
		err = fmt.Errorf("process %v is in none of the groups %v", f.ws.process(), c.groups)
	}
	return all, index, err
}

// oneToOne checks that the op has a result for each operand and makes their slots.
func (b *builder) oneToOne(o *site, in []operand) error {
	if len(in) != len(o.out) || len(in) == 0 {
		return fmt.Errorf("%d operands and %d results", len(in), len(o.out))
	}
	for i := range o.out {
		b.result(o, i)
	}
	return nil
}

// likeOperands is oneToOne for results of the operands' types.
func (b *builder) likeOperands(o *site, in []operand) error {
	if err := b.oneToOne(o, in); err != nil {
		return err
	}
	for i := range in {
		if !in[i].equal(o.out[i]) {
			return fmt.Errorf("operand %d is %v, the result %v", i, in[i].tensor, o.out[i])
		}
	}
	return nil
}

// place copies a block of elements between tensors of one element type: of
// the given shape, from src at one index of a dimension to dst at another.
func place(dst unsafe.Pointer, to tensor, toDim, toAt int, src unsafe.Pointer, from tensor, fromDim, fromAt int, shape []int) {
	if slices.Contains(shape, 0) {
		return
	}
	size, ds, ss := to.dt.size(), soa.Dense(to.shape), soa.Dense(from.shape)
	soa.NewMove(size, shape, ds, ss).Run(unsafe.Add(dst, toAt*ds[toDim]*size), unsafe.Add(src, fromAt*ss[fromDim]*size))
}

// with returns the shape with one dimension changed.
func with(shape []int, dim, n int) []int {
	shape = slices.Clone(shape)
	shape[dim] = n
	return shape
}

// prepareAllGather concatenates what the group has.
func prepareAllGather(b *builder, o *site) error {
	c, err := newGroups(b, o, crossReplicaAndPartition)
	if err := firstError(err, b.oneToOne(o, o.in)); err != nil {
		return err
	}
	dim, err := intAttr(o.op.Attrs, "all_gather_dim", -1)
	if err != nil {
		return err
	}
	for i, in := range o.in {
		if dim < 0 || dim >= len(in.shape) || in.dt != o.out[i].dt || len(o.out[i].shape) != len(in.shape) {
			return fmt.Errorf("all_gather_dim = %d of %v, which becomes %v", dim, in.tensor, o.out[i])
		}
	}
	b.emitTry(func(f *frame) error {
		all, _, err := c.inGroup(f, o, o.in)
		if err != nil {
			return err
		}
		for i, in := range o.in {
			n := in.shape[dim]
			if want := with(in.shape, dim, n*len(all)); !slices.Equal(want, o.out[i].shape) {
				return fmt.Errorf("a group of %d gathers a result of shape %v, not %v", len(all), want, o.out[i].shape)
			}
			for k, part := range all {
				place(f.p[o.res[i]], o.out[i], dim, k*n, first(part.bytes[i]), in.tensor, dim, 0, in.shape)
			}
		}
		return nil
	})
	return nil
}

func first(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// prepareAllToAll splits the operands into a part for each of the group.
func prepareAllToAll(b *builder, o *site) error {
	c, err := newGroups(b, o, crossPartition)
	split, err1 := intAttr(o.op.Attrs, "split_dimension", -1)
	concat, err2 := intAttr(o.op.Attrs, "concat_dimension", -1)
	count, err3 := intAttr(o.op.Attrs, "split_count", 0)
	if err := firstError(err, err1, err2, err3, b.oneToOne(o, o.in)); err != nil {
		return err
	}
	for i, in := range o.in {
		rank := len(in.shape)
		if split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 || in.shape[split]%count != 0 {
			return fmt.Errorf("split_dimension = %d, concat_dimension = %d and split_count = %d of %v", split, concat, count, in.tensor)
		}
		part := with(in.shape, split, in.shape[split]/count)
		if want := with(part, concat, part[concat]*count); !slices.Equal(want, o.out[i].shape) || in.dt != o.out[i].dt {
			return fmt.Errorf("operand %d gives %v of shape %v, the result is %v", i, in.dt, want, o.out[i])
		}
	}
	b.emitTry(func(f *frame) error {
		all, index, err := c.inGroup(f, o, o.in)
		if err != nil {
			return err
		}
		if len(all) != count {
			return fmt.Errorf("split_count = %d for a group of %d", count, len(all))
		}
		for i, in := range o.in {
			part := with(in.shape, split, in.shape[split]/count)
			for k, sent := range all {
				place(f.p[o.res[i]], o.out[i], concat, k*part[concat], first(sent.bytes[i]), in.tensor, split, index*part[split], part)
			}
		}
		return nil
	})
	return nil
}

// prepareCollectiveBroadcast gives a group the values of one of it; processes
// in no group get zeros.
func prepareCollectiveBroadcast(b *builder, o *site) error {
	c, err := newGroups(b, o, crossPartition)
	if err != nil {
		return err
	}
	in, root, err := roots(o)
	if err := firstError(err, b.likeOperands(o, in)); err != nil {
		return err
	}
	b.emitTry(func(f *frame) error {
		all, index, err := c.exchange(f, o, in)
		for i, out := range o.out {
			to := unsafe.Slice((*byte)(f.p[o.res[i]]), out.bytes())
			if err != nil || index < 0 {
				clear(to)
				continue
			}
			r := root(f, i)
			if r < 0 || r >= len(all) {
				return fmt.Errorf("root %d of a group of %d", r, len(all))
			}
			copy(to, all[r].bytes[i])
		}
		return err
	})
	return nil
}

// prepareCollectivePermute sends from process to process by pairs; zeros go
// to those to whom none sends.
func prepareCollectivePermute(b *builder, o *site) error {
	c, err := newCollective(b, o, "source_target_pairs", crossPartition)
	if err := firstError(err, b.likeOperands(o, o.in)); err != nil {
		return err
	}
	b.emitTry(func(f *frame) error {
		p := f.ws.process()
		from, to, err := c.pairs(p)
		if err != nil {
			return err
		}
		address := func(source, target int) string {
			return fmt.Sprintf("%s on channel %d from %s to %s", o.op.Name(), c.channel, p.name(source), p.name(target))
		}
		if to >= 0 {
			if err := p.post(address(p.id(), to), pack(f, o.in)); err != nil {
				return err
			}
		}
		if from < 0 {
			for i, out := range o.out {
				f.clear(f.p[o.res[i]], out.bytes())
			}
			return nil
		}
		got, err := p.take(f.ws.ctx, o.op.Name(), address(from, p.id()))
		if err != nil {
			return err
		}
		return unpack(f, got, o.out, o.res)
	})
	return nil
}

// unpack writes values that have come to slots.
func unpack(f *frame, c parcel, want []tensor, slots []int) error {
	if !slices.EqualFunc(c.types, want, tensor.equal) {
		return fmt.Errorf("%v came, want %v", c.types, want)
	}
	for i, s := range slots {
		copyBytes(f.p[s], first(c.bytes[i]), len(c.bytes[i]))
	}
	return nil
}
