package plan

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/mlir"
)

// String prints the program: its kernels, its values and its steps. Below a loop
// or a branch its regions follow, indented, which are programs with kernels and
// values of their own. Steps are numbered through all of them, as in profiles.
func (p *Program) String() string { return p.List(Listing{}) }

// Listing says what is printed of a program.
type Listing struct {
	// Place says where a step comes from, by its location and the ordinal of its op in the
	// text, -1 if that is unknown; nil or "": it is not printed.
	Place func(loc mlir.Location, op int) string
	// Chosen says which steps are printed, by their number and place, with the kernels and
	// values that they use; nil: all.
	Chosen func(number int, place string) bool
}

// List prints the program as [Program.String] does, or parts of it.
func (p *Program) List(l Listing) string {
	w := lister{Listing: l}
	p.print(&w, 0, nil)
	return w.String()
}

// lister is a program as far as it is printed.
type lister struct {
	strings.Builder
	Listing
}

// print prints the program, whose first step has a number. Ops are, of a region, those of
// the text by the region's ordinals.
func (p *Program) print(w *lister, first int, ops Ordinals) {
	numbers := p.stepNumbers(first)
	places := make([]string, len(p.Steps))
	kernels, values := make([]bool, len(p.Kernels)), make([]bool, len(p.Values))
	chosen := make([]bool, len(p.Steps))
	for i := range p.Steps {
		s := &p.Steps[i]
		if w.Place != nil {
			places[i] = w.Place(s.Loc, ops.of(s.Ordinal))
		}
		if chosen[i] = w.Chosen == nil || w.Chosen(numbers[i], places[i]); chosen[i] {
			p.uses(i, kernels, values)
		}
	}
	for i, k := range p.Kernels {
		if kernels[i] || w.Chosen == nil {
			fmt.Fprintf(w, "// kernel %d\n%v", i, k)
		}
	}
	for i := range p.Values {
		if values[i] || w.Chosen == nil {
			p.printValue(w, ValueID(i), numbers)
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if !chosen[i] {
			w.regions(s, numbers[i], ops)
			continue
		}
		if fmt.Fprintf(w, "step %d", numbers[i]); places[i] != "" {
			fmt.Fprintf(w, ", %s", places[i])
		}
		if s.Together {
			w.WriteString(", together with the step before")
		}
		w.WriteString(": ")
		choice := w.Chosen
		w.Chosen = nil // a loop with all of its regions
		s.Work.print(w, numbers[i]+1, ops)
		w.Chosen = choice
	}
	if w.Chosen == nil {
		fmt.Fprintf(w, "arena %s\n", diag.Count(p.Arena, "byte"))
	}
}

// regions prints what is chosen of the regions of a step that is not.
func (w *lister) regions(s *Step, number int, ops Ordinals) {
	first := number + 1
	for j, r := range s.Regions() {
		inner := lister{Listing: w.Listing}
		r.print(&inner, first, s.RegionOps()[j].in(ops))
		if inner.Len() > 0 {
			fmt.Fprintf(w, "in region %d of step %d:\n", j, number)
			w.indent(inner.String())
		}
		r.Each(func(*Step) { first++ })
	}
}

func (w *lister) indent(text string) {
	for line := range strings.Lines(text) {
		w.WriteString("    " + line)
	}
}

// uses marks the kernel and the values of a step.
func (p *Program) uses(step int, kernels, values []bool) {
	if l := p.Steps[step].Launch(); l != nil {
		kernels[l.Kernel] = true
	}
	reads, writes := p.Access(step)
	for _, v := range slices.Concat(reads, writes) {
		values[v] = true
	}
}

func (p *Program) printValue(w *lister, id ValueID, numbers []int) {
	v := &p.Values[id]
	fmt.Fprintf(w, "v%d: %v %v", id, v.Kind, v.Type)
	switch v.Kind {
	case Argument:
		fmt.Fprintf(w, " %d", v.Index)
	case Result:
		if fmt.Fprintf(w, " %d", v.Index); p.InPlace(v.Index) {
			fmt.Fprintf(w, " over v%d", p.Args[p.Signature.Results[v.Index].Alias])
		}
	case Temporary:
		fmt.Fprintf(w, " at %d", v.Offset)
	case Table:
		fmt.Fprintf(w, " of v%d", v.Index)
	}
	if v.Layout != nil {
		fmt.Fprintf(w, " strides %v", v.Layout)
	}
	fmt.Fprintf(w, ", steps %d to %d\n", numberOf(numbers, v.First), numberOf(numbers, v.Last))
}

// stepNumbers returns those of the program's own steps, of which the first is given.
func (p *Program) stepNumbers(first int) []int {
	all := make([]int, len(p.Steps))
	for i := range p.Steps {
		all[i] = first
		first++
		for _, r := range p.Steps[i].Regions() {
			r.Each(func(*Step) { first++ })
		}
	}
	return all
}

// numberOf returns the number of a step; -1 stays what it is.
func numberOf(numbers []int, step int) int {
	if step < 0 {
		return step
	}
	return numbers[step]
}

// print prints a step that is a kernel. What depends on how a value lies, s0
// times its first stride and so on, follows offsets and strides.
func (s *Launch) print(b *lister, _ int, _ Ordinals) {
	fmt.Fprintf(b, "kernel %d(", s.Kernel)
	for j, o := range s.Operands {
		if j > 0 {
			b.WriteString(", ")
		}
		if fmt.Fprintf(b, "v%d", o.Value); o.Offset != 0 {
			fmt.Fprintf(b, "+%s", dims.GoString(o.Offset))
		}
		printFactors(b, o.By)
	}
	fmt.Fprintf(b, ") sizes %s strides %s", texts(s.Sizes), texts(s.Strides))
	for _, m := range s.Moving {
		fmt.Fprintf(b, ", [%d] of v%d", m.At, s.Operands[m.Operand].Value)
		printFactors(b, m.By)
	}
	if s.Copies {
		b.WriteString(", unless both are one memory")
	}
	if s.Pitches {
		b.WriteString(", rows of a later product")
	}
	if s.Parts > 0 {
		fmt.Fprintf(b, ", K in %s", diag.Count(s.Parts, "part"))
	}
	b.WriteByte('\n')
}

// texts returns sizes or strides as a list.
func texts(list []int64) string {
	all := make([]string, len(list))
	for i, n := range list {
		all[i] = dims.GoString(n)
	}
	return "[" + strings.Join(all, " ") + "]"
}

func printFactors(b *lister, by []Factor) {
	for _, f := range by {
		fmt.Fprintf(b, " + %s·s%d", dims.GoString(f.By), f.Dim)
	}
}

// print prints a step that is a composite.
func (c *Composite) print(b *lister, _ int, _ Ordinals) {
	fmt.Fprintf(b, "composite %s(", c.Name)
	for j, a := range slices.Concat(c.Args, c.Outs) {
		if j > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "v%d by %v", a.Value, a.Strides)
	}
	b.WriteByte(')')
	if len(c.Work) > 0 {
		fmt.Fprintf(b, " works in %s", listed(c.Work))
	}
	b.WriteByte('\n')
}

