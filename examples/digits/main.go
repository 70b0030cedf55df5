// Command digits trains a multilayer perceptron on images of handwritten
// digits and prints how many of those held back it reads right. The run
// follows from the seed alone: the same seed prints the same accuracy.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/internal/diag"
	"ltc/train"
)

func main() {
	seed := flag.Uint64("seed", 1, "of the first weights and of the order of the images")
	epochs := flag.Int("epochs", defaultEpochs, "how often each image is trained on")
	backend := flag.String("backend", "cpu", "what runs the programs: cpu or eval")
	out := flag.String("out", filepath.Join("out", "digits"), "directory for step.mlir, the program of a step")
	flag.Parse()
	if flag.NArg() > 0 || *epochs < 1 {
		fmt.Fprintln(os.Stderr, "digits: no arguments but flags, and at least one epoch")
		flag.Usage()
		os.Exit(2)
	}
	if err := learn(*backend, *seed, *epochs, *out); err != nil {
		fmt.Fprintln(os.Stderr, "digits:", err)
		os.Exit(1)
	}
}

func learn(backend string, seed uint64, epochs int, out string) error {
	train, test := trainAndTest()
	start := time.Now()
	r, err := run(backend, seed, epochs, train, test, shown(os.Stdout, os.Stderr, epochs))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	path := filepath.Join(out, "step.mlir")
	if err := os.WriteFile(path, []byte(r.text), 0o644); err != nil {
		return err
	}
	fmt.Printf("trained on %s in %.1f s, tested on %d others\n", diag.Count(r.trained, "image"), time.Since(start).Seconds(), r.tests)
	fmt.Println("training:  ", r.training)
	fmt.Println("prediction:", r.prediction)
	fmt.Println("the step is in", path)
	fmt.Printf("test accuracy %.3f\n", r.accuracy)
	return nil
}

// shown is a progress on stdout, with a bar on stderr if both are terminals:
// elsewhere a bar is noise between the lines.
func shown(stdout, stderr *os.File, epochs int) progress {
	l := lines{w: stdout, epochs: epochs}
	if train.Terminal(stdout) && train.Terminal(stderr) {
		return &bar{lines: l, stderr: stderr}
	}
	return l
}

// lines leaves a line of each epoch.
type lines struct {
	w      io.Writer
	epochs int
}

func (l lines) begin(int, int) {}
func (l lines) step()          {}

func (l lines) end(epoch int, loss, accuracy float64) {
	fmt.Fprintf(l.w, "epoch %2d/%d  loss %.4f  accuracy %.3f\n", epoch+1, l.epochs, loss, accuracy)
}

// bar shows a progress bar while an epoch lasts, and leaves its line.
type bar struct {
	lines
	stderr io.Writer
	drawn  *progressbar.ProgressBar
}

func (b *bar) begin(epoch, steps int) {
	b.drawn = progressbar.NewOptions(steps,
		progressbar.OptionSetWriter(b.stderr),
		progressbar.OptionSetDescription(fmt.Sprintf("epoch %2d/%d", epoch+1, b.epochs)),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(65*time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish())
}

func (b *bar) step() { _ = b.drawn.Add(1) } // a bar that cannot be drawn does no harm

func (b *bar) end(epoch int, loss, accuracy float64) {
	_ = b.drawn.Finish()
	b.lines.end(epoch, loss, accuracy)
}
