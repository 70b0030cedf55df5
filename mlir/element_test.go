package mlir

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
)

func TestEveryDTypeHasAnElementType(t *testing.T) {
	for _, d := range types.AllDTypes() {
		e := ElementOf(d)
		require.NotNil(t, e, "%v has no element type", d)
		if d.IsComplex() { // callers have their parts
			d = types.Invalid
		}
		require.Equal(t, d, DTypeOf(e))
	}
	require.Len(t, elements, len(types.AllDTypes()))
	require.Equal(t, types.I64, DTypeOf(IndexType{}))
	require.Nil(t, ElementOf(types.Invalid))
	for _, e := range []Type{nil, FloatType{"f8E4M3"}, IntegerType{Width: 4}, IntegerType{Width: 32, Sign: Signed}, ComplexType{F32}, TupleType{}, Tensor(F32)} {
		require.Equal(t, types.Invalid, DTypeOf(e), "%v", e)
	}
}
