//go:build !linux || !(amd64 || arm64)

package soa

// leave does nothing on this system: a file stays mapped until its last view is unreachable.
func leave([]byte) {}
