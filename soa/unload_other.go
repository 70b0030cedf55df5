//go:build !linux

package soa

// unload does nothing on this system, which chooses itself what stays in memory.
func unload([]byte) {}
