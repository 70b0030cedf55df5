package shapeinfer_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/samples"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

// choices turns bytes into decisions; after the last one everything is 0.
type choices struct{ data []byte }

func (c *choices) of(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % n
}

// dtype is any, rarely another number.
func (c *choices) dtype() types.DType {
	if c.of(30) == 29 {
		return types.DType(c.of(256))
	}
	return c.valid()
}

func (c *choices) valid() types.DType {
	all := types.AllDTypes()
	return all[c.of(len(all))]
}

func (c *choices) shape() []int {
	dims := make([]int, c.of(4))
	for i := range dims {
		dims[i] = []int{2, 3, 1, 2, 3, 0}[c.of(6)]
	}
	return dims
}

// number is small, rarely as large as can be.
func (c *choices) number() int {
	if c.of(40) == 39 {
		return []int{math.MaxInt, math.MinInt, 1 << 40, -1 << 40, math.MaxInt32}[c.of(5)]
	}
	return []int{0, 1, 2, 1, 3, -1, 0, 2, -2, 4}[c.of(10)]
}

func (c *choices) attr(k ops.AttrKind, rank int) ir.Attr {
	switch k {
	case ops.Int, ops.Axis:
		return ir.Attr{Int: int64(c.number())}
	case ops.Flag:
		return ir.Attr{Int: int64(c.of(2))}
	case ops.DType:
		return ir.Attr{Int: int64(c.dtype())}
	case ops.Literal:
		return ir.Attr{Int: int64(c.of(2))}
	case ops.String:
		return ir.Attr{Str: []string{"EQ", "NE", "LT", "LE", "GT", "GE", "", "eq"}[c.of(8)]}
	}
	list := make([]int, rank)
	if c.of(4) == 3 {
		list = make([]int, c.of(4))
	}
	for i := range list {
		list[i] = c.number()
		if k == ops.Perm {
			list[i] = i
		}
	}
	return ir.Attr{Ints: list}
}

