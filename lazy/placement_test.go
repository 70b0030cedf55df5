package lazy_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
)

// several is an op of several operands: what these are, and how it is called.
type several struct {
	name string
	dims [][]int
	of   []types.DType // of the operands, f32 without it
	call func(x []*lazy.Tensor) *lazy.Tensor
}

// elementwise are the methods of the op table that have several operands.
func elementwise() (all []several) {
	for _, row := range ops.All() {
		method, ok := reflect.TypeFor[*lazy.Tensor]().MethodByName(row.Name)
		if !ok || len(row.Operands) < 2 || !row.Traits.Has(ops.Elementwise) {
			continue
		}
		s := several{name: row.Name}
		for _, o := range row.Operands {
			d := lazy.F32
			switch o.Is {
			case ops.Bool:
				d = lazy.Bool
			case ops.Logical, ops.Integer:
				d = lazy.I32
			}
			s.dims, s.of = append(s.dims, []int{2, 2}), append(s.of, d)
		}
		s.call = func(x []*lazy.Tensor) *lazy.Tensor {
			var args []reflect.Value
			for _, x := range x {
				args = append(args, reflect.ValueOf(x))
			}
			for k := len(args); k < method.Type.NumIn(); k++ {
				args = append(args, reflect.Zero(method.Type.In(k)))
			}
			return method.Func.Call(args)[0].Interface().(*lazy.Tensor)
		}
		all = append(all, s)
	}
	return all
}

