package kernel

import (
	"math"
	"slices"
	"strconv"

	"ltc/ir/dims"
	"ltc/ir/types"
)

// Builder writes a kernel from the first stage to the last. A Builder checks nothing: [Verify]
// checks the finished kernel.
type Builder struct{ k *Kernel }

// NewBuilder starts a kernel.
func NewBuilder(name string) *Builder { return &Builder{&Kernel{Name: name}} }

// Size adds a run-time size and returns it.
func (b *Builder) Size() Size {
	b.k.Sizes++
	return Sym(b.k.Sizes - 1)
}

// Axis adds a parallel axis and returns its number.
func (b *Builder) Axis(name string, n Size) int {
	b.k.Axes = append(b.k.Axes, Axis{Name: name, Size: n})
	return len(b.k.Axes) - 1
}

// Axes adds a parallel axis for each dimension of a shape, and returns the index of each
// dimension. The kernel must have had no axes before this call.
func (b *Builder) Axes(shape types.Shape) []Index {
	index := make([]Index, len(shape))
	for d, n := range shape {
		index[d] = Along(b.Axis(AxisName(d), Size(n)))
	}
	return index
}

// AxisName returns the usual name of the kernel's axis i.
func AxisName(i int) string { return numbered("i", i) }

// StageAxisName returns the usual name of a stage's own axis i.
func StageAxisName(i int) string { return numbered("j", i) }

// LocalName returns the usual name of local i.
func LocalName(i int) string { return numbered("t", i) }

func numbered(letter string, i int) string { return letter + strconv.Itoa(i) }

// Dense returns an operand with the literal sizes of t and strides of class [AnyStride].
// Out says that the kernel stores to it.
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

// Local adds a local and returns its number.
func (b *Builder) Local(l Local) int {
	b.k.Locals = append(b.k.Locals, l)
	return len(b.k.Locals) - 1
}

// Stage ends the current stage and starts the next one, over the given axes. The numbers of
// these axes follow those of the kernel's axes. All of the kernel's axes must have been added
// before this call.
func (b *Builder) Stage(axes ...Axis) {
	at := ID(len(b.k.Instrs))
	b.k.Stages = append(b.k.Stages, Stage{Axes: axes, Begin: at, End: at})
}

// Emit adds an instruction to the current stage and returns its value.
func (b *Builder) Emit(i Instr) ID {
	b.k.Instrs = append(b.k.Instrs, i)
	b.k.Stages[len(b.k.Stages)-1].End++
	return ID(len(b.k.Instrs) - 1)
}

// Pop takes back the last instruction of the current stage and returns it.
func (b *Builder) Pop() Instr {
	last := len(b.k.Instrs) - 1
	i := b.k.Instrs[last]
	b.k.Instrs = b.k.Instrs[:last]
	b.k.Stages[len(b.k.Stages)-1].End--
	return i
}

// Reserve makes room for n more instructions.
func (b *Builder) Reserve(n int) { b.k.Instrs = slices.Grow(b.k.Instrs, n) }

// Expect makes room for as many operands, stages and instructions as another kernel has.
func (b *Builder) Expect(of *Kernel) {
	b.k.Params = slices.Grow(b.k.Params, len(of.Params))
	b.k.Stages = slices.Grow(b.k.Stages, len(of.Stages))
	b.Reserve(len(of.Instrs))
}

// Op adds an instruction that computes a value of type t from its arguments.
func (b *Builder) Op(op Op, t types.DType, args ...ID) ID {
	return b.Emit(Instr{Op: op, Type: t, Args: args})
}

// Bits adds a constant of type t, given its bits.
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

// F32 adds a constant of type f32.
func (b *Builder) F32(v float32) ID { return b.Bits(types.F32, uint64(math.Float32bits(v))) }

// Load adds a load from an operand, with one index per dimension.
func (b *Builder) Load(param int, index ...Index) ID {
	return b.Emit(Instr{Op: Load, Type: b.k.Params[param].DType, Mem: &Access{Param: param, Index: index}})
}

