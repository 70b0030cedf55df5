//go:build !linux

package soa

// discard does nothing here: pages go when they are unmapped.
func discard([]byte) {}

// adviseHuge does nothing here: pages are as large as the system likes.
func adviseHuge([]byte) {}
