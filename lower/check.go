package lower

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ltc/ir"
	"ltc/mlir"
	"ltc/shapeinfer"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Check holds the stages of a program against each other. It compares the graph with the
// type rules. It compares the text with the lowering of the same nodes in another, random
// order, and with the parser and the verifier. An error is a mistake of this module, not of
// its user.
func Check(g *ir.Graph, text string) error { return check(g, text, rand.Uint64()) }

// check is Check with the seed of the order, which the error names.
func check(g *ir.Graph, text string, seed uint64) error {
	if err := g.Verify(shapeinfer.Infer); err != nil {
		return fmt.Errorf("internal error: %w", err)
	}
	if again := Text(g.Shuffled(seed), true); again != text {
		line, a, b := firstDifference(text, again)
		return fmt.Errorf("internal error: the nodes in another order (seed %d) give another text, from line %d on: %q, not %q", seed, line, b, a)
	}
	m, err := stablehlo.Parse("step.mlir", text)
	if err == nil {
		err = verify.Module(m)
	}
	if err != nil {
		return fmt.Errorf("internal error: the program's text: %w", err)
	}
	return nil
}

// firstDifference returns the number of the first line that differs, from 1,
// and what it is in each text.
func firstDifference(a, b string) (line int, inA, inB string) {
	for line = 1; ; line++ {
		var moreA, moreB bool
		inA, a, moreA = strings.Cut(a, "\n")
		inB, b, moreB = strings.Cut(b, "\n")
		if inA != inB || !moreA || !moreB {
			return line, inA, inB
		}
	}
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
	m, err := stablehlo.Parse("step.mlir", text)
	if err != nil {
		return ""
	}
	for _, f := range m.Ops {
		(&mlir.Module{Ops: []*mlir.Op{f}}).Walk(func(op *mlir.Op) bool {
			if !is(op) {
				return true
			}
			if found = where(op.Loc); found == "" {
				found = whereCalled(m, f.SymName(), mostPlaces)
			}
			found += op.Name() + ": "
			return false
		})
	}
	return found
}

// mostPlaces is how many places of a function's calls are named.
const mostPlaces = 3

// whereCalled prints the lines of the ops that run a function of m, such as composites: its own ops
// have none, since these share it. Functions that run it have at most depth further ones around them.
func whereCalled(m *mlir.Module, name string, depth int) string {
	if name == "" || depth == 0 {
		return ""
	}
	var all []string
	for _, f := range m.Ops {
		(&mlir.Module{Ops: []*mlir.Op{f}}).Walk(func(op *mlir.Op) bool {
			if op.Callee() != name {
				return true
			}
			at := where(op.Loc)
			if at == "" {
				at = whereCalled(m, f.SymName(), depth-1)
			}
			if at = strings.TrimSuffix(at, ": "); at != "" && !slices.Contains(all, at) {
				all = append(all, at)
			}
			return true
		})
	}
	switch {
	case len(all) == 0:
		return ""
	case len(all) > mostPlaces:
		all = append(all[:mostPlaces], "others")
	}
	return strings.Join(all, " or ") + ": " + name + ": "
}

// Names parses a program's text and returns what says of an op's ordinal which op
// it is: "dot_general".
func Names(text string) func(op int) string {
	at := map[int]string{}
	if m, err := stablehlo.Parse("step.mlir", text); err == nil {
		m.Walk(func(op *mlir.Op) bool {
			at[op.Ordinal] = op.Name()[strings.IndexByte(op.Name(), '.')+1:]
			return true
		})
	}
	return func(op int) string { return at[op] }
}

// where prints the line of a location, and the scope it is in.
func where(loc mlir.Location) string {
	switch loc := loc.(type) {
	case mlir.FileLoc:
		return fmt.Sprintf("%s:%d: ", loc.File, loc.Line)
	case mlir.NameLoc:
		if line := where(loc.Child); line != "" {
			return line + loc.Name + ": "
		}
	}
	return ""
}
