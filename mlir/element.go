package mlir

import "ltc/ir/types"

// elements says how the elements of memory are written: StableHLO has signed
// integers signless and bool as i1. Every dtype has a row; what other element
// types there are exists inside programs only.
var elements = map[types.DType]Type{
	types.Bool: I1,
	types.U8:   UI8,
	types.U16:  UI16,
	types.U32:  UI32,
	types.U64:  UI64,
	types.I8:   I8,
	types.I16:  I16,
	types.I32:  I32,
	types.I64:  I64,
	types.F16:  F16,
	types.BF16: BF16,
	types.F32:  F32,
	types.F64:  F64,
}

// dtypes is elements the other way round.
var dtypes = func() map[Type]types.DType {
	all := make(map[Type]types.DType, len(elements))
	for d, t := range elements {
		all[t] = d
	}
	return all
}()

// ElementOf returns the element type that stands for d in text; nil if d is
// not valid.
func ElementOf(d types.DType) Type { return elements[d] }

// DTypeOf returns the dtype whose elements t stands for; [types.Invalid] if
// memory that callers see has no such elements. An index is 64 bits wide.
func DTypeOf(t Type) types.DType {
	switch t.(type) {
	case IntegerType, FloatType: // others need not be comparable
		return dtypes[t]
	case IndexType:
		return types.I64
	}
	return types.Invalid
}
