package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/bench/measure"
	"ltc/internal/test/golden"
)

func TestParse(t *testing.T) {
	o, err := parse([]string{"-threads", "1,2", "-run", "matmul", "-rounds", "2"})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, o.threads)
	require.Empty(t, o.out, "some rows are no page")
	o, err = parse(nil)
	require.NoError(t, err)
	require.Equal(t, "docs/performance.md", o.out)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-threads", "3"}, `-threads "3": the peers' scripts know 1 and 2`},
		{[]string{"-threads", ""}, `-threads ""`},
		{[]string{"-rounds", "0"}, "-rounds 0: at least one is needed"},
		{[]string{"-run", "("}, "-run: error parsing regexp"},
		{[]string{"x"}, `unexpected argument "x"`},
	} {
		_, err := parse(c.args)
		require.ErrorContains(t, err, c.want)
	}
}

// Rows are named once, and the names are those of ./bench.
func TestGroups(t *testing.T) {
	source, err := os.ReadFile("../workload.go")
	require.NoError(t, err)
	peaks, err := os.ReadFile("../peak.go")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, g := range groups() {
		for _, r := range g.rows {
			require.False(t, seen[r.name], r.name)
			seen[r.name] = true
			if !strings.HasPrefix(r.name, programPrefix) { // those are in a folder
				require.Contains(t, string(source)+string(peaks), `{name: "`+r.name+`"`)
			}
			require.Regexp(t, g.ours(), r.name)
		}
		for _, a := range g.asks {
			for _, name := range a.rows {
				require.Equal(t, a.warm, a.warm && large.MatchString(name), "%v", a)
			}
		}
	}
	for _, p := range programs {
		require.True(t, seen[p.name], "%s is in no family", p.name)
	}
	g, some := groups()[1].matching(regexp.MustCompile("record_mix"))
	require.True(t, some)
	require.Len(t, g.rows, 9, "a script that traces measures all of it")
	_, some = groups()[1].matching(regexp.MustCompile("matmul"))
	require.False(t, some)
	for _, g := range groups() {
		if g, some := g.matching(regexp.MustCompile("softmax|sum1")); some {
			require.Equal(t, "^(softmax_4096x1024|sum1_4096)$", g.ours())
			require.Equal(t, "torch_compile ops sum1_4096", g.asks[len(g.asks)-1].String())
			require.Equal(t, "torch_eager ops softmax_4096x1024, no page faults", g.asks[len(g.asks)-2].String())
		}
	}
}

// Every elementwise, row, matrix product, linear and convolution workload of the definitions
// that all libraries share is measured, under its name.
func TestRowsAreComplete(t *testing.T) {
	var want []string
	for _, n := range []string{"16M", "64K"} {
		for _, op := range []string{"affine_relu", "tanh", "gelu", "expgelu", "fma3", "chain20"} {
			want = append(want, "ew_"+op+"_"+n)
		}
	}
	want = append(want, "softmax_4096x1024", "layernorm_4096x1024", "sum0_4096", "sum1_4096", "sumall_4096", "transpose_4096",
		"matmul_128", "matmul_256", "matmul_512", "matmul_1024", "matmul_2048", "bf16matmul_512", "bf16matmul_1024", "bf16matmul_2048",
		"matvec_4096", "bmm_96x128x32x128", "bmm_96x128x128x32", "linear_gelu_512x384x1536",
		"conv3_1x64x56", "conv3_32x64x56", "conv7s2_1x3x224")
	var got []string
	for _, r := range programs {
		got = append(got, r.name)
	}
	require.ElementsMatch(t, want, got)
}

