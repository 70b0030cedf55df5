package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ltc/bench/measure"
	"ltc/internal/diag"
)

const intro = `<!-- Written by bench/compare; make compare measures anew. -->
# Performance

What ltc's workloads take, and what those who would use something else would wait for. Both sides were measured in one run, by turns: figures of another machine or of another day do not compare, ratios do. Each side is bound to as many processors as it has threads, and its libraries are told that number (OMP_NUM_THREADS and kin, torch.set_num_threads, JAX's and IREE's flags, ONNX Runtime's sessions). The peers are the packages that pip installs, on f32 unless the row says bf16, with operands that they hold already. Data and timing are the same on all sides: three calls to warm up, samples of at least 200 µs, the median over a second or more; of several rounds the lowest median counts. In the first round all peers are asked, in others those within 15 % of the fastest of a row; for two threads those that were within three times the fastest at one. A call returns when its result is there; ours records the step anew each time, and by default gets the nodes of the step before again. Steps of rows that are named cached make nodes of their own. There, and in rows named reused, JAX calls a function that it has compiled, and other peers record. Every result of ours is checked before it is timed.

*Ours* assigns the result to a variable, whose memory is then written anew by each step. *New result* is the same with a new tensor for each result: it is released after the step, so that the next one writes the same memory. *Best peer* is the fastest of those that can do the row, as their users get it; ONNX Runtime writes to one output again and again. *Without page faults* is the fastest when its allocator is kept from giving memory back, so that a large result does not cost a page fault for every 4 KiB of it. Only peers that have been the best then are asked. *Ratio* is our time by that of the faster peer of both: below 1 we win. *Reach* is the ratio that is wanted; a row within 5 % of it says so and is counted by itself: figures repeat no better.
`

const profiling = `
## To look closer
    make bench BENCHFLAGS='-run matmul'                         # our side, with shares of the machine's peak
    make bench BENCHFLAGS='-run ^train_mlp$$ -profile'          # what each kernel takes, and of which line it is
    go -C bench run . -run '^train_mlp$' -cpuprofile mlp.prof      # where the time goes, Go's part too
    make compare COMPAREFLAGS='-run softmax -rounds 5'          # both sides

Rows of figures are in ` + "`figures.jsonl`" + ` below the directory that ` + "`-scratch`" + ` names; ` + "`-from`" + ` makes the page of them again.

## GPUs
Figures of GPUs are in [performance-gpu.md](performance-gpu.md), which ` + "`make bench-gpu`" + ` measures beside PyTorch and JAX; how is in [gpu-tests.md](gpu-tests.md#measurements).
`

// plain is what a device without a compiler tells of itself.
const plain = "compiler=none"

// tolerance is how far beyond its reach a row may be to be nearly met, which is counted by
// itself. scaling is how many times as fast as one thread two are to be where arithmetic
// bounds the time.
const (
	tolerance = 1.05
	scaling   = 1.85
)

// busy is the load average beyond which figures of one or two threads are not
// to be relied on.
const busy = 3

// page is docs/performance.md.
func (s *session) page() string {
	var b strings.Builder
	b.WriteString(intro)
	s.where(&b)
	for _, threads := range []int{1, 2} {
		if s.measured(threads) {
			s.table(&b, threads)
		}
	}
	s.absent(&b)
	b.WriteString(profiling)
	return b.String()
}

