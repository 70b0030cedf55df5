// Command jets tells jets of gluons from those of quarks, on columns as a .npz
// file has them: flat ones of the jets, and jagged ones of the particles that
// each jet is made of. One graph reads the columns where they lie, computes two
// shapes of the jets from their particles and the score of a network, and its
// results go to columns of their own. Without a file it makes one, of jets drawn
// from a simple model.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	_ "ltc/backends/reference/llvm" // registers "cpu" and "eval", with its compiler
	"ltc/internal/diag"
)

func main() {
	o := options{out: os.Stdout}
	flag.StringVar(&o.backend, "backend", "cpu", "what runs the programs: cpu or eval")
	flag.StringVar(&o.file, "data", filepath.Join("out", "jets", "jets.npz"), "the jets; made if there is no such file")
	flag.StringVar(&o.tags, "tags", filepath.Join("out", "jets", "tags.npz"), "where scores and shapes are written")
	flag.IntVar(&o.jets, "jets", 3000, "how many jets to make")
	flag.IntVar(&o.steps, "steps", 60, "of training")
	flag.Uint64Var(&o.seed, "seed", 1, "of the jets that are made and of the first weights")
	flag.Parse()
	if flag.NArg() > 0 || o.jets < 8 || o.steps < 0 {
		fmt.Fprintln(os.Stderr, "jets: no arguments but flags, and at least 8 jets")
		flag.Usage()
		os.Exit(2)
	}
	if _, err := o.run(); err != nil {
		fmt.Fprintln(os.Stderr, "jets:", err)
		os.Exit(1)
	}
}

// options say what a run does.
type options struct {
	backend, file, tags string
	jets, steps         int
	seed                uint64
	out                 io.Writer
}

// found is what a run found.
type found struct {
	jets, particles int
	area            float64 // under the ROC curve, of the jets held back
	off             float64 // the most that a shape differs from the file's
}

func (o options) run() (*found, error) {
	if _, err := os.Stat(o.file); errors.Is(err, fs.ErrNotExist) {
		if err := o.generate(); err != nil {
			return nil, err
		}
	}
	jets, err := load(o.file)
	if err != nil {
		return nil, err
	}
	f := &found{jets: jets.Len(), particles: jets.Count("Particles")}
	fmt.Fprintf(o.out, "%s of %s in %s\n", diag.Count(f.jets, "jet"), diag.Count(f.particles, "particle"), o.file)
	t, err := newTagger(o.backend, o.seed, jets)
	if err != nil {
		return nil, err
	}
	defer t.dev.Close()
	if err := t.fit(o.steps, o.out); err != nil {
		return nil, err
	}
	tags, err := t.tag()
	if err != nil {
		return nil, err
	}
	if f.off, err = difference(jets, tags.Columns); err != nil {
		return nil, err
	}
	fmt.Fprintf(o.out, "width and dispersion from the particles: at most %.1e from the file's\n", f.off)
	if f.area, err = t.area(tags.Columns); err != nil {
		return nil, err
	}
	fmt.Fprintf(o.out, "area under the ROC curve of %s held back: %.3f\n", diag.Count(len(t.test), "jet"), f.area)
	fmt.Fprintf(o.out, "scores and shapes are in %s\n", o.tags)
	return f, save(o.tags, tags.Columns)
}
