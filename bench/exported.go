package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/npy"
)

// wholeProgram is a program in a folder: the text NAME.mlir, its arguments in0,
// in1, … in NAME.npz, and in NAME.out.npz the results out0, out1, … of another compiler.
type wholeProgram struct{ dir, name string }

// exportedPrefix begins the name of a workload that is the program of a folder.
const exportedPrefix = "program_"

// exportedIn returns a workload for each program of a folder, program_NAME.
func exportedIn(dir string) ([]workload, error) {
	texts, err := filepath.Glob(filepath.Join(dir, "*.mlir"))
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("-programs %s: there is no file whose name ends in .mlir", dir)
	}
	slices.Sort(texts)
	var ws []workload
	for _, text := range texts {
		x := wholeProgram{dir, strings.TrimSuffix(filepath.Base(text), ".mlir")}
		ws = append(ws, workload{name: exportedPrefix + x.name, doc: call, run: x.measure})
	}
	return ws, nil
}

// mostApart is how far a result may be from another compiler's, as
// [samples.Difference.Size] counts.
const mostApart = 5e-4

// measure checks the results of the first call and times others, whose results are
// written where the call before has written its own: a donated argument is thus the
// result of the call before.
func (x wholeProgram) measure(e *env) (result, error) {
	text, err := os.ReadFile(filepath.Join(x.dir, x.name+".mlir"))
	if err != nil {
		return result{}, err
	}
	b, err := backends.Open(e.backend)
	if err != nil {
		return result{}, err
	}
	start := time.Now()
	exe, err := b.Compile(context.Background(), backends.NewModule(string(text)), backends.Options{Name: x.name, Threads: e.threads, Profile: e.profile})
	if err != nil {
		return result{}, err
	}
	compiling := time.Since(start)
	args, err := x.values("", "in", len(exe.Signature().Args))
	if err != nil {
		return result{}, err
	}
	call := backends.Call{Args: args}
	start = time.Now()
	if err := exe.Execute(context.Background(), &call); err != nil {
		return result{}, err
	}
	first := compiling + time.Since(start)
	if err := x.check(call.Results); err != nil {
		return result{}, err
	}
	t, err := e.time(programRules, func() error { return exe.Execute(context.Background(), &call) })
	if err != nil {
		return result{}, err
	}
	r := figures(t)
	r.FirstCall, r.PeakRSSMiB = first.Seconds(), peakRSS()
	if p, ok := exe.(backends.Profiler); ok && e.profile {
		e.profiled = []lazy.ProgramProfile{profiled(p.Profile())}
	}
	return r, nil
}

// profiled returns what the steps of a program took, with their sum.
func profiled(steps []backends.StepProfile) lazy.ProgramProfile {
	p := lazy.ProgramProfile{Ops: len(steps), Steps: steps}
	for _, s := range steps {
		p.Total += s.Total
	}
	return p
}

// values reads the n arrays of NAME+suffix.npz whose names are a prefix and a number.
func (x wholeProgram) values(suffix, prefix string, n int) ([]soa.View, error) {
	file := filepath.Join(x.dir, x.name+suffix+".npz")
	entries, err := npy.ReadArchive(file)
	if err != nil {
		return nil, err
	}
	views := make([]soa.View, n)
	for i := range views {
		name := fmt.Sprintf("%s%d", prefix, i)
		at := slices.IndexFunc(entries, func(e npy.Entry) bool { return e.Name == name })
		if at < 0 {
			return nil, fmt.Errorf("%s: there is no %s", file, name)
		}
		views[i] = entries[at].View
	}
	return views, nil
}

// check compares the results of the first call with those of another compiler.
func (x wholeProgram) check(got []soa.View) error {
	want, err := x.values(".out", "out", len(got))
	if err != nil {
		return err
	}
	for i := range got {
		d, err := samples.Differ(got[i], want[i])
		if err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
		if !(d.Size <= mostApart) {
			return fmt.Errorf("wrong result: result %d at %v is %s, want %s", i, d.At, d.Got, d.Want)
		}
	}
	return nil
}
