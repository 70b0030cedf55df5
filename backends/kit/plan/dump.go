package plan

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// String prints the program: its kernels, its values and its steps. Below a loop
// or a branch its regions follow, indented, which are programs with kernels and
// values of their own. Steps are numbered through all of them, as in profiles.
func (p *Program) String() string {
	var b strings.Builder
	p.print(&b, 0)
	return b.String()
}

// print prints the program; its first step has a number.
func (p *Program) print(b *strings.Builder, first int) {
	for i, k := range p.Kernels {
		fmt.Fprintf(b, "// kernel %d\n%v", i, k)
	}
	numbers := p.stepNumbers(first)
	for i, v := range p.Values {
		fmt.Fprintf(b, "v%d: %v %v", i, v.Kind, v.Type)
		switch v.Kind {
		case Argument:
			fmt.Fprintf(b, " %d", v.Index)
		case Result:
			if fmt.Fprintf(b, " %d", v.Index); p.InPlace(v.Index) {
				fmt.Fprintf(b, " over v%d", p.Args[p.Signature.Results[v.Index].Alias])
			}
		case Temporary:
			fmt.Fprintf(b, " at %d", v.Offset)
		case Table:
			fmt.Fprintf(b, " of v%d", v.Index)
		}
		if v.Layout != nil {
			fmt.Fprintf(b, " strides %v", v.Layout)
		}
		fmt.Fprintf(b, ", steps %d to %d\n", numberOf(numbers, v.First), numberOf(numbers, v.Last))
	}
	for i := range p.Steps {
		fmt.Fprintf(b, "step %d: ", numbers[i])
		p.Steps[i].Work.print(b, numbers[i]+1)
	}
	fmt.Fprintf(b, "arena %s\n", diag.Count(p.Arena, "byte"))
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
func (s *Launch) print(b *strings.Builder, _ int) {
	fmt.Fprintf(b, "kernel %d(", s.Kernel)
	for j, o := range s.Operands {
		if j > 0 {
			b.WriteString(", ")
		}
		if fmt.Fprintf(b, "v%d", o.Value); o.Offset != 0 {
			fmt.Fprintf(b, "+%d", o.Offset)
		}
		printFactors(b, o.By)
	}
	fmt.Fprintf(b, ") sizes %v strides %v", s.Sizes, s.Strides)
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

func printFactors(b *strings.Builder, by []Factor) {
	for _, f := range by {
		fmt.Fprintf(b, " + %d·s%d", f.By, f.Dim)
	}
}

// print prints a step that is a composite.
func (c *Composite) print(b *strings.Builder, _ int) {
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
func (h *Host) print(b *strings.Builder, _ int) { fmt.Fprintf(b, "host %s: %s\n", h.Op, h.Reason) }

// print prints a loop with its regions.
func (l *Loop) print(b *strings.Builder, first int) {
	fmt.Fprintf(b, "while carries %s takes %s gives %s", list(l.Init), list(l.Captured), listed(l.Outs))
	if stay := l.staying(); len(stay) > 0 {
		fmt.Fprintf(b, ", of which the body writes over %s", listed(stay))
	}
	b.WriteString("\n  condition:\n")
	first = l.Cond.printInner(b, first)
	b.WriteString("  body:\n")
	l.Body.printInner(b, first)
}

// print prints a branch with its regions.
func (s *Branch) print(b *strings.Builder, first int) {
	fmt.Fprintf(b, "branch v%d takes %s gives %s\n", s.Index.Value, list(s.Captured), listed(s.Outs))
	for j, r := range s.Branches {
		fmt.Fprintf(b, "  branch %d:\n", j)
		first = r.printInner(b, first)
	}
}

// printInner prints the program of a region, whose first step has a number, and returns
// the number of the step that follows.
func (p *Program) printInner(b *strings.Builder, first int) int {
	var inner strings.Builder
	p.print(&inner, first)
	for line := range strings.Lines(inner.String()) {
		b.WriteString("    " + line)
	}
	p.Each(func(*Step) { first++ })
	return first
}

// staying returns what the body of a loop writes its next value over.
func (l *Loop) staying() []ValueID {
	var all []ValueID
	for i, v := range l.Outs {
		if l.Stays[i] {
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
