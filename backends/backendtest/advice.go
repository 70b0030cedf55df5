package backendtest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"ltc/backends"
	"ltc/internal/diag"
)

// Advice is a step to a better score: ops that the backend lacks, and how many more tests
// would run if it had them and those of the steps before.
type Advice struct {
	Ops   []string // by name: stablehlo.dot_general
	Tests int
}

// maxAdvice is how many steps a score card has.
const maxAdvice = 5

// lacking has the ops that a backend lacks for a test, from the test's skip until its end.
var lacking sync.Map // of []string by testing.TB

// skip skips a test for an error of [errors.ErrUnsupported]. It keeps the ops that the
// error lists.
func skip(t testing.TB, err error) {
	t.Helper()
	if u, ok := errors.AsType[*backends.UnsupportedError](err); ok {
		lacking.Store(t, missing(u))
		t.Cleanup(func() { lacking.Delete(t) })
	}
	t.Skip(err)
}

// missing returns the names of an error's ops, sorted; nil if a type of main is among
// them, which no op would mend.
func missing(u *backends.UnsupportedError) []string {
	names := map[string]bool{}
	for _, o := range u.Ops {
		if strings.HasPrefix(o.Op, "func.") {
			return nil
		}
		names[o.Op] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// advise returns the first steps to run tests that lack these ops. Each step has the most
// tests for an op.
func advise(tests [][]string) []Advice {
	var steps []Advice
	has := map[string]bool{}
	tests = slices.DeleteFunc(slices.Clone(tests), func(ops []string) bool { return len(ops) == 0 })
	slices.SortFunc(tests, func(a, b []string) int { // the same steps in whatever order tests ran
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	for len(tests) > 0 && len(steps) < maxAdvice {
		var best Advice
		var last []string
		for _, ops := range tests {
			if slices.Equal(ops, last) {
				continue
			}
			last = ops
			a := Advice{Ops: without(ops, has)}
			for _, other := range tests {
				if !slices.ContainsFunc(other, func(op string) bool { return !has[op] && !slices.Contains(a.Ops, op) }) {
					a.Tests++
				}
			}
			if best.Ops == nil || a.Tests*len(best.Ops) > best.Tests*len(a.Ops) {
				best = a
			}
		}
		for _, op := range best.Ops {
			has[op] = true
		}
		tests = slices.DeleteFunc(tests, func(ops []string) bool { return len(without(ops, has)) == 0 })
		steps = append(steps, best)
	}
	return steps
}

// without returns the ops that has does not have.
func without(ops []string, has map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(ops), func(op string) bool { return has[op] })
}

// adviceText prints steps, a line each; "" if there are none.
func adviceText(steps []Advice) string {
	var b strings.Builder
	for i, s := range steps {
		ops := strings.Join(s.Ops, ", ")
		if i == 0 {
			fmt.Fprintf(&b, "with %s %s would run\n", ops, diag.Count(s.Tests, "more test"))
		} else {
			fmt.Fprintf(&b, "then with %s %s\n", ops, diag.Count(s.Tests, "more test"))
		}
	}
	return b.String()
}
