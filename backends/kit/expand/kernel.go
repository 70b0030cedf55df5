package expand

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Kernel returns a kernel that computes what k does without ops that
// [kernel.Op.Expands] says have expansions, but for those that loop. Emitters whose schedules go by an op's name expand
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
			x.as[id] = x.rewritten(&k.Instrs[id], x.as, target)
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

// rewritten writes an instruction, whose arguments have new names.
func (x *expander) rewritten(i *kernel.Instr, as []kernel.ID, target Target) kernel.ID {
	c := *i
	c.Args = renamed(i.Args, as)
	if i.Mem != nil {
		m := *i.Mem
		m.Index = append([]kernel.Index(nil), m.Index...)
		for d := range m.Index {
			if v := m.Index[d].Value; v != kernel.None {
				m.Index[d].Value = as[v]
			}
		}
		c.Mem = &m
	}
	if !i.Op.Computes() {
		return x.emit(c)
	}
	from := x.k.Instrs[c.Args[0]].Type
	if !i.Op.Expands(from) {
		return x.emit(c)
	}
	t := from
	if t.IsFloat() && t.Size() == 2 {
		t = types.F32
	}
	code := Of(i.Op, t, target, Use{})
	if code.Loops != nil {
		return x.emit(c)
	}
	if t != from {
		for n, a := range c.Args {
			c.Args[n] = x.emit(kernel.Instr{Op: kernel.Convert, Type: t, Args: []kernel.ID{a}})
		}
	}
	r := x.inline(code, c.Args, target)
	if t != from && i.Type == from {
		r = x.emit(kernel.Instr{Op: kernel.Convert, Type: i.Type, Args: []kernel.ID{r}})
	}
	return r
}

// inline writes code on values.
func (x *expander) inline(c *Code, args []kernel.ID, target Target) kernel.ID {
	as := make([]kernel.ID, len(c.Instrs))
	copy(as, args)
	for id := c.Args; id < len(c.Instrs); id++ {
		i := c.Instrs[id]
		if r, rare := c.Rare[kernel.ID(id)]; rare {
			i.Args = renamed(i.Args, as)
			i.Args[1] = x.inline(r.Code, renamed(r.Args, as), target)
			as[id] = x.emit(i)
			continue
		}
		as[id] = x.rewritten(&i, as, target)
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
