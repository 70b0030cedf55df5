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
// is in; "" if the location does not tell. Of calls it is the innermost line that is of no
// installed package: a kernel is of the line of the layer, and not of the program that
// calls the model.
func LineOf(loc mlir.Location) string {
	line, _ := lineOf(loc)
	return line
}

// lineOf also says whether the line is of the user's own files.
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

// installed reports whether a file is of a package of Python or of a module of Go that
// package managers put where it is.
func installed(file string) bool {
	for _, dir := range []string{"/site-packages/", "/dist-packages/", "/lib/python", "/pkg/mod/"} {
		if strings.Contains(filepath.ToSlash(file), dir) {
			return true
		}
	}
	return false
}

// ProfileColumns is the most that a row of [WriteProfile] has.
const ProfileColumns = 120

// WriteProfile prints steps as a table: those of regions are indented below
// their loop. A share is of the least time; that of the whole is of the total of
// main's steps. Where no peaks are known, the table has rates in place of shares of them.
// What a step does and where it comes from are cut where a row would have more than
// [ProfileColumns].
func WriteProfile(out io.Writer, steps []StepProfile, peaks Peaks) error {
	total := time.Duration(0)
	for i := range steps {
		if steps[i].Depth == 0 {
			total += steps[i].Total
		}
	}
	head := []string{"STEP", "RUNS ", "LEAST  ", "OF ALL ", "FLOPS", "BYTES"} // as wide as most of what is measured
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
			amount(s.Flops), amount(s.Bytes)}, s.reached(peaks)...)
		rows = append(rows, append(row, s.What+s.how(), s.Place))
	}
	fit(rows, steps)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	return w.Flush()
}

// how says what a step runs on, if that is not one thread with a kernel.
func (s *StepProfile) how() (how string) {
	if !s.Kernel && !s.Nested {
		how = " (evaluator)"
	}
	if s.Parts > 1 {
		how += fmt.Sprintf(" (%s)", diag.Count(s.Parts, "thread"))
	}
	return how
}

// reached are the columns about how fast a step was: its rates, or what part they are of
// the peaks where these are known.
func (s *StepProfile) reached(peaks Peaks) []string {
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

// leastPlace is what the last column has at least where a row is cut.
const leastPlace = 24

// fit cuts the two last cells of rows, whose steps those behind the first are of.
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

// shortPlace cuts a place to so many letters. Of one that begins with a line of a file,
// folders go first, then what stands between the line and the names of results.
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
