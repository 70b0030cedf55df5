package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"ltc/backends"
	"ltc/backends/objcache"
	"ltc/checkpoint"
	"ltc/internal/test/golden"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/npy"
)

// TestMain has programs compiled into a cache of the tests' own.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ltc-dump")
	if err != nil {
		panic(err)
	}
	os.Setenv("LTC_CACHE", "on") // sessions show it
	os.Setenv("LTC_CACHE_DIR", dir)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// Each archive in testdata is a session: files, and a file "session" whose lines "$ …"
// are commands. They are run in a fresh directory with those files. Each is followed by
// its standard output, its standard error, and its exit status if that is not 0. "< FILE"
// gives it standard input.
func TestSessions(t *testing.T) {
	for _, path := range golden.Files(t, "testdata/*.txtar") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			path, err := filepath.Abs(path)
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			archive := txtar.Parse(data)
			t.Chdir(t.TempDir())
			if strings.HasPrefix(filepath.Base(path), "cache") {
				t.Setenv("LTC_CACHE_DIR", "cache") // what it lists; nothing is compiled
			}
			var session *txtar.File
			for i, f := range archive.Files {
				if f.Name == "session" {
					session = &archive.Files[i]
					continue
				}
				if label, ok := strings.CutPrefix(f.Name, "object/"); ok {
					putObject(t, label, string(f.Data), time.Duration(i)*time.Hour)
					continue
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(f.Name), 0o755))
				require.NoError(t, os.WriteFile(f.Name, f.Data, 0o644))
			}
			require.NotNil(t, session, "no file named session")
			got := play(t, string(session.Data))
			session.Data = []byte(got)
			golden.Is(t, path, string(txtar.Format(archive)))
		})
	}
}

// putObject puts an object of a session into its cache: the parts of its key, in
// lines "name: value" of which those that are indented go on with the value. Its
// last use was an age ago.
func putObject(t *testing.T, label, text string, age time.Duration) {
	t.Helper()
	var parts objcache.Parts
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(line, ": "); ok && name[0] != ' ' {
			parts = append(parts, objcache.Part{Name: name, Value: strings.TrimSuffix(value, "\n")})
			continue
		}
		last := &parts[len(parts)-1]
		last.Value += "\n" + strings.TrimSpace(line)
	}
	cache := objcache.FromEnvironment(nil)
	cache.Put(parts, label, []byte(text))
	used := time.Now().Add(-age)
	require.NoError(t, os.Chtimes(filepath.Join(cache.Dir(), parts.Key().String()), used, used))
}

// play runs the commands of a session and returns it with what they print.
func play(t *testing.T, session string) string {
	var b strings.Builder
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$")
		if !ok {
			continue
		}
		b.WriteString(line)
		command, file, redirected := strings.Cut(command, "<")
		var stdin []byte
		if redirected {
			var err error
			stdin, err = os.ReadFile(strings.TrimSpace(file))
			require.NoError(t, err)
		}
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(command), bytes.NewReader(stdin), &stdout, &stderr)
		out := stdout.Bytes()
		if strings.Contains(command, "-profile") && status == 0 {
			out = masked(out)
		}
		if strings.Contains(command, "-memory") { // steps take what suits the machine for themselves
			out = regexp.MustCompile(`^peak [^:]*:|workspace .*`).ReplaceAll(out, []byte("…"))
		}
		b.Write(out)
		b.Write(stderr.Bytes())
		if status != 0 {
			fmt.Fprintf(&b, "[exit status %d]\n", status)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columns are of a profile's table those that are the same each time: the step,
// what it computes and moves, what it is and where it comes from.
var columns = []string{"STEP", "FLOPS", "BYTES", "WHAT", "FROM"}

// masked leaves of a profile what was not measured.
func masked(profile []byte) []byte {
	var b bytes.Buffer
	var heads []string
	for line := range strings.Lines(string(profile)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "peak: ") {
			b.WriteString("peak: …\n")
			continue
		}
		step := strings.TrimLeft(line, " ")
		cells := regexp.MustCompile("  +").Split(step, -1)
		if heads == nil {
			heads = cells
		}
		var kept []string
		for _, name := range columns {
			if c := slices.Index(heads, name); c >= 0 && c < len(cells) {
				kept = append(kept, cells[c])
			}
		}
		b.WriteString(line[:len(line)-len(step)] + strings.Join(kept, "  ") + "\n")
	}
	return b.Bytes()
}

// Environment variables are checked before anything is done.
func TestEnvironment(t *testing.T) {
	session := func(args ...string) (int, string) {
		var out, complaint bytes.Buffer
		status := run(args, strings.NewReader(""), &out, &complaint)
		return status, complaint.String()
	}
	t.Setenv("LTC_LIBLVM", "none")
	t.Setenv("LTC_STRICT", "1") // lazy's
	status, said := session("ops", "matmul")
	require.Zero(t, status)
	require.Equal(t, "ltc-dump: environment variable LTC_LIBLVM has no effect; did you mean LTC_LIBLLVM?\n", said)

	t.Setenv("LTC_CACHE", "of")
	status, said = session("cache", "ls")
	require.Equal(t, 2, status)
	require.Equal(t, "ltc-dump: environment variable LTC_CACHE is \"of\": want on, off\n", said)
	status, _ = session("help")
	require.Zero(t, status)
}

