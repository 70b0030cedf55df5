// Package explain says in what a program differs from one that was compiled before, and
// what to do about it. Its central type is [Difference].
//
// The package imports only ltc/internal/callsite, ltc/internal/diag, ltc/ir, ltc/ir/dims, ltc/ir/ops,
// ltc/ir/types and the standard library.
package explain

import (
	"fmt"
	"math"
	"math/bits"
	"sync"

	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// Program is the form in which programs are compared: ops in order, operands before users.
type Program struct {
	ops     []Op
	results []int32 // indices of ops
	alias   []int32 // for each result the op whose memory it takes over; -1 if none
	text    func(i int) Text
	body    func(i, k int) *Program // the k-th graph of an op; nil if there are no more
}

// Role is what an op is besides its label.
type Role uint8

// The roles.
const (
	Computed Role = iota
	Leaf          // an argument
	Literal       // a constant
	Filled        // a broadcast or an iota: with constants it is one
	Drawn         // random numbers
	ReadLeaf      // an argument that is a tensor read in the midst of its step
)

func (r Role) argument() bool { return r == Leaf || r == ReadLeaf }

// Op is what of an op is compared. The hashes are of this process.
type Op struct {
	Label uint64 // of its name
	Type  uint64 // of the types of its results
	Attrs uint64 // of attributes and literals
	Body  uint64 // of graphs that it runs; 0 if none
	In    []int32
	At    callsite.Site
	Role  Role
}

// Text is an op in words.
type Text struct {
	Name    string       // the mnemonic, a composite's name, parameter "w"
	Type    string       // f32[2]
	Types   []types.Type // of the results; nil if they are of another kind
	Attrs   []string     // name = value
	Sizes   []bool       // which of these are dimensions or dtypes that say the op's type
	Open    []bool       // which of these have a size that is open
	Literal string       // of a constant
}

// String is the op's name and type.
func (t Text) String() string { return t.Name + " " + t.Type }

// New returns a program of ops, whose Body is not set. Operands, results and what these alias
// are indices of ops, an alias of -1 being none. Text says what op i is. Bodies has the graphs
// that each op runs; it may be shorter than ops.
func New(all []Op, results, alias []int32, text func(i int) Text, bodies [][]*Program) *Program {
	p := &Program{ops: all, results: results, alias: alias, text: text}
	p.body = func(i, k int) *Program {
		if i < len(bodies) && k < len(bodies[i]) {
			return bodies[i][k]
		}
		return nil
	}
	for i, of := range bodies {
		for _, b := range of {
			all[i].Body = Mix(all[i].Body, b.hash())
		}
	}
	return p
}

// hash is equal for programs that do not differ.
func (p *Program) hash() uint64 {
	h := p.Form()
	for i := range p.ops {
		h = Mix(h, p.ops[i].Attrs)
	}
	return h
}

// Mix adds v to a hash.
func Mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v^0xa0761d6478bd642f, 0xe7037ed1a0b428db^v)
	return hi ^ lo
}

// MixText adds a text to a hash.
func MixText(h uint64, s string) uint64 {
	h = Mix(h, uint64(len(s)))
	for i := range len(s) {
		h = Mix(h, uint64(s[i]))
	}
	return h
}

// LeafLabel is the label of arguments and of constants: one may stand for the other.
const LeafLabel = 1

// Of returns the form of a graph, which it refers to.
func Of(g *ir.Graph) *Program {
	n := 0
	for _, x := range g.Nodes {
		n += len(x.In)
	}
	arena := make([]int32, 0, n+2*len(g.Results))
	p := &Program{ops: make([]Op, len(g.Nodes))}
	for i, x := range g.Nodes {
		at := len(arena)
		for _, y := range x.In {
			arena = append(arena, y.ID)
		}
		o := &p.ops[i]
		o.In, o.At, o.Role, o.Label = arena[at:len(arena):len(arena)], x.Loc, roleOf(x), labelOf(x)
		o.Type = mixTypes(x)
		if x.Op != ir.OpParameter { // indices follow from the order
			o.Attrs = mixAttrs(x)
		}
		for _, b := range x.Body.Graphs() {
			o.Body = Mix(o.Body, b.Hash())
		}
	}
	for i, r := range g.Results {
		p.results = append(p.results, r.ID)
		alias := int32(-1)
		if a := g.Alias[i]; a >= 0 {
			alias = g.Params[a].ID
		}
		p.alias = append(p.alias, alias)
	}
	p.text = func(i int) Text { return textOf(g.Nodes[i]) }
	p.body = func(i, k int) *Program {
		for j, b := range g.Nodes[i].Body.Graphs() {
			if j == k {
				return Of(b)
			}
		}
		return nil
	}
	return p
}

