package vector

import (
	"fmt"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// comparison has the predicates of a direction.
type comparison struct {
	float            enum.FPred
	signed, unsigned enum.IPred
}

var (
	opCompareEQ = comparison{enum.FPredOEQ, enum.IPredEQ, enum.IPredEQ}.compare
	opCompareNE = comparison{enum.FPredUNE, enum.IPredNE, enum.IPredNE}.compare
	opCompareLT = comparison{enum.FPredOLT, enum.IPredSLT, enum.IPredULT}.compare
	opCompareLE = comparison{enum.FPredOLE, enum.IPredSLE, enum.IPredULE}.compare
	opCompareGT = comparison{enum.FPredOGT, enum.IPredSGT, enum.IPredUGT}.compare
	opCompareGE = comparison{enum.FPredOGE, enum.IPredSGE, enum.IPredUGE}.compare
)

// compare compares two values of one dtype. NaN is not equal to anything, nor
// less or greater.
func (c comparison) compare(b *Builder, _ types.DType, args []Value) (Value, error) {
	x, y := args[0], args[1]
	if x.DType != y.DType {
		return Value{}, fmt.Errorf("comparison of %v and %v", x.DType, y.DType)
	}
	var r value.Value
	switch {
	case x.DType.IsFloat():
		r = b.fcmp(c.float, x.V, y.V)
	case x.DType.IsSigned():
		r = b.icmp(c.signed, x.V, y.V)
	default:
		r = b.icmp(c.unsigned, x.V, y.V)
	}
	return Value{r, types.Bool}, nil
}
