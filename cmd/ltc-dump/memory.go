package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference/eval"
	"ltc/mlir"
)

// memory prints what a run of a program takes of memory. op returns the ordinal in the source of an op
// of the text.
func (c *call) memory(p *program, exe backends.Executable, op func(int) int) error {
	if exe.Signature().Open() {
		return errors.New("the program leaves a size open, on which the memory of a run depends: give it with -size")
	}
	plan, at := backends.MemoryPlanOf(exe), places(p.file, p.source)
	for i := range plan.Steps {
		s := &plan.Steps[i]
		s.Line = cmp.Or(s.Line, at(op(s.Op)))
	}
	for i := range plan.Values {
		v := &plan.Values[i]
		v.Line = cmp.Or(v.Line, at(op(v.Op)))
	}
	_, err := io.WriteString(c.stdout, plan.String())
	return err
}

// fixed gives a program's text the sizes that have values, and those that follow from them. A size that the
// program reads as a number is one more argument, as in a run. op returns the ordinal that an op of the new
// text has in the old one, -1 if it has none.
func (s sizes) fixed(ctx context.Context, p *program) (op func(int) int, err error) {
	same := func(i int) int { return i }
	if len(s) == 0 {
		return same, nil
	}
	of, err := backends.LoadOpen(ctx, backends.NewModule(p.text), backends.Options{Name: p.file})
	if err != nil {
		return same, p.refused(ctx, err)
	}
	args, err := s.close(p, of.Signature.Args)
	if err != nil {
		return same, err
	}
	shapes := make([][]int, len(args))
	for i, a := range args {
		if shapes[i] = a.Type.Shape; slices.Contains(shapes[i], backends.AnySize) {
			return same, nil // not all sizes have values
		}
	}
	if err := kit.Inline(ctx, of.Module); err != nil { // a body has one type for all calls until then
		return same, p.refused(ctx, err)
	}
	if _, err := eval.New().FixSizes(ctx, of, shapes); err != nil {
		return same, p.refused(ctx, err)
	}
	var ordinals []int
	of.Module.Walk(func(op *mlir.Op) bool {
		ordinals = append(ordinals, op.Ordinal)
		return true
	})
	var text strings.Builder
	if err := of.Module.Print(&text, mlir.PrintOptions{Locations: true}); err != nil {
		return same, err
	}
	p.text = text.String()
	return func(i int) int {
		if i < 0 || i >= len(ordinals) {
			return -1
		}
		return ordinals[i]
	}, nil
}
