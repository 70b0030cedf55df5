package guard

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ltc/backends"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// firstNaN runs the ops of g one by one and returns the first that makes a NaN or an
// infinity out of finite values; nil if none does.
func (x *Guard) firstNaN(ctx context.Context, g *ir.Graph, args []soa.View) (*Fault, error) {
	values := make([]soa.View, len(g.Nodes))
	last := make([]int, len(g.Nodes)) // the node that reads it last
	for i, n := range g.Nodes {
		for _, in := range n.In {
			last[in.ID] = i
		}
	}
	for i, p := range g.Params {
		v, err := memory.OnHost(args[i])
		if err != nil {
			return nil, err
		}
		values[p.ID] = v
	}
	several := map[*ir.Node][]soa.View{} // results of nodes with several
	for i, n := range g.Nodes {
		var reason string
		switch n.Op {
		case ir.OpParameter:
		case ir.OpResult:
			values[i] = several[n.In[0]][n.Attrs[ir.ResultIndex].Int]
		default:
			var call backends.Call
			err := x.by.RunAlone(ctx, n, &call, func(in *ir.Node) soa.View { return values[in.ID] })
			if err != nil {
				return nil, err
			}
			if values[i] = call.Results[0]; n.Results() != nil {
				several[n] = call.Results
			}
			for _, v := range call.Results {
				if reason = made(n, v, values); reason != "" {
					break
				}
			}
		}
		if reason != "" && n.Op == ir.OpComposite { // by an op of it, not by a constant
			var in []soa.View
			for _, y := range n.In {
				in = append(in, values[y.ID])
			}
			inner, err := x.firstNaN(ctx, n.Body.Graph, in)
			if err != nil {
				return nil, err
			}
			if inner == nil {
				reason = ""
			}
		}
		if reason != "" {
			return &Fault{Node: n, Kind: ErrNaN, Reason: reason}, nil
		}
		for _, in := range n.In {
			if last[in.ID] == i {
				values[in.ID] = soa.View{}
				delete(several, in)
			}
		}
	}
	return nil, nil
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
