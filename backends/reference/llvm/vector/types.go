package vector

import (
	"fmt"

	ll "github.com/llir/llvm/ir/types"

	"ltc/ir/types"
)

// Memory returns the LLVM type of an element as it lies in memory.
func Memory(d types.DType) ll.Type {
	switch d {
	case types.Bool:
		return ll.I8
	case types.F16, types.BF16:
		return ll.I16
	}
	return scalar(d)
}

// Register returns the LLVM type of a value of some lanes: a scalar if it is
// one, else a vector. A bool is an i1, a bf16 or f16 a float.
func Register(d types.DType, lanes int) ll.Type { return vectorOf(scalar(d), lanes) }

func scalar(d types.DType) ll.Type {
	switch d {
	case types.Bool:
		return ll.I1
	case types.U8, types.I8:
		return ll.I8
	case types.U16, types.I16:
		return ll.I16
	case types.U32, types.I32:
		return ll.I32
	case types.U64, types.I64:
		return ll.I64
	case types.F16, types.BF16, types.F32:
		return ll.Float
	case types.F64:
		return ll.Double
	}
	panic("vector: no LLVM type of dtype " + d.String())
}

// vectorOf returns the type of lanes values of type t; t itself for one.
func vectorOf(t ll.Type, lanes int) ll.Type {
	if lanes == 1 {
		return t
	}
	return ll.NewVector(uint64(lanes), t)
}

// lanesOf returns how many lanes a type has.
func lanesOf(t ll.Type) int {
	if v, ok := t.(*ll.VectorType); ok {
		return int(v.Len)
	}
	return 1
}

// elem returns the type of a lane.
func elem(t ll.Type) ll.Type {
	if v, ok := t.(*ll.VectorType); ok {
		return v.ElemType
	}
	return t
}

// like returns type t with as many lanes as of has.
func like(of ll.Type, t ll.Type) ll.Type { return vectorOf(t, lanesOf(of)) }

// width returns the bits of a lane.
func width(t ll.Type) int {
	switch t := elem(t).(type) {
	case *ll.IntType:
		return int(t.BitSize)
	case *ll.FloatType:
		switch t.Kind {
		case ll.FloatKindHalf:
			return 16
		case ll.FloatKindFloat:
			return 32
		}
	}
	return 64
}

// integers returns the integer type as wide as t, with as many lanes.
func integers(t ll.Type) ll.Type { return like(t, ll.NewInt(uint64(width(t)))) }

func isFloat(t ll.Type) bool { return ll.IsFloat(elem(t)) }

// mangle returns how the names of intrinsics spell a type.
func mangle(t ll.Type) string {
	switch t := t.(type) {
	case *ll.VectorType:
		return fmt.Sprintf("v%d%s", t.Len, mangle(t.ElemType))
	case *ll.FloatType:
		return fmt.Sprintf("f%d", width(t))
	case *ll.IntType:
		return fmt.Sprintf("i%d", t.BitSize)
	case *ll.PointerType:
		return "p0"
	}
	panic("vector: no intrinsic of type " + t.String())
}
