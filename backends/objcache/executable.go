package objcache

import (
	"debug/elf"
	"sync"
)

// Executable returns what tells the code of this process from any other: the linker's build ID
// of its executable, which depends on all of its content. It is the [Part] of what depends on
// more packages than a list could name. Empty if it is not known: the system has no ELF files
// or no /proc, or the executable was linked without one.
var Executable = sync.OnceValue(func() string { return buildID("/proc/self/exe") })

// buildID returns the build ID of a file; empty if it has none.
func buildID(file string) string {
	f, err := elf.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	s := f.Section(".note.go.buildid")
	if s == nil {
		return ""
	}
	note, err := s.Data()
	if err != nil {
		return ""
	}
	// The lengths of name and description and the kind, in 4 bytes each, then the name in 4.
	const header = 16
	if len(note) < header || string(note[header-4:header]) != "Go\x00\x00" {
		return ""
	}
	n := int(f.ByteOrder.Uint32(note[4:]))
	if n > len(note)-header {
		return ""
	}
	return string(note[header : header+n])
}
