// Package arrows holds which package may import which.
//
// The package imports only the standard library.
package arrows

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
)

// allowed lists what each package may import besides the standard library. Who
// may import ir may import what its nodes are made of, too (see vocabulary).
// Paths of this module are relative to it; others stand for all below them. A
// package that is not here may not exist: add it, at the place in the order
// that it belongs to.
var allowed = map[string][]string{
	"ir/dims":          {},
	"ir/types":         {"internal/minifloat"},
	"ir/ops":           {"ir/types"},
	"ir/ops/gen":       {"ir/ops"}, // builds while all others do not
	"soa":              {"ir/types", "internal/hostmem", "internal/stridedcopy", "soa/internal/tag"},
	"soa/internal/tag": {},
	"soa/npy":          {"soa"},
	"soa/safetensors":  {"soa"},
	"ir":               {"ir/types", "ir/ops"},
	"shapeinfer":       {"ir"},
	"autodiff":         {"ir", "shapeinfer"},
	"batching":         {"ir", "shapeinfer"},
	"mlir":             {"internal/halt", "internal/lexeme", "internal/minifloat"},
	"stablehlo":        {"internal/lexeme", "internal/mlirtext", "mlir"},
	"stablehlo/gen":    {"mlir", "stablehlo"},
	"stablehlo/verify": {"internal/lexeme", "internal/minifloat", "mlir", "stablehlo"},
	"stablehlo/chlo":   {"mlir", "stablehlo"},
	"lower":            {"ir", "shapeinfer", "mlir", "stablehlo", "stablehlo/verify", "internal/halt"},
	"lift":             {"ir", "lower", "shapeinfer", "mlir", "stablehlo", "stablehlo/chlo", "stablehlo/verify"},
	"backends":         {"mlir", "stablehlo", "stablehlo/verify", "soa"},
	// The kernel IR knows neither texts nor backends.
	"backends/kit/kernel":         {"backends/kit/approx", "backends/kit/kernel/ops", "internal/footprint", "ir/types"},
	"backends/kit/expand":         {"backends/kit/approx", "backends/kit/kernel", "ir/types"},
	"backends/kit/kernel/ops":     {},
	"backends/kit/kernel/ops/gen": {"backends/kit/kernel/ops", "mlir", "stablehlo"},
	"backends/kit/approx":         {},
	"backends/kit/fourier":        {"backends/kit/kernel", "ir/types"},
	// How those call backends who use them.
	"internal/border": {"backends", "internal/spare", "soa"},
	// What tests of those who run kernels share needs their tools.
	"backends/kit/kernel/kerneltest": {"backends/kit/kernel", "github.com/stretchr/testify", "golang.org/x/tools/txtar"},
	"backends/kit/simplify/mincut":   {},
	"backends/kit/simplify/program":  {"internal/halt", "internal/minifloat", "mlir", "stablehlo"},
	"backends/kit/simplify":          {"backends/kit/simplify/mincut", "backends/kit/simplify/program", "stablehlo", "stablehlo/verify", "backends", "internal/minifloat", "mlir", "stablehlo/chlo", "soa"},
	"backends/kit/plan":              {"stablehlo", "backends/kit/kernel", "backends", "internal/footprint", "ir/types", "mlir", "soa"},
	"backends/kit/fuse":              {"backends/kit/kernel", "backends/kit/plan", "backends", "internal/footprint", "internal/halt", "ir/types", "mlir", "soa"},
	"backends/kit":                   {"backends/reference/eval", "backends/kit/fourier", "internal/minifloat", "stablehlo", "backends/kit/fuse", "backends/kit/kernel", "backends/kit/plan", "backends/kit/simplify", "backends/kit/simplify/program", "backends", "ir/types", "mlir", "soa"},
	"backends/kit/exec":              {"internal/spare", "backends/kit/kernel", "backends/kit/plan", "backends/reference/eval", "backends/reference/tiles", "backends", "internal/ctxmutex", "internal/sharing", "ir/types", "soa"},
	"backends/kit/stages":            {"internal/spare", "backends/kit", "backends/kit/exec", "backends", "ir/types", "mlir", "soa", "stablehlo"},
	"backends/objcache":              {},
	"backends/null":                  {"backends", "mlir", "soa"},
	// The conformance suite runs tests, so it needs their tools.
	"backends/backendtest": {"stablehlo", "internal/trials", "backends", "lazy", "mlir", "soa", "github.com/stretchr/testify", "github.com/google/go-cmp", "golang.org/x/tools/txtar"},
	// The evaluator imports nothing of what it judges.
	"backends/reference/internal/scalarmath": {"internal/bigfloat"},
	"backends/reference/internal/loops":      {"internal/minifloat", "ir/types", "mlir", "stablehlo", "backends/reference/internal/scalarmath"},
	"backends/reference/internal/numeric":    {"backends/reference/internal/loops"},
	"backends/reference/internal/freelist":   {},
	"backends/reference/internal/spectral":   {"backends", "ir/types", "mlir", "soa"},
	"backends/reference/internal/dense":      {"backends", "internal/sharing", "soa", "backends/reference/internal/loops"},
	"backends/reference/eval": {"stablehlo", "stablehlo/verify", "backends", "mlir", "stablehlo/chlo", "soa", "internal/footprint", "internal/sharing", "internal/stridedcopy",
		"backends/reference/internal/dense", "backends/reference/internal/freelist", "backends/reference/internal/loops", "backends/reference/internal/numeric", "backends/reference/internal/scalarmath"},
	"backends/reference/tiles": {"backends/kit/kernel", "internal/footprint", "internal/spare", "mlir", "backends/reference/internal/loops"},
	"backends/reference": {"backends/kit", "backends/kit/exec", "backends/kit/stages", "backends/kit/fuse", "backends/kit/plan", "internal/footprint", "internal/halt", "internal/hostmem", "internal/spare", "backends/kit/kernel", "backends", "soa",
		"backends/reference/eval", "backends/reference/tiles", "backends/reference/internal/dense", "backends/reference/internal/loops", "backends/reference/internal/spectral"},
	// The compiler of the reference backend: text to object bytes, objects to
	// code, kernels to text, and what ties them together.
	"backends/reference/llvm/libllvm":    {"github.com/ebitengine/purego", "internal/hostmem"},
	"backends/reference/llvm/native":     {"internal/cpu", "github.com/ebitengine/purego"},
	"backends/reference/llvm/vector":     {"ir/types", "backends/kit/expand", "backends/kit/kernel", "github.com/llir/llvm"},
	"backends/reference/llvm/gemm":       {"ir/types", "backends/kit/kernel", "backends/reference/llvm/vector", "github.com/llir/llvm"},
	"backends/reference/llvm/blockdot":   {"ir/types", "backends/kit/kernel", "backends/reference/llvm/gemm", "backends/reference/llvm/vector", "github.com/llir/llvm"},
	"backends/reference/llvm/triangular": {"ir/types", "backends/kit/kernel", "backends/reference/llvm/vector", "github.com/llir/llvm"},
	"backends/reference/llvm/emit":       {"ir/types", "internal/spare", "backends/kit/kernel", "backends/reference/llvm/vector", "backends/reference/llvm/gemm", "github.com/llir/llvm"},
	"backends/reference/llvm/tileloops":  {"ir/types", "backends/kit/kernel", "backends/reference/llvm/vector", "backends/reference/llvm/gemm", "github.com/llir/llvm"},
	"backends/reference/llvm/rowsort":    {"ir/types", "backends/kit/kernel", "backends/reference/llvm/vector", "backends/reference/llvm/gemm", "github.com/llir/llvm"},
	"backends/reference/llvm": {"backends/reference", "backends/reference/tiles", "ir/types", "internal/spare", "internal/ctxmutex", "internal/halt", "backends/kit", "backends/kit/kernel", "backends", "backends/objcache", "mlir", "soa",
		"backends/reference/llvm/libllvm", "backends/reference/llvm/native", "backends/reference/llvm/vector",
		"backends/reference/llvm/gemm", "backends/reference/llvm/blockdot", "backends/reference/llvm/triangular", "backends/reference/llvm/emit", "backends/reference/llvm/tileloops", "backends/reference/llvm/rowsort", "backends/reference/llvm/prebuilt"},
	"backends/reference/llvm/prebuilt": {},
	"backends/cuda/ptx/internal/asm":   {"ir/types", "backends/kit/expand", "backends/kit/kernel"},
	"backends/cuda/ptx/internal/body":  {"ir/types", "backends/cuda/ptx/internal/asm", "backends/kit/expand", "backends/kit/kernel"},
	"backends/cuda/ptx":                {"ir/types", "backends/cuda/ptx/internal/asm", "backends/cuda/ptx/internal/body", "backends/cuda/ptx/gemm", "backends/kit/kernel"},
	"backends/cuda/ptx/gemm":           {"ir/types", "backends/cuda/ptx/internal/asm", "backends/cuda/ptx/internal/body", "backends/kit/kernel"},
	"backends/cuda/ptx/attention":      {"ir/types", "backends/cuda/ptx/internal/asm"},
	"backends/cuda/ptx/sorts":          {"ir/types", "backends/cuda/ptx/internal/asm", "backends/kit/expand", "backends/kit/kernel"},
	"backends/cuda/driver":             {"github.com/ebitengine/purego"},
	"backends/cuda/libraries":          {"backends/cuda/driver", "github.com/ebitengine/purego"},
	"backends/cuda/cublaslt":           {"backends/cuda/libraries"},
	"backends/cuda": {"backends/cuda/cublaslt", "backends/cuda/driver", "backends/cuda/ptx", "backends/cuda/ptx/attention", "backends/cuda/ptx/gemm", "backends/cuda/ptx/sorts", "backends/kit", "backends/kit/exec", "backends/kit/stages", "backends/kit/fuse", "backends/kit/plan", "backends/kit/kernel", "backends", "mlir", "soa",
		"internal/footprint"},
	"internal/test/cheader":    {},
	"internal/test/inputs":     {"internal/trials"},
	"internal/test/ptxas":      {},
	"internal/test/ptxsim":     {"internal/test/ptxas", "internal/trials"},
	"internal/test/cudasim":    {"backends/cuda", "backends", "soa", "internal/test/cudafake"},
	"backends/cuda/cudasim":    {"internal/test/cudasim"},
	"internal/test/gputext":    {"backends", "internal/test/cudafake", "internal/test/cudasim"},
	"internal/test/toytarget":  {"backends", "backends/kit", "backends/kit/exec", "backends/kit/plan", "backends/kit/kernel", "backends/reference/tiles", "ir/types", "soa"},
	"internal/test/cudafake":   {"ir/types", "backends/cuda/cublaslt", "backends/cuda/driver", "internal/test/ptxsim", "github.com/ebitengine/purego"},
	"internal/bigfloat":        {},
	"internal/test/accuracy":   {"ir/types", "internal/bigfloat", "internal/test/golden", "github.com/stretchr/testify"},
	"lazy":                     {"ir", "shapeinfer", "autodiff", "batching", "lower", "lift", "backends", "internal/border", "internal/explain", "internal/hostmem", "internal/modes", "lazy/internal/account", "lazy/internal/alloc", "lazy/internal/axes", "lazy/internal/execution", "lazy/internal/guard", "lazy/internal/maps", "lazy/internal/memory", "lazy/internal/metrics", "lazy/internal/opbyop", "lazy/internal/philox", "lazy/internal/programs", "lazy/internal/region", "lazy/internal/sched", "lazy/internal/settings", "lazy/internal/strided", "lazy/internal/varying", "soa"},
	"lazy/internal/account":    {"lazy/internal/metrics", "lazy/internal/programs"},
	"lazy/internal/alloc":      {},
	"lazy/internal/axes":       {"ir"},
	"lazy/internal/execution":  {"backends", "internal/border", "ir", "lazy/internal/guard", "lazy/internal/memory", "lazy/internal/programs", "soa"},
	"lazy/internal/guard":      {"backends", "ir", "lazy/internal/memory", "lazy/internal/opbyop", "lazy/internal/programs", "soa"},
	"lazy/internal/maps":       {},
	"lazy/internal/memory":     {"internal/hostmem", "ir/types", "soa"},
	"lazy/internal/metrics":    {},
	"lazy/internal/opbyop":     {"backends", "ir", "lazy/internal/programs", "shapeinfer", "soa"},
	"lazy/internal/philox":     {},
	"lazy/internal/programs":   {"backends", "internal/explain", "ir", "shapeinfer", "soa"},
	"lazy/internal/region":     {"ir", "shapeinfer"},
	"lazy/internal/sched":      {},
	"lazy/internal/settings":   {},
	"lazy/internal/strided":    {"ir", "soa"},
	"lazy/internal/varying":    {"ir"},
	"lazy/vars":                {"lazy"},
	"ltctest":                  {"ir", "lazy", "internal/diag", "internal/env"},
	"internal/callsite/nested": {},
	"optim":                    {"lazy", "optim/internal/state"},
	"optim/amp":                {"lazy", "optim", "optim/internal/state"},
	"optim/internal/state":     {"lazy"},
	"internal/functions":       {"ir/ops", "lazy", "shapeinfer"},
	"nn":                       {"internal/functions", "ir/ops", "lazy"},
	"nn/module":                {"internal/modes", "ir/ops", "lazy"},
	"nn/layers":                {"internal/functions", "lazy", "nn", "nn/module"},
	"nn/generate":              {"internal/hostmem", "lazy", "nn/module", "tokenizer"},
	"nn/quantized":             {"checkpoint", "checkpoint/gguf", "internal/functions", "internal/hostmem", "ir/ops", "lazy", "nn/module", "soa"},
	"special":                  {"internal/functions", "ir/ops", "lazy"},
	"linalg":                   {"internal/functions", "ir/ops", "lazy"},
	"fft":                      {"internal/functions", "ir/dims", "ir/ops", "lazy", "shapeinfer", "soa"},
	"data":                     {"soa", "soa/npy"},
	"data/digits":              {"data"},
	"checkpoint":               {"checkpoint/gguf", "checkpoint/torch", "lazy", "soa", "soa/safetensors"},
	"train":                    {"checkpoint", "data", "ir/types", "lazy", "nn/module", "optim", "optim/amp", "soa"},
	"checkpoint/gguf":          {"soa"},
	"checkpoint/torch":         {"soa"},
	"tokenizer":                {"golang.org/x/text/unicode/norm"},
	"model":                    {"backends", "internal/border", "mlir", "soa", "internal/spare"},
	"collective":               {"soa"},

	// Networks that examples and tests share.
	"examples/networks": {"lazy"},

	// What programs and tests share.
	"internal/explain":           {"ir", "ir/ops", "ir/types"},
	"internal/calls":             append(functionPackages(), "lazy", "ir/ops", "soa"),
	"internal/samples":           {"soa"},
	"internal/test/torchgolden":  {"internal/calls", "internal/samples", "soa"},
	"internal/sharing":           {"soa"},
	"internal/cpu":               {},
	"internal/lexeme":            {"internal/minifloat"},
	"internal/mlirtext":          {"internal/halt", "internal/lexeme", "mlir"},
	"internal/minifloat":         {},
	"internal/peak":              {"ir/types", "internal/cpu", "internal/hostmem"},
	"internal/test/kittest":      {"internal/test/programs", "backends", "backends/kit", "backends/kit/fuse", "backends/kit/kernel", "backends/kit/plan", "backends/reference/eval", "backends/reference/tiles", "internal/samples", "ir/types", "soa", "github.com/stretchr/testify"},
	"internal/test/viewtest":     {"backends", "internal/trials", "soa", "github.com/stretchr/testify"},
	"internal/test/programs":     {},
	"internal/test/snippets":     {"github.com/stretchr/testify"},
	"internal/test/overlay":      {"github.com/stretchr/testify"},
	"internal/trials":            {},
	"internal/spare":             {},
	"internal/stridedcopy":       {},
	"internal/ctxmutex":          {},
	"internal/halt":              {},
	"internal/hostmem":           {},
	"internal/modes":             {},
	"internal/test/growth":       {"internal/trials"},
	"internal/footprint":         {},
	"internal/test/interpreter":  {"backends/reference/eval", "internal/stridedcopy", "mlir", "soa", "stablehlo"},
	"internal/test/manyprograms": {},
	"internal/test/golden":       {"github.com/stretchr/testify", "github.com/google/go-cmp", "golang.org/x/tools/txtar"},
	"internal/test/optest":       {"backends", "ir/ops", "soa", "internal/samples", "golang.org/x/tools/txtar"},
	"internal/test/conformance":  {"internal/minifloat", "internal/mlirtext", "stablehlo", "stablehlo/verify", "backends", "mlir", "soa"},
}

