package conformance

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"ltc/backends"
)

// Options steer [RunFiles].
type Options struct {
	Workers int           // tests at a time
	Timeout time.Duration // of one test
}

// RunFiles runs the tests of all files and hands over the results in the order
// of the files. Of a test that panics or takes too long that is its failure,
// and the others go on.
func RunFiles(ctx context.Context, b backends.Backend, files []string, o Options, each func(Result)) error {
	results := make([]chan fileResult, len(files))
	for i := range results {
		results[i] = make(chan fileResult, 1)
	}
	var workers sync.WaitGroup
	next := make(chan int)
	for range max(o.Workers, 1) {
		workers.Go(func() {
			for i := range next {
				results[i] <- runFile(ctx, b, files[i], o.Timeout)
			}
		})
	}
	go func() {
		for i := range files {
			next <- i
		}
		close(next)
	}()
	var first error
	for _, c := range results {
		r := <-c
		if first == nil {
			first = r.err
		}
		for _, x := range r.all {
			each(x)
		}
	}
	workers.Wait()
	return first
}

type fileResult struct {
	all []Result
	err error
}

func runFile(ctx context.Context, b backends.Backend, file string, limit time.Duration) (r fileResult) {
	units, err := Read(file)
	if err != nil {
		return fileResult{err: err}
	}
	for _, u := range units {
		r.all = append(r.all, guarded(ctx, b, u, limit))
	}
	return r
}

// guarded runs a test that may panic or never end. What does not end when its
// context does is left behind.
func guarded(ctx context.Context, b backends.Backend, u Unit, limit time.Duration) Result {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it takes more than %v", limit))
	defer cancel()
	done := make(chan Result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- failed(u, fmt.Sprintf("%s: panic: %v\n%s", u.Name(), p, debug.Stack()))
			}
		}()
		done <- Run(ctx, b, u)
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	// A backend that listens to the context ends now, and knows where it was.
	select {
	case r := <-done:
		return r
	case <-time.After(time.Second):
		return failed(u, fmt.Sprintf("%s: %v", u.Name(), context.Cause(ctx)))
	}
}

func failed(u Unit, reason string) Result {
	return Result{Unit: u, Outcome: Failed, Reasons: []string{reason}}
}

// Count counts results.
type Count struct{ Passed, Failed, Skipped int }

// Add counts one more.
func (c *Count) Add(o Outcome) {
	switch o {
	case Passed:
		c.Passed++
	case Failed:
		c.Failed++
	case Skipped:
		c.Skipped++
	}
}

// String is the line that a run closes with.
func (c Count) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.Passed, c.Failed, c.Skipped)
}

// Tally counts results by family. The zero Tally is empty.
type Tally struct {
	names []string
	count map[string]*Count
}

// Add counts a result.
func (t *Tally) Add(r Result) { t.of(r.Unit.Family()).Add(r.Outcome) }

func (t *Tally) of(family string) *Count {
	if t.count == nil {
		t.count = map[string]*Count{}
	}
	c := t.count[family]
	if c == nil {
		c = &Count{}
		t.count[family] = c
		t.names = append(t.names, family)
	}
	return c
}

// Total counts all results.
func (t *Tally) Total() Count {
	var all Count
	for _, c := range t.count {
		all.Passed += c.Passed
		all.Failed += c.Failed
		all.Skipped += c.Skipped
	}
	return all
}

// Table prints the counts as Markdown.
func (t *Tally) Table() string {
	s := "| tests | passed | failed | skipped |\n|---|---|---|---|\n"
	for _, name := range slices.Sorted(slices.Values(t.names)) {
		c := t.count[name]
		s += fmt.Sprintf("| %s | %d | %d | %d |\n", name, c.Passed, c.Failed, c.Skipped)
	}
	return s
}
