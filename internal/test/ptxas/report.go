package ptxas

import (
	"fmt"
	"regexp"
	"strings"
)

// Entry is what the assembler says that an entry of a module takes.
type Entry struct {
	Name      string
	Registers string
	Shared    string // bytes of a block's memory that the text itself declares
}

var (
	compiled = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	frame    = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	used     = regexp.MustCompile(`Used (\d+) registers`)
	memory   = regexp.MustCompile(`(\d+) bytes smem`)
	advice   = regexp.MustCompile(`\(C7\d+\)`) // about instructions of tensor cores
)

// Report reads what ptxas -v has said of a module. It is an error if that has a
// warning, or if an entry spills registers, or has memory of a thread's own.
func Report(said string) ([]Entry, error) {
	var all []Entry
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "warning") || strings.Contains(line, "error") || advice.MatchString(line) {
			return nil, fmt.Errorf("ptxas: %s", line)
		}
		if m := compiled.FindStringSubmatch(line); m != nil {
			all = append(all, Entry{Name: m[1], Shared: "0"})
			continue
		}
		if m := frame.FindStringSubmatch(line); m != nil && (m[1] != "0" || m[2] != "0" || m[3] != "0") {
			return nil, fmt.Errorf("ptxas: %s: %s", last(all).Name, line)
		}
		if m := used.FindStringSubmatch(line); m != nil && len(all) > 0 {
			last(all).Registers = m[1]
			if m := memory.FindStringSubmatch(line); m != nil {
				last(all).Shared = m[1]
			}
		}
	}
	for _, e := range all {
		if e.Registers == "" {
			return nil, fmt.Errorf("ptxas: it says nothing of the registers of %s:\n%s", e.Name, said)
		}
	}
	return all, nil
}

// Advice reads what ptxas -v has said of a module whose registers may spill. It is an error
// if that has advice about instructions of tensor cores.
func Advice(said string) error {
	for line := range strings.Lines(said) {
		if advice.MatchString(line) {
			return fmt.Errorf("ptxas: %s", strings.TrimSpace(line))
		}
	}
	return nil
}

// last returns the last of the entries, or none.
func last(all []Entry) *Entry {
	if len(all) == 0 {
		return &Entry{}
	}
	return &all[len(all)-1]
}
