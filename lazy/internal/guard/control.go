package guard

import (
	"context"
	"fmt"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
	"ltc/soa"
)

// within looks for the first NaN in the ops of a composite, a branch or a loop, of which in has
// the operands. The error is a [*Fault] if there is one.
func (x *Guard) within(ctx context.Context, n *ir.Node, in []soa.View) error {
	switch n.Op {
	case ir.OpComposite:
		_, err := x.lookForNaNs(ctx, n.Body.Graph, in)
		return err
	case ir.OpCase:
		g, err := chosen(append([]*ir.Graph{n.Body.Graph}, n.Body.More...), in[0])
		if err == nil {
			_, err = x.lookForNaNs(ctx, g, in[1:])
		}
		return err
	case ir.OpScan:
		return x.withinScan(ctx, n, in)
	case ir.OpWhile:
		return x.withinWhile(ctx, n, in)
	}
	return nil
}

// chosen returns the branch that an index chooses: the first for true, and the last for an index
// that is out of range.
func chosen(branches []*ir.Graph, index soa.View) (*ir.Graph, error) {
	index, err := memory.OnHost(index)
	if err != nil {
		return nil, err
	}
	i := int(memory.Float(index, 0))
	if index.Type.DType == types.Bool {
		i = 1 - i
	}
	if i < 0 || i >= len(branches) {
		i = len(branches) - 1
	}
	return branches[i], nil
}

// withinScan runs the iterations of a scan, op by op.
func (x *Guard) withinScan(ctx context.Context, n *ir.Node, in []soa.View) error {
	carries, xs, iterations := int(n.Attrs[ir.ScanCarries].Int), int(n.Attrs[ir.ScanXs].Int), int(n.Attrs[ir.ScanIterations].Int)
	state, captured := in[:carries:carries], in[carries+xs:]
	all := make([]soa.View, xs)
	for i := range all {
		var err error
		if all[i], err = memory.OnHost(in[carries+i]); err != nil {
			return err
		}
	}
	for i := range iterations {
		at := i
		if n.Attrs[ir.ScanReverse].Int != 0 {
			at = iterations - 1 - i
		}
		index := soa.Make(types.Of(types.I32))
		soa.Slice[int32](index)[0] = int32(at)
		args := append([]soa.View{index}, state...)
		for _, v := range all {
			t := types.Type{DType: v.Type.DType, Shape: v.Type.Shape[1:]}
			row, err := v.Restride(t, at*v.Strides[0], v.Strides[1:])
			if err != nil {
				return err
			}
			args = append(args, row)
		}
		results, err := x.lookForNaNs(ctx, n.Body.Graph, append(args, captured...))
		if err != nil {
			return inIteration(err, n, i)
		}
		state = results[:carries]
	}
	return nil
}

// withinWhile runs the iterations of a while, op by op.
func (x *Guard) withinWhile(ctx context.Context, n *ir.Node, in []soa.View) error {
	cond, body := n.Body.Graph, n.Body.More[0]
	states := len(body.Results)
	state, captured := in[:states:states], in[states:]
	for i := 0; ; i++ {
		args := append(state[:states:states], captured...)
		more, err := x.lookForNaNs(ctx, cond, args)
		if err != nil {
			return inIteration(err, n, i)
		}
		if more[0], err = memory.OnHost(more[0]); err != nil || memory.Float(more[0], 0) == 0 {
			return err
		}
		if state, err = x.lookForNaNs(ctx, body, args); err != nil {
			return inIteration(err, n, i)
		}
	}
}

// inIteration adds the iteration of a loop to what is wrong in it.
func inIteration(err error, loop *ir.Node, i int) error {
	if f, ok := err.(*Fault); ok {
		f.Reason += fmt.Sprintf("; in iteration %d of the loop at %v", i, loop.Loc)
	}
	return err
}

// resultsOf returns the values of a graph's results.
func resultsOf(g *ir.Graph, values []soa.View) []soa.View {
	all := make([]soa.View, len(g.Results))
	for i, r := range g.Results {
		all[i] = values[r.ID]
	}
	return all
}
