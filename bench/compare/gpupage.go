package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ltc/bench/measure"
	"ltc/internal/diag"
)

const gpuIntro = `<!-- Written by bench/compare -gpu; make bench-gpu measures anew. -->
# Performance on GPUs

What ltc's workloads take on a GPU, beside PyTorch and JAX on the same GPU in one run. Of each row all sides are measured by turns, ours first in one round and last in the next; of several rounds the lowest median counts. The peers' side is ` + "`bench/gpu/peers.py`" + `: eager, and compiled with mode="max-autotune", which records CUDA graphs; ` + "`torch graph`" + ` is a whole compiled training step recorded as one. Rows that end in _own are ours without NVIDIA's libraries. Each side's results are checked before they are timed; f32 is multiplied as f32, not as TF32, on all.

*Queued* is a call of up to 200 that are queued one after the other, of which the last is waited for; *waited for* is one that is alone. Rates and ratios are of the first, and of the second where a row has that alone. *Ratio* is our time by that of the fastest peer that the reach names, or of all: below 1 we win.
`

// pageGPU is docs/performance-gpu.md.
func (s *session) pageGPU() string {
	var b strings.Builder
	b.WriteString(gpuIntro)
	s.whereGPU(&b)
	copied, _ := s.ours("peak_device_copy", 1)
	if copied.GBps > 0 {
		fmt.Fprintf(&b, "\nA copy inside the device's memory moves %.0f GB/s, read and written.\n", copied.GBps)
	}
	b.WriteString("\n| workload | ours, queued | | of a copy | ours, waited for | best peer, queued | waited for | | ratio | reach |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, g := range gpuRows {
		s.lineGPU(&b, g)
	}
	s.graphs(&b)
	s.absent(&b)
	s.noRow(&b)
	return b.String()
}

// whereGPU says what was measured on and with what.
func (s *session) whereGPU(b *strings.Builder) {
	m := s.Machine
	fmt.Fprintf(b, "\n## Measured\nOn %s: %s, %s, %s.", m.Date, m.Processor, diag.Count(m.Cores, "core"), m.System)
	if s.Driver != "" {
		fmt.Fprintf(b, " NVIDIA's driver %s.", s.Driver)
	}
	peers := map[string]bool{}
	for _, f := range s.figures {
		if i := strings.LastIndex(f.Peer, "_"); i > 0 && !f.ours() {
			kind, _, _ := strings.Cut(f.Peer, "_")
			peers[kind+" "+f.Peer[i+1:]] = true
		}
	}
	if len(peers) > 0 {
		fmt.Fprintf(b, " Peers: %s.", strings.Join(slices.Sorted(maps.Keys(peers)), ", "))
	}
	for _, f := range s.figures {
		if f.ours() && f.Runs != "" {
			fmt.Fprintf(b, " Ours: backend `%s` (%s).", f.Backend, f.Runs)
			if f.Backend == "cudasim" {
				b.WriteString("\n\n**There was no GPU: times are an interpreter's, of small programs, and say nothing.**")
			}
			break
		}
	}
	b.WriteString("\n")
}

// main returns what of a figure ratios are of.
func (f figure) main() float64 {
	if f.Queued > 0 {
		return f.Queued
	}
	return f.Median
}

// bestGPU returns the fastest peer of a row.
func (s *session) bestGPU(g gpuRow) (best figure, ok bool) {
	for _, f := range s.figures {
		if f.W == g.workload() && !f.ours() && f.Error == "" && f.main() > 0 && g.row().counts(f.Peer) && (!ok || f.main() < best.main()) {
			best, ok = f, true
		}
	}
	return best, ok
}

// oursGPU returns our figure of a row: the fastest round.
func (s *session) oursGPU(name string) (best figure, ok bool) {
	for _, f := range s.figures {
		if f.W == name && f.ours() && f.Error == "" && f.main() > 0 && (!ok || f.main() < best.main()) {
			best, ok = f, true
		}
	}
	return best, ok
}

