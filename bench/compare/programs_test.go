package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/golden"
)

// exporting stands for run.sh, which installs a Python: that exports programs but for one,
// and times them.
const exporting = `#!/bin/sh
env=jax
case $3 in torch*) env=torch ;; esac
mkdir -p "$1/$env/bin"
cat >"$1/$env/bin/python" <<'SCRIPT'
#!/bin/sh
echo "$@" >>` + "`dirname $0`/../../asked" + `
case "$*" in
*__version__*) echo 9.1 ;;
*"export "*minilm*) echo "KeyError: 'MINILM'" >&2; exit 1 ;;
*"export "*) mkdir -p "$3"; : >"$3/$4.out.npz" ;;
*"peers.py onnx "*) : >"$3/$5.onnx" ;;
*"peers.py numpy "*) echo '{"peer": "numpy_3.0", "w": "'$5'", "med_s": 0.7}' ;;
*"peers.py torch_eager "*) echo 'not written in torch' >&2; exit 1 ;;
*"peers.py "*) echo 'lost' >&2; exit 1 ;;
*"time "*) echo '{"peer": "jax", "w": "'$5'", "med_s": 0.5}' ;;
esac
SCRIPT
chmod +x "$1/$env/bin/python"
`

func TestWholeProgramsAreExportedOnceAndTimedByTurns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the peers' scripts need a shell")
	}
	dir := t.TempDir()
	bench, asked := filepath.Join(dir, "bench"), filepath.Join(dir, "asked")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte(exporting), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "programs.py"), nil, 0o666))
	require.NoError(t, os.WriteFile(bench, []byte(`#!/bin/sh
echo "bench $7 $9" >>`+asked+`
case $7 in *sort*) echo '{"peer": "ltc", "w": "program_sort_1m", "med_s": 0.2}' ;; esac
`), 0o777))
	log, err := os.Create(filepath.Join(dir, "figures.jsonl"))
	require.NoError(t, err)
	r := &runner{
		ctx: t.Context(), options: &options{peers: dir, programs: dir, models: dir, inputs: dir, rounds: 2, backend: "cpu", run: regexp.MustCompile("program_(minilm_b1(_first)?|sort_1m|topk_rows)$")},
		scratch: dir, bench: bench, missing: map[string]string{}, log: log,
	}
	r.session = &session{Missing: r.missing}
	r.weights = "out/inputs"
	require.Subset(t, r.interpret("jax", 1, "programs.py").Env, []string{
		"MINILM=out/inputs/minilm/model.safetensors",
		"EFFNET=out/inputs/efficientnet/efficientnet-lite0-57934424.pth",
		"SMOLLM2=out/inputs/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
	})
	for range 2 {
		r.export()
	}
	for _, g := range groups() {
		if g, some := g.matching(r.run); some {
			require.NoError(t, r.group(g, 1))
		}
	}
	r.close()
	require.Equal(t, map[string]string{
		"program_minilm_b1":             "KeyError: 'MINILM'",
		"torch_eager program_sort_1m":   "not written in torch",
		"torch_eager program_topk_rows": "not written in torch",
		"ort program_topk_rows":         "lost", "openvino program_topk_rows": "lost",
	}, r.missing)

	said, err := os.ReadFile(asked)
	require.NoError(t, err)
	folder, script, peers := filepath.Join(dir, "programs", "jax_9.1"), filepath.Join(dir, "programs.py"), filepath.Join(dir, "peers.py")
	version, export, time := "-c import jax; print(jax.__version__)", script+" export "+folder, script+" time "+folder+" 1 "
	pip := "-m pip install -q --disable-pip-version-check -c " + filepath.Join(dir, "requirements.txt") + " -r " + filepath.Join(dir, "requirements.txt")
	ask := func(peer, name string) string { return peers + " " + peer + " " + folder + " 1 " + name }
	ours := func(name string) string { return "bench ^(program_" + name + ")$ " + folder }
	want := []string{
		version, export + " minilm_b1", export + " sort_1m", export + " topk_rows", pip, ask("onnx", "topk_rows"),
		version, export + " minilm_b1", pip,
	}
	for _, name := range []string{"sort_1m", "topk_rows"} {
		asks := []string{time + name, ask("numpy", name), ask("torch_eager", name)}
		if name == "topk_rows" {
			asks = append(asks, ask("ort", name), ask("openvino", name))
		}
		want = slices.Concat(want, []string{ours(name)}, asks, asks[:2], []string{ours(name)}) // nothing is asked again that had no answer
	}
	require.Equal(t, want, strings.Split(strings.TrimSpace(string(said)), "\n"))
	best, ok := r.session.best(row{name: "program_sort_1m"}, 1, true)
	require.True(t, ok)
	require.Equal(t, "jax_9.1", best.Peer)
}

