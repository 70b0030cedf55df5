// Command bench measures workloads whose definitions other tensor libraries
// share, so that figures can be put side by side: data come from the same
// generator (gen.go) and are timed by the same rules (timing.go).
//
//	go run ./bench                    # all workloads, as a table
//	go run ./bench -run record -json  # some, one JSON object a line
//
// Every workload runs in a process of its own: first calls are cold, and the
// peak of memory is its own.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"

	_ "ltc/backends/null"
	_ "ltc/backends/reference"
	"ltc/lazy"
)

// workloads holds them all: a new one is a file and a line here.
var workloads = []workload{
	{"record_chain1000", "s per op to record 1000 additions", recordChain},
	{"record_mix1000", "s per op to record 250 × {add, mul, relu, matmul}", recordMix},
	{"step1_add_cached", "s per step of one addition, compiled before", step1Add},
	{"step1_add_reused", "s of the same step with the nodes of the one before", step1Reused},
	{"step100_mix_cached", "s per step of 25 × {add, mul, relu, matmul}, compiled before", step100Mix},
	{"step100_mix_reused", "s of the same step with the nodes of the one before", step100Reused},
	{"step100_first", "s of the same step when it is the first", step100First},
	{"train_mlp", "s per training step of an MLP 784-512-256-10, batch 64", trainMLP},
}

// workload is something to measure.
type workload struct {
	name string
	doc  string // what a figure is
	run  func(*env) (result, error)
}

// env is what a workload runs in.
type env struct {
	backend string
	threads int
	quick   bool // as few repetitions as there may be, for tests
}

func (e *env) open() (*lazy.Device, error) {
	return lazy.Open(e.backend, lazy.Threads(e.threads))
}

func main() {
	run := flag.String("run", "", "measure the workloads whose name this `regexp` matches")
	threads := flag.Int("threads", 1, "threads of a program and of the Go runtime, so that the collector has no core of its own")
	backend := flag.String("backend", "cpu", "what runs the programs")
	asJSON := flag.Bool("json", false, "print JSON objects, one a line")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this `file`; only with one workload")
	one := flag.String("one", "", "measure the workload of this name in this process and print JSON")
	flag.Parse()
	if err := checkFlags(*run, *threads, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		flag.Usage()
		os.Exit(2)
	}
	e := &env{backend: *backend, threads: *threads}
	if *one != "" {
		if err := e.measure(*one, *profile); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", *one, err)
			os.Exit(1)
		}
		return
	}
	failed := false
	for _, w := range matching(*run) {
		line, err := e.child(w, *profile)
		switch {
		case err != nil:
			failed = true
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", w.name, err)
		case *asJSON:
			os.Stdout.Write(line)
		default:
			printRow(os.Stdout, w, line)
		}
	}
	if failed {
		os.Exit(1)
	}
}

func checkFlags(run string, threads int, profile string) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if threads < 1 {
		return fmt.Errorf("-threads %d: at least one is needed", threads)
	}
	if _, err := regexp.Compile(run); err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	switch n := len(matching(run)); {
	case n == 0:
		return fmt.Errorf("-run %q matches no workload", run)
	case n > 1 && profile != "":
		return fmt.Errorf("-cpuprofile: -run %q matches %d workloads", run, n)
	}
	return nil
}

func matching(run string) []workload {
	re := regexp.MustCompile(run)
	var ws []workload
	for _, w := range workloads {
		if re.MatchString(w.name) {
			ws = append(ws, w)
		}
	}
	return ws
}

// child measures w in a process of its own and returns the line it prints.
func (e *env) child(w workload, profile string) ([]byte, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(exe, "-one", w.name, "-backend", e.backend, "-threads", strconv.Itoa(e.threads), "-cpuprofile", profile, "-run", "^"+w.name+"$")
	c.Stderr = os.Stderr
	return c.Output()
}

// measure measures a workload in this process and prints the result.
func (e *env) measure(name, profile string) error {
	runtime.GOMAXPROCS(e.threads)
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for _, w := range workloads {
		if w.name == name {
			r, err := w.run(e)
			if err != nil {
				return err
			}
			r.Peer, r.W, r.Backend, r.Threads, r.Load1 = "ltc", name, e.backend, e.threads, load1()
			return json.NewEncoder(os.Stdout).Encode(r)
		}
	}
	return fmt.Errorf("no such workload")
}
