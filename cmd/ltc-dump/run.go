package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ltc/backends"
	_ "ltc/backends/cuda"
	_ "ltc/backends/null"
	_ "ltc/backends/reference/llvm" // compiles for the backend cpu
	"ltc/internal/diag"
	"ltc/internal/samples"
	_ "ltc/internal/test/cudasim"
	"ltc/internal/test/interpreter"
	"ltc/mlir"
	"ltc/soa"
	"ltc/soa/npy"
	"ltc/stablehlo"
)

// running is what run's flags ask for.
type running struct {
	given                                   inputs
	sizes                                   sizes
	backend, output, expect, function, seen string
	tolerance                               float64
	n, threads                              int
	timeout                                 time.Duration
	profile, compiled, memory               bool
}

// flags returns run's flags, which set r.
func (r *running) flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.Var(&r.given, "input", "an argument's value, `[NAME=]SOURCE`: a .npy file, "+samples.Kinds+",\n"+
		"or a .npz or .safetensors file with several by name. NAME is the argument's ltc.name, or its name\n"+
		"in the text; values without go to the arguments that have none yet, in order. May be repeated")
	r.sizes = sizes{}
	fs.Var(r.sizes, "size", "a size that the program leaves open, `[NAME=]NUMBER`, for arguments with values made up and for -memory.\n"+
		"NAME is the size's ltc.dim; a number without is for all others. May be repeated")
	fs.StringVar(&r.backend, "backend", "cpu", "`name` of the backend")
	fs.StringVar(&r.output, "output", "", "`file` to write the results to, a .npz, or a .npy if there is one;\nthey are printed if it is empty")
	fs.StringVar(&r.expect, "expect", "", "`file` with recorded results, a .npz, or a .npy if there is one: instead of the\nresults, how far they are from those is printed; exit status 1 beyond -tolerance")
	fs.Float64Var(&r.tolerance, "tolerance", 1e-5, "with -expect: largest |result-recorded| / (1+|recorded|);\nwhat is not floating point must be equal")
	fs.StringVar(&r.function, "func", "main", "`name` of the function to run")
	fs.IntVar(&r.n, "n", 0, numberUsage+"the only one")
	fs.StringVar(&r.seen, "probes", "", "`directory` that gets what interpreter.probe sees, as probe1.npy, … and index.csv;\nwhat interpreter.print sees is printed then, too")
	fs.DurationVar(&r.timeout, "timeout", 0, "longest time that reading, compiling, running and printing may take; 0: any")
	fs.IntVar(&r.threads, "threads", 0, "the most threads that a run uses; 0: as many as the backend likes")
	fs.BoolVar(&r.compiled, "compiled", false, "fail where the evaluator would run the program or an op of it, many times slower;\nwithout it that is a warning")
	fs.BoolVar(&r.profile, "profile", false, "run for half a second and print what each step takes instead of the results;\narguments without -input get random values")
	fs.BoolVar(&r.memory, "memory", false, "run nothing, and print what memory a run takes, at each step and by value")
	return fs
}

// check refuses flags that no run could obey.
func (r *running) check(files int) error {
	switch {
	case files != 1:
		return usagef("%s: want one", diag.Count(files, "file"))
	case r.threads < 0 || r.threads > mostThreads:
		return usagef("-threads %d: want a number from 0 to %d", r.threads, mostThreads)
	case r.timeout < 0:
		return usagef("-timeout %v: want a time", r.timeout)
	case r.output != "" && filepath.Ext(r.output) != ".npz" && filepath.Ext(r.output) != ".npy":
		return usagef("-output %s: want a name that ends in .npz or .npy", r.output)
	case r.expect != "" && filepath.Ext(r.expect) != ".npz" && filepath.Ext(r.expect) != ".npy":
		return usagef("-expect %s: want a name that ends in .npz or .npy", r.expect)
	case !(r.tolerance >= 0) || math.IsInf(r.tolerance, 1):
		return usagef("-tolerance %v: want a finite number that is not negative", r.tolerance)
	}
	return nil
}

func runModule(c *call) error {
	var r running
	args, err := c.parse(r.flags(c.name))
	if err != nil {
		return err
	}
	if err := r.check(len(args)); err != nil {
		return err
	}
	return limited(r.timeout, func(ctx context.Context) error { return r.run(ctx, c, args[0]) })
}

