package lazy

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference"
	"ltc/internal/test/golden"
	"ltc/internal/trials"
	"ltc/lazy/internal/metrics"
	"ltc/lazy/internal/settings"
)

//go:generate go test -run=^TestPages$ . -update

// page compares a page of docs with what it is made from.
func page(t *testing.T, name, want string) {
	t.Helper()
	golden.Is(t, filepath.Join("..", "docs", name), want)
}

func TestPages(t *testing.T) {
	t.Run("environment", func(t *testing.T) { page(t, "environment.md", environmentPage()) })
	t.Run("metrics", func(t *testing.T) { page(t, "metrics.md", metricsPage()) })
}

func environmentPage() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from lazy/internal/settings/settings.go and internal/env/backends.go by go generate ./lazy. -->\n# Environment variables\n\n" +
		"`lazy.Open` and backends look at them, and options win over them; `lazy.Open` returns an error that names the variable when one is set to what it may not be. An empty variable counts as not set. The first device that is opened logs a warning of each variable that begins with `LTC_` and is in neither table or has no effect, with the name that it is nearest to. `ltc-dump` says both before it does anything.\n\n" +
		"| variable | may be | default | what |\n|---|---|---|---|\n")
	for _, v := range Environment() {
		standard := ""
		if v.Default != "" {
			standard = "`" + v.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", v.Name, v.Allowed, standard, v.Doc)
	}
	b.WriteString("\n`LTC_CHECK`, `LTC_IR_DEBUG_ROOT_PATH` and those of devices are the lazy tensor core's where it has one for the same. Of its others these have no effect:\n\n| variable | because |\n|---|---|\n")
	for _, v := range settings.Ignored {
		fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(v.Name, ", ", "`, `"), v.Why)
	}
	return b.String()
}

func metricsPage() string {
	var b strings.Builder
	b.WriteString("<!-- Generated from lazy/internal/metrics/metrics.go by go generate ./lazy. -->\n# Metrics\n\n" +
		"`Device.Metrics` returns them, `SumMetrics` those of several devices, package `lazy/vars` publishes them through `expvar`, and `Device.ResetMetrics` sets all to nothing. Counters are shown when they are above 0, metrics when they have samples; rates and percentiles are of the latest 1024 samples. `Trace.Report` says what one trace has done.\n\n" +
		"| counter | counts |\n|---|---|\n")
	for _, c := range metrics.Counters {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, c.Doc)
	}
	b.WriteString("| `lazy::OP` | ops recorded, those of a composite's definition not counted |\n")
	b.WriteString("\n| metric | in | samples |\n|---|---|---|\n")
	for _, m := range metrics.Quantities {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, [...]string{"numbers", "time", "bytes"}[m.Kind], m.Doc)
	}
	b.WriteString("\nThe counters up to `TrieForked` and the metrics up to `IrValueTensorToDataHandle` have the lazy tensor core's names. `Fallback` is what `aten::OP` is there: ops that fell back, to the evaluator here.\n")
	return b.String()
}

