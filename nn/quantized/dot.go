package quantized

import (
	"fmt"

	"ltc/ir/ops"
	"ltc/lazy"
)

const (
	dotLanes = 16 // rows of a weight that are side by side: a group
	dotCodes = 32 // elements of a block
)

// dot is x·weightᵀ of an interleaved weight, by groups of its rows. Lane r of group g is row 16·g + r.
//
//	y[n,g,r] = Σ_j ( scale[g,j,r]·Σ_k (code[g,j,k,r]+offset)·x[n,j,k] + min[g,j,r]·Σ_k x[n,j,k] )
//
// A block begins with the scales of its lanes as f16, two a word and the lower half first. Their minima follow if the format
// has some, and then the codes: a word for each lane, and the next word of each.
//
// Of 4 words a lane, bits 8e to 8e+3 of word c are element 4c+e of a block, and bits 8e+4 to 8e+7 element 16+4c+e. Word c is
// bytes 4c to 4c+3 of the codes of Q4_0 or Q4_1. Of 8 words, bits 8e to 8e+7 of word c are element 4c+e: the code of Q8_0
// plus 128.
//
// Backends may round x, by at most 2^-22 of the largest magnitude of its block. The layout is that of kernel.BlockDot of the
// CPU's backend, whose test of products asks for it.
var dot = lazy.Define(lazy.Composite{
	Name: "quantized.dot", Doc: "returns x times the rows of blocks that lie side by side, 16 a group: f32[n,groups,16].",
	Operands: []ops.Operand{{Name: "x", Is: ops.Float}, {Name: "blocks", Is: ops.Integer}},
	Attrs:    []ops.Attr{{Name: "offset", Kind: ops.Int}},
	Where: []ops.Demand{{Name: "dtypes", Text: "x is f32, blocks are u32"}, {Name: "x", Text: "x is [n,blocks,32]"},
		{Name: "blocks", Text: "blocks are [groups,blocks,words] of 72 or 136 words, or with minima 80 or 144"}},
	Check: checkDot,
}, computeDot, nil)

// blockWords is how many words the interleaved blocks of 16 rows have.
func blockWords(codes int, minima bool) int {
	if minima {
		return dotLanes*codes + dotLanes
	}
	return dotLanes*codes + dotLanes/2
}

func checkDot(all []*lazy.Tensor, _ lazy.Attrs) (demand, reason string) {
	x, blocks := all[0], all[1]
	switch {
	case x.DType() != lazy.F32:
		return "dtypes", fmt.Sprintf("x is %v, must be f32", x.DType())
	case blocks.DType() != lazy.U32:
		return "dtypes", fmt.Sprintf("blocks are %v, must be u32", blocks.DType())
	case x.Rank() != 3 || x.OpenDim(2) != dotCodes:
		return "x", fmt.Sprintf("x is %v, must be [n,blocks,%d]", x.OpenShape(), dotCodes)
	case blocks.Rank() != 3:
		return "blocks", fmt.Sprintf("blocks are %v, must be [groups,blocks,words]", blocks.OpenShape())
	case blocks.OpenDim(1) != x.OpenDim(1):
		return "blocks", fmt.Sprintf("blocks are %v, x is %v: the number of blocks differs", blocks.OpenShape(), x.OpenShape())
	}
	if words, _ := partsOf(blocks); words == 0 {
		return "blocks", fmt.Sprintf("blocks are %v, must be of 72, 80, 136 or 144 words", blocks.OpenShape())
	}
	return "", ""
}

// partsOf returns how many words of codes a lane has in each block, and whether there are minima; 0 for words of no format.
func partsOf(blocks *lazy.Tensor) (words int, minima bool) {
	for _, words := range []int{4, 8} {
		for _, minima := range []bool{false, true} {
			if blocks.OpenDim(2) == blockWords(words, minima) {
				return words, minima
			}
		}
	}
	return 0, false
}

func computeDot(all []*lazy.Tensor, a lazy.Attrs) *lazy.Tensor {
	x, weight := all[0], all[1]
	words, minima := partsOf(weight)
	n, blocks := x.OpenDim(0), weight.OpenDim(1)
	const bytes = 4                    // of a word
	halves := dotCodes / words / bytes // codes of a byte
	bits := 8 / halves
	codes := weight.Narrow(2, weight.OpenDim(2)-words*dotLanes, words*dotLanes).Unflatten(2, words, dotLanes)
	places := x.Reshape(n, 1, blocks, halves, words, bytes, 1)
	var sum *lazy.Tensor // [n, groups, blocks, words, 16]
	for e := range bytes {
		for h := range halves {
			code := codes.ShiftRightScalar(int64(8*e + bits*h)).AndScalar(1<<bits - 1)
			sum = plus(sum, code.Convert(lazy.I32).Convert(lazy.F32).Mul(places.Narrow(5, e, 1).Narrow(3, h, 1).Squeeze(3, 5)))
		}
	}
	numbers := func(i int) *lazy.Tensor { // of lanes: scales, or minima
		pairs := weight.Narrow(2, i*dotLanes/2, dotLanes/2)
		half := func(x *lazy.Tensor) *lazy.Tensor { return x.Convert(lazy.U16).BitCast(lazy.F16) }
		return lazy.Stack(3, half(pairs), half(pairs.ShiftRightScalar(16))).Flatten(2, 3).Convert(lazy.F32)
	}
	scale := numbers(0)
	base := scale.MulScalar(float64(a.Int("offset"))) // what is added to all codes of a block meets the sum of x
	if minima {
		base = base.Add(numbers(1))
	}
	y := sum.Mul(scale.Unsqueeze(2)).Sum(2, 3)
	return y.Add(base.Mul(x.Sum(2).Reshape(n, 1, blocks, 1)).Sum(2))
}
