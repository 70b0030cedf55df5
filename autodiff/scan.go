package autodiff

import (
	"slices"

	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// The gradient of a scan is a scan of the iterations in the opposite order. It carries the
// gradients of the carries, and sums of those of what is taken from outside; its rows are the
// gradients of the rows of xs. What it needs of the iterations themselves, another scan saves: the
// scan at hand with further rows. Lowering runs one for both.
func gradScan(t *tape, n, ct *ir.Node) {
	s := &scanGradient{tape: t, n: n, body: n.Body.Graph, cts: t.cotangents(n, ct),
		carries: int(n.Attrs[ir.ScanCarries].Int), xs: int(n.Attrs[ir.ScanXs].Int)}
	s.want()
	if !slices.Contains(s.wanted, true) {
		return
	}
	if s.differentiate(); len(s.next) == 0 {
		return
	}
	s.split()
	s.record()
}

// scanGradient is the work on one scan. Parameter 0 of its body is the iteration; operand k is
// that of parameter k+1.
type scanGradient struct {
	*tape
	n           *ir.Node
	body        *ir.Graph
	cts         []*ir.Node // of the results
	carries, xs int
	wanted      []bool // by parameter: its gradient is computed

	// The body with its gradient, in a builder of its own.
	inner  *bodyTape
	roles  map[*ir.Node]role
	given  []*ir.Node // the gradients of carries and the sums: carried backwards
	givens []int      // and the parameters that they are of
	rows   []int      // parameters of which it gives rows of gradients
	next   []*ir.Node // results: of given, then of rows

	// The backward body.
	back  *ir.Graph
	saved []*ir.Node // of inner, whose rows it takes
	takes []int      // the parameters of xs whose rows it takes, too
	grads []int      // the results of the scan whose gradients' rows it takes
	outer []int      // the parameters that it takes from outside
}

// role is what a parameter of inner is.
type role struct {
	kind roleKind
	k    int // which parameter of the body, or result of the scan
}

type roleKind uint8

const (
	original  roleKind = iota // a parameter of the body
	carried                   // the gradient of a carry, or a sum of gradients
	cotangent                 // a row of the gradient of rows
)

// want finds the parameters that have a gradient. That of a carry depends on those of all
// that its next value depends on.
func (s *scanGradient) want() {
	s.wanted = make([]bool, len(s.body.Params))
	for k, x := range s.n.In {
		s.wanted[k+1] = x.Type.DType.Continuous() && s.wants(k)
	}
	depends := make([]bool, len(s.body.Nodes))
	for again := true; again; {
		again = false
		for k, p := range s.body.Params {
			depends[p.ID] = s.wanted[k]
		}
		for _, m := range s.body.Nodes {
			for _, x := range m.In {
				depends[m.ID] = depends[m.ID] || depends[x.ID]
			}
			depends[m.ID] = depends[m.ID] && differentiable(m)
		}
		for k, r := range s.body.Results[:s.carries] {
			if depends[r.ID] && !s.wanted[k+1] {
				s.wanted[k+1], again = true, true
			}
		}
	}
}

func (s *scanGradient) isCarry(k int) bool { return k >= 1 && k <= s.carries }
func (s *scanGradient) isRow(k int) bool   { return k > s.carries && k <= s.carries+s.xs }

// differentiate records the body's gradient.
func (s *scanGradient) differentiate() {
	t := s.within(s.body)
	s.inner, s.roles = t, map[*ir.Node]role{}
	for k, p := range t.params {
		s.roles[p] = role{original, k}
		t.needed[s.body.Params[k].ID] = s.wanted[k]
	}
	parameter := func(typ types.Type, r role) *ir.Node {
		p := t.parameter(typ)
		s.roles[p] = r
		return p
	}
	for k, r := range s.body.Results {
		switch {
		case k < s.carries && s.wanted[k+1]:
			p := parameter(r.Type, role{carried, k + 1})
			s.given, s.givens = append(s.given, p), append(s.givens, k+1)
			t.start(int(r.ID), p)
		case k >= s.carries && s.cts[k] != nil:
			t.start(int(r.ID), parameter(r.Type, role{cotangent, k}))
		}
	}
	t.run()
	t.b.SetLoc(s.n.Loc)
	for _, k := range s.givens {
		s.next = append(s.next, t.gradientOf(s.body.Params[k]))
	}
	var rows []*ir.Node
	for k, p := range s.body.Params {
		g := t.adjoint[p.ID]
		switch {
		case !s.wanted[k] || s.isCarry(k) || g == nil:
		case s.isRow(k):
			s.rows, rows = append(s.rows, k), append(rows, g)
		default:
			sum := parameter(p.Type, role{carried, k})
			s.given, s.givens = append(s.given, sum), append(s.givens, k)
			s.next = append(s.next, t.op(ir.OpAdd, sum, g))
		}
	}
	s.next = append(s.next, rows...)
}

// split makes the backward body of what inner's results need. What does not depend on a
// gradient is taken from the rows that the forward scan saves, or computed again.
func (s *scanGradient) split() {
	var all ir.Graph
	s.inner.b.Capture(&all, nil, s.next, nil)
	backward, varies := make([]bool, len(all.Nodes)), make([]bool, len(all.Nodes))
	for i, m := range all.Nodes {
		r, parameter := s.roles[m]
		backward[i] = parameter && r.kind != original
		varies[i] = parameter && r.kind == original && (s.isCarry(r.k) || s.isRow(r.k))
		for _, x := range m.In {
			backward[i], varies[i] = backward[i] || backward[x.ID], varies[i] || varies[x.ID]
		}
	}
	checkpoint := s.n.Attrs[ir.ScanCheckpoint].Int != 0
	ofBody := map[*ir.Node]bool{}
	for _, m := range s.inner.nodes {
		ofBody[m] = true
	}
	kept := func(m *ir.Node) bool {
		return m.Op != ir.OpParameter && !backward[m.ID] && varies[m.ID] && !checkpoint && !recomputed(m, ofBody[m])
	}
	used := make([]bool, len(all.Nodes))
	for _, r := range all.Results {
		used[r.ID] = true
	}
	for i := len(all.Nodes) - 1; i >= 0; i-- {
		if m := all.Nodes[i]; used[i] && !kept(m) {
			for _, x := range m.In {
				used[x.ID] = true
			}
		}
	}
	b := ir.NewBuilder(shapeinfer.Infer)
	parameter := func(m *ir.Node) *ir.Node { return b.Parameter(m.Type, "", nil) }
	nodes := make([]*ir.Node, len(all.Nodes))
	iteration := b.Parameter(types.Of(types.I32), "", nil)
	var params, saved, takes, grads, outer []*ir.Node
	for _, m := range s.given {
		p := parameter(m)
		params = append(params, p)
		if int(m.ID) < len(all.Nodes) && all.Nodes[m.ID] == m {
			nodes[m.ID] = p
		}
	}
	for i, m := range all.Nodes {
		r, isParameter := s.roles[m]
		switch {
		case !used[i] || nodes[i] != nil:
		case isParameter && r.kind == original && r.k == 0:
			nodes[i] = iteration
		case isParameter && r.kind == original && s.isRow(r.k):
			nodes[i] = parameter(m)
			takes, s.takes = append(takes, nodes[i]), append(s.takes, r.k)
		case isParameter && r.kind == cotangent:
			nodes[i] = parameter(m)
			grads, s.grads = append(grads, nodes[i]), append(s.grads, r.k)
		case isParameter && !s.isCarry(r.k):
			nodes[i] = parameter(m)
			outer, s.outer = append(outer, nodes[i]), append(s.outer, r.k)
		case isParameter || kept(m):
			nodes[i] = parameter(m)
			saved, s.saved = append(saved, nodes[i]), append(s.saved, m)
		default:
			in := make([]*ir.Node, len(m.In))
			for j, x := range m.In {
				in[j] = nodes[x.ID]
			}
			b.SetLoc(m.Loc)
			n, err := b.Node(m.Op, in, m.Attrs, m.Body)
			if err != nil {
				panic(failure{err})
			}
			nodes[i] = n
		}
	}
	results := make([]*ir.Node, len(s.next))
	for i, r := range s.next {
		results[i] = nodes[r.ID]
	}
	s.back = &ir.Graph{Name: s.body.Name}
	b.Capture(s.back, slices.Concat([]*ir.Node{iteration}, params, saved, takes, grads, outer), results, nil)
}

// recomputed reports whether a node is computed again rather than saved. It is so if it moves
// elements, or is a function of elements that the gradient alone asks for, such as the cosine
// for a sine. A bool is saved: its elements are small. Of a node with several results each is
// saved by itself.
func recomputed(m *ir.Node, ofBody bool) bool {
	switch m.Op {
	case ir.OpReshape, ir.OpBroadcast, ir.OpTranspose, ir.OpConvert:
		return true
	}
	return m.Results() != nil || !ofBody && m.Op.Info().Traits.Has(ops.Elementwise) && m.Type.DType != types.Bool
}

// record records both scans.
func (s *scanGradient) record() {
	n := s.n
	in := func(k int) *ir.Node { return n.In[k-1] }
	forward, results := n, make([]*ir.Node, len(s.body.Results))
	for i, r := range s.body.Results {
		results[i] = s.inner.nodes[r.ID]
	}
	stacked := make([]int, len(s.saved)) // the results of forward that have what is saved
	for i, m := range s.saved {
		k := slices.Index(results[s.carries:], m)
		if k < 0 {
			k = len(results) - s.carries
			results = append(results, m)
		}
		stacked[i] = s.carries + k
	}
	if len(results) > len(s.body.Results) {
		g := &ir.Graph{Name: s.body.Name}
		s.inner.b.Capture(g, s.inner.params[:len(s.body.Params)], results, nil)
		forward = s.control(n, slices.Clone(n.In), n.Attrs, g)
	}
	var operands []*ir.Node
	for _, k := range s.givens {
		if !s.isCarry(k) || s.cts[k-1] == nil {
			operands = append(operands, s.zeros(in(k)))
		} else {
			operands = append(operands, s.cts[k-1])
		}
	}
	for _, k := range stacked {
		operands = append(operands, s.part(forward.Current(), k))
	}
	for _, k := range s.takes {
		operands = append(operands, in(k))
	}
	for _, k := range s.grads {
		operands = append(operands, s.cts[k])
	}
	for _, k := range s.outer {
		operands = append(operands, in(k))
	}
	attrs := slices.Clone(n.Attrs)
	attrs[ir.ScanReverse].Int = 1 - min(1, attrs[ir.ScanReverse].Int)
	attrs[ir.ScanCarries].Int = int64(len(s.given))
	attrs[ir.ScanXs].Int = int64(len(s.saved) + len(s.takes) + len(s.grads))
	grads := s.control(n, operands, attrs, s.back)
	for i, k := range slices.Concat(s.givens, s.rows) {
		s.add(k-1, s.part(grads, i))
	}
}
