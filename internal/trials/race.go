//go:build race

package trials

// Race reports whether this is a build for the race detector. In one, sync.Pool
// drops at random what it is given.
const Race = true
