// Command compare measures the workloads of ./bench here and in other tensor
// libraries, in the same run and by turns, and writes docs/performance.md.
//
//	make compare                                                # the workloads, and docs/performance.md
//	make compare COMPAREFLAGS="-run matmul -rounds 5 -threads 1,2"   # these rows, no page
//	make compare COMPAREFLAGS=-models                           # whole programs, and docs/performance-models.md
//	make bench-gpu                                               # on a GPU: docs/performance-gpu.md
//	make compare COMPAREFLAGS="-avx2 -o docs/performance-avx2.md"     # as if there were no AVX-512
//	make compare COMPAREFLAGS="-from out/peers/figures.jsonl"    # the page anew, nothing measured
//
// The peers' scripts install what they need in virtual environments below
// -scratch. What cannot be installed or run is named, and the rest goes on. A
// first round has every peer; those after it the fastest ones, ours before them
// and after them in turn, so that no side has the quieter machine. Of several
// rounds the lowest median counts, on both sides.
//
// Whole programs are those that programs.py of -programs and models.py of -models-dir
// export. Their weights are in -weights, where make inputs INPUTS="minilm efficientnet smollm2"
// puts them; a program without is left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	peers, scratch string
	programs       string // the directory of programs.py
	models         string // that of models.py and peers.py
	inputs         string // that of results to expect of models
	weights        string // that of the models' weights
	whole          bool   // programs and models alone
	cpu            bool   // processor time counts
	avx2           bool   // AVX-512 is switched off
	only           string // names of peers, with commas between them; "": all
	run            *regexp.Regexp
	threads        []int
	rounds         int
	backend        string
	from, out      string

	gpu             bool
	bench           string // our program, built before
	scripts, python string
	total, limit    time.Duration
	small           bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = o.compare(ctx)
	}
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func parse(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.StringVar(&o.peers, "peers", "../shared/bench/peers", "the `directory` of the peers' scripts")
	f.StringVar(&o.programs, "programs", "../shared/bench/programs", "the `directory` of programs.py, which exports whole programs of JAX and times them")
	f.StringVar(&o.models, "models-dir", "bench/compare/models", "the `directory` of models.py, which exports models, and of peers.py, which has programs in other libraries")
	f.StringVar(&o.inputs, "inputs", "../shared/inputs", "the `directory` of the results that models are expected to have")
	f.StringVar(&o.weights, "weights", "out/inputs", "the `directory` of the models' weights, which make inputs fetches")
	f.BoolVar(&o.whole, "models", false, "measure whole programs, and write docs/performance-models.md")
	f.BoolVar(&o.cpu, "cpu", false, "with -models processor time, for a machine that others use too")
	f.BoolVar(&o.avx2, "avx2", false, "switch AVX-512 off in our code and in the peers that have a setting for it; leave out the others")
	f.StringVar(&o.scratch, "scratch", "out/peers", "a `directory` for virtual environments and figures; kept")
	f.StringVar(&o.only, "only", "", "ask these peers alone, `names` with commas between them")
	run := f.String("run", "", "compare the workloads whose name this `regexp` matches")
	threads := f.String("threads", "1", "thread counts, `numbers` with commas between them")
	f.IntVar(&o.rounds, "rounds", 3, "how often each side is measured")
	f.StringVar(&o.backend, "backend", "cpu", "what runs our programs")
	f.StringVar(&o.from, "from", "", "write the page from the figures in this `file` and measure nothing")
	f.StringVar(&o.out, "o", "", "the `page` to write; - is standard output; without it docs/performance.md, or none with -run")
	f.BoolVar(&o.gpu, "gpu", false, "measure what is measured on GPUs")
	f.StringVar(&o.bench, "bench", "", "with -gpu our `program`, if it is not to be built")
	f.StringVar(&o.scripts, "script", "bench/gpu/peers.py", "with -gpu the peers' `script`")
	f.StringVar(&o.python, "python", "python3", "with -gpu the `program` that runs it")
	f.DurationVar(&o.total, "total", 9*time.Minute, "with -gpu how `long` all may take; what is left then is not measured")
	f.DurationVar(&o.limit, "limit", 100*time.Second, "with -gpu how `long` a side may take for a row")
	f.BoolVar(&o.small, "small", false, "with -gpu small programs, and peers on the CPU, to try it all: with -backend cudasim")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.gpu {
		o.forGPU(f, *run)
	}
	switch {
	case o.out != "" || *run != "" || o.small:
	case o.whole:
		o.out = "docs/performance-models.md"
	default:
		o.out = "docs/performance.md"
	}
	if o.cpu && !o.whole {
		return nil, errors.New("-cpu: the peers' scripts measure time that passes but for -models")
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	var err error
	if o.run, err = regexp.Compile(*run); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	for _, s := range strings.Split(*threads, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 2 {
			return nil, fmt.Errorf("-threads %q: the peers' scripts know 1 and 2", s)
		}
		o.threads = append(o.threads, n)
	}
	if o.rounds < 1 {
		return nil, fmt.Errorf("-rounds %d: at least one is needed", o.rounds)
	}
	return o, nil
}

// forGPU sets what is otherwise with -gpu, unless it was given.
func (o *options) forGPU(f *flag.FlagSet, run string) {
	given := map[string]bool{}
	f.Visit(func(g *flag.Flag) { given[g.Name] = true })
	if !given["backend"] {
		o.backend = "cuda"
	}
	if !given["rounds"] {
		o.rounds = 2
	}
	if !given["o"] && run == "" && !o.small {
		o.out = "docs/performance-gpu.md"
	}
}

// compare measures, or reads what was measured, and writes the page.
func (o *options) compare(ctx context.Context) error {
	var s *session
	var err error
	switch {
	case o.from != "":
		s, err = readSession(o.from)
	case o.gpu:
		if s, err = o.measureGPU(ctx); errors.Is(err, errNoGPU) {
			fmt.Println("SKIPPED:", err)
			return nil
		}
	default:
		s, err = o.measure(ctx)
	}
	if err != nil {
		return err
	}
	page := ""
	switch {
	case o.whole:
		page = s.pageModels()
	case o.gpu:
		if !s.someOurs() {
			return errors.New("nothing of ours was measured: no page is written")
		}
		page = s.pageGPU()
	default:
		page = s.page()
	}
	switch o.out {
	case "":
		return nil
	case "-":
		_, err := os.Stdout.WriteString(page)
		return err
	}
	return os.WriteFile(o.out, []byte(page), 0o666)
}

// groups are those that are measured as far as -run names their rows: whole programs take
// long, and are measured if they are named.
func (o *options) groups() []group {
	switch {
	case o.whole:
		all := []group{machinePeaks}
		for _, p := range wholePrograms {
			all = append(all, p.groups()...)
		}
		return all
	case o.run.String() == "":
		return workloads()
	}
	return groups()
}

// measure runs all groups for all thread counts. An interrupt ends it; -from
// makes a page of what there is then.
func (o *options) measure(ctx context.Context) (*session, error) {
	scratch, err := filepath.Abs(o.scratch)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(scratch, 0o777); err != nil {
		return nil, err
	}
	r := &runner{ctx: ctx, options: o, scratch: scratch, missing: map[string]string{}}
	if o.avx2 {
		if err := r.withoutAVX512(); err != nil {
			return nil, err
		}
	}
	if err := r.prepare(); err != nil {
		return nil, err
	}
	defer r.close()
	for _, n := range o.threads {
		for _, g := range o.groups() {
			if g, some := g.matching(o.run); some {
				if err := r.group(g, n); err != nil {
					return nil, err
				}
			}
		}
	}
	return r.session, nil
}
