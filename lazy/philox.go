package lazy

import (
	"math"
	"math/bits"

	"ltc/ir/types"
)

// Random bits are Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3; SC 2011): a block of four 32-bit words is a
// function of a 64-bit key and a 128-bit counter, of which draws count the lower
// 64 bits. The constants are the paper's.
const (
	philoxM0, philoxM1 = 0xD2511F53, 0xCD9E8D57 // multipliers
	philoxW0, philoxW1 = 0x9E3779B9, 0xBB67AE85 // what the key grows by, each round
	philoxRounds       = 10
)

// philox returns the block of a key and counter.
func philox(key uint64, c [4]uint32) [4]uint32 {
	k0, k1 := uint32(key), uint32(key>>32)
	for range philoxRounds {
		hi0, lo0 := bits.Mul32(philoxM0, c[0])
		hi1, lo1 := bits.Mul32(philoxM1, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k0, lo1, hi0 ^ c[3] ^ k1, lo0}
		k0, k1 = k0+philoxW0, k1+philoxW1
	}
	return c
}

// philoxAt is philox for a counter of 64 bits.
func philoxAt(key, counter uint64) [4]uint32 {
	return philox(key, [4]uint32{uint32(counter), uint32(counter >> 32)})
}

// breaksState reports whether x is no state of random numbers.
func breaksState(x *Tensor, d demand) *breach {
	if x.DType() == types.U64 && x.Rank() == 1 && x.Dim(0) == 2 {
		return nil
	}
	return breaks(d, "x must be u64[2], a key and a counter")
}

func checkPhilox(x *Tensor, _ int) *breach { return breaksState(x, philoxState) }

// computePhilox is philox as a program: of a state u64[2], key and counter, it
// makes u32 words, block after block. All is computed in u64, where a product
// has both its halves and where no conversion has to cut bits off.
func computePhilox(x *Tensor, words int) *Tensor {
	blocks := (words + 3) / 4
	key := x.Slice([]int{0}, []int{1}, []int{1})
	counter := x.Slice([]int{1}, []int{2}, []int{1}).Add(Iota(x.tr, types.U64, 0, blocks))
	c0, c1 := low32(counter), high32(counter)
	k0, k1 := low32(key), high32(key)
	// The first round, whose upper words of the counter are 0.
	product := c0.Mul(c0.word(philoxM0))
	c := [4]*Tensor{c1.Xor(k0), nil, high32(product).Xor(k1), low32(product)}
	for i := 1; i < philoxRounds; i++ {
		k0, k1 = low32(k0.Add(k0.word(philoxW0))), low32(k1.Add(k1.word(philoxW1)))
		p0, p1 := c[0].Mul(c0.word(philoxM0)), c[2].Mul(c0.word(philoxM1))
		c0, c2 := high32(p1), high32(p0).Xor(c[3].Xor(k1))
		if c[1] != nil {
			c0 = c0.Xor(c[1])
		}
		c = [4]*Tensor{c0.Xor(k0), low32(p1), c2, low32(p0)}
	}
	for i := range c {
		c[i] = c[i].Convert(types.U32).Unsqueeze(1)
	}
	all := Concatenate(1, c[:]...).Reshape(4 * blocks)
	return all.Slice([]int{0}, []int{words}, []int{1})
}

// word records a constant of x's dtype, an integer, with the given bits.
func (x *Tensor) word(bits uint64) *Tensor {
	if x.err != nil {
		return x
	}
	return x.tr.constant(x.DType(), bits)
}

// low32 and high32 return the halves of u64 elements.
func low32(x *Tensor) *Tensor  { return x.And(x.word(math.MaxUint32)) }
func high32(x *Tensor) *Tensor { return x.ShiftRight(x.word(32)) }
