package interpreter

import (
	"fmt"
	"slices"

	"ltc/backends/reference/eval"
	"ltc/stablehlo"
)

// combine combines operand i of all processes of a group.
func combine(c *eval.Combiner, r *run, all []parcel, i int) ([]byte, error) {
	values := make([][]byte, len(all))
	for k := range all {
		values[k] = all[k].bytes[i]
	}
	return c.Combine(r, i, values)
}

// allReduce combines the values of a group, for each of it.
func allReduce(s *site) (func(*run) error, error) {
	groups, err := newGroups(s, crossReplicaAndPartition)
	if err := firstOf(err, oneToOne(s, len(s.In)), shapesKept(s, len(s.In))); err != nil {
		return nil, err
	}
	c, err := s.Combiner(len(s.In), stablehlo.Add)
	if err != nil {
		return nil, err
	}
	return func(r *run) error {
		all, _, err := groups.inGroup(s, r)
		for i := 0; err == nil && i < len(s.Out); i++ {
			var sum []byte
			if sum, err = combine(c, r, all, i); err == nil {
				copy(r.Out(i), sum)
			}
		}
		return err
	}, nil
}

// shapesKept checks that the results have the shapes of n operands.
func shapesKept(s *site, n int) error {
	for i := range min(n, len(s.Out)) {
		if !slices.Equal(s.In[i].Shape(), s.Out[i].Shape()) {
			return fmt.Errorf("operand %d is %v, the result %v", i, s.In[i], s.Out[i])
		}
	}
	return nil
}

// collectiveReduce combines the values of a group for one of it; the others get zeros.
func collectiveReduce(s *site) (func(*run) error, error) {
	groups, err := newGroups(s, crossPartition)
	if err != nil {
		return nil, err
	}
	n, root, err := roots(s)
	if err := firstOf(err, oneToOne(s, n), shapesKept(s, n)); err != nil {
		return nil, err
	}
	c, err := s.Combiner(n, stablehlo.Add)
	if err != nil {
		return nil, err
	}
	return func(r *run) error {
		all, index, err := groups.exchange(s, r, n)
		if err != nil {
			return err
		}
		for i := range s.Out {
			switch at := root(r, i); {
			case index >= 0 && (at < 0 || at >= len(all)):
				return fmt.Errorf("root %d of a group of %d", at, len(all))
			case index < 0 || at != index:
				clear(r.Out(i))
			default:
				sum, err := combine(c, r, all, i)
				if err != nil {
					return err
				}
				copy(r.Out(i), sum)
			}
		}
		return nil
	}, nil
}

// reduceScatter combines the values of a group and gives each of it a part.
func reduceScatter(s *site) (func(*run) error, error) {
	groups, err := newGroups(s, crossReplicaAndPartition)
	if err := firstOf(err, arity(s, 1, 1)); err != nil {
		return nil, err
	}
	dim, err := number(s.Op.Attrs, "scatter_dimension", -1)
	if err != nil {
		return nil, err
	}
	in, out := s.In[0].Shape(), s.Out[0].Shape()
	if dim < 0 || dim >= len(in) || len(out) != len(in) || !slices.Equal(with(in, dim, out[dim]), out) {
		return nil, fmt.Errorf("scatter_dimension = %d of %v, the result is %v", dim, s.In[0], s.Out[0])
	}
	c, err := s.Combiner(1, stablehlo.Add)
	if err != nil {
		return nil, err
	}
	return func(r *run) error {
		all, index, err := groups.inGroup(s, r)
		if err != nil {
			return err
		}
		n := out[dim]
		if n*len(all) != in[dim] {
			return fmt.Errorf("%d of dimension %d for a group of %d, the result has %d", in[dim], dim, len(all), n)
		}
		sum, err := combine(c, r, all, 0)
		if err != nil {
			return err
		}
		place(block{r.Out(0), out, dim, 0}, block{sum, in, dim, index * n}, s.Out[0].ElementBytes(), out)
		return nil
	}, nil
}
