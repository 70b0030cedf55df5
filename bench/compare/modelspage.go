package main

import (
	"fmt"
	"strings"

	"ltc/bench/measure"
	"ltc/internal/diag"
)

const modelsIntro = `<!-- Written by bench/compare -models; make compare COMPAREFLAGS=-models measures anew. -->
# Whole programs

Programs and models as JAX exports them, with inputs and XLA's results, in ltc and in other libraries. Ours runs the exported text, in which weights are arguments, and again with the weights bound, so that they are packed once. Peers have the same program in their own words, run it on the same inputs and hold its weights as they like. Results of ours and of peers are checked against XLA's before they are timed: all of them, but of PyTorch's ` + "`smollm2_decode`" + ` only the logits. JAX runs XLA itself and is not checked. Both sides were measured in one run, by turns: ratios compare, figures of another machine or day do not. Each process is bound to as many processors as it has threads.

- ` + "`minilm`" + `: all-MiniLM-L6-v2, 128 tokens, batch 1 and 8. ` + "`effnet_b1`" + `: EfficientNet-Lite0, an image of 224×224. ` + "`smollm2_decode`" + `: the step of SmolLM2-135M in f32 that fills a cache of 256 tokens. All have their published weights. The cache is a donated argument; ONNX has its past as an input and the longer one as an output.
- ` + "`resnet_block_b1`" + `: the first block of ResNet-18 behind its stem, with made-up weights.
- The other programs have made-up data: ` + "`programs.py`" + ` in ` + "`../shared/bench/programs`" + ` and ` + "`models.py`" + ` and ` + "`peers.py`" + ` in ` + "`bench/compare/models`" + ` define all of them.
- ONNX Runtime and OpenVINO read the ONNX text that PyTorch writes. Of MiniLM, ONNX Runtime also gets what its own optimizer makes of it, and the faster one counts.
`

const modelsEnd = `
## To look closer
    make inputs INPUTS="minilm efficientnet smollm2"                 # the published weights
    make compare COMPAREFLAGS=-models                                # this page; -cpu measures processor time
    make compare COMPAREFLAGS='-models -run effnet'                  # one program, no page
    bin/bench -programs out/peers/programs/jax_0.10.2 -run ^program_effnet_b1$ -profile    # what each kernel takes
`

// column is a peer of the table of times, by the names of its figures.
type column struct {
	title string
	names []string
}

var columns = []column{
	{"JAX", []string{"jax"}},
	{"ONNX Runtime", []string{"onnxruntime", "onnxruntime fused"}},
	{"OpenVINO", []string{"openvino"}},
	{"PyTorch", []string{"torch eager"}},
	{"compiled", []string{"torch compile"}},
	{"NumPy", []string{"numpy"}},
}

// of returns the fastest figure of a column for a row.
func (c column) of(s *session, w string, threads int) (figure, bool) {
	return s.lowest(func(f figure) bool {
		if f.W != w || f.Threads != threads || f.ours() {
			return false
		}
		for _, n := range c.names {
			if name(f.Peer) == n {
				return true
			}
		}
		return false
	})
}

// pageModels is docs/performance-models.md.
func (s *session) pageModels() string {
	var b strings.Builder
	b.WriteString(modelsIntro)
	s.where(&b)
	for _, threads := range []int{1, 2} {
		if s.measured(threads) {
			s.times(&b, threads)
			s.roofline(&b, threads)
		}
	}
	s.scans(&b)
	s.starts(&b)
	s.absent(&b)
	b.WriteString(modelsEnd)
	return b.String()
}

// times is the table of ours and of all peers.
func (s *session) times(b *strings.Builder, threads int) {
	fmt.Fprintf(b, "\n## Times, %s\n", diag.Count(threads, "thread"))
	b.WriteString("*Bound* is ours with weights bound. *Ratio* is our time by that of the fastest peer: below 1 we win; the one behind it is of bound weights. *Compiled* is PyTorch's `torch.compile`.\n\n| program | ours | bound |")
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.title)
	}
	b.WriteString(" ratio | |\n|---|---|---|" + strings.Repeat("---|", len(columns)) + "---|---|\n")
	for _, p := range wholePrograms {
		if p.scan {
			continue
		}
		ours, ok := s.ours(p.row(), threads)
		if !ok {
			if why := s.failed(p.row(), threads); why != "" {
				fmt.Fprintf(b, "| `%s` | failed: %s |\n", p.name, why)
			}
			continue
		}
		bound := s.bound(p.row(), threads)
		fmt.Fprintf(b, "| `%s` | %s |", p.name, measure.Seconds(ours.Median))
		if bound > 0 {
			fmt.Fprintf(b, " %s", measure.Seconds(bound))
		}
		b.WriteString(" |")
		for _, c := range columns {
			if f, ok := c.of(s, p.row(), threads); ok {
				fmt.Fprintf(b, " %s", measure.Seconds(f.Median))
			}
			b.WriteString(" |")
		}
		if x, ok := s.ratio(row{name: p.row()}, threads); ok {
			fmt.Fprintf(b, " %.2f |", x)
			if bound > 0 {
				fmt.Fprintf(b, " %.2f", x*bound/ours.Median)
			}
		} else {
			b.WriteString(" |")
		}
		b.WriteString(" |\n")
	}
}