// where says what was measured on and with what.
func (s *session) where(b *strings.Builder) {
	m := s.Machine
	fmt.Fprintf(b, "\n## Machine and versions\nMeasured on %s: %s, %s, %d GiB, %s; %s.", m.Date, m.Processor, diag.Count(m.Cores, "core"), m.MemoryGiB, strings.Join(m.Features, " "), m.System)
	fmt.Fprintf(b, " Go %s.\n", strings.TrimPrefix(m.Go, "go"))
	versions := map[string]bool{}
	least, most := 0.0, 0.0
	for _, f := range s.figures {
		if !f.ours() {
			versions[strings.TrimSuffix(f.Peer, noFaults)] = true
		}
		if f.Load1 > 0 { // not every script tells
			least, most = min(cmp.Or(least, f.Load1), f.Load1), max(most, f.Load1)
		}
	}
	names := slices.Sorted(maps.Keys(versions))
	for i, n := range names {
		k := strings.LastIndex(n, "_")
		names[i] = strings.ReplaceAll(n[:max(k, 0)], "_", " ") + " " + n[k+1:]
	}
	fmt.Fprintf(b, "Peers: %s.\n", strings.Join(names, ", "))
	for _, f := range s.figures {
		if f.ours() && f.Backend != "" {
			fmt.Fprintf(b, "Ours: backend `%s` (%s).\n", f.Backend, f.Runs)
			switch {
			case f.Backend == "eval":
				b.WriteString("It is the evaluator: nothing is compiled, so that first calls are quick and others slow.\n")
			case strings.Contains(f.Runs, plain):
				b.WriteString("There was no libLLVM: kernels ran in plain Go, many times slower than compiled ones. `make llvm` installs it.\n")
			}
			break
		}
	}
	if s.AVX2 {
		b.WriteString("AVX-512, which this processor has, was switched off: ours by LTC_CPU_LEVEL, XLA, PyTorch, oneDNN, NumPy and IREE by settings of their own. Peers without one were not asked. The peak of bf16 is that with AVX-512.\n")
	}
	fmt.Fprintf(b, "The load average was between %.1f and %.1f, that of what was measured included.\n", least, most)
	if s.CPU {
		b.WriteString("Times are processor time, as others used the machine too: they count less of what others do, whose use of caches and memory remains.\n")
	} else if most > busy {
		b.WriteString("Others were at work on the machine: these figures say little, measure again when it is quiet.\n")
	}
}

// table is the rows for a number of threads.
func (s *session) table(b *strings.Builder, threads int) {
	word := "One thread"
	if threads > 1 {
		word = strconv.Itoa(threads) + " threads"
	}
	fmt.Fprintf(b, "\n## %s\n", word)
	s.peaks(b, threads)
	if threads > 1 {
		s.neighbours(b)
	}
	s.summary(b, threads)
	head, line := "| workload | ours | | new result | best peer | | without page faults | | ratio | reach |", "|---|---|---|---|---|---|---|---|---|---|"
	if threads > 1 {
		head, line = head+" to one thread |", line+"---|"
	}
	fmt.Fprintf(b, "%s\n%s\n", head, line)
	for _, g := range workloads() {
		for _, r := range g.rows {
			if strings.HasPrefix(r.name, "peak_") {
				continue
			}
			s.line(b, r, threads)
		}
	}
}

// peaks says what the machine can do.
func (s *session) peaks(b *strings.Builder, threads int) {
	var of []string
	for _, p := range []struct{ w, what string }{{"peak_fma_f32", "f32"}, {"peak_fma_bf16", "bf16"}, {"peak_copy", "copied"}, {"peak_read", "read"}} {
		if f, ok := s.ours(p.w, threads); ok {
			of = append(of, rate(f)+" "+p.what)
		}
	}
	if len(of) > 0 {
		fmt.Fprintf(b, "The machine's peak: %s.\n\n", strings.Join(of, ", "))
	}
}

// neighbours says what two threads are measured by, and why.
func (s *session) neighbours(b *strings.Builder) {
	fmt.Fprintf(b, "*To one thread* is how many times as fast two are. Where arithmetic is what takes time, each row was measured alone, %s by turns with one thread and with two. The median of the ratios of the turns' medians counts. In brackets is the median of the ratios of the least times, as others use a machine's processors, too, and two of them are seldom free at once. Of other rows it is the ratio of the medians of both tables.", diag.Count(turns, "time"))
	if x, _, ok := s.speedup(row{name: turning}); ok {
		fmt.Fprintf(b, " The loop that finds the peak, of which each thread runs one, is %.2f times as fast, measured likewise: more is not to be had of the machine.", 2*x)
	}
	b.WriteString("\n\n")
}

