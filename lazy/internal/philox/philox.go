// Package philox computes random bits. They are Philox 4x32-10 (Salmon, Moraes, Dror, Shaw:
// Parallel random numbers: as easy as 1, 2, 3; SC 2011). A block of four 32-bit words is a
// function of a 64-bit key and a 128-bit counter, of which draws count the lower 64 bits.
//
// The package imports only the standard library.
package philox

import "math/bits"

// The constants are the paper's.
const (
	M0, M1 = 0xD2511F53, 0xCD9E8D57 // multipliers
	W0, W1 = 0x9E3779B9, 0xBB67AE85 // what the key grows by, each round
	Rounds = 10
)

// Block returns the block of a key and counter.
func Block(key uint64, c [4]uint32) [4]uint32 {
	k0, k1 := uint32(key), uint32(key>>32)
	for range Rounds {
		hi0, lo0 := bits.Mul32(M0, c[0])
		hi1, lo1 := bits.Mul32(M1, c[2])
		c = [4]uint32{hi1 ^ c[1] ^ k0, lo1, hi0 ^ c[3] ^ k1, lo0}
		k0, k1 = k0+W0, k1+W1
	}
	return c
}

// At is Block for a counter of 64 bits.
func At(key, counter uint64) [4]uint32 {
	return Block(key, [4]uint32{uint32(counter), uint32(counter >> 32)})
}

// Child returns the key of stream i that forks off at a block of a key's: the first two
// words of the block with 1 in its last word, where draws have 0.
func Child(key, block uint64, i uint32) uint64 {
	b := Block(key, [4]uint32{uint32(block), uint32(block >> 32), i, 1})
	return uint64(b[1])<<32 | uint64(b[0])
}

// Stream draws float64 numbers on the host: the numbers of [0, 1) that
// programs draw as F64 for the same key.
type Stream struct {
	Key, Counter uint64
	spare        uint64
	have         bool
}

// NewStream returns stream number n of a seed.
func NewStream(seed, n uint64) *Stream {
	b := At(seed, n)
	return &Stream{Key: uint64(b[0])<<32 | uint64(b[1])}
}

// Uniform returns the next number of [0, 1).
func (s *Stream) Uniform() float64 {
	word := s.spare
	if s.have = !s.have; s.have {
		b := At(s.Key, s.Counter)
		s.Counter++
		word, s.spare = uint64(b[1])<<32|uint64(b[0]), uint64(b[3])<<32|uint64(b[2])
	}
	return float64(word>>11) * 0x1p-53
}
