package lazy_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// words draws random bits in a trace of their own step.
func words(t testing.TB, tr *lazy.Trace, r *lazy.Random, n int) []uint32 {
	t.Helper()
	x := r.Bits(tr, n)
	require.NoError(t, tr.MarkStep(x))
	bits, err := lazy.ToSlice[uint32](x)
	require.NoError(t, err)
	return bits
}

func TestRandomStateForms(t *testing.T) {
	s := lazy.RandomState{Key: 0x0123456789abcdef, Counter: 42}
	require.Equal(t, "philox4x32-10/1:0123456789abcdef:000000000000002a", s.String())
	text, err := s.MarshalText()
	require.NoError(t, err)
	binary, err := s.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, []byte("PHX\x01\xef\xcd\xab\x89\x67\x45\x23\x01\x2a\x00\x00\x00\x00\x00\x00\x00"), binary)
	var fromText, fromBinary lazy.RandomState
	require.NoError(t, fromText.UnmarshalText(text))
	require.NoError(t, fromBinary.UnmarshalBinary(binary))
	require.Equal(t, s, fromText)
	require.Equal(t, s, fromBinary)

	j, err := json.Marshal(struct{ Stream lazy.RandomState }{s})
	require.NoError(t, err)
	require.JSONEq(t, `{"Stream":"philox4x32-10/1:0123456789abcdef:000000000000002a"}`, string(j))
}

func TestBadRandomStates(t *testing.T) {
	s := lazy.RandomState{Key: 1}
	for text, want := range map[string]string{
		"": `random state: it is empty: was a state saved with the file?`,
		"philox4x32-10/2:0123456789abcdef:000000000000002a":   `random state: "philox4x32-10/2" is of another generator or version, want philox4x32-10/1`,
		"philox4x32-10/1:0123456789abcdef":                    `random state: "philox4x32-10/1:0123456789abcdef" has 2 parts, want philox4x32-10/1:KEY:COUNTER`,
		"philox4x32-10/1:0123456789abcdef:2a":                 `random state: "2a" is not a number of 16 hexadecimal digits`,
		"philox4x32-10/1:0123456789abcdeg:000000000000002a":   `random state: "0123456789abcdeg" is not a number of 16 hexadecimal digits`,
		"philox4x32-10/1:0123456789abcdef:+00000000000002a\n": `random state: "+00000000000002a` + `\n" is not a number of 16 hexadecimal digits`,
	} {
		require.EqualError(t, s.UnmarshalText([]byte(text)), want)
	}
	require.EqualError(t, s.UnmarshalBinary(nil), "random state: it is empty: was a state saved with the file?")
	require.EqualError(t, s.UnmarshalBinary([]byte("PHX\x02")), "random state: bytes 50485802 are of another generator or version, want 50485801")
	require.EqualError(t, s.UnmarshalBinary([]byte("PHX\x01123")), "random state: 7 bytes, want 20")
	require.Equal(t, lazy.RandomState{Key: 1}, s, "an error changes nothing")
}

func TestRandomSaveAndRestore(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	r := lazy.NewRandom(dev, 5)
	words(t, tr, r, 10)
	saved := r.State()
	require.Equal(t, lazy.RandomState{Key: 5, Counter: 3}, saved, "ten words are three blocks")
	next := words(t, tr, r, 10)
	require.NotEqual(t, next, words(t, tr, r, 10))
	r.SetState(saved)
	require.Equal(t, next, words(t, tr, r, 10))
	require.Equal(t, next, words(t, tr, lazy.RandomFrom(dev, saved), 10))
	require.Len(t, tr.Report().Compiles, 1)
}

func TestRandomFork(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	r := lazy.NewRandom(dev, 5)
	children, err := r.Fork(3)
	require.NoError(t, err)
	require.Len(t, children, 3)
	require.Equal(t, lazy.RandomState{Key: 5, Counter: 1}, r.State())
	// What the documentation of Fork says, worked out by hand with the
	// reference of the known answers: it must not change.
	keys := []uint64{children[0].State().Key, children[1].State().Key, children[2].State().Key}
	require.Equal(t, []uint64{forkKey(5, 0, 0), forkKey(5, 0, 1), forkKey(5, 0, 2)}, keys)

	again, err := lazy.NewRandom(dev, 5).Fork(3)
	require.NoError(t, err)
	others, err := r.Fork(3)
	require.NoError(t, err)
	seen := map[lazy.RandomState]bool{{Key: 5}: true}
	for i := range children {
		require.Equal(t, children[i].State(), again[i].State(), "equal parents have equal children")
		for _, s := range []lazy.RandomState{children[i].State(), others[i].State()} {
			require.False(t, seen[s], "two streams are one")
			seen[s] = true
		}
	}
	require.NotEqual(t, words(t, tr, children[0], 8), words(t, tr, children[1], 8))

	_, err = r.Fork(-1)
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.EqualError(t, err, "fork: not allowed: there cannot be -1 streams")
}

func TestRandomStreamEnds(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	end := lazy.RandomState{Key: 1, Counter: math.MaxUint64 - 1}
	r := lazy.RandomFrom(dev, end)
	x := r.Bits(tr, 5)
	require.ErrorIs(t, x.Err(), lazy.ErrUsage)
	require.ErrorContains(t, x.Err(), "randomstate_test.go:")
	require.ErrorContains(t, x.Err(), "bits(): the stream ends here: it has given 2^64 blocks of numbers; fork it")
	require.Equal(t, end, r.State())
	require.Len(t, words(t, tr, r, 4), 4, "one block is left")
	_, err := r.Fork(1)
	require.ErrorContains(t, err, "the stream ends here")

	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(r.Uniform(tr, lazy.F32, 1)) })
	_, err = f.Call(context.Background(), lazy.From(dev, []float32{1}))
	require.ErrorContains(t, err, "the stream ends here")
	r.SetState(lazy.RandomState{})
	_, err = f.Call(context.Background(), lazy.From(dev, []float32{1}))
	require.NoError(t, err)
}

// forkKey is the key of a child, from the reference that the known answers hold.
func forkKey(key, counter uint64, child uint32) uint64 {
	b := philoxReference([4]uint32{uint32(counter), uint32(counter >> 32), child, 1}, [2]uint32{uint32(key), uint32(key >> 32)})
	return uint64(b[1])<<32 | uint64(b[0])
}
