package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
)

// own is code of ops that have an expansion too; none where that is as good. A power
// whose exponent is known is one to three instructions instead of some hundred.
var own = map[kernel.Op]func(b *Builder, x, y value.Value) value.Value{
	kernel.Power: func(b *Builder, x, y value.Value) value.Value {
		if c, ok := splatFloat(y); ok {
			return b.constantPower(x, c)
		}
		return nil
	},
}

// constantPower returns powers that are a product, a quotient or a root; else nil.
func (b *Builder) constantPower(x value.Value, y float64) value.Value {
	one := b.num(x.Type(), 1)
	switch y {
	case 0:
		return one
	case 1:
		return x
	case 2:
		return b.fmul(x, x)
	case 3:
		return b.fmul(b.fmul(x, x), x)
	case -1:
		return b.fdiv(one, x)
	case 0.5: // of -0: 0; of -infinity: infinity
		r := b.intrinsic("sqrt", b.faddn(x, 0))
		inf := b.num(x.Type(), math.Inf(1))
		return b.sel(b.fcmpn(enum.FPredOEQ, x, math.Inf(-1)), inf, r)
	}
	return nil
}
