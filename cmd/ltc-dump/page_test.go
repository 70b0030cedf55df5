package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/snippets"
	"ltc/internal/trials"
	"ltc/lazy"
)

// cpuPage is what users read of the backend cpu.
const cpuPage = "docs/cpu.md"

// Every command of docs/cpu.md and docs/design/cpu.md for this tool runs, from the directory that its
// readers are in and in the order of the page; the others name what there is.
func TestCPUPage(t *testing.T) {
	trials.Sequential(t)
	t.Chdir("../..")
	page, err := os.ReadFile(cpuPage)
	require.NoError(t, err)
	design, err := os.ReadFile("docs/design/cpu.md")
	require.NoError(t, err)
	page = append(page, design...)
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	putObject(t, "an object", "kernels: k\n", 0) // where there is no libLLVM nothing is compiled

	commands := regexp.MustCompile(`(?m)^    (\S.*)$`).FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, commands)
	ran, key := 0, ""
	for _, c := range commands {
		line := c[1]
		t.Run(line, func(t *testing.T) {
			if rest, some := strings.CutPrefix(line, "LTC_CACHE=off LTC_LIBLLVM=none "); some {
				line = rest // which library there is was settled with the first command
			}
			switch args, ours := strings.CutPrefix(line, "go run ./cmd/ltc-dump "); {
			case ours:
				ran++
				var out, complaint bytes.Buffer
				status := run(strings.Fields(strings.ReplaceAll(args, "KEY", key)), strings.NewReader(""), &out, &complaint)
				require.Zero(t, status, complaint.String())
				if args == "cache ls" {
					key = strings.Fields(strings.Split(out.String(), "\n")[1])[0]
				}
			case strings.HasPrefix(line, "make "):
				target := strings.Fields(line)[1]
				require.Contains(t, string(makefile), "\n"+target+": ## ")
			case strings.HasPrefix(line, "go -C bench run . "):
				_, err := os.Stat("bench/go.mod")
				require.NoError(t, err)
			case strings.HasPrefix(line, "go run ./"):
				_, err := os.Stat(strings.Fields(line)[2])
				require.NoError(t, err)
			default:
				t.Errorf("a command that nothing checks: %s", line)
			}
		})
	}
	require.Greater(t, ran, 8)

	known := map[string]bool{}
	for _, v := range lazy.Environment() {
		known[v.Name] = true
	}
	for _, name := range regexp.MustCompile(`LTC_[A-Z_]+`).FindAllString(string(page), -1) {
		require.True(t, known[name], "%s is no variable", name)
	}
	for folder, page := range map[string][]byte{filepath.Dir(cpuPage): page[:len(page)-len(design)], "docs/design": design} {
		for _, file := range regexp.MustCompile(`\]\(([a-z-]+\.md)\)`).FindAllSubmatch(page, -1) {
			_, err := os.Stat(filepath.Join(folder, string(file[1])))
			require.NoError(t, err)
		}
	}
}

// Those of docs/cuda.md run without a GPU, and print what the page says; its programs
// are examples, which run.
func TestCUDAPage(t *testing.T) {
	trials.Sequential(t)
	t.Chdir("../..")
	snippets.Check(t, "docs/cuda.md", "backends/cuda/example*_test.go")
	page, err := os.ReadFile("docs/cuda.md")
	require.NoError(t, err)
	for args, want := range map[string]string{
		"show -stage ptx testdata/exported/mlp_step.mlir":               "\n.target sm_80\n",
		"run -backend cudasim -profile testdata/exported/mlp_step.mlir": "  matmul f32 5×12×6, add, tanh",
	} {
		require.Contains(t, string(page), "    go run ./cmd/ltc-dump "+args+"\n")
		out, status := output(strings.Fields(args)...)
		require.Zero(t, status, out)
		require.Contains(t, out, want)
		require.NotContains(t, out, "(evaluator)")
		require.NotContains(t, out, "run by the host")
	}

	// A program that was saved as it ran elsewhere.
	const saved = "run -backend cudasim -profile "
	require.Contains(t, string(page), "    LTC_SAVE_TENSORS_FILE=p.txt LTC_SAVE_TENSORS_FMT=backend ./train\n    go run ./cmd/ltc-dump "+saved+"p.txt\n")
	file := filepath.Join(t.TempDir(), "p.txt")
	t.Setenv("LTC_SAVE_TENSORS_FILE", file)
	t.Setenv("LTC_SAVE_TENSORS_FMT", "backend")
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	y := lazy.From(tr, []float32{1, 2, 3}).Tanh()
	require.NoError(t, tr.MarkStep(y))
	_, err = y.Value()
	require.NoError(t, err)
	out, status := output(strings.Fields(saved + file)...)
	require.Zero(t, status, out)
	require.Contains(t, out, "tanh")
}
