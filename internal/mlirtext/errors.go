package mlirtext

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/mlir"
)

// noSyntax is the error for an op that is not written in the generic form and
// has no other; f is nil for one that is not in the tables.
func noSyntax(t Token, f *form) *mlir.Error {
	dialect, _, qualified := strings.Cut(t.Value, ".")
	if f != nil || qualified && !slices.Contains(known.Complete, dialect) {
		return mlir.Errorf(t.Pos, "op %s has no pretty form that is known here: write it as \"%s\"(…) : (…) -> …", t.Value, t.Value)
	}
	msg := fmt.Sprintf("unknown op %s", lexeme.Clip(t.Value))
	if name := nearestOp(t.Value); name != "" {
		msg += "; did you mean " + name + "?"
	}
	return mlir.NewError(t.Pos, msg)
}

// nearestOp is the op that was most likely meant by a name that is none's, the
// first by name of several; "" when no name is near.
func nearestOp(name string) string {
	if lexeme.Clip(name) != name { // longer than any op's
		return ""
	}
	best, least := "", 1+len(name)/4
	consider := func(op, written string) {
		d := diag.Edits(name, written)
		if d < least || d == least && (best == "" || op < best) {
			best, least = op, d
		}
	}
	for short := range shortNames {
		consider(short, short)
	}
	qualified := strings.Contains(name, ".")
	for op := range formByName {
		written := op
		if !qualified {
			_, written, _ = strings.Cut(op, ".")
		}
		consider(op, written)
	}
	return best
}
