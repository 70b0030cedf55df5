// Package region has the graphs that closures of control flow record: a builder of their own,
// and parameters for the values that they take from outside. Its central type is [Region].
//
// The package imports only ltc/internal/callsite, ltc/ir, ltc/ir/types and ltc/shapeinfer.
package region

import (
	"slices"
	"strings"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// Region is the graph that a closure records. A value that it takes from outside becomes a
// parameter of the region, and an operand of the node that has the region.
type Region struct {
	What  string        // the closure: the body
	Site  callsite.Site // of the call that has the closure
	B     *ir.Builder   // the region's own
	Outer *Region       // the one that the closure is in; nil if that is in none

	formal   []*ir.Node // parameters that the closure is given
	results  []*ir.Node
	captured map[*ir.Node]*ir.Node // by node outside: the parameter that it is
	outside  map[*ir.Node]*ir.Node // by parameter: the node outside that it is
}

// New returns an empty region.
func New(what string, site callsite.Site) *Region {
	return &Region{What: what, Site: site, B: ir.NewBuilder(shapeinfer.Infer), captured: map[*ir.Node]*ir.Node{}, outside: map[*ir.Node]*ir.Node{}}
}

// Parameter returns the parameter of r that is n outside.
func (r *Region) Parameter(n *ir.Node) *ir.Node {
	if p := r.captured[n]; p != nil {
		return p
	}
	loc := r.B.SetLoc(n.Loc)
	p := r.unnamed(n.Type, n.Tracked())
	r.B.SetLoc(loc)
	r.captured[n], r.outside[p] = p, n
	return p
}

// AddFormal adds a parameter that the closure is given. A tracked one has gradients.
func (r *Region) AddFormal(t types.Type, tracked bool) *ir.Node {
	r.B.SetLoc(r.Site)
	n := r.unnamed(t, tracked)
	r.Take(n)
	return n
}

// Take makes parameters of the region those that the closure is given next.
func (r *Region) Take(params ...*ir.Node) { r.formal = append(r.formal, params...) }

// Split takes the last n of the parameters that the closure is given off, and returns them, for
// [Region.Take] to add after others.
func (r *Region) Split(n int) (last []*ir.Node) {
	at := len(r.formal) - n
	last, r.formal = r.formal[at:], r.formal[:at:at]
	return last
}

// Return sets the results of the region.
func (r *Region) Return(results ...*ir.Node) { r.results = results }

// Results returns the results of the region.
func (r *Region) Results() []*ir.Node { return r.results }

// unnamed adds a parameter without a name. A tracked one has gradients.
func (r *Region) unnamed(t types.Type, tracked bool) *ir.Node {
	if tracked {
		return r.B.Variable(t, "", nil)
	}
	return r.B.Parameter(t, "", nil)
}

// Graphs returns the graphs of regions of one node: their parameters are those that each was
// given, then the values that any of them takes from outside, which are the second result.
func Graphs(regions ...*Region) (body *ir.Composite, captured []*ir.Node) {
	known := map[*ir.Node]bool{}
	all := make([]*ir.Graph, len(regions))
	for i, r := range regions {
		all[i] = &ir.Graph{Name: strings.ReplaceAll(strings.TrimPrefix(r.What, "the "), " ", "_")}
		r.B.Capture(all[i], r.formal, r.results, nil)
		for _, p := range all[i].Params[len(r.formal):] {
			if n := r.outside[p]; !known[n] {
				known[n] = true
				captured = append(captured, n)
			}
		}
	}
	for i, r := range regions {
		params := slices.Clone(r.formal)
		for _, n := range captured {
			params = append(params, r.Parameter(n))
		}
		r.B.Capture(all[i], params, r.results, nil)
	}
	return &ir.Composite{Graph: all[0], More: all[1:]}, captured
}
