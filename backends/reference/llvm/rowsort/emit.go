package rowsort

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// sorter writes the functions of a module.
type sorter struct {
	module *vector.Module
	t      types.DType // of keys, unsigned integers
	lanes  int
	// patience is how many times a partition may pass over as many elements as the row has, besides
	// two times for each bit of that number.
	patience int64
}

// text returns the module of the sort of elements of a size.
func text(m vector.Machine, size int, patience int64) string {
	t := types.U32
	if size == 8 {
		t = types.U64
	}
	s := &sorter{vector.NewModule(m), t, m.Lanes(t), patience}
	s.block(smallest, 0)
	for u, of := range shapes {
		if u > 0 && of != shapes[u-1] {
			s.block(of, (u-1)*unit*s.lanes+1)
		}
	}
	s.blocks()
	s.pivot()
	s.partition()
	s.finish()
	s.row()
	s.rows(Name(size))
	return s.module.String()
}

// builder is a function of the module that its others call.
type builder struct {
	*vector.Builder
	*sorter
	params []value.Value
}

// inner starts a function of the module that its others call. Words are addresses and numbers of
// elements, keys are of the sorter's type.
func (s *sorter) inner(name string, result ll.Type, params ...ll.Type) *builder {
	list := make([]*ir.Param, len(params))
	all := make([]value.Value, len(params))
	for i, t := range params {
		list[i] = ir.NewParam(fmt.Sprintf("p%d", i), t)
		all[i] = list[i]
	}
	b := s.module.Func(name, result, list...)
	b.Func.Linkage = enum.LinkageInternal
	b.Func.FuncAttrs = append(b.Func.FuncAttrs, enum.FuncAttrNoInline)
	return &builder{b, s, all}
}

// call calls a function of the module that was started before.
func (b *builder) call(name string, args ...value.Value) value.Value {
	for _, f := range b.module.IR.Funcs {
		if f.Name() == name {
			return b.Block.NewCall(f, args...)
		}
	}
	panic("rowsort: no function " + name)
}

// keying is how keys are made of elements. A key differs from an element in flip, and in negative
// where the element is negative.
type keying struct{ negative, flip vector.Value }

// keyingOf returns the keying that two keys are, in all lanes.
func (b *builder) keyingOf(negative, flip value.Value) keying {
	all := func(v value.Value) vector.Value { return b.Splat(vector.Value{V: v, DType: b.t}, b.lanes) }
	return keying{all(negative), all(flip)}
}

// keyOf returns the keys of elements.
func (b *builder) keyOf(x vector.Value, k keying) vector.Value {
	return b.op(kernel.Xor, b.t, b.withoutSign(x, k), k.flip)
}

// element returns the elements that keys are of.
func (b *builder) element(x vector.Value, k keying) vector.Value {
	return b.withoutSign(b.op(kernel.Xor, b.t, x, k.flip), k)
}

// withoutSign inverts the bits of negative where the highest bit is set.
func (b *builder) withoutSign(x vector.Value, k keying) vector.Value {
	signed := types.I32
	if b.t == types.U64 {
		signed = types.I64
	}
	shift := b.ConstInt(signed, b.lanes, int64(8*b.t.Size()-1))
	sign := b.op(kernel.ShiftRightArithmetic, signed, vector.Value{V: x.V, DType: signed}, shift)
	return b.op(kernel.Xor, b.t, x, b.op(kernel.And, b.t, vector.Value{V: sign.V, DType: b.t}, k.negative))
}

func (s *sorter) key() ll.Type     { return vector.Register(s.t, 1) }
func (s *sorter) pointer() ll.Type { return ll.NewPointer(vector.Memory(s.t)) }

func (b *builder) at(p, i value.Value) vector.Pointer {
	return b.At(vector.Pointer{V: p, DType: b.t}, i)
}

func (b *builder) add(x, y value.Value) value.Value { return b.Block.NewAdd(x, y) }
func (b *builder) sub(x, y value.Value) value.Value { return b.Block.NewSub(x, y) }
func (b *builder) less(x, y value.Value) value.Value {
	return b.Block.NewICmp(enum.IPredULT, x, y)
}
func (b *builder) smaller(x, y value.Value) value.Value {
	return b.Block.NewSelect(b.less(x, y), x, y)
}

func (b *builder) op(op kernel.Op, t types.DType, v ...vector.Value) vector.Value {
	r, err := b.Op(op, t, v...)
	if err != nil {
		panic(fmt.Sprintf("rowsort: %v", err))
	}
	return r
}

// maskFrom returns the lanes of a register that are before the end, whose first lane is i: none if
// that is behind the end.
func (b *builder) maskFrom(i, end value.Value) value.Value {
	left := b.Block.NewSelect(b.less(i, end), b.sub(end, i), b.Index(0))
	return b.Mask(b.lanes, b.smaller(left, b.Index(int64(b.lanes))))
}
