//go:build race

package reference

// raceBuild: sync.Pool then drops at random what it is given.
const raceBuild = true
