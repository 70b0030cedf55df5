package backendtest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
)

// The steps are those with the most tests for an op, each upon those before.
func TestAdvise(t *testing.T) {
	for want, tests := range map[string][][]string{
		"":                                 nil,
		"with dot 1 more test would run\n": {{"dot"}, nil},
		"with dot 3 more tests would run\nthen with fft 1 more test\n":        {{"fft"}, {"dot"}, {"dot"}, {"dot"}},
		"with add 2 more tests would run\nthen with while 2 more tests\n":     {{"add", "while"}, {"add"}, {"add"}, {"while"}},
		"with add, while 2 more tests would run\nthen with fft 1 more test\n": {{"add", "fft", "while"}, {"add", "while"}, {"add", "while"}},
		"with a 1 more test would run\nthen with b 1 more test\nthen with c 1 more test\nthen with d 1 more test\nthen with e 1 more test\n": {
			{"f"}, {"e"}, {"d"}, {"c"}, {"b"}, {"a"},
		},
	} {
		require.Equal(t, want, adviceText(advise(tests)))
	}
	require.Equal(t, []string{"a.x", "a.y"}, missing(&backends.UnsupportedError{Ops: []backends.UnsupportedOp{{Op: "a.y"}, {Op: "a.x"}, {Op: "a.y"}}}))
	require.Nil(t, missing(&backends.UnsupportedError{Ops: []backends.UnsupportedOp{{Op: "a.y"}, {Op: "func.func"}}}))
}

// The score card of a backend that lists what it lacks says what to add next.
func TestScoreCardAdvises(t *testing.T) {
	b := lister{}
	r := &Report{Backend: b.Name()}
	g := Group{Name: "programs"}
	for name, text := range map[string]string{"weigh": weigh, "weigh_again": weigh, "update": update} {
		g.run(t, name, func(t *testing.T) { compile(t, b, text) })
	}
	g.run(t, "contexts", func(t *testing.T) { testContexts(t, b) })
	g.run(t, "fault", func(t *testing.T) { faults[0].test(t, b) })
	r.Groups = []Group{g}
	r.Next = advise(r.lacks())
	require.Equal(t, 5, g.Unsupported)
	require.Equal(t, "score of backend bare\n"+
		"programs        0 passed, 0 failed, 5 unsupported\n"+
		"all             0 passed, 0 failed, 5 unsupported\n"+
		"with stablehlo.constant, stablehlo.multiply 2 more tests would run\n", firstLines(r.String(), 4))
	require.Equal(t, 5, total(r.Next))
}

func total(steps []Advice) (n int) {
	for _, s := range steps {
		n += s.Tests
	}
	return n
}

func firstLines(s string, n int) string {
	for i := range s {
		if s[i] == '\n' {
			if n--; n == 0 {
				return s[:i+1]
			}
		}
	}
	return s
}

// lister lacks all ops, and lists them.
type lister struct{ bare }

func (lister) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.Load(ctx, m, o)
	if err != nil {
		return nil, err
	}
	lacks := p.Lacking
	for _, op := range p.Module.Func("main").Body().Ops {
		if op.Name() != "func.return" {
			lacks = append(lacks, backends.UnsupportedOp{Op: op.Name(), Pos: op.Pos, Line: p.Line(op.Pos)})
		}
	}
	return nil, backends.Unsupported("bare", p.File, lacks)
}
