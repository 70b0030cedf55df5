package ltctest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// lockVersion is the first line of a lock file. Programs follow by their names: a head
//
//	program "train" 0123456789abcdef, 3 ops, (f32[8]) -> (f32[8])
//
// and the lines of the listing, indented by two spaces.
const lockVersion = "ltc programs, version 1"

// locked is a program of a lock file.
type locked struct {
	head  string
	lines []string
}

// lockFile is a lock file by the names of its programs.
type lockFile map[string]locked

// afresh says how a lock file is written anew.
const afresh = "write it anew with LTC_UPDATE=1"

// readLock reads a lock file; none is one without programs.
func readLock(path string) (lockFile, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lockFile{}, nil
	}
	if err != nil {
		return nil, err
	}
	return parseLock(path, string(text))
}

func parseLock(path, text string) (lockFile, error) {
	all := lockFile{}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if lines[0] != lockVersion {
		if isConflict(lines[0]) {
			return nil, damaged(path, 0, lines[0])
		}
		if strings.HasPrefix(lines[0], "ltc programs, version ") {
			return nil, fmt.Errorf("%s:1: %q: this version of ltc reads %q; use the version of ltc that wrote the file, or %s", path, lines[0], lockVersion, afresh)
		}
		return nil, fmt.Errorf("%s:1: it does not begin with %q: it is no lock file, or damaged; restore it from version control, or %s", path, lockVersion, afresh)
	}
	for i := 1; i < len(lines); {
		name, sum, ok := parseHead(lines[i])
		if !ok {
			return nil, damaged(path, i, lines[i])
		}
		at := i
		for i++; i < len(lines) && strings.HasPrefix(lines[i], "  "); i++ {
		}
		p := locked{head: lines[at]}
		for _, line := range lines[at+1 : i] {
			p.lines = append(p.lines, line[2:])
		}
		if i < len(lines) {
			if _, _, ok := parseHead(lines[i]); !ok {
				return nil, damaged(path, i, lines[i])
			}
		}
		if fingerprint(p.lines) != sum {
			return nil, fmt.Errorf("%s:%d: the lines of program %q do not have the fingerprint in its first line: the file was edited or merged by hand; restore it from version control, or %s", path, at+1, name, afresh)
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("%s:%d: a second program %q: restore the file from version control, or %s", path, at+1, name, afresh)
		}
		all[name] = p
	}
	return all, nil
}

func damaged(path string, i int, line string) error {
	what := "no line of a lock file"
	if isConflict(line) {
		what = "a conflict of two versions"
	}
	return fmt.Errorf("%s:%d: %s: %q; restore the file from version control, or %s", path, i+1, what, line, afresh)
}

// isConflict reports whether a line marks a conflict of two versions of a file.
func isConflict(line string) bool {
	return strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, "=======") || strings.HasPrefix(line, ">>>>>>>")
}

// parseHead returns the name and the fingerprint of the first line of a program.
func parseHead(line string) (name, sum string, ok bool) {
	rest, ok := strings.CutPrefix(line, "program ")
	if !ok {
		return "", "", false
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", "", false
	}
	if name, err = strconv.Unquote(quoted); err != nil {
		return "", "", false
	}
	sum, _, ok = strings.Cut(strings.TrimPrefix(rest[len(quoted):], " "), ",")
	return name, sum, ok
}

// String returns the text of the file, sorted by name.
func (f lockFile) String() string {
	var b strings.Builder
	b.WriteString(lockVersion + "\n")
	for _, name := range slices.Sorted(maps.Keys(f)) {
		b.WriteString(f[name].head + "\n")
		for _, line := range f[name].lines {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// write replaces the file at once, so that nobody reads a part of it.
func (f lockFile) write(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, ".programs-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once it is renamed
	_, err = tmp.WriteString(f.String())
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
