package lazy_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir"
	"ltc/lazy"
)

// A node has an op, operands with types, a type and a line, which hooks see; an
// op that lacks an operand is not recorded.
func TestNodesHaveOpTypeAndLine(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	var nodes []lazy.NodeInfo
	defer tr.OnNode(func(n lazy.NodeInfo) { nodes = append(nodes, n) })()
	x := lazy.From(tr, []float32{1, 2}, 1, 2)
	end := tr.Scope("head")
	y := x.Less(lazy.From(tr, []float32{3}).Reshape(1, 1)).Where(x, x)
	end()
	require.NoError(t, y.Err())
	where := nodes[len(nodes)-1]
	require.Equal(t, "where", where.Op)
	require.Equal(t, "[bool[1,2] f32[1,2] f32[1,2]]", fmt.Sprint(where.Operands))
	require.Equal(t, "f32[1,2]", where.Type.String())
	require.Regexp(t, `rows_nodes_test\.go:\d+$`, where.Site)
	require.Equal(t, "head.0", where.Scope)

	made := len(nodes)
	require.ErrorIs(t, x.Add(nil).Err(), lazy.ErrUsage)
	require.ErrorIs(t, lazy.Concatenate(0).Err(), lazy.ErrUsage)
	require.Len(t, nodes, made)
	_, err := ir.Parse("x.ir", "graph \"g\" {\n  %0 = constant {dtype = f32, value = 1.0} : f32[]\n  %1 = add %0, %7 : f32[]\n  return %1\n}\n")
	require.ErrorContains(t, err, "x.ir:3:17: error: %7 is not defined before its use")
}

// The same trace hashes equally, and one attribute makes another hash; names do
// not.
func TestHashesKnowAttributesAndNoNames(t *testing.T) {
	dev := open(t, "eval")
	hash := func(name string, axis int, c float64) uint64 {
		tr := lazy.NewTrace(dev)
		x := lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2).Named(name)
		h, err := tr.GraphHash(x.MulScalar(c).Sum(axis))
		require.NoError(t, err)
		return h
	}
	require.Equal(t, hash("a", 0, 2), hash("a", 0, 2))
	require.Equal(t, hash("a", 0, 2), hash("b", 0, 2))
	require.NotEqual(t, hash("a", 0, 2), hash("a", 1, 2))
	require.NotEqual(t, hash("a", 0, 2), hash("a", 0, 3))
	require.NotEqual(t, hash("a", 0, 0), hash("a", 0, math.Copysign(0, -1)))
}

// A root is a result of the program by its position; two handles of one node
// share it, and outlive what else was recorded.
func TestRootsAreResultsByPosition(t *testing.T) {
	dev, c := openCalls(t)
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1, 4})
	a, b, same := x.Neg(), x.Sqrt(), x.Neg()
	dot, err := tr.Dump(lazy.FormatDot, a, b, same)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(dot, "neg"))
	require.Regexp(t, `label="neg\\n.*\\nROOT=0`, dot)
	require.Regexp(t, `label="sqrt\\n.*\\nROOT=1"`, dot)
	require.NoError(t, tr.MarkStep(a, b, same))
	require.Equal(t, []float32{-1, -4}, floats(t, a))
	require.Equal(t, []float32{1, 2}, floats(t, b))
	of, also := value(t, a), value(t, same)
	require.Equal(t, of.Base(), also.Base())
	require.Len(t, c.args, 1)
	a = nil
	runtime.GC()
	require.Equal(t, []float32{-1, -4}, floats(t, same))
}

