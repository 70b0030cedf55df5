// Package guard looks at the data of runs. It finds indices that choose what does not exist:
// its central type is [Index]. Before a run, [Guard] finds the first op that makes a NaN or an
// infinity out of finite values.
//
// The package imports only ltc/backends, ltc/internal/callsite, ltc/internal/diag, ltc/ir, ltc/ir/dims, ltc/ir/ops, ltc/ir/types,
// ltc/lazy/internal/memory, ltc/lazy/internal/opbyop, ltc/lazy/internal/programs and ltc/soa.
package guard

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

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
	Kind   error    // ErrNaN
	Reason string
}

// Error returns the reason.
func (f *Fault) Error() string { return f.Reason }

// Unwrap returns the kind.
func (f *Fault) Unwrap() error { return f.Kind }

// Host is the device of a guard.
type Host interface {
	// HasNaN hears of an argument that has a NaN already, first at a position.
	HasNaN(param *ir.Node, position string)
}

// Guard looks at the data of runs of one program, for what is not finite.
type Guard struct {
	by    Host
	ops   *programs.Cache // of single ops
	graph *ir.Graph
}

// New returns what looks at runs of g, with a cache for the programs of single ops. It looks into
// checkpoints.
func New(by Host, g *ir.Graph, ops *programs.Cache) *Guard {
	return &Guard{by: by, graph: g.InlineClosures(), ops: ops}
}

// Look reports what is wrong with what a run gets: a [*Fault], or why it could not look, such
// as a panic.
func (x *Guard) Look(ctx context.Context, c *backends.Call) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the check of the run's data panicked: %v\n%s", r, debug.Stack())
		}
	}()
	if err := x.lookAtArguments(c); err != nil {
		return err
	}
	_, err = x.lookForNaNs(ctx, x.graph, c.Args)
	return err
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