// judged says of each thing that a row is to reach what it is, and whether it is met.
func (s *session) judged(g gpuRow) (ratio, copied, reach string) {
	ours, ok := s.oursGPU(g.name)
	if !ok {
		return "", "", ""
	}
	var said []string
	peer, has := s.bestGPU(g)
	if has {
		ratio = fmt.Sprintf("%.2f", ours.main()/peer.main())
	}
	switch {
	case g.ratio > 0 && has:
		said = append(said, fmt.Sprintf("%.2f, %s", g.ratio, met(ours.main()/peer.main()/g.ratio)))
	case g.ratio > 0:
		said = append(said, fmt.Sprintf("%.2f, no peer", g.ratio))
	}
	if c, ok := s.ours("peak_device_copy", 1); ok && c.GBps > 0 && ours.GBps > 0 && g.name != c.W {
		share := ours.GBps / c.GBps
		copied = fmt.Sprintf("%.0f %%", 100*share)
		if g.copied > 0 {
			said = append(said, fmt.Sprintf("%.0f %% of a copy, %s", 100*g.copied, met(g.copied/share)))
		}
	}
	if g.seconds > 0 {
		said = append(said, fmt.Sprintf("%s, %s", measure.Seconds(g.seconds), met(ours.main()/g.seconds)))
	}
	return ratio, copied, strings.Join(said, "; ")
}

// outsideTable are the workloads that the page tells of in words.
var outsideTable = []string{"peak_device_copy", "graph_costs"}

// lineGPU is a row of the table; nothing if it was not measured.
func (s *session) lineGPU(b *strings.Builder, g gpuRow) {
	if slices.Contains(outsideTable, g.name) {
		return
	}
	ours, ok := s.oursGPU(g.name)
	peer, has := s.bestGPU(g)
	why := s.failed(g.name, 1)
	if !ok && !has && why == "" {
		return
	}
	ratio, copied, reach := s.judged(g)
	queued, alone, theirs, waited, who := "", "", "", "", ""
	if ours.Queued > 0 {
		queued = measure.Seconds(ours.Queued)
	}
	if ok {
		alone = measure.Seconds(ours.Median)
	} else if why != "" {
		queued = "failed: " + cell(why)
	}
	if has {
		if waited, who = measure.Seconds(peer.Median), name(peer.Peer); peer.Queued > 0 {
			theirs = measure.Seconds(peer.Queued)
		}
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", g.name, queued, rate(ours), copied, alone, theirs, waited, who, ratio, reach)
}

// printGPU prints a row as soon as it is known, with all peers.
func (s *session) printGPU(out io.Writer, g gpuRow) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	ours, ok := s.oursGPU(g.name)
	if !ok {
		fmt.Fprintf(w, "%-28s FAILED: %s", g.name, s.failed(g.name, 1))
	} else {
		ratio, copied, reach := s.judged(g)
		fmt.Fprintf(w, "%-28s %9s %9s %13s %5s ratio %5s reach %s", g.name, measure.Seconds(ours.main()), measure.Seconds(ours.Median), rate(ours), copied, ratio, reach)
	}
	by := map[string]figure{}
	for _, f := range s.figures {
		if was, known := by[name(f.Peer)]; f.W == g.workload() && !f.ours() && f.Error == "" && (!known || f.main() < was.main()) {
			by[name(f.Peer)] = f
		}
	}
	for _, p := range slices.Sorted(maps.Keys(by)) {
		fmt.Fprintf(w, "  %s %s", p, measure.Seconds(by[p].main()))
	}
	fmt.Fprintln(w)
	if g.name == "graph_costs" {
		var b strings.Builder
		s.graphs(&b)
		fmt.Fprint(w, b.String())
	}
}

// noRow says what became of workloads that have no row in the table, and failed.
func (s *session) noRow(b *strings.Builder) {
	for _, w := range outsideTable {
		if _, ok := s.oursGPU(w); !ok && s.failed(w, 1) != "" {
			fmt.Fprintf(b, "\nOf ours `%s` failed: %s\n", w, oneLine(s.failed(w, 1)))
		}
	}
}

// oneLine is what was said, on one line.
func oneLine(said string) string {
	return strings.Join(strings.FieldsFunc(said, func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// cell is what was said, as a table's cell holds it.
func cell(said string) string { return strings.ReplaceAll(oneLine(said), "|", `\|`) }

// graphs says what launches and graphs cost the host, and from which numbers on a
// graph pays.
func (s *session) graphs(b *strings.Builder) {
	ours, ok := s.oursGPU("graph_costs")
	if !ok || ours.Costs == nil {
		return
	}
	b.WriteString("\n## Graphs\n")
	for _, c := range ours.Costs {
		fmt.Fprintf(b, "- %s: %s\n", c.What, c.Value)
	}
}
