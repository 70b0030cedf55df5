package program

import (
	"hash/maphash"
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// CSE computes equal values once: of pure ops with the same name, operands,
// attributes and types, the first that is in sight stays. Constants are not
// shared with the regions of other ops: a region is a program of its own for
// some backends, and would be given them. What is in the regions of a reduction
// and the like sees nothing from outside, for the same reason. Ops with regions
// are equal if the regions are the same but for names; branches and loops stay.
func CSE(s *Program) bool {
	c := &numbering{Program: s, seed: maphash.MakeSeed()}
	for _, b := range s.Functions() {
		c.first, c.stands = make(map[uint64][]*mlir.Op, len(b.Ops)), Replacements{}
		c.block(b)
	}
	return c.changed
}

// numbering has the ops in sight by their hash. A hash only finds candidates,
// so that its seed does not show.
type numbering struct {
	*Program
	seed    maphash.Seed
	first   map[uint64][]*mlir.Op
	trail   []uint64 // the hashes in first, in order, to be forgotten
	region  uint64   // number of the region at hand
	count   uint64   // of regions so far
	stands  Replacements
	changed bool
}

func (c *numbering) block(b *mlir.Block) {
	b.Ops = slices.DeleteFunc(b.Ops, func(op *mlir.Op) bool {
		c.Look()
		c.stands.Apply(op.Operands)
		c.regions(op)
		return !Controls(op) && len(op.Results) > 0 && c.merged(op)
	})
}

// merged reports whether an equal op stands for op from here on.
func (c *numbering) merged(op *mlir.Op) bool {
	if !c.Pure(op) {
		return false
	}
	h := c.hash(op)
	at := slices.IndexFunc(c.first[h], func(x *mlir.Op) bool { return sameOp(x, op, nil) })
	if at < 0 {
		c.first[h] = append(c.first[h], op)
		c.trail = append(c.trail, h)
		return false
	}
	c.changed = true
	same := c.first[h][at]
	for i, r := range op.Results {
		c.stands[r] = same.Results[i]
	}
	return true
}

// regions goes into the regions of op, which see what is before op only where
// they are branches or loops.
func (c *numbering) regions(op *mlir.Op) {
	for _, b := range Bodies(op) {
		outer, region, trail := c.first, c.region, len(c.trail)
		c.count++
		c.region = c.count
		hidden := !Controls(op)
		if hidden {
			c.first = map[uint64][]*mlir.Op{}
		}
		c.block(b)
		if !hidden {
			for _, h := range c.trail[trail:] {
				c.first[h] = c.first[h][:len(c.first[h])-1]
			}
		}
		c.first, c.region, c.trail = outer, region, c.trail[:trail]
	}
	SubstituteOthers(op, c.stands)
}

func (c *numbering) hash(op *mlir.Op) uint64 {
	h := hasher{seed: c.seed, sum: maphash.String(c.seed, op.Name())}
	info := op.Code.Info()
	if info.Traits.Has(mlir.Commutative) {
		sum := uint64(0)
		for _, v := range op.Operands {
			sum += maphash.Comparable(c.seed, v)
		}
		h.add(sum)
	} else {
		for _, v := range op.Operands {
			h.add(maphash.Comparable(c.seed, v))
		}
	}
	h.dict(op.Attrs)
	if op.Code == stablehlo.Constant {
		h.add(c.region)
	}
	for _, r := range op.Results {
		h.typ(r.Type)
	}
	for _, b := range Bodies(op) {
		for _, inner := range b.Ops {
			h.string(inner.Name())
		}
	}
	return h.sum
}

// sameOp reports whether two ops give the same, where inner values of the regions
// around them stand for each other.
func sameOp(a, b *mlir.Op, inner map[*mlir.Value]*mlir.Value) bool {
	if a.Name() != b.Name() || len(a.Results) != len(b.Results) || len(a.Regions) != len(b.Regions) || !SameDict(a.Attrs, b.Attrs) {
		return false
	}
	same := func(v, w *mlir.Value) bool { return v == w || inner[v] == w }
	if !slices.EqualFunc(a.Operands, b.Operands, same) {
		info := a.Code.Info()
		swapped := info.Traits.Has(mlir.Commutative) && len(a.Operands) == 2 && len(b.Operands) == 2 &&
			same(a.Operands[0], b.Operands[1]) && same(a.Operands[1], b.Operands[0])
		if !swapped {
			return false
		}
	}
	if !sameTypes(a.Results, b.Results) {
		return false
	}
	for i := range a.Regions {
		if !sameRegion(a.Regions[i], b.Regions[i], inner) {
			return false
		}
	}
	return true
}

func sameRegion(a, b *mlir.Region, inner map[*mlir.Value]*mlir.Value) bool {
	if len(a.Blocks) != 1 || len(b.Blocks) != 1 {
		return false
	}
	x, y := a.Blocks[0], b.Blocks[0]
	if inner == nil {
		inner = map[*mlir.Value]*mlir.Value{}
	}
	if !sameTypes(x.Args, y.Args) || len(x.Ops) != len(y.Ops) {
		return false
	}
	for i, v := range x.Args {
		inner[v] = y.Args[i]
	}
	for i, op := range x.Ops {
		if !sameOp(op, y.Ops[i], inner) {
			return false
		}
		for k, v := range op.Results {
			inner[v] = y.Ops[i].Results[k]
		}
	}
	return true
}
