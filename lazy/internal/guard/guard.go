// Package guard looks at the data of a run before it. It finds indices that choose what does
// not exist, and the first op that makes a NaN or an infinity out of finite values. Its
// central type is [Guard].
//
// The package imports only ltc/backends, ltc/ir, ltc/ir/ops, ltc/ir/types,
// ltc/lazy/internal/memory, ltc/lazy/internal/opbyop, ltc/lazy/internal/programs and ltc/soa.
package guard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/opbyop"
	"ltc/lazy/internal/programs"
	"ltc/soa"
)

var (
	// ErrIndex: an index or a label chooses what does not exist.
	ErrIndex = errors.New("index out of range")
	// ErrNaN: an op made a NaN or an infinity out of finite values.
	ErrNaN = errors.New("not finite")
)

// Fault is what is wrong with the data of a run.
type Fault struct {
	Node   *ir.Node // the op that it is wrong for
	Kind   error    // ErrIndex or ErrNaN
	Reason string
	// Op and Operands are those of the call that recorded the node, where they are not its own.
	Op       string
	Operands []types.Type
}

// Error returns the reason.
func (f *Fault) Error() string { return f.Reason }

// Unwrap returns the kind.
func (f *Fault) Unwrap() error { return f.Kind }

// Host is the device of a guard.
type Host interface {
	// Part compiles a part of a program that only looks.
	Part(ctx context.Context, g *ir.Graph) (programs.Runner, error)
	// HasNaN hears of an argument that has a NaN already, first at a position.
	HasNaN(param *ir.Node, position string)
}

// Guard looks at the data of runs of one program.
type Guard struct {
	by      Host
	ops     *programs.Cache // of single ops; nil if nobody looks for what is not finite
	graph   *ir.Graph
	indices []indexGuard
	// What computes the indices that are no arguments, and the arguments of the program
	// that it takes; nil if all are.
	exec programs.Runner
	args []int
}

// labelMask is the composite of CrossEntropy that the labels go to.
const labelMask = "ltc.label_mask"

// indexed reports whether a composite's first operand is an index below its first attribute.
func indexed(name string) bool {
	name, ours := strings.CutPrefix(name, "ltc.")
	return ours && slices.ContainsFunc(ops.Composites, func(row ops.Op) bool {
		return row.Traits.Has(ops.Guarded) && row.Mnemonic() == name
	})
}

// indexGuard says that an op's indices are to be below a bound.
type indexGuard struct {
	node, index *ir.Node
	bound       int
	result      int  // of Guard.exec; -1: the index is an argument
	gather      bool // node is a gather's gradient: the gather itself may not be in the program
}

// guardOf returns what the indices of a node must be below.
func guardOf(n *ir.Node) (g indexGuard, ok bool) {
	g.node = n
	switch {
	case n.Op == ir.OpGather:
		g.index, g.bound = n.In[1], n.In[0].Type.Shape[n.Attrs[ir.GatherAxis].Int]
	case n.Op == ir.OpScatter:
		g.index, g.bound = n.In[1], n.In[0].Type.Shape[n.Attrs[ir.ScatterAxis].Int]
		if g.index.Op == ir.OpClampIndex {
			g.index, g.gather = g.index.In[0], true
		}
	case n.Op == ir.OpComposite && indexed(n.Body.Name):
		g.index, g.bound = n.In[0], n.Body.Params[0].Int
	default:
		return g, false
	}
	return g, true
}

// Indexed reports whether g has indices to look at.
func Indexed(g *ir.Graph) bool {
	return slices.ContainsFunc(g.Checkpoints().Nodes, func(n *ir.Node) bool { _, ok := guardOf(n); return ok })
}