// Peers that are far behind the fastest of a row are not asked again about it.
func TestNear(t *testing.T) {
	r := &runner{session: sample()}
	g := group{
		rows: []row{{name: "matmul_128"}, {name: "softmax_4096x1024"}, {name: "train_mlp_first", against: []string{"jax"}}},
		asks: []ask{
			{peer: "jax", what: "ops", rows: []string{"matmul_128", "softmax_4096x1024"}},
			{peer: "ort", what: "ops", rows: []string{"matmul_128", "softmax_4096x1024"}},
			{peer: "torch_eager", what: "ops", rows: []string{"softmax_4096x1024"}},
			{peer: "torch_eager", what: "ops", rows: []string{"softmax_4096x1024"}, warm: true},
			{peer: "jax", what: "train", filter: "mlp"}, {peer: "numpy", what: "train", filter: "mlp"},
		},
	}
	said := func(asks []ask) (all []string) {
		for _, a := range asks {
			all = append(all, a.String())
		}
		return all
	}
	require.Equal(t, []string{"ort ops matmul_128,softmax_4096x1024", "jax train mlp"}, said(r.near(g, 1, again).asks))
	require.Equal(t, []string{"jax ops matmul_128", "ort ops matmul_128,softmax_4096x1024", "torch_eager ops softmax_4096x1024, no page faults", "jax train mlp"},
		said(r.near(g, 1, worth).asks))
}

// A row within 5 % of what is wanted is told from those that are met.
func TestMet(t *testing.T) {
	require.Equal(t, []string{"met", "met within 5 %", "not met"}, []string{met(1), met(1.05), met(1.051)})
}

// sample is figures of some rows: ours, and peers' of two rounds.
func sample() *session {
	return &session{
		Machine: measure.Machine{Processor: "Example 1", Cores: 2, Features: []string{"fma", "avx2"}, MemoryGiB: 16, System: "linux/amd64", Go: "go1.26", Date: "2026-01-02"},
		Missing: map[string]string{"tinygrad": "no clang"},
		figures: []figure{
			{Peer: us, W: "peak_fma_f32", Threads: 1, Median: 1, GFlops: 117.3, Backend: "cpu", Runs: "arch=amd64, compiler=LLVM 19.1.7 for avx512"},
			{Peer: us, W: "peak_fma_f32", Threads: 2, Median: 1, GFlops: 212.3},
			{Peer: us, W: "peak_fma_f32", Threads: 1, Median: 2e-3, Min: 2e-3, Turn: 1},
			{Peer: us, W: "peak_fma_f32", Threads: 2, Median: 2.1e-3, Min: 2e-3, Turn: 1},
			{Peer: us, W: "peak_copy", Threads: 1, Median: 1, GBps: 39.2},
			{Peer: us, W: "peak_read", Threads: 1, Median: 1, GBps: 28.1},
			{Peer: us, W: "matmul_128", Threads: 1, Median: 40e-6, Min: 38e-6, GFlops: 104.9, Load1: 0.5},
			{Peer: us, W: "matmul_128", Threads: 2, Median: 25e-6, Min: 20e-6, GFlops: 167.8, Load1: 0.5},
			{Peer: us, W: "matmul_256", Threads: 1, Median: 300e-6, Min: 290e-6, GFlops: 112},
			{Peer: us, W: "matmul_256", Threads: 2, Median: 200e-6, Min: 150e-6, GFlops: 168},
			{Peer: us, W: "matmul_256", Threads: 1, Median: 300e-6, Min: 290e-6, Turn: 1},
			{Peer: us, W: "matmul_256", Threads: 2, Median: 150e-6, Min: 145e-6, Turn: 1},
			{Peer: us, W: "matmul_256", Threads: 2, Median: 300e-6, Min: 147e-6, Turn: 2},
			{Peer: us, W: "matmul_256", Threads: 1, Median: 290e-6, Min: 280e-6, Turn: 2},
			{Peer: us, W: "matmul_256", Threads: 1, Median: 475e-6, Min: 280e-6, Turn: 3},
			{Peer: us, W: "matmul_256", Threads: 2, Median: 250e-6, Min: 148e-6, Turn: 3},
			{Peer: us, W: "matmul_256", Threads: 1, Median: 100e-6, Min: 100e-6, Turn: 4},
			{Peer: us, W: "matmul_512", Threads: 1, Median: 40e-6, Min: 38e-6, GFlops: 104.9},
			{Peer: us, W: "matmul_512", Threads: 2, Median: 25e-6, Min: 20e-6, GFlops: 167.8},
			{Peer: "jax_0.10.2", W: "matmul_128", Threads: 1, Median: 55e-6, Load1: 1.5},
			{Peer: "onnxruntime_1.31.1", W: "matmul_128", Threads: 1, Median: 45e-6},
			{Peer: "onnxruntime_1.31.1", W: "matmul_128", Threads: 1, Median: 41e-6, Round: 2},
			{Peer: us, W: "softmax_4096x1024", Threads: 1, Median: 2e-3, Fresh: 3e-3, GBps: 16.8},
			{Peer: "onnxruntime_1.31.1", W: "softmax_4096x1024", Threads: 1, Median: 1.4e-3},
			{Peer: "torch_eager_2.15.0", W: "softmax_4096x1024", Threads: 1, Median: 9e-3},
			{Peer: "torch_eager_2.15.0+nommap", W: "softmax_4096x1024", Threads: 1, Median: 2.5e-3},
			{Peer: us, W: "transpose_4096", Threads: 1, Error: "wrong result: element 3 of f32[4096,4096] is 1, want 2 within 0"},
			{Peer: us, W: "train_mlp_first", Threads: 1, Median: 0.2},
			{Peer: "jax_0.10.2", W: "train_mlp_first", Threads: 1, Median: 0.5},
			{Peer: "numpy_2.4.6", W: "train_mlp_first", Threads: 1, Median: 0.01},
			{Peer: us, W: "matvec_4096", Threads: 1, Median: 3e-3, GFlops: 11},
			{Peer: us, W: "sum0_4096", Threads: 1, Median: 4e-3, GBps: 16.8},
			{Peer: "numpy_2.4.6", W: "sum0_4096", Threads: 1, Median: 3.9e-3},
		},
	}
}

