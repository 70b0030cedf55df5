package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
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
// NAME.weights may say which arguments are weights.
type wholeProgram struct{ dir, name string }

// exportedPrefix begins the name of a workload that is the program of a folder.
const exportedPrefix = "program_"

// exportedIn returns the workloads of each program of a folder: its calls, program_NAME,
// and the first call of a process, program_NAME_first and program_NAME_first_cached. In that of
// program_NAME_first_tiers any built-in code stands in for what is not compiled.
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
		name := exportedPrefix + x.name
		ws = append(ws,
			workload{name: name, doc: call, run: x.measure},
			workload{name: name + "_first", doc: "s of its first call, nothing compiled before", run: x.first, first: true},
			workload{name: name + "_first_tiers", doc: "s of its first call, nothing compiled before, with tiers", run: x.firstTiers, first: true},
			workload{name: name + "_first_cached", doc: "s of its first call, compiled by another process before", run: x.first, first: true, cached: true})
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
	c, err := x.begin(e)
	if err != nil {
		return result{}, err
	}
	if err := c.finish(); err != nil {
		return result{}, err
	}
	t, err := e.time(programRules, func() error { return c.exe.Execute(context.Background(), &c.call) })
	if err != nil {
		return result{}, err
	}
	r := figures(t)
	r.FirstCall, r.PeakRSSMiB = c.took.Seconds(), peakRSS()
	if p, ok := c.exe.(backends.Profiler); ok && e.profile {
		e.profiled = []lazy.ProgramProfile{profiled(p.Profile())}
	}
	if r.Bound, err = c.bound(e); err != nil {
		return result{}, err
	}
	w, err := c.work(e)
	r.Flops, r.Bytes, r.Written = w.flops, w.read+w.written, w.written
	r.GFlops, r.GBps = w.flops/t.Median/1e9, r.Bytes/t.Median/1e9
	return r, err
}

// first times the first call of the process, compiling included.
func (x wholeProgram) first(e *env) (result, error) {
	c, err := x.begin(e)
	if err != nil {
		return result{}, err
	}
	r := once(c.took)
	return r, c.finish() // what the next process finds on disk
}

// firstTiers is first of a program with [backends.Options.Tiers].
func (x wholeProgram) firstTiers(e *env) (result, error) {
	tiered := *e
	tiered.tiers = true
	return x.first(&tiered)
}

// firstRun is a program that has run once, with the arguments and results of its call.
type firstRun struct {
	wholeProgram
	backend backends.Backend
	text    string
	exe     backends.Executable
	call    backends.Call
	took    time.Duration // to compile and to run once
}

// finish waits until all code is compiled.
func (c *firstRun) finish() error {
	if x, ok := c.exe.(backends.Tiered); ok {
		return x.Finish(context.Background())
	}
	return nil
}

// begin compiles a program, runs it once and checks the results.
func (x wholeProgram) begin(e *env) (*firstRun, error) {
	text, err := os.ReadFile(filepath.Join(x.dir, x.name+".mlir"))
	if err != nil {
		return nil, err
	}
	c := &firstRun{wholeProgram: x, text: string(text)}
	if c.backend, err = backends.Open(e.backend); err != nil {
		return nil, err
	}
	since := e.since()
	if c.exe, err = c.compile(e, e.profile); err != nil {
		return nil, err
	}
	c.took = since()
	args, err := x.values("", "in", len(c.exe.Signature().Args))
	if err != nil {
		return nil, err
	}
	c.call.Args = args
	since = e.since()
	if err := c.exe.Execute(context.Background(), &c.call); err != nil {
		return nil, err
	}
	c.took += since()
	return c, x.check(c.call.Results)
}

func (c *firstRun) compile(e *env, profile bool) (backends.Executable, error) {
	return c.backend.Compile(context.Background(), backends.NewModule(c.text), backends.Options{Name: c.name, Threads: e.threads, Profile: profile, Tiers: e.tiers})
}

// profiled returns what the steps of a program took, with their sum.
func profiled(steps []backends.StepProfile) lazy.ProgramProfile {
	p := lazy.ProgramProfile{Ops: len(steps), Steps: steps}
	for _, s := range steps {
		p.Total += s.Total
	}
	return p
}

// values reads the n arrays of NAME+suffix.npz whose names are a prefix and a number. The
// file is not read at once: only the arrays count as memory.
func (x wholeProgram) values(suffix, prefix string, n int) ([]soa.View, error) {
	file := filepath.Join(x.dir, x.name+suffix+".npz")
	archive, err := zip.OpenReader(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	defer archive.Close()
	views := make([]soa.View, n)
	for i := range views {
		name := fmt.Sprintf("%s%d", prefix, i)
		at := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == name+".npy" })
		if at < 0 {
			return nil, fmt.Errorf("%s: there is no %s", file, name)
		}
		if views[i], err = entry(archive.File[at]); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
	}
	return views, nil
}

// entry reads an array of an archive.
func entry(f *zip.File) (soa.View, error) {
	r, err := f.Open()
	if err != nil {
		return soa.View{}, err
	}
	defer r.Close()
	data := soa.New(int(f.UncompressedSize64)).Bytes()
	if _, err := io.ReadFull(r, data); err != nil {
		return soa.View{}, err
	}
	return npy.Decode(f.Name, data)
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
