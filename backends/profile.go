package backends

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
)

// Profiler is an [Executable] that measures its steps if [Options.Profile] is set. Its profile
// includes the runs of the executables that its Bind has returned.
type Profiler interface {
	// Profile returns the profile of each step, over all runs so far. The result is nil if
	// [Options.Profile] is not set.
	Profile() []StepProfile
}

// StepProfile is the profile of one step of a program: a kernel, an op that runs without a
// kernel, a loop or a branch. The steps in the regions of a loop or branch follow the loop or
// branch.
type StepProfile struct {
	Op    int    // ordinal of the op in the text that the step was made for; -1 if unknown
	What  string // what the step computes: "matmul f32 64×512×784, add, maximum"
	Line  string // the line that recorded that op: "train.go:41"; "" if the text does not have it
	Place string // Line with more about the origin of the step; see [LocateProfile]
	Depth int    // 0: a step of main; 1: of a region of the loop or branch before it, and so on
	// Nested says that the step is a loop or branch: steps of a greater depth follow, and their
	// times are part of this step's time.
	Nested  bool
	Kernel  bool          // false for steps that the evaluator runs, and for loops and branches
	Parts   int           // the number of chunks for threads that each run was cut into
	Runs    int64         // the number of runs
	Interim int64         // the number of these by a stand-in; see [Options.Tiers]
	Total   time.Duration // of all runs
	Least   time.Duration // of the fastest run
	// Flops and Bytes are the numbers of operations and bytes of a run, computed from the
	// program and not measured. A number is 0 if it is unknown.
	Flops, Bytes float64
	Results      []int // the results of main that the step writes
	// Factors is the type of the factors of a matrix product, on which its peak
	// depends; Invalid for other steps.
	Factors types.DType
}

// Peaks are the highest rates of a machine: floating-point operations a second of f32 and of
// bf16, and bytes a second of memory. A rate of 0 is unknown.
type Peaks struct{ F32, BF16, Bytes float64 }

// flops returns the peak for products of a type. A vector has half as many f64 as f32.
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

// Share returns the share of the machine's peak that the step's fastest run has reached: the
// larger of the shares for flops and for bytes. The second result, "flops" or "copy", names the
// larger share. A share above 1 means that the operands were in caches, whose peaks are higher.
// The share is 0 if nothing was measured or no peak is known.
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

// LocateProfile sets the Place of each step s: first the step's line, then the text of at(s.Op)
// if the op is known, and last the names of the results that the step writes. A result without
// a name is called by the name of the argument whose memory the result takes over.
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

// LineOf returns the file and line of the user's program in a location, followed by "in" and the
// location's name if it has one; "" if the location has no line. For nested calls, the line is
// the innermost one outside of installed packages: for an op of a neural network, the line
// inside the layer's function, and not the line that calls the network.
func LineOf(loc mlir.Location) string {
	line, _ := lineOf(loc)
	return line
}

// lineOf is LineOf that also reports whether the line is in the user's own files.
func lineOf(loc mlir.Location) (line string, own bool) {
	switch loc := loc.(type) {
	case mlir.FileLoc:
		return fmt.Sprintf("%s:%d", loc.File, loc.Line), !installed(loc.File)
	case mlir.RangeLoc:
		return lineOf(loc.FileLoc)
	case mlir.CallLoc:
		inner, own := lineOf(loc.Callee)
		if own {
			return inner, true
		}
		if outer, own := lineOf(loc.Caller); own || inner == "" {
			return outer, own
		}
		return inner, false
	case mlir.FusedLoc:
		for _, l := range loc.Locs {
			if line, own := lineOf(l); line != "" {
				return line, own
			}
		}
	case mlir.NameLoc:
		line, own := lineOf(loc.Child)
		if line != "" && !strings.Contains(line, " in ") { // the innermost name
			line += " in " + loc.Name
		}
		return line, own
	}
	return "", false
}

// installed reports whether a file belongs to a Python package or a Go module that a package
// manager has installed.
func installed(file string) bool {
	for _, dir := range []string{"/site-packages/", "/dist-packages/", "/lib/python", "/pkg/mod/"} {
		if strings.Contains(filepath.ToSlash(file), dir) {
			return true
		}
	}
	return false
}

// ProfileColumns is the width limit of a row of [WriteProfile], in characters.
const ProfileColumns = 120

