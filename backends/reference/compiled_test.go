package reference

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/backendtest"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/conformance"
	"ltc/internal/test/kittest"
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

// Programs of the selection that leave sizes open are compiled for all sizes, and compute what the
// evaluator does for several.
func TestDynamicFilesAreCompiled(t *testing.T) {
	trials.Sequential(t)
	files, err := filepath.Glob(trials.Suite() + "/testdata/dynamic/*.mlir")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no selection")
	}
	refused := map[string]string{
		"conv_general_dilated_1d_stride_2_even_dynamic":                                       "window_strides has 2 entries, but should have 1",
		"conv_general_dilated_1d_stride_2_odd_dynamic":                                        "window_strides has 2 entries, but should have 1",
		"vmap_complex_broadcast_lhs_float32_3_1_rhs_float32_3_2_dynamic":                      "a caller cannot hold elements of type complex",
		"vmap_complex_broadcast_lhs_float32_3_2_rhs_float32_3_1_dynamic":                      "a caller cannot hold elements of type complex",
		"vmap_convert_element_type_to_int8_100_100_olddtype_int8_newdtype_complex128_dynamic": "a caller cannot hold elements of type complex",
		"vmap_convert_element_type_to_int8_100_100_olddtype_int8_newdtype_complex64_dynamic":  "a caller cannot hold elements of type complex",
		"vmap_select_and_gather_add_dilations_float32_4_6_dynamic":                            "windows of several values at once",
	}
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	runs := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".mlir")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		e, err := cpu.Compile(t.Context(), backends.NewModule(string(text)), backends.Options{Compiled: true})
		if why := refused[name]; why != "" {
			require.ErrorContains(t, err, why, name)
			continue
		}
		require.NoError(t, err, name)
		ran := false
		for _, numbers := range [][]int{{5, 7, 6}, {18, 3, 4}} {
			if kittest.SameForNumbers(t, string(text), e, numbers...) {
				ran = true
				runs++
			}
		}
		require.True(t, ran, name)
		require.False(t, t.Failed(), name)
	}
	t.Logf("%d of %d files are compiled, and %d runs compute what the evaluator does", len(files)-len(refused), len(files), runs)
}

// LTC_CHECK=1 has programs checked after each pass.
func TestChecksFromTheEnvironment(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv("LTC_CHECK", value)
		require.Equal(t, want, KitOptions(t.Context()).Check, value)
	}
}
