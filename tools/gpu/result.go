package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// state is how a process has ended.
type state string

const (
	passed state = "passed"
	failed state = "FAILED"
	hung   state = "HUNG" // it did not end
	lost   state = "LOST" // the GPU, for the process
	died   state = "DIED" // before its tests were through
)

// result is what became of a group.
type result struct {
	tests   string
	state   state
	ended   bool              // the test program has come to its end
	results map[string]string // PASS, FAIL or SKIP, by test; "" of one that has only begun
	begun   []string          // in order
	said    map[string][]string
	waits   []string // where it waited, if it did not end
	took    time.Duration
}

var (
	turn = regexp.MustCompile(`^=== (RUN|CONT|NAME|PAUSE) +(\S.*)$`)
	end  = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (.*) \([\d.]+s\)$`)
)

// read finds out what the tests of a process have come to.
func read(out string) *result {
	r := &result{state: passed, results: map[string]string{}, said: map[string][]string{}}
	current := ""
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\n")
		if m := turn.FindStringSubmatch(line); m != nil {
			current = m[2]
			if _, known := r.results[current]; !known {
				r.results[current] = ""
				r.begun = append(r.begun, current)
			}
			continue
		}
		if m := end.FindStringSubmatch(line); m != nil {
			r.results[m[2]] = m[1]
			continue
		}
		if line == "PASS" || line == "FAIL" {
			r.ended = true
		}
		if strings.TrimSpace(line) != "" {
			r.said[current] = append(r.said[current], line)
		}
	}
	return r
}

// culprit is the test that a process has ended in, or in which it has lost the GPU.
func (r *result) culprit() string {
	if r.state == lost {
		for _, name := range r.begun { // those after it are refused
			if r.results[name] == "FAIL" && r.leaf(name) {
				return name
			}
		}
	}
	for _, name := range slices.Backward(r.begun) {
		if r.results[name] == "" {
			return name
		}
	}
	return ""
}

// leaf reports whether no test below one has failed or not ended.
func (r *result) leaf(name string) bool {
	return !slices.ContainsFunc(r.begun, func(below string) bool {
		return strings.HasPrefix(below, name+"/") && (r.results[below] == "FAIL" || r.results[below] == "")
	})
}

// add adds what another process of the group has come to: the worst counts, and the
// last word about each test.
func (r *result) add(o *result) {
	culprit := ""
	if o.state != passed && o.state != failed {
		culprit = o.culprit()
	}
	if r.state == "" || r.state == passed || r.state == failed && o.state != passed {
		r.state = o.state
	}
	if r.said == nil {
		r.said = map[string][]string{}
	}
	for _, name := range o.begun {
		if !slices.Contains(r.begun, name) {
			r.begun = append(r.begun, name)
		}
		of := o.results[name]
		if name == culprit {
			of = string(o.state)
		}
		if was := r.results[name]; was == "" || was == "FAIL" {
			r.results[name], r.said[name] = of, o.said[name]
		}
	}
	if culprit == "" && o.state != passed && o.state != failed { // no test has begun
		r.said[""] = o.said[""]
	}
	r.waits = append(r.waits, o.waits...)
}

// count counts the tests that have come to something, those below others alone.
func (r *result) count(of string) int {
	n := 0
	for _, name := range r.begun {
		inner := slices.ContainsFunc(r.begun, func(below string) bool { return strings.HasPrefix(below, name+"/") })
		if r.results[name] == of && !inner {
			n++
		}
	}
	return n
}

// line is a group in a line.
func (r *result) line() string {
	s := fmt.Sprintf("%-6s %s: %d passed", r.state, r.tests, r.count("PASS"))
	if n := r.count("FAIL"); n > 0 {
		s += fmt.Sprintf(", %d failed", n)
	}
	if n := r.count("SKIP"); n > 0 {
		s += fmt.Sprintf(", %d skipped", n)
	}
	return fmt.Sprintf("%s, %.1f s", s, r.took.Seconds())
}

// frame is a line of a goroutine's stack that names a function of this module, whose
// arguments say nothing.
var frame = regexp.MustCompile(`^(ltc/\S+?)\((?:0x|\{|\.\.\.|\)).*$`)

// where tells from what a debugger and Go have said where a process was: kernels, and
// the stack of the goroutine that is furthest down in the backend.
func where(debugger, out string) []string {
	var all []string
	for line := range strings.Lines(debugger) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "*") || strings.HasPrefix(line, "=>") || strings.HasPrefix(line, "0x") || strings.HasPrefix(line, "Kernel") {
			all = append(all, "cuda-gdb: "+line)
		}
	}
	var best []string
	for stack := range strings.SplitSeq(out, "\n\n") {
		if !strings.HasPrefix(strings.TrimSpace(stack), "goroutine ") {
			continue
		}
		var names []string
		for line := range strings.Lines(stack) {
			if m := frame.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				names = append(names, m[1])
			}
		}
		if len(names) > len(best) {
			best = names
		}
	}
	if len(best) > 0 {
		all = append(all, "in "+strings.Join(best[:min(len(best), 8)], " < "))
	}
	return all
}