// WriteProfile writes steps as a table, with the steps of regions indented below their loop or
// branch. The column OF ALL has a step's total time as a share of the total time of main's
// steps. The column OF PEAK has the share of the machine's peak that the step's fastest run
// reached. If no peaks are known, the table has rates instead of OF PEAK. The columns WHAT and
// FROM are shortened to keep rows within [ProfileColumns].
func WriteProfile(out io.Writer, steps []StepProfile, peaks Peaks) error {
	total := time.Duration(0)
	for i := range steps {
		if steps[i].Depth == 0 {
			total += steps[i].Total
		}
	}
	head := []string{"STEP", "RUNS ", "LEAST  ", "OF ALL ", "FLOPS", "BYTES"} // padded to the width of most numbers
	if peaks == (Peaks{}) {
		head = append(head, "GFLOP/s", "GB/s ")
	} else {
		head = append(head, "OF PEAK    ")
	}
	rows := [][]string{append(head, "WHAT", "FROM")}
	for i := range steps {
		s := &steps[i]
		least, part := "-", "-"
		if s.Runs > 0 {
			least, part = seconds(s.Least), fmt.Sprintf("%.1f %%", 100*float64(s.Total)/float64(max(total, 1)))
		}
		row := append([]string{strings.Repeat("  ", s.Depth) + strconv.Itoa(i), strconv.FormatInt(s.Runs, 10), least, part,
			amount(s.Flops), amount(s.Bytes)}, s.speed(peaks)...)
		rows = append(rows, append(row, s.What+s.how(), s.Place))
	}
	fit(rows, steps)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	return w.Flush()
}

// how returns what a step runs on, if that is not a kernel on one thread: the evaluator, or a
// number of threads.
func (s *StepProfile) how() (how string) {
	if !s.Kernel && !s.Nested {
		how = " (evaluator)"
	}
	if s.Interim > 0 {
		how += fmt.Sprintf(" (%d by a stand-in)", s.Interim)
	}
	if s.Parts > 1 {
		how += fmt.Sprintf(" (%s)", diag.Count(s.Parts, "thread"))
	}
	return how
}

// speed returns the columns for the speed of a step: its share of the peaks if these are
// known, else its rates.
func (s *StepProfile) speed(peaks Peaks) []string {
	measured := s.Runs > 0 && s.Least > 0 && !s.Nested
	switch {
	case peaks == (Peaks{}) && measured:
		ns := float64(s.Least)
		return []string{rate(s.Flops / ns), rate(s.Bytes / ns)}
	case peaks == (Peaks{}):
		return []string{"-", "-"}
	case measured:
		if share, of := s.Share(peaks); of != "" {
			return []string{fmt.Sprintf("%.0f %% %s", 100*share, of)}
		}
	}
	return []string{"-"}
}

// leastPlace is the least width of the last column in a row that is shortened.
const leastPlace = 24

// fit shortens the two last cells of each row so that it has at most ProfileColumns. Row 0 is
// the head; row i+1 is of step i.
func fit(rows [][]string, steps []StepProfile) {
	last := len(rows[0]) - 1
	left := ProfileColumns
	for c := range last - 1 {
		left -= widest(rows, c) + 2
	}
	from := min(widest(rows, last), max(leastPlace, left-2-widest(rows, last-1)))
	for i, r := range rows[1:] {
		how := steps[i].how()
		r[last-1] = shortened(steps[i].What, left-2-from-utf8.RuneCountInString(how)) + how
		r[last] = shortPlace(r[last], steps[i].Line, from)
	}
}

func widest(rows [][]string, column int) (most int) {
	for _, r := range rows {
		most = max(most, utf8.RuneCountInString(r[column]))
	}
	return most
}

// shortPlace shortens a place to at most so many characters. If the place begins with a line
// of a file, it first drops the folders, then the text between the line and the names of
// results.
func shortPlace(place, line string, most int) string {
	if !strings.HasPrefix(place, line) {
		return shortened(place, most)
	}
	rest := place[len(line):]
	if file, _, _ := strings.Cut(line, " in "); utf8.RuneCountInString(place) > most {
		line = line[strings.LastIndexByte(file, '/')+1:]
	}
	if at := strings.Index(rest, " → "); line != "" && utf8.RuneCountInString(line+rest) > most {
		rest = rest[max(at, 0):]
		if at < 0 {
			rest = ""
		}
		line = shortened(line, max(most-utf8.RuneCountInString(rest), most/2))
	}
	return shortened(line+rest, most)
}

// shortened cuts a text to at most so many characters, the last of which is then "…".
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

// amount formats a number with three digits and a unit.
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

// seconds formats a time with three digits.
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
