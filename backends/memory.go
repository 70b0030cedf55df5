package backends

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Planned is an [Executable] whose plan says what a run takes of memory, step by step. An
// executable that is not Planned may still be [Sized].
type Planned interface {
	// MemoryPlan returns the steps and the values of a run. What the run takes altogether is not
	// set: see [MemoryPlanOf].
	MemoryPlan() MemoryPlan
}

// MemoryPlan is what a run of a program takes of memory. It is known before anything runs.
type MemoryPlan struct {
	Arguments int64 // bytes
	Results   int64 // bytes of results that take over no argument's memory
	Workspace int64 // bytes besides, from the beginning of a run to its end; see [Sized]

	Steps  []StepMemory  // in the order in which they run; none if the backend does not tell
	Values []ValueMemory // arguments, results and temporaries, those with most bytes first
}

// StepMemory is what is in memory while a step runs. The steps in the regions of a loop or branch
// follow the loop or branch.
type StepMemory struct {
	Op    int    // ordinal of the op in the text that the step was made for; -1 if unknown
	What  string // what the step computes, as in [StepProfile]
	Line  string // the line that recorded that op; "" if the text does not have it
	Depth int    // 0: a step of main; 1: of a region of the loop or branch before it, and so on
	// Live is the bytes of the arguments, the results, and the temporaries that the step or a later
	// one needs. What a step takes for itself, and gaps between temporaries, are in Workspace alone.
	Live int64
}

// ValueMemory is a tensor of a program that is in memory by itself.
type ValueMemory struct {
	Type        types.Type
	Kind        ValueKind
	Name        string // of an argument or a result; "" if it has none
	Index       int    // which argument or result; -1 of others
	Op          int    // ordinal of the op in the text that makes it; -1 if none does
	Line        string // the line that recorded that op; "" if none is known
	First, Last int    // the first and the last step that it is in memory for, numbers of Steps
}

// ValueKind says whose memory a value has.
type ValueKind string

// The kinds of values.
const (
	ArgumentValue  ValueKind = "argument"
	ResultValue    ValueKind = "result"
	TemporaryValue ValueKind = "temporary"
)

// MemoryPlanOf returns what a run of e takes, of which the backend tells as much as it knows.
func MemoryPlanOf(e Executable) MemoryPlan {
	var p MemoryPlan
	if m, ok := e.(Planned); ok {
		p = m.MemoryPlan()
	}
	if s, ok := e.(Sized); ok {
		p.Workspace = int64(max(s.WorkspaceBytes(), 0))
	}
	sig := e.Signature()
	for _, a := range sig.Args {
		p.Arguments += int64(a.Type.Bytes())
	}
	for _, r := range sig.Results {
		if r.Alias < 0 {
			p.Results += int64(r.Type.Bytes())
		}
	}
	return p
}

// Peak returns the bytes that a run takes.
func (p *MemoryPlan) Peak() int64 { return p.Arguments + p.Results + p.Workspace }

// PeakStep returns the number of the first step with most bytes alive; -1 without steps.
func (p *MemoryPlan) PeakStep() int {
	at := -1
	for i, s := range p.Steps {
		if at < 0 || s.Live > p.Steps[at].Live {
			at = i
		}
	}
	return at
}

// AtPeak returns the values that are in memory at [MemoryPlan.PeakStep], those with most bytes
// first. Without steps it returns all values.
func (p *MemoryPlan) AtPeak() []ValueMemory {
	at := p.PeakStep()
	if at < 0 {
		return p.Values
	}
	return slices.DeleteFunc(slices.Clone(p.Values), func(v ValueMemory) bool { return v.First > at || v.Last < at })
}

// String prints the value with its size, its kind and its line.
func (v ValueMemory) String() string {
	s := fmt.Sprintf("%s of %v", diag.Bytes(int64(v.Type.Bytes())), v.Type)
	if v.Name != "" {
		s += fmt.Sprintf(" %q", v.Name)
	}
	if v.Line != "" {
		s += ", " + v.Line
	}
	return s
}

// mostLines is how many steps, and how many values, String prints at most.
const mostLines = 20

// String prints the sizes, the steps and the largest values at the peak, at most 20 of each: of
// more steps those with most bytes.
func (p *MemoryPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "peak %s: arguments %s, results %s, workspace %s\n",
		diag.Bytes(p.Peak()), diag.Bytes(p.Arguments), diag.Bytes(p.Results), diag.Bytes(p.Workspace))
	peak := p.PeakStep()
	if peak < 0 {
		b.WriteString("the backend does not tell the steps\n")
	}
	for _, i := range p.chosen() {
		s, mark := p.Steps[i], ' '
		if i == peak {
			mark = '*'
		}
		fmt.Fprintf(&b, "%c step %-4d %10s  %s%s\n", mark, i, diag.Bytes(s.Live), strings.Repeat("  ", s.Depth), after(s.What, s.Line))
	}
	if n := len(p.Steps) - mostLines; n > 0 {
		fmt.Fprintf(&b, "  and %s with less\n", diag.Count(n, "step"))
	}
	values := p.AtPeak()
	if len(values) > 0 && peak >= 0 {
		fmt.Fprintf(&b, "in memory at step %d\n", peak)
	}
	for _, v := range values[:min(len(values), mostLines)] {
		name := v.Type.String()
		if v.Name != "" {
			name += fmt.Sprintf(" %q", v.Name)
		}
		fmt.Fprintf(&b, "  %10s  %-9s  %s\n", diag.Bytes(int64(v.Type.Bytes())), v.Kind, after(name, v.Line))
	}
	if n := len(values) - mostLines; n > 0 {
		fmt.Fprintf(&b, "  and %s\n", diag.Count(n, "smaller value"))
	}
	return b.String()
}

func after(what, line string) string {
	if line == "" {
		return what
	}
	return what + "  " + line
}

// chosen returns the steps that String prints, in their order.
func (p *MemoryPlan) chosen() []int {
	all := make([]int, len(p.Steps))
	for i := range all {
		all[i] = i
	}
	if len(all) <= mostLines {
		return all
	}
	slices.SortStableFunc(all, func(a, b int) int { return int(min(1, max(-1, p.Steps[b].Live-p.Steps[a].Live))) })
	all = all[:mostLines]
	slices.Sort(all)
	return all
}