// LoadOr adds a guarded load. Where an index is out of range, the load gives the value with the
// ID `otherwise` instead.
func (b *Builder) LoadOr(otherwise ID, param int, index ...Index) ID {
	return b.Emit(Instr{Op: Load, Type: b.k.Params[param].DType, Args: []ID{otherwise}, Mem: &Access{Param: param, Index: index, Guard: true}})
}

// Store adds a store of v to an operand, with one index per dimension.
func (b *Builder) Store(param int, v ID, index ...Index) ID {
	return b.Emit(Instr{Op: Store, Type: b.k.Params[param].DType, Args: []ID{v}, Mem: &Access{Param: param, Index: index}})
}

// LoadLocal adds a load from a local, with one index per dimension.
func (b *Builder) LoadLocal(local int, index ...Index) ID {
	return b.Emit(Instr{Op: Load, Type: b.k.Locals[local].DType, Mem: &Access{Param: local, Local: true, Index: index}})
}

// StoreLocal adds a store of v to a local, with one index per dimension.
func (b *Builder) StoreLocal(local int, v ID, index ...Index) ID {
	return b.Emit(Instr{Op: Store, Type: b.k.Locals[local].DType, Args: []ID{v}, Mem: &Access{Param: local, Local: true, Index: index}})
}

// Reduce adds the reduction of a value over the stage's axes. Only later stages can use
// the result.
func (b *Builder) Reduce(with Op, v ID) ID {
	return b.Emit(Instr{Op: Reduce, Type: b.k.Instrs[v].Type, Args: []ID{v}, Aux: int64(with)})
}

// Scan adds the scan of a value along the stage's axis. The kind of the axis says in which
// direction the scan runs. Exclusive is as in [NewScan].
func (b *Builder) Scan(with Op, v ID, exclusive bool) ID {
	return b.Emit(Instr{Op: Scan, Type: b.k.Instrs[v].Type, Args: []ID{v}, Aux: NewScan(with, exclusive)})
}

// Type returns the type of a value.
func (b *Builder) Type(v ID) types.DType { return b.k.Instrs[v].Type }

// Kernel returns the kernel. The builder keeps using the same kernel.
func (b *Builder) Kernel() *Kernel { return b.k }

// ParallelAxes returns the number of parallel axes so far.
func (b *Builder) ParallelAxes() int { return len(b.k.Axes) }

// Extent adds a number, an i64, that is a literal or an expression of package dims. An expression
// is a run-time size, which is not negative, or a difference of such.
func (b *Builder) Extent(n int64) ID {
	size := func(n int64) ID { return b.Emit(Instr{Op: SizeOf, Type: types.I64, Aux: n}) }
	if !dims.GoIsExpr(n) {
		return b.Int(types.I64, n)
	}
	above, below := dims.Max(n, 0), dims.Max(dims.GoSub(0, n), 0)
	switch {
	case below == 0:
		return size(above)
	case above == 0:
		return b.Op(Negate, types.I64, size(below))
	}
	return b.Op(Subtract, types.I64, size(above), size(below))
}

// Number adds the instructions that compute an index and returns its value, an i64.
func (b *Builder) Number(i Index) ID {
	sum := b.Extent(i.Offset)
	for _, t := range i.Terms {
		v := b.Emit(Instr{Op: Iota, Type: types.I64, Aux: int64(t.Axis)})
		if t.Factor != 1 {
			v = b.Op(Multiply, types.I64, v, b.Extent(t.Factor))
		}
		sum = b.Op(Add, types.I64, sum, v)
	}
	if i.Value != None {
		sum = b.Op(Add, types.I64, sum, b.As(types.I64, i.Value))
	}
	return sum
}

// As returns a value converted to a type, or v itself if it has that type.
func (b *Builder) As(t types.DType, v ID) ID {
	if b.Type(v) == t {
		return v
	}
	return b.Op(Convert, t, v)
}

// Out marks an operand as one that the kernel stores to.
func (b *Builder) Out(param int) { b.k.Params[param].Out = true }

// Params returns the operands so far. The slice is the builder's own and not a copy.
func (b *Builder) Params() []Param { return b.k.Params }
