package optest

import (
	"fmt"

	"ltc/ir/types"
)

func naiveReverse(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	axes, err := axesAttr(c, "axes", x.Type.Rank())
	return build(x.Type.DType, x.Type.Shape, func(i []int) Elem {
		return x.at(func(a int) int {
			if axes[a] {
				return x.Type.Shape[a] - 1 - i[a]
			}
			return i[a]
		})
	}), err
}

// lists reads several attributes.
func lists(c Call, names ...string) (map[string][]int, error) {
	all := map[string][]int{}
	for _, name := range names {
		list, err := c.IntsAttr(name)
		if err != nil {
			return nil, err
		}
		all[name] = list
	}
	return all, nil
}

// moves is how many places there are for a window.
func moves(padded, window, stride int) int {
	if window > padded {
		return 0
	}
	return (padded-window)/stride + 1
}

// reach is the length of n elements, each by places after the one before.
func reach(n, by int) int { return max(0, (n-1)*by+1) }

// naiveConv sums over the kernel's elements, leaving out those that have no
// element of x at their place.
func naiveConv(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, kernel := args[0], args[1]
	l, err := lists(c, "strides", "low", "high", "base", "dilation", "input", "kernel", "output")
	if err != nil {
		return nil, err
	}
	groups, err := c.IntAttr("groups")
	if err != nil {
		return nil, err
	}
	batches, err := c.IntAttr("batches")
	in, ker, out := l["input"], l["kernel"], l["output"]
	xs, ks, spatial := x.Type.Shape, kernel.Type.Shape, len(in)-2
	shape := make([]int, len(in))
	shape[out[0]], shape[out[1]] = xs[in[0]]/batches, ks[ker[0]]
	window := []int{ks[ker[1]]}
	for i := range spatial {
		window = append(window, ks[ker[2+i]])
		shape[out[2+i]] = moves(l["low"][i]+reach(xs[in[2+i]], l["base"][i])+l["high"][i], reach(ks[ker[2+i]], l["dilation"][i]), l["strides"][i])
	}
	return build(x.Type.DType, shape, func(o []int) Elem {
		var terms []Elem
		each(window, func(w []int) {
			at, k := make([]int, len(in)), make([]int, len(in))
			feature := o[out[1]]
			k[ker[0]], k[ker[1]] = feature, w[0]
			at[in[0]] = feature/(ks[ker[0]]/batches)*shape[out[0]] + o[out[0]]
			at[in[1]] = feature/(ks[ker[0]]/groups)*ks[ker[1]] + w[0]
			for i := range spatial {
				p := o[out[2+i]]*l["strides"][i] + w[1+i]*l["dilation"][i] - l["low"][i]
				if p < 0 || p%l["base"][i] != 0 || p/l["base"][i] >= xs[in[2+i]] {
					return
				}
				at[in[2+i]], k[ker[2+i]] = p/l["base"][i], w[1+i]
			}
			terms = append(terms, naiveElementwise["mul"].f(Call{}, 0, []Elem{x.get(at...), kernel.get(k...)}))
		})
		return sum(terms)
	}), err
}

// pooling folds the elements of each window; it knows nothing of windows
// without one.
func pooling(f func(all []Elem) Elem) naive {
	return func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
		x := args[0]
		l, err := lists(c, "window", "strides", "low", "high", "dilation")
		if err != nil {
			return nil, err
		}
		shape := make([]int, x.Type.Rank())
		for a, n := range x.Type.Shape {
			shape[a] = moves(l["low"][a]+n+l["high"][a], reach(l["window"][a], l["dilation"][a]), l["strides"][a])
		}
		known := true
		t := build(x.Type.DType, shape, func(o []int) Elem {
			var all []Elem
			each(l["window"], func(w []int) {
				at := make([]int, len(w))
				for a := range w {
					at[a] = o[a]*l["strides"][a] + w[a]*l["dilation"][a] - l["low"][a]
					if at[a] < 0 || at[a] >= x.Type.Shape[a] {
						return
					}
				}
				all = append(all, x.get(at...))
			})
			if len(all) == 0 {
				known = false
				return Elem{}
			}
			return f(all)
		})
		if !known {
			return nil, nil
		}
		return t, nil
	}
}

// naiveMaxPoolGrad adds each element of ct up at the largest element of its window.
func naiveMaxPoolGrad(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, ct := args[0], args[1]
	l, err := lists(c, "window", "strides", "low", "high")
	if err != nil {
		return nil, err
	}
	terms := map[string][]Elem{}
	each(ct.Type.Shape, func(o []int) {
		var best []int
		each(l["window"], func(w []int) {
			at := make([]int, len(w))
			for a := range w {
				at[a] = o[a]*l["strides"][a] + w[a] - l["low"][a]
				if at[a] < 0 || at[a] >= x.Type.Shape[a] {
					return
				}
			}
			if best == nil || x.get(best...).F == x.get(best...).F && !(x.get(at...).F <= x.get(best...).F) {
				best = at
			}
		})
		if best != nil {
			terms[fmt.Sprint(best)] = append(terms[fmt.Sprint(best)], ct.get(o...))
		}
	})
	return build(x.Type.DType, x.Type.Shape, func(i []int) Elem { return sum(terms[fmt.Sprint(i)]) }), nil
}
