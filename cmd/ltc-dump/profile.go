package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/peak"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

const (
	// mostThreads is the most that -threads takes.
	mostThreads = 4096
	// profileTime is how long a profiled program runs, and the numbers how often
	// at least and at most.
	profileTime                 = 500 * time.Millisecond
	leastProfiled, mostProfiled = 3, 10000
)

// profile runs a program of a backend's that has run once again and again, and prints
// what its steps took.
func (c *call) profile(ctx context.Context, b backends.Backend, p *program, exe backends.Executable, run *backends.Call, threads int) error {
	profiler, ok := exe.(backends.Profiler)
	if !ok {
		return fmt.Errorf("no profile: the backend runs the program as a whole, as the evaluator does with one of which nothing is compiled")
	}
	start := time.Now()
	for n := 0; n < leastProfiled || n < mostProfiled && time.Since(start) < profileTime; n++ {
		again := backends.Call{Args: run.Args, Results: make([]soa.View, len(run.Results))}
		for j, r := range exe.Signature().Results { // memory that is there already costs no page faults
			if r.Alias < 0 {
				again.Results[j] = run.Results[j]
			}
		}
		if err := exe.Execute(ctx, &again); err != nil {
			return p.located(ctx, err)
		}
	}
	steps := profiler.Profile()
	backends.LocateProfile(steps, exe.Signature(), places(p.file, p.source))
	if b.Capabilities().Allocator != nil { // what a device of its own memory can do is not measured
		return backends.WriteProfile(c.stdout, steps, backends.Peaks{})
	}
	of := peak.Measure(threads)
	fmt.Fprintln(c.stdout, "peak: "+peaksLine(of, threads))
	return backends.WriteProfile(c.stdout, steps, backends.Peaks{F32: of.F32, BF16: of.BF16, Bytes: of.Copied})
}

// peaksLine says what the machine can do at most.
func peaksLine(p peak.Peaks, threads int) string {
	var said []string
	if p.F32 > 0 {
		said = append(said, fmt.Sprintf("%.0f GFLOP/s f32", p.F32/1e9))
	}
	if p.BF16 > 0 {
		said = append(said, fmt.Sprintf("%.0f GFLOP/s bf16", p.BF16/1e9))
	}
	said = append(said, fmt.Sprintf("%.1f GB/s copied", p.Copied/1e9))
	return strings.Join(said, ", ") + ", with " + diag.Count(threads, "thread")
}

// places says of an op's ordinal where it stands in the text.
func places(file, text string) func(op int) string {
	at := map[int]string{}
	if m, err := stablehlo.Parse(file, text); err == nil {
		m.Walk(func(op *mlir.Op) bool {
			at[op.Ordinal] = fmt.Sprintf("%s:%d %s", file, op.Pos.Line, op.Name()[strings.IndexByte(op.Name(), '.')+1:])
			return true
		})
	}
	return func(op int) string { return at[op] }
}
