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

	"ltc/backends"
	_ "ltc/backends/cuda"
	_ "ltc/backends/null"
	"ltc/backends/reference"
	_ "ltc/backends/reference/llvm" // compiles for the backend cpu
	_ "ltc/internal/cudasim"
	"ltc/internal/samples"
	"ltc/mlir"
	"ltc/soa"
	"ltc/soa/npy"
)

func runModule(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	var given inputs
	fs.Var(&given, "input", "an argument's value, `[NAME=]SOURCE`: a .npy file, "+samples.Kinds+",\n"+
		"or a .npz file with several by name. NAME is the argument's ltc.name, or its name\n"+
		"in the text; values without go to the arguments that have none yet, in order. May be repeated")
	backend := fs.String("backend", "cpu", "`name` of the backend")
	output := fs.String("output", "", "`file` to write the results to, a .npz, or a .npy if there is one;\nthey are printed if it is empty")
	expect := fs.String("expect", "", "`file` with recorded results, a .npz, or a .npy if there is one: instead of the\nresults, how far they are from those is printed; exit status 1 beyond -tolerance")
	tolerance := fs.Float64("tolerance", 1e-5, "with -expect: largest |result-recorded| / (1+|recorded|);\nwhat is not floating point must be equal")
	function := fs.String("func", "main", "`name` of the function to run")
	n := fs.Int("n", 0, numberUsage+"the only one")
	seen := fs.String("probes", "", "`directory` that gets what interpreter.probe sees, as probe1.npy, … and index.csv;\nwhat interpreter.print sees is printed then, too")
	timeout := fs.Duration("timeout", 0, "longest time that the run may take; 0: any")
	threads := fs.Int("threads", 0, "the most threads that a run uses; 0: as many as the backend likes")
	profile := fs.Bool("profile", false, "run for half a second and print what each step takes instead of the results;\narguments without -input get random values")
	args, err := c.parse(fs)
	switch {
	case err != nil:
		return err
	case len(args) != 1:
		return usagef("%d files: want one", len(args))
	case *threads < 0 || *threads > mostThreads:
		return usagef("-threads %d: want a number from 0 to %d", *threads, mostThreads)
	case *timeout < 0:
		return usagef("-timeout %v: want a time", *timeout)
	case *output != "" && filepath.Ext(*output) != ".npz" && filepath.Ext(*output) != ".npy":
		return usagef("-output %s: want a name that ends in .npz or .npy", *output)
	case *expect != "" && filepath.Ext(*expect) != ".npz" && filepath.Ext(*expect) != ".npy":
		return usagef("-expect %s: want a name that ends in .npz or .npy", *expect)
	case !(*tolerance >= 0) || math.IsInf(*tolerance, 1):
		return usagef("-tolerance %v: want a finite number that is not negative", *tolerance)
	}
	src, err := c.one(args[0], *n)
	if err != nil {
		return err
	}
	text, err := src.module()
	if err != nil {
		return err
	}
	name := src.name
	b, err := open(*backend)
	if err != nil {
		return err
	}
	p, err := entry(name, text, *function)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if *seen != "" {
		ctx = reference.WithProbes(ctx, &reference.Probes{Sink: &probes{dir: *seen}, Out: c.stdout})
	}
	if *timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, *timeout, fmt.Errorf("stopped after -timeout %v", *timeout))
		defer cancel()
	}
	exe, err := b.Compile(ctx, backends.NewModule(p.text), backends.Options{Name: name, Threads: *threads, Profile: *profile})
	if err != nil {
		return p.refused(err)
	}
	sig := exe.Signature()
	if n := len(sig.Results); filepath.Ext(*output) == ".npy" && n != 1 {
		return fmt.Errorf("-output %s holds one array, %s has %d results: name a .npz file", *output, *function, n)
	}
	want, err := expected(*expect, *tolerance, sig.Results)
	if err != nil {
		return err
	}
	values, err := given.values(p, sig.Args, *profile)
	if err != nil {
		return err
	}
	call := &backends.Call{Args: values, Results: make([]soa.View, len(sig.Results))}
	if err := exe.Execute(ctx, call); err != nil {
		return p.located(err)
	}
	if !*profile {
		return c.results(*output, want, sig, call.Results)
	}
	if *output != "" || want != nil {
		if err := c.results(*output, want, sig, call.Results); err != nil {
			return err
		}
	}
	return c.profile(ctx, p, exe, call, cmp.Or(*threads, runtime.GOMAXPROCS(0)))
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
func located(err error, file, text string) error {
	var run *backends.RunError
	if !errors.As(err, &run) || run.Op < 0 {
		return err
	}
	m, perr := mlir.Parse(file, text)
	if perr != nil {
		return err
	}
	m.Walk(func(op *mlir.Op) bool {
		if op.Ordinal != run.Op {
			return true
		}
		lines := strings.Split(text, "\n")
		at := &mlir.Error{File: file, Pos: op.Pos, Msg: fmt.Sprintf("%s: %v", op.Name, run.Reason)}
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