// bound returns the least seconds of a call of ours whose weights are bound; 0 if there is
// none.
func (s *session) bound(w string, threads int) (least float64) {
	for _, f := range s.figures {
		if f.W == w && f.Threads == threads && f.ours() && f.Bound > 0 && (least == 0 || f.Bound < least) {
			least = f.Bound
		}
	}
	return least
}

// roofline is the table of what the machine allows.
func (s *session) roofline(b *strings.Builder, threads int) {
	arithmetic, ok := s.ours("peak_fma_f32", threads)
	copied, both := s.ours("peak_copy", threads)
	read, all := s.ours("peak_read", threads)
	if !ok || !both || !all {
		return
	}
	memory := measure.Memory{Copied: copied.GBps * 1e9, Read: read.GBps * 1e9}
	fmt.Fprintf(b, "\n## What the machine allows, %s\n", diag.Count(threads, "thread"))
	s.peaks(b, threads)
	b.WriteString("*Operations* are those on floats that our kernels count: an exponential is one. *Bytes* are those of arguments and results, once each; of an argument that only gathers and slices read, what they take. *Written* are those of results; of a donated argument that is updated in place, those of the update. Written bytes move at the rate of a copy, with as many of those read. The other bytes read, as weights are, move at the rate of loops that only read. *At least* is the longer time of both at the machine's peak, and *reached* is its share of ours. What stays in caches can be above 100 %. Sorts and the like have no operations on floats to count.\n\n| program | operations | bytes | written | at least | by | reached |\n|---|---|---|---|---|---|---|\n")
	for _, p := range wholePrograms {
		if p.scan {
			continue
		}
		f, ok := s.ours(p.row(), threads)
		if !ok || f.Bytes == 0 {
			continue
		}
		least, by := memory.Least(f.Bytes-f.Written, f.Written), "memory"
		if t := f.Flops / arithmetic.GFlops / 1e9; t > least {
			least, by = t, "arithmetic"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s | %.0f %% |\n", p.name, millions(f.Flops), millions(f.Bytes), millions(f.Written), measure.Seconds(least), by, 100*least/f.Median)
	}
}

// millions is a number in millions, with three digits or more.
func millions(n float64) string {
	switch n /= 1e6; {
	case n == 0:
		return ""
	case n < 10:
		return fmt.Sprintf("%.2f M", n)
	}
	return fmt.Sprintf("%.0f M", n)
}

// scans is the table of programs that are recorded by Scan, exported by JAX, and JAX's own.
func (s *session) scans(b *strings.Builder) {
	var rows strings.Builder
	for _, p := range wholePrograms {
		scan, recorded := s.ours(p.name, 1)
		text, exported := s.ours(p.row(), 1)
		jax, ok := columns[0].of(s, p.row(), 1)
		if p.scan && recorded && exported && ok {
			fmt.Fprintf(&rows, "| `%s` | %s | %s | %s | %.2f | %.2f |\n", p.name, measure.Seconds(scan.Median), measure.Seconds(text.Median), measure.Seconds(jax.Median), scan.Median/text.Median, scan.Median/jax.Median)
		}
	}
	if rows.Len() > 0 {
		b.WriteString("\n## Along a sequence, 1 thread\nAn LSTM along 128 steps, of so many rows (b) and hidden elements (h). *Scan* is ours, recorded by `lazy.Scan`. *Exported* is the same program as JAX exports it, run here.\n\n| program | Scan | exported | JAX | Scan by exported | by JAX |\n|---|---|---|---|---|---|\n" + rows.String())
	}
}

// starts is the table of first calls and of memory.
func (s *session) starts(b *strings.Builder) {
	b.WriteString("\n## First calls and memory\nThe first call, with all that comes before it. Ours runs built-in code in place of kernels that are not compiled yet: code with the same bits, or with tiers (`LTC_TIERS=1`) any. A program that was compiled before finds its code on disk. ONNX Runtime makes a session, OpenVINO and `torch.compile` compile, and weights of PyTorch and JAX are read before. *Memory* is the most that the process has held, Python and its libraries included. Of ours it is that of the process of the first call, and in the last row that of one that has compiled all and called it again and again, as peers have.\n\n| model | library | first call | memory |\n|---|---|---|---|\n")
	for _, p := range wholePrograms {
		if !p.first {
			continue
		}
		for _, w := range []struct{ row, title string }{{p.firstRow(), "ltc, nothing on disk"}, {p.tiersRow(), "ltc, nothing on disk, tiers"}, {p.cachedRow(), "ltc, compiled before"}} {
			if f, ok := s.ours(w.row, 1); ok {
				startLine(b, p.name, w.title, f)
			}
		}
		if f, ok := s.ours(p.row(), 1); ok {
			fmt.Fprintf(b, "| `%s` | ltc, all compiled | | %d MiB |\n", p.name, f.PeakRSS)
		}
		for _, c := range columns {
			if f, ok := c.of(s, p.row(), 1); ok {
				startLine(b, p.name, strings.ReplaceAll(c.title, "compiled", "PyTorch, compiled"), f)
			}
		}
	}
}

// startLine is a row of that table.
func startLine(b *strings.Builder, model, library string, f figure) {
	if f.FirstCall == 0 {
		return
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %d MiB |\n", model, library, measure.Seconds(f.FirstCall), f.PeakRSS)
}
