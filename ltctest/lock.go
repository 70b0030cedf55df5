package ltctest

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ltc/internal/diag"
	"ltc/internal/env"
	"ltc/lazy"
)

// Programmed is what has run a program: a [*lazy.Trace] or a [*lazy.Function].
type Programmed interface {
	Program(lazy.Format) string
}

// Lock compares the program that x has run latest with the one of that name in a lock file,
// which the repository keeps, as in testdata/programs.lock. If they differ, it reports an error
// of t with the first op that differs, its line, and what it was before.
//
// Names of arguments, lines and values of arguments do not count, nor does the backend. A number
// of an op that varies is a constant in the first step, and an argument later: lock a step after
// it has settled. Entries of programs that no test locks any more stay in the file.
//
// With the environment variable LTC_UPDATE=1, or if the test defines a flag -update that is set,
// Lock writes the program into the file. Tests of one process may do so at the same time.
func Lock(t testing.TB, path, name string, x Programmed) {
	t.Helper()
	if err := lock(path, name, x, updating()); err != nil {
		t.Errorf("ltctest: %v", err)
	}
}

// updating reports whether lock files are written.
func updating() bool {
	if env.Update.On() {
		return true
	}
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// locks are the programs that this process has locked, by file and name. They keep tests of one
// process from writing a file at the same time.
var locks struct {
	sync.Mutex
	files map[string]lockFile
}

func lock(path, name string, x Programmed, update bool) error {
	text := x.Program(lazy.FormatIR)
	if text == "" {
		return fmt.Errorf("program %q: nothing has run that had anything to compute: lock it after MarkStep or Call", name)
	}
	now, err := list(text)
	if err != nil {
		return fmt.Errorf("program %q: %w", name, err)
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	locks.Lock()
	defer locks.Unlock()
	if locks.files == nil {
		locks.files = map[string]lockFile{}
	}
	seen := locks.files[whole]
	if seen == nil {
		seen = lockFile{}
		locks.files[whole] = seen
	}
	if first, twice := seen[name]; twice {
		if change := difference(first.lines, now); change != "" {
			return fmt.Errorf("two programs of one name %q for %s: give them names of their own\n%s", name, path, change)
		}
	}
	seen[name] = locked{head: now.head(name), lines: now.lines}
	all, err := readLock(path)
	if update {
		if err != nil {
			all = lockFile{} // no other way to repair it
		}
		if was, ok := all[name]; ok && was.head == seen[name].head && slices.Equal(was.lines, now.lines) {
			return nil
		}
		all[name] = seen[name]
		return all.write(path)
	}
	if err != nil {
		return err
	}
	was, ok := all[name]
	if !ok {
		return fmt.Errorf("%s has no program %q: run the test with LTC_UPDATE=1, and commit the file", path, name)
	}
	if change := difference(was.lines, now); change != "" {
		return fmt.Errorf("program %q is not the one of %s (%s now)\n%s\nif that is meant, run the test with LTC_UPDATE=1, and commit the file",
			name, path, diag.Count(now.ops(), "op"), change)
	}
	return nil
}

// changed is how many lines of each of two programs an error has at most.
const changed = 6

// difference says how a program differs from what it was; "" if it does not. It has the line of
// the first op that differs, and the old and the new listing from there on, without equal ends.
func difference(was []string, now *listing) string {
	same := func(a, b string) bool { return compared(a) == compared(b) }
	first := 0
	for first < min(len(was), len(now.lines)) && same(was[first], now.lines[first]) {
		first++
	}
	if first == len(was) && first == len(now.lines) {
		return ""
	}
	last := 0
	for last < min(len(was), len(now.lines))-first && same(was[len(was)-1-last], now.lines[len(now.lines)-1-last]) {
		last++
	}
	var b strings.Builder
	b.WriteString("  the first op that differs")
	if at := now.at(first); at != "" {
		b.WriteString(", " + at)
	}
	write := func(sign string, lines []string) {
		for i, line := range lines {
			if i == changed {
				fmt.Fprintf(&b, "\n  %s … %s more", sign, diag.Count(len(lines)-changed, "line"))
				return
			}
			fmt.Fprintf(&b, "\n  %s %s", sign, line)
		}
	}
	write("-", was[first:len(was)-last])
	write("+", now.lines[first:len(now.lines)-last])
	return b.String()
}
