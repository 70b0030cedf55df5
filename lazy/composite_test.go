package lazy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir"
	"ltc/soa"
)

func TestCompositeText(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{1, 2, 3, 4}, 2, 2)
	y := x.Softmax(-1).Add(x.Exp().Softmax(1)).Add(x.Softmax(0))
	require.NoError(t, tr.MarkStep(y))
	text := tr.StableHLO()
	require.Equal(t, 3, strings.Count(text, `stablehlo.composite "ltc.softmax"`), text)
	// One function for the two along axis 1, one for that along axis 0.
	require.Equal(t, 2, strings.Count(text, "func.func private @ltc.softmax"), text)
	require.Equal(t, 2, strings.Count(text, "composite_attributes = {axis = 1 : i64}"), text)
	require.Equal(t, 1, strings.Count(text, "composite_attributes = {axis = 0 : i64}"), text)
}

// The body of a composite is recorded once a device, whoever calls it.
func TestBodiesAreRecordedOnce(t *testing.T) {
	recorded := 0
	counted := Define(Composite{Name: "test.counted", Operands: operandsOf("x")}, func(x []*Tensor, _ Attrs) *Tensor {
		recorded++
		return x[0].Neg()
	}, nil)
	dev, err := Open("eval")
	require.NoError(t, err)
	for range 3 {
		tr := NewTrace(dev)
		x := From(tr, []float32{1, 2})
		require.NoError(t, tr.MarkStep(counted.Call(nil, counted.Call(nil, x))))
	}
	require.Equal(t, 1, recorded)
	tr := NewTrace(dev)
	require.NoError(t, tr.MarkStep(counted.Call(nil, From(tr, []float32{1, 2, 3}))))
	require.Equal(t, 2, recorded, "another type has another body")
}

// A rule that a composite's body breaks is an error of the call.
func TestCompositeWithBadBody(t *testing.T) {
	bad := Define(Composite{Name: "test.bad", Operands: operandsOf("x")}, func(x []*Tensor, _ Attrs) *Tensor { return x[0].MatMul(x[0]) }, nil)
	tr := evalTrace(t)
	x := From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	y := bad.Call(nil, x)
	require.ErrorIs(t, y.Err(), ErrType)
	require.ErrorContains(t, y.Err(), "test.bad(f32[2,3]): in its definition, matmul(f32[2,3], f32[2,3]): inner dimensions differ: 3 and 2 (matmul_c4)")
	require.NoError(t, tr.MarkStep(x.Neg()))
}

// A body may look for axes of what a bad op has made: the op's error is that of the call. A panic of its
// own stays one.
func TestBodiesBehindBadOps(t *testing.T) {
	for _, inline := range []bool{false, true} {
		name := fmt.Sprintf("test.behind_%v", inline)
		behind := Define(Composite{Name: name, Operands: operandsOf("x"), Inline: inline}, func(x []*Tensor, _ Attrs) *Tensor {
			y := x[0].MatMul(x[0])
			return y.Reshape(y.OpenShape()[:y.Rank()-1]...)
		}, nil)
		tr := evalTrace(t)
		y := behind.Call(nil, From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3))
		require.ErrorIs(t, y.Err(), ErrType)
		require.ErrorContains(t, y.Err(), "matmul(f32[2,3], f32[2,3]): inner dimensions differ: 3 and 2 (matmul_c4)")
		around := Define(Composite{Name: name + "_around", Operands: operandsOf("x"), Inline: inline}, func(x []*Tensor, _ Attrs) *Tensor {
			z := behind.Call(nil, x[0])
			return z.Reshape(z.OpenShape()[:z.Rank()-1]...)
		}, nil)
		require.ErrorContains(t, around.Call(nil, From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)).Err(), "(matmul_c4)")
		wrong := Define(Composite{Name: name + "_own", Operands: operandsOf("x"), Inline: inline}, func(x []*Tensor, _ Attrs) *Tensor { panic("own") }, nil)
		require.PanicsWithValue(t, "own", func() { wrong.Call(nil, From(tr, []float32{1})) })
	}
}

// A composite's gradient is its own where it has one: softmax does not
// differentiate its maximum and its exponentials.
func TestCompositeHasItsGradient(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{1, 2})
	g := Grad(x.Softmax(0).Max(), x)[0]
	for _, n := range tr.b.Walk(g.node) {
		require.NotEqual(t, ir.OpExp, n.Op)
	}
}

// The program is its text: who changes the text changes the result.
func TestChangedTextChangesTheResult(t *testing.T) {
	tr := evalTrace(t)
	x, y := From(tr, []float32{5, 7}), From(tr, []float32{1, 2})
	sum := x.Add(y)
	require.NoError(t, tr.MarkStep(sum))
	got, err := ToSlice[float32](sum)
	require.NoError(t, err)
	require.Equal(t, []float32{6, 9}, got)

	backend, err := backends.Open("eval")
	require.NoError(t, err)
	run := func(text string) []float32 {
		exe, err := backend.Compile(context.Background(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		call := &backends.Call{Args: []soa.View{x.val.view, y.val.view}, Results: make([]soa.View, 1)}
		require.NoError(t, exe.Execute(context.Background(), call))
		return soa.Slice[float32](call.Results[0])
	}
	text := tr.StableHLO()
	require.Equal(t, 1, strings.Count(text, "stablehlo.add"))
	require.Equal(t, []float32{6, 9}, run(text))
	require.Equal(t, []float32{4, 5}, run(strings.Replace(text, "stablehlo.add", "stablehlo.subtract", 1)))
	require.Equal(t, []float32{5, 14}, run(strings.Replace(text, "stablehlo.add", "stablehlo.multiply", 1)))
}