// try records the op that data says, on operands that it says, and runs it if
// that is allowed. It returns the op and whether it ran.
func try(t testing.TB, backend backends.Backend, data []byte) (ir.Op, bool) {
	c := &choices{data}
	op := ir.Op(c.of(ir.NumOps))
	if op == ir.OpParameter {
		return op, false // its type is given, not inferred
	}
	row := op.Info()
	b := ir.NewBuilder(shapeinfer.Infer)
	var in []*ir.Node
	operands := len(row.Operands)
	if c.of(20) == 19 {
		operands = c.of(4)
	}
	d, shape := c.valid(), c.shape()
	for i := range operands {
		t := types.Type{DType: d, Shape: shape}
		if c.of(6) == 5 {
			t.DType = c.valid()
		}
		if i < len(row.Operands) && row.Operands[i].Is == ops.Integer && c.of(8) > 0 {
			t.DType = types.I32
		}
		if i < len(row.Operands) && row.Operands[i].Is == ops.Bool && c.of(8) > 0 {
			t.DType = types.Bool
		}
		if c.of(3) == 2 {
			t.Shape = c.shape()
		}
		in = append(in, b.Parameter(t, "", nil))
	}
	if (op == ir.OpDynamicSlice || op == ir.OpDynamicUpdateSlice) && len(in) == operands && operands > 1 && c.of(8) > 0 {
		x := in[0].Type
		if in = in[:1]; op == ir.OpDynamicUpdateSlice {
			in = append(in, b.Parameter(x, "", nil))
		}
		for range x.Rank() {
			in = append(in, b.Parameter(types.Of(types.I32), "", nil))
		}
	}
	if op == ir.OpFFT && len(in) == 1 && c.of(4) > 0 {
		shape = append(c.shape(), 1+c.of(3))
		in[0] = b.Parameter(types.Type{DType: []types.DType{types.F32, types.C64, types.C128}[c.of(3)], Shape: shape}, "", nil)
	}
	params := in
	var attrs []ir.Attr
	for _, a := range row.Attrs {
		n := len(shape)
		if op == ir.OpConv && a.Kind == ops.Ints {
			n = max(0, n-2) // spatial axes
		}
		v := c.attr(a.Kind, n)
		if op == ir.OpConv && a.Kind == ops.Int && c.of(4) > 0 {
			v.Int = 1 // group
		}
		attrs = append(attrs, v)
	}
	if op == ir.OpMaxPoolGrad && c.of(4) > 0 { // as many windows as elements
		w := 1 + c.of(3)
		for i, v := range []int{w, 1, w - 1, 0} {
			attrs[i].Ints = slices.Repeat([]int{v}, len(shape))
		}
	}
	if op == ir.OpFFT && len(shape) > 0 && c.of(8) > 0 {
		kind := c.of(4)
		lengths := slices.Clone(shape[max(0, len(shape)-1-c.of(3)):])
		if last := len(lengths) - 1; kind == 3 {
			lengths[last] = 2*lengths[last] - 1 - c.of(2)
		}
		attrs = []ir.Attr{{Str: []string{"FFT", "IFFT", "RFFT", "IRFFT"}[kind]}, {Ints: lengths}}
	}
	if op == ir.OpHostCall && c.of(4) > 0 {
		attrs = []ir.Attr{{Str: "test.nothing"}, {Str: ir.HostResultsText([]types.Type{types.Of(types.F32, c.shape()...), types.Of(types.I8, 2)}[:1+c.of(2)])}, {Int: int64(c.of(2))}}
	}
	if (op == ir.OpGather || op == ir.OpScatter) && len(in) == len(row.Operands) && in[0].Type.Rank() > 0 && c.of(4) > 0 {
		x := in[0].Type
		axis := c.of(x.Rank())
		chosen := types.Shape(slices.Concat(x.Shape[:axis], c.shape()))
		in[1] = b.Parameter(types.Type{DType: types.I32, Shape: chosen}, "", nil)
		if attrs[ir.GatherAxis].Int = int64(axis); op == ir.OpScatter {
			in[2] = b.Parameter(types.Type{DType: x.DType, Shape: slices.Concat(chosen, x.Shape[axis+1:])}, "", nil)
			attrs[ir.ScatterCombine].Str = ir.Combinations[c.of(len(ir.Combinations))]
		}
	}
	var body *ir.Composite
	if op == ir.OpComposite && c.of(4) > 0 {
		body = double(types.Type{DType: d, Shape: shape})
	}
	if op == ir.OpCase && c.of(4) > 0 {
		body = double(types.Type{DType: d, Shape: shape})
		body = &ir.Composite{Graph: body.Graph, More: []*ir.Graph{body.Graph}}
		if len(in) > 0 && c.of(4) > 0 {
			in[0] = b.Parameter(types.Of(types.Bool), "", nil)
		}
	}
	if op == ir.OpWhile && c.of(4) > 0 {
		body = &ir.Composite{Graph: region(in, func(b *ir.Builder, p []*ir.Node) []*ir.Node {
			never, err := b.Node(ir.OpConstant, nil, []ir.Attr{{Int: int64(types.Bool)}, {}}, nil)
			require.NoError(t, err)
			return []*ir.Node{never}
		}), More: []*ir.Graph{region(in, func(_ *ir.Builder, p []*ir.Node) []*ir.Node { return p })}}
	}
	if op == ir.OpScan && len(in) > 0 && c.of(4) > 0 {
		attrs[ir.ScanIterations].Int, attrs[ir.ScanCarries].Int, attrs[ir.ScanXs].Int = int64(c.of(3)), int64(len(in)), 0
		iteration := b.Parameter(types.Of(types.I32), "", nil)
		body = &ir.Composite{Graph: region(slices.Concat([]*ir.Node{iteration}, in), func(_ *ir.Builder, p []*ir.Node) []*ir.Node { return append(p[1:], p[0]) })}
	}
	if op == ir.OpResult && c.of(4) > 0 && len(in) > 0 && in[0].Type.DType.IsNumber() && in[0].Type.Rank() > 0 {
		sorted, err := b.Node(ir.OpSort, in[:1], []ir.Attr{{}, {}}, nil)
		require.NoError(t, err)
		in = []*ir.Node{sorted}
	}
	n, err := shapeinfer.Record(b, op, in, attrs, body)
	if err != nil {
		requireLabel(t, row, err)
		return op, false
	}
	results := []*ir.Node{n}
	for i, t2 := range n.Results() {
		r, err := b.Node(ir.OpResult, []*ir.Node{n}, []ir.Attr{{Int: int64(i)}}, nil)
		require.NoError(t, err)
		require.True(t, t2.Equal(r.Type))
		results = append(results[:i], r)
	}
	for _, r := range results {
		require.NoError(t, r.Type.Check(), "%v", r.Type)
	}
	// What a node has is in its form already, which ir.Builder.Again relies on.
	again, err := shapeinfer.Record(b, n.Op, n.In, slices.Clone(n.Attrs), n.Body)
	require.NoError(t, err)
	require.Same(t, n, again)
	if results[0].Type.Elements() > 1000 {
		return op, false
	}
	g := &ir.Graph{Name: "random"}
	b.Capture(g, params, results, nil)
	require.NoError(t, g.Verify(shapeinfer.Infer))
	runs(t, backend, g)
	return op, true
}

