// Package ir is the intermediate representation of a traced program: nodes
// with types, built once and never changed, and graphs of them with a text
// form. Its central type is [Node].
//
// The package imports only ltc/ir/dims, ltc/ir/types, ltc/ir/ops, ltc/internal/callsite and ltc/internal/diag.
package ir

import (
	"iter"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/ops"
	"ltc/ir/types"
)

//go:generate go run ltc/ir/ops/gen -root ..

// Op is the op of a node: an index into the op table. The constants are
// generated from its rows.
type Op uint16

// Info returns the row of the op table.
func (o Op) Info() *ops.Op { return &ops.Table[o] }

// String returns the op's mnemonic, as in the text form.
func (o Op) String() string {
	if int(o) >= len(mnemonics) {
		return "invalid"
	}
	return mnemonics[o]
}

// ParseOp returns the op with the given mnemonic.
func ParseOp(mnemonic string) (Op, bool) {
	for o, m := range mnemonics {
		if m == mnemonic {
			return Op(o), true
		}
	}
	return 0, false
}

// Attr is the value of an attribute; the row says which field it is in: Ints
// for the list kinds, Str for String, Int for all others (a dtype's number, a
// literal's bits).
type Attr struct {
	Int  int64
	Ints []int
	Str  string
}

// Equal reports whether a and b are the same value.
func (a Attr) Equal(b Attr) bool {
	return a.Int == b.Int && a.Str == b.Str && slices.Equal(a.Ints, b.Ints)
}

// Node is an operation with its operands and the type of its result. Of a node
// with several results ([Node.Results]) each is a node of its own: a Result, the
// only op that takes such a node as operand. A node is made by a [Builder] or [Parse]
// and not changed afterwards, but by [Node.Materialize], [Node.SetRead] and [Node.SetParamName].
type Node struct {
	Op Op
	// Root is for the builder's owner: whether a step has given tensors of this
	// node a value.
	Root    bool
	tracked bool  // it, or what it depends on, is a variable
	past    bool  // it is what a materialized node was before
	read    bool  // it stands for a node that was computed in the midst of its step
	ID      int32 // position in the latest walk or capture that reached it; a Graph's nodes keep theirs
	seq     int32 // which of its builder's nodes it is
	mark    uint32
	Loc     callsite.Site // the user's line that recorded it
	Type    types.Type    // the zero Type if it has several results
	In      []*Node
	Attrs   []Attr
	// Body is what a Composite node calls, or a node of control flow runs.
	Body *Composite
	// Value is what the builder's owner attaches to a Parameter: the data that
	// the argument is to have. Of another node it may be a [*Called], [Wrapped], [Bounded] or [InRange].
	Value any

	in   [3]*Node // In's memory for up to three operands
	hash uint64

	several *[]types.Type // the results' types if there are several
	// twin links a materialized node that kept its history and the node that it was
	// before, each to the other.
	twin *Node
}

// Called is the user's call that a node is part of, where that is another op than the node's own. It is
// for errors.
type Called struct {
	Op       string       // its mnemonic
	Operands []types.Type // nil if unknown
}

// Wrapped is noted at a Where that adds Size to those of a user's indices that are negative. The
// indices are its last operand, and are to be from -Size up to Size-1.
type Wrapped struct {
	Call     *Called
	Size     int
	Unsigned bool // the indices are converted from u64, of which none counts from the end
}

// Bounded is noted at a Where whose last operand has integers of a user's call that are no indices, such as
// lengths. They are to be from Low up to Bound-1.
type Bounded struct {
	Call       *Called
	Name       string // of the integers, in the singular
	Counts     Counts // in place of Name
	Low, Bound int    // maybe expressions
}

// Counts are words for the error of a count that must be another one: Of 3 Nouns, With 2: Rule.
type Counts struct{ Of, Noun, With, Rule string }

// InRange is noted at indices that are in range wherever those that they were made of are, or out of range
// by definition.
type InRange struct{}

// IndexOperand returns the number of the operand that has indices of the user, which must exist unless
// they are noted as [InRange]; -1 if n has none. Each step asks it of all its nodes.
func (n *Node) IndexOperand() int {
	switch n.Op {
	case OpGather, OpScatter:
		return 1
	case OpCompare: // of labels with the classes
		if _, labels := n.Value.(*Called); labels {
			return 0
		}
	case OpWhere:
		switch n.Value.(type) {
		case Wrapped, Bounded:
			return 2
		}
	}
	return -1
}

