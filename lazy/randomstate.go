package lazy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"ltc/soa"
)

// RandomState is where a random stream stands: all there is to save of it. It
// is comparable, and streams of equal states draw equal numbers on any device.
type RandomState struct {
	Key     uint64 // of Philox: which stream
	Counter uint64 // blocks of four words drawn so far
}

// State returns where the stream stands. Draws that are recorded count, whether
// their step has run or not; those of a [Function] count when it is called.
// It is the zero state of a nil stream, from which nothing can be drawn.
func (r *Random) State() RandomState {
	if r == nil {
		return RandomState{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// SetState makes the stream go on from s; a nil one stays nil.
func (r *Random) SetState(s RandomState) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = s
}

// RandomFrom returns a stream that goes on from s.
func RandomFrom(d *Device, s RandomState) *Random { return &Random{dev: d, at: s} }

// maxForks is how many streams one call may make.
const maxForks = 1 << 20

// Fork returns n streams, at most 2^20, that share no numbers with r or with each other. They
// depend on the state of r alone, which goes on by one block: forking again
// gives others.
//
// The key of child i is the first two words of the Philox block of r's key with
// the counter {block, block>>32, i, 1}: draws have 0 in the last two words, so no
// number that r draws is part of a key. Two of k streams have the same key, and
// so the same numbers, with a probability of about k²/2⁶⁵.
func (r *Random) Fork(n int) ([]*Random, error) {
	if r.none() {
		return nil, fmt.Errorf("fork: %w: %s", ErrUsage, noStream)
	}
	if n < 0 || n > maxForks {
		return nil, fmt.Errorf("fork: %w: there cannot be %d streams", ErrUsage, n)
	}
	parent, err := r.take(1)
	if err != nil {
		return nil, fmt.Errorf("fork: %w", err)
	}
	children := make([]*Random, n)
	for i := range children {
		children[i] = &Random{dev: r.dev, at: RandomState{Key: parent.child(uint32(i))}}
	}
	return children, nil
}

// child returns the key of stream i that forks off at s.
func (s RandomState) child(i uint32) uint64 {
	b := philox(s.Key, [4]uint32{uint32(s.Counter), uint32(s.Counter >> 32), i, 1})
	return uint64(b[1])<<32 | uint64(b[0])
}

// errExhausted: the counter of a stream has 64 bits.
var errExhausted = errors.New("the stream ends here: it has given 2^64 blocks of numbers; fork it")

// take draws blocks and returns where they start.
func (r *Random) take(blocks int) (RandomState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.at
	if uint64(blocks) > math.MaxUint64-s.Counter {
		return s, errExhausted
	}
	r.at.Counter += uint64(blocks)
	return s, nil
}

// words are the state as programs take it.
func (s RandomState) words(v soa.View) { copy(soa.Slice[uint64](v), []uint64{s.Key, s.Counter}) }

// The text and binary forms name the generator and the version of the form.
const (
	stateText   = "philox4x32-10/1"
	stateBinary = "PHX\x01"
)

// String returns the text form, philox4x32-10/1:KEY:COUNTER in hexadecimal.
func (s RandomState) String() string {
	return fmt.Sprintf("%s:%016x:%016x", stateText, s.Key, s.Counter)
}

// MarshalText returns the text form.
func (s RandomState) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the text form.
func (s *RandomState) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), ":")
	if parts[0] != stateText {
		return fmt.Errorf("random state: %q is of another generator or version, want %s", cut(parts[0]), stateText)
	}
	if len(parts) != 3 {
		return fmt.Errorf("random state: %q has %d parts, want %s:KEY:COUNTER", cut(string(text)), len(parts), stateText)
	}
	var read [2]uint64
	for i, p := range parts[1:] {
		v, err := strconv.ParseUint(p, 16, 64)
		if err != nil || len(p) != 16 {
			return fmt.Errorf("random state: %q is not a number of 16 hexadecimal digits", cut(p))
		}
		read[i] = v
	}
	*s = RandomState{Key: read[0], Counter: read[1]}
	return nil
}

// cut shortens what an error shows.
func cut(s string) string { return s[:min(len(s), 40)] }

// MarshalBinary returns the binary form: 4 bytes of generator and version, key
// and counter in little-endian order.
func (s RandomState) MarshalBinary() ([]byte, error) {
	b := binary.LittleEndian.AppendUint64([]byte(stateBinary), s.Key)
	return binary.LittleEndian.AppendUint64(b, s.Counter), nil
}

// UnmarshalBinary reads the binary form.
func (s *RandomState) UnmarshalBinary(b []byte) error {
	if !strings.HasPrefix(string(b), stateBinary) {
		return fmt.Errorf("random state: bytes %x are of another generator or version, want %x", b[:min(len(b), 4)], stateBinary)
	}
	if len(b) != len(stateBinary)+16 {
		return fmt.Errorf("random state: %d bytes, want %d", len(b), len(stateBinary)+16)
	}
	b = b[len(stateBinary):]
	*s = RandomState{Key: binary.LittleEndian.Uint64(b), Counter: binary.LittleEndian.Uint64(b[8:])}
	return nil
}
