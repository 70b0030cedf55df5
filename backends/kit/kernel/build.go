package kernel

import (
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
)

// Builder writes a kernel from the first stage to the last. What it is given
// is checked by [Verify], not by it.
type Builder struct{ k *Kernel }

// NewBuilder starts a kernel.
func NewBuilder(name string) *Builder { return &Builder{&Kernel{Name: name}} }

// Size adds a run-time size.
func (b *Builder) Size() Size {
	b.k.Sizes++
	return Sym(b.k.Sizes - 1)
}

// Axis adds a parallel axis and returns its number.
func (b *Builder) Axis(name string, n Size) int {
	b.k.Axes = append(b.k.Axes, Axis{Name: name, Size: n})
	return len(b.k.Axes) - 1
}

// Axes adds a parallel axis for each dimension of a shape, and returns the index of the
// point. It is for kernels without others.
func (b *Builder) Axes(shape types.Shape) []Index {
	index := make([]Index, len(shape))
	for d, n := range shape {
		index[d] = Along(b.Axis(AxisName(d), Size(n)))
	}
	return index
}

// AxisName, StageAxisName and LocalName are the names of a kernel's axes, of a stage's, and
// of locals, by their number.
func AxisName(i int) string      { return fmt.Sprintf("i%d", i) }
func StageAxisName(i int) string { return fmt.Sprintf("j%d", i) }
func LocalName(i int) string     { return fmt.Sprintf("t%d", i) }

// Dense is an operand of a type, of literal sizes; out says that the kernel stores to it.
func Dense(name string, t types.Type, out bool) Param {
	p := Param{Name: name, DType: t.DType, Strides: make([]Stride, len(t.Shape)), Out: out}
	for _, n := range t.Shape {
		p.Dims = append(p.Dims, Size(n))
	}
	return p
}

// Param adds an operand and returns its number.
func (b *Builder) Param(p Param) int {
	b.k.Params = append(b.k.Params, p)
	return len(b.k.Params) - 1
}

// Local adds memory of one point of the kernel's axes and returns its number.
func (b *Builder) Local(l Local) int {
	b.k.Locals = append(b.k.Locals, l)
	return len(b.k.Locals) - 1
}

// Stage ends the stage before and starts one over the given axes; their
// numbers follow those of the kernel's axes, which must all be there.
func (b *Builder) Stage(axes ...Axis) {
	at := ID(len(b.k.Instrs))
	b.k.Stages = append(b.k.Stages, Stage{Axes: axes, Begin: at, End: at})
}

// Emit adds an instruction to the stage.
func (b *Builder) Emit(i Instr) ID {
	b.k.Instrs = append(b.k.Instrs, i)
	b.k.Stages[len(b.k.Stages)-1].End++
	return ID(len(b.k.Instrs) - 1)
}

// Reserve makes room for instructions that are to come.
func (b *Builder) Reserve(n int) { b.k.Instrs = slices.Grow(b.k.Instrs, n) }

// Op adds a computing instruction.
func (b *Builder) Op(op Op, t types.DType, args ...ID) ID {
	return b.Emit(Instr{Op: op, Type: t, Args: args})
}

// Bits adds a constant by its bits.
func (b *Builder) Bits(t types.DType, bits uint64) ID {
	return b.Emit(Instr{Op: Constant, Type: t, Aux: int64(bits)})
}

// Int adds a constant of integer or bool type.
func (b *Builder) Int(t types.DType, v int64) ID {
	if n := 8 * t.Size(); n < 64 {
		v &= 1<<n - 1
	}
	return b.Bits(t, uint64(v))
}

// F32 adds a constant.
func (b *Builder) F32(v float32) ID { return b.Bits(types.F32, uint64(math.Float32bits(v))) }

// Load adds a load.
func (b *Builder) Load(param int, index ...Index) ID {
	return b.Emit(Instr{Op: Load, Type: b.k.Params[param].DType, Mem: &Access{Param: param, Index: index}})
}

// LoadOr adds a load that gives otherwise where the index is outside.
func (b *Builder) LoadOr(otherwise ID, param int, index ...Index) ID {
	return b.Emit(Instr{Op: Load, Type: b.k.Params[param].DType, Args: []ID{otherwise}, Mem: &Access{Param: param, Index: index, Guard: true}})
}

// Store adds a store.
func (b *Builder) Store(param int, v ID, index ...Index) ID {
	return b.Emit(Instr{Op: Store, Type: b.k.Params[param].DType, Args: []ID{v}, Mem: &Access{Param: param, Index: index}})
}

// LoadLocal adds a load from a local.
func (b *Builder) LoadLocal(local int, index ...Index) ID {
	return b.Emit(Instr{Op: Load, Type: b.k.Locals[local].DType, Mem: &Access{Param: local, Local: true, Index: index}})
}

// StoreLocal adds a store to a local.
func (b *Builder) StoreLocal(local int, v ID, index ...Index) ID {
	return b.Emit(Instr{Op: Store, Type: b.k.Locals[local].DType, Args: []ID{v}, Mem: &Access{Param: local, Local: true, Index: index}})
}

// Reduce adds the reduction of a value over the stage's axes; later stages can
// use it.
func (b *Builder) Reduce(with Op, v ID) ID {
	return b.Emit(Instr{Op: Reduce, Type: b.k.Instrs[v].Type, Args: []ID{v}, Aux: int64(with)})
}

// Scan adds the scan of a value along the stage's axis, whose kind says in which
// order.
func (b *Builder) Scan(with Op, v ID, exclusive bool) ID {
	return b.Emit(Instr{Op: Scan, Type: b.k.Instrs[v].Type, Args: []ID{v}, Aux: NewScan(with, exclusive)})
}

// Type returns the type of a value.
func (b *Builder) Type(v ID) types.DType { return b.k.Instrs[v].Type }

// Kernel returns what was built.
func (b *Builder) Kernel() *Kernel { return b.k }

// ParallelAxes returns how many parallel axes there are so far.
func (b *Builder) ParallelAxes() int { return len(b.k.Axes) }

// Number returns an index as an i64.
func (b *Builder) Number(i Index) ID {
	sum := b.Int(types.I64, i.Offset)
	for _, t := range i.Terms {
		v := b.Emit(Instr{Op: Iota, Type: types.I64, Aux: int64(t.Axis)})
		if t.Factor != 1 {
			v = b.Op(Multiply, types.I64, v, b.Int(types.I64, t.Factor))
		}
		sum = b.Op(Add, types.I64, sum, v)
	}
	if i.Value != None {
		sum = b.Op(Add, types.I64, sum, b.As(types.I64, i.Value))
	}
	return sum
}

// As converts a value to a type, unless it is of that.
func (b *Builder) As(t types.DType, v ID) ID {
	if b.Type(v) == t {
		return v
	}
	return b.Op(Convert, t, v)
}

// Out makes an operand one that the kernel stores to.
func (b *Builder) Out(param int) { b.k.Params[param].Out = true }

// Params returns the operands so far.
func (b *Builder) Params() []Param { return b.k.Params }
