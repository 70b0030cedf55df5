package objcache

import (
	"debug/elf"
	"regexp"
	"sync"
)

// Executable returns what tells the code of this process from any other: the build ID that the
// go command gave its executable, which depends on all of its content. It is the [Part] of what
// depends on more packages than a list could name. Empty if it is not known: the system has no
// ELF files or no /proc, or the executable was linked without an ID of the go command. Some
// build systems give all executables one ID, which says nothing of their code.
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
	n := int64(f.ByteOrder.Uint32(note[4:]))
	if n > int64(len(note)-header) {
		return ""
	}
	if id := string(note[header : header+n]); hashes.MatchString(id) {
		return id
	}
	return ""
}

// hashes are build IDs of the go command: hashes of what the main package and the executable
// were made from, and of what they became.
var hashes = regexp.MustCompile(`^[A-Za-z0-9_-]{20}(/[A-Za-z0-9_-]{20}){3}$`)
