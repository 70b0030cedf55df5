package kernel

import (
	"slices"

	"ltc/ir/dims"
)

// Static reports whether no size, and no number of an index, is an expression of package dims.
func (k *Kernel) Static() bool {
	static := true
	k.eachSize(func(n int64) int64 {
		static = static && !dims.GoIsExpr(n)
		return n
	})
	return static
}

// Typical returns a kernel whose sizes are what those of k typically are ([dims.Typical]), or k
// if it has no expressions: what depends on a choice between two right programs is asked for it.
func (k *Kernel) Typical() *Kernel {
	if k.Static() {
		return k
	}
	t := *k
	t.Params, t.Axes, t.Locals, t.Stages, t.Instrs = slices.Clone(k.Params), slices.Clone(k.Axes), slices.Clone(k.Locals), slices.Clone(k.Stages), slices.Clone(k.Instrs)
	for i := range t.Params {
		t.Params[i].Dims = slices.Clone(t.Params[i].Dims)
	}
	for i := range t.Locals {
		t.Locals[i].Dims = slices.Clone(t.Locals[i].Dims)
	}
	for s := range t.Stages {
		t.Stages[s].Axes = slices.Clone(t.Stages[s].Axes)
	}
	for id := range t.Instrs {
		m := t.Instrs[id].Mem
		if m == nil {
			continue
		}
		own := *m
		own.Index = slices.Clone(m.Index)
		for d := range own.Index {
			own.Index[d].Terms = slices.Clone(own.Index[d].Terms)
		}
		t.Instrs[id].Mem = &own
	}
	t.eachSize(dims.Typical[int64])
	return &t
}

// eachSize sets each size, and each number of an index, to what f returns for it.
func (k *Kernel) eachSize(f func(int64) int64) {
	set := func(s *Size) {
		if n := f(int64(*s)); n != int64(*s) {
			*s = Size(n)
		}
	}
	sizes := func(list []Size) {
		for i := range list {
			set(&list[i])
		}
	}
	axes := func(list []Axis) {
		for i := range list {
			set(&list[i].Size)
		}
	}
	for i := range k.Params {
		sizes(k.Params[i].Dims)
	}
	for i := range k.Locals {
		sizes(k.Locals[i].Dims)
	}
	axes(k.Axes)
	for s := range k.Stages {
		axes(k.Stages[s].Axes)
	}
	for id := range k.Instrs {
		in := &k.Instrs[id]
		if in.Op == SizeOf {
			if n := f(in.Aux); n != in.Aux {
				in.Aux = n
			}
		}
		if in.Mem == nil {
			continue
		}
		for d := range in.Mem.Index {
			x := &in.Mem.Index[d]
			if n := f(x.Offset); n != x.Offset {
				x.Offset = n
			}
			for t := range x.Terms {
				if n := f(x.Terms[t].Factor); n != x.Terms[t].Factor {
					x.Terms[t].Factor = n
				}
			}
		}
	}
}

// Literal returns an index that has no expressions of package dims: they become part of its
// value, by instructions that the builder adds.
func (b *Builder) Literal(i Index) Index {
	if !dims.GoIsExpr(i.Offset) && !slices.ContainsFunc(i.Terms, func(t Term) bool { return dims.GoIsExpr(t.Factor) }) {
		return i
	}
	open := Index{Value: None}
	var terms []Term
	for _, t := range i.Terms {
		if dims.GoIsExpr(t.Factor) {
			open.Terms = append(open.Terms, t)
		} else {
			terms = append(terms, t)
		}
	}
	if i.Terms = terms; dims.GoIsExpr(i.Offset) {
		open.Offset, i.Offset = i.Offset, 0
	}
	open.Value = i.Value
	i.Value = b.Number(open)
	return i
}
