//go:build !race

package soa

// TouchRead tells the race detector that the calling goroutine reads v. In builds without the race
// detector, TouchRead does nothing.
func TouchRead(View) {}

// TouchWrite tells the race detector that the calling goroutine writes v. In builds without the race
// detector, TouchWrite does nothing.
func TouchWrite(View) {}
