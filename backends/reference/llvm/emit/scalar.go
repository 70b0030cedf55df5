package emit

import (
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Arithmetic on i64, with numbers folded.

// number returns the number that a value is, if it is known.
func number(v value.Value) (int64, bool) {
	c, ok := v.(*constant.Int)
	if !ok {
		return 0, false
	}
	return c.X.Int64(), true
}

func (f *function) add(x, y value.Value) value.Value {
	a, known := number(x)
	b, also := number(y)
	switch {
	case known && also:
		return f.Index(a + b)
	case known && a == 0:
		return y
	case also && b == 0:
		return x
	}
	return f.Block.NewAdd(x, y)
}

func (f *function) sub(x, y value.Value) value.Value {
	if n, ok := number(y); ok {
		return f.add(x, f.Index(-n))
	}
	return f.Block.NewSub(x, y)
}

func (f *function) mul(x, y value.Value) value.Value {
	a, known := number(x)
	b, also := number(y)
	switch {
	case known && also:
		return f.Index(a * b)
	case known && a == 0, also && b == 1:
		return x
	case known && a == 1, also && b == 0:
		return y
	}
	return f.Block.NewMul(x, y)
}

func (f *function) min(x, y value.Value) value.Value { return f.call2("llvm.smin.i64", x, y) }
func (f *function) max(x, y value.Value) value.Value { return f.call2("llvm.smax.i64", x, y) }

func (f *function) call2(name string, x, y value.Value) value.Value {
	return f.Call(name, ll.I64, x, y)
}

func (f *function) quotient(x, y value.Value) value.Value { return f.Block.NewUDiv(x, y) }

func (f *function) floor(x value.Value, power int64) value.Value {
	return f.Block.NewAnd(x, f.Index(-power))
}

// ceil returns x/n rounded up, of numbers that are not negative.
func (f *function) ceil(x value.Value, n int64) value.Value {
	return f.Block.NewUDiv(f.add(x, f.Index(n-1)), f.Index(n))
}

func (f *function) less(x, y value.Value) value.Value { return f.Block.NewICmp(enum.IPredSLT, x, y) }

func (f *function) equal(x, y value.Value) value.Value { return f.Block.NewICmp(enum.IPredEQ, x, y) }

func (f *function) choose(c, x, y value.Value) value.Value { return f.Block.NewSelect(c, x, y) }
