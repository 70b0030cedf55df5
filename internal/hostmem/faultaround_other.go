//go:build !linux || (!amd64 && !arm64)

package hostmem

// MapSingly does nothing on this system, which chooses itself how many pages it maps.
func MapSingly([]byte, bool) {}
