package vector

import (
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/ir/types"
)

// comparison has the predicates of a direction.
type comparison struct {
	float            enum.FPred
	signed, unsigned enum.IPred
}

var directions = map[string]comparison{
	"EQ": {enum.FPredOEQ, enum.IPredEQ, enum.IPredEQ},
	"NE": {enum.FPredUNE, enum.IPredNE, enum.IPredNE},
	"LT": {enum.FPredOLT, enum.IPredSLT, enum.IPredULT},
	"LE": {enum.FPredOLE, enum.IPredSLE, enum.IPredULE},
	"GT": {enum.FPredOGT, enum.IPredSGT, enum.IPredUGT},
	"GE": {enum.FPredOGE, enum.IPredSGE, enum.IPredUGE},
}

// Compare compares lanes of one dtype in a direction: EQ, NE, LT, LE, GT or GE.
// NaN is not equal to anything, nor less or greater. It returns an
// *[UnsupportedError] for another direction.
func (b *Builder) Compare(direction string, x, y Value) (Value, error) {
	c, ok := directions[direction]
	if !ok || x.DType != y.DType {
		return Value{}, &UnsupportedError{"compare " + direction, x.DType}
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
