// Command gpu runs the tests of the CUDA backend on a machine with a GPU, on which they may
// fail, hang, or lose the GPU for the process that they are in. Each group of tests is a
// process of its own with a time limit. It asks cuda-gdb, where there is one, and Go what a
// kernel that does not end waits for. A test that hangs or loses the GPU is then left out,
// and the rest of its group runs again. At the end comes a report that is short enough to
// be read at once.
//
//	out/gpu/gpu                    # beside cuda.test and ltc-dump: see make test-gpu
//	out/gpu/gpu -run 'Swizzle'     # some groups
//	out/gpu/gpu -sim               # the same on a driver that stands in for NVIDIA's
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// options are the flags.
type options struct {
	binary, dump string // the tests, and ltc-dump
	in           string // the directory that tests run in, with what they read beside it
	run          *regexp.Regexp
	limit, total time.Duration
	chars        int
	logs         string
	sim          bool
	skipped      string // tests that are left out
}

// group is tests that are run in one process.
type group struct {
	tests string // those that this regexp matches as a whole
	// times is how often the limit they may take together: the driver compiles the text
	// of each program, too.
	times int
}

// order is what is looked at first: all else builds on it, or is what most likely
// differs between a GPU and the interpreter. The other tests follow, one a group.
var order = []group{
	{"TestSmallest", 1},
	{"TestCopies|TestMemory|TestWait|TestDevices", 1},
	{"TestKernels", 1},
	{"TestSwizzle", 1},
	{"TestDescriptors", 1},
	{"TestLargeProducts", 1},
	{"TestAttentionBoxes", 3},
	{"TestProducts|TestProductsReLUOfNaN", 1},
	{"TestConvolutions", 1},
	{"TestGraphs", 1},
	{"TestAttention", 1},
	{"TestTrain", 1},
	{"TestInterpreter", 1},
	{"TestSuite", 4},
	{"TestRandomSorts", 4},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	status := 2
	if err == nil {
		status, err = o.check(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gpu:", err)
	}
	os.Exit(status)
}

func parse(args []string) (*options, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(self)
	o := &options{}
	f := flag.NewFlagSet("gpu", flag.ContinueOnError)
	f.StringVar(&o.binary, "tests", filepath.Join(dir, "cuda.test"), "the test `program`")
	f.StringVar(&o.dump, "dump", filepath.Join(dir, "ltc-dump"), "the `program` ltc-dump")
	f.StringVar(&o.in, "in", filepath.Join(dir, "tests", "cuda"), "the `directory` that tests run in")
	run := f.String("run", "", "run the groups whose tests this `regexp` matches")
	f.StringVar(&o.skipped, "skip", "", "leave out these tests, as -test.skip does")
	f.DurationVar(&o.limit, "limit", time.Minute, "how `long` a group may take, of those that do not take longer by themselves")
	f.DurationVar(&o.total, "total", 9*time.Minute, "how `long` all may take; what is left then is not run")
	f.IntVar(&o.chars, "chars", 12000, "how many `characters` the report may have")
	f.StringVar(&o.logs, "logs", filepath.Join(dir, "logs"), "a `directory` for what each group has printed")
	f.BoolVar(&o.sim, "sim", false, "run on a driver that stands in for NVIDIA's")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	if o.run, err = regexp.Compile(*run); err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	return o, os.MkdirAll(o.logs, 0o777)
}

// check runs all groups and prints the report. It returns the exit status: 1 if a
// group is not as it should be.
func (o *options) check(ctx context.Context) (int, error) {
	ctx, stop := context.WithTimeout(ctx, o.total)
	defer stop()
	said, err := o.devices(ctx)
	if err != nil {
		return 2, err
	}
	if said == "" {
		return 0, nil
	}
	groups, err := o.groups(ctx)
	if err != nil {
		return 2, err
	}
	r := &report{head: said}
	for _, g := range groups {
		if ctx.Err() != nil {
			r.left = append(r.left, g.tests)
			continue
		}
		x := o.group(ctx, g)
		fmt.Fprintln(os.Stderr, x.line())
		r.groups = append(r.groups, x)
	}
	fmt.Print(r.text(o.chars))
	if r.bad() {
		return 1, nil
	}
	return 0, nil
}

// devices says which GPU there is; nothing if there is none, and then why is printed.
func (o *options) devices(ctx context.Context) (string, error) {
	if o.sim {
		return "On a driver that stands in for NVIDIA's.", nil
	}
	out, err := exec.CommandContext(ctx, o.dump, "devices").Output()
	if err != nil {
		return "", fmt.Errorf("%s devices: %w", o.dump, err)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "cuda" && f[1] == "cuda:0" {
			return strings.TrimSpace(line), nil
		}
	}
	fmt.Printf("%sSKIPPED: there is no GPU that the backend can use: see above\n", out)
	return "", nil
}

// groups lists the tests of each process: those of order, then all others.
func (o *options) groups(ctx context.Context) ([]group, error) {
	c := exec.CommandContext(ctx, o.binary, "-test.list", "^Test")
	c.Env, c.Dir = o.env(), o.in
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s -test.list: %w", o.binary, err)
	}
	there := strings.Fields(string(out))
	var all []group
	var first []string
	for _, g := range order {
		first = append(first, g.tests)
		if o.run.MatchString(g.tests) && anyOf(there, g.tests) {
			all = append(all, g)
		}
	}
	for _, name := range there {
		if o.run.MatchString(name) && !anyOf([]string{name}, strings.Join(first, "|")) {
			all = append(all, group{name, 1})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("-run %q matches no test of %s", o.run, o.binary)
	}
	return all, nil
}

// anyOf reports whether a group has one of some tests.
func anyOf(names []string, group string) bool {
	re := regexp.MustCompile("^(" + group + ")$")
	for _, n := range names {
		if re.MatchString(n) {
			return true
		}
	}
	return false
}

// env is the environment of tests: with NVIDIA's driver, unless another stands in.
func (o *options) env() []string {
	if o.sim {
		return os.Environ()
	}
	return append(os.Environ(), "LTC_TEST_GPU=1")
}
