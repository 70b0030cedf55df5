// Command soa measures what programs take on columns where they lie, against
// the same programs on packed data, plain loops over the same memory, our own
// compiled pack before the program, and PyTorch.
//
//	go -C bench run ./soa                          # all, as a table
//	go -C bench run ./soa -run accessors -json     # some, one JSON object a line
//	go -C bench run ./soa -write ../docs/performance-soa.md    # the table into the page
//
// The sides of a comparison are measured by turns in one process, a sample of
// each at a time, elementwise ones in the same memory; PyTorch in one of its own,
// before and after ours. Each side's
// result is checked before it is timed. A model's bytes copied and heap objects
// a run stand beside its time.
//
// PyTorch is installed by the scripts of -peers in a virtual environment below
// -scratch, as bench/compare does; what cannot be had is named and left out.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"

	_ "ltc/backends/reference/llvm"
	"ltc/bench/measure"
	"ltc/internal/diag"
)

// options are the flags.
type options struct {
	run            *regexp.Regexp
	n              int
	rules          measure.Rules
	asJSON         bool
	used           bool // measure processor time
	peers, scratch string
	write          string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = o.measure(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "soa:", err)
		os.Exit(1)
	}
}

func parse(args []string) (*options, error) {
	o := &options{rules: measure.Rules{Budget: 3 * time.Second, Warm: 2, MinReps: 7, MaxReps: 1000}}
	f := flag.NewFlagSet("soa", flag.ContinueOnError)
	run := f.String("run", "", "measure the comparisons whose name this `regexp` matches")
	f.IntVar(&o.n, "n", 1_000_000, "elements of a column")
	f.BoolVar(&o.asJSON, "json", false, "print JSON objects, one a line")
	f.BoolVar(&o.used, "cpu", false, "measure processor time, for a machine that others use, too: comparisons of one thread alone")
	f.StringVar(&o.peers, "peers", "../../shared/bench/peers", "the `directory` of the scripts that install PyTorch")
	f.StringVar(&o.scratch, "scratch", "../out/peers", "a `directory` for its virtual environment; kept")
	f.StringVar(&o.write, "write", "", "write the table into this `page`, between its two lines that say so")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.n < 1 {
		return nil, fmt.Errorf("-n %d: at least one element is needed", o.n)
	}
	if o.used {
		o.rules.Clock = measure.Used
	}
	if o.write != "" && *run != "" {
		return nil, fmt.Errorf("-write %s: the page has all comparisons, -run measures some", o.write)
	}
	var err error
	if o.run, err = regexp.Compile(*run); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	return o, nil
}

// contests lists everything there is to compare.
func (o *options) contests(ctx context.Context) []contest {
	var all []contest
	for _, k := range kernels {
		all = append(all, k.contest(ctx, o.n))
	}
	for _, threads := range []int{1, 2} {
		all = append(all, o.networks(ctx, threads)...)
	}
	for _, n := range []int{1000, o.n} {
		all = append(all, accessors(n)...)
	}
	return all
}

// measure runs all comparisons and writes the page.
func (o *options) measure(ctx context.Context) error {
	s := &session{Machine: measure.Describe(), N: o.n, Backend: backendOf(), Used: o.used}
	out := json.NewEncoder(os.Stdout)
	wrong := 0
	for _, c := range o.contests(ctx) {
		if !o.run.MatchString(c.name) || o.used && c.threads > 1 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		runtime.GOMAXPROCS(c.threads)
		lines, err := c.measure(o.rules)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		for _, l := range lines {
			if o.asJSON {
				err = out.Encode(l)
			} else {
				fmt.Println(l)
			}
			if err != nil {
				return err
			}
		}
		s.Lines = append(s.Lines, lines...)
		runtime.GC()
	}
	for _, l := range s.Lines {
		if l.Reach > 0 && l.verdict() == notMet {
			wrong++
		}
	}
	fmt.Fprintf(os.Stderr, "%s, %d beyond what is wanted\n", diag.Count(len(s.Lines), "line"), wrong)
	if o.write == "" {
		return nil
	}
	return s.writeTo(o.write)
}
