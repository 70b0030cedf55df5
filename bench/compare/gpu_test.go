package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// acting has this test program stand for others: it is what it does.
const acting = "LTC_COMPARE_TEST"

func TestMain(m *testing.M) {
	switch os.Getenv(acting) {
	case "":
		os.Exit(m.Run())
	case "none": // our program, on a machine without a GPU
		fmt.Fprintln(os.Stderr, "bench: open backend \"cuda\": no driver\nno file")
		os.Exit(1)
	case "sides", "failing":
		if len(os.Args) > 2 && (os.Args[2] == "torch" || os.Args[2] == "jax") {
			actPeer(os.Args[2])
		} else {
			actBench(os.Args)
		}
	}
}

// actPeer is a peer's script: jax is missing, and torch does not come back from a row.
func actPeer(name string) {
	if name == "jax" {
		fmt.Fprintln(os.Stderr, "ModuleNotFoundError: No module named 'jax'")
		os.Exit(1)
	}
	fmt.Println("a library says something")
	fmt.Println(`{"ready": "torch_2.0"}`)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		w := lines.Text()
		fmt.Printf(`{"peer": "torch_eager_2.0", "w": "%s", "med_s": 0.004, "queued_s": 0.003}`+"\n", w)
		switch {
		case strings.HasPrefix(w, "attention"):
			time.Sleep(time.Hour)
		case strings.HasPrefix(w, "softmax"):
			fmt.Printf(`{"peer": "torch_compile_2.0", "w": "%s", "error": "no compiler"}`+"\n", w)
		default:
			fmt.Printf(`{"peer": "torch_compile_2.0", "w": "%s", "med_s": 0.002, "queued_s": 0.001}`+"\n", w)
		}
		fmt.Printf(`{"done": "%s"}`+"\n", w)
	}
}

// actBench is our program.
func actBench(args []string) {
	if slices.Contains(args, "-device") {
		fmt.Println("name=a GPU")
		return
	}
	w := regexp.MustCompile(`\^(\w+)\$`).FindStringSubmatch(strings.Join(args, " "))[1]
	if os.Getenv(acting) == "failing" {
		fmt.Printf(`{"peer": "ltc", "w": "%s", "error": "it is lost | really\nfor ever"}`+"\n", w)
		os.Exit(1)
	}
	switch w {
	case "peak_device_copy":
		fmt.Println(`{"peer": "ltc", "w": "peak_device_copy", "backend": "cuda", "runs": "name=a GPU", "med_s": 0.001, "gbps": 4000}`)
	case "train_mlp":
		fmt.Println(`{"peer": "ltc", "w": "train_mlp", "error": "wrong result: the loss"}`)
		os.Exit(1)
	case "encoder_b1_s128":
		os.Exit(2)
	case "graph_costs":
		fmt.Println(`{"peer": "ltc", "w": "graph_costs", "med_s": 0.001, "costs": [{"What": "A graph is cheaper", "Value": "while at most 60 % have moved"}]}`)
	default:
		fmt.Printf(`{"peer": "ltc", "w": "%s", "med_s": 0.003, "queued_s": 0.00098, "gbps": 3800}`+"\n", w)
	}
}

