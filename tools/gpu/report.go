package main

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// report is what came of all groups.
type report struct {
	head   string
	groups []*result
	left   []string // not run
}

func (r *report) bad() bool {
	return len(r.left) > 0 || slices.ContainsFunc(r.groups, func(g *result) bool { return g.state != passed })
}

// A line of what a test has said has at most so many characters.
const wide = 220

// text prints the report in at most so many characters. Groups are in a line each, those
// that have passed by name alone. Then come the messages of the failures, as much of each
// as there is room for.
func (r *report) text(chars int) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.head)
	var good []string
	var bad []*result
	for _, g := range r.groups {
		if g.state == passed {
			name := strings.ReplaceAll(g.tests, "Test", "")
			if n := g.count("SKIP"); n > 0 {
				name += fmt.Sprintf(" (%d skipped)", n)
			}
			good = append(good, name)
		} else {
			bad = append(bad, g)
		}
	}
	fmt.Fprintf(&b, "%d of %s passed: %s\n", len(good), diag.Count(len(r.groups)+len(r.left), "group"), strings.Join(good, ", "))
	if len(r.left) > 0 {
		fmt.Fprintf(&b, "NOT RUN, the time was over: %s\n", strings.Join(r.left, ", "))
	}
	for _, g := range bad {
		fmt.Fprintln(&b, g.line())
	}
	for i, g := range bad {
		room := (chars - b.Len()) / (len(bad) - i)
		b.WriteString(g.details(room))
	}
	return cut(b.String(), chars)
}

// details tells what the tests of a group that have not passed have said, in at most so
// many characters.
func (r *result) details(chars int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n== %s %s\n", r.state, r.tests)
	for _, w := range r.waits {
		fmt.Fprintln(&b, cut(w, wide))
	}
	var names []string
	for _, name := range append([]string{""}, r.begun...) {
		of := r.results[name]
		if name == "" && len(r.said[""]) > 0 && r.state == died || name != "" && of != "PASS" && of != "SKIP" && r.leaf(name) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		room := max(0, chars-b.Len()) / (len(names) - i)
		b.WriteString(lines(fmt.Sprintf("-- %s %s", r.results[name], name), r.said[name], room))
	}
	return cut(b.String(), chars)
}

// lines prints as many lines as there is room for, but for those that tell where tests
// are and the stacks of a process that was ended.
func lines(head string, said []string, chars int) string {
	s := head + "\n"
	for _, line := range said {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "SIGQUIT") || strings.HasPrefix(line, "goroutine ") {
			break
		}
		if line == "" || strings.HasPrefix(line, "Error Trace:") || strings.HasPrefix(line, "Test:") {
			continue
		}
		line = "   " + cut(line, wide) + "\n"
		if len(s)+len(line) > chars {
			return s
		}
		s += line
	}
	return s
}

// cut leaves the beginning of a text that is too long.
func cut(s string, chars int) string {
	if chars <= 0 {
		return ""
	}
	if len(s) <= chars {
		return s
	}
	return strings.ToValidUTF8(s[:max(0, chars-len("…\n"))], "") + "…" + strings.Repeat("\n", strings.Count(s[len(s)-1:], "\n"))
}