// New returns what looks at runs of g: at its indices, and at what is not finite if there is
// a cache for the programs of single ops. It looks into checkpoints, and takes a branch or a
// loop as one op without indices.
func New(ctx context.Context, by Host, g *ir.Graph, indices bool, ops *programs.Cache) (*Guard, error) {
	g = g.Checkpoints()
	x := &Guard{by: by, graph: g, ops: ops}
	var computed []*ir.Node
	for _, n := range g.Nodes {
		guard, ok := guardOf(n)
		if !ok || !indices {
			continue
		}
		if guard.result = -1; guard.index.Op != ir.OpParameter {
			if guard.result = slices.Index(computed, guard.index); guard.result < 0 {
				guard.result = len(computed)
				computed = append(computed, guard.index)
			}
		}
		x.indices = append(x.indices, guard)
	}
	if len(computed) == 0 {
		return x, nil
	}
	for _, n := range g.Nodes { // which say what sizes are
		if n.Op == ir.OpCounted && !slices.Contains(computed, n) {
			computed = append(computed, n)
		}
	}
	part, args := g.Part(computed)
	var err error
	x.args = args
	x.exec, err = by.Part(ctx, part)
	return x, err
}

// Look reports what is wrong with what a run gets: a [*Fault], or why it could not look, such
// as a panic.
func (x *Guard) Look(ctx context.Context, c *backends.Call) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the check of the run's data panicked: %v\n%s", r, debug.Stack())
		}
	}()
	if err := x.lookAtIndices(ctx, c); err != nil || x.ops == nil {
		return err
	}
	if err := x.lookAtArguments(c); err != nil {
		return err
	}
	_, err = x.lookForNaNs(ctx, x.graph, c.Args)
	return err
}

func (x *Guard) lookAtIndices(ctx context.Context, c *backends.Call) error {
	var own backends.Call
	if x.exec != nil {
		for _, i := range x.args {
			own.Args = append(own.Args, c.Args[i])
		}
		if err := x.exec.Execute(ctx, &own); err != nil {
			return err
		}
	}
	for _, g := range x.indices {
		var v soa.View
		if g.result >= 0 {
			v = own.Results[g.result]
		} else {
			v = c.Args[g.index.Attrs[ir.ParameterIndex].Int]
		}
		v, err := memory.OnHost(v)
		if err != nil {
			return err
		}
		if reason := Beyond(v, g.bound); reason != "" {
			f := &Fault{Node: g.node, Kind: ErrIndex, Reason: reason}
			called, _ := g.node.Value.(ir.Called)
			switch {
			case called != "":
				f.Op = string(called)
			case g.gather:
				f.Op, f.Operands = ir.OpGather.String(), []types.Type{g.node.Type, g.index.Type}
			case g.node.Body != nil && g.node.Body.Name == labelMask:
				f.Op = "cross_entropy"
			}
			return f
		}
	}
	return nil
}

// lookAtArguments tells of arguments that have NaNs already: no op of the program is at fault.
func (x *Guard) lookAtArguments(c *backends.Call) error {
	for i, p := range x.graph.Params {
		if !p.Type.DType.IsFloat() {
			continue
		}
		v, err := memory.OnHost(c.Args[i])
		if err != nil {
			return err
		}
		for k := range v.Type.Elements() {
			if math.IsNaN(memory.Float(v, k)) {
				x.by.HasNaN(p, position(v.Type, k))
				break
			}
		}
	}
	return nil
}

// position prints the index of an element: [2 0]; of a scalar, [].
func position(t types.Type, at int) string {
	index := make([]int, len(t.Shape))
	for d := len(index) - 1; d >= 0; d-- {
		index[d], at = at%t.Shape[d], at/t.Shape[d]
	}
	return fmt.Sprint(index)
}

// Beyond says which of the indices in v, a dense view on the host, is negative or not below bound;
// "" if none is.
func Beyond(v soa.View, bound int) (reason string) {
	at, index := beyond(v, bound)
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("the index at %s is %s, but there are %d to choose from, 0 to %d", position(v.Type, at), index, bound, bound-1)
}

