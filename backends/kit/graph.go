package kit

import (
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/halt"
	"ltc/ir/types"
	"ltc/mlir"
)

// graph is a function while it is being fused: nodes in an order in which each
// follows those whose values it reads.
type graph struct {
	caller

	values  []value
	nodes   []*node
	args    []plan.ValueID
	results []plan.ValueID
	alias   []int // by result: the argument that it takes over; -1 if none

	shapes  map[plan.ValueID]types.Shape  // of arguments and results, as the caller has them
	layouts map[plan.ValueID]plan.Layout  // of arguments and results that are not dense
	tables  map[plan.ValueID]plan.ValueID // those of their tables
}

// caller is what passes have of whoever compiles: the context, and of [Options] what the
// target says.
type caller struct {
	*halt.Watch

	localBytes   int                                                       // see Options
	packs        func(k *kernel.Kernel, sizes, strides []int64) (a, b int) // see Options
	parts        func(k *kernel.Kernel, points, length int64) int64        // see Options
	productParts func(k *kernel.Kernel) int64                              // see Options
	cut          func(k *kernel.Kernel) []int                              // see Options
	borders      bool                                                      // see Options
	columns      func() int                                                // see Options
	pitch        func(k *kernel.Kernel, copied []bool) []int64             // see Options
}

// value is a tensor: in memory, dense and row-major, unless it is a splat.
type value struct {
	typ   types.Type
	splat *uint64 // the bits of the one element that stands for all
	data  []byte  // a constant's
	def   *node   // what stores it; nil for arguments and constants
	// base is the value whose memory this one is another shape of; none if it
	// has memory of its own.
	base plan.ValueID
}

// node is a kernel, or an op that the host runs, with the values it works on.
type node struct {
	// kernel has literal sizes; the strides of its operands say nothing yet.
	kernel   *kernel.Kernel
	operands []plan.ValueID // by parameter
	host     *hostOp
	ordinal  int           // of the op whose failure it would report
	loc      mlir.Location // of that op
	at       int           // its place in the order
	kept     bool          // it does more than to give values
	chained  bool          // its kernel is of rows; see chain
	written  int           // of that: see mostWritten
	loops    bool          // of that: stages loop over columns
	// inParts is another way to make what the node makes: its first stage copies an
	// operand, the others write over parts of that. See update.
	inParts *node
	updates bool  // its kernel is such a one
	onto    bool  // it writes over parts of what an earlier node has made
	into    *node // what it was merged into; nil if it still stands for itself
	pitches bool  // it copies an operand of a product; see pitchRows
	parts   int   // of K, if it is a product whose sums are of these; see partialProduct
}

// hostOp is an op, with what is in its regions, that the evaluator runs, or a
// loop or branch that the host drives.
type hostOp struct {
	op        *mlir.Op
	ins, outs []plan.ValueID
	inputs    []*mlir.Value // what ins are in the text: operands, then captured values
	others    []*mlir.Op    // what op may refer to, beside main
	reason    string        // why it was not compiled
	// composite is set if the target has code for the op.
	composite *plan.Composite
	sort      *plan.Sort // likewise
}

// newValue adds a value in memory of its own.
func (g *graph) newValue(t types.Type, def *node) plan.ValueID {
	g.values = append(g.values, value{typ: t, def: def, base: plan.None})
	return plan.ValueID(len(g.values) - 1)
}

// root returns the value that owns v's memory.
func (g *graph) root(v plan.ValueID) plan.ValueID {
	for g.values[v].base != plan.None {
		v = g.values[v].base
	}
	return v
}

// ins returns the values that a node reads; outs those that it makes.
func (n *node) ins() []plan.ValueID {
	if n.host != nil {
		return n.host.ins
	}
	return n.pick(false)
}

func (n *node) outs() []plan.ValueID {
	if n.host != nil {
		return n.host.outs
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

// paramOf returns the parameter of n that v is; -1 if there is none.
func (n *node) paramOf(v plan.ValueID) int { return slices.Index(n.operands, v) }