// A variable that is set to what it may not be is an error of Open, which names
// it and says what is allowed; nothing is opened.
func TestBadEnvironmentIsAnError(t *testing.T) {
	bad := map[string]string{
		"LTC_CHECK": "yes", "LTC_STRICT": "true", "LTC_SYNC": "maybe", "LTC_TRIM_GRAPH_SIZE": "-1", "LTC_OPBYOP": "2",
		"LTC_PROGRAM_CACHE_BYTES": "lots", "LTC_MEMORY_CACHE_BYTES": "1 GB", "LTC_MAX_ASYNC_QUEUE": "0", "LTC_LIVE": "on", "LTC_STACKS": "0", "LTC_REUSE_IR": "off", "LTC_ENABLE_DYNAMIC_SHAPES": "yes", "LTC_PROFILE": "on",
		"LTC_CPU_LEVEL": "avx", "LTC_CACHE": "of", "LTC_COMPILED": "no", "LTC_TIERS": "yes", "LTC_UPDATE": "yes", "LTC_CHECK_NANS": "yes", "LTC_DISK_CACHE_BYTES": "-1",
		"LTC_SAVE_TENSORS_FMT": "pdf", "LTC_SAVE_TENSORS_FILE": filepath.Join(t.TempDir(), "no", "such", "directory"),
	}
	free := []string{"LTC_DEVICE", "LTC_IR_DEBUG_ROOT_PATH", "LTC_LIBLLVM", "LTC_LIBCUDA", "LTC_LIBCUBLASLT", "LTC_CACHE_DIR"} // any text may be a name
	for _, v := range Environment() {
		t.Run(v.Name, func(t *testing.T) {
			text, some := bad[v.Name]
			if !some {
				require.Contains(t, free, v.Name, "say what the variable may not be")
				return
			}
			t.Setenv(v.Name, text)
			d, err := Open("eval")
			require.Nil(t, d)
			require.ErrorContains(t, err, "environment variable "+v.Name)
			if v.Check != nil {
				require.ErrorContains(t, err, fmt.Sprintf("%q", text))
				require.ErrorContains(t, err, ": want "+strings.ReplaceAll(v.Allowed, "`", ""))
				require.NotEmpty(t, v.Default+v.Allowed)
			}
		})
	}
	t.Setenv("LTC_SAVE_TENSORS_FMT", "pdf")
	_, err := Open("eval")
	require.EqualError(t, err, `open "eval": environment variable LTC_SAVE_TENSORS_FMT is "pdf": want text, dot, backend`)
}

// Defaults are allowed, and variables named once.
func TestEnvironmentTableAllowsItsDefaults(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Environment() {
		require.False(t, seen[v.Name], v.Name)
		seen[v.Name] = true
		if v.Default != "" && v.Check != nil {
			require.NoError(t, v.Check(v.Default), v.Name)
		}
	}
}

// No other file of the library looks at the environment.
func TestEnvironmentIsReadInOnePlace(t *testing.T) {
	trials.Sequential(t)
	out, err := exec.Command("go", "list", "-f", "{{$d := .Dir}}{{if ne .Name \"main\"}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{end}}", "../ir/...", "../shapeinfer", "../lower", "../mlir/...", "../internal/mlirtext", "../backends/...", "../soa/...", "../optim", "../autodiff", ".", "../internal/callsite", "../internal/env").CombinedOutput()
	require.NoError(t, err, "%s", out)
	reads := regexp.MustCompile(`os\.(Getenv|LookupEnv|Environ)\b`)
	var found []string
	for file := range strings.FieldsSeq(string(out)) {
		text, err := os.ReadFile(file)
		if err == nil && reads.Match(text) {
			found = append(found, filepath.Base(file))
		}
	}
	require.Equal(t, []string{"env.go"}, found)
}

// A variable that nothing reads is warned of, once, by the first device.
func TestUnknownVariablesAreWarnedOf(t *testing.T) {
	t.Setenv("LTC_SYNCS", "error")
	t.Setenv("LTC_IR_DEBUG", "1")
	t.Setenv("LTC_QQQQ", "1")
	var text strings.Builder
	for range 2 {
		_, err := Open("eval", Logger(slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))))
		require.NoError(t, err)
	}
	require.Equal(t, `level=WARN msg="environment variable without effect" device=eval name=LTC_IR_DEBUG because="ops always carry their lines; it costs a few nanoseconds"
level=WARN msg="environment variable without effect" device=eval name=LTC_QQQQ
level=WARN msg="environment variable without effect" device=eval name=LTC_SYNCS nearest=LTC_SYNC
`, text.String())
}

// The variables have the modes and the formats by their names.
func TestSettingsNames(t *testing.T) {
	require.Equal(t, []string{"warn", "allow", "error"}, []string{WarnSyncs.String(), AllowSyncs.String(), RefuseSyncs.String()})
	require.Equal(t, [...]string{FormatIR: "text", FormatDot: "dot", FormatStableHLO: "backend"}, settings.Formats)
}
