package programs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/callsite"
	"ltc/internal/explain"
	"ltc/ir"
)

// chain is a program of n ops, of which the one amid is op.
func chain(t testing.TB, n int, op string) *Program { return chainWith(t, n, n/2, op) }

// chainWith is a program of n ops, of which number at is op.
func chainWith(t testing.TB, n, at int, op string) *Program {
	var b strings.Builder
	b.WriteString("graph \"\" {\n  %0 = parameter {index = 0, name = \"\"} : f32[4]\n")
	for i := 1; i < n; i++ {
		name := []string{"sin", "neg", "tanh"}[i%3]
		if i == at {
			name = op
		}
		fmt.Fprintf(&b, "  %%%d = %s %%%d : f32[4] loc(\"x.go\":%d)\n", i, name, i-1, i)
	}
	fmt.Fprintf(&b, "  return %%%d\n}\n", n-1)
	g, err := ir.Parse("x.ltcir", b.String())
	require.NoError(t, err)
	return newProgram(g, nil)
}

// The nearest of all programs is found, whatever line had it compiled, and however many
// others there are.
func TestNearestProgramIsFound(t *testing.T) {
	var h History
	var all []*Program
	note := func(p *Program, line int) Change {
		all = append([]*Program{p}, all...)
		return h.Note(Compiled{Program: p, At: callsite.At("t.go", line), Setting: &Setting{}, Others: func() []*Program { return all }})
	}
	require.Empty(t, note(chain(t, 40, "exp"), 1).Do, "the device's first needs no reason")
	for i := range 100 {
		note(chain(t, 100+i, "exp"), 2)
	}
	c := note(chain(t, 40, "log"), 2)
	require.Equal(t, "t.go:1", c.Nearest.String())
	require.Equal(t, explain.OtherOp, c.Kind)
	require.Equal(t, 1, c.Ops)
	require.False(t, c.First)

	c = note(chain(t, 40, "sqrt"), 3)
	require.True(t, c.First)
	require.Equal(t, explain.NewLine, c.Kind)
	require.Equal(t, "t.go:2", c.Nearest.String(), "of those that are as near, the latest")
	require.Contains(t, c.What, "the nearest, of t.go:2, differs in 1 op: sqrt f32[4], was log f32[4]")
}

// BenchmarkExplain explains the compile of a program of 10,000 nodes for a line that had
// four others compiled, on a device that keeps 256 of them. All have the same ops, in other
// orders, so that no sketch tells them apart, and the most that may be are compared op by op.
func BenchmarkExplain(b *testing.B) {
	const n = 10_000
	var all []*Program
	for i := range Near {
		if i < 8 {
			all = append(all, chainWith(b, n, 3000+300*i, "exp"))
			all[i].at = callsite.At("other.go", i+1)
		} else {
			all = append(all, all[i%8])
		}
	}
	p := chainWith(b, n, 6000, "exp")
	at := callsite.At("t.go", 1)
	b.ReportAllocs()
	for b.Loop() {
		l := &compiledLine{total: stormFamilies}
		for _, x := range all[:stormFamilies] {
			l.latest = append(l.latest, sketched{x.Graph, x.sketch})
		}
		h := History{some: true, lines: map[callsite.Site]*compiledLine{at: l}}
		c := h.Note(Compiled{Program: p, At: at, Setting: &Setting{}, Others: func() []*Program { return all }})
		if c.Kind != explain.OtherOp || c.Ops != 2 {
			b.Fatal(c.Kind, c.String())
		}
	}
}
