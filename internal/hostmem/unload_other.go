//go:build !linux

package hostmem

// Unload does nothing on this system, which chooses itself what stays in memory.
func Unload([]byte) {}

// UnloadExecutable does nothing on this system.
func UnloadExecutable() {}
