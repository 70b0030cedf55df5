package llvm

import (
	"strings"

	"github.com/llir/llvm/ir/constant"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// epilogue writes what becomes of the sums of a contraction, for some of them
// that lie side by side. Its operands are the words of a [kernel.Block].
type epilogue struct {
	*vector.Builder
	*contraction
	block  value.Value
	at     gemm.Tile
	lane   int // the kernel's axis that the lanes lie along
	values map[kernel.ID]vector.Value
}

// The words of a [kernel.Block].
const (
	blockMem     = 0
	blockStrides = 2
	blockAt      = 6
)

// emit is the contraction's [gemm.Epilogue].
func (c *contraction) emit(b *vector.Builder, sum vector.Value, operands value.Value, at gemm.Tile) vector.Value {
	e := &epilogue{Builder: b, contraction: c, block: operands, at: at, lane: c.axis[n_]}
	if at.AlongM {
		e.lane = c.axis[m_]
	}
	e.values = map[kernel.ID]vector.Value{c.Sum: sum}
	var result vector.Value
	k := c.kernel
	for id := c.Sum + 1; int(id) < len(k.Instrs); id++ {
		in := &k.Instrs[id]
		switch in.Op {
		case kernel.Load:
			e.values[id] = e.load(in.Mem)
		case kernel.Store:
			if v := e.arg(in.Args[0]); in.Mem.Param == c.out {
				result = v
			} else {
				e.store(in.Mem, v)
			}
		default:
			e.values[id] = e.compute(in)
		}
	}
	return result
}

func (e *epilogue) arg(id kernel.ID) vector.Value { return e.values[id] }

// compute writes an op on values; all of them have as many lanes as the sums.
func (e *epilogue) compute(in *kernel.Instr) vector.Value {
	n := e.at.Lanes.N
	arg := func(i int) vector.Value { return e.arg(in.Args[i]) }
	var v vector.Value
	var err error
	name := in.Op.String()
	direction, compares := strings.CutPrefix(name, "compare_")
	switch {
	case in.Op == kernel.Constant:
		v = e.ConstBits(in.Type, n, uint64(in.Aux))
	case in.Op == kernel.Iota:
		v = e.position(int(in.Aux), in.Type, n)
	case in.Op == kernel.Convert:
		v = e.Convert(arg(0), in.Type)
	case in.Op == kernel.BitcastConvert:
		v, err = e.Bitcast(arg(0), in.Type)
	case in.Op == kernel.Select:
		v = e.Select(arg(0), arg(1), arg(2))
	case in.Op == kernel.Clamp:
		v, err = e.Clamp(arg(0), arg(1), arg(2))
	case compares:
		v, err = e.Compare(strings.ToUpper(direction), arg(0), arg(1))
	case in.Op.Arity() == 1:
		v, err = e.Unary(name, arg(0))
	default:
		v, err = e.Binary(name, arg(0), arg(1))
	}
	if err != nil {
		panic("llvm: " + err.Error()) // [emit.Schedules] has looked before
	}
	return v
}

// position is where the lanes are along an axis, as numbers.
func (e *epilogue) position(axis int, t types.DType, n int) vector.Value {
	first := e.Splat(e.Convert(vector.Value{V: e.along(axis), DType: types.I64}, t), n)
	if axis != e.lane {
		return first
	}
	v, err := e.Binary("add", first, e.Iota(t, n))
	if err != nil {
		panic("llvm: " + err.Error())
	}
	return v
}

// along returns where the first lane is along an axis of the kernel.
func (e *epilogue) along(axis int) value.Value {
	switch axis {
	case e.axis[batch_]:
		return e.at.Batch
	case e.axis[m_]:
		return e.at.M
	case e.axis[n_]:
		return e.at.N
	}
	return e.word(e.block, blockAt+indexOf(e.outer, axis))
}

// word loads an i64 of an array of them.
func (e *epilogue) word(base value.Value, i int) value.Value {
	p := e.Block.NewBitCast(base, ll.NewPointer(ll.I64))
	return e.Block.NewLoad(ll.I64, e.Block.NewGetElementPtr(ll.I64, p, constant.NewInt(ll.I64, int64(i))))
}

// pointer loads an address of an array of them.
func (e *epilogue) pointer(base value.Value, i int) value.Value {
	return e.Block.NewIntToPtr(e.word(base, i), ll.I8Ptr)
}

// place returns the address of the first lane's element of an operand, and how
// far the next lane's is.
func (e *epilogue) place(m *kernel.Access) (p vector.Pointer, stride value.Value, class kernel.Stride) {
	param := &e.kernel.Params[m.Param]
	p = e.PointerTo(e.Block.NewBitCast(e.pointer(e.pointer(e.block, blockMem), m.Param), ll.NewPointer(vector.Memory(param.DType))), param.DType)
	class = kernel.ZeroStride
	at := value.Value(e.Index(0))
	for d, i := range m.Index {
		if param.Strides[d] == kernel.ZeroStride {
			continue
		}
		s := value.Value(e.Index(1))
		if param.Strides[d] == kernel.AnyStride {
			s = e.word(e.pointer(e.block, blockStrides), e.strideArg(m.Param, d))
		}
		axis := i.Terms[0].Axis
		at = e.Block.NewAdd(at, e.Block.NewMul(e.along(axis), s))
		if axis == e.lane {
			stride, class = s, param.Strides[d]
		}
	}
	return e.At(p, at), stride, class
}

func (e *epilogue) load(m *kernel.Access) vector.Value {
	p, stride, class := e.place(m)
	switch class {
	case kernel.UnitStride:
		return e.LoadLanes(p, e.at.Lanes)
	case kernel.AnyStride:
		return e.LoadStrided(p, stride, e.at.Lanes)
	}
	return e.Splat(e.Load(p, 1), e.at.Lanes.N)
}

func (e *epilogue) store(m *kernel.Access, v vector.Value) {
	p, stride, class := e.place(m)
	if class == kernel.UnitStride {
		e.StoreLanes(p, v, e.at.Lanes)
		return
	}
	e.StoreStrided(p, stride, v, e.at.Lanes)
}
