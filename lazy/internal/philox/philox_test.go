package philox_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/optest"
	"ltc/lazy/internal/philox"
)

// The known answers are lines of kat_vectors of Random123 1.14.0, the authors'
// implementation.
func TestPhiloxKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff},
			[4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		require.Equal(t, c.want, optest.Philox(c.counter, c.key))
		require.Equal(t, c.want, philox.Block(uint64(c.key[1])<<32|uint64(c.key[0]), c.counter))
		if c.counter[2] == 0 && c.counter[3] == 0 { // all that the library counts to
			require.Equal(t, c.want, philox.At(uint64(c.key[1])<<32|uint64(c.key[0]), uint64(c.counter[1])<<32|uint64(c.counter[0])))
		}
	}
}

// The host's numbers are those of the reference that the known answers hold.
func TestPhiloxOnHost(t *testing.T) {
	for i := range uint64(1000) {
		key, counter := i*0x9e3779b97f4a7c15, i*i*0xd1342543de82ef95
		want := optest.Philox([4]uint32{uint32(counter), uint32(counter >> 32)}, [2]uint32{uint32(key), uint32(key >> 32)})
		require.Equal(t, want, philox.At(key, counter))
	}
}