// Nodes of every class of the lazy tensor core's that is not of one op show
// what they are in dumps.
func TestDumpsShowEachClassOfNodes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2}).Named("x")
	indices := lazy.From(tr, []int32{1})
	for class, c := range map[string]struct {
		y    *lazy.Tensor
		want string
	}{
		"DeviceData":  {x.Neg(), `parameter {index = 0, name = "x"} : f32[2]`},
		"Scalar":      {x.MulScalar(2), `constant {dtype = f32, value = 2.0} : f32[]`},
		"Expand":      {x.BroadcastTo(3, 2).Clone(), `broadcast %0 {shape = [3, 2], axes = [1]} : f32[3,2]`},
		"Cast":        {x.Convert(lazy.F64), `convert %0 {dtype = f64} : f64[2]`},
		"TensorList":  {lazy.Concatenate(0, x, x, x), `concatenate %0, %0, %0 {axis = 0} : f32[6]`},
		"Generic":     {x.Softmax(0), `ltc.softmax`},
		"IndexTensor": {x.Gather(indices), `gather %0, %1 {axis = 0} : f32[1]`},
		"IndexPut":    {x.ScatterAdd(indices, indices.Convert(lazy.F32)), `scatter %0, %1, `},
		"SplitCopy":   {x.Narrow(0, 1, 1).Clone(), `slice %0 {starts = [1], limits = [2], strides = [1]} : f32[1]`},
	} {
		text, err := tr.Dump(lazy.FormatIR, c.y)
		require.NoError(t, err)
		require.Contains(t, text, c.want, "%s:\n%s", class, text)
	}
}

// What the lazy tensor core's IrBuilder makes, made by the functions of here.
func TestFunctionsMakeWhatTheIRBuilderDoes(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	data := lazy.From(tr, []float32{1.5, -2})
	for name, c := range map[string]struct {
		y    *lazy.Tensor
		typ  string
		want []float64
	}{
		"MakeDeviceData": {tr.Read(data), "f32[2]", []float64{1.5, -2}},
		"MakeScalar":     {lazy.Full(tr, lazy.I32, 7), "i32[]", []float64{7}},
		"MakeExpand":     {data.BroadcastTo(2, 2), "f32[2,2]", []float64{1.5, -2, 1.5, -2}},
		"MakeCast":       {data.Convert(lazy.I32), "i32[2]", []float64{1, -2}},
		"MakeTensorList": {lazy.Concatenate(0, data, data.Neg()), "f32[4]", []float64{1.5, -2, -1.5, 2}},
		"MakeGeneric":    {data.ReLU(), "f32[2]", []float64{1.5, 0}},
	} {
		require.Equal(t, c.typ, c.y.Type().String(), name)
		got, err := lazy.ToSlice[float64](c.y.Convert(lazy.F64))
		require.NoError(t, err)
		require.Equal(t, c.want, got, name)
	}
}

// Host data are arguments: other data of the same type are the same program.
func TestOtherDataAreTheSameProgram(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	for i := range 5 {
		x := lazy.From(tr, []float32{float32(i)})
		y := x.MulScalar(2)
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, float64(2*i), y.Float())
	}
	require.Len(t, tr.Report().Compiles, 1)
	require.Equal(t, "arg0", tr.Parameters()[0].Name)
	y := lazy.From(tr, []float64{1}).MulScalar(2) // another type
	require.NoError(t, tr.MarkStep(y))
	require.Len(t, tr.Report().Compiles, 2)
}

// A rate that changes is an argument, and 100 rates are one compile; as constants
// they are 100.
func TestChangedScalarsCompileNothing(t *testing.T) {
	dev := open(t, "null")
	for _, c := range []struct {
		constant bool
		compiles int
	}{{false, 1}, {true, 1}} { // the second value's program is there: that of the argument
		tr := lazy.NewTrace(dev)
		x, rate := lazy.From(tr, []float32{1}), tr.Scalar("rate", 0)
		for i := range 100 {
			y := x.Mul(rate)
			if c.constant {
				y = x.MulScalar(float64(i) + 0.5)
			}
			require.NoError(t, rate.Set(float64(i)))
			require.NoError(t, tr.MarkStep(y))
		}
		require.Len(t, tr.Report().Compiles, c.compiles)
	}
}

// A conversion on the device is an op of the program; from and to the host, and
// between devices, elements are copied.
func TestConversionsStayInTheProgram(t *testing.T) {
	dev := open(t, "eval")
	tr := lazy.NewTrace(dev)
	host := []float32{1.5, 2.5}
	x := lazy.From(tr, host)
	host[0] = 9
	y := x.Convert(lazy.F64).Convert(lazy.I32)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, 2, strings.Count(tr.StableHLO(), "stablehlo.convert"))
	require.Zero(t, tr.Report().Syncs())
	got, err := lazy.ToSlice[int32](y)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, got, "From has copied")
	got[0] = 7
	again, err := lazy.ToSlice[int32](y.To(open(t, "eval")))
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, again, "ToSlice has copied")
}
