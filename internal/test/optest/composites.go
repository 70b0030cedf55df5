package optest

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"ltc/ir/types"
)

// alongAxis applies f to the distance of every element from the largest of its
// axis, and the sum of the exponentials of these distances.
func alongAxis(f func(x, total float64) float64) naive {
	return func(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
		x := args[0]
		axis, err := axisAttr(c, "axis", x.Type.Rank())
		return build(x.Type.DType, x.Type.Shape, func(i []int) Elem {
			largest, total := math.Inf(-1), 0.0
			for k := range x.Type.Shape[axis] {
				j := slices.Clone(i)
				j[axis] = k
				largest = math.Max(largest, x.get(j...).F)
			}
			for k := range x.Type.Shape[axis] {
				j := slices.Clone(i)
				j[axis] = k
				total += math.Exp(x.get(j...).F - largest)
			}
			return Float(f(x.get(i...).F-largest, total))
		}), err
	}
}

// naiveCrossEntropy has the classes at axis 1, or at the only one; places follow them.
func naiveCrossEntropy(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, labels := args[0], args[1]
	c := min(x.Type.Rank()-1, 1)
	classes, places := x.Type.Shape[c], 1
	for _, n := range x.Type.Shape[c+1:] {
		places *= n
	}
	loss := 0.0
	for row, label := range labels.Elems {
		if label.Number() < 0 || label.Number() >= float64(classes) {
			continue
		}
		at := func(k int) float64 { return x.Elems[(row/places*classes+k)*places+row%places].F }
		largest, total := math.Inf(-1), 0.0
		for k := range classes {
			largest = math.Max(largest, at(k))
		}
		for k := range classes {
			total += math.Exp(at(k) - largest)
		}
		loss += math.Log(total) - (at(int(label.I.Int64())) - largest)
	}
	return &Tensor{Type: types.Of(x.Type.DType), Elems: []Elem{Float(loss / float64(len(labels.Elems)))}}, nil
}

func naiveLayerNorm(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, gamma, beta := args[0], args[1], args[2]
	eps, err := ParseElem(types.F64, c.Attr("epsilon", 0))
	n := x.Type.Shape[x.Type.Rank()-1]
	return build(x.Type.DType, x.Type.Shape, func(i []int) Elem {
		row := func(k int) float64 {
			j := slices.Clone(i)
			j[len(j)-1] = k
			return x.get(j...).F
		}
		mean, variance := 0.0, 0.0
		for k := range n {
			mean += row(k) / float64(n)
		}
		for k := range n {
			variance += (row(k) - mean) * (row(k) - mean) / float64(n)
		}
		k := i[len(i)-1]
		return Float((row(k)-mean)/math.Sqrt(variance+eps.F)*gamma.Elems[k].F + beta.Elems[k].F)
	}), err
}

// naiveAttention has each query by itself. Heads are the axis before the last two,
// if there is one.
func naiveAttention(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	q, k, v := args[0], args[1], args[2]
	causal, err := c.IntAttr("causal")
	scale, err2 := ParseElem(types.F64, c.Attr("scale", 0))
	n := q.Type.Rank()
	rows, dim, keys := q.Type.Shape[n-2], q.Type.Shape[n-1], k.Type.Shape[n-2]
	if scale.F == 0 {
		scale.F = 1 / math.Sqrt(float64(dim))
	}
	shape := append(slices.Clone(q.Type.Shape[:n-1]), v.Type.Shape[n-1])
	return build(q.Type.DType, shape, func(i []int) Elem {
		with := func(i []int, row, column int) []int { return append(slices.Clone(i[:n-2]), row, column) }
		group := slices.Clone(i)
		if n > 2 {
			group[n-3] /= q.Type.Shape[n-3] / k.Type.Shape[n-3]
		}
		scores, largest := make([]float64, keys), math.Inf(-1)
		for j := range scores {
			for f := range dim {
				scores[j] += scale.F * q.get(with(i, i[n-2], f)...).F * k.get(with(group, j, f)...).F
			}
			if len(args) > 3 {
				at := with(i, i[n-2], j)[n-args[3].Type.Rank():]
				for a, size := range args[3].Type.Shape {
					at[a] = min(at[a], size-1)
				}
				switch e := args[3].get(at...); {
				case args[3].Type.DType != types.Bool:
					scores[j] += e.F
				case e.Number() == 0:
					scores[j] = math.Inf(-1)
				}
			}
			if causal == 1 && j > i[n-2]+keys-rows {
				scores[j] = math.Inf(-1)
			}
			largest = math.Max(largest, scores[j])
		}
		sum, total := 0.0, 0.0
		for j, s := range scores {
			if math.IsInf(s, -1) {
				continue
			}
			w := math.Exp(s - largest)
			total += w
			sum += w * v.get(with(group, j, i[n-1])...).F
		}
		return Float(sum / math.Max(total, 1))
	}), errors.Join(err, err2)
}

