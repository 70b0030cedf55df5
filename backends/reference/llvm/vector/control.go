package vector

import (
	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	ll "github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// Return ends a kernel with a status.
func (b *Builder) Return(status int32) { b.Block.NewRet(b.int(ll.I32, int64(status))) }

// Guard ends the kernel with a status, not 0, unless ok, an i1, is set.
func (b *Builder) Guard(ok value.Value, status int32) {
	fail := b.fails[status]
	if fail == nil {
		fail = b.Func.NewBlock("")
		fail.NewRet(b.int(ll.I32, int64(status)))
		if b.fails == nil {
			b.fails = map[int32]*ir.Block{}
		}
		b.fails[status] = fail
	}
	next := b.Func.NewBlock("")
	b.Block.NewCondBr(ok, next, fail)
	b.Block = next
}

// If runs body when c, an i1, is set.
func (b *Builder) If(c value.Value, body func()) {
	then, next := b.Func.NewBlock(""), b.Func.NewBlock("")
	b.Block.NewCondBr(c, then, next)
	b.Block = then
	body()
	b.Block.NewBr(next)
	b.Block = next
}

// Either runs yes when c, an i1, is set, else no, and returns what they do:
// equally many values of the same types.
func (b *Builder) Either(c value.Value, yes, no func() []value.Value) []value.Value {
	then, other, next := b.Func.NewBlock(""), b.Func.NewBlock(""), b.Func.NewBlock("")
	b.Block.NewCondBr(c, then, other)
	b.Block = then
	x := yes()
	then = b.Block
	then.NewBr(next)
	b.Block = other
	y := no()
	other = b.Block
	other.NewBr(next)
	b.Block = next
	r := make([]value.Value, len(x))
	for i := range r {
		r[i] = next.NewPhi(ir.NewIncoming(x[i], then), ir.NewIncoming(y[i], other))
	}
	return r
}

// guarded returns what body does when c is set, else otherwise.
func (b *Builder) guarded(c, otherwise value.Value, body func() value.Value) value.Value {
	return b.Either(c, func() []value.Value { return []value.Value{body()} },
		func() []value.Value { return []value.Value{otherwise} })[0]
}

// Loop says how For makes its loop.
type Loop struct {
	From, To, Step value.Value // i64; From and To are not negative, Step is positive
	// Rolled keeps LLVM from unrolling it.
	Rolled bool
}

// For runs body with i = From, From+Step, … as long as i+Step, which does not
// overflow, is not above To. Values are carried from turn to turn: body gets
// them as the turn before, or init, left them. It returns the first i that was
// not run, and the values after the last turn.
func (b *Builder) For(l Loop, init []value.Value, body func(i value.Value, carried []value.Value) []value.Value) (value.Value, []value.Value) {
	before := b.Block
	head, exit := b.Func.NewBlock(""), b.Func.NewBlock("")
	first := before.NewAdd(l.From, l.Step)
	last := before.NewSub(l.To, l.Step) // the last i with a full step
	before.NewCondBr(before.NewICmp(enum.IPredULE, first, l.To), head, exit)

	i := head.NewPhi(ir.NewIncoming(l.From, before))
	carried := make([]value.Value, len(init))
	for k, v := range init {
		carried[k] = head.NewPhi(ir.NewIncoming(v, before))
	}
	b.Block = head
	after := body(i, carried)
	end := b.Block
	next := end.NewAdd(i, l.Step)
	next.OverflowFlags = []enum.OverflowFlag{enum.OverflowFlagNUW, enum.OverflowFlagNSW}
	back := end.NewCondBr(end.NewICmp(enum.IPredULE, next, last), head, exit)
	if l.Rolled {
		back.Metadata = append(back.Metadata, b.Module.KeepRolled())
	}
	i.Incs = append(i.Incs, ir.NewIncoming(next, end))
	done := exit.NewPhi(ir.NewIncoming(l.From, before), ir.NewIncoming(next, end))
	out := make([]value.Value, len(init))
	for k := range init {
		phi := carried[k].(*ir.InstPhi)
		phi.Incs = append(phi.Incs, ir.NewIncoming(after[k], end))
		out[k] = exit.NewPhi(ir.NewIncoming(init[k], before), ir.NewIncoming(after[k], end))
	}
	b.Block = exit
	return done, out
}

// Sweep runs body for n elements, an i64, lanes at a time, a power of two. The remaining
// elements run with a mask where the machine has masks for elements of lanes as wide as
// these, and one by one elsewhere.
func (b *Builder) Sweep(n value.Value, lanes int, body func(i value.Value, l Lanes)) {
	step := func(from value.Value, lanes int) value.Value {
		i, _ := b.For(Loop{From: from, To: n, Step: b.Index(int64(lanes)), Rolled: true}, nil,
			func(i value.Value, _ []value.Value) []value.Value {
				body(i, Lanes{N: lanes})
				return nil
			})
		return i
	}
	i := step(b.Index(0), lanes)
	switch {
	case lanes == 1:
	case b.Machine.wide():
		rest := b.Block.NewSub(n, i)
		b.If(b.icmpn(enum.IPredNE, rest, 0), func() { body(i, Lanes{lanes, b.Mask(lanes, rest)}) })
	default:
		step(i, 1)
	}
}

// While runs body as long as again, which gets the values that body left, is
// set; it returns these.
func (b *Builder) While(init []value.Value, again func(v []value.Value) value.Value, body func(v []value.Value) []value.Value) []value.Value {
	before := b.Block
	head, turn, exit := b.Func.NewBlock(""), b.Func.NewBlock(""), b.Func.NewBlock("")
	before.NewBr(head)
	phis := make([]*ir.InstPhi, len(init))
	values := make([]value.Value, len(init))
	for i, v := range init {
		phis[i] = head.NewPhi(ir.NewIncoming(v, before))
		values[i] = phis[i]
	}
	b.Block = head
	b.Block.NewCondBr(again(values), turn, exit)
	b.Block = turn
	for i, v := range body(values) {
		phis[i].Incs = append(phis[i].Incs, ir.NewIncoming(v, b.Block))
	}
	b.Block.NewBr(head)
	b.Block = exit
	return values
}