// Where the user has no directory for caches, there is nothing to list.
func TestNoCacheDirectory(t *testing.T) {
	for _, name := range []string{"LTC_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	var out, complaint bytes.Buffer
	require.Equal(t, 1, run([]string{"cache", "ls"}, strings.NewReader(""), &out, &complaint))
	require.Empty(t, out.String())
	require.Contains(t, complaint.String(), "LTC_CACHE_DIR, or with -dir")
}

// What the host can do at most says nothing of a device with memory of its own.
func TestProfileOfDevice(t *testing.T) {
	for backend, peaks := range map[string]bool{"cpu": true, "cudasim": false} {
		out, status := output("run", "-profile", "-backend", backend, "../../testdata/exported/mlp_step.mlir")
		require.Zero(t, status, out)
		require.Equal(t, peaks, strings.HasPrefix(out, "peak: "), out)
		require.Equal(t, peaks, regexp.MustCompile(`[0-9] % (flops|copy)`).MatchString(out), out)
	}
}

// A failure while running is shown where the op stands in the text.
func TestLocated(t *testing.T) {
	text := "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.negate %x : tensor<f32>\n  return %0 : tensor<f32>\n}\n"
	reason := errors.New("out of range")
	err := located(t.Context(), fmt.Errorf("run: %w", &backends.RunError{Op: 1, Reason: reason}), "a.mlir", text)
	require.EqualError(t, err, `a.mlir:2:8: error: stablehlo.negate: out of range
  %0 = stablehlo.negate %x : tensor<f32>
       ^`)
	for _, err := range []error{reason, &backends.RunError{Op: -1, Reason: reason}, &backends.RunError{Op: 9, Reason: reason}} {
		require.Equal(t, err, located(t.Context(), err, "a.mlir", text))
	}
}

// Each backend has a line for each device, or one that says why there is none.
func TestDevices(t *testing.T) {
	out, status := output("devices")
	require.Zero(t, status, out)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Regexp(t, `^BACKEND +DEVICE +MEMORY +WHAT$`, lines[0])
	var of []string
	for _, line := range lines[1:] {
		of = append(of, strings.Fields(line)[0])
	}
	require.Equal(t, backends.Names(), slices.Compact(of))
	require.Regexp(t, `(?m)^null +null +unknown *$`, out)
	require.Regexp(t, `(?m)^cpu +cpu +[0-9.]+ GiB +arch=`, out)
	require.Regexp(t, `(?m)^cuda +(cuda:0 .* target=sm_|none .*LTC_LIBCUDA)`, out)
}

// A program that SaveProgram wrote runs with the weights beside it, and the memory of its composites
// is that of one size.
func TestSavedProgram(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2, 2), []float32{1, 2, 3, 4})
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).Softmax(-1) })
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 2)}}, "net")
	require.NoError(t, err)
	dir := t.TempDir()
	program, weights := filepath.Join(dir, "net.mlir"), filepath.Join(dir, "net.safetensors")
	require.NoError(t, checkpoint.SaveProgram(program, x))

	out, status := output("run", program, "-size", "1", "-input", weights, "-input", "x=zeros")
	require.Zero(t, status, out)
	require.Contains(t, out, "f32[1,2]\n[[0.5 0.5]]\n")
	out, status = output("run", program, "-size", "1", "-input", "iota", "-input", weights)
	require.Zero(t, status, out)
	require.Contains(t, out, "f32[1,2]\n[[0.26894143  0.7310586]]\n")

	hint := weights + " has the weights of the program, 1 argument: give it to run with -input " + weights + "\n"
	out, status = output("show", program)
	require.Zero(t, status, out)
	require.Contains(t, out, "ltc-dump show: "+hint)
	for _, given := range []string{"x=iota", "iota"} {
		out, status = output("run", program, "-size", "1", "-input", given)
		require.Equal(t, 1, status)
		require.Contains(t, out, "\n"+hint)
	}
	out, status = output("run", "-profile", program, "-size", "1")
	require.Zero(t, status, out)
	require.Contains(t, out, "warning: values are random: "+hint)
	all := filepath.Join(dir, "all.npz")
	require.NoError(t, npy.WriteArchive(all, []npy.Entry{
		{Name: "x", View: soa.Make(types.Of(types.F32, 1, 2))}, {Name: "w", View: soa.Make(types.Of(types.F32, 2, 2))},
	}))
	for _, given := range []string{weights, all} {
		out, status = output("run", "-profile", program, "-size", "1", "-input", given)
		require.Zero(t, status, out)
		require.NotContains(t, out, "has the weights")
	}

	out, status = output("run", program, "-size", "1", "-input", "w="+weights)
	require.Equal(t, 1, status)
	require.Contains(t, out, "a .safetensors file gives arguments by its own names: leave out the name before it")
	require.NoError(t, os.WriteFile(weights, []byte("1 2 3"), 0o644))
	out, status = output("run", program, "-size", "1", "-input", weights)
	require.Equal(t, 1, status)
	require.Contains(t, out, "net.safetensors")

	require.Contains(t, x.Text, "stablehlo.composite")
	out, status = output("run", "-memory", "-size", "4", program)
	require.Zero(t, status, out)
	require.Contains(t, out, "f32[4,2]")
}
