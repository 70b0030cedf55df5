package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference/eval"
	_ "ltc/internal/test/gputext"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// quiet is a progress that says nothing.
type quiet struct{}

func (quiet) begin(int, int)            {}
func (quiet) step()                     {}
func (quiet) end(int, float64, float64) {}

func TestAccuracy(t *testing.T) {
	train, test := trainAndTest()
	require.Equal(t, 1797, train.Rows+test.Rows)
	require.Equal(t, 1797/5, test.Rows)
	var found []float64
	for seed := range uint64(5) {
		r, err := run("cpu", seed+1, defaultEpochs, train, test, quiet{})
		require.NoError(t, err)
		t.Logf("seed %d: test accuracy %.4f", seed+1, r.accuracy)
		found = append(found, r.accuracy)
		require.Len(t, r.training.Compiles, 1)
		require.Zero(t, r.training.Syncs())
		require.Zero(t, r.training.DonationCopies)
		require.Len(t, r.prediction.Compiles, 1)
		require.Zero(t, r.prediction.Syncs())
	}
	slices.Sort(found)
	require.GreaterOrEqual(t, found[2], 0.97, "median of seeds 1 to 5")
}

// A seed gives the same losses, bit by bit, another seed others.
func TestRepeats(t *testing.T) {
	train, test := trainAndTest()
	losses := func(seed uint64) []float64 {
		var p recorder
		r, err := run("cpu", seed, 2, train, test, &p)
		require.NoError(t, err)
		return append(p.losses, r.accuracy)
	}
	first := losses(3)
	require.Len(t, first, 3)
	require.Less(t, first[1], first[0])
	require.Equal(t, first, losses(3))
	require.NotEqual(t, first, losses(4))
}

// recorder keeps the losses of the epochs.
type recorder struct {
	quiet
	losses []float64
}

func (r *recorder) end(_ int, loss, _ float64) { r.losses = append(r.losses, loss) }

func TestStepIsWritten(t *testing.T) {
	out := filepath.Join(t.TempDir(), "digits")
	require.NoError(t, learn("gputext", 1, 1, out))
	text, err := os.ReadFile(filepath.Join(out, "step.mlir"))
	require.NoError(t, err)
	m, err := stablehlo.Parse("step.mlir", string(text))
	require.NoError(t, err)
	require.NoError(t, verify.Module(m))
	for _, part := range []string{"func.func @main(", "stablehlo.dot_general", "tf.aliasing_output", `"0.weight.velocity"`, "train.go"} {
		require.Contains(t, string(text), part)
	}
	p, err := backends.Load(t.Context(), backends.NewModule(string(text)), backends.Options{})
	require.NoError(t, err)
	compiled, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New()})
	require.NoError(t, err)
	for _, h := range compiled.HostSteps() {
		t.Errorf("%s is left to the evaluator: %s", h.Op, h.Reason)
	}
}

func TestBadBackend(t *testing.T) {
	require.ErrorContains(t, learn("abacus", 1, 1, t.TempDir()), `unknown backend "abacus"`)
}

// What goes to a file or a pipe is lines.
func TestLinesWithoutTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	p := shown(f, f, 2)
	for epoch := range 2 {
		p.begin(epoch, 1)
		p.step()
		p.end(epoch, 0.5, 0.25)
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "epoch  1/2  loss 0.5000  accuracy 0.250\nepoch  2/2  loss 0.5000  accuracy 0.250\n", string(text))
}

// A bar leaves the same line.
func TestBar(t *testing.T) {
	var out, drawn strings.Builder
	b := &bar{lines: lines{&out, 1}, stderr: &drawn}
	b.begin(0, 3)
	b.step()
	b.end(0, 0.5, 0.25)
	require.Equal(t, "epoch  1/1  loss 0.5000  accuracy 0.250\n", out.String())
	require.NotEmpty(t, drawn.String())
}
