package backends

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
)

// Profiler is an [Executable] that measures its steps when [Options.Profile]
// asked for that. What is bound of it counts together with it.
type Profiler interface {
	// Profile returns what all runs have taken until now; nil if nobody asked.
	Profile() []StepProfile
}

// StepProfile is what a step of a program has taken: a kernel, an op that is run
// by other means, a loop or a branch. Steps of the regions of a loop or branch
// follow it.
type StepProfile struct {
	Op    int    // ordinal of the op in the text that the step was made for; -1 if unknown
	What  string // what the step does: "matmul f32 64×512×784, add, maximum"
	Line  string // of the program that recorded that op: "train.go:41"; "" if the text does not tell
	Place string // all that is known of where the step comes from; see [LocateProfile]
	Depth int    // 0: a step of main; 1: of a region of the loop or branch before it, and so on
	// Nested says that steps of a greater depth follow, whose times are part of
	// this one's.
	Nested bool
	// Kernel is false for what the evaluator runs, and for loops and branches.
	Kernel bool
	Parts  int // how many threads each run was cut for
	Runs   int64
	Total  time.Duration // of all runs
	Least  time.Duration // of one
	// Flops and Bytes are what a run computes and moves by the program's text: no
	// counters of a processor. 0 if nobody knows.
	Flops, Bytes float64
	Results      []int // of main that it writes
	// Factors is the type of the factors of a matrix product, on which its peak
	// depends; Invalid for other steps.
	Factors types.DType
}

// Peaks are what a machine can do at most, in flops of f32 and of bf16 and in
// bytes a second; 0 is unknown.
type Peaks struct{ F32, BF16, Bytes float64 }

// flops returns the peak for products of a type; f64 has half the lanes of f32.
func (p Peaks) flops(factors types.DType) float64 {
	switch factors {
	case types.BF16:
		return max(p.BF16, p.F32)
	case types.F64:
		return p.F32 / 2
	}
	if factors.IsInteger() {
		return 0
	}
	return p.F32
}

// Share returns which part of what the machine can do at most a run has reached:
// of what it computes, or of what it moves, whichever is more, and which of both
// it is. Beyond 1 the operands were in caches, whose peaks are higher.
func (s *StepProfile) Share(p Peaks) (share float64, of string) {
	t := s.Least.Seconds()
	if t <= 0 {
		return 0, ""
	}
	for _, x := range []struct {
		n, peak float64
		of      string
	}{{s.Flops, p.flops(s.Factors), "flops"}, {s.Bytes, p.Bytes, "copy"}} {
		if x.peak > 0 && x.n/x.peak/t > share {
			share, of = x.n/x.peak/t, x.of
		}
	}
	return share, of
}

// LocateProfile sets the places of steps: their lines, what at says of an op's
// ordinal, and the names of the results that they write, or of the arguments whose memory
// these take over.
func LocateProfile(steps []StepProfile, sig *Signature, at func(op int) string) {
	for i := range steps {
		s := &steps[i]
		s.Place = s.Line
		if s.Op >= 0 {
			s.Place = strings.TrimSpace(s.Place + " " + at(s.Op))
		}
		for _, j := range s.Results {
			name := sig.Results[j].Name
			if a := sig.Results[j].Alias; name == "" && a >= 0 {
				name = sig.Args[a].Name
			}
			if name != "" {
				s.Place = strings.TrimSpace(s.Place + " → " + name)
			}
		}
	}
}

// LineOf returns the line of a location that a user wrote, with the scope that it
// is in; "" if the location does not tell.
func LineOf(loc mlir.Location) string {
	switch loc := loc.(type) {
	case mlir.FileLoc:
		return fmt.Sprintf("%s:%d", loc.File, loc.Line)
	case mlir.RangeLoc:
		return LineOf(loc.FileLoc)
	case mlir.CallLoc: // a composite's op has the line of who calls it
		if line := LineOf(loc.Caller); line != "" {
			return line
		}
		return LineOf(loc.Callee)
	case mlir.FusedLoc:
		for _, l := range loc.Locs {
			if line := LineOf(l); line != "" {
				return line
			}
		}
	case mlir.NameLoc:
		if line := LineOf(loc.Child); line != "" {
			return line + " in " + loc.Name
		}
	}
	return ""
}

// WriteProfile prints steps as a table: those of regions are indented below
// their loop. A share is of the least time; that of the whole is of the total of
// main's steps.
func WriteProfile(out io.Writer, steps []StepProfile, peaks Peaks) error {
	total := time.Duration(0)
	for i := range steps {
		if steps[i].Depth == 0 {
			total += steps[i].Total
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "STEP\tRUNS\tLEAST\tMEAN\tOF ALL\tFLOPS\tBYTES\tGFLOP/s\tGB/s\tOF PEAK\tWHAT\tFROM")
	for i := range steps {
		s := &steps[i]
		least, mean, part := "-", "-", "-"
		if s.Runs > 0 {
			least, mean = seconds(s.Least), seconds(s.Total/time.Duration(s.Runs))
			part = fmt.Sprintf("%.1f %%", 100*float64(s.Total)/float64(max(total, 1)))
		}
		gflops, gbytes, peak := "-", "-", "-"
		if ns := float64(s.Least); s.Runs > 0 && ns > 0 && !s.Nested {
			gflops, gbytes = rate(s.Flops/ns), rate(s.Bytes/ns)
			if share, of := s.Share(peaks); of != "" {
				peak = fmt.Sprintf("%.0f %% %s", 100*share, of)
			}
		}
		what := s.What
		if !s.Kernel && !s.Nested {
			what += " (evaluator)"
		}
		if s.Parts > 1 {
			what += fmt.Sprintf(" (%s)", diag.Count(s.Parts, "thread"))
		}
		fmt.Fprintf(w, "%s%d\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", strings.Repeat("  ", s.Depth), i, s.Runs, least, mean, part,
			amount(s.Flops), amount(s.Bytes), gflops, gbytes, peak, shortened(what, 60), s.Place)
	}
	return w.Flush()
}

// shortened cuts a text to so many letters.
func shortened(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-1]), ", ") + "…"
}

func rate(x float64) string {
	if x == 0 {
		return "-"
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// amount prints a number with three digits and a unit.
func amount(x float64) string {
	if x == 0 {
		return "-"
	}
	for _, u := range []struct {
		scale float64
		name  string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= u.scale {
			return fmt.Sprintf("%.3g%s", x/u.scale, u.name)
		}
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// seconds prints a time with three digits.
func seconds(d time.Duration) string {
	for _, u := range []struct {
		scale time.Duration
		name  string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.scale {
			return fmt.Sprintf("%.3g %s", float64(d)/float64(u.scale), u.name)
		}
	}
	return fmt.Sprintf("%d ns", d)
}
