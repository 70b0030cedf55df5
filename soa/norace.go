//go:build !race

package soa

// TouchRead tells the race detector that the calling goroutine reads v. It
// does nothing in other builds.
func TouchRead(View) {}

// TouchWrite tells the race detector that the calling goroutine writes v. It
// does nothing in other builds.
func TouchWrite(View) {}