// All rows are measured, whatever becomes of a side, and what is missing is said.
func TestGPU(t *testing.T) {
	t.Setenv(acting, "sides")
	o, err := parse([]string{"-gpu", "-scratch", t.TempDir(), "-bench", os.Args[0], "-python", os.Args[0], "-script", "peers.py", "-limit", "2s", "-rounds", "2",
		"-run", "peak|graph|256M|softmax_16|attention|bf16matmul_8192|train_mlp|encoder_b1"})
	require.NoError(t, err)
	require.Equal(t, "cuda", o.backend)
	s, err := o.measureGPU(t.Context())
	require.NoError(t, err)
	page := s.pageGPU()
	for _, want := range []string{
		"| `ew_affine_relu_256M` | 980 µs | 3800.0 GB/s | 95 % | 3 ms | 1 ms | 2 ms | torch compile | 0.98 | 93 % of a copy, met |",
		"| `softmax_16384x4096_bf16` | 980 µs | 3800.0 GB/s | 95 % | 3 ms |  |  |  |  | 1.00, no peer; 90 % of a copy, met |",
		"| `bf16matmul_8192` | 980 µs | 3800.0 GB/s | 95 % | 3 ms | 1 ms | 2 ms | torch compile | 0.98 | 1.02, met |",
		"| `bf16matmul_8192_own` | 980 µs | 3800.0 GB/s | 95 % | 3 ms | 1 ms | 2 ms | torch compile | 0.98 | 1.25, met |",
		"| `attention_16x8192x128_causal` | 980 µs | 3800.0 GB/s | 95 % | 3 ms | 3 ms | 4 ms | torch eager | 0.33 | 1.67, met |",
		"| `train_mlp` | failed: wrong result: the loss |",
		"| `encoder_b1_s128` | failed: exit status 2 |",
		"- A graph is cheaper: while at most 60 % have moved",
		"- jax: ModuleNotFoundError: No module named 'jax'",
		"- torch attention_16x8192x128_causal: it took longer than 2s",
		"- torch compile softmax_16384x4096_bf16: no compiler",
		"(name=a GPU)", "Peers: torch 2.0.", "4000 GB/s",
	} {
		require.Contains(t, page, want)
	}
	require.NotContains(t, page, "encoder_b8", "was not asked for")

	from, err := readSession(o.scratch + "/figures.jsonl")
	require.NoError(t, err)
	require.Equal(t, page, from.pageGPU(), "the page of figures that were kept is the same")

	o.total = 0
	s, err = o.measureGPU(t.Context())
	require.NoError(t, err)
	require.Contains(t, s.pageGPU(), "- bf16matmul_8192: the time was over")
}

// Where no GPU can be used nothing is measured and no page is written; the same if
// nothing of ours could be measured on one.
func TestGPUNone(t *testing.T) {
	for _, c := range []struct{ as, want string }{{"none", ""}, {"failing", "nothing of ours was measured"}} {
		t.Run(c.as, func(t *testing.T) {
			t.Setenv(acting, c.as)
			dir := t.TempDir()
			page := filepath.Join(dir, "page.md")
			o, err := parse([]string{"-gpu", "-scratch", dir, "-bench", os.Args[0], "-python", os.Args[0], "-only", "jax", "-o", page, "-run", "peak|graph|softmax_16"})
			require.NoError(t, err)
			if err = o.compare(t.Context()); c.want == "" {
				require.NoError(t, err, "it is skipped")
			} else {
				require.ErrorContains(t, err, c.want)
			}
			require.NoFileExists(t, page)
			s, err := o.measureGPU(t.Context())
			if c.want == "" {
				require.ErrorIs(t, err, errNoGPU)
				require.ErrorContains(t, err, `: open backend "cuda": no driver; no file`)
				return
			}
			require.NoError(t, err)
			text := s.pageGPU()
			require.Contains(t, text, "| `softmax_16384x4096_bf16` | failed: it is lost \\| really; for ever |")
			require.Contains(t, text, "Of ours `graph_costs` failed: it is lost | really; for ever\n")
		})
	}
}

// Rows have the names that ./bench has, and all that reach something are there.
func TestGPURows(t *testing.T) {
	source := ""
	for _, file := range []string{"workload.go", "device.go"} {
		b, err := os.ReadFile("../" + file)
		require.NoError(t, err)
		source += string(b)
	}
	seen := map[string]bool{}
	for _, g := range gpuRows {
		require.False(t, seen[g.name], g.name)
		seen[g.name] = true
		require.Contains(t, source, `{name: "`+g.workload()+`"`)
	}
	for _, p := range programs {
		require.True(t, seen[p.name], "%s is not measured on GPUs", p.name)
	}
}
