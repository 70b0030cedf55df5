package emit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// contract finds the products that are rounded once with the sum they go into.
func (f *function) contract() {
	k := f.k
	f.fuse, f.folded = make([]kernel.ID, len(k.Instrs)), make([]bool, len(k.Instrs))
	uses := make([]int, len(k.Instrs))
	for n := range k.Instrs {
		f.fuse[n] = kernel.None
		for _, a := range k.Instrs[n].Args {
			uses[a]++
		}
	}
	if !f.Machine.FMA() {
		return
	}
	on := f.withLocals()
	for s := range k.Stages {
		for id := k.Stages[s].Begin; id < k.Stages[s].End; id++ {
			i := &k.Instrs[id]
			sum := i.Op == kernel.Add || i.Op == kernel.Subtract || i.Op == kernel.Reduce && kernel.Op(i.Aux) == kernel.Add
			if !sum || i.Type != types.F32 && i.Type != types.F64 {
				continue
			}
			for _, a := range i.Args {
				inner := i.Op == kernel.Reduce || on[a] == on[id]
				if k.Instrs[a].Op == kernel.Multiply && uses[a] == 1 && a >= k.Stages[s].Begin && inner && !f.constants(a) {
					f.fuse[id], f.folded[a] = a, true
					break
				}
			}
		}
	}
}

// withLocals returns the axes that values depend on, those of the kernel by way of locals, too:
// what a stage computes of a local has the bits of what the stage before computed without it.
func (f *function) withLocals() []kernel.AxisSet {
	k, outer := f.k, kernel.AxisRange(0, len(f.k.Axes))
	on, stored := slices.Clone(f.on), make([]kernel.AxisSet, len(k.Locals))
	for id := range k.Instrs {
		i := &k.Instrs[id]
		for _, a := range i.Args {
			on[id] |= on[a] & outer
		}
		if i.Mem == nil || !i.Mem.Local {
			continue
		}
		if i.Op == kernel.Load {
			on[id] |= stored[i.Mem.Param]
		} else {
			stored[i.Mem.Param] |= on[id] & outer
		}
	}
	return on
}

// constants reports whether an op is on constants alone.
func (f *function) constants(id kernel.ID) bool {
	for _, a := range f.k.Instrs[id].Args {
		if f.k.Instrs[a].Op != kernel.Constant {
			return false
		}
	}
	return true
}

// instr writes an instruction for a variant of vars.
func (b *body) instr(id kernel.ID, v, vars int, l vector.Lanes) vector.Value {
	i := &b.k.Instrs[id]
	if b.level(id) < b.last() {
		l = vector.Lanes{N: 1}
	}
	arg := func(n int) vector.Value { return b.arg(i.Args[n], v, vars, l) }
	switch i.Op {
	case kernel.Iota:
		return b.iota(i, v, vars, l)
	case kernel.SizeOf:
		return vector.Value{V: b.size(kernel.Size(i.Aux)), DType: types.I64}
	case kernel.Load:
		return b.load(id, v, vars, l)
	case kernel.Store:
		b.store(id, v, vars, l)
		return vector.Value{}
	case kernel.Reduce:
		return vector.Value{} // what it reduces is taken by who has the sum
	case kernel.Scan:
		return b.scan(id, b.Splat(arg(0), l.N), l)
	case kernel.Divide:
		if r, ok := b.inverse[id]; ok {
			return b.binary(kernel.Multiply, arg(0), b.Splat(r, l.N))
		}
	case kernel.Convert:
		if x := b.lowBits(i); x != kernel.None {
			return b.LowBits(b.arg(x, v, vars, l))
		}
	case kernel.Add, kernel.Subtract:
		if p := b.fuse[id]; p != kernel.None {
			return b.fused(i, p, v, vars, l)
		}
	}
	args := make([]vector.Value, len(i.Args))
	for n := range args {
		args[n] = arg(n)
	}
	return b.computed(id, args...)
}

// lowBits returns the integer of 32 bits whose lower four bits a conversion has as f32, where a lookup is one
// instruction: a mask and a conversion are two.
func (b *body) lowBits(i *kernel.Instr) kernel.ID {
	and := &b.k.Instrs[i.Args[0]]
	if i.Type != types.F32 || and.Op != kernel.And || !and.Type.IsInteger() || and.Type.Size() != 4 || b.Machine.Bits() != 512 {
		return kernel.None
	}
	for n, a := range and.Args {
		if c := &b.k.Instrs[a]; c.Op == kernel.Constant && c.Aux == 15 {
			return and.Args[1-n]
		}
	}
	return kernel.None
}

// computed writes an instruction that computes.
func (b *body) computed(id kernel.ID, args ...vector.Value) vector.Value {
	i := &b.k.Instrs[id]
	if i.Op == kernel.Exponential && b.below(i.Args[0]) {
		r, err := b.ExpBelow(args[0])
		return checked(r, err)
	}
	r, err := b.Op(i.Op, i.Type, args...)
	return checked(r, err)
}

func (b *body) level(id kernel.ID) int { return b.levels[id-b.begin] }

// checked returns r: that there is code has been looked at before.
func checked(r vector.Value, err error) vector.Value {
	if err != nil {
		panic(fmt.Sprintf("emit: %v", err))
	}
	return r
}

func (f *function) binary(op kernel.Op, x, y vector.Value) vector.Value {
	r, err := f.Binary(op, x, y)
	return checked(r, err)
}

// fused writes an add or subtract with the product p.
func (b *body) fused(i *kernel.Instr, p kernel.ID, v, vars int, l vector.Lanes) vector.Value {
	m := b.k.Instrs[p].Args
	x, y := b.arg(m[0], v, vars, l), b.arg(m[1], v, vars, l)
	if i.Args[0] == p {
		z := b.arg(i.Args[1], v, vars, l)
		if i.Op == kernel.Subtract {
			z = b.negative(z)
		}
		return b.FMA(x, y, z)
	}
	if i.Op == kernel.Subtract {
		x = b.negative(x)
	}
	return b.FMA(x, y, b.arg(i.Args[0], v, vars, l))
}

func (b *body) negative(x vector.Value) vector.Value {
	r, err := b.Unary(kernel.Negate, x)
	return checked(r, err)
}

// iota writes the position along an axis as a number.
func (b *body) iota(i *kernel.Instr, v, vars int, l vector.Lanes) vector.Value {
	axis := int(i.Aux)
	scalar := func(p place) vector.Value { return vector.Value{V: b.position(p), DType: types.I64} }
	if axis != b.Vector {
		return b.Convert(scalar(b.here(axis, v, vars)), i.Type)
	}
	first := scalar(b.place[axis][b.column(v)])
	if l.N == 1 {
		return b.Convert(first, i.Type)
	}
	if i.Type.IsInteger() {
		return b.binary(kernel.Add, b.Splat(b.Convert(first, i.Type), l.N), b.Iota(i.Type, l.N))
	}
	all := b.binary(kernel.Add, b.Splat(first, l.N), b.Iota(types.I64, l.N))
	return b.Convert(all, i.Type)
}
