//go:build !race

package trials

// Race reports whether this is a build for the race detector.
const Race = false

// Reads tells the race detector of a read of memory by a package that is built without
// it. Other builds do nothing.
func Reads([]byte) {}

// Writes is [Reads], of a write.
func Writes([]byte) {}
