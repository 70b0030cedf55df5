package program

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Filled reports, for each value that a while carries, whether its iterations write all elements before any is read, as
// those of a scan stack rows. What the value is at first then does not matter. Such a value is written by one
// dynamic_update_slice of a whole row, and nothing else reads it. The number of the row counts up or down with the iterations
// from one end to the other.
func Filled(op *mlir.Op) []bool {
	filled := make([]bool, len(op.Operands))
	l, ok := countedLoopOf(op)
	if !ok {
		return filled
	}
	counter, end, ok := l.counts()
	if !ok {
		return filled
	}
	begin, ok := NumberOf(op.Operands[counter])
	if !ok || !isSmall(begin.Int) || begin.Int >= end {
		return filled
	}
	uses := CountUses(l.body)
	for v, n := range CountUses(l.cond) {
		uses[v] += n
	}
	for i, next := range l.next {
		w := next.Def
		if w == nil || w.Code != stablehlo.DynamicUpdateSlice || w.Operands[0] != l.body.Args[i] ||
			uses[l.body.Args[i]] != 1 || uses[l.cond.Args[i]] != 0 || uses[next] != 1 {
			continue
		}
		rows, ok := rowsOf(w)
		if !ok {
			continue
		}
		sign, offset, ok := affineIn(w.Operands[2], l.body.Args[counter])
		if !ok {
			continue
		}
		first, last := offset+sign*begin.Int, offset+sign*(end-1)
		filled[i] = min(first, last) <= 0 && max(first, last) >= rows-1 // a number beyond an end is that of the end
	}
	return filled
}

// counts returns which value a while counts up by 1 from one iteration to the next, as long as it is less than end, whatever
// else the loop computes.
func (l countedLoop) counts() (counter int, end int64, ok bool) {
	op := Terminator(l.cond).Operands[0].Def
	if op == nil || op.Code != stablehlo.Compare {
		return 0, 0, false
	}
	a, b, direction := op.Operands[0], op.Operands[1], stablehlo.AsCompare(op).ComparisonDirection()
	if _, known := NumberOf(a); known {
		a, b, direction = b, a, Mirrored[direction]
	}
	bound, known := NumberOf(b)
	counter = slices.Index(l.cond.Args, a)
	if !known || counter < 0 || direction != "LT" || !isSmall(bound.Int) || !isSigned32OrWider(a) {
		return 0, 0, false
	}
	step, ok := l.step(counter)
	return counter, bound.Int, ok && step == 1
}

// rowsOf returns the number of rows, along the first axis, of the tensor that an update writes one whole row of.
func rowsOf(update *mlir.Op) (rows int64, ok bool) {
	t, ok := update.Operands[0].Type.(*mlir.TensorType)
	row, is := update.Operands[1].Type.(*mlir.TensorType)
	if !ok || !is || !t.Static() || !row.Static() || len(t.Shape) == 0 || len(row.Shape) != len(t.Shape) {
		return 0, false
	}
	return t.Shape[0], row.Shape[0] == 1 && slices.Equal(row.Shape[1:], t.Shape[1:])
}

// affineIn returns what an integer is: sign·x + offset, with a sign of 1 or -1.
func affineIn(v, x *mlir.Value) (sign, offset int64, ok bool) {
	if v == x {
		return 1, 0, true
	}
	op := v.Def
	if op == nil || len(op.Operands) != 2 || op.Code != stablehlo.Add && op.Code != stablehlo.Subtract || !isSigned32OrWider(v) {
		return 0, 0, false
	}
	a, b := op.Operands[0], op.Operands[1]
	n, known := NumberOf(b)
	of := a
	if !known {
		n, known = NumberOf(a)
		of = b
	}
	if !known || !isSmall(n.Int) {
		return 0, 0, false
	}
	if sign, offset, ok = affineIn(of, x); !ok {
		return 0, 0, false
	}
	switch {
	case op.Code == stablehlo.Add:
		offset += n.Int
	case of == a:
		offset -= n.Int
	default:
		sign, offset = -sign, n.Int-offset
	}
	return sign, offset, isSmall(offset)
}

// isSmall reports whether sums of two such numbers are within 32 bits.
func isSmall(n int64) bool { return -1<<29 < n && n < 1<<29 }

// isSigned32OrWider reports whether v is of signed integers of at least 32 bits.
func isSigned32OrWider(v *mlir.Value) bool {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok {
		return false
	}
	elem, ok := t.Elem.(mlir.IntegerType)
	return ok && elem.Width >= 32 && elem.Sign != mlir.Unsigned
}