// run reads, compiles and runs a program.
func (r *running) run(ctx context.Context, c *call, file string) error {
	src, err := c.one(file, r.n)
	if err != nil {
		return err
	}
	text, err := src.module(ctx)
	if err != nil {
		return err
	}
	b, err := open(r.backend)
	if err != nil {
		return err
	}
	p, err := entry(ctx, src.name, text, r.function)
	if err != nil {
		return err
	}
	source := func(op int) int { return op }
	if r.memory {
		if source, err = r.sizes.fixed(ctx, p); err != nil {
			return err
		}
	}
	if r.seen != "" {
		ctx = interpreter.WithProbes(ctx, &interpreter.Probes{Sink: &probes{dir: r.seen}, Out: c.stdout})
	}
	exe, err := b.Compile(ctx, backends.NewModule(p.text), backends.Options{
		Name: src.name, Threads: r.threads, Profile: r.profile, Compiled: r.compiled,
		Warn: func(e *backends.FallbackError) { fmt.Fprintf(c.stderr, "ltc-dump %s: warning: %v\n", c.name, e) },
	})
	if err != nil {
		return p.refused(ctx, err)
	}
	if t, ok := exe.(backends.Tiered); ok {
		if err := t.Finish(ctx); err != nil {
			return err
		}
	}
	if r.memory {
		return c.memory(p, exe, source)
	}
	return r.execute(ctx, c, b, p, exe)
}

// execute runs what was compiled and prints, writes or compares its results.
func (r *running) execute(ctx context.Context, c *call, b backends.Backend, p *program, exe backends.Executable) error {
	sig := exe.Signature()
	if n := len(sig.Results); filepath.Ext(r.output) == ".npy" && n != 1 {
		return fmt.Errorf("-output %s holds one array, %s has %s: name a .npz file", r.output, r.function, diag.Count(n, "result"))
	}
	want, err := expected(r.expect, r.tolerance, sig.Results)
	if err != nil {
		return err
	}
	args, err := r.sizes.close(p, sig.Args)
	if err != nil {
		return err
	}
	values, hint, err := r.given.values(p, args, r.profile)
	if err != nil {
		return err
	}
	if hint != "" {
		fmt.Fprintf(c.stderr, "ltc-dump %s: warning: values are random: %s\n", c.name, hint)
	}
	call := &backends.Call{Args: values, Results: make([]soa.View, len(sig.Results))}
	if err := exe.Execute(ctx, call); err != nil {
		return p.located(ctx, err)
	}
	if !r.profile || r.output != "" || want != nil {
		if err := c.results(r.output, want, sig, call.Results); err != nil {
			return err
		}
	}
	if !r.profile {
		return nil
	}
	return c.profile(ctx, b, p, exe, call, cmp.Or(r.threads, runtime.GOMAXPROCS(0)))
}

// results writes the results to a file if that has a name, and prints how far
// they are from what is wanted; without either it prints them.
func (c *call) results(file string, want *recorded, sig *backends.Signature, results []soa.View) error {
	if file != "" {
		if err := write(file, sig, results); err != nil {
			return err
		}
	}
	switch {
	case want != nil:
		return want.compare(c, sig, results)
	case file != "":
		return nil
	}
	for i, v := range results {
		s, err := samples.Format(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "result %d%s: %v\n%s\n", i, label(sig.Results[i].Name), v.Type, s)
	}
	return nil
}

// open opens a backend of this tool.
func open(name string) (backends.Backend, error) {
	b, err := backends.Open(name)
	if errors.Is(err, backends.ErrUnknown) {
		return nil, fmt.Errorf("unknown backend %q: ltc-dump has %s", name, strings.Join(backends.Names(), ", "))
	}
	return b, err
}

// label quotes a name to stand after a number; "" if there is none.
func label(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" %q", name)
}

// write writes results to a .npy or .npz file, there under their ltc.name, or
// by position as out0, out1, ….
func write(file string, sig *backends.Signature, results []soa.View) error {
	if filepath.Ext(file) == ".npy" {
		return npy.WriteFile(file, results[0])
	}
	var entries []npy.Entry
	for i, v := range results {
		name := sig.Results[i].Name
		if name == "" {
			name = fmt.Sprintf("out%d", i)
		}
		entries = append(entries, npy.Entry{Name: name, View: v})
	}
	return npy.WriteArchive(file, entries)
}

// located gives a failure while running the place of the op in the text.
func located(ctx context.Context, err error, file, text string) error {
	var run *backends.RunError
	if !errors.As(err, &run) || run.Op < 0 {
		return err
	}
	m, perr := stablehlo.ParseContext(ctx, file, text)
	if perr != nil {
		return err
	}
	m.Walk(func(op *mlir.Op) bool {
		if op.Ordinal != run.Op {
			return true
		}
		lines := strings.Split(text, "\n")
		at := &mlir.Error{File: file, Pos: op.Pos, Msg: fmt.Sprintf("%s: %v", op.Name(), run.Reason)}
		// What an open function prepares while it runs says its place in the text
		// that the backend got.
		if placed := (*mlir.Error)(nil); errors.As(run.Reason, &placed) {
			at.Msg = placed.Msg
		}
		if n := op.Pos.Line; n >= 1 && n <= len(lines) {
			at.Source = lines[n-1]
		}
		err = at
		return false
	})
	return err
}