// beyond returns the first of the indices that is negative or not below bound, and
// prints it; -1 if there is none.
func beyond(v soa.View, bound int) (at int, index string) {
	switch v.Type.DType {
	case types.U8:
		return firstBeyond[uint8](v, bound)
	case types.U16:
		return firstBeyond[uint16](v, bound)
	case types.U32:
		return firstBeyond[uint32](v, bound)
	case types.U64:
		return firstBeyond[uint64](v, bound)
	case types.I8:
		return firstBeyond[int8](v, bound)
	case types.I16:
		return firstBeyond[int16](v, bound)
	case types.I32:
		return firstBeyond[int32](v, bound)
	}
	return firstBeyond[int64](v, bound)
}

func firstBeyond[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](v soa.View, bound int) (at int, index string) {
	soa.With(v, func(all []T) { // the caller's, maybe off the Go heap
		at = slices.IndexFunc(all, func(x T) bool { return x < 0 || uint64(x) >= uint64(bound) })
		if at >= 0 {
			index = fmt.Sprint(all[at])
		}
	})
	return at, index
}

// lookForNaNs returns, as a [*Fault], the first op of g that makes a NaN or an infinity out of
// finite values when its ops run one by one.
func (x *Guard) lookForNaNs(ctx context.Context, g *ir.Graph, args []soa.View) (results []soa.View, err error) {
	p := opbyop.New(g, x.ops)
	p.See = func(s opbyop.Step) error {
		n := s.Node
		for _, v := range s.Results {
			reason := made(n, v, s.Values)
			if reason == "" {
				continue
			}
			if n.Body != nil { // by an op of it, not by a constant
				var in []soa.View
				for _, y := range n.In {
					in = append(in, s.Values[y.ID])
				}
				err := x.within(ctx, n, in)
				if _, ok := err.(*Fault); !ok || n.Op != ir.OpComposite {
					return err
				}
			}
			return &Fault{Node: n, Kind: ErrNaN, Reason: reason}
		}
		return nil
	}
	near := make([]soa.View, len(args))
	for i, v := range args {
		if near[i], err = memory.OnHost(v); err != nil {
			return nil, err
		}
	}
	values, err := p.Run(ctx, near, nil)
	if err != nil {
		return nil, err
	}
	return resultsOf(g, values), nil
}

// made describes an element of v, a result of n, that is not finite although the operands
// are; "" if there is none. For an elementwise op the operands' elements at the same place
// count, for others all. Constants are what their user wrote.
func made(n *ir.Node, v soa.View, values []soa.View) string {
	if len(n.In) == 0 || !v.Type.DType.IsFloat() {
		return ""
	}
	same := n.Body == nil && ops.Table[n.Op].Traits&ops.Elementwise != 0
	for _, x := range n.In {
		same = same && x.Type.Shape.Equal(v.Type.Shape)
	}
	// These take an element as it is, or of none their start value.
	selects := n.Op == ir.OpMax || n.Op == ir.OpMin || n.Op == ir.OpMaxPool
	isn := func(v soa.View, i int) bool { return v.Type.DType.IsFloat() && !finite(memory.Float(v, i)) }
	if !same {
		for _, x := range n.In {
			for i := range x.Type.Elements() {
				if isn(values[x.ID], i) {
					return ""
				}
			}
		}
	}
	for i := range v.Type.Elements() {
		if selects && math.IsInf(memory.Float(v, i), 0) {
			continue
		}
		if !isn(v, i) || same && slices.ContainsFunc(n.In, func(x *ir.Node) bool { return isn(values[x.ID], i) }) {
			continue
		}
		reason := fmt.Sprintf("the element at %s is %v, and is made of finite values", position(v.Type, i), memory.Float(v, i))
		for k, x := range n.In {
			if !same || !x.Type.DType.IsNumber() {
				break
			}
			sep := ", "
			if k == 0 {
				sep = ": "
			}
			reason += fmt.Sprint(sep, memory.Float(values[x.ID], i))
		}
		return reason
	}
	return ""
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
