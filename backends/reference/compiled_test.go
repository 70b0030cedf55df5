package reference

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/conformance"
	"ltc/internal/trials"
)

// asKernels runs programs as kernels by the interpreter.
type asKernels struct{ *eval.Backend }

func (b asKernels) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if len(p.Lacking) == 0 && !p.Signature.Open() {
		e, err := compileKernels(ctx, p, o, []kernel.Compiler{tiles.Compiler{}})
		if !errors.Is(err, kit.ErrNotCompiled) {
			return e, err
		}
	}
	return b.Backend.Compile(ctx, m, o)
}

// Programs that run as kernels pass the suite, too.
func TestConformanceOfKernels(t *testing.T) {
	trials.Sequential(t)
	for _, g := range backendtest.Run(t, func(string) (backends.Backend, error) { return asKernels{eval.New()}, nil }).Groups {
		require.Positive(t, g.Passed, g.Name)
		require.Zero(t, g.Unsupported, g.Name)
	}
}

// The selection of the specification's tests passes as kernels, too.
func TestSelectionOfKernels(t *testing.T) {
	trials.Sequential(t)
	files, err := conformance.Files([]string{trials.Suite() + "/interpret", trials.Suite() + "/testdata"})
	if err != nil {
		t.Skipf("no selection: %v", err)
	}
	b := asKernels{eval.New()}
	for _, file := range files {
		units, err := conformance.Read(file)
		require.NoError(t, err)
		for _, u := range units {
			if r := conformance.Run(t.Context(), b, u); r.Outcome == conformance.Failed {
				t.Errorf("%s: %s", file, r.Reasons[0])
			}
		}
	}
}

// LTC_CHECK=1 has programs checked after each pass.
func TestChecksFromTheEnvironment(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv("LTC_CHECK", value)
		require.Equal(t, want, KitOptions(t.Context()).Check, value)
	}
}
