//go:build !linux

package hostmem

// adviseHuge does nothing on this system, which chooses the size of pages itself.
func adviseHuge(from, to uintptr) {}

// adviseSmall does nothing on this system.
func adviseSmall(from, to uintptr) {}
