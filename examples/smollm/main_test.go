package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
	"ltc/nn/generate"
)

// SmolLM2 says what is recorded, token for token, in one program for all prompts and places.
func TestSmolLM2(t *testing.T) {
	path := inputs.File(t, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
	var cases []struct {
		Prompt      string
		IDs, Greedy []int32
		Text        string
	}
	inputs.Expected(t, "testdata/smollm2.json", &cases)
	require.NotEmpty(t, cases)
	g, err := open(path, 0, generate.Options{Context: 64, MaxTokens: len(cases[0].Greedy)})
	require.NoError(t, err)
	for _, c := range cases {
		require.Equal(t, c.IDs, g.tokens.IDs(c.Prompt))
		var said strings.Builder
		got, err := g.Write(t.Context(), &said, g.tokens, c.Prompt)
		require.NoError(t, err)
		require.Equal(t, c.Greedy, got)
		require.Equal(t, c.Text, said.String())
		g.Reset()
	}
	r := g.Report()
	require.Len(t, r.Compiles, 1)
	require.Zero(t, r.CopiedBytes) // neither of the weights nor of the caches
	t.Log(g.Stats())
	require.ErrorIs(t, g.say(io.Discard, strings.Repeat("The capital of France is", 20)), generate.ErrContext)

	drawn, err := open(path, 0, generate.Options{Context: 64, MaxTokens: 4, Temperature: 0.01})
	require.NoError(t, err)
	got, err := drawn.Write(t.Context(), io.Discard, drawn.tokens, cases[0].Prompt)
	require.NoError(t, err)
	require.Equal(t, cases[0].Greedy[:4], got) // a small temperature leaves no other

	var out strings.Builder
	require.NoError(t, run(strings.NewReader("What is the capital of France?\n"), &out, path, "", defaultSystemPrompt, 0, generate.Options{Context: 128, MaxTokens: 24}))
	require.Contains(t, out.String(), "The capital of France is Paris.")
	require.Contains(t, out.String(), "1 compiled")
	long := strings.NewReader(strings.Repeat("x", bufio.MaxScanTokenSize))
	require.ErrorIs(t, run(long, &out, path, "", defaultSystemPrompt, 0, generate.Options{Context: 128, MaxTokens: 24}), bufio.ErrTooLong)
}

// A process that answers holds the weights once, and little else: they are not dequantized to memory. A second start
// of the executable has its plans and its code on disk.
func TestMemory(t *testing.T) {
	path := inputs.File(t, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
	if os.Getenv("SMOLLM_ALONE") == "" {
		if runtime.GOOS != "linux" {
			t.Skip("the system does not tell the peak of a process")
		}
		dir := t.TempDir()
		for _, start := range []string{"first", "second"} {
			alone := exec.Command(os.Args[0], "-test.run=^TestMemory$", "-test.v")
			alone.Env = append(os.Environ(), "SMOLLM_ALONE="+start, "LTC_CACHE=", "LTC_CHECK=", "LTC_CACHE_DIR="+dir)
			out, err := alone.CombinedOutput()
			require.NoError(t, err, "%s", out)
			t.Logf("%s", out)
		}
		return
	}
	g, err := open(path, 0, generate.Options{Context: 1024, MaxTokens: 8})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, g.say(&out, "The capital of France is"))
	t.Log(out.String())
	most := 5 * g.size / 2 // of a first start, which plans, and loads libLLVM
	if os.Getenv("SMOLLM_ALONE") == "second" {
		most = 3 * g.size / 2 // 1.25 to 1.44: of an executable that was just written the system maps more
	}
	require.Less(t, g.Stats().PeakMemory, most)
}

// A file that is no such model is refused with what is wrong.
func TestOtherFiles(t *testing.T) {
	_, err := open("../../checkpoint/testdata/blocks.gguf", 0, generate.Options{Context: 8})
	require.ErrorContains(t, err, "only llama is implemented")
}
