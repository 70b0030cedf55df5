package simplify_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/backends/kit/simplify"
	"ltc/backends/reference/eval"
	"ltc/internal/test/conformance"
	_ "ltc/internal/test/interpreter" // what the suite's programs exchange
	"ltc/internal/trials"
	"ltc/mlir"
)

// simplifying is the evaluator of simplified programs. Where it does not fold,
// rules see the ops of programs that take nothing.
type simplifying struct {
	*eval.Backend
	fold bool
}

func (b simplifying) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	if e, err := b.Backend.Compile(ctx, m, o); err != nil {
		return e, err // with the places of this text
	}
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	options := simplify.Options{Check: true}
	if b.fold {
		options.Fold = b.Backend
	}
	if err := simplify.Run(ctx, p.Module, options); err != nil {
		return nil, err
	}
	return b.Backend.Compile(ctx, backends.NewModule(mlir.Print(p.Module)), o)
}

// What the evaluator runs it runs when it is simplified, with the same verdicts.
func TestSuite(t *testing.T) {
	for _, fold := range []bool{true, false} {
		report := backendtest.Run(t, func(string) (backends.Backend, error) { return simplifying{eval.New(), fold}, nil })
		for _, g := range report.Groups {
			require.Zero(t, g.Unsupported, g.Name)
		}
	}
}

// The selection of the dialect's own tests gives the verdicts that it gives
// without simplification.
func TestConformance(t *testing.T) {
	suite := trials.Suite()
	if _, err := os.Stat(suite); errors.Is(err, os.ErrNotExist) {
		t.Skip("the conformance tests are not in ../shared")
	}
	var files []string
	for _, pattern := range []string{"interpret/*.mlir", "interpret/*/*.mlir", "testdata/*.mlir", "testdata/*/*.mlir"} {
		found, err := filepath.Glob(filepath.Join(suite, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	if trials.Few() {
		files = files[:len(files)/8]
	}
	verdicts := func(b backends.Backend) map[string]conformance.Result {
		all := map[string]conformance.Result{}
		err := conformance.RunFiles(t.Context(), b, files, conformance.Options{Workers: 2, Timeout: time.Minute}, func(r conformance.Result) { all[r.Unit.Name()] = r })
		require.NoError(t, err)
		return all
	}
	want := verdicts(eval.New())
	for _, fold := range []bool{true, false} {
		for name, got := range verdicts(simplifying{eval.New(), fold}) {
			require.Equal(t, want[name].Outcome, got.Outcome, "%s: %v, was %v", name, got.Reasons, want[name].Reasons)
		}
	}
}
