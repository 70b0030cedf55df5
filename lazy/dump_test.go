package lazy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/lazy"
)

// The hash of a program knows structure, attributes, wiring and donation, and
// not names, values or lines.
func TestGraphHashKnowsStructureAndDonation(t *testing.T) {
	d := open(t, "eval")
	w := d.Variable("w", lazy.F32, 2)
	hash := func(build func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor) uint64 {
		tr := lazy.NewTrace(d)
		h, err := tr.GraphHash(build(tr, lazy.From(tr, []float32{1, 2}), lazy.From(tr, []float32{3, 4})))
		require.NoError(t, err)
		require.Zero(t, tr.Report().Runs)
		return h
	}
	type build = func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor
	same := []build{
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { return a.Sub(b).Sum(0) },
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { return b.Sub(a).Sum(-1) },
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { return a.Named("x").Sub(b.Named("y")).Sum(0) },
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { a.Exp(); return a.Sub(b).Sum(0) },
	}
	other := []build{
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { return a.Sub(a).Sum(0) },
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { return a.Sub(b).Max(0) },
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { return a.Sub(b) },
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor {
			return a.Reshape(1, 2).Sub(b.Reshape(1, 2)).Sum(0)
		},
		func(tr *lazy.Trace, a, b *lazy.Tensor) *lazy.Tensor { w.Assign(a.Sub(b)); return a.Sub(b).Sum(0) },
	}
	seen := map[uint64]bool{hash(same[0]): true}
	for i, f := range same {
		require.True(t, seen[hash(f)], "program %d", i)
	}
	for i, f := range other {
		h := hash(f)
		require.False(t, seen[h], "program %d", i)
		seen[h] = true
	}
}

func TestDumpsAreWhatRuns(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2}).Named("x")
	y := x.Exp().Add(x)
	text, err := tr.Dump(lazy.FormatIR, y)
	require.NoError(t, err)
	g, err := ir.Parse("dump", text)
	require.NoError(t, err, "ltc-dump reads it")
	require.Equal(t, text, g.String())
	module, err := tr.Dump(lazy.FormatStableHLO, y)
	require.NoError(t, err)
	dot, err := tr.Dump(lazy.FormatDot, y)
	require.NoError(t, err)
	require.Zero(t, tr.Report().Runs)

	lines := strings.Split(dot, "\n")
	require.Equal(t, "digraph G {", lines[0])
	require.Regexp(t, `^  node0 \[label="parameter\\nf32\[2\]\\nindex = 0\\nname = \\"x\\"\\ndump_test.go:[0-9]+"\]$`, lines[1])
	require.Regexp(t, `^  node1 \[label="exp\\nf32\[2\]\\ndump_test.go:[0-9]+"\]$`, lines[2])
	require.Regexp(t, `^  node2 \[label="add\\nf32\[2\]\\ndump_test.go:[0-9]+\\nROOT=0"\]$`, lines[3])
	require.Equal(t, []string{"  node0 -> node1", `  node1 -> node2 [label="i=0"]`, `  node0 -> node2 [label="i=1"]`, "}", ""}, lines[4:])

	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, module, tr.StableHLO(), "the dump is what runs")
	_, err = tr.Dump(lazy.Format(9), y)
	require.ErrorIs(t, err, lazy.ErrUsage)
	_, err = tr.Dump(lazy.FormatDot, x.MatMul(nil))
	require.ErrorIs(t, err, lazy.ErrUsage)
}

// Long attributes are cut in drawings, and what is in them is escaped.
func TestDrawingsCutLongAttributes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2}).Named(`a "quoted\` + "\n" + strings.Repeat("long", 40))
	dot, err := tr.Dump(lazy.FormatDot, x.Exp())
	require.NoError(t, err)
	require.Equal(t, 5, strings.Count(dot, "\n"))
	require.NotContains(t, dot, strings.Repeat("long", 16))
	require.Contains(t, dot, "…")
}

// Programs are appended to a file, a record each, however often they run.
func TestProgramsAreAppendedToAFile(t *testing.T) {
	for format, want := range map[string]string{"text": "graph ", "dot": "digraph G {", "backend": "stablehlo.exponential"} {
		t.Run(format, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "graphs")
			t.Setenv("LTC_SAVE_TENSORS_FILE", file)
			t.Setenv("LTC_SAVE_TENSORS_FMT", format)
			tr := lazy.NewTrace(open(t, "eval"))
			var marked [2]string // where
			for range 5 {
				x := lazy.From(tr, []float32{1}).Exp()
				marked[0] = below()
				require.NoError(t, tr.MarkStep(x))
				x = lazy.From(tr, []float32{1, 2}).Exp()
				marked[1] = below()
				require.NoError(t, tr.MarkStep(x))
			}
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			text := string(data)
			for _, part := range []string{"[ScheduleSyncTensorsGraph]\n  dump_test.go:", "\nHashes: (", "\n## BEGIN_GRAPH\n", "\n## END_GRAPH\n", want} {
				require.GreaterOrEqual(t, strings.Count(text, part), 2, part)
			}
			require.Equal(t, 2, strings.Count(text, "BEGIN_GRAPH"))
			for _, at := range marked {
				require.Equal(t, 1, strings.Count(text, "]\n  "+at+"\n"), at)
			}
			if format == "text" {
				require.Contains(t, text, "f32[2]")
			}
		})
	}
}

// below is the line below that of its caller.
func below() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+1)
}
