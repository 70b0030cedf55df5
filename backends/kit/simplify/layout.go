package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/mincut"
	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// layout chooses the order of dimensions in which regions of ops are computed: transposes
// move as few bytes as possible. An image whose channels are first in the text is computed
// with its channels last from one convolution to the next. Pooling, additions of other
// images, masks and gradients may be between them.
//
// For each permutation of a block's transposes, ops that can be computed in the permuted
// order are nodes of a network. Its cuts are the choices: an op on the side of the source is
// computed in the permuted order. The cost of a cut is the bytes that the remaining transposes
// move: where a value is computed in one order and read in the other, and those of the text
// that stay. A minimum cut is the best choice.
//
// The order changes only where the cut costs less than the program as it is. What the
// transposes of a function move decreases with each change: the pass ends. Other passes move
// transposes by other rules, so that the rounds of all passes end by their number alone.
//
// Not to the bit: see dots.
func layout(s *state) bool {
	changed := false
	for _, f := range s.Functions() {
		done := map[*mlir.Block]bool{}
		for again := true; again; {
			again = false
			for _, b := range programBlocks(f, nil) {
				if done[b] {
					continue
				}
				done[b] = true
				if s.layoutBlock(f, b) { // a change may leave out other blocks
					changed, again = true, true
					break
				}
			}
		}
	}
	return changed
}

// layoutBlock chooses the orders of a block of a function.
func (s *state) layoutBlock(f, b *mlir.Block) (changed bool) {
	orders := ordersOf(b)
	var users map[*mlir.Value][]*mlir.Op
	for _, o := range orders[:min(len(orders), mostOrders)] {
		s.Look()
		if users == nil {
			users = usersIn(b)
		}
		chosen := s.choose(b, o, users)
		if len(chosen) == 0 {
			continue
		}
		changed, users = true, nil
		s.permuteAll(f, chosen, o.perm)
		program.CSE(s.Program) // one transpose of a value is enough for all that read it
	}
	return changed
}

// usersIn returns the ops of a block, and of those in it, that read each value, in their order.
func usersIn(b *mlir.Block) map[*mlir.Value][]*mlir.Op {
	users := map[*mlir.Value][]*mlir.Op{}
	program.Walk(b, func(op *mlir.Op) {
		for i, v := range op.Operands {
			if !slices.Contains(op.Operands[:i], v) {
				users[v] = append(users[v], op)
			}
		}
	})
	return users
}

// mostOrders is how many orders are tried in a block in each round. Models have some ten.
const mostOrders = 64

// programBlocks appends a block and those of the branches and loops in it.
func programBlocks(b *mlir.Block, all []*mlir.Block) []*mlir.Block {
	all = append(all, b)
	for _, op := range b.Ops {
		if program.Controls(op) {
			for _, inner := range program.Bodies(op) {
				all = programBlocks(inner, all)
			}
		}
	}
	return all
}

// permuteAll computes the chosen ops of a function in the permuted order.
func (s *state) permuteAll(f *mlir.Block, chosen map[*mlir.Op]bool, perm []int64) {
	permuted := func(e *editor, op *mlir.Op) []*mlir.Value {
		if !chosen[op] {
			return nil
		}
		return e.permuted(op, perm)
	}
	e := &editor{state: s, rules: func(r *opRow) rules { return r.transpose }, several: func(*opRow) severalRule { return permuted }}
	e.function(f)
}

// order is one in which ops may be computed. An op computed in it reads operands v where the
// text has transpose(v, perm).
type order struct {
	perm []int64
	down bool // transposes by perm may move down; if not, they may move up
}

// ordersOf returns the orders that are tried in a block. Each of its transposes may move down,
// as one by its permutation, and up, as one by the inverse.
func ordersOf(b *mlir.Block) (all []order) {
	add := func(o order) {
		if !slices.ContainsFunc(all, func(x order) bool { return x.down == o.down && slices.Equal(x.perm, o.perm) }) {
			all = append(all, o)
		}
	}
	for _, op := range b.Ops {
		if perm := transposeOf(op); perm != nil {
			back := inverse(perm)
			add(order{perm, true})
			add(order{back, !slices.Equal(back, perm)})
		}
	}
	return all
}

// dimensions says how an op is computed on operands whose dimensions are permuted: its
// attributes that say something of dimensions, by what they say.
type dimensions struct {
	each    []string // a number for each dimension
	pairs   []string // two numbers for each dimension
	numbers []string // dimensions
	number  string   // one dimension
	ordered string   // a number for each dimension: those with more than 1 stay in their order
}

// permutable reports whether op can be computed with its dimensions permuted: its results
// and its operands but scalars have as many.
func permutable(op *mlir.Op, perm []int64) bool {
	d := opTable[op.Code].dimensions
	if d == nil && !elementwise(op) || !plain(op) || len(op.Results) == 0 {
		return false
	}
	for _, v := range op.Results {
		if len(tensorOf(v).Shape) != len(perm) {
			return false
		}
	}
	for _, v := range op.Operands {
		if n := len(tensorOf(v).Shape); n != len(perm) && n != 0 {
			return false
		}
	}
	if d == nil || d.ordered == "" {
		return true
	}
	sizes, _ := mlir.Ints(op.Attrs.Get(d.ordered))
	if sizes == nil {
		return true
	}
	wide := slices.DeleteFunc(inverse(perm), func(i int64) bool { return sizes[i] == 1 })
	return slices.IsSorted(wide)
}

