package interpreter

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/eval"
	"ltc/internal/diag"
	"ltc/internal/stridedcopy"
	"ltc/soa"
)

type (
	site = eval.Site
	run  = eval.Run
)

// exchange brings the first n operands to the process's group and returns what each of it
// brought, and the process's index in it; -1 and nothing if it is in no group.
func (c *collective) exchange(s *site, r *run, n int) ([]parcel, int, error) {
	p := processOf(r)
	group, index, err := c.group(p)
	if err != nil || index < 0 {
		return nil, -1, err
	}
	all, err := p.meet(r.Context(), s.Op.Name(), c.channel, group, pack(s, r, n))
	if err != nil {
		return nil, 0, err
	}
	for k, other := range all {
		if !slices.EqualFunc(other.types, all[index].types, eval.Tensor.Equal) {
			return nil, 0, fmt.Errorf("process %v brings %v, process %s %v", p, all[index].types, p.name(group[k]), other.types)
		}
	}
	return all, index, nil
}

// inGroup is exchange of all operands for an op that needs a group.
func (c *collective) inGroup(s *site, r *run) ([]parcel, int, error) {
	all, index, err := c.exchange(s, r, len(s.In))
	if err == nil && index < 0 {
		err = fmt.Errorf("process %v is in none of the groups %v", processOf(r), c.groups)
	}
	return all, index, err
}

// oneToOne checks that the op has a result for each of n operands.
func oneToOne(s *site, n int) error {
	if n != len(s.Out) || n == 0 {
		return fmt.Errorf("%s and %s", diag.Count(n, "operand"), diag.Count(len(s.Out), "result"))
	}
	return nil
}

// likeOperands is oneToOne for results of the operands' types.
func likeOperands(s *site, n int) error {
	if err := oneToOne(s, n); err != nil {
		return err
	}
	for i, in := range s.In[:n] {
		if !in.Equal(s.Out[i]) {
			return fmt.Errorf("operand %d is %v, the result %v", i, in, s.Out[i])
		}
	}
	return nil
}

// block is a dense value of a shape, of which a part is copied: from an index of a
// dimension on.
type block struct {
	data  []byte
	shape []int
	dim   int
	at    int
}

// place copies a block of elements of a size, of the given shape.
func place(to, from block, size int, shape []int) {
	if slices.Contains(shape, 0) {
		return
	}
	ds, ss := soa.Dense(to.shape), soa.Dense(from.shape)
	stridedcopy.NewMove(size, shape, ds, ss).Run(unsafe.Pointer(&to.data[to.at*ds[to.dim]*size]), unsafe.Pointer(&from.data[from.at*ss[from.dim]*size]))
}

// with returns the shape with one dimension changed.
func with(shape []int, dim, n int) []int {
	shape = slices.Clone(shape)
	shape[dim] = n
	return shape
}

// allGather concatenates what the group has.
func allGather(s *site) (func(*run) error, error) {
	c, err := newGroups(s, crossReplicaAndPartition)
	if err := firstOf(err, oneToOne(s, len(s.In))); err != nil {
		return nil, err
	}
	dim, err := number(s.Op.Attrs, "all_gather_dim", -1)
	if err != nil {
		return nil, err
	}
	for i, in := range s.In {
		if dim < 0 || dim >= len(in.Shape()) || in.Element() != s.Out[i].Element() || len(s.Out[i].Shape()) != len(in.Shape()) {
			return nil, fmt.Errorf("all_gather_dim = %d of %v, which becomes %v", dim, in, s.Out[i])
		}
	}
	return func(r *run) error {
		all, _, err := c.inGroup(s, r)
		if err != nil {
			return err
		}
		for i, in := range s.In {
			shape, to := in.Shape(), s.Out[i].Shape()
			n := shape[dim]
			if want := with(shape, dim, n*len(all)); !slices.Equal(want, to) {
				return fmt.Errorf("a group of %d gathers a result of shape %v, not %v", len(all), want, to)
			}
			for k, part := range all {
				place(block{r.Out(i), to, dim, k * n}, block{part.bytes[i], shape, dim, 0}, in.ElementBytes(), shape)
			}
		}
		return nil
	}, nil
}

