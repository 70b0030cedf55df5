package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/mlir"
)

// stageView is what is shown of a stage of the compiler.
type stageView struct {
	name string
	loc  bool                // with the lines that steps come from
	step int                 // the only step; -1: all
	line string              // the steps of a line of the source or of the text; "": all
	at   func(op int) string // where an op of the text stands

	failed error // of print, which the compiler calls
}

// filters reports whether not all steps are shown.
func (v *stageView) filters() bool { return v.step != -1 || v.line != "" }

// print prints a program at the stage.
func (v *stageView) print(w io.Writer, program fmt.Stringer) {
	switch p := program.(type) {
	case *mlir.Module:
		v.failed = p.Print(w, mlir.PrintOptions{Locations: v.loc})
	case *plan.Program:
		v.failed = v.list(w, p)
	default:
		_, v.failed = io.WriteString(w, program.String())
	}
}

// list prints the steps of a program that are asked for.
func (v *stageView) list(w io.Writer, p *plan.Program) error {
	var l plan.Listing
	if v.loc || v.line != "" {
		l.Place = func(loc mlir.Location, op int) string {
			return strings.TrimSpace(backends.LineOf(loc) + " " + v.at(op))
		}
	}
	steps, found := 0, false
	p.Each(func(*plan.Step) { steps++ })
	if v.filters() {
		l.Chosen = func(number int, place string) bool {
			chosen := (v.step < 0 || number == v.step) && (v.line == "" || isAt(place, v.line))
			found = found || chosen
			return chosen
		}
	}
	text := p.List(l)
	switch {
	case !v.filters() || found:
		_, err := io.WriteString(w, text)
		return err
	case v.line == "":
		return fmt.Errorf("no step %d: the program has steps 0 to %d", v.step, steps-1)
	case v.step == -1:
		return fmt.Errorf("no step comes from %s: a kernel of several ops has the line of one; -loc prints the lines", v.line)
	}
	return fmt.Errorf("step %d does not come from %s", v.step, v.line)
}

// isAt reports whether a place names a line, whose file may lack folders.
func isAt(place, line string) bool {
	return slices.ContainsFunc(strings.Fields(place), func(w string) bool { return w == line || strings.HasSuffix(w, "/"+line) })
}
