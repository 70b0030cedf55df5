package autodiff_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/autodiff"
	"ltc/internal/trials"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// work is what taking a gradient costs.
type work struct {
	nodes    int    // made
	inferred int    // types decided
	bytes    uint64 // allocated
}

// gradientOf records a program and returns what its gradient with respect to x
// costs.
func gradientOf(t *testing.T, program func(recorder, *ir.Node) *ir.Node) work {
	var w work
	b := ir.NewBuilder(func(op ir.Op, in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (types.Type, []types.Type, error) {
		w.inferred++
		return shapeinfer.Infer(op, in, attrs, body)
	})
	x := b.Parameter(types.Of(types.F32, 2), "x", nil)
	y := program(func(op ir.Op, attrs []ir.Attr, body *ir.Composite, in ...*ir.Node) *ir.Node {
		n, err := b.Node(op, in, attrs, body)
		require.NoError(t, err)
		return n
	}, x)
	ct := b.Parameter(y.Type, "ct", nil)
	made := b.Len()
	w.inferred = 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	grads, err := autodiff.Reverse(b, y, ct, []*ir.Node{x}, nil, nil)
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Equal(t, x.Type, grads[0].Type)
	w.nodes, w.bytes = b.Len()-made, after.TotalAlloc-before.TotalAlloc
	return w
}

type recorder = func(ir.Op, []ir.Attr, *ir.Composite, ...*ir.Node) *ir.Node

func chain(n int) func(recorder, *ir.Node) *ir.Node {
	return func(op recorder, x *ir.Node) *ir.Node {
		y := x
		for i := range n {
			switch i % 3 {
			case 0:
				y = op(ir.OpMul, nil, nil, y, x)
			case 1:
				y = op(ir.OpTanh, nil, nil, y)
			case 2:
				y = op(ir.OpAdd, nil, nil, y, x)
			}
		}
		return y
	}
}

// wide is a sum of n terms.
func wide(n int) func(recorder, *ir.Node) *ir.Node {
	return func(op recorder, x *ir.Node) *ir.Node {
		y := x
		for i := range n {
			c := op(ir.OpConstant, []ir.Attr{{Int: int64(types.F32)}, {Int: int64(ir.LiteralBits(types.F32, float64(i)))}}, nil)
			c = op(ir.OpBroadcast, []ir.Attr{{Ints: x.Type.Shape}, {}}, nil, c)
			y = op(ir.OpAdd, nil, nil, y, op(ir.OpMul, nil, nil, x, c))
		}
		return y
	}
}

// joined is one op of n operands.
func joined(n int) func(recorder, *ir.Node) *ir.Node {
	return func(op recorder, x *ir.Node) *ir.Node {
		in := make([]*ir.Node, n)
		for i := range in {
			in[i] = x
		}
		return op(ir.OpConcatenate, []ir.Attr{{}}, nil, in...)
	}
}

// called is a program as the body of a composite.
func called(program func(recorder, *ir.Node) *ir.Node) func(recorder, *ir.Node) *ir.Node {
	return func(op recorder, x *ir.Node) *ir.Node {
		b := ir.NewBuilder(shapeinfer.Infer)
		p := b.Parameter(x.Type, "", nil)
		y := program(func(op ir.Op, attrs []ir.Attr, body *ir.Composite, in ...*ir.Node) *ir.Node {
			n, err := b.Node(op, in, attrs, body)
			if err != nil {
				panic(err)
			}
			return n
		}, p)
		g := &ir.Graph{Name: "test.body"}
		b.Capture(g, []*ir.Node{p}, []*ir.Node{y}, nil)
		return op(ir.OpComposite, nil, &ir.Composite{Name: "test.body", Graph: g}, x)
	}
}

// A gradient costs a constant for each op of the program.
func TestGradientsAreLinear(t *testing.T) {
	const n = 3000
	for name, program := range map[string]func(n int) func(recorder, *ir.Node) *ir.Node{
		"chain":       chain,
		"wide":        wide,
		"joined":      joined,
		"chain body":  func(n int) func(recorder, *ir.Node) *ir.Node { return called(chain(n)) },
		"wide body":   func(n int) func(recorder, *ir.Node) *ir.Node { return called(wide(n)) },
		"joined body": func(n int) func(recorder, *ir.Node) *ir.Node { return called(joined(n)) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b, c := gradientOf(t, program(n)), gradientOf(t, program(2*n)), gradientOf(t, program(4*n))
			require.Equal(t, 2*(b.nodes-a.nodes), c.nodes-b.nodes, "nodes made")
			require.Equal(t, 2*(b.inferred-a.inferred), c.inferred-b.inferred, "types inferred")
			require.Positive(t, c.nodes)
			require.Less(t, c.bytes, 6*a.bytes, "bytes allocated")
		})
	}
}

// Nothing recurses along a chain.
func TestGradientOfALongChain(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	n := trials.Of(300_000)
	w := gradientOf(t, chain(n))
	require.Less(t, w.nodes, 4*n)
	gradientOf(t, called(chain(n/3)))
}
