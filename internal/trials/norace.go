//go:build !race

package trials

// Race reports whether this is a build for the race detector.
const Race = false
