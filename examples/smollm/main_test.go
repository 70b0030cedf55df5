package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/inputs"
	"ltc/lazy"
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
	g, err := open(path, options{places: 64, most: len(cases[0].Greedy), backend: "cpu"})
	require.NoError(t, err)
	defer g.close()
	for _, c := range cases {
		require.Equal(t, c.IDs, g.tokens.IDs(c.Prompt))
		var said strings.Builder
		got, err := g.say(c.Prompt, func(piece string) { said.WriteString(piece) })
		require.NoError(t, err)
		require.Equal(t, c.Greedy, got)
		require.Equal(t, c.Text, said.String())
		g.past = nil
	}
	r := g.next.Report()
	require.Len(t, r.Compiles, 1)
	require.Zero(t, r.CopiedBytes) // neither of the weights nor of the caches
	t.Log(g.figures())

	g.places, g.past = 8, nil
	_, err = g.say("The capital of France is", func(string) {})
	require.ErrorContains(t, err, "more tokens than -context, 8")

	drawn, err := open(path, options{places: 64, most: 4, backend: "cpu", temperature: 0.01})
	require.NoError(t, err)
	defer drawn.close()
	got, err := drawn.say(cases[0].Prompt, func(string) {})
	require.NoError(t, err)
	require.Equal(t, cases[0].Greedy[:4], got) // a small temperature leaves no other

	var out strings.Builder
	require.NoError(t, run(strings.NewReader("What is the capital of France?\n"), &out, path, "", defaultSystemPrompt, options{places: 128, most: 24, backend: "cpu"}))
	require.Contains(t, out.String(), "The capital of France is Paris.")
	require.Contains(t, out.String(), "1 compiled")
	long := strings.NewReader(strings.Repeat("x", bufio.MaxScanTokenSize))
	require.ErrorIs(t, run(long, &out, path, "", defaultSystemPrompt, options{places: 128, most: 24, backend: "cpu"}), bufio.ErrTooLong)
}

// A process that answers holds the file, and little else: weights are neither copied nor dequantized to memory.
func TestMemory(t *testing.T) {
	path := inputs.File(t, "smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf")
	if os.Getenv("SMOLLM_ALONE") == "" {
		if peak() == 0 {
			t.Skip("the system does not tell the peak of a process")
		}
		alone := exec.Command(os.Args[0], "-test.run=^TestMemory$", "-test.v")
		alone.Env = append(os.Environ(), "SMOLLM_ALONE=1")
		out, err := alone.CombinedOutput()
		require.NoError(t, err, "%s", out)
		t.Logf("%s", out)
		return
	}
	g, err := open(path, options{places: 1024, most: 8, backend: "cpu"})
	require.NoError(t, err)
	defer g.close()
	_, err = g.say("The capital of France is", func(string) {})
	require.NoError(t, err)
	live, size := peak(), g.size
	t.Log(g.figures())
	require.Less(t, live, 5*size/2) // 1.8 without libLLVM, which a first start loads
}

// Draws follow the logits: a large temperature reaches other tokens, a small one only the likeliest.
func TestDraw(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	random := lazy.NewRandom(dev, 1)
	count := func(temperature float64) map[int32]int {
		logits := lazy.From(lazy.NewTrace(dev), []float32{1, 3, 2, -30}, 1, 4).BroadcastTo(1000, 4)
		drawn, err := lazy.ToSlice[int32](sample(logits, temperature, random))
		require.NoError(t, err)
		n := map[int32]int{}
		for _, token := range drawn {
			n[token]++
		}
		return n
	}
	require.Equal(t, map[int32]int{1: 1000}, count(0.01))
	n := count(1)
	require.InDelta(t, 665, n[1], 60) // e³/(e+e²+e³) = 0.665
	require.InDelta(t, 245, n[2], 60)
	require.Zero(t, n[3])
}

// A file that is no such model is refused with what is wrong.
func TestOtherFiles(t *testing.T) {
	_, err := open("../../checkpoint/testdata/blocks.gguf", options{places: 8, backend: "cpu"})
	require.ErrorContains(t, err, "only llama is implemented")
}
