package lower

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// lowerScan emits a while that counts iterations. It carries, in this order, the node's carries
// and rows, of which one is written an iteration, and the iteration. Products of rows by a matrix
// are computed before or after the loop, and sums of products after it: see [scanProducts].
func lowerScan(l *lowerer, n *ir.Node) *mlir.Value {
	if v := l.values[n.ID]; v != nil {
		return v
	}
	if w := l.wider[n]; w != nil {
		v := lowerScan(l, w)
		l.values[w.ID] = v
		if all := l.inlined[w]; all != nil {
			l.inlined[n] = all
		}
		return v
	}
	s := &scanLoop{lowerer: l, scanProducts: productsOf(n), in: l.in(n)}
	l.inlined[n] = s.emitAll()
	return l.inlined[n][0]
}

// scanLoop is a scan that is being emitted.
type scanLoop struct {
	*lowerer
	*scanProducts
	in []*mlir.Value // the operands
}

// emitAll emits the loop with what comes before and after it, and returns the node's results.
func (s *scanLoop) emitAll() []*mlir.Value {
	ahead := make([]*mlir.Value, len(s.ahead))
	for i, m := range s.ahead {
		ahead[i] = s.product(s.operand(m.In[0]), m)
	}
	var init []*mlir.Value
	for k := range s.carries {
		if s.sums[k] == nil {
			init = append(init, s.in[k])
		}
	}
	carried := len(init)
	for _, r := range s.rows {
		init = append(init, s.filled(s.stacked(r.Type), 0))
	}
	op := s.loop(append(init, s.constant(types.I32, 0)), carried, ahead)
	results, at := make([]*mlir.Value, 0, len(s.body.Results)), 0
	for k := range s.carries {
		if terms := s.sums[k]; terms != nil {
			results = append(results, s.sum(s.in[k], terms, op.Results[carried:]))
			continue
		}
		results = append(results, op.Results[at])
		at++
	}
	for _, r := range s.body.Results[s.carries:] {
		if i := slices.Index(s.rows, r); i >= 0 {
			results = append(results, op.Results[carried+i])
			continue
		}
		rows, _ := s.allRows(r.In[0], op.Results[carried:])
		results = append(results, s.product(rows, r))
	}
	return results
}

// loop emits the while. The first so many of init are carries.
func (s *scanLoop) loop(init []*mlir.Value, carried int, ahead []*mlir.Value) *mlir.Op {
	n, last := s.n, len(init)-1
	index := tensor(types.Of(types.I32))
	return s.while(init, func(state []*mlir.Value) []*mlir.Value {
		end := s.index(s.iterations)
		return []*mlir.Value{s.compare("LT", types.I32, tensor(types.Of(types.Bool)), state[last], end)}
	}, func(state []*mlir.Value) []*mlir.Value {
		if s.iterations == 0 { // there are no rows
			return state
		}
		iteration := state[last]
		at := iteration
		if n.Attrs[ir.ScanReverse].Int != 0 {
			at = s.emit(stablehlo.Subtract, index, []*mlir.Value{s.index(dims.Sub(s.iterations, 1)), iteration})
		}
		args, next := []*mlir.Value{at}, 0
		for k := range s.carries {
			if s.sums[k] != nil {
				args = append(args, nil) // nothing else takes it
				continue
			}
			args = append(args, state[next])
			next++
		}
		for i := range s.xs {
			k := s.carries + i
			if !s.needed[s.body.Params[k+1].ID] {
				args = append(args, nil)
				continue
			}
			args = append(args, s.row(s.in[k], n.In[k].Type, at))
		}
		args = append(args, s.in[s.carries+s.xs:]...)
		given := map[*ir.Node]*mlir.Value{}
		for i, m := range s.ahead {
			given[m] = s.row(ahead[i], s.stacked(m.Type), at)
		}
		values := s.runPart(s.body, args, given, s.order, s.wanted)
		for i, r := range s.rows {
			values[carried+i] = s.setRow(state[carried+i], values[carried+i], r.Type, at)
		}
		one := s.constant(types.I32, 1)
		return append(values, s.emit(stablehlo.Add, index, []*mlir.Value{iteration, one}))
	})
}

// stacked is the type of rows of type t, one of each iteration.
func (s *scanLoop) stacked(t types.Type) types.Type {
	return types.Type{DType: t.DType, Shape: slices.Concat(types.Shape{int(s.iterations)}, t.Shape)}
}

// product emits what m is in all iterations: the products of rows by a matrix from outside.
func (s *scanLoop) product(rows *mlir.Value, m *ir.Node) *mlir.Value {
	matrix, swapped := m.In[1], false
	if transposed(matrix) {
		matrix, swapped = matrix.In[0], true
	}
	d := stablehlo.DotDims{LHSContract: []int64{int64(m.In[0].Type.Rank())}, RHSContract: []int64{axis(0, swapped)}}
	return s.emit(stablehlo.DotGeneral, tensor(s.stacked(m.Type)), []*mlir.Value{rows, s.operand(matrix)}, attr("dot_dimension_numbers", d.Attr()))
}

// sum emits what a carry is in the end: what it was at first, and the products of all iterations.
func (s *scanLoop) sum(first *mlir.Value, terms []summand, rows []*mlir.Value) *mlir.Value {
	all := first
	for _, t := range terms {
		x, ofX := s.allRows(t.of.In[0], rows)
		y, ofY := s.allRows(t.of.In[1], rows)
		d := stablehlo.DotDims{LHSContract: []int64{0, 1 + axis(1, ofX)}, RHSContract: []int64{0, 1 + axis(0, ofY)}}
		if t.swapped {
			x, y, d.LHSContract, d.RHSContract = y, x, d.RHSContract, d.LHSContract
		}
		product := s.emit(stablehlo.DotGeneral, first.Type, []*mlir.Value{x, y}, attr("dot_dimension_numbers", d.Attr()))
		all = s.emit(stablehlo.Add, first.Type, []*mlir.Value{all, product})
	}
	return all
}

// allRows returns the rows that m is in all iterations. Where m is the transpose of a matrix these
// may be those of the matrix: swapped.
func (s *scanLoop) allRows(m *ir.Node, rows []*mlir.Value) (all *mlir.Value, swapped bool) {
	if transposed(m) && !slices.Contains(s.rows, m) {
		m, swapped = m.In[0], true
	}
	if s.isRow(m) {
		return s.operand(m), swapped
	}
	return rows[slices.Index(s.rows, m)], swapped
}

// operand returns the node's operand that a parameter of the body stands for.
func (s *scanLoop) operand(p *ir.Node) *mlir.Value { return s.in[slices.Index(s.body.Params, p)-1] }

// axis is an axis of a matrix, or of its transpose.
func axis(i int64, swapped bool) int64 {
	if swapped {
		return 1 - i
	}
	return i
}
