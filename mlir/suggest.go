package mlir

import (
	"fmt"
	"slices"
	"strings"
)

// noSyntax is the error for an op that is not written in the generic form and
// has no other; d is nil for one that is not in the tables.
func noSyntax(t Token, d *OpDef) *Error {
	dialect, _, qualified := strings.Cut(t.Value, ".")
	if d != nil || qualified && !slices.Contains(known.Complete, dialect) {
		return Errorf(t.Pos, "op %s has no pretty form that is known here: write it as \"%s\"(…) : (…) -> …", t.Value, t.Value)
	}
	msg := fmt.Sprintf("unknown op %s", Clip(t.Value))
	if name := nearestOp(t.Value); name != "" {
		msg += "; did you mean " + name + "?"
	}
	return NewError(t.Pos, msg)
}

// nearestOp is the op that was most likely meant by a name that is none's, the
// first by name of several; "" when no name is near.
func nearestOp(name string) string {
	if len(name) > shownToken {
		return ""
	}
	best, least := "", 1+len(name)/4
	consider := func(op, written string) {
		d := edits(name, written)
		if d < least || d == least && (best == "" || op < best) {
			best, least = op, d
		}
	}
	for short := range shortNames {
		consider(short, short)
	}
	qualified := strings.Contains(name, ".")
	for op := range opDefs {
		written := op
		if !qualified {
			_, written, _ = strings.Cut(op, ".")
		}
		consider(op, written)
	}
	return best
}

// edits is how many bytes must be put in, taken out, replaced or exchanged with
// their neighbour to make b of a.
func edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j]+btoi(a[i] != b[j]), last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
