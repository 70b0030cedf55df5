// Command bench measures workloads whose definitions other tensor libraries
// share, so that figures can be put side by side: data come from the same
// generator (gen.go) and are timed by the same rules (timing.go).
//
//	go -C bench run .                    # all workloads, as a table
//	go -C bench run . -run record -json  # some, one JSON object a line
//	go -C bench run . -programs DIR      # and the programs that JAX has exported to DIR
//
// Every workload runs in a process of its own, with an empty cache of compiled
// objects: first calls are cold, and the peak of memory is its own. The result
// of each is checked before it is timed; a wrong one is an error. Figures are
// held against what the machine can do at most, which is measured first. Where
// the figure is of a call whose result goes to a variable, new in the table is one
// whose result is a new tensor that is released afterwards. first is the first call
// with all compiling.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	_ "ltc/backends/cuda"
	_ "ltc/backends/null"
	_ "ltc/backends/reference/llvm"
	"ltc/bench/measure"
	"ltc/internal/diag"
	_ "ltc/internal/test/cudasim"
	"ltc/lazy"
)

// env is what a workload runs in.
type env struct {
	backend  string
	threads  int
	quick    bool   // as few repetitions as there may be, for tests
	small    bool   // programs of a size for devices that are not there, for tests
	profile  bool   // measure kernels
	cpu      bool   // processor time counts
	tiers    bool   // stand-ins run while code is compiled
	folder   string // with programs that another compiler has exported; "": none
	last     *lazy.Device
	profiled []lazy.ProgramProfile // of a program that no lazy.Device has compiled
}

// open opens the device that a workload runs on.
func (e *env) open() (*lazy.Device, error) {
	options := []lazy.Option{lazy.Threads(e.threads)}
	if e.profile {
		options = append(options, lazy.Profiled())
	}
	dev, err := lazy.Open(e.backend, options...)
	e.last = dev
	return dev, err
}

// since returns a function that returns how long ago this one was called.
func (e *env) since() func() time.Duration {
	if e.cpu {
		begin := measure.Used()
		return func() time.Duration { return measure.Used() - begin }
	}
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}

// time measures fn by the rules, or a little in tests.
func (e *env) time(r measure.Rules, fn func() error) (measure.Timing, error) {
	if e.quick {
		r = r.Quick()
	}
	if e.cpu && r.Clock == nil {
		r.Clock = measure.Used
	}
	return r.Time(fn)
}

func main() {
	run := flag.String("run", "", "measure the workloads whose name this `regexp` matches")
	threads := flag.Int("threads", 1, "threads of a program and of the Go runtime, so that the collector has no core of its own")
	backend := flag.String("backend", "cpu", "what runs the programs")
	folder := flag.String("programs", "", "measure the programs in this `directory`, too, as program_NAME: NAME.mlir, its arguments\nin0, in1, … in NAME.npz, and another compiler's results out0, … in NAME.out.npz")
	cpu := flag.Bool("cpu", false, "measure calls, and first calls of -programs, in processor time, for a machine that others use too")
	small := flag.Bool("small", false, "few repetitions of small programs, to try what is measured without a device for it")
	asJSON := flag.Bool("json", false, "print JSON objects, one a line")
	kernels := flag.Bool("profile", false, "print what each kernel takes, too")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this `file`; only with one workload")
	device := flag.Bool("device", false, "print what the backend runs on and measure nothing; status 1 if it cannot be opened")
	one := flag.String("one", "", "measure the workload of this name in this process and print JSON")
	flag.Parse()
	all, err := withPrograms(*folder)
	if err == nil {
		err = checkFlags(all, *run, *backend, *threads, *profile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		flag.Usage()
		os.Exit(2)
	}
	e := &env{backend: *backend, threads: *threads, profile: *kernels, quick: *small, small: *small, cpu: *cpu, folder: *folder}
	if *device {
		runs, err := e.runs()
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		fmt.Println(runs)
		return
	}
	if *one != "" {
		if err := e.one(all, *one, *profile); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", *one, err)
			os.Exit(1)
		}
		return
	}
	ws := matching(all, *run, *backend)
	if !*asJSON {
		ws = withPeaks(ws, *backend, *kernels)
	}
	os.Exit(e.all(ws, *profile, *asJSON))
}

// all measures workloads one after the other and prints their results. It
// returns the exit status.
func (e *env) all(ws []workload, profile string, asJSON bool) (status int) {
	var m machine
	for _, w := range ws {
		r := e.inProcesses(w, profile)
		if r.Error != "" {
			status = 1
		}
		m.learn(r)
		m.rate(&r)
		if asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return 1
			}
			continue
		}
		printRow(os.Stdout, w, r)
		if err := m.printProfile(os.Stdout, r); err != nil {
			return 1
		}
	}
	return status
}

func checkFlags(all []workload, run, backend string, threads int, profile string) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if threads < 1 {
		return fmt.Errorf("-threads %d: at least one is needed", threads)
	}
	if _, err := regexp.Compile(run); err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	switch n := len(matching(all, run, backend)); {
	case n == 0:
		return fmt.Errorf("-run %q matches no workload", run)
	case n > 1 && profile != "":
		return fmt.Errorf("-cpuprofile: -run %q matches %s", run, diag.Count(n, "workload"))
	}
	return nil
}
