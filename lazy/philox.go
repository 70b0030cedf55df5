package lazy

import (
	"math/bits"

	"ltc/ir"
	"ltc/ir/types"
)

// Random bits are Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3; SC 2011): a block of four 32-bit words is a
// function of a 64-bit key and a 128-bit counter, of which the lower 64 bits
// count here. The constants are the paper's.
const (
	philoxM0, philoxM1 = 0xD2511F53, 0xCD9E8D57 // multipliers
	philoxW0, philoxW1 = 0x9E3779B9, 0xBB67AE85 // what the key grows by, each round
	philoxRounds       = 10
)

// philox returns the block of a key and counter.
func philox(key, counter uint64) [4]uint32 {
	c := [4]uint32{uint32(counter), uint32(counter >> 32), 0, 0}
	k0, k1 := uint32(key), uint32(key>>32)
	for range philoxRounds {
		hi0, lo0 := bits.Mul32(philoxM0, c[0])
		hi1, lo1 := bits.Mul32(philoxM1, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k0, lo1, hi0 ^ c[3] ^ k1, lo0}
		k0, k1 = k0+philoxW0, k1+philoxW1
	}
	return c
}

// philoxBits is the same as a program: of a state u64[2], key and counter, it
// makes u32 words, block after block.
var philoxBits = define(composite{
	name: "ltc.philox4x32",
	body: func(x []*Tensor, p []ir.Param) *Tensor {
		tr, words := x[0].tr, p[0].Int
		blocks := (words + 3) / 4
		key := x[0].Slice([]int{0}, []int{1}, []int{1})
		counter := x[0].Slice([]int{1}, []int{2}, []int{1}).Add(Iota(tr, types.U64, 0, blocks))
		zero := Zeros(tr, types.U32, blocks)
		c := [4]*Tensor{low32(counter), high32(counter), zero, zero}
		k0, k1 := low32(key), high32(key)
		for range philoxRounds {
			hi0, lo0 := mul32(c[0], philoxM0)
			hi1, lo1 := mul32(c[2], philoxM1)
			c = [4]*Tensor{hi1.Xor(c[1]).Xor(k0), lo1, hi0.Xor(c[3]).Xor(k1), lo0}
			k0, k1 = k0.AddScalar(philoxW0), k1.AddScalar(philoxW1)
		}
		for i := range c {
			c[i] = c[i].Unsqueeze(1)
		}
		all := Concatenate(1, c[:]...).Reshape(4 * blocks)
		return all.Slice([]int{0}, []int{words}, []int{1})
	},
})

func low32(x *Tensor) *Tensor  { return x.Convert(types.U32) }
func high32(x *Tensor) *Tensor { return low32(x.ShiftRight(x.like(32))) }

// mul32 returns the upper and lower half of the product of x and m.
func mul32(x *Tensor, m uint32) (hi, lo *Tensor) {
	product := x.Convert(types.U64).MulScalar(float64(m))
	return high32(product), low32(product)
}
