package simplify

import (
	"slices"

	"ltc/mlir"
)

// carriage says how loops and branches carry values of a kind as others, their parts.
type carriage struct {
	is    func(*mlir.Value) bool    // of the kind
	part  func(mlir.Type) mlir.Type // that of each part; other types stay
	apart []mlir.Code               // gives the parts of a value
	whole mlir.Code                 // gives the value of its parts
}

// carry has the loops and branches in b and below it carry the parts of values in the
// place of these.
func (how *carriage) carry(b *mlir.Block) bool {
	changed := false
	var out []*mlir.Op
	for _, op := range b.Ops {
		if !controls(op) {
			out = append(out, op)
			continue
		}
		all := bodies(op)
		for _, inner := range all {
			changed = how.carry(inner) || changed
		}
		ins, outs := slices.ContainsFunc(op.Operands, how.is), slices.ContainsFunc(op.Results, how.is)
		if !ins && !outs || len(all) != len(op.Regions) {
			out = append(out, op)
			continue
		}
		changed = true
		c := carrier{carriage: how, at: op}
		op.Operands = c.takeApart(op.Operands)
		out = append(out, c.ops...)
		for _, inner := range all {
			before, after := carrier{carriage: how, at: op}, carrier{carriage: how, at: op}
			inner.Args = before.putTogether(inner.Args, mlir.Value{Block: inner})
			end := terminator(inner)
			end.Operands = after.takeApart(end.Operands)
			inner.Ops = slices.Concat(before.ops, inner.Ops[:len(inner.Ops)-1], after.ops, []*mlir.Op{end})
		}
		c = carrier{carriage: how, at: op}
		op.Results = c.putTogether(op.Results, mlir.Value{Def: op})
		out = append(append(out, op), c.ops...)
	}
	if changed {
		b.Ops = out
	}
	return changed
}

// carrier collects the ops around a loop or branch that carries parts.
type carrier struct {
	*carriage
	at  *mlir.Op
	ops []*mlir.Op
}

func (c *carrier) add(op *mlir.Op) {
	op.Pos, op.Ordinal, op.Loc = c.at.Pos, c.at.Ordinal, c.at.Loc
	c.ops = append(c.ops, op)
}

// takeApart returns values with the parts of those of the kind in their place.
func (c *carrier) takeApart(values []*mlir.Value) []*mlir.Value {
	var out []*mlir.Value
	for _, v := range values {
		if !c.is(v) {
			out = append(out, v)
			continue
		}
		for _, code := range c.apart {
			part := mlir.NewOp(code, []*mlir.Value{v}, c.part(v.Type))
			c.add(part)
			out = append(out, part.Results[0])
		}
	}
	return out
}

// putTogether returns the definitions of values, which are where at says, with those of
// parts in the place of values of the kind. These are made of the parts after that.
func (c *carrier) putTogether(values []*mlir.Value, at mlir.Value) []*mlir.Value {
	var out []*mlir.Value
	for _, v := range values {
		if !c.is(v) {
			out = append(out, v)
			continue
		}
		parts := make([]*mlir.Value, len(c.apart))
		for i := range parts {
			part := at
			part.Type, part.Loc = c.part(v.Type), v.Loc
			parts[i] = &part
		}
		out = append(out, parts...)
		z := &mlir.Op{Code: c.whole, Operands: parts, Results: []*mlir.Value{v}}
		v.Def, v.Block, v.Index = z, nil, 0
		c.add(z)
	}
	return renumbered(out)
}
