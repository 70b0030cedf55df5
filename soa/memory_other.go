//go:build !linux

package soa

import "os"

// physical is not known here: as much as today's larger machines have.
var physical int64 = 1 << 40

// discard does nothing here: pages go when they are unmapped.
func discard([]byte) {}

// adviseHuge does nothing here: pages are as large as the system likes.
func adviseHuge(from, to uintptr) {}

// reserve makes f n bytes long.
func reserve(f *os.File, n int) error { return f.Truncate(int64(n)) }
