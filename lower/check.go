package lower

import (
	"fmt"

	"ltc/ir"
	"ltc/mlir"
	"ltc/shapeinfer"
)

// Check holds the stages of a program against each other: the graph against
// the type rules, its lowering against itself, the text against the parser and
// the verifier. An error is a mistake of this module, not of its user.
func Check(g *ir.Graph, text string) error {
	if err := g.Verify(shapeinfer.Infer); err != nil {
		return fmt.Errorf("internal error: %w", err)
	}
	if again := Text(g, true); again != text {
		return fmt.Errorf("internal error: lowering twice gives two texts")
	}
	m, err := mlir.Parse("step.mlir", text)
	if err == nil {
		err = mlir.Verify(m)
	}
	if err != nil {
		return fmt.Errorf("internal error: the program's text: %w", err)
	}
	return nil
}

// Place says where the op with the given ordinal of a program's text comes
// from: file:line: and its name, as far as known.
func Place(text string, ordinal int) string {
	return place(text, func(op *mlir.Op) bool { return op.Ordinal == ordinal })
}

// PlaceAt is Place for the op that starts at a position of the text.
func PlaceAt(text string, at mlir.Pos) string {
	return place(text, func(op *mlir.Op) bool { return op.Pos == at })
}

func place(text string, is func(*mlir.Op) bool) (found string) {
	m, err := mlir.Parse("step.mlir", text)
	if err != nil {
		return ""
	}
	m.Walk(func(op *mlir.Op) bool {
		if !is(op) {
			return true
		}
		if loc, ok := op.Loc.(mlir.FileLoc); ok {
			found = fmt.Sprintf("%s:%d: ", loc.File, loc.Line)
		}
		found += op.Name + ": "
		return false
	})
	return found
}