// permute changes what the attributes of op say of dimensions: dimension i is what was
// dimension back[i].
func (d *dimensions) permute(op *mlir.Op, back []int64) {
	change := func(name string, f func([]int64) []int64) {
		if list, ok := mlir.Ints(op.Attrs.Get(name)); ok {
			op.Attrs.Set(name, mlir.StaticPart{Attr: name}.Value(f(list)))
		}
	}
	to := inverse(back)
	for _, name := range d.each {
		change(name, func(list []int64) []int64 { return pick(list, back) })
	}
	for _, name := range d.pairs {
		change(name, func(list []int64) (all []int64) {
			for _, i := range back {
				all = append(all, list[2*i:2*i+2]...)
			}
			return all
		})
	}
	for _, name := range d.numbers {
		change(name, func(list []int64) []int64 { return slices.Sorted(slices.Values(pick(to, list))) })
	}
	if n, ok := mlir.Int(op.Attrs.Get(d.number)); ok {
		op.Attrs.Set(d.number, mlir.I64Attr(to[n]))
	}
}

// permuted computes op on the values that its operands are transposes of by perm, and
// returns the transposes of its results.
func (e *editor) permuted(op *mlir.Op, perm []int64) []*mlir.Value {
	back := inverse(perm)
	operands := slices.Clone(op.Operands)
	for i, v := range operands {
		if len(tensorOf(v).Shape) > 0 {
			operands[i] = e.transpose(v, back)
		}
	}
	types := make([]mlir.Type, len(op.Results))
	for i, v := range op.Results {
		types[i] = like(tensorOf(v), pick(tensorOf(v).Shape, back))
	}
	x := copyTyped(op, types, operands...)
	if d := opTable[op.Code].dimensions; d != nil {
		d.permute(x, back)
	}
	e.emitOp(x)
	results := make([]*mlir.Value, len(x.Results))
	for i, v := range x.Results {
		results[i] = e.transpose(v, perm)
	}
	return results
}

// choose returns the ops of a block that are to be computed in another order.
func (s *state) choose(b *mlir.Block, o order, users map[*mlir.Value][]*mlir.Op) map[*mlir.Op]bool {
	r := &region{state: s, Network: mincut.New(), perm: o.perm, permutable: map[*mlir.Op]bool{}, users: users, nodes: map[*mlir.Op]int{}, seen: map[*mlir.Value]bool{}}
	r.addSources(b, o.down)
	for len(r.worklist) > 0 {
		s.Look()
		v := r.worklist[0]
		r.worklist = r.worklist[1:]
		r.addArcs(v)
	}
	least := r.SourceCost()
	if least == 0 {
		return nil
	}
	cost, atSource, ok := r.Cut(s.Look)
	if !ok || cost >= least {
		return nil
	}
	chosen := map[*mlir.Op]bool{}
	for op, n := range r.nodes {
		if n > mincut.Sink && atSource[n] {
			chosen[op] = true
		}
	}
	return chosen
}

// transposeOf returns the permutation of a transpose; nil of another op.
func transposeOf(op *mlir.Op) []int64 {
	if op.Code != stablehlo.Transpose || !plain(op) {
		return nil
	}
	return stablehlo.AsTranspose(op).Permutation()
}

// region is the ops of a block that values connect with transposes, as a network.
type region struct {
	*state
	*mincut.Network
	perm       []int64
	permutable map[*mlir.Op]bool // ops of the block
	users      map[*mlir.Value][]*mlir.Op
	nodes      map[*mlir.Op]int // of ops whose order is chosen; Source: see addSources
	worklist   []*mlir.Value    // values whose arcs are to be added
	seen       map[*mlir.Value]bool
}

// addSources finds the permutable ops of a block, and puts the values that its transposes
// connect with on the worklist. Transposes by perm that may move down are the source: their
// operands are in the permuted order already. A transpose below such a one is no source: the
// two may meet and cancel.
func (r *region) addSources(b *mlir.Block, down bool) {
	below := map[*mlir.Value]bool{}
	for _, op := range b.Ops {
		switch t := transposeOf(op); {
		case t == nil && permutable(op, r.perm):
			r.permutable[op] = true
			if slices.ContainsFunc(op.Operands, func(v *mlir.Value) bool { return below[v] }) {
				for _, v := range op.Results {
					below[v] = true
				}
			}
		case len(t) != len(r.perm):
		case down && slices.Equal(t, r.perm) && !below[op.Operands[0]]:
			r.nodes[op] = mincut.Source
			below[op.Results[0]] = true
			r.worklist = append(r.worklist, op.Results[0])
		default:
			r.worklist = append(r.worklist, op.Operands[0])
		}
	}
}

