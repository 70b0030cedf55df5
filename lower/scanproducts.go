package lower

import (
	"slices"

	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// scanProducts says which matrix products a scan computes outside of its loop. A product of few
// rows reads its matrix for little work; of all iterations together it reads it once:
//
//   - the product of rows of xs by a matrix from outside is computed before the loop, and one
//     that is a row of the results after it;
//   - a carry to which iterations only add products, as the gradient of weights, is no carry: the
//     operands of the products are rows, and are multiplied after the loop.
//
// What both add to the rows of the scan is limited by [mostRows].
type scanProducts struct {
	n           *ir.Node
	body        *ir.Graph
	iterations  int64
	carries, xs int

	ahead  []*ir.Node  // products before the loop
	sums   [][]summand // by carry: the products that are added to it; nil: the loop carries it
	rows   []*ir.Node  // that the loop stacks: the scan's but for products, then those that products and sums need
	wanted []*ir.Node  // of the body: the next carries, and rows
	needed []bool      // by node: the loop computes it
	order  []*ir.Node  // the nodes that are needed

	room int // bytes an iteration that may still be added
}

// A product of fewRows or more takes as long in the loop. So does one of fewestRows or more by a
// matrix that fits in a core's cache, of which cached bytes stay there from one iteration to the
// next.
const (
	fewRows    = 128
	fewestRows = 8
	cached     = 1 << 20
)

// mostRows is how many times the memory of a scan's own rows the added rows may take: an LSTM
// has four gates.
const mostRows = 4

func productsOf(n *ir.Node) *scanProducts {
	s := &scanProducts{n: n, body: n.Body.Graph, iterations: n.Attrs[ir.ScanIterations].Int,
		carries: int(n.Attrs[ir.ScanCarries].Int), xs: int(n.Attrs[ir.ScanXs].Int)}
	s.sums, s.rows = make([][]summand, s.carries), slices.Clone(s.body.Results[s.carries:])
	if n.Attrs[ir.ScanCheckpoint].Int == 0 && s.iterations != 0 && s.iterations != 1 {
		s.find()
	}
	for k, r := range s.body.Results[:s.carries] {
		if s.sums[k] == nil {
			s.wanted = append(s.wanted, r)
		}
	}
	s.wanted = append(s.wanted, s.rows...)
	s.need()
	return s
}

// find chooses the products.
func (s *scanProducts) find() {
	for _, p := range s.body.Params[1+s.carries : 1+s.carries+s.xs] {
		s.room += mostRows * p.Type.KnownBytes()
	}
	for _, r := range s.rows {
		s.room += mostRows * r.Type.KnownBytes()
	}
	uses := make([]int, len(s.body.Nodes))
	for _, m := range s.body.Nodes {
		for _, x := range m.In {
			uses[x.ID]++
		}
	}
	for _, r := range s.body.Results {
		uses[r.ID]++
	}
	for _, m := range s.body.Nodes {
		if m.Op == ir.OpMatMul && s.isRow(m.In[0]) && s.isMatrix(m.In[1]) && readsMuch(m) && s.reserve(m.Type) {
			s.ahead = append(s.ahead, m)
		}
	}
	for k, r := range s.body.Results[:s.carries] {
		if p := s.body.Params[1+k]; uses[p.ID] == 1 {
			s.sums[k] = s.sum(r, p, uses)
		}
	}
	for _, r := range s.body.Results[s.carries:] {
		if uses[r.ID] == 1 && r.Op == ir.OpMatMul && !slices.Contains(s.ahead, r) && s.isMatrix(r.In[1]) && readsMuch(r) && s.stack(r.In[0]) {
			s.rows = slices.DeleteFunc(slices.Clone(s.rows), func(m *ir.Node) bool { return m == r })
		}
	}
}

// summand is a product that is added to a carry, or the transpose of one.
type summand struct {
	of      *ir.Node
	swapped bool
}

// sum returns the products that next adds to p, and has the loop stack their operands. It returns nil
// if next is anything else, or if an operand cannot be stacked.
func (s *scanProducts) sum(next, p *ir.Node, uses []int) (products []summand) {
	room, rows, found := s.room, s.rows, false
	work := []summand{{of: next}}
	for len(work) > 0 {
		last := work[len(work)-1]
		work = work[:len(work)-1]
		m := last.of
		switch {
		case m == p && !last.swapped:
			found = true
		case uses[m.ID] == 1 && m.Op == ir.OpAdd:
			work = append(work, summand{m.In[1], last.swapped}, summand{m.In[0], last.swapped})
		case uses[m.ID] == 1 && transposed(m):
			work = append(work, summand{m.In[0], !last.swapped})
		case uses[m.ID] == 1 && s.stackOperands(m):
			products = append(products, last)
		default:
			found, work = false, nil
		}
	}
	if !found {
		s.room, s.rows = room, rows
		return nil
	}
	return products
}

// stackOperands has the loop stack the operands of m; false if m is no product of few rows, or if one
// of them cannot be stacked.
func (s *scanProducts) stackOperands(m *ir.Node) bool {
	if m.Op != ir.OpMatMul || m.In[0].Type.Rank() != 2 || m.In[1].Type.Rank() != 2 || !isFew(m.In[1].Type.Shape[0]) {
		return false
	}
	for _, x := range m.In {
		if transposed(x) {
			x = x.In[0]
		}
		if !s.stack(x) {
			return false
		}
	}
	return true
}

// stack has the loop stack x, unless it does, or x is a row of xs; false if x comes from outside or there
// is no room.
func (s *scanProducts) stack(x *ir.Node) bool {
	if s.isRow(x) || slices.Contains(s.rows, x) {
		return true
	}
	if s.isOutside(x) || !s.reserve(x.Type) {
		return false
	}
	s.rows = append(s.rows[:len(s.rows):len(s.rows)], x)
	return true
}

// reserve reserves room for rows of a type; false if there is none.
func (s *scanProducts) reserve(t types.Type) bool {
	n := t.KnownBytes()
	if n == 0 || n > s.room {
		return false
	}
	s.room -= n
	return true
}

// need finds the nodes that the loop computes.
func (s *scanProducts) need() {
	s.needed = make([]bool, len(s.body.Nodes))
	for _, r := range s.wanted {
		s.needed[r.ID] = true
	}
	order := s.body.Order()
	for _, m := range slices.Backward(order) {
		if s.needed[m.ID] && !slices.Contains(s.ahead, m) {
			for _, x := range m.In {
				s.needed[x.ID] = true
			}
		}
	}
	for _, m := range order {
		if s.needed[m.ID] {
			s.order = append(s.order, m)
		}
	}
	s.ahead = slices.DeleteFunc(s.ahead, func(m *ir.Node) bool { return !s.needed[m.ID] })
}

// isRow reports whether x is a row of xs.
func (s *scanProducts) isRow(x *ir.Node) bool {
	k := slices.Index(s.body.Params, x) - 1
	return k >= s.carries && k < s.carries+s.xs
}

// isMatrix reports whether x is a matrix from outside, or the transpose of one.
func (s *scanProducts) isMatrix(x *ir.Node) bool {
	if transposed(x) {
		x = x.In[0]
	}
	return x.Type.Rank() == 2 && s.isOutside(x)
}

// isOutside reports whether x is a value from outside, the same in all iterations.
func (s *scanProducts) isOutside(x *ir.Node) bool {
	return slices.Index(s.body.Params, x) > s.carries+s.xs
}

// transposed reports whether x is the transpose of a matrix.
func transposed(x *ir.Node) bool {
	return x.Op == ir.OpTranspose && slices.Equal(x.Attrs[ir.TransposePerm].Ints, []int{1, 0})
}

// readsMuch reports whether a product of rows by a matrix reads the matrix for little work.
func readsMuch(m *ir.Node) bool {
	rows := m.In[0].Type.Shape[:m.In[0].Type.Rank()-1]
	if !isFew(rows...) {
		return false
	}
	matrix := m.In[1].Type.KnownBytes()
	return rows.Elements() < fewestRows || matrix == 0 || matrix > cached
}

// isFew reports whether dimensions are known and have fewer than fewRows elements.
func isFew(shape ...int) bool {
	return !dims.HasExpr(shape...) && types.Shape(shape).Elements() < fewRows
}