func roleOf(n *ir.Node) Role {
	switch n.Op {
	case ir.OpParameter:
		if n.WasRead() {
			return ReadLeaf
		}
		return Leaf
	case ir.OpConstant:
		return Literal
	case ir.OpBroadcast, ir.OpIota:
		return Filled
	case ir.OpComposite:
		if Draws(n.Body.Name) {
			return Drawn
		}
	}
	return Computed
}

// draws has the names of composites of random numbers.
var draws = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for i := range ops.Composites {
		if o := &ops.Composites[i]; o.Family == ops.RandomNumbers {
			all["ltc."+o.Mnemonic()] = true
		}
	}
	return all
})

// Draws reports whether a composite of the name is of random numbers.
func Draws(composite string) bool { return draws()[composite] }

func labelOf(n *ir.Node) uint64 {
	switch n.Op {
	case ir.OpParameter, ir.OpConstant:
		return LeafLabel
	case ir.OpComposite:
		return MixText(2, n.Body.Name)
	}
	return Mix(3, uint64(n.Op))
}

func mixTypes(n *ir.Node) uint64 {
	h := mixType(0, n.Type)
	for _, t := range n.Results() {
		h = mixType(h, t)
	}
	return h
}

func mixType(h uint64, t types.Type) uint64 {
	h = Mix(h, uint64(t.DType)<<8|uint64(len(t.Shape)))
	for _, d := range t.Shape {
		h = Mix(h, uint64(d))
	}
	return h
}

func mixAttrs(n *ir.Node) uint64 {
	h := uint64(0)
	for i := range n.Attrs {
		a := &n.Attrs[i]
		h = Mix(h, uint64(a.Int))
		for _, v := range a.Ints {
			h = Mix(h, uint64(v))
		}
		if a.Str != "" {
			h = MixText(h, a.Str)
		}
	}
	if n.Body != nil {
		for _, p := range n.Body.Params {
			h = Mix(Mix(MixText(h, p.Name), uint64(p.Int)), math.Float64bits(p.Float))
		}
	}
	return h
}

func textOf(n *ir.Node) Text {
	t := Text{Name: n.Op.String(), Type: n.TypeText(), Types: n.Results()}
	if t.Types == nil {
		t.Types = []types.Type{n.Type}
	}
	switch n.Op {
	case ir.OpComposite:
		t.Name = n.Body.Name
	case ir.OpScan:
		t.Name = scanName(n)
	case ir.OpParameter:
		if n.ParamName() != "" {
			t.Name += fmt.Sprintf(" %q", n.ParamName())
		}
		return t
	case ir.OpConstant:
		t.Literal = ir.FormatLiteral(n.Type.DType, uint64(n.Attrs[ir.ConstantValue].Int))
	}
	t.Attrs = n.AttrTexts()
	for i, a := range n.Op.Info().Attrs {
		t.Sizes = append(t.Sizes, a.Kind == ops.Dims || a.Kind == ops.DType || a.Name == "shape")
		t.Open = append(t.Open, n.Op != ir.OpConstant && (dims.IsExpr(n.Attrs[i].Int) || dims.HasExpr(n.Attrs[i].Ints...)))
	}
	return t
}

// scanName returns the function of package lazy that records such a scan.
func scanName(n *ir.Node) string {
	switch {
	case n.Attrs[ir.ScanXs].Int == 0:
		return "for"
	case n.Attrs[ir.ScanCarries].Int == 0:
		return "map"
	}
	return "scan"
}

// Form is a hash of the program that is the same whether its scalars are constants or
// arguments.
func (p *Program) Form() uint64 {
	h := uint64(0)
	for i := range p.ops {
		o := &p.ops[i]
		h = Mix(Mix(h, o.Label), o.Type)
		if o.Role != Literal {
			h = Mix(Mix(h, o.Attrs), o.Body)
		}
		for _, k := range o.In {
			h = Mix(h, uint64(k))
		}
	}
	for i, r := range p.results {
		h = Mix(Mix(h, uint64(r)), uint64(p.alias[i]))
	}
	return h
}
