package lazy

import (
	"fmt"
	"log/slog"
	"os"
	"sync"

	"ltc/ir"
	"ltc/lower"
)

// Format is a text form of programs.
type Format int

// The formats.
const (
	FormatIR        Format = iota // the text form of the IR, which ltc-dump reads
	FormatDot                     // a drawing, for Graphviz
	FormatStableHLO               // the StableHLO module that the backend gets
)

// formatNames are the lazy tensor core's.
var formatNames = [...]string{FormatIR: "text", FormatDot: "dot", FormatStableHLO: "backend"}

func parseFormat(s string) (Format, error) {
	for f, name := range formatNames {
		if s == name {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("%q is no format", s)
}

func (f Format) text(g *ir.Graph) string {
	switch f {
	case FormatDot:
		return g.Dot()
	case FormatStableHLO:
		return lower.Text(g, true)
	}
	return g.String()
}

// Dump returns the program that MarkStep with the same roots would run, in one
// of its text forms. Nothing is compiled or run, and the step goes on.
func (tr *Trace) Dump(f Format, roots ...*Tensor) (text string, err error) {
	if f < 0 || int(f) >= len(formatNames) {
		return "", fmt.Errorf("dump: %w: there is no format %d", ErrUsage, f)
	}
	err = tr.preview(roots, func(g *ir.Graph) { text = f.text(g) })
	return text, err
}

// GraphHash returns the structural hash of the program that MarkStep with the
// same roots would run: equal for programs that differ in no more than the
// names of variables and arguments, the lines that recorded them and the values
// of arguments; f(a, b) and f(a, a) are different programs. It holds within
// this version of the library, and is no proof that two programs are equal.
func (tr *Trace) GraphHash(roots ...*Tensor) (hash uint64, err error) {
	err = tr.preview(roots, func(g *ir.Graph) { hash = g.Hash() })
	return hash, err
}

// preview captures what MarkStep with the same roots would run.
func (tr *Trace) preview(roots []*Tensor, look func(*ir.Graph)) error {
	tr = tr.some()
	if !tr.enter() {
		return tr.crowded("dump", roots...)
	}
	defer tr.leave()
	r := &tr.run
	r.reset()
	defer r.reset()
	if err := r.collect(tr, roots); err != nil {
		return err
	}
	tr.b.Capture(&r.graph, nil, r.results, r.alias)
	look(&r.graph)
	return nil
}

// dumps is a file to which programs are appended.
type dumps struct {
	file   string
	format Format

	mu      sync.Mutex
	written map[uint64]bool // hashes of those that are there
}

// first reports whether no program of the hash was written yet.
func (d *dumps) first(hash uint64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.written[hash] {
		return false
	}
	if d.written == nil {
		d.written = map[uint64]bool{}
	}
	d.written[hash] = true
	return true
}

// dumping keeps records of devices and goroutines apart.
var dumping sync.Mutex

// openDumps returns an error when the file cannot be written.
func openDumps(file string, format Format) (*dumps, error) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &dumps{file: file, format: format}, f.Close()
}

// dump appends the record of a program that a step asks for, in the lazy tensor
// core's form, unless the device has written an equal one.
func (d *Device) dump(g *ir.Graph) {
	hash := g.Hash()
	if !d.dumps.first(hash) {
		return
	}
	at := "unknown"
	if n := len(g.Nodes); n > 0 {
		at = g.Nodes[n-1].Loc.String()
	}
	record := fmt.Sprintf("[ScheduleSyncTensorsGraph]\n  %s\nHashes: (%016x)\n\n## BEGIN_GRAPH\n%s\n## END_GRAPH\n\n", at, hash, d.dumps.format.text(g))
	dumping.Lock()
	defer dumping.Unlock()
	f, err := os.OpenFile(d.dumps.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(record)
		if closed := f.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		d.log(slog.LevelWarn, "program not written", slog.String("file", d.dumps.file), slog.Any("error", err))
	}
}
