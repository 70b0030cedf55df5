// Package backendtest is the definition of a correct backend: programs as MLIR
// text with inputs and expected values, and tests of the contract in package
// backends. It also has faulty backends, which package lazy must survive.
// Its central function is [Run].
//
// The package imports only ltc/backends, ltc/lazy, ltc/mlir, ltc/soa, ltc/stablehlo, ltc/ir/types,
// ltc/internal/trials, ltc/internal/diag, the test libraries testify and txtar.
package backendtest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/soa"
)

// Report is the score card of a backend.
type Report struct {
	Backend string
	Groups  []Group
	// Next are the ops to add next, at most five steps, best first. They are from the
	// errors of Compile, which may list an op that the backend has for other dtypes.
	Next []Advice
}

// Group is the score of one family of programs, or of the contract.
type Group struct {
	Name                        string
	Passed, Failed, Unsupported int

	lacks [][]string // the ops that each unsupported test lacks, as far as Compile listed them
}

// String prints a line a group, the sum, and the steps of Next.
func (r *Report) String() string {
	var b strings.Builder
	line := func(g Group) {
		fmt.Fprintf(&b, "%-12s %4d passed, %d failed, %d unsupported\n", g.Name, g.Passed, g.Failed, g.Unsupported)
	}
	sum := Group{Name: "all"}
	fmt.Fprintf(&b, "score of backend %s\n", r.Backend)
	for _, g := range r.Groups {
		line(g)
		sum.Passed, sum.Failed, sum.Unsupported = sum.Passed+g.Passed, sum.Failed+g.Failed, sum.Unsupported+g.Unsupported
	}
	line(sum)
	return b.String() + adviceText(r.Next)
}

// lacks returns the ops that each unsupported test lacks.
func (r *Report) lacks() (all [][]string) {
	for _, g := range r.Groups {
		all = append(all, g.lacks...)
	}
	return all
}

// Run tests the backend that open opens, logs its score card and returns it.
// A program for which Compile returns an error wrapping [errors.ErrUnsupported],
// as [backends.UnsupportedError] does, is skipped and scored as unsupported.
//
// A panic in a method of the backend fails the one test that called it. Nobody can
// recover a panic in a goroutine that the backend started: it ends the process, and the
// tests after it do not run.
func Run(t *testing.T, open func(device string) (backends.Backend, error)) *Report {
	t.Helper()
	b, err := open("")
	require.NoError(t, err)
	require.NotNil(t, b, "open must return a backend or an error")
	require.NotEmpty(t, b.Name(), "Name() must return the name it is registered under")
	require.NotEmpty(t, b.Devices(), "Devices() must return at least one device")
	r := &Report{Backend: b.Name()}
	groups, err := loadCases()
	require.NoError(t, err)
	for _, g := range groups {
		score := Group{Name: g.name}
		t.Run(g.name, func(t *testing.T) {
			for _, c := range g.cases {
				score.run(t, c.name, func(t *testing.T) { c.test(t, b) })
			}
		})
		r.Groups = append(r.Groups, score)
	}
	score := Group{Name: "contract"}
	t.Run(score.Name, func(t *testing.T) {
		for _, c := range contract {
			score.run(t, c.name, func(t *testing.T) { c.test(t, b) })
		}
	})
	r.Groups = append(r.Groups, score)
	score = Group{Name: "misbehaviour"}
	t.Run(score.Name, func(t *testing.T) {
		for i := range faults {
			score.run(t, faults[i].name, func(t *testing.T) { faults[i].test(t, b) })
		}
	})
	r.Groups = append(r.Groups, score)
	r.Next = advise(r.lacks())
	t.Log("\n" + r.String())
	return r
}

func (g *Group) run(t *testing.T, name string, test func(t *testing.T)) {
	skipped := false
	ok := t.Run(name, func(t *testing.T) {
		defer func() {
			if skipped = t.Skipped(); skipped {
				ops, _ := lacking.Load(t)
				if ops, ok := ops.([]string); ok {
					g.lacks = append(g.lacks, ops)
				}
			}
		}()
		if p := recovered(func() { test(t) }); p != "" {
			t.Error(p)
		}
	})
	switch {
	case skipped:
		g.Unsupported++
	case ok:
		g.Passed++
	default:
		g.Failed++
	}
}

// recovered calls f and returns its panic with the stack; "" if f returned.
func recovered(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprintf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	f()
	return ""
}

// compile compiles text and skips the test if the backend lacks what it needs.
func compile(t testing.TB, b backends.Backend, text string) backends.Executable {
	t.Helper()
	e, err := b.Compile(context.Background(), backends.NewModule(text), backends.Options{Name: "test.mlir"})
	if errors.Is(err, errors.ErrUnsupported) {
		skip(t, err)
	}
	require.NoError(t, err)
	return e
}

// execute runs e on args with the results left to the backend.
func execute(t testing.TB, e backends.Executable, args ...soa.View) []soa.View {
	t.Helper()
	c := &backends.Call{Args: args, Results: make([]soa.View, len(e.Signature().Results))}
	require.NoError(t, e.Execute(context.Background(), c))
	return c.Results
}