// functionPackages returns the packages whose functions have rows in the op table.
func functionPackages() []string {
	var all []string
	for _, p := range ops.Packages {
		all = append(all, p.Name)
	}
	return all
}

// anywhere lists the packages that every other may import: they import only
// the standard library and diag themselves.
var anywhere = []string{"internal/diag", "internal/callsite", "internal/env", "internal/files"}

// listed is what go list tells about a package.
type listed struct {
	Dir        string
	ImportPath string
	Name       string
	GoFiles    []string
	Imports    []string
	Module     struct{ Path string }
}

func TestArrows(t *testing.T) {
	packages := list(t)
	require.NotEmpty(t, packages)
	seen := map[string]bool{}
	for _, p := range packages {
		module := p.Module.Path + "/"
		name := strings.TrimPrefix(p.ImportPath, module)
		seen[name] = true
		row, known := allowed[name]
		may := append(vocabulary(row), anywhere...)
		switch {
		case len(p.GoFiles) == 0:
			continue
		case known:
		case slices.Contains(anywhere, name):
			may = []string{"internal/diag"}
		case p.Name == "main": // imports anything, imported by nothing
			continue
		default:
			t.Errorf("package %s has no row in the table of arrows: say what it may import", name)
			continue
		}
		for _, i := range p.Imports {
			i, ours := strings.CutPrefix(i, module)
			if (ours || !standard(i)) && !permitted(may, i) {
				t.Errorf("%s imports %s: it may import only %v", name, i, may)
			}
		}
	}
	for _, name := range []string{"ir/types", "soa", "mlir", "backends"} {
		require.True(t, seen[name], "go list does not list %s", name)
	}
}

