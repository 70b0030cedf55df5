package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ltc/internal/test/conformance"
)

// check runs tests in the format of StableHLO's own.
func check(c *call) error {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	backend := fs.String("backend", "eval", "`name` of the backend")
	jobs := fs.Int("j", 0, "`number` of tests at a time; 0: as many as there are processors")
	timeout := fs.Duration("timeout", time.Minute, "longest time that a test may take")
	known := fs.String("known", "", "Markdown `file` that lists tests which may fail, and must")
	update := fs.Bool("update", false, "write the list of -known anew")
	verbose := fs.Bool("v", false, "list the tests that pass and those that are skipped, too")
	families := fs.Bool("families", false, "count each directory's tests by themselves as well")
	args, err := c.parse(fs)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return usagef("no file or directory")
	case *jobs < 0 || *timeout <= 0:
		return usagef("-j %d -timeout %v: want a number and a time", *jobs, *timeout)
	case *update && *known == "":
		return usagef("-update needs -known")
	}
	if *jobs == 0 {
		*jobs = runtime.GOMAXPROCS(0)
	}
	files, err := conformance.Files(args)
	if err != nil {
		return err
	}
	b, err := open(*backend)
	if err != nil {
		return err
	}
	s := suite{call: c, verbose: *verbose, seen: &conformance.Tally{}}
	if *known != "" {
		if s.known, err = conformance.ReadKnown(*known); err != nil {
			return err
		}
	}
	o := conformance.Options{Workers: *jobs, Timeout: *timeout}
	if err := limited(0, func(ctx context.Context) error { return conformance.RunFiles(ctx, b, files, o, s.note) }); err != nil {
		return err
	}
	if s.seen.Total() == (conformance.Count{}) {
		return noTests(args)
	}
	if *families {
		fmt.Fprint(c.stdout, s.seen.Table())
	}
	return s.close(*known, *update)
}

// noTests is the error of a run that has found nothing to do: a misspelt path
// must not look like tests that pass.
func noTests(paths []string) error {
	return fmt.Errorf("no tests found in %s: want test files, or directories with *.mlir files that are", strings.Join(paths, ", "))
}

// suite is a run of tests.
type suite struct {
	*call
	verbose bool
	known   *conformance.Known // nil without a list
	seen    *conformance.Tally
	allowed int // failures that the list has
}

func (s *suite) note(r conformance.Result) {
	s.seen.Add(r)
	allowed := s.known != nil && s.known.Note(r)
	switch name := filepath.ToSlash(r.Unit.Name()); {
	case r.Outcome == conformance.Failed && allowed:
		s.allowed++
		if s.verbose {
			fmt.Fprintf(s.stdout, "known %s\n", name)
		}
	case r.Outcome == conformance.Failed:
		fmt.Fprintf(s.stdout, "FAIL %s\n  %s\n", name, printable(indent(r.Reasons)))
	case r.Outcome == conformance.Skipped && s.verbose:
		fmt.Fprintf(s.stdout, "skip %s: %s\n", name, printable(r.Reasons[0]))
	case s.verbose:
		fmt.Fprintf(s.stdout, "ok   %s\n", name)
	}
}

func indent(lines []string) string {
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\n", "\n  ")
}

// close prints the closing line and returns whether the run failed.
func (s *suite) close(list string, update bool) error {
	total := s.seen.Total()
	var err error
	switch {
	case update:
		err = s.known.Update()
	case s.known != nil && len(s.known.Stale()) > 0:
		err = fmt.Errorf("%s lists what does not fail: -update takes it off\n  %s", list, strings.Join(s.known.Stale(), "\n  "))
	case total.Failed > s.allowed:
		err = errFailed
	}
	if s.allowed > 0 {
		fmt.Fprintf(s.stdout, "%d of the failed are listed in %s\n", s.allowed, list)
	}
	fmt.Fprintln(s.stdout, total)
	return err
}
