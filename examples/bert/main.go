// Command bert finds the lines of a text that are closest in meaning to a query, by the embeddings of a model such
// as all-MiniLM-L6-v2. With -train it fine-tunes the model to classify texts. The folder of the model has model.safetensors
// and tokenizer.json as the library transformers writes them.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/checkpoint"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/module"
	"ltc/tokenizer"
)

func main() {
	dir := flag.String("model", "out/inputs/minilm", "folder with model.safetensors and tokenizer.json")
	heads := flag.Int("heads", 12, "heads of attention, which the file does not tell")
	query := flag.String("query", "", "what to look for")
	most := flag.Int("most", 3, "how many lines to print")
	backend := flag.String("backend", "cpu", "what runs the program: cpu or eval")
	to := flag.String("export", "", "write the program for one text to this file, NAME.mlir, and the weights to NAME.safetensors")
	tokens := flag.Int("tokens", 128, "how many tokens the text of -export has")
	var tuning trainOptions
	flag.StringVar(&tuning.path, "train", "", "fine-tune a classifier on this file, whose lines have a label, a tab and a text; it classifies the query")
	flag.StringVar(&tuning.checkpoint, "checkpoint", "", "file of -train to save to after each epoch, and to go on from")
	flag.BoolVar(&tuning.freeze, "freeze", false, "train the linear layer of -train alone, not the model")
	flag.IntVar(&tuning.epochs, "epochs", 5, "how often -train takes each text")
	flag.Float64Var(&tuning.lr, "lr", 0, "largest learning rate of -train; 0 for 5e-5, or 1e-2 with -freeze")
	flag.Parse()
	if err := usage(tuning, *to, *query, flag.NArg()); err != nil {
		fmt.Fprintln(os.Stderr, "bert:", err)
		flag.Usage()
		os.Exit(2)
	}
	if tuning.path != "" {
		if err := fineTune(context.Background(), os.Stdout, *backend, *dir, *heads, *query, tuning); err != nil {
			fmt.Fprintln(os.Stderr, "bert:", err)
			os.Exit(1)
		}
		return
	}
	if *to != "" {
		if err := export(*backend, *dir, *heads, *to, *tokens); err != nil {
			fmt.Fprintln(os.Stderr, "bert:", err)
			os.Exit(1)
		}
		fmt.Printf("wrote %s, and its weights beside it\n", *to)
		return
	}
	if err := run(os.Stdout, *backend, *dir, *heads, *query, *most, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "bert:", err)
		os.Exit(1)
	}
}

// usage returns an error if the flags and the number of arguments do not go together.
func usage(tuning trainOptions, export, query string, files int) error {
	switch {
	case tuning.path != "" && (export != "" || files > 0):
		return errors.New("-train goes with neither -export nor a file to search")
	case tuning.path == "" && tuning.checkpoint != "":
		return errors.New("-checkpoint is a file of -train: give -train, too")
	case export != "" && (query != "" || files > 0):
		return errors.New("-export goes with neither -query nor a file to search")
	case tuning.path == "" && export == "" && query == "" || files > 1:
		return errors.New("give -train, -export or -query, and perhaps a file with the lines to search, which are read from standard input otherwise")
	}
	return nil
}

// run prints the lines of the file at path that are closest to the query, with their cosines.
func run(out io.Writer, backend, dir string, heads int, query string, most int, path string) error {
	lines, err := read(path)
	if err != nil {
		return err
	}
	e, err := open(backend, dir, heads)
	if err != nil {
		return err
	}
	found, err := e.embed(append([]string{query}, lines...))
	if err != nil {
		return err
	}
	order, cosines := make([]int, len(lines)), make([]float32, len(lines))
	for i := range lines {
		order[i] = i
		for k, x := range found[0] {
			cosines[i] += x * found[i+1][k]
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(cosines[k], cosines[i]) })
	for _, i := range order[:min(most, len(order))] {
		fmt.Fprintf(out, "%.4f  %s\n", cosines[i], lines[i])
	}
	fmt.Fprintln(out, e.function.Report())
	return nil
}

// read returns the lines that are not empty.
func read(path string) ([]string, error) {
	f := os.Stdin
	if path != "" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	var lines []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		if line := strings.TrimSpace(s.Text()); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, s.Err()
}

// model is a BERT with its tokenizer and device.
type model struct {
	dev    *lazy.Device
	tokens *tokenizer.Tokenizer
	net    *Bert
	config Config
}