// list returns the packages of this module, without their tests.
func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,Name,GoFiles,Imports,Module", "./...")
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	dec := json.NewDecoder(strings.NewReader(string(out)))
	var all []listed
	for {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, p)
	}
}

// vocabulary returns list with the packages of plain data that every user of a
// package in it needs to speak to it.
func vocabulary(list []string) []string {
	all := append(slices.Clone(list), "ir/types", "ir/dims")
	if slices.Contains(list, "ir") {
		all = append(all, "ir/ops")
	}
	return all
}

// permitted reports whether may holds pkg or, of another module, its root.
func permitted(may []string, pkg string) bool {
	for p := pkg; p != "."; p = path.Dir(p) {
		if slices.Contains(may, p) && (p == pkg || strings.Contains(p, ".")) {
			return true
		}
	}
	return false
}

// standard reports whether pkg, which is not of this module, is of the standard
// library: other modules' paths start with a domain.
func standard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".")
}

// Packages that only tests use are below internal/test. No other package imports them but
// commands, and two packages that are for tests of other modules.
func TestTestWing(t *testing.T) {
	const wing = "internal/test/"
	for name, row := range allowed {
		if strings.HasPrefix(name, wing) || name == "backends/backendtest" || name == "backends/cuda/cudasim" {
			continue
		}
		for _, i := range row {
			require.False(t, strings.HasPrefix(i, wing), "%s may not import %s", name, i)
		}
	}
}

