package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/bench/measure"
)

// quick are options for few elements, with a remainder, and without PyTorch.
func quick(t *testing.T) *options {
	o, err := parse([]string{"-n", "1003", "-peers", t.TempDir(), "-scratch", t.TempDir()})
	require.NoError(t, err)
	o.rules = measure.Rules{MinReps: 1, MaxReps: 1, Inner: 1}
	return o
}

// Every comparison is measured, its results are right, and no program copies
// anything or allocates.
func TestContests(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range quick(t).contests(t.Context()) {
		t.Run(c.name, func(t *testing.T) {
			require.False(t, seen[c.name])
			seen[c.name] = true
			sides, err := c.open()
			require.NoError(t, err)
			names := map[string]bool{pytorch: true}
			for _, s := range sides {
				m, err := s.prove()
				require.NoError(t, err, s.name)
				require.LessOrEqual(t, m.copied, int64(0), s.name)
				names[s.name] = true
			}
			for _, r := range c.ratios {
				require.True(t, names[r.of] && names[r.to], "%v", r)
				require.NotEqual(t, r.of, r.to)
			}
		})
	}
}

// A side whose result is wrong is not timed.
func TestWrongResults(t *testing.T) {
	k := kernels[0]
	want := k.want
	k.want = func(x []float64) ([]float64, float64) {
		y, size := want(x)
		y[len(y)-1] += 0.01
		return y, size
	}
	_, err := k.contest(t.Context(), 1003).measure(measure.Rules{MinReps: 1, MaxReps: 1})
	require.ErrorContains(t, err, "packed: result y0: wrong result: element ")

	p, err := newPoints(10)
	require.NoError(t, err)
	require.ErrorContains(t, p.checkNorm(), "element 0: wrong result: ")

	n := &trial{network: nets[1], options: quick(t), ctx: t.Context(), threads: 1}
	sides, err := n.sides()
	require.NoError(t, err)
	require.ErrorContains(t, sides[0].check(), "wrong result: element (0, 0) of y0 is 0, want ", "it has not run")
}

// What PyTorch's script prints counts by its median, and what was quickest is
// asked for again; where there is no PyTorch its lines say so.
func TestPyTorch(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script that stands for Python needs a shell")
	}
	o := quick(t)
	n := &trial{network: nets[1], options: o, ctx: t.Context(), threads: 1}
	c := contest{name: "net", threads: 1, open: n.sides, ratios: n.ratios, peer: n.pytorch}
	lines, err := c.measure(o.rules)
	require.NoError(t, err)
	require.Equal(t, "no run.sh in the directory that -peers names", lines[len(lines)-1].Missing)
	require.Empty(t, lines[0].Missing)

	bin := filepath.Join(o.scratch, "torch", "bin")
	require.NoError(t, os.MkdirAll(bin, 0o777))
	python := `#!/bin/sh
[ "$1" = -c ] && exit
echo "$3 $TAG" >>` + o.scratch + `/asked
[ -z "$3" ] && echo '{"peer": "torch_eager_2.0'$TAG'", "med_s": 9, "min_s": 9, "reps": 3}'
echo '{"peer": "torch_batches_2.0'$TAG'", "med_s": '${TAG:+3}'4, "min_s": 2, "reps": 3}'
`
	require.NoError(t, os.WriteFile(filepath.Join(bin, "python"), []byte(python), 0o777))
	lines, err = c.measure(o.rules)
	require.NoError(t, err)
	last := lines[len(lines)-1]
	require.Equal(t, []any{pytorch, 2.0, ""}, []any{last.To, last.Against, last.Missing})
	asked, err := os.ReadFile(filepath.Join(o.scratch, "asked"))
	require.NoError(t, err)
	require.Equal(t, " \n +nommap\nbatches \n", string(asked), "then the quickest alone")
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-n", "0"}, "-n 0: at least one element is needed"},
		{[]string{"-run", "("}, "-run: error parsing regexp"},
		{[]string{"-run", "net", "-write", "x.md"}, "-write x.md: the page has all comparisons"},
		{[]string{"x"}, `unexpected argument "x"`},
	} {
		_, err := parse(c.args)
		require.ErrorContains(t, err, c.want)
	}
}

func TestPage(t *testing.T) {
	s := &session{
		Machine: measure.Machine{Processor: "Example 1", Cores: 2, Features: []string{"fma"}, System: "linux/amd64", Go: "go1.26", Date: "2026-01-02"},
		N:       1000, Backend: "`cpu` (compiler=LLVM)",
		Lines: []line{
			{Name: "f", Of: "columns", To: packed, Seconds: 1e-3, Against: 2e-3, Ratio: 0.5, Medians: 0.6, Reach: 1.15},
			{Name: "f", Of: "columns", To: overCols, Seconds: 1e-3, Against: 2e-3, Ratio: 0.5, Medians: 0.6, Copied: -1},
			{Name: "g", Of: "columns", To: packed, Seconds: 2e-3, Against: 1e-3, Ratio: 2, Medians: 2, Reach: 1.95, Copied: 8, Allocs: 1},
			{Name: "g", Of: "columns", To: pytorch, Seconds: 2e-3, Reach: 1, Missing: "no wheel"},
		},
	}
	page, err := s.into("# Columns\n" + begin + "old\n" + end + "More.\n")
	require.NoError(t, err)
	require.Equal(t, "# Columns\n"+begin+`Measured on 2026-01-02: Example 1, 2 cores, fma; linux/amd64, Go 1.26, `+"`cpu`"+` (compiler=LLVM); columns of 1000 elements. A time is the least of many samples, which the sides of a comparison take by turns, each after a run that does not count if runs are short. Beside the ratio of these is the ratio of the medians.

| program | how | time | against | time | ratio | of medians | reach | copied | allocations |
|---|---|---|---|---|---|---|---|---|---|
| f | columns | 1 ms | packed | 2 ms | 0.50 | 0.60 | 1.15, met | 0 B | 0 |
| f | columns | 1 ms | Go loop over columns | 2 ms | 0.50 | 0.60 |  |  |  |
| g | columns | 2 ms | packed | 1 ms | 2.00 | 2.00 | 1.95, met within 5 % | 8 B | 1 |
| g | columns | 2 ms | PyTorch, packed before | | | | missing: no wheel | | |
`+end+"More.\n", page)
	_, err = s.into("# Columns\n")
	require.Error(t, err)
	doc, err := os.ReadFile("../../docs/performance-soa.md")
	require.NoError(t, err)
	_, err = s.into(string(doc))
	require.NoError(t, err)
}

func TestInterrupted(t *testing.T) {
	o := quick(t)
	o.run = regexp.MustCompile("")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, o.measure(ctx), context.Canceled)
}