// load loads the model of a folder.
func load(backend, dir string, heads int) (*model, error) {
	tokens, err := tokenizer.Load(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		return nil, fmt.Errorf("%w: give the folder of a model as -model, or fetch one with make inputs INPUTS=minilm", err)
	}
	file, err := checkpoint.Open(filepath.Join(dir, "model.safetensors"))
	if err != nil {
		return nil, err
	}
	config, err := configOf(file, heads)
	if err != nil {
		return nil, err
	}
	dev, err := lazy.Open(backend, lazy.Seed(1))
	if err != nil {
		return nil, err
	}
	net := NewBert(config)
	if err := module.Build(net, dev, module.Empty()); err != nil {
		return nil, err
	}
	// The file has the layer that pools for other tasks, too. Its weights are used where they lie.
	if err := checkpoint.LoadInto(module.State(net), &file.State, checkpoint.Options{AllowExtra: true, Share: true}); err != nil {
		return nil, err
	}
	return &model{dev, tokens, net, config}, nil
}

// encode returns the tokens of texts, padded to the longest.
func (m *model) encode(texts []string) *tokenizer.Batch {
	return m.tokens.EncodeBatch(texts, tokenizer.MaxLength(m.config.Positions), tokenizer.Pad(tokenizer.Padding{}))
}

// tensors are the inputs of programs for a batch.
func (m *model) tensors(b *tokenizer.Batch) []*lazy.Tensor {
	tensor := func(xs []int32) *lazy.Tensor { return lazy.From(m.dev, xs, b.Rows, b.Length) }
	return []*lazy.Tensor{tensor(b.IDs), tensor(b.TypeIDs), tensor(b.AttentionMask)}
}

// embedder computes embeddings of texts.
type embedder struct {
	*model
	function *lazy.Function
}

// open returns the embedder of the model of a folder.
func open(backend, dir string, heads int) (*embedder, error) {
	m, err := load(backend, dir, heads)
	if err != nil {
		return nil, err
	}
	if err := module.Eval(m.net); err != nil {
		return nil, err
	}
	f := lazy.Func(m.dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{m.net.Embed(x[0], x[1], x[2])}
	})
	if err := f.Inputs(programInputs(lazy.Dim("batch", 1, 1024), lazy.Dim("n", 1, m.config.Positions))...); err != nil {
		return nil, err
	}
	return &embedder{m, f}, nil
}

// programInputs are those of the program, for so many texts of n tokens.
func programInputs(batch, n int) []lazy.Input {
	input := func(name string) lazy.Input { return lazy.Input{Name: name, Type: types.Of(lazy.I32, batch, n)} }
	return []lazy.Input{input("ids"), input("types"), input("mask")}
}

// export writes the program for one text of so many tokens, with its weights beside it, for [checkpoint.OpenProgram] and other
// programs.
func export(backend, dir string, heads int, path string, tokens int) error {
	e, err := open(backend, dir, heads)
	if err != nil {
		return err
	}
	x, err := e.function.Export(programInputs(1, tokens), "embedding")
	if err != nil {
		return err
	}
	return checkpoint.SaveProgram(path, x)
}

// configOf returns the sizes that the tensors of a file have.
func configOf(file *checkpoint.File, heads int) (c Config, err error) {
	c = Config{Heads: heads, Epsilon: 1e-12}
	for _, of := range []struct {
		name  string
		sizes []*int
	}{
		{"embeddings.word_embeddings.weight", []*int{&c.Vocabulary, &c.Hidden}},
		{"embeddings.position_embeddings.weight", []*int{&c.Positions, &c.Hidden}},
		{"embeddings.token_type_embeddings.weight", []*int{&c.Types, &c.Hidden}},
		{"encoder.layer.0.intermediate.dense.bias", []*int{&c.Between}},
	} {
		t, err := file.Tensor(of.name)
		if err != nil {
			return c, err
		}
		if len(t.Type.Shape) != len(of.sizes) {
			return c, fmt.Errorf("%s is %v: the file is not that of a BERT", of.name, t.Type)
		}
		for i, s := range of.sizes {
			*s = t.Type.Shape[i]
		}
	}
	for {
		if _, err := file.Tensor(fmt.Sprintf("encoder.layer.%d.output.dense.bias", c.Layers)); err != nil {
			break
		}
		c.Layers++
	}
	if heads < 1 || c.Hidden%heads != 0 {
		return c, fmt.Errorf("-heads is %d: it must divide the number of features, %d", heads, c.Hidden)
	}
	return c, nil
}

// batchSize is how many texts are embedded at once.
const batchSize = 32

// embed returns the embedding of each text.
func (e *embedder) embed(texts []string) ([][]float32, error) {
	var all [][]float32
	for part := range slices.Chunk(texts, batchSize) {
		y, err := e.function.Call(context.Background(), e.tensors(e.encode(part))...)
		if err != nil {
			return nil, err
		}
		rows, err := lazy.ToSlice[float32](y)
		if err != nil {
			return nil, err
		}
		for row := range slices.Chunk(rows, y.Dim(1)) {
			all = append(all, row)
		}
	}
	return all, nil
}
