package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// result is one line of figures. The names are those that all peers print.
type result struct {
	Peer    string   `json:"peer"`
	W       string   `json:"w"`
	Backend string   `json:"backend"`
	Threads int      `json:"threads"`
	Median  float64  `json:"med_s"` // seconds a call, or an op where the workload says so
	Min     float64  `json:"min_s"`
	Reps    int      `json:"reps"`            // samples taken
	Load1   *float64 `json:"load1,omitempty"` // load average when done; not known everywhere

	Allocs     float64   `json:"allocs"` // heap objects a call or op
	GFlops     float64   `json:"gflops,omitempty"`
	GBps       float64   `json:"gbps,omitempty"`
	FirstCall  float64   `json:"first_call_s,omitempty"` // of a process, with all compiling
	Losses     []float64 `json:"losses,omitempty"`
	PeakRSSMiB int       `json:"peak_rss_mib,omitempty"`
}

// printRow prints the line of JSON of a workload for people.
func printRow(out io.Writer, w workload, line []byte) {
	var r result
	if err := json.Unmarshal(line, &r); err != nil {
		fmt.Fprintf(out, "%s: %v\n", w.name, err)
		return
	}
	fmt.Fprintf(out, "%-20s %10s  min %10s  %5d reps  %8.2f allocs", r.W, seconds(r.Median), seconds(r.Min), r.Reps, r.Allocs)
	if r.GFlops != 0 {
		fmt.Fprintf(out, "  %.1f GF/s", r.GFlops)
	}
	if r.GBps != 0 {
		fmt.Fprintf(out, "  %.2f GB/s", r.GBps)
	}
	if r.FirstCall != 0 {
		fmt.Fprintf(out, "  first %s", seconds(r.FirstCall))
	}
	fmt.Fprintf(out, "   %s\n", w.doc)
}

// seconds prints a duration with three digits.
func seconds(s float64) string {
	for _, u := range []struct {
		scale float64
		name  string
	}{{1, "s"}, {1e3, "ms"}, {1e6, "µs"}} {
		if s*u.scale >= 1 {
			return strconv.FormatFloat(s*u.scale, 'g', 3, 64) + " " + u.name
		}
	}
	return strconv.FormatFloat(math.Round(s*1e10)/10, 'f', -1, 64) + " ns"
}

// load1 is the load average of the last minute; nil where /proc does not tell.
func load1() *float64 {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(b), " ")
	x, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return nil
	}
	return &x
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