// allToAll splits the operands into a part for each of the group.
func allToAll(s *site) (func(*run) error, error) {
	c, err := newGroups(s, crossPartition)
	split, err1 := number(s.Op.Attrs, "split_dimension", -1)
	concat, err2 := number(s.Op.Attrs, "concat_dimension", -1)
	count, err3 := number(s.Op.Attrs, "split_count", 0)
	if err := firstOf(err, err1, err2, err3, oneToOne(s, len(s.In))); err != nil {
		return nil, err
	}
	for i, in := range s.In {
		shape := in.Shape()
		rank := len(shape)
		if split < 0 || split >= rank || concat < 0 || concat >= rank || count < 1 || shape[split]%count != 0 {
			return nil, fmt.Errorf("split_dimension = %d, concat_dimension = %d and split_count = %d of %v", split, concat, count, in)
		}
		part := with(shape, split, shape[split]/count)
		if want := with(part, concat, part[concat]*count); !slices.Equal(want, s.Out[i].Shape()) || in.Element() != s.Out[i].Element() {
			return nil, fmt.Errorf("operand %d gives %v of shape %v, the result is %v", i, in.Element(), want, s.Out[i])
		}
	}
	return func(r *run) error {
		all, index, err := c.inGroup(s, r)
		if err != nil {
			return err
		}
		if len(all) != count {
			return fmt.Errorf("split_count = %d for a group of %d", count, len(all))
		}
		for i, in := range s.In {
			shape := in.Shape()
			part := with(shape, split, shape[split]/count)
			for k, sent := range all {
				place(block{r.Out(i), s.Out[i].Shape(), concat, k * part[concat]}, block{sent.bytes[i], shape, split, index * part[split]}, in.ElementBytes(), part)
			}
		}
		return nil
	}, nil
}

// collectiveBroadcast gives a group the values of one of it; processes in no group get
// zeros.
func collectiveBroadcast(s *site) (func(*run) error, error) {
	c, err := newGroups(s, crossPartition)
	if err != nil {
		return nil, err
	}
	n, root, err := roots(s)
	if err := firstOf(err, likeOperands(s, n)); err != nil {
		return nil, err
	}
	return func(r *run) error {
		all, index, err := c.exchange(s, r, n)
		for i := range s.Out {
			if err != nil || index < 0 {
				clear(r.Out(i))
				continue
			}
			at := root(r, i)
			if at < 0 || at >= len(all) {
				return fmt.Errorf("root %d of a group of %d", at, len(all))
			}
			copy(r.Out(i), all[at].bytes[i])
		}
		return err
	}, nil
}

// collectivePermute sends from process to process by pairs; zeros go to those to whom none
// sends.
func collectivePermute(s *site) (func(*run) error, error) {
	c, err := newCollective(s, "source_target_pairs", crossPartition)
	if err := firstOf(err, likeOperands(s, len(s.In))); err != nil {
		return nil, err
	}
	return func(r *run) error {
		p := processOf(r)
		from, to, err := c.pairs(p)
		if err != nil {
			return err
		}
		address := func(source, target int) string {
			return fmt.Sprintf("%s on channel %d from %s to %s", s.Op.Name(), c.channel, p.name(source), p.name(target))
		}
		if to >= 0 {
			if err := p.post(address(p.id(), to), pack(s, r, len(s.In))); err != nil {
				return err
			}
		}
		if from < 0 {
			for i := range s.Out {
				clear(r.Out(i))
			}
			return nil
		}
		got, err := p.take(r.Context(), s.Op.Name(), address(from, p.id()))
		if err != nil {
			return err
		}
		return unpack(s, r, got, len(s.Out))
	}, nil
}

// unpack writes values that have come to the first n results.
func unpack(s *site, r *run, c parcel, n int) error {
	if !slices.EqualFunc(c.types, s.Out[:n], eval.Tensor.Equal) {
		return fmt.Errorf("%v came, want %v", c.types, s.Out[:n])
	}
	for i := range n {
		copy(r.Out(i), c.bytes[i])
	}
	return nil
}
