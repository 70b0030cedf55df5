package mlir

import "slices"

// Cloner copies ops with what is in their regions. Copies use the copies of the values
// that it has copied, and other values as they are. A value must be defined before it is
// used, in the order of blocks and ops.
type Cloner struct {
	// Loc returns the location of an op's copy; nil keeps the op's own.
	Loc func(Location) Location
	// Ops copies the ops of a block in a region; nil copies each with Op.
	Ops func([]*Op) []*Op

	values map[*Value]*Value
	blocks map[*Block]*Block // for successors
}

// Replace has later copies use another value in v's place.
func (c *Cloner) Replace(v, by *Value) {
	if c.values == nil {
		c.values = map[*Value]*Value{}
	}
	c.values[v] = by
}

// Value returns the value that copies use in v's place.
func (c *Cloner) Value(v *Value) *Value {
	if w := c.values[v]; w != nil {
		return w
	}
	return v
}

// Op returns a copy of op, which has op's position and ordinal.
func (c *Cloner) Op(op *Op) *Op {
	x := op.Like()
	x.Attrs, x.Loc, x.Pos, x.Ordinal = slices.Clone(op.Attrs), op.Loc, op.Pos, op.Ordinal
	if c.Loc != nil {
		x.Loc = c.Loc(op.Loc)
	}
	for _, v := range op.Operands {
		x.Operands = append(x.Operands, c.Value(v))
	}
	for _, b := range op.Successors {
		to, inside := c.blocks[b]
		if !inside {
			to = b
		}
		x.Successors = append(x.Successors, to)
	}
	for _, r := range op.Results {
		x.Results = append(x.Results, c.define(r, Value{Def: x}))
	}
	for _, r := range op.Regions {
		x.Regions = append(x.Regions, c.Region(r))
	}
	return x
}

// define returns the copy of v, which is where at says.
func (c *Cloner) define(v *Value, at Value) *Value {
	at.Type, at.Index, at.Loc = v.Type, v.Index, v.Loc
	c.Replace(v, &at)
	return &at
}

// Region returns a copy of a region.
func (c *Cloner) Region(r *Region) *Region {
	x := &Region{}
	for _, b := range r.Blocks {
		to := &Block{Label: b.Label}
		for _, a := range b.Args {
			to.Args = append(to.Args, c.define(a, Value{Block: to}))
		}
		if c.blocks == nil {
			c.blocks = map[*Block]*Block{}
		}
		c.blocks[b] = to
		x.Blocks = append(x.Blocks, to)
	}
	for i, b := range r.Blocks {
		x.Blocks[i].Ops = c.ops(b.Ops)
	}
	return x
}

func (c *Cloner) ops(from []*Op) []*Op {
	if c.Ops != nil {
		return c.Ops(from)
	}
	to := make([]*Op, len(from))
	for i, op := range from {
		to[i] = c.Op(op)
	}
	return to
}
