package guard

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ltc/ir"
	"ltc/ir/ops"
	"ltc/lazy/internal/memory"
	"ltc/lazy/internal/opbyop"
	"ltc/soa"
)

// lookForNaNs returns, as a [*Fault], the first op of g that makes a NaN or an infinity out of
// finite values when its ops run one by one.
func (x *Guard) lookForNaNs(ctx context.Context, g *ir.Graph, args []soa.View) error {
	p := opbyop.New(g, x.ops)
	p.See = func(s opbyop.Step) error {
		n := s.Node
		for _, v := range s.Results {
			reason := made(n, v, s.Values)
			if reason == "" {
				continue
			}
			if n.Op == ir.OpComposite { // by an op of it, not by a constant
				var in []soa.View
				for _, y := range n.In {
					in = append(in, s.Values[y.ID])
				}
				err := x.lookForNaNs(ctx, n.Body.Graph, in)
				if _, ok := err.(*Fault); !ok {
					return err
				}
			}
			return &Fault{Node: n, Kind: ErrNaN, Reason: reason}
		}
		return nil
	}
	near := make([]soa.View, len(args))
	for i, v := range args {
		var err error
		if near[i], err = memory.OnHost(v); err != nil {
			return err
		}
	}
	_, err := p.Run(ctx, near, nil)
	return err
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