var severalOps = append(elementwise(), []several{
	{name: "Equal", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Equal(x[1]) }},
	{name: "NotEqual", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].NotEqual(x[1]) }},
	{name: "Less", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Less(x[1]) }},
	{name: "LessEqual", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].LessEqual(x[1]) }},
	{name: "Greater", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Greater(x[1]) }},
	{name: "GreaterEqual", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].GreaterEqual(x[1]) }},
	{name: "MaskedScatter", dims: [][]int{{2, 2}, {2, 2}, {4}}, of: []types.DType{lazy.F32, lazy.Bool, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MaskedScatter(x[1], x[2]) }},
	{name: "MaskedSelect", dims: [][]int{{2}, {2}}, of: []types.DType{lazy.F32, lazy.Bool}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MaskedSelect(x[1]) }},
	{name: "SelectRows", dims: [][]int{{2}, {2}}, of: []types.DType{lazy.F32, lazy.Bool}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].SelectRows(x[1]) }},
	{name: "WhereScalar", dims: [][]int{{2}, {2}}, of: []types.DType{lazy.Bool, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].WhereScalar(x[1], 7) }},
	{name: "ScalarWhere", dims: [][]int{{2}, {2}}, of: []types.DType{lazy.Bool, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScalarWhere(7, x[1]) }},
	{name: "MaskedFill", dims: [][]int{{2}, {2}}, of: []types.DType{lazy.F32, lazy.Bool}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MaskedFill(x[1], 7) }},
	{name: "CallAll of a composite", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return sumAndDifference.CallAll(nil, x...)[1] }},
	{name: "Less of one that broadcasts", dims: [][]int{{2}, {3, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Less(x[1]) }},
	{name: "MatMul", dims: [][]int{{2, 3}, {3, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MatMul(x[1]) }},
	{name: "MatMul of a vector", dims: [][]int{{3}, {3, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MatMul(x[1]) }},
	{name: "MatMul with a vector", dims: [][]int{{2, 3}, {3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MatMul(x[1]) }},
	{name: "MatMul of batches", dims: [][]int{{2, 3}, {4, 3, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].MatMul(x[1]) }},
	{name: "Outer", dims: [][]int{{2}, {3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Outer(x[1]) }},
	{name: "Gather", dims: [][]int{{3}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Gather(x[1]) }},
	{name: "ScatterAdd", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScatterAdd(x[1], x[2]) }},
	{name: "IndexAdd", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].IndexAdd(x[1], x[2], 0) }},
	{name: "IndexCopy", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].IndexCopy(x[1], x[2], 0) }},
	{name: "ScatterAlong", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScatterAlong(x[1], x[2], 0) }},
	{name: "ScatterAddAlong", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScatterAddAlong(x[1], x[2], 0) }},
	{name: "ScatterMulAlong", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScatterMulAlong(x[1], x[2], 0) }},
	{name: "ScatterMinAlong", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScatterMinAlong(x[1], x[2], 0) }},
	{name: "ScatterMaxAlong", dims: [][]int{{3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].ScatterMaxAlong(x[1], x[2], 0) }},
	{name: "IndexSelect", dims: [][]int{{3}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].IndexSelect(x[1], 0) }},
	{name: "GatherAlong", dims: [][]int{{3}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].GatherAlong(x[1], 0) }},
	{name: "SliceScatter", dims: [][]int{{3}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].SliceScatter(x[1], []int{1}, []int{1}) }},
	{name: "AsStridedScatter", dims: [][]int{{3}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].AsStridedScatter(x[1], []int{2}, 0) }},
	{name: "DynamicSlice", dims: [][]int{{3}, {}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].DynamicSlice([]int{2}, x[1]) }},
	{name: "DynamicUpdateSlice", dims: [][]int{{3}, {2}, {}}, of: []types.DType{lazy.F32, lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].DynamicUpdateSlice(x[1], x[2]) }},
	{name: "Pad", dims: [][]int{{3}, {}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Pad(x[1], []int{1}, []int{1}, []int{0}) }},
	{name: "Concatenate", dims: [][]int{{2}, {3}, {1}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return lazy.Concatenate(0, x...) }},
	{name: "Conv", dims: [][]int{{1, 1, 3, 3}, {1, 1, 2, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Conv(x[1], lazy.ConvOptions{}) }},
	{name: "CrossEntropy", dims: [][]int{{2, 3}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].CrossEntropy(x[1]) }},
	{name: "LayerNorm", dims: [][]int{{2, 3}, {3}, {3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].LayerNorm(x[1], x[2], 1e-5) }},
	{name: "Attention", dims: [][]int{{2, 3}, {2, 3}, {2, 3}, {2, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor {
		return x[0].Attention(x[1], x[2], lazy.AttentionOptions{Mask: x[3]})
	}},
	{name: "DropoutOf", dims: [][]int{{8}, {}}, call: func(x []*lazy.Tensor) *lazy.Tensor {
		return lazy.NewRandom(x[0].Device(), 1).DropoutOf(x[0], x[1])
	}},
	{name: "Index", dims: [][]int{{3, 2}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Index(x[1]) }},
	{name: "IndexPut", dims: [][]int{{3, 2}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].IndexPut(x[1], true, x[2]) }},
	{name: "Take", dims: [][]int{{2, 3}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Take(x[1]) }},
	{name: "TakeAlong", dims: [][]int{{2, 3}, {1, 2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].TakeAlong(x[1], 1) }},
	{name: "Put", dims: [][]int{{2, 3}, {2}, {2}}, of: []types.DType{lazy.F32, lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Put(x[1], x[2], true) }},
	{name: "IndexFill", dims: [][]int{{3, 2}, {2}}, of: []types.DType{lazy.F32, lazy.I32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].IndexFill(x[1], 0, 7) }},
	{name: "SelectScatter", dims: [][]int{{2, 3}, {3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].SelectScatter(x[1], 0, 1) }},
	{name: "DiagonalScatter", dims: [][]int{{2, 3}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].DiagonalScatter(x[1], 0, 0, 1) }},
	{name: "LinearScan", dims: [][]int{{2, 3}, {2, 3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].LinearScan(x[1], 1, false) }},
	{name: "TriangularSolve", dims: [][]int{{2, 2}, {2, 3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].TriangularSolve(x[1], false, false, false, true) }},
	{name: "Bincount", dims: [][]int{{4}, {4}}, of: []types.DType{lazy.I32, lazy.F32}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Bincount(x[1], 4) }},
	{name: "SearchSorted", dims: [][]int{{3}, {2, 2}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].SearchSorted(x[1], true) }},
	{name: "Bucketize", dims: [][]int{{2, 2}, {3}}, call: func(x []*lazy.Tensor) *lazy.Tensor { return x[0].Bucketize(x[1], true) }},
	{name: "Add_ to a variable's copy", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor {
		w := x[0].Device().Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
		w.Add_(x[0].Mul(x[1]))
		return x[0].Mul(x[1]).Add(w)
	}},
	{name: "Copy_ to a variable", dims: [][]int{{2}, {2}}, call: func(x []*lazy.Tensor) *lazy.Tensor {
		w := x[0].Device().Variable("w", lazy.F64, 2)
		w.Copy_(x[0].Sub(x[1]))
		return x[0].Sub(x[1]).Convert(lazy.F64).Mul(w)
	}},
}...)

