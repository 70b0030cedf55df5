//go:build !linux

package soa

// discard does nothing here: pages go when they are unmapped.
func discard([]byte) {}
