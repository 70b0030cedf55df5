package vector

import (
	"math"

	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// override is code of an op that has an expansion too, with the same bits.
type override struct {
	gains string // beside the expansion
	// code returns nil where the expansion is as good.
	code func(b *Builder, d types.DType, x []value.Value) value.Value
}

var overrides = map[kernel.Op]override{
	kernel.Ceil:              {"one instruction for three", rounding("ceil")},
	kernel.RoundNearestEven:  {"one instruction for seven", rounding("rint")},
	kernel.CountLeadingZeros: {"one instruction for some twenty, where the machine has it", leadingZeros},
	kernel.Popcnt:            {"one instruction for twelve, where the machine has it", popcount},
	kernel.Power:             {"one to three instructions for some hundred, where the exponent is known", knownPower},
}

// function adds an op that has an expansion: by the machine's own code, if that is better.
func (b *Builder) function(op kernel.Op, d types.DType, args []Value) value.Value {
	x := make([]value.Value, len(args))
	for i, a := range args {
		x[i] = a.V
	}
	if o, there := overrides[op]; there {
		if r := o.code(b, d, x); r != nil {
			return r
		}
	}
	return b.expanded(op, d, expand.Use{}, x...)
}

// rounding is an intrinsic that is an instruction of machines other than SSE2.
func rounding(name string) func(b *Builder, d types.DType, x []value.Value) value.Value {
	return func(b *Builder, _ types.DType, x []value.Value) value.Value {
		if b.Machine.Level == SSE2 {
			return nil
		}
		return b.intrinsic(name, x[0])
	}
}

func popcount(b *Builder, _ types.DType, x []value.Value) value.Value {
	return b.intrinsic("ctpop", x[0])
}

func leadingZeros(b *Builder, _ types.DType, x []value.Value) value.Value {
	return b.intrinsic("ctlz", x[0], b.int(ll.I1, 0)) // of 0: the width
}

func knownPower(b *Builder, d types.DType, x []value.Value) value.Value {
	if d.IsInteger() {
		c, ok := splatBits(x[1])
		if !ok || c > 16 {
			return nil
		}
		return b.multiplied(x[0], c)
	}
	if c, ok := splatFloat(x[1]); ok {
		return b.constantPower(x[0], c)
	}
	return nil
}

// multiplied returns the product of n integers x.
func (b *Builder) multiplied(x value.Value, n uint64) value.Value {
	r := b.int(x.Type(), 1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = b.mul(r, x)
		}
		x = b.mul(x, x)
	}
	return r
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