// argument makes operand i of an op in a trace as one of the kinds of values, or as
// something that is recorded.
func (s *several) argument(t *testing.T, tr *lazy.Trace, i int, kind string) *lazy.Tensor {
	d, dims := lazy.F32, s.dims[i]
	if s.of != nil {
		d = s.of[i]
	}
	n := types.Shape(dims).Elements()
	data := make([]float32, n)
	for k := range data {
		data[k] = float32((k+i)%3) * 0.5
		if d.IsFloat() {
			data[k] += 0.25
		}
	}
	recorded := func() *lazy.Tensor {
		x := lazy.From(tr, data, n)
		if !d.IsFloat() {
			x = x.MulScalar(2)
		}
		if d == lazy.Bool {
			return x.Greater(lazy.Zeros(tr, lazy.F32, n)).Reshape(dims...)
		}
		return x.Convert(d).MulScalar(1).Reshape(dims...)
	}
	root := func(x *lazy.Tensor) *lazy.Tensor {
		require.NoError(t, tr.MarkStep(x))
		return x
	}
	switch kind {
	case "root":
		return root(recorded())
	case "view of a root":
		x := root(lazy.Concatenate(0, recorded().Reshape(n), recorded().Reshape(n)))
		return x.Narrow(0, n, n).Reshape(dims...)
	case "kept":
		x := recorded().Keep()
		require.NoError(t, tr.MarkStep())
		return x
	case "host data":
		x := recorded()
		require.NoError(t, tr.MarkStep(x))
		switch d {
		case lazy.Bool:
			v, err := lazy.ToSlice[bool](x)
			require.NoError(t, err)
			return lazy.From(tr, v, n).Reshape(dims...)
		case lazy.I32:
			v, err := lazy.ToSlice[int32](x)
			require.NoError(t, err)
			return lazy.From(tr, v, n).Reshape(dims...)
		}
		return lazy.From(tr, data, n).Reshape(dims...)
	case "of the device":
		x, err := root(recorded()).Value()
		require.NoError(t, err)
		return lazy.FromView(tr.Device(), x)
	}
	return recorded()
}

// Values may be any of an op's operands, the receiver too, while another operand is
// recorded in another trace: the op is recorded there.
func TestValuesDoNotChooseTheTrace(t *testing.T) {
	trials.Sequential(t)
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	kinds := []string{"root", "view of a root", "kept", "host data", "of the device"}
	for n, s := range severalOps {
		t.Run(s.name, func(t *testing.T) {
			all := func(from *lazy.Trace, kind func(i int) string, of *lazy.Trace) (x []*lazy.Tensor) {
				for i := range s.dims {
					tr := from
					if kind(i) == "recorded" {
						tr = of
					}
					x = append(x, s.argument(t, tr, i, kind(i)))
				}
				return x
			}
			mine := lazy.NewTrace(dev)
			want := s.call(all(mine, func(int) string { return "recorded" }, mine))
			require.NoError(t, mine.MarkStep(want))
			for values := 1; values < 1<<len(s.dims)-1; values++ {
				for k, kind := range kinds {
					if (k+n)%2 > 0 && len(s.dims) > 3 {
						continue
					}
					if trials.Few() && (k+n+values)%len(kinds) > 0 {
						continue
					}
					theirs, mine := lazy.NewTrace(dev), lazy.NewTrace(dev)
					x := all(theirs, func(i int) string {
						if values>>i&1 > 0 {
							return kind
						}
						return "recorded"
					}, mine)
					y := s.call(x)
					what := fmt.Sprintf("operands %b are values: %s", values, kind)
					require.NoError(t, y.Err(), what)
					require.Same(t, mine, y.Trace(), what)
					require.NoError(t, mine.MarkStep(y), what)
					require.NoError(t, theirs.MarkStep(), what)
					requireSame(t, want, y, what)
				}
			}
		})
	}
}

