package vector

import (
	"fmt"
	"slices"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Target returns the arithmetic of the machine.
func (m Machine) Target() expand.Target {
	t := expand.Target{FMA: m.FMA(), Scales: m.wide()}
	switch {
	case m.wide():
		t.Lookup = 64
	case m.permutes():
		t.Lookup = 32
	}
	return t
}

// expanded adds an op by its expansion, on lanes of dtype d. f16 and bf16 are f32
// here; the result is to be rounded.
func (b *Builder) expanded(op kernel.Op, d types.DType, use expand.Use, args ...value.Value) value.Value {
	t := d
	if d == types.F16 || d == types.BF16 {
		t = types.F32
	}
	return b.code(expand.Of(op, t, b.Machine.Target(), use), args)
}

// code adds the instructions of an expansion.
func (b *Builder) code(c *expand.Code, args []value.Value) value.Value {
	lanes := lanesOf(args[0].Type())
	vals := make([]Value, len(c.Instrs))
	for id := range c.Instrs {
		i := &c.Instrs[id]
		switch {
		case id < c.Args:
			vals[id] = Value{args[id], i.Type}
		case i.Op == kernel.Constant:
			vals[id] = b.ConstBits(i.Type, lanes, uint64(i.Aux))
		case i.Op == kernel.Lookup:
			vals[id] = b.entry(kernel.TableRow(i.Aux), i.Type, vals[i.Args[0]])
		default:
			in := make([]Value, len(i.Args))
			for n, a := range i.Args {
				if a != kernel.None {
					in[n] = vals[a]
				}
			}
			if r, rare := c.Rare[kernel.ID(id)]; rare {
				all := make([]value.Value, len(r.Args))
				for n, a := range r.Args {
					all[n] = vals[a].V
				}
				vals[id] = Value{b.rarely(r, in[0], in[2].V, all), i.Type}
				continue
			}
			if l, loop := c.Loops[kernel.ID(id)]; loop {
				vals[id] = b.loop(l, in)
				continue
			}
			v, err := b.Op(i.Op, i.Type, in...)
			if err != nil {
				panic(fmt.Sprintf("vector: expansion: %v", err))
			}
			vals[id] = v
		}
	}
	return vals[c.Result].V
}

// loop runs code as long as one lane goes on.
func (b *Builder) loop(l expand.Loop, args []Value) Value {
	all := make([]value.Value, len(args))
	for n, a := range args {
		all[n] = a.V
	}
	n := len(l.Next)
	with := func(state []value.Value) []value.Value { return slices.Concat(state, all[n:]) }
	end := b.While(all[:n], func(state []value.Value) value.Value {
		return b.Any(Value{b.code(l.Again, with(state)), types.Bool})
	}, func(state []value.Value) []value.Value {
		next := make([]value.Value, n)
		for i, c := range l.Next {
			next[i] = b.code(c, with(state))
		}
		next[0] = b.sel(b.code(l.Again, with(state)), next[0], state[0])
		return next
	})
	return Value{end[0], args[0].DType}
}

// entry looks an index up in a row of a table.
func (b *Builder) entry(at kernel.TableRow, t types.DType, i Value) Value {
	table, row := at.Table()
	name := fmt.Sprintf("ltc.%s.%d", table.Name, row)
	if floats := table.Floats(row); floats != nil {
		return Value{b.lookup(name, floats, i.V), t}
	}
	return Value{b.inMemory(name, elem(i.V.Type()), table.Bits(row, width(i.V.Type())), i.V), t}
}

// rarely returns usual, but in the lanes where c holds what r computes, one by one,
// by a function that is called only if there is such a lane.
func (b *Builder) rarely(r expand.Rare, c Value, usual value.Value, args []value.Value) value.Value {
	return b.guarded(b.Any(c), usual, func() value.Value {
		t := elem(usual.Type())
		name := fmt.Sprintf("ltc.%s.f%d", r.Name, width(t))
		out := b.spill(usual)
		memory := []value.Value{b.Index(int64(lanesOf(usual.Type()))), out}
		for _, a := range args {
			memory = append(memory, b.spill(a))
		}
		b.Block.NewCall(b.Module.oneByOne(name, r.Code, memory), memory...)
		far := b.Block.NewLoad(usual.Type(), b.bitcast(out, ll.NewPointer(usual.Type())))
		return b.sel(c.V, far, usual)
	})
}

// oneByOne returns the function of this name that computes code of as many values,
// in memory, as its first parameter says: to the second from the others.
func (m *Module) oneByOne(name string, c *expand.Code, args []value.Value) *ir.Func {
	if f := m.declared[name]; f != nil {
		return f
	}
	params := make([]*ir.Param, len(args))
	for n, a := range args {
		params[n] = ir.NewParam(fmt.Sprint("p", n), a.Type())
	}
	b := m.private(name, params...)
	b.For(Loop{From: b.Index(0), To: params[0], Step: b.Index(1), Rolled: true}, nil, func(i value.Value, _ []value.Value) []value.Value {
		at := func(p *ir.Param) value.Value { return b.Block.NewGetElementPtr(p.Typ.(*ll.PointerType).ElemType, p, i) }
		in := make([]value.Value, len(params)-2)
		for n, p := range params[2:] {
			in[n] = b.Block.NewLoad(p.Typ.(*ll.PointerType).ElemType, at(p))
		}
		b.Block.NewStore(b.code(c, in), at(params[1]))
		return nil
	})
	b.Block.NewRet(nil)
	return b.Func
}

// spill stores lanes to memory of the function's own and returns the address of
// the first.
func (b *Builder) spill(v value.Value) value.Value {
	p := ir.NewAlloca(v.Type())
	entry := b.Func.Blocks[0]
	entry.Insts = append([]ir.Instruction{p}, entry.Insts...)
	b.Block.NewStore(v, p)
	return b.bitcast(p, ll.NewPointer(elem(v.Type())))
}

// private starts a function that is called from within the module only, and not
// inlined: code for what is rare.
func (m *Module) private(name string, params ...*ir.Param) *Builder {
	b := m.Func(name, ll.Void, params...)
	b.Func.Linkage = enum.LinkagePrivate
	b.Func.FuncAttrs = append(b.Func.FuncAttrs, enum.FuncAttrNoInline)
	m.declared[name] = b.Func
	return b
}

// ExpBelow adds e^x for x of which none is more than 0, as a number less the largest
// of its row; NaN stays. The bits are those of [kernel.Exponential].
func (b *Builder) ExpBelow(x Value) (Value, error) {
	if !x.DType.IsFloat() {
		return Value{}, &UnsupportedError{kernel.Exponential.String(), x.DType}
	}
	return b.rounded(b.expanded(kernel.Exponential, x.DType, expand.Use{NotPositive: true}, x.V), x.DType), nil
}
