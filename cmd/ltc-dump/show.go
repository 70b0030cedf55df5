package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/cuda"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/reference"
	"ltc/backends/reference/eval"
	"ltc/internal/diag"
	"ltc/internal/test/conformance"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// read returns the content of file, without a byte order mark, and the name
// that errors give it.
func (c *call) read(file string) (name, text string, err error) {
	var data []byte
	if name = file; file == "-" {
		name = "<stdin>"
		data, err = conformance.ReadPipe(name, c.stdin)
	} else {
		data, err = conformance.ReadFile(file)
	}
	return name, strings.TrimPrefix(string(data), "\ufeff"), err
}

// program reads a file that must not be empty.
func (c *call) program(file string) (name, text string, err error) {
	name, text, err = c.read(file)
	if err == nil && strings.TrimSpace(text) == "" {
		err = &mlir.Error{File: name, Pos: mlir.Pos{Line: 1, Col: 1}, Msg: "the file is empty: there is no program in it"}
	}
	return name, text, err
}

func show(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	asIR := fs.Bool("ir", false, "read FILE as the text form of our own IR, and print that")
	asDot := fs.Bool("dot", false, "read FILE as the text form of our own IR, and print a drawing of it for Graphviz")
	n := fs.Int("n", 0, numberUsage+"all")
	var of stageView
	fs.BoolVar(&of.loc, "loc", false, "print the ops' locations; of the stage fused, the lines that steps come from")
	generic := fs.Bool("generic", false, "print no pretty forms")
	fs.IntVar(&of.step, "step", -1, "of the stage fused, print step `NUMBER` alone, with what it uses")
	fs.StringVar(&of.line, "line", "", "of the stage fused, print the steps alone that come from a line, `FILE:LINE`")
	stage := fs.String("stage", "", "print what the compiler makes of it at `STAGE`: "+strings.Join(stages(), ", ")+";\nthe last two are for GPUs of sm_80 and later, and of sm_90a; the others are the CPU's")
	timeout := fs.Duration("timeout", 0, "longest time that it may take; 0: any")
	args, err := c.parse(fs)
	switch {
	case err != nil:
		return err
	case *timeout < 0:
		return usagef("-timeout %v: want a time", *timeout)
	case len(args) != 1:
		return usagef("%s: want one", diag.Count(len(args), "file"))
	case *stage != "" && !slices.Contains(stages(), *stage):
		return usagef("no stage %q: there are %s", *stage, strings.Join(stages(), ", "))
	case of.filters() && *stage != "fused":
		return usagef("-step and -line need -stage fused")
	case of.loc && *stage != "" && *stage != "simplified" && *stage != "fused":
		return usagef("-loc: the stage %s has no locations", *stage)
	}
	of.name = *stage
	return limited(*timeout, func(ctx context.Context) error {
		all, err := c.sources(args[0], *n)
		if err != nil {
			return err
		}
		if hint := weightsHint(args[0], nil); hint != "" {
			fmt.Fprintf(c.stderr, "ltc-dump show: %s\n", hint)
		}
		for i := range all {
			src := &all[i]
			if len(all) > 1 {
				fmt.Fprintf(c.stdout, "// %s\n", src.head(i, len(all)))
			}
			if *stage != "" {
				err = src.showStage(ctx, c, &of)
			} else if *asIR || *asDot {
				err = src.showGraph(c.stdout, *asDot)
			} else {
				err = src.show(ctx, c.stdout, mlir.PrintOptions{Locations: of.loc, Generic: *generic})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// showGraph prints a program in the text form of our own IR, or draws it.
func (s *source) showGraph(w io.Writer, draw bool) error {
	if draw && s.drawn() {
		_, err := io.WriteString(w, strings.TrimLeft(s.text, "\n"))
		return err
	}
	g, err := s.graph()
	if err != nil {
		return err
	}
	text := g.String()
	if draw {
		text = g.Dot()
	}
	_, err = io.WriteString(w, text)
	return err
}

// stages are those of the kit, and the texts for GPUs.
func stages() []string { return append(kit.Stages(), "ptx", "ptx-sm_90a") }

// showStage prints what a program is at a stage of its compilation to kernels.
func (s *source) showStage(ctx context.Context, c *call, stage *stageView) error {
	text, err := s.module(ctx)
	if err != nil {
		return err
	}
	list := map[string]func(context.Context, backends.Module, backends.Options) (string, error){"ptx": cuda.Listing, "ptx-sm_90a": cuda.HopperListing}[stage.name]
	if list != nil {
		var listing string
		listing, err = list(ctx, backends.NewModule(text), backends.Options{Name: s.name})
		fmt.Fprint(c.stdout, listing)
	} else {
		err = s.showKernels(ctx, c.stdout, text, stage)
	}
	if errors.Is(err, kit.ErrNotCompiled) {
		return fmt.Errorf("%s: nothing of it is compiled, the evaluator runs all of it: %s", s.name, kit.Why(err))
	}
	return cmp.Or(err, stage.failed)
}

// showKernels prints what the backend cpu makes of a text at a stage. Of one that
// leaves a size open that is the program for some size, which those for others are
// but for numbers.
func (s *source) showKernels(ctx context.Context, w io.Writer, text string, stage *stageView) error {
	stage.at = places(s.name, text)
	o := backends.Options{Name: s.name}
	m := backends.NewModule(text)
	p, err := backends.LoadOpen(ctx, m, o)
	if err != nil {
		return err
	}
	if p.Signature.Open() {
		_, err := kit.OpenFamily(ctx, eval.New(), m, o, 0, reference.Claim, func(p *backends.Program) (*plan.Program, error) {
			return s.kernels(ctx, w, p, stage)
		})
		return err
	}
	if p, err = backends.Load(ctx, m, o); err == nil {
		_, err = s.kernels(ctx, w, p, stage)
	}
	return err
}

// kernels compiles a program to kernels as the backend cpu does, and prints what it is at
// a stage.
func (s *source) kernels(ctx context.Context, w io.Writer, p *backends.Program, stage *stageView) (*plan.Program, error) {
	o := reference.KitOptions(ctx)
	o.Dump = func(name string, program fmt.Stringer) {
		if name == stage.name {
			stage.print(w, program)
		}
	}
	return kit.Compile(ctx, p, o)
}

// show prints the module that a program is or lowers to.
func (s *source) show(ctx context.Context, w io.Writer, o mlir.PrintOptions) error {
	m, err := s.parse(ctx)
	if err != nil {
		return err
	}
	return m.Print(w, o)
}

// parse reads the module that a program is or lowers to.
func (s *source) parse(ctx context.Context) (*mlir.Module, error) {
	text, err := s.module(ctx)
	if err != nil {
		return nil, err
	}
	return stablehlo.ParseContext(ctx, s.name, text)
}

func verifyFiles(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	expect := fs.Bool("expect-errors", false, "check chunks between lines // ----- against their comments expected-error@+N {{…}};\ndirectories stand for the *.mlir files below them")
	args, err := c.parse(fs)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return usagef("no files")
	case *expect:
		return c.expectErrors(args)
	}
	if len(args) == 1 {
		return c.verifyFile(args[0])
	}
	bad := 0
	for _, file := range args {
		err := c.verifyFile(file)
		switch {
		case err == nil:
			continue
		case positional(err):
			fmt.Fprintln(c.stderr, err)
		default:
			fmt.Fprintf(c.stderr, "ltc-dump verify: %v\n", err)
		}
		bad++
	}
	if bad > 0 {
		return fmt.Errorf("%d of %s are not valid", bad, diag.Count(len(args), "file"))
	}
	return nil
}

// verifyFile checks a file and prints that it is valid, and why run would not
// take it all the same.
func (c *call) verifyFile(file string) error {
	all, err := c.sources(file, 0)
	if err != nil {
		return err
	}
	for i := range all {
		m, err := all[i].parse(context.Background())
		if err != nil {
			return err
		}
		if err := verify.Module(m); err != nil {
			return err
		}
		what := file
		if len(all) > 1 {
			what += ": " + all[i].head(i, len(all))
		}
		c.valid(what, m)
	}
	return nil
}

// valid says that a module is.
func (c *call) valid(what string, m *mlir.Module) {
	hint := ""
	if m.Func("main") == nil {
		hint = ", but without @main: run needs -func; " + functions(m)
	}
	fmt.Fprintf(c.stdout, "%s: ok%s\n", what, hint)
}