// region is a region on parameters of the types of in.
func region(in []*ir.Node, f func(b *ir.Builder, p []*ir.Node) []*ir.Node) *ir.Graph {
	b, g := ir.NewBuilder(shapeinfer.Infer), &ir.Graph{Name: "region"}
	var params []*ir.Node
	for _, x := range in {
		params = append(params, b.Parameter(x.Type, "", nil))
	}
	b.Capture(g, params, f(b, slices.Clone(params)), nil)
	return g
}

func init() {
	if err := backends.RegisterHost("test.nothing", func(context.Context, *backends.HostCall) error { return nil }); err != nil {
		panic(err)
	}
}

// double is a body of one operand; negation, where there is one.
func double(t types.Type) *ir.Composite {
	b := ir.NewBuilder(shapeinfer.Infer)
	p := b.Parameter(t, "", nil)
	y := p
	if n, err := b.Node(ir.OpNeg, []*ir.Node{p}, nil, nil); err == nil {
		y = n
	}
	g := &ir.Graph{Name: "test.neg"}
	b.Capture(g, []*ir.Node{p}, []*ir.Node{y}, nil)
	return &ir.Composite{Name: "test.neg", Graph: g}
}

// requireLabel requires that the error is of a rule that docs/reference/ops lists, or
// of the call's form.
func requireLabel(t testing.TB, row *ops.Op, err error) {
	t.Helper()
	e, ok := errors.AsType[*shapeinfer.Error](err)
	require.True(t, ok, "%T: %v", err, err)
	labels := []string{"shapes", "operands", "attributes"}
	for i := range row.Constraints() {
		labels = append(labels, fmt.Sprintf("c%d", i+1))
	}
	label, ok := strings.CutPrefix(e.Label, row.Mnemonic()+"_")
	broadcast := strings.HasPrefix(e.Label, "broadcast_c") // of the broadcast that an op asked for
	require.True(t, ok && slices.Contains(labels, label) || broadcast, "%s has no rule %s", row.Mnemonic(), e.Label)
	require.NotEmpty(t, e.Reason)
}

// runs requires that the program gives what was inferred.
func runs(t testing.TB, backend backends.Backend, g *ir.Graph) {
	t.Helper()
	text := lower.Text(g, false)
	exe, err := backend.Compile(context.Background(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err, "%s", text)
	call := &backends.Call{Results: make([]soa.View, len(g.Results))}
	for i, p := range g.Params {
		v, err := samples.Make(p.Type.Parts(), fmt.Sprintf("rand:%d", i))
		require.NoError(t, err)
		call.Args = append(call.Args, v)
	}
	require.NoError(t, exe.Execute(context.Background(), call), "%s", text)
	for i, r := range g.Results {
		require.True(t, exe.Signature().Results[i].Type.Equal(r.Type.Parts()))
		require.True(t, call.Results[i].Type.Equal(r.Type.Parts()), "got %v, inferred %v: %s", call.Results[i].Type, r.Type, text)
	}
}

// Inference never panics, and what it says is what comes out.
func TestRandomOps(t *testing.T) {
	backend, err := backends.Open("eval")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(3, 5))
	ran := map[ir.Op]int{}
	for range 60_000 {
		data := make([]byte, 48)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		if op, ok := try(t, backend, data); ok {
			ran[op]++
		}
	}
	for op := range ir.Op(ir.NumOps) {
		if op != ir.OpParameter {
			require.Greater(t, ran[op], 2, "too few random calls of %v were allowed", op)
		}
	}
}

func FuzzInfer(f *testing.F) {
	backend, err := backends.Open("eval")
	require.NoError(f, err)
	for op := range ir.NumOps {
		f.Add([]byte{byte(op), 1, 8, 2, 0, 1, 0, 0, 0, 0, 1})
	}
	f.Fuzz(func(t *testing.T, data []byte) { try(t, backend, data) })
}
