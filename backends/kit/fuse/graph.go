package fuse

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/halt"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/mlir"
)

// Graph is a function of kernels: nodes in an order in which each follows those whose
// values it reads. Work on it looks at a context ([halt.Watch]), and ends with that.
type Graph struct {
	*halt.Watch
	o Options

	values  []value
	nodes   []*node
	args    []plan.ValueID
	results []plan.ValueID
	alias   []int // by result: the argument that it takes over; -1 if none

	shapes  map[plan.ValueID]types.Shape  // of arguments and results, as the caller has them
	layouts map[plan.ValueID]plan.Layout  // of arguments and results that are not dense
	tables  map[plan.ValueID]plan.ValueID // those of their tables
	users   [][]*node                     // of each value by root, nil standing for the caller; while nodes are merged
}

// value is a tensor: in memory, dense and row-major, unless it is a splat.
type value struct {
	typ   types.Type
	splat *uint64 // the bits of the one element that stands for all
	data  []byte  // a constant's
	def   *node   // what stores it; nil for arguments and constants
	// base is the value whose memory this one is another shape of; plan.None if it
	// has memory of its own.
	base plan.ValueID
}

// node is a kernel, or a step that is none, with the values it works on.
type node struct {
	// kernel has literal sizes; the strides of its operands say nothing yet. It is nil of
	// a step.
	kernel   *kernel.Kernel
	operands []plan.ValueID // by parameter
	step     Step
	name     string         // of the op that is the step
	reads    []plan.ValueID // of a step
	writes   []plan.ValueID // likewise
	ordinal  int            // of the op whose failure it would report
	loc      mlir.Location  // of that op
	at       int            // its place in the order
	kept     bool           // it does more than to give values
	chained  bool           // its kernel is of rows; see chain
	written  int            // of that: see mostWritten
	loops    bool           // of that: stages loop over columns
	// inParts is another way to make what the node makes: its first stage copies an
	// operand, the others write over parts of that. See update.
	inParts *node
	updates bool  // its kernel is such a one
	onto    bool  // it writes over parts of what an earlier node has made
	into    *node // what it was merged into; nil if it still stands for itself
	pitches bool  // it copies an operand of a product; see pitchRows
	parts   int   // of K, if it is a product whose sums are of these; see partialProduct
}

// Kernel is a kernel of literal sizes with the values that it works on.
type Kernel struct {
	*kernel.Kernel
	Operands []plan.ValueID // by parameter
}

// Step is what a node does that is no kernel. Its string says that in a dump.
type Step interface {
	fmt.Stringer
	// Work returns the work of a program's step, given the program's values that the node
	// reads and those that it writes.
	Work(reads, writes []plan.HostArg) (plan.Work, error)
}

// New returns a graph without nodes, whose passes do as o says until ctx ends.
func New(ctx context.Context, o Options) *Graph {
	o.LocalBytes = cmp.Or(o.LocalBytes, LocalBytes)
	return &Graph{Watch: halt.On(ctx), o: o}
}

// Value adds a value in memory of its own.
func (g *Graph) Value(t types.Type) plan.ValueID { return g.add(value{typ: t, base: plan.None}) }

// Constant adds a value of the given elements, or of one that stands for all.
func (g *Graph) Constant(t types.Type, data []byte) plan.ValueID {
	if len(data) != t.DType.Size() {
		return g.add(value{typ: t, data: data, base: plan.None})
	}
	bits := kernel.LoadBits(data, len(data))
	return g.add(value{typ: t, splat: &bits, base: plan.None})
}

// Reshape adds a value that is another shape of v: the memory stays.
func (g *Graph) Reshape(v plan.ValueID, t types.Type) plan.ValueID {
	if splat := g.values[v].splat; splat != nil {
		return g.add(value{typ: t, splat: splat, base: plan.None})
	}
	return g.add(value{typ: t, base: v})
}

func (g *Graph) add(v value) plan.ValueID {
	g.values = append(g.values, v)
	return plan.ValueID(len(g.values) - 1)
}

