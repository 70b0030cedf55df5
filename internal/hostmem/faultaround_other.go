//go:build !linux || (!amd64 && !arm64)

package hostmem

// SetFaultAround does nothing on this system.
func SetFaultAround([]byte, bool) {}
