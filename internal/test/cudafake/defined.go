package cudafake

import "math/bits"

// bitset says of each byte of a device's memory whether something was written to
// it. That of the host's is nil: the host writes unseen.
type bitset []uint64

// masks calls f for each word that some of the bits from, …, to-1 are in, with
// those.
func masks(from, to int64, f func(word int64, mask uint64) bool) {
	for from < to {
		word, low := from/64, from%64
		n := min(64-low, to-from)
		if !f(word, ^uint64(0)>>(64-n)<<low) {
			return
		}
		from += n
	}
}

func (s bitset) add(from, to int64) {
	masks(from, to, func(w int64, mask uint64) bool {
		s[w] |= mask
		return true
	})
}

func (s bitset) remove(from, to int64) {
	masks(from, to, func(w int64, mask uint64) bool {
		s[w] &^= mask
		return true
	})
}

// missing returns the first bit that is not there, or -1.
func (s bitset) missing(from, to int64) int64 {
	at := int64(-1)
	masks(from, to, func(w int64, mask uint64) bool {
		if left := mask &^ s[w]; left != 0 {
			at = w*64 + int64(bits.TrailingZeros64(left))
		}
		return at < 0
	})
	return at
}

// expect reports a use of bytes that nothing was written to.
func (f *Fake) expect(m *memory, from, to int64, when *moment) {
	if m.written == nil {
		return
	}
	if at := m.written.missing(from, to); at >= 0 {
		f.violate(Undefined, "%s reads byte %d of %d of the %s, which nothing has written", when.what, at, m.size, lower(m.what))
	}
}

// copied lets n bytes at one address be defined where those at another are. Those
// of the host, a nil memory, are.
func (f *Fake) copied(to *memory, at int64, from *memory, off, n int64, when *moment) {
	switch {
	case to.written == nil:
		if from != nil {
			f.expect(from, off, off+n, when)
		}
	case from == nil, from.written == nil, from.written.missing(off, off+n) < 0:
		to.written.add(at, at+n)
	default:
		for i := range n {
			if from.written.missing(off+i, off+i+1) < 0 {
				to.written.add(at+i, at+i+1)
			} else {
				to.written.remove(at+i, at+i+1)
			}
		}
	}
}
