// Command smollm talks in a terminal by a language model such as SmolLM2-135M-Instruct, a GGUF file of the architecture
// "llama". The weights stay in the file as they are, in blocks of a few bits.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
)

// defaultSystemPrompt is what SmolLM2 was trained to be.
const defaultSystemPrompt = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

func main() {
	path := flag.String("model", "out/inputs/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", "file of the model")
	prompt := flag.String("prompt", "", "a text to go on with; without it, each line of standard input is a message to answer")
	system := flag.String("system", defaultSystemPrompt, "what the model is told at first")
	o := options{}
	flag.IntVar(&o.places, "context", 1024, "the most tokens of a conversation")
	flag.IntVar(&o.most, "tokens", 256, "the most tokens of an answer")
	flag.Float64Var(&o.temperature, "temperature", 0, "0: greedy; above 0: sample from softmax(logits/temperature)")
	flag.Uint64Var(&o.seed, "seed", 1, "of the draws")
	flag.IntVar(&o.threads, "threads", 0, "the most threads; 0: as many as there are processors")
	flag.StringVar(&o.backend, "backend", "cpu", "what runs the program: cpu or eval")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "smollm: there are flags alone; a text to go on with is -prompt")
		flag.Usage()
		os.Exit(2)
	}
	if err := run(os.Stdin, os.Stdout, *path, *prompt, *system, o); err != nil {
		fmt.Fprintln(os.Stderr, "smollm:", err)
		os.Exit(1)
	}
}

// run goes on with a prompt, or answers lines until there are no more.
func run(in io.Reader, out io.Writer, path, prompt, system string, o options) error {
	g, err := open(path, o)
	if err != nil {
		return err
	}
	defer g.close()
	say := func(text string) error {
		_, err := g.say(text, func(piece string) { io.WriteString(out, piece) })
		fmt.Fprintln(out)
		return err
	}
	if prompt != "" {
		err = say(prompt)
		fmt.Fprintln(out, g.figures())
		return err
	}
	text := "<|im_start|>system\n" + system + "<|im_end|>\n"
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			if err := say(text + "<|im_start|>user\n" + line + "<|im_end|>\n<|im_start|>assistant\n"); err != nil {
				return err
			}
			text = "<|im_end|>\n"
			fmt.Fprintln(out, g.figures())
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	return nil
}