// line is a row of the table; nothing if we have no figure.
func (s *session) line(b *strings.Builder, r row, threads int) {
	ours, ok := s.ours(r.name, threads)
	if !ok {
		if why := s.failed(r.name, threads); why != "" {
			fmt.Fprintf(b, "| `%s` | failed: %s |\n", r.name, why)
		}
		return
	}
	fresh := ""
	if ours.Fresh > 0 {
		fresh = measure.Seconds(ours.Fresh)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s |", r.name, measure.Seconds(ours.Median), rate(ours), fresh)
	for _, faults := range []bool{true, false} {
		if p, ok := s.best(r, threads, faults); ok {
			fmt.Fprintf(b, " %s | %s |", measure.Seconds(p.Median), name(p.Peer))
		} else {
			b.WriteString(" | |")
		}
	}
	ratio, reach := s.verdict(r, threads)
	fmt.Fprintf(b, " %s | %s |", ratio, reach)
	if threads > 1 {
		fmt.Fprintf(b, " %s |", s.scaled(r))
	}
	b.WriteString("\n")
}

// ratio is our time by the fastest peer's.
func (s *session) ratio(r row, threads int) (float64, bool) {
	ours, ok := s.ours(r.name, threads)
	a, withFaults := s.best(r, threads, true)
	p, without := s.best(r, threads, false)
	if withFaults && (!without || a.Median < p.Median) {
		p = a
	}
	if !ok || !withFaults && !without {
		return 0, false
	}
	return ours.Median / p.Median, true
}

// verdict prints the ratio, and the reach with whether it is met. The reach is
// set for one thread.
func (s *session) verdict(r row, threads int) (ratio, reach string) {
	x, ok := s.ratio(r, threads)
	if ok {
		ratio = fmt.Sprintf("%.2f", x)
	}
	if r.reach == 0 || threads > 1 {
		return ratio, ""
	}
	reach = fmt.Sprintf("%.2f", r.reach)
	if !ok {
		return ratio, reach + ", no peer"
	}
	return ratio, reach + ", " + met(x/r.reach)
}

// nearly is what [met] says of what figures can hardly tell from met.
const nearly = "met within 5 %"

// met says of what is wanted and what is there, as a ratio that is to be at most
// 1, whether it is met, or nearly.
func met(x float64) string {
	switch {
	case x <= 1:
		return "met"
	case x <= tolerance:
		return nearly
	}
	return "not met"
}

// speedup is how many times as fast two threads are as one: by medians, and by least
// times. Where both were measured by turns the first is the median of the turns' ratios.
func (s *session) speedup(r row) (medians, least float64, ok bool) {
	var ratios []float64
	var a, b float64 // the least times
	for _, one := range s.turns(r.name, 1) {
		for _, two := range s.turns(r.name, 2) {
			if one.Turn == two.Turn {
				ratios = append(ratios, one.Median/two.Median)
				if len(ratios) == 1 {
					a, b = one.Min, two.Min
				}
				a, b = min(a, one.Min), min(b, two.Min)
			}
		}
	}
	if n := len(ratios); n > 0 {
		slices.Sort(ratios)
		return (ratios[(n-1)/2] + ratios[n/2]) / 2, a / b, true
	}
	p, ok := s.ours(r.name, 1)
	q, both := s.ours(r.name, 2)
	if !ok || !both {
		return 0, 0, false
	}
	return p.Median / q.Median, p.Min / q.Min, true
}

// scaled prints that, and for a row that arithmetic bounds whether it is what is
// wanted.
func (s *session) scaled(r row) string {
	x, least, ok := s.speedup(r)
	switch {
	case !ok:
		return ""
	case r.computes:
		return fmt.Sprintf("%.2f (%.2f) ×, %s", x, least, met(scaling/x))
	}
	return fmt.Sprintf("%.2f (%.2f) ×", x, least)
}

// summary counts the rows that are met, those that are nearly, and the others,
// and names both of these; they are a ratio to a peer for one thread and one to
// ours for two.
func (s *session) summary(b *strings.Builder, threads int) {
	var rows, reached int
	var near, short []string
	for _, g := range workloads() {
		for _, r := range g.rows {
			x, ok := s.ratio(r, threads)
			said := fmt.Sprintf("`%s` (%.2f of %.2f)", r.name, x, r.reach)
			x /= r.reach
			wanted := r.reach > 0
			if threads > 1 {
				x, _, ok = s.speedup(r)
				said = fmt.Sprintf("`%s` (%.2f ×)", r.name, x)
				x = scaling / x
				wanted = r.computes
			}
			if !ok || !wanted {
				continue
			}
			rows++
			switch met(x) {
			case "met":
				reached++
			case nearly:
				near = append(near, said)
			default:
				short = append(short, said)
			}
		}
	}
	if rows == 0 {
		return
	}
	what := "rows with a reach have it"
	if threads > 1 {
		what = fmt.Sprintf("rows that arithmetic bounds are at least %.2f times as fast as with one thread", scaling)
	}
	fmt.Fprintf(b, "**%d of %d %s; within 5 %% of that: %d; not: %d.**", reached, rows, what, len(near), len(short))
	for _, of := range []struct {
		what  string
		named []string
	}{{"Within 5 %", near}, {"Not", short}} {
		if len(of.named) > 0 {
			fmt.Fprintf(b, " %s: %s.", of.what, strings.Join(of.named, ", "))
		}
	}
	b.WriteString("\n\n")
}

// absent lists what could not be measured.
func (s *session) absent(b *strings.Builder) {
	if len(s.Missing) == 0 {
		return
	}
	b.WriteString("\n## Not measured\n")
	for _, what := range slices.Sorted(maps.Keys(s.Missing)) {
		fmt.Fprintf(b, "- %s: %s\n", what, s.Missing[what])
	}
}

// failed returns the error of a row of ours that has no figure.
func (s *session) failed(w string, threads int) string {
	for _, f := range s.figures {
		if f.W == w && f.Threads == threads && f.ours() && f.Error != "" {
			return f.Error
		}
	}
	return ""
}

// printRow prints a row as soon as it is known.
func (s *session) printRow(out io.Writer, r row, threads int) {
	ours, ok := s.ours(r.name, threads)
	if !ok {
		fmt.Fprintf(out, "%-26s %s\n", r.name, s.failed(r.name, threads))
		return
	}
	ratio, reach := s.verdict(r, threads)
	fmt.Fprintf(out, "%-26s ours %9s %11s  ratio %6s  reach %s", r.name, measure.Seconds(ours.Median), rate(ours), ratio, reach)
	for _, faults := range []bool{true, false} {
		if p, ok := s.best(r, threads, faults); ok {
			fmt.Fprintf(out, "  %s %s", name(p.Peer), measure.Seconds(p.Median))
		}
	}
	fmt.Fprintln(out)
}

// name is a peer's name without its version.
func name(peer string) string {
	peer = strings.TrimSuffix(peer, noFaults)
	if i := strings.LastIndex(peer, "_"); i > 0 {
		peer = peer[:i]
	}
	return strings.ReplaceAll(peer, "_", " ")
}

// rate is what a figure comes to a second.
func rate(f figure) string {
	switch {
	case f.GFlops != 0:
		return fmt.Sprintf("%.1f GFLOP/s", f.GFlops)
	case f.GBps != 0:
		return fmt.Sprintf("%.1f GB/s", f.GBps)
	}
	return ""
}
