//go:build !linux

package soa

import "os"

// physical is the memory of a large machine, since the real size is not known on this system.
var physical int64 = 1 << 40

// discard does nothing on this system: pages are freed when they are unmapped.
func discard([]byte) {}

// reserve makes f n bytes long.
func reserve(f *os.File, n int) error { return f.Truncate(int64(n)) }