// The evaluator judges kernels and targets, so that nothing it imports, at whatever
// distance, may be of the kit. Targets have it from the kit alone.
func TestEvaluatorIsApart(t *testing.T) {
	below := map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		for _, i := range allowed[name] {
			require.False(t, i == "backends/kit" || strings.HasPrefix(i, "backends/kit/"), "%s, which the evaluator needs, may import %s", name, i)
			if !below[i] {
				below[i] = true
				walk(i)
			}
		}
	}
	walk("backends/reference/eval")
	require.True(t, below["backends"])
	for _, i := range allowed["backends/cuda"] {
		require.False(t, i == "backends/reference" || strings.HasPrefix(i, "backends/reference/"), "backends/cuda may import %s", i)
	}
}

// The check finds what it should: an arrow up, a foreign module, a neighbour.
func TestArrowsCatch(t *testing.T) {
	require.False(t, permitted(vocabulary(allowed["soa"]), "ir"))
	require.False(t, permitted(vocabulary(allowed["lazy"]), "backends/reference"))
	require.False(t, permitted(vocabulary(allowed["ir"]), "github.com/stretchr/testify/require"))
	require.False(t, permitted(vocabulary(allowed["soa"]), "soa/npy"))
	require.False(t, permitted(vocabulary(allowed["lower"]), "github.com/llir/llvm"))
	require.False(t, permitted(vocabulary(allowed["optim"]), "lower"))
	require.True(t, permitted(vocabulary(allowed["lower"]), "ir/types"))
	require.True(t, permitted(vocabulary(allowed["backends/backendtest"]), "github.com/stretchr/testify/require"))
	require.False(t, standard("github.com/stretchr/testify/require"))
	require.True(t, standard("encoding/json"))
}
