// Package programs keeps compiled programs by their graphs, and says in what a program
// differs from those that the same line had compiled before. Its central type is [Cache].
//
// The package imports only ltc/backends, ltc/internal/callsite, ltc/internal/diag,
// ltc/internal/explain, ltc/ir, ltc/ir/dims, ltc/ir/types, ltc/shapeinfer and ltc/soa.
package programs

import (
	"container/list"
	"context"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/internal/explain"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
	"ltc/soa"
)

// Runner runs a program.
type Runner interface {
	Execute(context.Context, *backends.Call) error
}

// Program is a graph, and what it was compiled to. Any number of goroutines share it.
type Program struct {
	Graph *ir.Graph        // without values
	Open  *shapeinfer.Open // what Graph is of, if sizes are open; nil: all are numbers
	Small [][]int          // the strides of results that are to lie in slabs; nil for others

	// What the compiler sets.
	Text string
	Exec Runner
	Code int64 // bytes that Exec takes
	Took time.Duration

	compilation
	likely time.Duration // how long a run takes, judged by the graph
	runs   atomic.Int64  // how long they took, in ns; 0 before the first

	sketch explain.Sketch
	at     callsite.Site // the line that it was compiled for; of [History]

	bytes   int64         // what it takes in the cache; 0 until it is compiled
	element *list.Element // in the cache; nil when it was dropped
}

func newProgram(g *ir.Graph, open *shapeinfer.Open) *Program {
	p := &Program{Graph: g, Open: open, sketch: explain.SketchOf(g), compilation: compilation{done: make(chan struct{})}}
	p.Small = make([][]int, len(g.Results))
	if open != nil {
		return p
	}
	p.Graph = g.Clone()
	for i, r := range p.Graph.Results {
		if p.Graph.Alias[i] < 0 && dims.Static(r.Type.Shape) && r.Type.Bytes() <= soa.SlabMost { // others take over memory, or are large
			p.Small[i] = soa.Dense(r.Type.Shape)
		}
	}
	return p
}

// Computes reports whether the program is that of g.
func (p *Program) Computes(g *ir.Graph) bool {
	if p.Open != nil {
		return p.Open.Fits(g)
	}
	return ir.Equal(p.Graph, g)
}

// Uncompiled returns a program that is only compared with others. It refers to g.
func Uncompiled(g *ir.Graph) *Program { return &Program{Graph: g, sketch: explain.SketchOf(g)} }

// Bytes returns what the program takes in memory: graph, text, and executable. Bodies of
// composites, which their device keeps anyway, count as nothing.
func (p *Program) Bytes() int64 {
	const besides = 512 // entries of lists and maps
	g := p.Graph
	n := besides + int64(unsafe.Sizeof(*p)) + int64(unsafe.Sizeof(*g)) + int64(len(p.Text)) + p.Code
	for _, x := range g.Nodes {
		n += int64(unsafe.Sizeof(*x)) + int64(unsafe.Sizeof(x))*int64(1+cap(x.In))
		n += int64(unsafe.Sizeof(ir.Attr{})) * int64(cap(x.Attrs))
		n += int64(unsafe.Sizeof(0)) * int64(cap(x.Type.Shape))
	}
	return n
}

// Estimate returns how long the next run is likely to take.
func (p *Program) Estimate() time.Duration {
	if past := p.runs.Load(); past > 0 {
		return time.Duration(past)
	}
	return p.likely
}

// Measured notes how long a run took: the estimate goes a quarter of the way.
func (p *Program) Measured(took time.Duration) {
	if past := p.runs.Load(); past > 0 {
		took = time.Duration(past) + (took-time.Duration(past))/4
	}
	p.runs.Store(max(int64(took), 1))
}

// likely judges how long a run of g takes before there has been one: 100 ns an
// op, 1 ns an element of its operands and result, 1 ns a multiplication.
func likely(g *ir.Graph) time.Duration { return likelyOf(g, map[*ir.Graph]time.Duration{}) }

// likelyOf is likely; known has that of bodies, which composites may share.
func likelyOf(g *ir.Graph, known map[*ir.Graph]time.Duration) time.Duration {
	if took, ok := known[g]; ok {
		return took
	}
	total := 0.0
	for _, n := range g.Nodes {
		if n.Op == ir.OpParameter || n.Op == ir.OpResult {
			continue
		}
		size := elements(n.Type)
		for _, t := range n.Results() {
			size += elements(t)
		}
		total += 100 + size
		for _, x := range n.In {
			total += elements(x.Type)
		}
		if n.Op == ir.OpMatMul {
			total += size * float64(dims.Typical(n.In[0].Type.Shape[n.In[0].Type.Rank()-1]))
		}
		for _, body := range n.Body.Graphs() {
			total += float64(likelyOf(body, known))
		}
	}
	known[g] = time.Duration(min(total, float64(time.Hour)))
	return known[g]
}

// elements returns how many elements a value has; an open size counts as a typical one.
func elements(t types.Type) float64 {
	n := 1.0
	for _, d := range t.Shape {
		n *= float64(dims.Typical(d))
	}
	return n
}

// Signature returns what an executable of g takes and gives.
func Signature(g *ir.Graph) *backends.Signature {
	s := &backends.Signature{}
	for _, p := range g.Params {
		s.Args = append(s.Args, backends.Arg{Name: p.ParamName(), Type: unnamed(p.Type), Alias: -1})
	}
	for i, r := range g.Results {
		s.Results = append(s.Results, backends.Result{Type: unnamed(r.Type), Alias: g.Alias[i]})
		if a := g.Alias[i]; a >= 0 {
			s.Args[a].Alias = i
		}
	}
	return s
}

// unnamed returns t with [backends.AnySize] for sizes that are open.
func unnamed(t types.Type) types.Type {
	if dims.HasExpr(t.Shape...) {
		t.Shape = slices.Clone(t.Shape)
		for i, d := range t.Shape {
			if dims.IsExpr(d) {
				t.Shape[i] = backends.AnySize
			}
		}
	}
	return t
}

// TooLarge returns the first op of a program that no backend could run,
// since the machine has not the memory for its result; nil if there is none.
func TooLarge(g *ir.Graph) *ir.Node { return tooLarge(g, map[*ir.Graph]bool{}) }

// tooLarge is TooLarge but for the graphs that it has seen, which composites may
// share.
func tooLarge(g *ir.Graph, seen map[*ir.Graph]bool) *ir.Node {
	if seen[g] {
		return nil
	}
	seen[g] = true
	for _, n := range g.Nodes {
		for _, body := range n.Body.Graphs() {
			if inner := tooLarge(body, seen); inner != nil {
				return inner
			}
		}
		if !dims.HasExpr(n.Type.Shape...) && soa.Fits(n.Type.Bytes()) != nil {
			return n
		}
	}
	return nil
}
