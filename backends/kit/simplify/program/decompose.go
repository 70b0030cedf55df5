package program

import (
	"slices"

	"ltc/mlir"
)

// Decomposition says how values of a kind that loops and branches carry, and those that ops
// with such bodies combine, are replaced by their parts.
type Decomposition struct {
	Is    func(*mlir.Value) bool    // of the kind
	Part  func(mlir.Type) mlir.Type // that of each part; other types stay
	Apart []mlir.Code               // gives the parts of a value
	Whole mlir.Code                 // gives the value of its parts
	Joint func(*mlir.Op) bool       // if not nil, reports whether an op with a body combines values of which no part is by itself
}

// Apply has the loops and branches in b and below it, and the ops that are Joint, carry the
// parts of values in the place of these.
func (how *Decomposition) Apply(b *mlir.Block) bool {
	changed := false
	var out []*mlir.Op
	for _, op := range b.Ops {
		if !Controls(op) && (how.Joint == nil || !how.Joint(op)) {
			out = append(out, op)
			continue
		}
		all := Bodies(op)
		for _, inner := range all {
			changed = how.Apply(inner) || changed
		}
		ins, outs := slices.ContainsFunc(op.Operands, how.Is), slices.ContainsFunc(op.Results, how.Is)
		if !ins && !outs || len(all) != len(op.Regions) {
			out = append(out, op)
			continue
		}
		changed = true
		c := decomposer{Decomposition: how, at: op}
		op.Operands = c.takeApart(op.Operands)
		out = append(out, c.ops...)
		for _, inner := range all {
			before, after := decomposer{Decomposition: how, at: op}, decomposer{Decomposition: how, at: op}
			inner.Args = before.putTogether(inner.Args, mlir.Value{Block: inner})
			end := Terminator(inner)
			end.Operands = after.takeApart(end.Operands)
			inner.Ops = slices.Concat(before.ops, inner.Ops[:len(inner.Ops)-1], after.ops, []*mlir.Op{end})
		}
		c = decomposer{Decomposition: how, at: op}
		op.Results = c.putTogether(op.Results, mlir.Value{Def: op})
		out = append(append(out, op), c.ops...)
	}
	if changed {
		b.Ops = out
	}
	return changed
}

// decomposer collects the ops around a loop or branch whose values are decomposed.
type decomposer struct {
	*Decomposition
	at  *mlir.Op
	ops []*mlir.Op
}

func (c *decomposer) add(op *mlir.Op) {
	op.Pos, op.Ordinal, op.Loc = c.at.Pos, c.at.Ordinal, c.at.Loc
	c.ops = append(c.ops, op)
}

// takeApart returns values with the parts of those of the kind in their place.
func (c *decomposer) takeApart(values []*mlir.Value) []*mlir.Value {
	var out []*mlir.Value
	for _, v := range values {
		if !c.Is(v) {
			out = append(out, v)
			continue
		}
		for _, code := range c.Apart {
			part := mlir.NewOp(code, []*mlir.Value{v}, c.Part(v.Type))
			c.add(part)
			out = append(out, part.Results[0])
		}
	}
	return out
}

// putTogether returns the definitions of values, which are where at says, with those of
// parts in the place of values of the kind. These are made of the parts after that.
func (c *decomposer) putTogether(values []*mlir.Value, at mlir.Value) []*mlir.Value {
	var out []*mlir.Value
	for _, v := range values {
		if !c.Is(v) {
			out = append(out, v)
			continue
		}
		parts := make([]*mlir.Value, len(c.Apart))
		for i := range parts {
			part := at
			part.Type, part.Loc = c.Part(v.Type), v.Loc
			parts[i] = &part
		}
		out = append(out, parts...)
		z := &mlir.Op{Code: c.Whole, Operands: parts, Results: []*mlir.Value{v}}
		v.Def, v.Block, v.Index = z, nil, 0
		c.add(z)
	}
	return renumbered(out)
}
