package fuse

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// copier copies instructions from one kernel to another that is being built.
type copier struct {
	to     *kernel.Builder
	from   *kernel.Kernel
	axes   []kernel.Index // what an axis of from is there; by from's numbers in the stage
	params []int
	locals []int
	ids    []kernel.ID // by from's; None where nothing was copied
}

func newCopier(to *kernel.Builder, from *kernel.Kernel) *copier {
	c := &copier{to: to, from: from, params: make([]int, len(from.Params)), ids: make([]kernel.ID, len(from.Instrs))}
	for i := range c.ids {
		c.ids[i] = kernel.None
	}
	return c
}

// withAxes begins a kernel with the axes of another.
func withAxes(name string, of *kernel.Kernel) *kernel.Builder {
	b := kernel.NewBuilder(name)
	for _, a := range of.Axes {
		b.Axis(a.Name, a.Size)
	}
	return b
}

// declare gives the new kernel, which has none yet, all locals and operands of
// from.
func (c *copier) declare() {
	for _, l := range c.from.Locals {
		c.locals = append(c.locals, c.to.Local(l))
	}
	for i, p := range c.from.Params {
		c.params[i] = c.to.Param(p)
	}
}

// index returns what an index of from is. It may add instructions.
func (c *copier) index(i kernel.Index) kernel.Index {
	r := i.Over(c.axes)
	if i.Value != kernel.None {
		r.Value = c.ids[i.Value]
	}
	for _, t := range i.Terms {
		if a := c.axes[t.Axis]; a.Value != kernel.None {
			v := c.to.As(types.I64, a.Value)
			if t.Factor != 1 {
				v = c.to.Op(kernel.Multiply, types.I64, v, c.to.Int(types.I64, t.Factor))
			}
			if r.Value != kernel.None {
				v = c.to.Op(kernel.Add, types.I64, c.to.As(types.I64, r.Value), v)
			}
			r.Value = v
		}
	}
	return r
}

// instr copies an instruction.
func (c *copier) instr(id kernel.ID) {
	i := c.from.Instrs[id]
	if i.Op == kernel.Iota {
		c.ids[id] = c.number(i.Type, c.axes[i.Aux])
		return
	}
	i.Args = slices.Clone(i.Args)
	for j, a := range i.Args {
		i.Args[j] = c.ids[a]
	}
	if i.Mem != nil {
		m := *i.Mem
		if m.Local {
			m.Param = c.locals[i.Mem.Param]
		} else {
			m.Param = c.params[i.Mem.Param]
		}
		m.Index = make([]kernel.Index, len(i.Mem.Index))
		for d := range m.Index {
			m.Index[d] = c.index(i.Mem.Index[d])
		}
		i.Mem = &m
	}
	c.ids[id] = c.to.Emit(i)
}

// instrs copies the instructions from one to before another.
func (c *copier) instrs(from, to kernel.ID) {
	for id := from; id < to; id++ {
		c.instr(id)
	}
}

// number computes an index as a number of type t.
func (c *copier) number(t types.DType, i kernel.Index) kernel.ID {
	if len(i.Terms) == 1 && i.IsAxis(i.Terms[0].Axis) {
		return c.to.Emit(kernel.Instr{Op: kernel.Iota, Type: t, Aux: int64(i.Terms[0].Axis)})
	}
	return c.to.As(t, c.to.Number(i))
}
