package gemm

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"ltc/backends/reference/llvm/vector"
)

// fn is a function under construction. Pointers are i8* and offsets count
// bytes, so that one pointer serves all element ll.
type fn struct{ *vector.Builder }

func i64(n int) value.Value { return constant.NewInt(ll.I64, int64(n)) }

func i32(n int) value.Value { return constant.NewInt(ll.I32, int64(n)) }

func vec(n int, t ll.Type) *ll.VectorType { return ll.NewVector(uint64(n), t) }

// zero is the value of t with no bit set.
func zero(t ll.Type) value.Value {
	switch t := t.(type) {
	case *ll.IntType:
		return constant.NewInt(t, 0)
	case *ll.FloatType:
		return constant.NewFloat(t, 0)
	}
	return constant.NewZeroInitializer(t)
}

// splatConst is a vector of equal constants.
func splatConst(n int, c constant.Constant) value.Value {
	list := make([]constant.Constant, n)
	for i := range list {
		list[i] = c
	}
	return constant.NewVector(vec(n, c.Type()), list...)
}

func (f *fn) add(x, y value.Value) value.Value { return f.Block.NewAdd(x, y) }
func (f *fn) sub(x, y value.Value) value.Value { return f.Block.NewSub(x, y) }
func (f *fn) mul(x, y value.Value) value.Value { return f.Block.NewMul(x, y) }

// min is the lesser of two signed i64.
func (f *fn) min(x, y value.Value) value.Value {
	return f.Call("llvm.smin.i64", ll.I64, x, y)
}

func (f *fn) call(to value.Value, args ...value.Value) value.Value {
	return f.Block.NewCall(to, args...)
}

// off is p plus a number of bytes.
func (f *fn) off(p, bytes value.Value) value.Value {
	return f.Block.NewGetElementPtr(ll.I8, p, bytes)
}

// index is p plus n elements of t.
func (f *fn) index(t ll.Type, p, n value.Value) value.Value {
	return f.bytes(f.Block.NewGetElementPtr(t, f.to(p, t), n))
}

// to is p as a pointer to t.
func (f *fn) to(p value.Value, t ll.Type) value.Value {
	want := ll.NewPointer(t)
	if p.Type().Equal(want) {
		return p
	}
	return f.Block.NewBitCast(p, want)
}

func (f *fn) bytes(p value.Value) value.Value { return f.to(p, ll.I8) }

// load reads a t at p, aligned to align bytes.
func (f *fn) load(t ll.Type, p value.Value, align int) value.Value {
	l := f.Block.NewLoad(t, f.to(p, t))
	l.Align = ir.Align(align)
	return l
}

func (f *fn) store(v, p value.Value, align int) {
	f.Block.NewStore(v, f.to(p, v.Type())).Align = ir.Align(align)
}

// maskedLoad reads the lanes of a vector whose mask bit is set, zero for the
// others, whose memory is not touched.
func (f *fn) maskedLoad(t *ll.VectorType, p value.Value, align int, mask value.Value) value.Value {
	return f.Call("llvm.masked.load."+suffix(t)+".p0", t, f.to(p, t), i32(align), mask, zero(t))
}

func (f *fn) maskedStore(v, p value.Value, align int, mask value.Value) {
	t := v.Type()
	f.Call("llvm.masked.store."+suffix(t)+".p0", ll.Void, v, f.to(p, t), i32(align), mask)
}

// splat is a vector of n copies of x.
func (f *fn) splat(n int, x value.Value) value.Value {
	t := vec(n, x.Type())
	one := f.Block.NewInsertElement(constant.NewPoison(t), x, i32(0))
	return f.Block.NewShuffleVector(one, constant.NewPoison(t), constant.NewZeroInitializer(vec(n, ll.I32)))
}

// shuffle takes lanes of x and y, those of y numbered after those of x.
func (f *fn) shuffle(x, y value.Value, lanes []int) value.Value {
	mask := make([]constant.Constant, len(lanes))
	for i, l := range lanes {
		mask[i] = constant.NewInt(ll.I32, int64(l))
	}
	return f.Block.NewShuffleVector(x, y, constant.NewVector(vec(len(lanes), ll.I32), mask...))
}

// prefetch asks for the cache line at p to be brought near, for writing if write.
func (f *fn) prefetch(p value.Value, write bool, locality int) {
	rw := 0
	if write {
		rw = 1
	}
	f.Call("llvm.prefetch.p0", ll.Void, p, i32(rw), i32(locality), i32(1))
}

// opaque is x, hidden from the optimizer, so that it does not turn an address
// that the loop steps by hand into something that needs more registers.
func (f *fn) opaque(x value.Value) value.Value {
	t := x.Type()
	sig := ll.NewPointer(ll.NewFunc(t, t))
	return f.call(ir.NewInlineAsm(sig, "", "=r,0"), x)
}

// when runs body if cond, and goes on after it.
func (f *fn) when(cond value.Value, body func()) {
	then, after := f.Func.NewBlock(""), f.Func.NewBlock("")
	f.Block.NewCondBr(cond, then, after)
	f.Block = then
	body()
	f.Block.NewBr(after)
	f.Block = after
}

