// Command judge runs MLIR programs on one of our backends and on XLA, the compiler that
// StableHLO comes from, with the same inputs, and compares the results. F32 and f64 are
// compared to 1e-5 (of the value, and absolute below 1), f16 and bf16 to two units in the
// last place, all others exactly.
//
// Programs are the files *.mlir below the directories given, and the files so
// named, or just mlir, in txtar archives there. Inputs of NAME.mlir are made up, but for those in
// NAME.in.npz beside it, by position as arr_0, arr_1, …. Constants are those of NAME.safetensors, if
// it is there, by name.
// Those of archives of ops run twice: NAME.mlir with made up inputs, NAME.run
// with the archive's.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/diag"
	"ltc/soa"
	"ltc/soa/npy"
	"ltc/stablehlo"
)

//go:embed judge.py
var script []byte

func main() {
	python := flag.String("python", "python3", "Python `command` with jax and numpy")
	xla := flag.String("xla", "../shared/conformance/judge/run_with_xla.py", "the judge's `script`")
	backend := flag.String("backend", "eval", "`name` of our backend")
	match := flag.String("run", "", "only programs whose name matches this `regexp`")
	flag.Parse()
	ok, err := run(os.Stdout, *python, *xla, *backend, *match, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run judges the programs below dirs and reports whether none failed.
func run(w io.Writer, python, xlaScript, backend, match string, dirs []string) (bool, error) {
	wanted, err := regexp.Compile(match)
	if err != nil {
		return false, err
	}
	programs, err := find(dirs, wanted)
	if err != nil {
		return false, err
	}
	if len(programs) == 0 {
		return false, fmt.Errorf("no programs (*.mlir, or in *.txtar) below %q", dirs)
	}
	b, err := backends.Open(backend)
	if err != nil {
		return false, err
	}
	work, err := os.MkdirTemp("", "judge")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	helper := filepath.Join(work, "judge.py")
	if err := os.WriteFile(helper, script, 0o644); err != nil {
		return false, err
	}
	x := &xla{command: func() *exec.Cmd { return exec.Command(python, helper, xlaScript) }}
	defer x.close()

	j := &judge{backend: b, xla: x, work: work}
	count := map[verdict]int{}
	for _, p := range programs {
		v, why := j.program(p)
		count[v]++
		fmt.Fprintf(w, "%-4s %s", v, p.name)
		if why != "" {
			fmt.Fprintf(w, ": %s", why)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", count[pass], count[fail], count[skip])
	return count[fail] == 0, nil
}

// verdict is what became of a program.
type verdict string

const (
	pass verdict = "ok"
	fail verdict = "FAIL"
	skip verdict = "skip"
)

// judge compares our backend with XLA.
type judge struct {
	backend backends.Backend
	xla     *xla
	work    string // a directory for what they exchange
}

// program runs p on both sides. It returns the reason unless p passes.
func (j *judge) program(p program) (verdict, string) {
	if m, err := stablehlo.Parse(p.name, p.text); err == nil && m.Func("main") == nil {
		return skip, "no function main"
	}
	file := filepath.Join(j.work, "program.mlir")
	if err := os.WriteFile(file, []byte(p.text), 0o644); err != nil {
		return fail, err.Error()
	}
	ctx := context.Background()
	exe, err := j.backend.Compile(ctx, backends.NewModule(p.text), backends.Options{Name: p.name})
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return skip, err.Error()
	case err != nil:
		if a := j.xla.run(file, "--verify-only"); a.Status != rejected {
			return fail, "XLA accepts what we reject: " + err.Error()
		}
		return skip, "not valid, as both say"
	}
	sig := exe.Signature()
	args, err := p.inputs(sig.Args)
	if err != nil {
		return fail, err.Error()
	}
	theirs, err := j.theirs(file, args)
	if err != nil {
		return fail, err.Error()
	}
	call := &backends.Call{Args: args, Results: make([]soa.View, len(sig.Results))}
	if err := exe.Execute(ctx, call); err != nil {
		return fail, "our run: " + err.Error()
	}
	if len(theirs) != len(call.Results) {
		return fail, fmt.Sprintf("%s, XLA has %d", diag.Count(len(call.Results), "result"), len(theirs))
	}
	for i, ours := range call.Results {
		if err := compare(ours, theirs[i].View); err != nil {
			return fail, fmt.Sprintf("result %d: %v", i, err)
		}
	}
	return pass, ""
}

// theirs returns XLA's results.
func (j *judge) theirs(file string, args []soa.View) ([]npy.Entry, error) {
	out := filepath.Join(j.work, "out.npz")
	flags := []string{"--npz", out}
	for i, v := range args {
		name := filepath.Join(j.work, fmt.Sprintf("arg%d.npy", i))
		if err := npy.WriteFile(name, v); err != nil {
			return nil, err
		}
		flags = append(flags, "--arg", name)
	}
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	if a := j.xla.run(file, flags...); a.Status != 0 {
		return nil, fmt.Errorf("XLA: %s", a.Output)
	}
	return npy.ReadArchive(out)
}