// newValue adds a value in memory of its own, which a node makes.
func (g *Graph) newValue(t types.Type, def *node) plan.ValueID {
	return g.add(value{typ: t, def: def, base: plan.None})
}

// Type returns the type of a value.
func (g *Graph) Type(v plan.ValueID) types.Type { return g.values[v].typ }

// Splat returns the bits of the one element that stands for all of a value; nil if it has
// others.
func (g *Graph) Splat(v plan.ValueID) *uint64 { return g.values[v].splat }

// Argument adds a value that the caller brings.
func (g *Graph) Argument(t types.Type) plan.ValueID {
	g.args = append(g.args, g.Value(t))
	return g.args[len(g.args)-1]
}

// Result has the caller get a value, which takes over the memory of an argument unless that
// is -1.
func (g *Graph) Result(v plan.ValueID, argument int) {
	g.results, g.alias = append(g.results, v), append(g.alias, argument)
}

// AddKernel adds what an op of the text does, as a kernel. If inParts is not nil it is
// another way to make the result: its first stage copies an operand, the others write over
// parts of that.
func (g *Graph) AddKernel(op *mlir.Op, k Kernel, inParts *Kernel) {
	n := &node{kernel: k.Kernel, operands: k.Operands}
	if inParts != nil {
		n.inParts = &node{kernel: inParts.Kernel, operands: inParts.Operands}
	}
	g.append(n, op)
}

// AddStep adds what an op of the text does otherwise than by a kernel, with the values that
// it reads and writes. It stays, if kept is set, though nobody uses what it makes.
func (g *Graph) AddStep(op *mlir.Op, s Step, reads, writes []plan.ValueID, kept bool) {
	for i, v := range reads {
		if g.values[v].splat != nil && !dims.Static(g.values[v].typ.Shape) {
			reads[i] = g.filled(op, v)
		}
	}
	g.append(&node{step: s, name: op.Name(), reads: reads, writes: writes, kept: kept}, op)
}

// filled adds a node that makes a value of a splat, which is as large as a run says.
func (g *Graph) filled(op *mlir.Op, v plan.ValueID) plan.ValueID {
	t := g.values[v].typ
	b := kernel.NewBuilder("fill")
	to := b.Param(kernel.Dense("y0", t, true))
	index := b.Axes(t.Shape)
	b.Stage()
	b.Store(to, b.Bits(t.DType, *g.values[v].splat), index...)
	made := g.Value(t)
	g.AddKernel(op, Kernel{Kernel: b.Kernel(), Operands: []plan.ValueID{made}}, nil)
	return made
}

func (g *Graph) append(n *node, op *mlir.Op) {
	n.ordinal, n.loc = op.Ordinal, op.Loc
	for _, v := range n.outs() {
		g.values[g.root(v)].def = n
	}
	g.nodes = append(g.nodes, n)
}

// root returns the value that owns v's memory.
func (g *Graph) root(v plan.ValueID) plan.ValueID {
	for g.values[v].base != plan.None {
		v = g.values[v].base
	}
	return v
}

// ins returns the values that a node reads; outs those that it makes.
func (n *node) ins() []plan.ValueID {
	if n.kernel == nil {
		return n.reads
	}
	return n.pick(false)
}

func (n *node) outs() []plan.ValueID {
	if n.kernel == nil {
		return n.writes
	}
	return n.pick(true)
}

func (n *node) pick(out bool) []plan.ValueID {
	var all []plan.ValueID
	for i, v := range n.operands {
		if n.kernel.Params[i].Out == out {
			all = append(all, v)
		}
	}
	return all
}

// readers returns, by root, the nodes that read a value.
func (g *Graph) readers() [][]*node {
	all := make([][]*node, len(g.values))
	for _, n := range g.nodes {
		for _, v := range n.ins() {
			r := g.root(v)
			if last := len(all[r]) - 1; last < 0 || all[r][last] != n {
				all[r] = append(all[r], n)
			}
		}
	}
	return all
}

// paramOf returns the parameter of n that v is; -1 if there is none.
func (n *node) paramOf(v plan.ValueID) int { return slices.Index(n.operands, v) }