// either runs one of two bodies and goes on after both.
func (f *fn) either(cond value.Value, yes, no func()) {
	y, n, after := f.Func.NewBlock(""), f.Func.NewBlock(""), f.Func.NewBlock("")
	f.Block.NewCondBr(cond, y, n)
	f.Block = y
	yes()
	f.Block.NewBr(after)
	f.Block = n
	no()
	f.Block.NewBr(after)
	f.Block = after
}

// count runs body for i = 0, step, 2·step, … below n, carrying values from one
// turn to the next; it returns the last ones.
func (f *fn) count(n, step value.Value, start []value.Value, body func(i value.Value, carried []value.Value) []value.Value) []value.Value {
	before, head, turn, after := f.Block, f.Func.NewBlock(""), f.Func.NewBlock(""), f.Func.NewBlock("")
	before.NewBr(head)
	f.Block = head
	i := head.NewPhi(ir.NewIncoming(i64(0), before))
	phis, carried := f.phis(start, before)
	head.NewCondBr(head.NewICmp(enum.IPredSLT, i, n), turn, after)
	f.Block = turn
	next := body(i, carried)
	i.Incs = append(i.Incs, ir.NewIncoming(f.add(i, step), f.Block))
	f.join(phis, next)
	f.Block.NewBr(head)
	f.Block = after
	return carried
}

// while runs body as long as cond holds, carrying values from one turn to the next.
func (f *fn) while(start []value.Value, cond func(carried []value.Value) value.Value, body func(carried []value.Value) []value.Value) {
	before, head, turn, after := f.Block, f.Func.NewBlock(""), f.Func.NewBlock(""), f.Func.NewBlock("")
	before.NewBr(head)
	f.Block = head
	phis, carried := f.phis(start, before)
	head.NewCondBr(cond(carried), turn, after)
	f.Block = turn
	f.join(phis, body(carried))
	f.Block.NewBr(head)
	f.Block = after
}

// repeat runs body n times, n > 0, with the test at the end.
func (f *fn) repeat(n value.Value, start []value.Value, body func(carried []value.Value) []value.Value) []value.Value {
	before, turn, after := f.Block, f.Func.NewBlock(""), f.Func.NewBlock("")
	before.NewBr(turn)
	f.Block = turn
	left := turn.NewPhi(ir.NewIncoming(n, before))
	phis, carried := f.phis(start, before)
	next := body(carried)
	less := f.Block.NewSub(left, i64(1))
	left.Incs = append(left.Incs, ir.NewIncoming(less, f.Block))
	f.join(phis, next)
	f.Block.NewCondBr(f.Block.NewICmp(enum.IPredNE, less, i64(0)), turn, after)
	f.Block = after
	return next
}

func (f *fn) phis(start []value.Value, from *ir.Block) ([]*ir.InstPhi, []value.Value) {
	phis, carried := make([]*ir.InstPhi, len(start)), make([]value.Value, len(start))
	for i, v := range start {
		phis[i] = f.Block.NewPhi(ir.NewIncoming(v, from))
		carried[i] = phis[i]
	}
	return phis, carried
}

func (f *fn) join(phis []*ir.InstPhi, next []value.Value) {
	for i, p := range phis {
		p.Incs = append(p.Incs, ir.NewIncoming(next[i], f.Block))
	}
}

// word reads word i of an argument block as an i64.
func (f *fn) word(args value.Value, i int) value.Value {
	return f.load(ll.I64, f.off(args, i64(8*i)), 8)
}

// pointer reads word i of an argument block as a pointer.
func (f *fn) pointer(args value.Value, i int) value.Value {
	return f.load(ll.I8Ptr, f.off(args, i64(8*i)), 8)
}

// less reports whether x < y, as an i1.
func (f *fn) less(x, y value.Value) value.Value { return f.Block.NewICmp(enum.IPredSLT, x, y) }

// some reports whether x is not 0, nor nil.
func (f *fn) some(x value.Value) value.Value {
	if p, ok := x.Type().(*ll.PointerType); ok {
		return f.Block.NewICmp(enum.IPredNE, x, constant.NewNull(p))
	}
	return f.Block.NewICmp(enum.IPredNE, x, i64(0))
}

// rest returns n modulo step and what is left of n without it.
func (f *fn) rest(n value.Value, step int) (rest, full value.Value) {
	rest = f.Block.NewURem(n, i64(step))
	return rest, f.sub(n, rest)
}

// end ends a kernel: it cannot fail.
func (f *fn) end() { f.Block.NewRet(constant.NewInt(ll.I32, 0)) }

// suffix is how the names of intrinsics spell a type.
func suffix(t ll.Type) string {
	switch t := t.(type) {
	case *ll.VectorType:
		return fmt.Sprintf("v%d%s", t.Len, suffix(t.ElemType))
	case *ll.IntType:
		return fmt.Sprintf("i%d", t.BitSize)
	}
	return fmt.Sprintf("f%d", 8*size(t))
}

// size is the bytes of an element.
func size(t ll.Type) int {
	switch t := t.(type) {
	case *ll.IntType:
		return int(t.BitSize) / 8
	case *ll.FloatType:
		switch t.Kind {
		case ll.FloatKindDouble:
			return 8
		case ll.FloatKindFloat:
			return 4
		}
	}
	return 2
}
