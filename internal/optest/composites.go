package optest

import (
	"math"
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

func naiveCrossEntropy(_ Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, labels := args[0], args[1]
	classes := x.Type.Shape[x.Type.Rank()-1]
	loss := 0.0
	for row, label := range labels.Elems {
		if label.Number() < 0 || label.Number() >= float64(classes) {
			continue
		}
		largest, total := math.Inf(-1), 0.0
		for k := range classes {
			largest = math.Max(largest, x.Elems[row*classes+k].F)
		}
		for k := range classes {
			total += math.Exp(x.Elems[row*classes+k].F - largest)
		}
		loss += math.Log(total) - (x.Elems[row*classes+int(label.I.Int64())].F - largest)
	}
	return &Tensor{Type: types.Of(x.Type.DType), Elems: []Elem{Float(loss / float64(len(labels.Elems)))}}, nil
}

func naiveLayerNorm(c Call, _ types.DType, args []*Tensor) (*Tensor, error) {
	x, gamma, beta := args[0], args[1], args[2]
	eps, err := ParseElem(types.F64, c.Attr("eps", 0))
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
