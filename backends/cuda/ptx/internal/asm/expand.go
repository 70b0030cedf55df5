package asm

import (
	"math"

	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Mathematical functions are package expand's, of instructions that are exact or
// rounded to nearest; docs/math.md says how far off they are.

// Target is the arithmetic of GPUs. Kernels wait for memory more than for
// instructions, so functions take the more exact way.
var Target = expand.Target{FMA: true, Precise: true}

// code writes an expansion.
func (w *Writer) code(c *expand.Code, args []string) string {
	vals := make([]string, len(c.Instrs))
	copy(vals, args)
	for id := c.Args; id < len(c.Instrs); id++ {
		i := &c.Instrs[id]
		switch i.Op {
		case kernel.Constant:
			vals[id] = w.Constant(i.Type, uint64(i.Aux))
			continue
		case kernel.Lookup:
			vals[id] = w.lookup(kernel.TableRow(i.Aux), i.Type, vals[i.Args[0]])
			continue
		}
		o := operation{i.Type, c.Instrs[i.Args[0]].Type, make([]string, len(i.Args)), expand.Use{}}
		for n, a := range i.Args {
			if a != kernel.None {
				o.args[n] = vals[a]
			}
		}
		if r, rare := c.Rare[kernel.ID(id)]; rare {
			vals[id] = w.rarely(r, i.Type, o.args[0], o.args[2], vals)
			continue
		}
		if l, loop := c.Loops[kernel.ID(id)]; loop {
			vals[id] = w.looped(l, i.Args, c, vals)
			continue
		}
		vals[id] = w.operation(i.Op, o)
	}
	return vals[c.Result]
}

// rarely returns usual, but what r computes where a predicate holds.
func (w *Writer) rarely(r expand.Rare, t types.DType, p, usual string, vals []string) string {
	args := make([]string, len(r.Args))
	for n, a := range r.Args {
		args[n] = vals[a]
	}
	v := w.Variable(ClassOf(t), usual)
	w.When(p, func() { w.Set(ClassOf(t), v, w.code(r.Code, args)) })
	return v
}

// looped runs code of values of given arguments as long as it goes on.
func (w *Writer) looped(l expand.Loop, args []kernel.ID, c *expand.Code, vals []string) string {
	all := make([]string, len(args))
	for n, a := range args {
		if all[n] = vals[a]; n < len(l.Next) {
			all[n] = w.Variable(ClassOf(c.Instrs[a].Type), vals[a])
		}
	}
	w.While(func() string { return w.code(l.Again, all) }, func() {
		next := make([]string, len(l.Next))
		for n, code := range l.Next {
			next[n] = w.code(code, all)
		}
		for n, v := range next {
			w.Set(ClassOf(c.Instrs[args[n]].Type), all[n], v)
		}
	})
	return all[0]
}

// lookup looks an index up in a row of a table, whose rows are behind each other in
// words of 64 bits.
func (w *Writer) lookup(at kernel.TableRow, t types.DType, i string) string {
	table, row := at.Table()
	var words []uint64
	for k := range table.Rows() {
		words = append(words, table.Bits(k, 64)...)
	}
	n := len(words) / table.Rows()
	v := w.words(table.Name, words, w.Op(Long, "and.b64", i, Number(int64(n-1))))(row * n)
	if !t.IsFloat() {
		return v
	}
	v = w.Op(Double, "mov.b64", v)
	if t == types.F32 {
		return w.Op(Single, "cvt.rn.f32.f64", v)
	}
	return v
}

var inf = math.Inf(1)
