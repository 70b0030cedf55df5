package program

import (
	"math"
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Ends reports whether all loops of an op are known to end.
func Ends(op *mlir.Op) bool {
	all := true
	Walk(&mlir.Block{Ops: []*mlir.Op{op}}, func(op *mlir.Op) {
		all = all && (op.Code != stablehlo.While || ends(op))
	})
	return all
}

// ends reports whether a while is known to end: one whose condition compares a
// counter that goes up or down with a bound that stays, or asks for that and more.
// Others count as effects, so that a program that runs forever does so on every
// backend.
func ends(op *mlir.Op) bool {
	l, ok := countedLoopOf(op)
	return ok && l.fails(Terminator(l.cond).Operands[0])
}

// Mirrored has the direction of a compare of swapped operands.
var Mirrored = map[string]string{"EQ": "EQ", "NE": "NE", "LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}

// countedLoop is a while, with the values that its body returns in next.
type countedLoop struct {
	cond, body *mlir.Block
	next       []*mlir.Value
}

// countedLoopOf returns the parts of a while; false if it is not whole.
func countedLoopOf(op *mlir.Op) (l countedLoop, ok bool) {
	regions := Bodies(op)
	if op.Code != stablehlo.While || len(regions) != 2 || len(regions[0].Ops) == 0 || len(regions[1].Ops) == 0 {
		return l, false
	}
	l = countedLoop{cond: regions[0], body: regions[1], next: Terminator(regions[1]).Operands}
	n := len(l.next)
	return l, n == len(op.Operands) && n == len(l.cond.Args) && n == len(l.body.Args) && len(Terminator(l.cond).Operands) == 1
}

// fails reports whether a value of the condition is false some time.
func (l countedLoop) fails(v *mlir.Value) bool {
	op := v.Def
	if op == nil || len(op.Operands) != 2 {
		return false
	}
	a, b := op.Operands[0], op.Operands[1]
	switch op.Code {
	case stablehlo.And:
		return l.fails(a) || l.fails(b)
	case stablehlo.Compare:
		d := stablehlo.AsCompare(op).ComparisonDirection()
		return l.passes(a, b, d) || l.passes(b, a, Mirrored[d])
	}
	return false
}

// passes reports whether a counter passes a bound that it is compared with.
func (l countedLoop) passes(counter, bound *mlir.Value, direction string) bool {
	t, ok := counter.Type.(*mlir.TensorType)
	if !ok || !t.Static() {
		return false
	}
	elem, ok := t.Elem.(mlir.IntegerType)
	i := slices.Index(l.cond.Args, counter)
	if !ok || i < 0 || !l.stays(bound) {
		return false
	}
	step, ok := l.step(i)
	if !ok || step == 0 {
		return false
	}
	if direction == "LT" && step == 1 || direction == "GT" && step == -1 {
		return true // meets the bound before it could overflow
	}
	last, ok := NumberOf(bound)
	if !ok || elem.Width > 32 || step != int64(int32(step)) {
		return false
	}
	low, high := int64(math.MinInt64)>>(64-elem.Width), int64(1)<<(elem.Width-1)-1
	if elem.Sign == mlir.Unsigned {
		low, high = 0, int64(1)<<elem.Width-1
	}
	switch direction {
	case "LT", "LE":
		return step > 0 && last.Int+step <= high
	case "GT", "GE":
		return step < 0 && last.Int+step >= low
	}
	return false
}

// step returns what the body adds to the loop's value i.
func (l countedLoop) step(i int) (step int64, ok bool) {
	op := l.next[i].Def
	if op == nil || len(op.Operands) != 2 {
		return 0, false
	}
	a, b := op.Operands[0], op.Operands[1]
	if op.Code == stablehlo.Add && b == l.body.Args[i] {
		a, b = b, a
	}
	n, ok := NumberOf(b)
	if a != l.body.Args[i] || !ok {
		return 0, false
	}
	switch op.Code {
	case stablehlo.Add:
		return n.Int, true
	case stablehlo.Subtract:
		return -n.Int, true
	}
	return 0, false
}

// stays reports whether a value of the condition is the same in all iterations.
func (l countedLoop) stays(v *mlir.Value) bool {
	if i := slices.Index(l.cond.Args, v); i >= 0 {
		return l.next[i] == l.body.Args[i]
	}
	if _, ok := NumberOf(v); ok {
		return true
	}
	inside := false
	Walk(l.cond, func(op *mlir.Op) { inside = inside || op == v.Def })
	return !inside
}
