//go:build amd64 || arm64

package callsite

// frames stores the return addresses of the calling goroutine's frames,
// innermost first, as many as most at most, and returns how many it found.
//
//go:noescape
func frames(pcs *[depth]uintptr, most int) int
