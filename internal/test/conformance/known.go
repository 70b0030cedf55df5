package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Known lists tests that are known to fail, each with the reason: the rows
//
//	| `interpret/add.mlir#2` | why |
//
// of a Markdown file, between the lines <!-- known --> and <!-- /known -->.
type Known struct {
	file    string
	reasons map[string]string // by the test's name
	failed  map[string]string // tests that did fail in this run, with a reason to list
	ran     map[string]bool
	passed  []string // entries that did not fail
}

const knownStart, knownEnd = "<!-- known -->\n", "<!-- /known -->"

// ReadKnown reads the list in file.
func ReadKnown(file string) (*Known, error) {
	_, list, _, err := section(file, knownStart, knownEnd)
	if err != nil {
		return nil, err
	}
	k := &Known{file: file, reasons: map[string]string{}, failed: map[string]string{}, ran: map[string]bool{}}
	for line := range strings.Lines(list) {
		rest, ok := strings.CutPrefix(line, "| `")
		if !ok {
			continue
		}
		name, reason, _ := strings.Cut(rest, "` | ")
		k.reasons[name] = strings.TrimSuffix(strings.TrimSpace(reason), " |")
	}
	return k, nil
}

// section cuts the content of file at the marks.
func section(file, start, end string) (before, inside, after string, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "", "", err
	}
	before, rest, ok := strings.Cut(string(data), start)
	inside, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", "", "", fmt.Errorf("%s has no lines %s and %s", file, strings.TrimSpace(start), end)
	}
	return before + start, inside, end + after, nil
}

// Replace writes text between the lines start and end of a file, each a
// comment of its own.
func Replace(file, start, end, text string) error {
	before, old, after, err := section(file, start+"\n", end)
	if err != nil || old == text {
		return err
	}
	return os.WriteFile(file, []byte(before+text+after), 0o644)
}

// Between returns what stands between the lines start and end of a file.
func Between(file, start, end string) (string, error) {
	_, inside, _, err := section(file, start+"\n", end)
	return inside, err
}

// entry is the test's name below the suite's root.
func entry(u Unit) string {
	dir, _, _ := strings.Cut(u.Family(), ",")
	name := dir + "/" + filepath.Base(u.File)
	if u.Chunk >= 0 {
		name = fmt.Sprintf("%s#%d", name, u.Chunk)
	}
	return name
}

// Note takes in a result and reports whether it is one that the list allows.
func (k *Known) Note(r Result) bool {
	name := entry(r.Unit)
	_, listed := k.reasons[name]
	k.ran[name] = true
	if r.Outcome == Failed {
		k.failed[name] = cause(r.Reasons)
		return listed
	}
	if listed {
		k.passed = append(k.passed, name)
	}
	return !listed
}

// Stale returns the entries whose tests did not fail.
func (k *Known) Stale() []string { return k.passed }

// Update writes the list anew: entries that did not fail go, those that are not
// listed come with the first line of what is wrong as the reason, and those
// that did not run stay.
func (k *Known) Update() error {
	rows := map[string]string{}
	for name, why := range k.reasons {
		if !k.ran[name] {
			rows[name] = why
		}
	}
	for name, why := range k.failed {
		rows[name] = why
		if old := k.reasons[name]; old != "" {
			rows[name] = old
		}
	}
	names := make([]string, 0, len(rows))
	for name := range rows {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, rows[name])
	}
	if len(names) > 0 {
		return Replace(k.file, strings.TrimSpace(knownStart), knownEnd, "| test | reason |\n|---|---|\n"+b.String())
	}
	return Replace(k.file, strings.TrimSpace(knownStart), knownEnd, "None.\n")
}

// cause shortens a failure to the line that tells most.
func cause(reasons []string) string {
	text := reasons[0]
	lines := strings.Split(text, "\n")
	line := lines[0]
	if strings.HasSuffix(line, " lacks") && len(lines) > 1 {
		line = lines[1]
	}
	if _, rest, ok := strings.Cut(line, ".mlir"); ok { // the place, which the row has
		for part := range strings.SplitSeq(rest, ": ") {
			if strings.Trim(part, ":#0123456789") == "" || strings.HasPrefix(part, "@") {
				rest = strings.TrimPrefix(rest, part+": ")
				continue
			}
			break
		}
		line = rest
	}
	line = strings.NewReplacer("|", "\\|", "\t", " ").Replace(strings.TrimSpace(line))
	if r := []rune(line); len(r) > 160 {
		line = string(r[:160]) + "…"
	}
	return line
}