// The weights of a model are all of its arguments but its inputs.
func TestWeights(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "model.npz"))
	require.NoError(t, err)
	w := zip.NewWriter(file)
	for i := range 7 {
		_, err := w.Create(fmt.Sprintf("in%d.npy", i))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())

	p := wholeProgram{name: "model", inputs: &inputs{before: 2, behind: 1}}
	require.NoError(t, p.writeWeights(dir))
	said, err := os.ReadFile(filepath.Join(dir, "model.weights"))
	require.NoError(t, err)
	require.Equal(t, "2 6\n", string(said))

	require.NoError(t, wholeProgram{name: "sort"}.writeWeights(dir))
	require.NoFileExists(t, filepath.Join(dir, "sort.weights"))
	require.ErrorIs(t, wholeProgram{name: "lost", inputs: sentences}.writeWeights(dir), fs.ErrNotExist)
}

// The page of whole programs has a column for each peer, of both kinds of ONNX Runtime the
// faster, and what the machine allows.
func TestModelsPage(t *testing.T) {
	golden.Is(t, "testdata/models.md", models().pageModels())
}

// models is figures of some programs.
func models() *session {
	ours := func(w string, median float64) figure {
		return figure{Peer: us, W: programPrefix + w, Threads: 1, Median: median, Load1: 0.5, FirstCall: median * 2, PeakRSS: 64}
	}
	s := sample()
	s.CPU = true
	mlp, sort, wrong := ours("effnet_b1", 0.02), ours("sort_1m", 0.008), ours("fft_2d", 0)
	mlp.Flops, mlp.Bytes, mlp.Written = 800e6, 20e6, 4e3
	mlp.Bound = 0.015
	sort.Bytes, sort.Written = 8388608, 4194304
	wrong.Error = "wrong result: result 0 at [2] is 33, want 34"
	s.figures = append(slices.DeleteFunc(s.figures, func(f figure) bool { return f.Threads == 2 }),
		mlp, sort, wrong, ours("effnet_b1_first", 0.3), ours("effnet_b1_first_cached", 0.1),
		figure{Peer: "jax_0.10.2", W: "program_effnet_b1", Threads: 1, Median: 0.09},
		figure{Peer: "onnxruntime_1.31.1", W: "program_effnet_b1", Threads: 1, Median: 0.012, FirstCall: 0.2, PeakRSS: 120},
		figure{Peer: "onnxruntime_fused_1.31.1", W: "program_effnet_b1", Threads: 1, Median: 0.01, FirstCall: 0.25, PeakRSS: 121},
		figure{Peer: "torch_compile_2.15.0", W: "program_effnet_b1", Threads: 1, Median: 0.03, FirstCall: 25, PeakRSS: 800},
		figure{Peer: "numpy_2.4.6", W: "program_sort_1m", Threads: 1, Median: 0.009},
		ours("lstm_b1_h128", 0.004), figure{Peer: us, W: "lstm_b1_h128", Threads: 1, Median: 0.003},
		figure{Peer: "jax_0.10.2", W: "program_lstm_b1_h128", Threads: 1, Median: 0.006},
	)
	return s
}

func TestWholeProgramsAreMeasuredIfTheyAreNamed(t *testing.T) {
	rows := func(args ...string) (n int) {
		o, err := parse(args)
		require.NoError(t, err)
		for _, g := range o.groups() {
			if g, some := g.matching(o.run); some && strings.HasPrefix(g.rows[0].name, programPrefix) {
				n++
			}
		}
		return n
	}
	require.Zero(t, rows())
	require.Equal(t, 2, rows("-run", "^program_effnet"), "calls, and first calls")
	require.Equal(t, len(wholePrograms)+4, rows("-models"))
	o, err := parse([]string{"-models", "-cpu"})
	require.NoError(t, err)
	require.Equal(t, "docs/performance-models.md", o.out)
	_, err = parse([]string{"-cpu"})
	require.ErrorContains(t, err, "-cpu: the peers' scripts measure time that passes")
}
