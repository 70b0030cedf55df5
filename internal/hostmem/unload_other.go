//go:build !linux

package hostmem

// Unload does nothing on this system, which chooses itself what stays in memory.
func Unload([]byte) {}

// unloadExecutable does nothing on this system.
func unloadExecutable() {}
