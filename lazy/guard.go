package lazy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/border"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lower"
	"ltc/soa"
)

// ErrIndex: an index or a label chooses what does not exist; see [CheckIndices].
var ErrIndex = errors.New("index out of range")

// CheckIndices says whether a step fails if an index of Gather or ScatterAdd, a class of
// OneHot or a label of CrossEntropy does not exist. The environment variable LTC_CHECK
// switches it on; false switches it off again. Indices that the program computes are
// computed once more before each run, and nothing has been written when a step fails so.
func CheckIndices(on bool) Option { return func(d *Device) { d.checkIndices = on } }

// guards look at a run's data before it.
type guards struct {
	dev     *Device
	graph   *ir.Graph
	indices []indexGuard
	// What computes the indices that are no arguments, and the arguments of the program
	// that it takes; nil if all are.
	exec *border.Executable
	args []int
	nans bool
}

// indexGuard says that an op's indices are to be below a bound.
type indexGuard struct {
	node, index *ir.Node
	bound       int
	result      int  // of guards.exec; -1: the index is an argument
	gather      bool // node is a gather's gradient: the gather itself may not be in the program
}

// guardOf returns what the indices of a node must be below.
func guardOf(n *ir.Node) (g indexGuard, ok bool) {
	g.node = n
	switch {
	case n.Op == ir.OpScatterAdd && n.In[1].Op == ir.OpClampIndex:
		g.index, g.bound, g.gather = n.In[1].In[0], n.In[0].Type.Shape[0], true
	case n.Op == ir.OpGather || n.Op == ir.OpScatterAdd:
		g.index, g.bound = n.In[1], n.In[0].Type.Shape[0]
	case n.Op == ir.OpComposite && (n.Body.Name == builtins[compositeOneHot].name || n.Body.Name == builtins[compositeLabelMask].name):
		g.index, g.bound = n.In[0], n.Body.Params[0].Int
	default:
		return g, false
	}
	return g, true
}

// guarded reports whether runs of g are looked at beforehand, so that its lines matter.
func (d *Device) guarded(g *ir.Graph) bool {
	return d.checkNaNs || d.checkIndices && slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool { _, ok := guardOf(n); return ok })
}

// newGuards returns what looks at runs of g; nil if nothing does.
func newGuards(ctx context.Context, d *Device, g *ir.Graph) (*guards, error) {
	if !d.guarded(g) {
		return nil, nil
	}
	x := &guards{dev: d, graph: g, nans: d.checkNaNs}
	var computed []*ir.Node
	for _, n := range g.Nodes {
		guard, ok := guardOf(n)
		if !ok || !d.checkIndices {
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
	part, args := g.Part(computed)
	var err error
	x.args = args
	x.exec, err = d.compile(ctx, part, lower.Text(part, true), d.quietly())
	return x, err
}

// quietly are the options of programs that only look at another, which has said what is
// to be said.
func (d *Device) quietly() backends.Options {
	o := d.options
	o.Compiled, o.Profile, o.Warn = false, false, func(*backends.FallbackError) {}
	return o
}

// look reports what is wrong with what a run gets.
func (x *guards) look(ctx context.Context, c *backends.Call) error {
	if err := x.lookAtIndices(ctx, c); err != nil {
		return err
	}
	if !x.nans {
		return nil
	}
	return x.lookForNaNs(ctx, c)
}

func (x *guards) lookAtIndices(ctx context.Context, c *backends.Call) error {
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
		v, err := onHost(v)
		if err != nil {
			return err
		}
		if at, index := beyond(v, g.bound); at >= 0 {
			e := nodeError(g.node, ErrIndex, fmt.Sprintf("the index at %s is %s, but there are %d to choose from, 0 to %d",
				position(v.Type, at), index, g.bound, g.bound-1))
			switch {
			case g.gather:
				e.Op, e.Operands = ir.OpGather.String(), []types.Type{g.node.Type, g.index.Type}
			case g.node.Body != nil && g.node.Body.Name == builtins[compositeLabelMask].name:
				e.Op = builtins[compositeCrossEntropy].op
			}
			return e
		}
	}
	return nil
}

// onHost returns a dense view of the same elements in memory that Go sees.
func onHost(v soa.View) (soa.View, error) {
	if v.Remote() == nil && v.IsDense() {
		return v, nil
	}
	here := soa.Make(v.Type)
	return here, soa.Copy(here, v)
}

// position prints the index of an element: [2 0]; of a scalar, [].
func position(t types.Type, at int) string {
	index := make([]int, len(t.Shape))
	for d := len(index) - 1; d >= 0; d-- {
		index[d], at = at%t.Shape[d], at/t.Shape[d]
	}
	return fmt.Sprint(index)
}

// beyond returns the first of the indices that is negative or not below bound, and
// prints it; -1 if there is none.
func beyond(v soa.View, bound int) (at int, index string) {
	switch v.Type.DType {
	case types.U8:
		return firstBeyond(soa.Slice[uint8](v), bound)
	case types.U16:
		return firstBeyond(soa.Slice[uint16](v), bound)
	case types.U32:
		return firstBeyond(soa.Slice[uint32](v), bound)
	case types.U64:
		return firstBeyond(soa.Slice[uint64](v), bound)
	case types.I8:
		return firstBeyond(soa.Slice[int8](v), bound)
	case types.I16:
		return firstBeyond(soa.Slice[int16](v), bound)
	case types.I32:
		return firstBeyond(soa.Slice[int32](v), bound)
	}
	return firstBeyond(soa.Slice[int64](v), bound)
}

func firstBeyond[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](all []T, bound int) (int, string) {
	i := slices.IndexFunc(all, func(x T) bool { return x < 0 || uint64(x) >= uint64(bound) })
	if i < 0 {
		return -1, ""
	}
	return i, fmt.Sprint(all[i])
}
