package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// refine gives values that are computed together one shape, so that reshapes do not cut
// chains of elementwise ops. A domain is a set of values connected by elementwise ops
// and reductions; all have one shape. A reshape between two domains may split
// dimensions, or remove unit dimensions. The domain with the merged dimensions is then
// computed with the split ones: an op on a dimension also works on its factors, but not
// the other way round. Ops that read or make the domain's values see them reshaped, and
// other passes absorb these reshapes.
//
// Not to the bit: see reduce.
func refine(s *state) bool {
	d := &domains{}
	for _, b := range s.Functions() {
		d.block(b)
	}
	if len(d.target) == 0 {
		return false
	}
	// The rule of reduce needs d, so that no row can have it.
	reduceRules, reduceRow := rules{d.reduce}, &opTable[stablehlo.Reduce]
	return s.rewriteAll(func(r *opRow) rules {
		if r == reduceRow {
			return reduceRules
		}
		return nil
	}, d.elementwise)
}

// domains is a union-find over values and what is known of each set.
type domains struct {
	of     map[*mlir.Value]int // index in parent
	parent []int
	active []bool           // of sets: has an op that computes
	target map[int][]int64  // of sets: the shape to come
	reads  map[*mlir.Op]int // the index of what a reduction reads
}

func (d *domains) find(i int) int {
	for d.parent[i] != i {
		d.parent[i] = d.parent[d.parent[i]]
		i = d.parent[i]
	}
	return i
}

func (d *domains) add(v *mlir.Value) int {
	i, known := d.of[v]
	if !known {
		i = len(d.parent)
		d.of[v] = i
		d.parent, d.active = append(d.parent, i), append(d.active, false)
	}
	return d.find(i)
}

func (d *domains) join(a, b int) int {
	if a, b = d.find(a), d.find(b); a != b {
		d.parent[b] = a
		d.active[a] = d.active[a] || d.active[b]
	}
	return a
}

// computes returns the values of op that are in one domain: all of its own of an
// elementwise op but scalars beside them, what a reduction reads.
func computes(op *mlir.Op) []*mlir.Value {
	switch {
	case len(op.Results) != 1:
	case elementwise(op) && plain(op):
		vs := []*mlir.Value{op.Results[0]}
		for _, v := range op.Operands {
			if program.Element(v) == nil && len(tensorOf(v).Shape) == len(resultType(op).Shape) {
				vs = append(vs, v)
			}
		}
		return vs
	case op.Code == stablehlo.Reduce && plain(op):
		if r, ok := reductionOf(op); ok {
			return []*mlir.Value{r.x}
		}
	}
	return nil
}

// block finds the domains of a function, if it has a reshape at all, and what
// they are to become.
func (d *domains) block(b *mlir.Block) {
	some := false
	program.Walk(b, func(op *mlir.Op) { some = some || op.Code == stablehlo.Reshape })
	if !some {
		return
	}
	if d.of == nil {
		d.of, d.target, d.reads = map[*mlir.Value]int{}, map[int][]int64{}, map[*mlir.Op]int{}
	}
	var reshapes []*mlir.Op
	taken := map[*mlir.Value]bool{} // by what takes a reshape in
	program.Walk(b, func(op *mlir.Op) {
		switch op.Code {
		case stablehlo.Reshape:
			if plain(op) {
				reshapes = append(reshapes, op)
			}
		case stablehlo.DotGeneral, stablehlo.BroadcastInDim:
			for _, v := range op.Operands {
				taken[v] = true
			}
		}
		if vs := computes(op); vs != nil {
			first := d.add(vs[0])
			d.active[first] = true
			if op.Code == stablehlo.Reduce {
				d.reads[op] = first
			}
			for _, v := range vs[1:] {
				first = d.join(first, d.add(v))
			}
		}
	})
	for _, r := range reshapes {
		x, y := r.Operands[0], r.Results[0]
		if d.isActive(y) && (d.isActive(x) || def(x, stablehlo.DotGeneral) != nil || def(x, stablehlo.Reduce) != nil) {
			d.want(y, tensorOf(x).Shape)
		}
		if d.isActive(x) && (d.isActive(y) || taken[y]) {
			d.want(x, tensorOf(y).Shape)
		}
	}
}

func (d *domains) isActive(v *mlir.Value) bool {
	i, known := d.of[v]
	return known && d.active[d.find(i)]
}

// want notes that v's domain could have another shape. The first that is finer
// counts: others come in the next round.
func (d *domains) want(v *mlir.Value, shape []int64) {
	i := d.find(d.of[v])
	if d.target[i] == nil && finer(tensorOf(v).Shape, shape) {
		d.target[i] = shape
	}
}

// finer reports whether shape splits dimensions of from, or has less of 1.
func finer(from, shape []int64) bool {
	if slices.Equal(withoutUnits(from), withoutUnits(shape)) {
		return len(shape) < len(from)
	}
	return splits(from, shape)
}

// shape returns what v is to become; nil if it stays.
func (d *domains) shape(v *mlir.Value) []int64 {
	i, known := d.of[v]
	if !known {
		return nil
	}
	return d.target[d.find(i)]
}

func (d *domains) elementwise(e *editor, op *mlir.Op) *mlir.Value {
	shape := d.shape(op.Results[0])
	if shape == nil {
		return nil
	}
	operands := slices.Clone(op.Operands)
	for i, v := range operands {
		if len(tensorOf(v).Shape) == len(resultType(op).Shape) {
			operands[i] = e.reshape(v, shape)
		}
	}
	return e.reshape(e.again(op, like(resultType(op), shape), operands...), resultType(op).Shape)
}

func (d *domains) reduce(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok {
		return nil
	}
	i, known := d.reads[op]
	if !known || d.target[d.find(i)] == nil {
		return nil
	}
	shape := d.target[d.find(i)]
	over := regrouped(r.dims, tensorOf(r.x).Shape, shape)
	return e.reshape(e.reduced(r, e.reshape(r.x, shape), over), resultType(op).Shape)
}
