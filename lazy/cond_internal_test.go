package lazy

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/lower"
	"ltc/shapeinfer"
)

// branchOf records a region: a function of parameters with the types of xs.
func branchOf(d *Device, xs []*Tensor, f func(xs []*Tensor) []*Tensor) *ir.Graph {
	tr := newTrace(d)
	tr.fixed = true
	params, nodes := make([]*Tensor, len(xs)), make([]*ir.Node, len(xs))
	for i, x := range xs {
		nodes[i] = tr.b.Parameter(x.Type(), "", nil)
		params[i] = tr.wrap(nodes[i])
	}
	var results []*ir.Node
	for _, y := range f(params) {
		results = append(results, tr.operand(y))
	}
	g := &ir.Graph{Name: "branch"}
	tr.b.Capture(g, nodes, results, nil)
	return g
}

// cond records a Cond of two functions of xs with as many results.
func cond(pred *Tensor, xs []*Tensor, results int, yes, no func(xs []*Tensor) []*Tensor) []*Tensor {
	tr := pred.tr
	body := &ir.Composite{Graph: branchOf(tr.dev, xs, yes), More: []*ir.Graph{branchOf(tr.dev, xs, no)}}
	in := []*ir.Node{tr.operand(pred)}
	for _, x := range xs {
		in = append(in, tr.operand(x))
	}
	tr.b.SetLoc(tr.site())
	n, err := tr.b.Node(ir.OpCond, in, nil, body)
	ys := make([]*Tensor, results)
	tr.results(ys, n, err)
	return ys
}

func branchBy(by float64) func(xs []*Tensor) []*Tensor {
	return func(xs []*Tensor) []*Tensor {
		return []*Tensor{xs[0].Mul(xs[1]).MulScalar(by).Softmax(0).Mul(xs[0]), xs[1].AddScalar(by).Tanh()}
	}
}

// A node with regions runs the one that a value chooses, is followed by steps that
// record it anew, and has the gradients of that region.
func TestCondIsANode(t *testing.T) {
	for name, c := range map[string]struct {
		backend string
		opts    []Option
	}{"eval": {"eval", nil}, "cpu": {"cpu", nil}, "op by op": {"eval", []Option{OpByOp()}}, "nans": {"cpu", []Option{CheckNaNs(true)}}} {
		t.Run(name, func(t *testing.T) {
			dev, err := Open(c.backend, c.opts...)
			require.NoError(t, err)
			tr := NewTrace(dev)
			for step := range 4 {
				x, y := From(tr, []float64{1, 2, float64(step)}), From(tr, []float64{-1, 0.5, 2})
				xs, holds := []*Tensor{x, y}, step%2 == 0
				pred := From(tr, []bool{holds}).Reshape()
				got := cond(pred, xs, 2, branchBy(1), branchBy(-2))
				loss := got[0].Mul(got[1]).Sum()
				grads := Grad(loss, x, y)
				second := Grad(got[1].Sum(), x, y) // x is in no path
				by := -2.0
				if holds {
					by = 1
				}
				want := branchBy(by)(xs)
				plain := Grad(want[0].Mul(want[1]).Sum(), x, y)
				all := append(append(got, grads...), second...)
				require.NoError(t, tr.MarkStep(append(append(all, want...), plain...)...))
				for i, w := range append(want, plain...) {
					a, err := ToSlice[float64](all[i])
					require.NoError(t, err)
					b, err := ToSlice[float64](w)
					require.NoError(t, err)
					require.InDeltaSlice(t, b, a, 1e-12, "%d", i)
				}
				zeros, err := ToSlice[float64](second[0])
				require.NoError(t, err)
				require.Equal(t, []float64{0, 0, 0}, zeros)
			}
			require.Equal(t, int64(2), tr.Report().Compiled, "one for each of the plain functions beside it: %v", tr.Report())
		})
	}
}

// The text forms have the regions; a graph read back is the same program.
func TestTextOfCond(t *testing.T) {
	dev, err := Open("eval")
	require.NoError(t, err)
	tr := NewTrace(dev)
	x := From(tr, []float64{1, 2})
	pred := From(tr, []bool{true}).Reshape()
	record := func(by float64) *Tensor {
		return cond(pred, []*Tensor{x}, 1, func(x []*Tensor) []*Tensor { return []*Tensor{x[0].Exp()} },
			func(x []*Tensor) []*Tensor { return []*Tensor{x[0].MulScalar(by)} })[0]
	}
	y, same, other := record(2), record(2), record(3)
	require.Same(t, y.node, same.node, "equal regions make equal nodes")
	require.NotSame(t, y.node, other.node)
	graph := func(y *Tensor) *ir.Graph {
		g := &ir.Graph{Name: "step"}
		tr.b.Capture(g, nil, []*ir.Node{y.node}, nil)
		return g.Clone()
	}
	a, b := graph(y), graph(other)
	require.False(t, ir.Equal(a, b))
	require.NotEqual(t, a.Hash(), b.Hash())
	for was, now := range ir.Differences(a, b) {
		require.Equal(t, ir.OpConstant, was.Op, "the difference is in a region")
		require.Equal(t, ir.OpConstant, now.Op)
	}
	back, err := ir.Parse("cond.ir", a.String())
	require.NoError(t, err)
	require.NoError(t, back.Verify(shapeinfer.Infer))
	require.Equal(t, a.String(), back.String())
	require.True(t, ir.Equal(a, back))
	require.True(t, ir.Equal(a.Shuffled(1), back.Shuffled(1)))
	require.Equal(t, lower.Text(a, false), lower.Text(back, false))
	require.Contains(t, a.String(), "cond %")
	require.Contains(t, lower.Text(a, true), `"stablehlo.if"`)
	require.Contains(t, a.Dot(), "cond")
}
