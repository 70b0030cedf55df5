package expand

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Kernel returns a kernel that computes what k does without ops that are
// [kernel.Op.Expanded], of floats. Emitters whose schedules go by an op's name expand
// it where they write it; all else can run this. What [Code.Rare] has is computed
// always. Code made of the result must not contract products and sums, as the kernel IR
// allows elsewhere: FMA stands where one rounding is wanted.
func Kernel(k *kernel.Kernel, target Target) *kernel.Kernel {
	e := *k
	e.Instrs, e.Stages = nil, make([]kernel.Stage, len(k.Stages))
	x := &expander{k: &e, as: make([]kernel.ID, len(k.Instrs))}
	for s, st := range k.Stages {
		e.Stages[s] = kernel.Stage{Axes: st.Axes, Begin: kernel.ID(len(e.Instrs))}
		for id := st.Begin; id < st.End; id++ {
			x.as[id] = x.instr(&k.Instrs[id], target)
		}
		e.Stages[s].End = kernel.ID(len(e.Instrs))
	}
	return &e
}

type expander struct {
	k  *kernel.Kernel
	as []kernel.ID // by ID of the kernel that is expanded
}

func (x *expander) emit(i kernel.Instr) kernel.ID {
	x.k.Instrs = append(x.k.Instrs, i)
	return kernel.ID(len(x.k.Instrs) - 1)
}

func (x *expander) instr(i *kernel.Instr, target Target) kernel.ID {
	c := *i
	c.Args = renamed(i.Args, x.as)
	if i.Mem != nil {
		m := *i.Mem
		m.Index = append([]kernel.Index(nil), m.Index...)
		for d := range m.Index {
			if v := m.Index[d].Value; v != kernel.None {
				m.Index[d].Value = x.as[v]
			}
		}
		c.Mem = &m
	}
	if !i.Op.Expanded() || !i.Type.IsFloat() {
		return x.emit(c)
	}
	t := i.Type
	if t.Size() == 2 {
		t = types.F32
		for n, a := range c.Args {
			c.Args[n] = x.emit(kernel.Instr{Op: kernel.Convert, Type: t, Args: []kernel.ID{a}})
		}
	}
	r := x.inline(Of(i.Op, t, target, Use{}), c.Args)
	if t != i.Type {
		r = x.emit(kernel.Instr{Op: kernel.Convert, Type: i.Type, Args: []kernel.ID{r}})
	}
	return r
}

// inline writes code on values.
func (x *expander) inline(c *Code, args []kernel.ID) kernel.ID {
	as := make([]kernel.ID, len(c.Instrs))
	copy(as, args)
	for id := c.Args; id < len(c.Instrs); id++ {
		i := c.Instrs[id]
		i.Args = renamed(i.Args, as)
		if r, rare := c.Rare[kernel.ID(id)]; rare {
			i.Args[1] = x.inline(r.Code, renamed(r.Args, as))
		}
		as[id] = x.emit(i)
	}
	return as[c.Result]
}

// renamed returns values by their new names.
func renamed(ids, as []kernel.ID) []kernel.ID {
	if ids == nil {
		return nil
	}
	all := make([]kernel.ID, len(ids))
	for i, a := range ids {
		if all[i] = kernel.None; a != kernel.None {
			all[i] = as[a]
		}
	}
	return all
}