// print prints a step that the evaluator runs.
func (h *Host) print(b *lister, _ int, _ Ordinals) { fmt.Fprintf(b, "host %s: %s\n", h.Op, h.Reason) }

// print prints a loop with its regions.
func (l *Loop) print(b *lister, first int, ops Ordinals) {
	fmt.Fprintf(b, "while carries %s takes %s gives %s", list(l.Init), list(l.Captured), listed(l.Outs))
	if stay := l.some(func(i int) bool { return l.Stays[i] }); len(stay) > 0 {
		fmt.Fprintf(b, ", of which the body writes over %s", listed(stay))
	}
	if any := l.some(l.Undefined); len(any) > 0 {
		fmt.Fprintf(b, ", and begins with anything in %s", listed(any))
	}
	b.WriteString("\n  condition:\n")
	first = l.Cond.printInner(b, first, l.CondOps.in(ops))
	b.WriteString("  body:\n")
	l.Body.printInner(b, first, l.BodyOps.in(ops))
}

// print prints a branch with its regions.
func (s *Branch) print(b *lister, first int, ops Ordinals) {
	fmt.Fprintf(b, "branch v%d takes %s gives %s\n", s.Index.Value, list(s.Captured), listed(s.Outs))
	for j, r := range s.Branches {
		fmt.Fprintf(b, "  branch %d:\n", j)
		first = r.printInner(b, first, s.Ops[j].in(ops))
	}
}

// printInner prints the program of a region, whose first step has a number, and returns
// the number of the step that follows.
func (p *Program) printInner(w *lister, first int, ops Ordinals) int {
	inner := lister{Listing: w.Listing}
	p.print(&inner, first, ops)
	w.indent(inner.String())
	p.Each(func(*Step) { first++ })
	return first
}

// some returns the outputs of the carried values for which is reports true.
func (l *Loop) some(is func(i int) bool) []ValueID {
	var all []ValueID
	for i, v := range l.Outs {
		if is(i) {
			all = append(all, v)
		}
	}
	return all
}

// list prints the values of arguments.
func list(args []HostArg) string { return listed(ValuesOf(args)) }

// listed prints values.
func listed(ids []ValueID) string {
	var names []string
	for _, v := range ids {
		names = append(names, fmt.Sprintf("v%d", v))
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"temporary", "argument", "result", "constant", "table"}[k]
}