func TestPage(t *testing.T) {
	golden.Is(t, "testdata/page.md", sample().page())
}

func TestRatio(t *testing.T) {
	s := sample()
	x, ok := s.ratio(row{name: "matmul_128"}, 1)
	require.True(t, ok)
	require.InDelta(t, 40.0/41, x, 1e-9, "the lower of two rounds")
	x, _ = s.ratio(row{name: "softmax_4096x1024"}, 1)
	require.InDelta(t, 2/1.4, x, 1e-9, "the faster of both kinds")
	x, _ = s.ratio(row{name: "train_mlp_first", against: []string{"jax"}}, 1)
	require.InDelta(t, 0.4, x, 1e-9, "numpy does not compile")
	_, ok = s.ratio(row{name: "matvec_4096"}, 1)
	require.False(t, ok)
}

// Two threads are held against one by turns, where there are any: a turn that has one
// figure alone does not count.
func TestSpeedup(t *testing.T) {
	s := sample()
	x, least, ok := s.speedup(row{name: "matmul_256"})
	require.True(t, ok)
	require.InDelta(t, 475.0/250, x, 1e-9, "the median of 2, 0.97 and 1.9")
	require.InDelta(t, 280.0/145, least, 1e-9)
	x, least, ok = s.speedup(row{name: "matmul_128"})
	require.True(t, ok)
	require.InDelta(t, 1.6, x, 1e-9, "in no turn")
	require.InDelta(t, 1.9, least, 1e-9)
	_, _, ok = s.speedup(row{name: "matvec_4096"})
	require.False(t, ok)
	best, _ := s.ours("matmul_256", 1)
	require.InDelta(t, 300e-6, best.Median, 1e-12, "what was measured in turns is no row's figure")
}

