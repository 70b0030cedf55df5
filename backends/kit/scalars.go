package kit

import (
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// scalars is a region that computes scalars of scalars, such as a comparator's: a
// kernel without axes.
type scalars struct {
	kernel *kernel.Kernel
	of     []int // by parameter: the region's argument; -1 for what it returns, -2 for the second of that, …
}

// scalars compiles the text of a region, which uses nothing from outside, as a
// program, and makes one kernel of that. It is nil if the program is not made of
// kernels of scalars.
func (t *translator) scalars(r *mlir.Region, name string) (*scalars, error) {
	text, _ := regionText(r, nil, t.others, false)
	region, err := backends.Load(t.ctx, backends.NewModule(text), backends.Options{Name: t.file})
	if err != nil {
		return nil, err
	}
	p, err := t.compile(t.ctx, region, Options{Eval: t.o.Eval, Check: t.o.Check})
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
func scalarsOf(p *plan.Program, name string) *scalars {
	s := &scalars{}
	b := kernel.NewBuilder(name)
	b.Stage()
	made := map[plan.ValueID]kernel.ID{} // what was loaded or computed
	load := func(v plan.ValueID) (kernel.ID, bool) {
		id, known := made[v]
		value := &p.Values[v]
		switch {
		case known:
			return id, true
		case value.Kind == plan.Constant && len(value.Data) == value.Type.DType.Size():
			made[v] = b.Bits(value.Type.DType, kernel.LoadBits(value.Data, len(value.Data)))
			return made[v], true
		case value.Kind != plan.Argument:
			return id, false
		}
		i := value.Index
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
	for i, r := range p.Results {
		result, known := load(r)
		if !known {
			return nil
		}
		s.of = append(s.of, -1-i)
		param := kernel.Param{Name: name, DType: p.Values[r].Type.DType, Out: true}
		if i > 0 {
			param.Name += fmt.Sprint(i + 1)
		}
		b.Store(b.Param(param), result)
	}
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

// apply computes the scalar of some values, the region's arguments.
func (b *nodeBuilder) apply(s *scalars, args ...kernel.ID) kernel.ID {
	return b.applyAll(s, args)[0]
}

// applyAll computes all scalars of some values, the region's arguments.
func (b *nodeBuilder) applyAll(s *scalars, args []kernel.ID) []kernel.ID {
	ids := make([]kernel.ID, len(s.kernel.Instrs))
	results := make([]kernel.ID, len(s.kernel.Outs()))
	for n, in := range s.kernel.Instrs {
		switch in.Op {
		case kernel.Load:
			ids[n] = args[s.of[in.Mem.Param]]
		case kernel.Store:
			results[-1-s.of[in.Mem.Param]] = ids[in.Args[0]]
		default:
			ids[n] = b.Emit(moved(in, ids))
		}
	}
	return results
}

// evaluated returns the bits of what a region of scalars computes of the bits of its
// arguments.
func (t *translator) evaluated(r *mlir.Region, args []uint64) ([]uint64, error) {
	text, _ := regionText(r, nil, t.others, false)
	exe, err := t.o.Eval.Compile(t.ctx, backends.NewModule(text), backends.Options{})
	if err != nil {
		return nil, err
	}
	element := func(v soa.View) []byte { return unsafe.Slice((*byte)(v.Base()), v.Type.DType.Size()) }
	call := &backends.Call{}
	for i, a := range exe.Signature().Args {
		v := soa.Make(a.Type)
		kernel.StoreBits(element(v), a.Type.DType.Size(), args[i])
		call.Args = append(call.Args, v)
	}
	if err := exe.Execute(t.ctx, call); err != nil {
		return nil, err
	}
	var bits []uint64
	for _, v := range call.Results {
		bits = append(bits, kernel.LoadBits(element(v), v.Type.DType.Size()))
	}
	return bits, nil
}

// pointwise returns a region of scalars for a region that computes elementwise on
// tensors of one shape. The new region takes one element of each argument, and computes
// the element of each result at the same place. It is nil if the region does something
// else.
func pointwise(r *mlir.Region) *mlir.Region {
	if len(r.Blocks) != 1 || len(r.Blocks[0].Args) == 0 {
		return nil
	}
	from := r.Blocks[0]
	of, ok := from.Args[0].Type.(*mlir.TensorType)
	if !ok {
		return nil
	}
	to, c := &mlir.Block{}, mlir.Cloner{}
	scalar := func(v *mlir.Value) mlir.Type { // nil: v is neither of the shape nor a scalar
		t, ok := v.Type.(*mlir.TensorType)
		if !ok || !t.Static() || t.Encoding != nil || !mlir.DTypeOf(t.Elem).Valid() || len(t.Shape) > 0 && !slices.Equal(t.Shape, of.Shape) {
			return nil
		}
		return mlir.Tensor(t.Elem)
	}
	for i, a := range from.Args {
		t := scalar(a)
		if t == nil {
			return nil
		}
		b := &mlir.Value{Type: t, Block: to, Index: i}
		to.Args = append(to.Args, b)
		c.Replace(a, b)
	}
	for _, op := range from.Ops {
		x := c.Op(op)
		for i, v := range op.Results {
			t := scalar(v)
			if t == nil {
				return nil
			}
			x.Results[i].Type = t
		}
		switch {
		case opTable[op.Code].apply != kernel.Invalid, op.Code.Info().Traits.Has(mlir.Terminator), op.Code == stablehlo.Compare:
		case op.Code == stablehlo.Constant:
			a, ok := op.Attrs.Get("value").(*mlir.DenseAttr)
			if !ok {
				return nil
			}
			data, splat, err := a.Decode()
			t := x.Results[0].Type.(*mlir.TensorType)
			switch {
			case err != nil:
				return nil
			case a.Type.Elements() == 0: // nothing is computed of it
				data = make([]byte, mlir.DTypeOf(t.Elem).Size())
			case !splat && a.Type.Elements() != 1:
				return nil
			}
			one := mlir.Dense(t, data)
			if one == nil {
				return nil
			}
			x.Attrs.Set("value", one)
		case op.Code == stablehlo.BroadcastInDim && len(op.Operands[0].Type.(*mlir.TensorType).Shape) == 0:
			x.Attrs.Set("broadcast_dimensions", mlir.I64Array([]int64{}))
		default:
			return nil
		}
		to.Ops = append(to.Ops, x)
	}
	return &mlir.Region{Blocks: []*mlir.Block{to}}
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
