package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"ltc/backends"
	"ltc/bench/measure"
	"ltc/internal/diag"
	"ltc/lazy"
)

// result is one line of figures. The names are those that all peers print.
type result struct {
	Peer    string   `json:"peer"`
	W       string   `json:"w"`
	Backend string   `json:"backend"`
	Runs    string   `json:"runs,omitempty"` // what the backend tells of its device: "arch=amd64, …"
	Threads int      `json:"threads"`
	Median  float64  `json:"med_s"` // seconds a call, or an op where the workload says so
	Min     float64  `json:"min_s"`
	Reps    int      `json:"reps"`            // samples taken
	Load1   *float64 `json:"load1,omitempty"` // load average when done; not known everywhere

	Allocs     float64   `json:"allocs"` // heap objects a call or op
	GFlops     float64   `json:"gflops,omitempty"`
	GBps       float64   `json:"gbps,omitempty"`
	Flops      float64   `json:"flops,omitempty"`        // operations of a call, for a program of a folder
	Bytes      float64   `json:"bytes,omitempty"`        // that a call of it must read and write at least
	Written    float64   `json:"written,omitempty"`      // of Bytes
	Queued     float64   `json:"queued_s,omitempty"`     // seconds a call where many are queued before one is waited for; of devices
	Costs      []cost    `json:"costs,omitempty"`        // what graph_costs has found
	Fresh      float64   `json:"fresh_s,omitempty"`      // seconds a call whose result is a new tensor; Median is of one variable's
	Bound      float64   `json:"bound_s,omitempty"`      // seconds a call whose weights are bound
	FirstCall  float64   `json:"first_call_s,omitempty"` // of a process, with all compiling
	Losses     []float64 `json:"losses,omitempty"`
	PeakRSSMiB int       `json:"peak_rss_mib,omitempty"`

	// Share is GFlops or GBps, whichever is more of it, as a share of the
	// machine's peak; 0 if that was not measured.
	Share float64 `json:"share,omitempty"`
	// Profile is what kernels took, by program; empty unless -profile is set.
	Profile []lazy.ProgramProfile `json:"profile,omitempty"`
	Error   string                `json:"error,omitempty"` // then there are no figures
}

// figures returns a result with what was measured.
func figures(t measure.Timing) result {
	return result{Median: t.Median, Min: t.Min, Reps: t.Reps, Allocs: t.Allocs}
}

// printRow prints a result for people.
func printRow(out io.Writer, w workload, r result) {
	if r.Error != "" {
		fmt.Fprintf(out, "%-24s FAILED: %s\n", w.name, r.Error)
		return
	}
	fmt.Fprintf(out, "%-24s %9s  min %9s %5d reps %9.2f allocs", w.name, measure.Seconds(r.Median), measure.Seconds(r.Min), r.Reps, r.Allocs)
	rate, share := "", ""
	switch {
	case r.GFlops != 0:
		rate = fmt.Sprintf("%.1f GF/s", r.GFlops)
	case r.GBps != 0:
		rate = fmt.Sprintf("%.2f GB/s", r.GBps)
	}
	if r.Share != 0 {
		share = fmt.Sprintf("%.0f %%", 100*r.Share)
	}
	fmt.Fprintf(out, " %11s %5s", rate, share)
	fresh, first := "", ""
	switch {
	case r.Queued != 0:
		fresh = "queued " + measure.Seconds(r.Queued)
	case r.Fresh != 0:
		fresh = "new " + measure.Seconds(r.Fresh)
	}
	if r.FirstCall != 0 {
		first = "first " + measure.Seconds(r.FirstCall)
	}
	fmt.Fprintf(out, "  %-14s  %-14s", fresh, first)
	fmt.Fprintf(out, "  %s\n", w.doc)
}

// printProfile prints the kernels of the programs that took most of the time.
func (m machine) printProfile(out io.Writer, r result) error {
	total := time.Duration(0)
	for _, p := range r.Profile {
		total += p.Total
	}
	for _, p := range r.Profile {
		if p.Total < total/20 {
			continue
		}
		fmt.Fprintf(out, "\nprogram of %s, %.0f %% of the time in kernels\n", diag.Count(p.Ops, "op"), 100*float64(p.Total)/float64(max(total, 1)))
		peaks := backends.Peaks{F32: m.f32 * 1e9, BF16: m.bf16 * 1e9, Bytes: m.copied * 1e9}
		if err := backends.WriteProfile(out, p.Steps, peaks); err != nil {
			return err
		}
	}
	return nil
}

// peakRSS is the most memory that the process has held, in MiB; 0 where /proc
// does not tell.
func peakRSS() int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return kib / 1024
		}
	}
	return 0
}
