package fuse

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// copier copies instructions from one kernel to another that is being built.
type copier struct {
	to     *kernel.Builder
	from   *kernel.Kernel
	axes   []kernel.Index // what an axis of from is there; by from's numbers in the stage
	plain  []kernel.Index // the axes as they are
	params []int
	locals []int
	ids    []kernel.ID // by from's; None where nothing was copied

	// Memory of what instructions point to: the parts of a kernel live as long as it does.
	args     slab[kernel.ID]
	accesses slab[kernel.Access]
	indices  slab[kernel.Index]
	all      struct{ args, accesses, indices int } // that from has
}

// mostSlab bounds a block: few instructions of a long kernel may be copied.
const mostSlab = 16

// slab gives out pieces of one block of memory.
type slab[T any] []T

// take returns n elements. A new block has room for all, unless these are many.
func (s *slab[T]) take(n, all int) []T {
	if n == 0 {
		return nil
	}
	if len(*s) < n {
		*s = make([]T, max(n, min(all, mostSlab)))
	}
	piece := (*s)[:n:n]
	*s = (*s)[n:]
	return piece
}

func newCopier(to *kernel.Builder, from *kernel.Kernel) *copier {
	c := &copier{to: to, from: from, params: make([]int, len(from.Params)), ids: make([]kernel.ID, len(from.Instrs))}
	for i := range c.ids {
		c.ids[i] = kernel.None
		in := &from.Instrs[i]
		c.all.args += len(in.Args)
		if in.Mem != nil {
			c.all.accesses++
			c.all.indices += len(in.Mem.Index)
		}
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
				v = c.to.Op(kernel.Multiply, types.I64, v, c.to.Extent(t.Factor))
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
	args := c.args.take(len(i.Args), c.all.args)
	for j, a := range i.Args {
		args[j] = c.ids[a]
	}
	i.Args = args
	if i.Mem != nil {
		m := &c.accesses.take(1, c.all.accesses)[0]
		*m = *i.Mem
		if m.Local {
			m.Param = c.locals[i.Mem.Param]
		} else {
			m.Param = c.params[i.Mem.Param]
		}
		m.Index = c.indices.take(len(i.Mem.Index), c.all.indices)
		for d := range m.Index {
			m.Index[d] = c.index(i.Mem.Index[d])
		}
		i.Mem = m
	}
	c.ids[id] = c.to.Emit(i)
}

// literal copies an instruction, with indices that are literal: see [kernel.Builder.Literal].
func (c *copier) literal(id kernel.ID) {
	c.instr(id)
	m := c.from.Instrs[id].Mem
	if m == nil || dims.Static(numbersOf(m)) {
		return
	}
	in := c.to.Pop()
	for d := range in.Mem.Index {
		in.Mem.Index[d] = c.to.Literal(in.Mem.Index[d])
	}
	c.ids[id] = c.to.Emit(in)
}

// numbersOf returns the numbers of an access's indices.
func numbersOf(m *kernel.Access) (all []int64) {
	for _, x := range m.Index {
		all = append(all, x.Offset)
		for _, t := range x.Terms {
			all = append(all, t.Factor)
		}
	}
	return all
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
