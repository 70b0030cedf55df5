package kit

import (
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/mlir"
)

// scalars is a region that computes one scalar of pairs of them, such as a
// comparator's: a kernel without axes.
type scalars struct {
	kernel *kernel.Kernel
	of     []int // by parameter: the region's argument; -1 for what it returns
}

// scalars compiles the text of a region, which uses nothing from outside, as a
// program, and makes one kernel of that. It is nil if the program is not made of
// kernels of scalars. A comparator may use the total order of floats.
func (t *translator) scalars(r *mlir.Region, name string, comparator bool) (*scalars, error) {
	text, _ := regionText(r, nil, t.others, false)
	region, err := backends.Load(t.ctx, backends.NewModule(text), backends.Options{Name: t.file})
	if err != nil {
		return nil, err
	}
	p, err := t.compile(t.ctx, region, Options{Eval: t.o.Eval, Check: t.o.Check, comparator: comparator})
	switch {
	case errors.Is(err, ErrNotCompiled):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return scalarsOf(p, name), nil
}

// scalarsOf makes one kernel of the kernels of a program, if all of them are of
// scalars.
func scalarsOf(p *Program, name string) *scalars {
	s := &scalars{}
	b := kernel.NewBuilder(name)
	b.Stage()
	made := map[ValueID]kernel.ID{} // what was loaded or computed
	load := func(v ValueID) (kernel.ID, bool) {
		id, known := made[v]
		if known || p.Values[v].Kind != Argument {
			return id, known
		}
		i := p.Values[v].Index
		s.of = append(s.of, i)
		made[v] = b.Load(b.Param(kernel.Param{Name: fmt.Sprint("xy"[i%2:i%2+1], i/2), DType: p.Values[v].Type.DType}))
		return made[v], true
	}
	for i := range p.Steps {
		step := p.Steps[i].Launch()
		if step == nil || !ofScalars(p.Kernels[step.Kernel]) {
			return nil
		}
		k := p.Kernels[step.Kernel]
		ids := make([]kernel.ID, len(k.Instrs))
		for n, in := range k.Instrs {
			known := true
			switch in.Op {
			case kernel.Load:
				ids[n], known = load(step.Operands[in.Mem.Param].Value)
			case kernel.Store:
				made[step.Operands[in.Mem.Param].Value] = ids[in.Args[0]]
			default:
				ids[n] = b.Emit(moved(in, ids))
			}
			if !known {
				return nil
			}
		}
	}
	result, known := load(p.Results[0])
	if !known {
		return nil
	}
	s.of = append(s.of, -1)
	b.Store(b.Param(kernel.Param{Name: name, DType: p.Values[p.Results[0]].Type.DType, Out: true}), result)
	s.kernel = b.Kernel()
	if kernel.Verify(s.kernel) != nil {
		return nil
	}
	return s
}

// moved is an instruction whose arguments have other numbers.
func moved(in kernel.Instr, ids []kernel.ID) kernel.Instr {
	in.Args = slices.Clone(in.Args)
	for i, a := range in.Args {
		in.Args[i] = ids[a]
	}
	return in
}

// apply computes the scalars of some values, the region's arguments.
func (b *nodeBuilder) apply(s *scalars, args ...kernel.ID) kernel.ID {
	ids := make([]kernel.ID, len(s.kernel.Instrs))
	result := kernel.None
	for n, in := range s.kernel.Instrs {
		switch in.Op {
		case kernel.Load:
			ids[n] = args[s.of[in.Mem.Param]]
		case kernel.Store:
			result = ids[in.Args[0]]
		default:
			ids[n] = b.Emit(moved(in, ids))
		}
	}
	return result
}

// ofScalars reports whether a kernel computes scalars of scalars, that depend on
// nothing else.
func ofScalars(k *kernel.Kernel) bool {
	for i := range k.Params {
		if len(k.Params[i].Dims) > 0 {
			return false
		}
	}
	for i := range k.Instrs {
		switch op := k.Instrs[i].Op; {
		case op == kernel.Load, op == kernel.Store:
			if k.Instrs[i].Mem.Local || k.Instrs[i].Mem.Combine != kernel.Invalid {
				return false
			}
		case op != kernel.Constant && !op.Computes():
			return false
		}
	}
	return len(k.Axes) == 0
}
