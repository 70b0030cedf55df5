package main

import (
	"cmp"
	"errors"
	"io"

	"ltc/backends"
)

// memory prints what a run of a program takes of memory.
func (c *call) memory(p *program, exe backends.Executable) error {
	if exe.Signature().Open() {
		return errors.New("the program leaves a size open, on which the memory of a run depends: set it in the text")
	}
	plan, at := backends.MemoryPlanOf(exe), places(p.file, p.source)
	for i := range plan.Steps {
		s := &plan.Steps[i]
		s.Line = cmp.Or(s.Line, at(s.Op))
	}
	for i := range plan.Values {
		v := &plan.Values[i]
		v.Line = cmp.Or(v.Line, at(v.Op))
	}
	_, err := io.WriteString(c.stdout, plan.String())
	return err
}