func naiveOneHot(c Call, d types.DType, args []*Tensor) (*Tensor, error) {
	x := args[0]
	classes, err := c.IntAttr("classes")
	d = dtypeAttr(c, d)
	return build(d, append(slices.Clone(x.Type.Shape), classes), func(i []int) Elem {
		last := len(i) - 1
		return converted(d, Truth(x.get(i[:last]...).Number() == float64(i[last])))
	}), err
}

// naivePhilox is the generator as its paper has it (Salmon, Moraes, Dror, Shaw,
// SC 2011): ten rounds over four words.
func naivePhilox(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	words, err := c.IntAttr("words")
	key, counter := args[0].Elems[0].I.Uint64(), args[0].Elems[1].I.Uint64()
	t := &Tensor{Type: types.Of(types.U32, words)}
	for len(t.Elems) < words {
		for _, w := range Philox([4]uint32{uint32(counter), uint32(counter >> 32)}, [2]uint32{uint32(key), uint32(key >> 32)}) {
			t.Elems = append(t.Elems, Int(int64(w)))
		}
		counter++
	}
	t.Elems = t.Elems[:words]
	return t, err
}

// philoxWords are n words of u64 each made of k words of Philox, the first the
// lowest.
func philoxWords(state *Tensor, n, k int) []uint64 {
	key, counter := state.Elems[0].I.Uint64(), state.Elems[1].I.Uint64()
	var words []uint32
	for ; len(words) < n*k; counter++ {
		b := Philox([4]uint32{uint32(counter), uint32(counter >> 32)}, [2]uint32{uint32(key), uint32(key >> 32)})
		words = append(words, b[:]...)
	}
	all := make([]uint64, n)
	for i := range all {
		for j := range k {
			all[i] |= uint64(words[i*k+j]) << (32 * j)
		}
	}
	return all
}

// naiveNormal takes pairs of numbers as Box and Muller do: one for the radius,
// odd so that it is not 0, and one for the angle in turns.
func naiveNormal(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	count, err := c.IntAttr("count")
	bits, err2 := c.IntAttr("bits")
	t := &Tensor{Type: types.Of(types.F32, count)}
	if bits == 64 {
		t.Type.DType = types.F64
	}
	words := philoxWords(args[0], count+1, bits/32)
	for i := 0; i < count; i += 2 {
		u := math.Ldexp(float64(2*words[i]+1), -33)
		if bits == 64 {
			u = math.Ldexp(float64(words[i]|1), -64)
		}
		radius, angle := math.Sqrt(-2*math.Log(u)), 2*math.Pi*math.Ldexp(float64(words[i+1]), -bits)
		t.Elems = append(t.Elems, Float(radius*math.Cos(angle)), Float(radius*math.Sin(angle)))
	}
	t.Elems = t.Elems[:count]
	return t, errors.Join(err, err2)
}

func naiveGumbel(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	count, err := c.IntAttr("count")
	t := &Tensor{Type: types.Of(types.F64, count)}
	for _, w := range philoxWords(args[0], count, 2) {
		t.Elems = append(t.Elems, Float(-math.Log(-math.Log(math.Ldexp(float64(w|1), -64)))))
	}
	return t, err
}

func naiveDropout(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, u, p := args[0], args[1], args[2].Elems[0].F
	return build(x.Type.DType, x.Type.Shape, func(i []int) Elem {
		if u.get(i...).F < p {
			return Float(0)
		}
		return Float(x.get(i...).F / (1 - p))
	}), nil
}

// MulHigh returns the product of n and the number of the k words, the first of
// them the lowest, without its lower 32 k bits.
func MulHigh(words []uint32, n int64) int64 {
	x := new(big.Int)
	for i := len(words) - 1; i >= 0; i-- {
		x.Lsh(x, 32).Add(x, big.NewInt(int64(words[i])))
	}
	return x.Mul(x, big.NewInt(n)).Rsh(x, uint(32*len(words))).Int64()
}

// Philox returns the block of Philox 4x32-10 for a counter and a key.
func Philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		a, b := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		c = [4]uint32{uint32(b>>32) ^ c[1] ^ k[0], uint32(b), uint32(a>>32) ^ c[3] ^ k[1], uint32(a)}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	return c
}