// Note copies what is noted at from, for errors and checks of indices, to n.
func (n *Node) Note(from *Node) {
	if x := from.noted(); x != nil {
		n.Value = x
	}
}

// noted returns what errors and checks of indices need of a node's Value.
func (n *Node) noted() any {
	switch n.Value.(type) {
	case *Called, Wrapped, Bounded, InRange:
		return n.Value
	}
	return nil
}

// Results returns the types of the results of a node that has several, which is
// not to be changed; nil of a node with one, whose type is Type.
func (n *Node) Results() []types.Type {
	if n.several == nil {
		return nil
	}
	return *n.several
}

// setType gives the node the type or the types that its rule has found.
func (n *Node) setType(one types.Type, several []types.Type) {
	if n.Type = one; several != nil {
		all := several // allocated here, and not for all nodes
		n.several = &all
	}
}

// Composite is a named graph that Composite nodes call, or the regions of a node of
// control flow, which have no name. Its graphs use nothing but their parameters: what
// a region takes from outside is an operand of the node. It may be shared by nodes of
// many graphs and is never changed.
type Composite struct {
	Name   string   // ltc.softmax
	Params []Param  // in the order of the text
	Graph  *Graph   // of a composite: parameters are the node's operands, results its results
	More   []*Graph // the regions after the first
}

// Checkpoint is the name of composites whose gradient computes the values of their body again,
// instead of keeping them.
const Checkpoint = "ltc.checkpoint"

// CustomGrad is the name of composites whose gradient is a function that the trace has by their
// number, their one parameter.
const CustomGrad = "ltc.custom_grad"

// OfClosure reports whether the composite is a closure that a program's user wrote, which is not
// an op of the library.
func (c *Composite) OfClosure() bool { return c.Name == Checkpoint || c.Name == CustomGrad }

// Graphs yields the graphs that a node calls or runs, in order; none of a node
// without.
func (c *Composite) Graphs() iter.Seq2[int, *Graph] {
	return func(yield func(int, *Graph) bool) {
		if c == nil || !yield(0, c.Graph) {
			return
		}
		for i, g := range c.More {
			if !yield(i+1, g) {
				return
			}
		}
	}
}

// Param is a named number that tells composites of one name apart.
type Param struct {
	Name    string
	Int     int
	Float   float64
	IsFloat bool
}

// Tracked reports whether the node is a variable ([Builder.Variable]) or depends
// on one.
func (n *Node) Tracked() bool { return n.tracked }

// Reads reports whether the node is a variable itself, not a value that was
// computed from one.
func (n *Node) Reads() bool { return n.tracked && n.Op == OpParameter && n.twin == nil }

// WasRead reports whether the node is a Parameter that stands for a node which was computed in
// the midst of its step: [Node.Materialize] has made it of that, or SetRead was called.
func (n *Node) WasRead() bool { return n.read }

// SetRead says that a Parameter stands for a node that was computed in the midst of its step.
func (n *Node) SetRead() { n.read = true }

// Origin returns what computed the value of a materialized node that kept its
// history, and any other node itself. Its operands are those of the graph; it
// is not part of one itself: see [Node.Current].
func (n *Node) Origin() *Node {
	if n.twin != nil && !n.past {
		return n.twin
	}
	return n
}

// Current undoes Origin.
func (n *Node) Current() *Node {
	if n.past {
		return n.twin
	}
	return n
}

// Materialize turns the node into a Parameter whose data is known: what
// computed it is no longer part of any graph that uses it. With its history
// the node still has gradients with respect to what it was computed from. The
// node has one result.
func (n *Node) Materialize(value any, history bool) {
	if history && n.twin == nil {
		o := *n
		o.In, o.twin, o.past = slices.Clone(n.In), n, true
		n.twin = &o
	}
	n.Op, n.Value, n.Body, n.read = OpParameter, value, nil, true
	n.tracked = n.tracked && history
	n.Attrs = parameterAttrs("")
	n.In, n.in = nil, [3]*Node{}
}

func parameterAttrs(name string) []Attr { return []Attr{{}, {Str: name}} }

// ParamName returns the name of a Parameter.
func (n *Node) ParamName() string { return n.Attrs[ParameterName].Str }

// SetParamName renames a Parameter. Graphs captured before may show either name.
func (n *Node) SetParamName(name string) { n.Attrs[ParameterName].Str = name }