var sumAndDifference = lazy.DefineAll(lazy.Composite{Name: "test.sum_and_difference", Operands: []ops.Operand{{Name: "x", Is: ops.Float}, {Name: "y", Is: ops.Float}}, Results: []string{"sum", "difference"}},
	func(x []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
		return []*lazy.Tensor{x[0].Add(x[1]), x[0].Sub(x[1])}
	}, nil)

// A method with further operands that returns tensors is among severalOps. Those that write have traces of
// their own: TestValuesAreWrittenInTheirTraceAndVariablesInAny.
func TestSeveralOpsAreComplete(t *testing.T) {
	tensor := reflect.TypeFor[*lazy.Tensor]()
	for i := range tensor.NumMethod() {
		m := tensor.Method(i)
		operands := 0
		for k := range m.Type.NumIn() {
			if in := m.Type.In(k); in == tensor || in == reflect.SliceOf(tensor) {
				operands++
			}
		}
		if out := m.Type.Out; m.Type.NumOut() == 0 || out(0) != tensor && out(0) != reflect.SliceOf(tensor) {
			continue
		}
		if operands > 1 && m.Name != "Assign" && !strings.HasSuffix(m.Name, "_") {
			require.True(t, slices.ContainsFunc(severalOps, func(s several) bool { return strings.Split(s.name, " ")[0] == m.Name }), m.Name)
		}
	}
}

func requireSame(t *testing.T, want, got *lazy.Tensor, what string) {
	t.Helper()
	require.True(t, want.Type().Equal(got.Type()), what)
	a, err := lazy.ToSlice[float64](want.To(want.Device(), lazy.As(lazy.F64)))
	require.NoError(t, err, what)
	b, err := lazy.ToSlice[float64](got.To(got.Device(), lazy.As(lazy.F64)))
	require.NoError(t, err, what)
	require.Empty(t, cmp.Diff(a, b, cmpopts.EquateNaNs()), what)
}

// What is written decides where: only its own trace writes a value, any a variable,
// through a view of it made in another trace, too.
func TestValuesAreWrittenInTheirTraceAndVariablesInAny(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	theirs, mine := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
	x := lazy.Full(mine, lazy.F32, 3, 2)
	theirs.View(w).Add_(x)
	theirs.View(w).Narrow(0, 1, 1).Copy_(x.MulScalar(2).Narrow(0, 0, 1))
	require.NoError(t, mine.MarkStep())
	require.NoError(t, theirs.MarkStep())
	got, err := lazy.ToSlice[float32](w)
	require.NoError(t, err)
	require.Equal(t, []float32{4, 6}, got)

	value := lazy.From(theirs, []float32{1, 2})
	err = value.Add_(lazy.Full(mine, lazy.F32, 3, 2)).Err()
	require.ErrorIs(t, err, lazy.ErrPlacement)
	require.ErrorContains(t, err, "in another trace")
	require.NoError(t, mine.MarkStep())
	theirs.Discard()
	got, err = lazy.ToSlice[float32](value)
	require.NoError(t, err)
	require.Equal(t, []float32{1, 2}, got)
}

// What was read in the midst of its step keeps its gradients there, whatever else is an
// operand: values of another trace do not take it with them.
func TestReadTensorsKeepTheirTrace(t *testing.T) {
	dev, err := lazy.Open("eval", lazy.ImplicitSyncs(lazy.AllowSyncs))
	require.NoError(t, err)
	theirs, mine := lazy.NewTrace(dev), lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32).Init(lazy.Constant(3))
	value := lazy.Full(theirs, lazy.F32, 5)
	require.NoError(t, theirs.MarkStep(value))
	y := mine.Read(w).Mul(w)
	require.EqualValues(t, 9, y.Float())
	z := value.Mul(y)
	g := lazy.Grad(z, w)[0]
	require.NoError(t, mine.MarkStep(g))
	require.EqualValues(t, 30, g.Float())
}

// A function may use values of any trace as receivers of ops on its arguments.
func TestFunctionsUseValuesAsReceivers(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(dev)
	table := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2).MulScalar(2)
	require.NoError(t, tr.MarkStep(table))
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return table.Transpose().MatMul(x) })
	y, err := f.Call(t.Context(), lazy.From(dev, []float32{1, 1}))
	require.NoError(t, err)
	got, err := lazy.ToSlice[float32](y)
	require.NoError(t, err)
	require.Equal(t, []float32{8, 12}, got)
}
