package lazy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/soa"
)

// ErrNaN: an op made a NaN or an infinity out of finite values; see [CheckNaNs].
var ErrNaN = errors.New("not finite")

// CheckNaNs stops at the first op that makes a NaN or an infinity out of finite values,
// with an error that names its line, as the environment variable LTC_CHECK_NANS does.
// Before each run of a program its ops run one by one: slow. What the program computes is
// what it computes without, and nothing has been written when a step fails so.
func CheckNaNs(on bool) Option { return func(d *Device) { d.checkNaNs = on } }

// lookForNaNs reports the first op that makes what is not finite of what a run gets.
func (x *guards) lookForNaNs(ctx context.Context, c *backends.Call) error {
	if err := x.warnOfNaNs(c); err != nil {
		return err
	}
	bad, err := x.dev.firstNaN(ctx, x.graph, c.Args)
	if err == nil && bad != nil {
		return nodeError(bad.node, ErrNaN, bad.reason)
	}
	return err
}

// warnOfNaNs warns, once for each line, of arguments that have NaNs already: no op of the
// program is at fault.
func (x *guards) warnOfNaNs(c *backends.Call) error {
	for i, p := range x.graph.Params {
		if !p.Type.DType.IsFloat() {
			continue
		}
		v, err := onHost(c.Args[i])
		if err != nil {
			return err
		}
		for k := range v.Type.Elements() {
			if !math.IsNaN(floatAt(v, k)) {
				continue
			}
			if x.dev.nanArguments.first(argumentLine{p.Loc, p.ParamName()}) {
				x.dev.log(slog.LevelWarn, fmt.Sprintf("argument %s has NaNs", strings.TrimSpace(p.ParamName()+" "+p.Type.String())),
					slog.String("at", p.Loc.String()), slog.String("first", position(v.Type, k)),
					slog.String("do", "look at what the argument is made of: the ops of this program did not make these NaNs"))
			}
			break
		}
	}
	return nil
}

// argumentLine is an argument of a program and the line that recorded it.
type argumentLine struct {
	at   callsite.Site
	name string
}

// culprit is a node that makes what is not finite of what is.
type culprit struct {
	node   *ir.Node
	reason string
}

// firstNaN runs the ops of g one by one and returns the first that makes a NaN or an
// infinity out of finite values; nil if none does.
func (d *Device) firstNaN(ctx context.Context, g *ir.Graph, args []soa.View) (*culprit, error) {
	values := make([]soa.View, len(g.Nodes))
	last := make([]int, len(g.Nodes)) // the node that reads it last
	for i, n := range g.Nodes {
		for _, x := range n.In {
			last[x.ID] = i
		}
	}
	for i, p := range g.Params {
		v, err := onHost(args[i])
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
			one, err := d.alone(ctx, n)
			if err != nil {
				return nil, aloneError(n, "compile alone", err)
			}
			var call backends.Call
			for _, x := range one.args {
				call.Args = append(call.Args, values[x.ID])
			}
			if err := one.exec.Execute(ctx, &call); err != nil {
				return nil, aloneError(n, "run alone", err)
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
			for _, x := range n.In {
				in = append(in, values[x.ID])
			}
			inner, err := d.firstNaN(ctx, n.Body.Graph, in)
			if err != nil {
				return nil, err
			}
			if inner == nil {
				reason = ""
			}
		}
		if reason != "" {
			return &culprit{n, reason}, nil
		}
		for _, x := range n.In {
			if last[x.ID] == i {
				values[x.ID] = soa.View{}
				delete(several, x)
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
	isn := func(v soa.View, i int) bool { return v.Type.DType.IsFloat() && !finite(floatAt(v, i)) }
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
		if selects && math.IsInf(floatAt(v, i), 0) {
			continue
		}
		if !isn(v, i) || same && slices.ContainsFunc(n.In, func(x *ir.Node) bool { return isn(values[x.ID], i) }) {
			continue
		}
		reason := fmt.Sprintf("the element at %s is %v, and is made of finite values", position(v.Type, i), floatAt(v, i))
		for k, x := range n.In {
			if !same || !x.Type.DType.IsNumber() {
				break
			}
			sep := ", "
			if k == 0 {
				sep = ": "
			}
			reason += fmt.Sprint(sep, floatAt(values[x.ID], i))
		}
		return reason
	}
	return ""
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
