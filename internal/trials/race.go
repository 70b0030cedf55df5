//go:build race

package trials

// Race reports whether this is a build for the race detector. In one, sync.Pool
// drops at random what it is given.
const Race = true

// Reads tells the race detector of a read of memory by a package that is built without
// it. Other builds do nothing.
//
//go:noinline
func Reads(b []byte) {
	var there [16]byte
	for len(b) > 0 {
		b = b[copy(there[:], b):]
	}
}

// Writes is [Reads], of a write.
//
//go:noinline
func Writes(b []byte) { copy(b, b) }