// nodeOf returns the node of an op, Sink for an op that is not permutable. The values of an op
// without a node go on the worklist.
func (r *region) nodeOf(op *mlir.Op) int {
	if op == nil {
		return mincut.Sink
	}
	n, known := r.nodes[op]
	switch {
	case known:
		return n
	case !r.permutable[op]:
		return mincut.Sink
	}
	n = r.Node()
	r.nodes[op] = n
	r.worklist = append(append(r.worklist, op.Operands...), op.Results...)
	return n
}

// addArcs adds the cost of a value that is computed in one order and read in another.
func (r *region) addArcs(v *mlir.Value) {
	if r.seen[v] || tensorOf(v) == nil || len(tensorOf(v).Shape) != len(r.perm) || program.Element(v) != nil || def(v, stablehlo.BroadcastInDim) != nil {
		return // what repeats elements has any order
	}
	r.seen[v] = true
	from := r.nodeOf(v.Def)
	fixed := false // is it read in the order of the text?
	var readers []int
	for _, op := range r.users[v] {
		n := r.nodeOf(op)
		switch t := transposeOf(op); {
		case t != nil && n == mincut.Source:
			fixed = true
		case t != nil:
			composed := pick(r.perm, t)
			r.Arc(mincut.Source, from, r.storedCost(op.Results[0], t))
			r.Arc(from, mincut.Sink, r.storedCost(op.Results[0], composed))
		case n > mincut.Sink:
			readers = append(readers, n)
		default:
			cost, ok := r.absorbedCost(op, v, r.perm)
			if fixed = fixed || !ok; ok && from > mincut.Sink {
				r.Arc(from, mincut.Sink, cost)
			}
		}
	}
	if from != mincut.Sink && (fixed || len(readers) > 0) { // it may be computed in the permuted order, and read in that of the text
		n := r.Node()
		r.Arc(from, n, r.transposeCost(v, r.perm))
		for _, reader := range readers {
			r.Arc(n, reader, mincut.Unlimited)
		}
		if fixed {
			r.Arc(n, mincut.Sink, mincut.Unlimited)
		}
	}
	if from != mincut.Source { // or the other way round
		n := r.Node()
		r.Arc(n, from, r.permutedCost(v))
		for _, reader := range readers {
			r.Arc(reader, n, mincut.Unlimited)
		}
	}
}

// transposeCost returns the cost of a transpose by perm whose operand or result is v: the bytes
// that it moves, twice where rows do not stay rows.
func (r *region) transposeCost(v *mlir.Value, perm []int64) int64 {
	t := tensorOf(v)
	var order []int64 // of the dimensions of more than one element
	for i, d := range perm {
		if t.Shape[i] != 1 {
			order = append(order, d)
		}
	}
	if slices.IsSorted(order) {
		return 0
	}
	const most = 1 << 40 // the sum of all is an int64
	bytes := int64(max(mlir.ElementBytes(t.Elem), 1))
	for _, n := range t.Shape {
		if bytes == 0 {
			break
		}
		bytes *= min(dims.Typical(n), most/bytes)
	}
	if order[len(order)-1] == slices.Max(order) {
		return bytes
	}
	return 2 * bytes
}

// fullColumns is how many columns fill the blocks of a product.
const fullColumns = 64

// permutedCost returns the cost of reading v, which is computed in the order of the text, in the
// permuted order. A product may give that order at no cost if its operands are exchanged.
func (r *region) permutedCost(v *mlir.Value) int64 {
	if dot := def(v, stablehlo.DotGeneral); dot != nil && len(r.users[v]) == 1 {
		rest, ok := exchanged(dot, inverse(r.perm))
		if m := dotSides(dot)[0]; ok && slices.IsSorted(rest) && dims.Typical(dims.Product(pick(m.shape(), m.free)...)) >= fullColumns {
			return 0
		}
	}
	return r.transposeCost(v, r.perm)
}

// storedCost returns the cost of v as the result of a transpose by perm: the sum of its readers'
// [region.absorbedCost], or that of the transpose if one of them cannot absorb it.
func (r *region) storedCost(v *mlir.Value, perm []int64) int64 {
	sum := int64(0)
	for _, op := range r.users[v] {
		cost, ok := r.absorbedCost(op, v, perm)
		if !ok {
			return r.transposeCost(v, perm)
		}
		sum += cost
	}
	return sum
}

// absorbedCost reports whether op can read the operand of a transpose by perm in the place of
// its result v, and returns the cost of the bytes that move instead.
func (r *region) absorbedCost(op *mlir.Op, v *mlir.Value, perm []int64) (cost int64, ok bool) {
	if !plain(op) {
		return 0, false
	}
	switch op.Code {
	case stablehlo.BroadcastInDim:
		return 0, true
	case stablehlo.DotGeneral:
		for _, side := range dotSides(op) {
			if side.v == v && !slices.IsSorted(pick(perm, side.free)) {
				return 0, false
			}
		}
		return 0, true
	case stablehlo.Reduce:
		x, ok := reductionOf(op)
		if !ok || x.x != v {
			return 0, false
		}
		return r.transposeCost(op.Results[0], left(perm, pick(perm, x.dims))), true
	}
	return 0, false
}
