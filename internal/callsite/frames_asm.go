//go:build amd64 || arm64

package callsite

// frames stores the return addresses of the calling goroutine's frames,
// innermost first, and returns how many it found.
//
//go:noescape
func frames(pcs *[depth]uintptr) int
