package emit

import (
	"fmt"

	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
)

// extremes reports whether a reduction is a maximum or minimum of floats that is
// taken as a number, which one instruction does where NaNs are left out (vrange:
// -0 is less than 0), while NaNs are looked for besides.
func (b *body) extremes(id kernel.ID) bool {
	i := &b.k.Instrs[id]
	op := kernel.Op(i.Aux)
	return (op == kernel.Maximum || op == kernel.Minimum) && i.Type.IsFloat() &&
		b.Machine.Level >= vector.AVX512 && b.Machine.Level <= vector.AVX512BF16 &&
		b.Lanes*max(i.Type.Size(), 4) == b.Machine.Bits()/8
}

// extreme adds variants of what is reduced to the vectors from the given one on.
func (b *body) extreme(r reduction, sums []value.Value, first, vars int, l vector.Lanes) {
	i := &b.k.Instrs[r.id]
	nan := sums[b.nanOf(r)]
	var last value.Value
	for v := range vars {
		x := b.arg(i.Args[0], v, vars, l).V
		m := b.vrange(kernel.Op(i.Aux), x, sums[first+v])
		if l.Mask != nil {
			m = b.choose(l.Mask, m, sums[first+v])
		}
		sums[first+v] = m
		switch {
		case v%2 == 0 && v+1 < vars: // with the next
			last = x
			continue
		case v%2 == 0:
			last = x
		}
		unordered := value.Value(b.Block.NewFCmp(enum.FPredUNO, last, x))
		if l.Mask != nil {
			unordered = b.Block.NewAnd(unordered, l.Mask)
		}
		nan = b.Block.NewOr(nan, unordered)
	}
	sums[b.nanOf(r)] = nan
}

// vrange returns the maximum or minimum of numbers; of a number and a NaN, the
// number.
func (b *body) vrange(op kernel.Op, x, y value.Value) value.Value {
	t := x.Type().(*ll.VectorType)
	kind := map[bool]string{true: "pd", false: "ps"}[ll.Equal(t.ElemType, ll.Double)]
	how := int64(0b0100) // the sign is the result's
	if op == kernel.Maximum {
		how |= 1
	}
	all := constant.NewInt(ll.NewInt(t.Len), -1)
	return b.Call(fmt.Sprintf("llvm.x86.avx512.mask.range.%s.512", kind), t, x, y,
		constant.NewInt(ll.I32, how), x, all, constant.NewInt(ll.I32, 4))
}
