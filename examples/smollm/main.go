// Command smollm talks in a terminal by a language model such as SmolLM2-135M-Instruct, a GGUF file of the architecture
// "llama". The weights stay in blocks of a few bits.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"

	_ "ltc/backends/reference/llvm" // registers "cpu", with its compiler
	"ltc/checkpoint"
	"ltc/lazy"
	"ltc/nn/generate"
	"ltc/nn/quantized"
	"ltc/tokenizer"
)

// defaultSystemPrompt is what SmolLM2 was trained to be.
const defaultSystemPrompt = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"

func main() {
	path := flag.String("model", "out/inputs/smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", "file of the model")
	prompt := flag.String("prompt", "", "a text to go on with; without it, each line of standard input is a message to answer")
	system := flag.String("system", defaultSystemPrompt, "what the model is told at first")
	threads := flag.Int("threads", 0, "the most threads; 0: as many as there are processors")
	o := generate.Options{}
	flag.IntVar(&o.Context, "context", 1024, "the most tokens of a conversation")
	flag.IntVar(&o.MaxTokens, "tokens", 256, "the most tokens of an answer")
	flag.Float64Var(&o.Temperature, "temperature", 0, "0: greedy; above 0: sample from softmax(logits/temperature)")
	flag.Uint64Var(&o.Seed, "seed", 1, "of the draws")
	flag.Parse()
	log.SetFlags(0)
	if flag.NArg() > 0 {
		log.Fatal("smollm: there are flags alone; a text to go on with is -prompt")
	}
	if err := run(os.Stdin, os.Stdout, *path, *prompt, *system, *threads, o); err != nil {
		log.Fatal("smollm: ", err)
	}
}

// run goes on with a prompt, or answers lines until there are no more.
func run(in io.Reader, out io.Writer, path, prompt, system string, threads int, o generate.Options) error {
	c, err := open(path, threads, o)
	if err != nil {
		return err
	}
	if prompt != "" {
		return c.say(out, prompt)
	}
	text := "<|im_start|>system\n" + system + "<|im_end|>\n"
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			if err := c.say(out, text+"<|im_start|>user\n"+line+"<|im_end|>\n<|im_start|>assistant\n"); err != nil {
				return err
			}
			text = "<|im_end|>\n"
		}
	}
	return lines.Err()
}

// chat is a model with the text so far.
type chat struct {
	*generate.Generator
	file   *checkpoint.File
	size   int64 // of the file
	tokens *tokenizer.Tokenizer
}

// open loads the model of a file.
func open(path string, threads int, o generate.Options) (*chat, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: give the file of a model as -model, or fetch one with make inputs INPUTS=smollm2", err)
	}
	file, err := checkpoint.Open(path)
	if err != nil {
		return nil, err
	}
	if of := file.Metadata["general.architecture"]; of != "llama" {
		return nil, fmt.Errorf("%s: it is a model of the architecture %v: only llama is implemented", path, of)
	}
	c := Config{RopeFreqBase: 10_000, RMSEpsilon: 1e-5, EndToken: -1}
	if err := file.Metadata.Struct(&c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tokens, err := tokenizer.FromGGUF(file.Metadata)
	if err != nil {
		return nil, err
	}
	clear(file.Metadata)   // the vocabulary is large, and tokens has it
	debug.SetGCPercent(20) // what there is besides the weights is small and stays
	dev, err := lazy.Open("cpu", lazy.Threads(threads))
	if err != nil {
		return nil, err
	}
	net := NewLlama(c, o.Context)
	// The caches are no part of the file.
	if err := quantized.Build(net, dev, &file.State, checkpoint.Options{AllowMissing: true, Share: true}); err != nil {
		return nil, err
	}
	o.Stop = []int32{c.EndToken}
	g, err := generate.New(dev, net.Forward, o)
	return &chat{g, file, info.Size(), tokens}, err
}

// say goes on with the text so far and the given one. It tells how fast tokens are by the median of their times.
func (c *chat) say(out io.Writer, text string) error {
	_, err := c.Write(context.Background(), out, c.tokens, text)
	s := c.Stats()
	fmt.Fprintf(out, "\n[%v: %.2f of the file; weights read at %.1f GB/s]\n", s, float64(s.PeakMemory)/float64(c.size), s.PerSecond()*float64(c.file.Bytes())/1e9)
	return err
}