// One thread and two are measured by turns, a row at a time, where arithmetic is what
// takes time.
func TestTurns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("our stand-in needs a shell")
	}
	dir := t.TempDir()
	bench := filepath.Join(dir, "bench")
	require.NoError(t, os.WriteFile(bench, []byte(`#!/bin/sh
echo "$5 $7" >>`+dir+`/asked
for w in matmul_128 matmul_256; do case $w in *_256) ;; *) case $7 in *_128*) ;; *) continue ;; esac ;; esac
echo '{"peer": "ltc", "w": "'$w'", "med_s": 0.'$5', "min_s": 0.'$5'}'; done
`), 0o777))
	log, err := os.Create(filepath.Join(dir, "figures.jsonl"))
	require.NoError(t, err)
	r := &runner{ctx: t.Context(), options: &options{rounds: 1, backend: "cpu"}, scratch: dir, bench: bench, missing: map[string]string{"peers": "none"}, log: log}
	r.session = &session{Missing: r.missing}
	for threads := range 2 {
		for _, g := range groups() {
			if g, some := g.matching(regexp.MustCompile("^matmul_(128|256)$")); some {
				require.NoError(t, r.group(g, 1+threads))
			}
		}
	}
	r.close()

	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	both, one, two := "^(matmul_128|matmul_256)$\n", "1 ^(matmul_256)$\n", "2 ^(matmul_256)$\n"
	require.Equal(t, "1 "+both+"2 "+both+strings.Repeat(one+two+two+one, turns/2)+one+two, string(asked))
	x, _, ok := r.session.speedup(row{name: "matmul_256"})
	require.True(t, ok)
	require.InDelta(t, 0.5, x, 1e-9)
	require.Len(t, r.session.turns("matmul_256", 2), turns)
}

// A script of a peer that can do something, one that fails and one that is not
// there: what there is is measured by turns.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the peers' scripts need a shell")
	}
	dir := t.TempDir()
	script := `#!/bin/sh
echo "$3 $4 $5 $NOMMAP" >>"$1/asked"
case $3 in
jax) echo '{"peer": "jax_1.0'${NOMMAP:++nommap}'", "w": "'$5'", "med_s": 0.5, "load1": 1}' ;;
ort) echo '{"peer": "onnxruntime_1.0'${NOMMAP:++nommap}'", "w": "'$5'", "med_s": 0.4, "load1": 1}' ;;
iree) echo 'FAIL iree_1.0 softmax too hard' >&2 ;;
numpy) echo '{"peer": "numpy_1.0", "w": "'$5'", "med_s": 0.6}' ;;
*) echo 'pip: no wheel' >&2; exit 1 ;;
esac
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte(script), 0o777))
	bench := filepath.Join(dir, "bench")
	require.NoError(t, os.WriteFile(bench, []byte(`#!/bin/sh
echo '{"peer": "ltc", "w": "softmax_4096x1024", "med_s": 0.2, "load1": null}'
echo ltc >>`+dir+`/asked
`), 0o777))
	log, err := os.Create(filepath.Join(dir, "figures.jsonl"))
	require.NoError(t, err)
	r := &runner{
		ctx: t.Context(), options: &options{peers: dir, rounds: 2, backend: "cpu"}, scratch: dir, bench: bench, missing: map[string]string{}, log: log,
	}
	r.session = &session{Missing: r.missing}
	for _, g := range groups() {
		if g, some := g.matching(regexp.MustCompile("softmax")); some {
			require.NoError(t, r.group(g, 1))
		}
	}
	r.close()

	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	const s = " ops softmax_4096x1024 "
	require.Equal(t, "ltc\nnumpy"+s+"\njax"+s+"\nort"+s+"\niree"+s+"\ntorch_eager"+s+"\n"+
		"ort"+s+"\nltc\n", string(asked))
	require.Equal(t, map[string]string{
		"torch_eager":      "pip: no wheel",
		"iree ops softmax": "FAIL iree_1.0 softmax too hard",
	}, r.missing)

	again, err := readSession(filepath.Join(dir, "figures.jsonl"))
	require.NoError(t, err)
	require.Equal(t, r.session, again)
	x, ok := again.ratio(row{name: "softmax_4096x1024"}, 1)
	require.True(t, ok)
	require.InDelta(t, 0.5, x, 1e-9)
}

func TestSettled(t *testing.T) {
	require.Equal(t, "torch_ltc_2.15.0", settled(figure{Peer: "ltc_2.15.0"}).Peer)
	require.Equal(t, us, settled(figure{Peer: us}).Peer)
	fs := firstCalls(figure{Peer: "jax_1", W: "train_mlp", Median: 1, FirstCall: 3})
	require.Len(t, fs, 3)
	require.Equal(t, figure{Peer: "jax_1", W: "train_mlp_first_cached", Median: 3, Min: 3, Reps: 1, FirstCall: 3}, fs[2])
}
