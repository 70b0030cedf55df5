package lazy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/test/golden"
	"ltc/internal/test/optest"
	"ltc/internal/trials"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

const opsDir = "../testdata/ops"

// TestOps checks all that the archives of testdata/ops say. -update writes anew what
// can be derived in them, and fills results in that are written ?.
func TestOps(t *testing.T) {
	trials.Sequential(t)
	archives, err := optest.ReadAll(opsDir)
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, a := range archives {
		t.Run(a.Op, func(t *testing.T) {
			before := string(a.Bytes())
			for i, r := range a.Runs {
				t.Run(r.Name, func(t *testing.T) { checkRun(t, a, i) })
			}
			for _, bad := range a.Bad {
				checkBad(t, a.Path, bad)
			}
			if doc := docOf(a.Op); doc != "" && a.Doc != doc {
				if golden.Update() {
					a.Doc = doc
				} else {
					t.Errorf("the documentation is not that of the op table; run with -update:\n%s", cmp.Diff(a.Doc, doc))
				}
			}
			if string(a.Bytes()) != before && !t.Failed() {
				require.True(t, golden.Update())
				require.NoError(t, a.Write())
			}
		})
	}
}

// docOf is an archive's comment for a row of the op table.
func docOf(mnemonic string) string {
	row := rowOf(mnemonic)
	if row == nil {
		return ""
	}
	doc := row.Name + " " + row.Doc + "\n"
	for i, c := range row.Constraints() {
		doc += fmt.Sprintf("  %s_c%d: %s\n", mnemonic, i+1, c)
	}
	if row.Traits.Has(ops.Elementwise) && len(row.Operands) > 1 {
		doc += fmt.Sprintf("  %s_shapes: the shapes broadcast\n", mnemonic)
	}
	return doc
}

// rowOf is the row of a primitive or a composite; nil if there is none.
func rowOf(mnemonic string) *ops.Op {
	for _, table := range [][]ops.Op{ops.Table, ops.Composites} {
		if i := slices.IndexFunc(table, func(o ops.Op) bool { return o.Mnemonic() == mnemonic }); i >= 0 {
			return &table[i]
		}
	}
	return nil
}

// recording is a trace in which a run is recorded, once for each dtype.
type recording struct {
	tr      *Trace
	params  []*ir.Node
	args    []soa.View // of the program's parameters
	results []*Tensor
}

func newRecording(t *testing.T) *recording {
	dev, err := Open("eval", CheckIndices(false), StrictTypes()) // bad calls may be of mixed dtypes
	require.NoError(t, err)
	tr := NewTrace(dev)
	tr.lines = fixedLine // no line of this file in the goldens
	return &recording{tr: tr}
}

func (r *recording) arg(v soa.View) *Tensor {
	x := FromView(r.tr, v)
	r.params = append(r.params, r.tr.operand(x))
	return x
}

func checkRun(t *testing.T, a *optest.Archive, i int) {
	r := a.Runs[i]
	rec := newRecording(t)
	naive := make([]*optest.Tensor, len(r.DTypes))
	for k, d := range r.DTypes {
		var xs []*Tensor
		var args []*optest.Tensor
		for _, o := range r.Operands {
			arg, err := o.Tensor(d)
			require.NoError(t, err)
			args = append(args, arg)
			xs = append(xs, rec.arg(arg.View()))
		}
		y, err := apply(rec.tr, r.Call, d, xs)
		require.NoError(t, err)
		require.NoError(t, y.Err())
		rec.results = append(rec.results, y)
		n, known, err := optest.Naive(r.Call, d, args)
		require.NoError(t, err)
		if known {
			naive[k] = n
		}
	}
	if r.Unknown() {
		require.True(t, golden.Update(), "a result is written ?: run with -update")
		require.NotNil(t, naive[0], "no naive implementation knows %s: write the result by hand", r.Call.Op)
		r.Fill(naive)
	}
	_, all := rec.texts(t, a.Op)
	graph, text := shown(t, a.Op, r)
	if golden.Update() {
		a.IR[i], a.MLIR[i] = graph, text
	}
	require.Empty(t, cmp.Diff(a.IR[i], graph), "the graph is another; run with -update")
	require.Empty(t, cmp.Diff(a.MLIR[i], text), "the program is another; run with -update")
	want := make([]*optest.Tensor, len(r.DTypes))
	for k := range r.DTypes {
		var err error
		want[k], err = r.Result(k)
		require.NoError(t, err)
		if naive[k] != nil {
			require.Empty(t, optest.Differs(naive[k], want[k], r.ULPs), "the archive's result is not what a naive loop computes")
		}
	}
	rec.run(t, all, r, want)
}

// shown returns the texts of a run that its archive has.
func shown(t *testing.T, name string, r *optest.Run) (graph, text string) {
	rec, d := newRecording(t), r.DTypes[r.Shown()]
	var xs []*Tensor
	for _, o := range r.Operands {
		arg, err := o.Tensor(d)
		require.NoError(t, err)
		xs = append(xs, rec.arg(arg.View()))
	}
	y, err := apply(rec.tr, r.Call, d, xs)
	require.NoError(t, err)
	rec.results = []*Tensor{y}
	return rec.texts(t, name)
}

// texts returns the texts of the recorded program, having read them back.
func (r *recording) texts(t *testing.T, name string) (graph, text string) {
	g := &ir.Graph{Name: name}
	results := make([]*ir.Node, len(r.results))
	for i, y := range r.results {
		results[i] = r.tr.operand(y)
	}
	r.tr.captureAll(g, r.params, results, nil)
	require.NoError(t, g.Verify(shapeinfer.Infer))
	r.args = nil // an op may have made parameters of its own
	for _, p := range g.Params {
		r.args = append(r.args, p.Value.(*value).view)
	}
	graph, text = g.String(), lower.Text(g, false)
	if len(r.tr.counts) > 0 { // texts of graphs have numbers alone: the most that sizes can be
		for _, c := range r.tr.counts {
			_, most := dims.Bounds(c.size)
			full, err := shapeinfer.Instantiate(g, func(d int) int { return dims.Substitute(d, c.size, most) })
			require.NoError(t, err)
			g = full
		}
		return g.String(), text
	}
	back, err := ir.Parse("golden.ir", graph)
	require.NoError(t, err)
	require.NoError(t, back.Verify(shapeinfer.Infer))
	require.Equal(t, graph, back.String())
	require.True(t, ir.Equal(g, back), "the graph read back is another")
	require.Equal(t, text, lower.Text(back, false), "the graph read back lowers to another program")
	return graph, text
}

// run runs the text on a backend, and the recording through MarkStep.
func (r *recording) run(t *testing.T, text string, run *optest.Run, want []*optest.Tensor) {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	exe, err := b.Compile(context.Background(), backends.NewModule(text), backends.Options{Name: run.Name + ".mlir"})
	require.NoError(t, err)
	call := &backends.Call{} // with the parts of complex numbers
	for _, v := range r.args {
		call.Args = append(call.Args, v.Parts())
	}
	require.NoError(t, exe.Execute(context.Background(), call))
	require.NoError(t, r.tr.MarkStep(r.results...))
	var texts []*optest.Tensor
	for _, v := range call.Results {
		x, err := optest.FromView(v)
		require.NoError(t, err)
		texts = append(texts, x)
	}
	importedLike(t, text, call.Args, texts)
	for k, y := range r.results {
		if y.DType().IsComplex() {
			call.Results[k] = call.Results[k].OfParts()
		}
		got, err := optest.FromView(call.Results[k])
		require.NoError(t, err)
		require.Empty(t, optest.Differs(got, want[k], run.ULPs), "%v", run.Call)
		v, err := y.Value()
		require.NoError(t, err)
		marked, err := optest.FromView(v)
		require.NoError(t, err)
		require.Empty(t, optest.Differs(marked, got, 0), "MarkStep gives another result than the text")
	}
}

func checkBad(t *testing.T, path string, bad *optest.BadCall) {
	t.Helper()
	at := placeOfCall(path, bad.Call)
	if slices.ContainsFunc(bad.Call.Operands, func(o string) bool { return strings.HasSuffix(o, ": ?") }) {
		t.Fatal(at + unwritten(bad))
	}
	rec := newRecording(t)
	var xs []*Tensor
	for _, text := range bad.Call.Operands {
		_, name, _ := strings.Cut(text, ": ")
		typ, err := types.ParseType(name)
		require.NoError(t, err, "%soperand %q", at, text)
		xs = append(xs, rec.arg(soa.Make(typ)))
	}
	y, err := apply(rec.tr, bad.Call, types.Invalid, xs)
	require.NoError(t, err, "%v", bad.Call)
	broken, _ := errors.AsType[*OpError](y.Err())
	if why := wrongBadCall(bad, broken); why != "" {
		t.Fatal(at + why)
	}
	require.True(t, errors.Is(broken, ErrType) || errors.Is(broken, ErrUsage))
	plain := *broken
	plain.File = ""
	if golden.Update() {
		bad.Error = plain.Error()
	}
	require.False(t, strings.HasPrefix(bad.Error, "?"), "%sthe error of the bad call %v is not written yet: run %s", at, bad.Call, updateOps)
	require.Equal(t, bad.Error, plain.Error(), "%s%v", at, bad.Call)
	// The trace is as usable as before.
	ok2 := Ones(rec.tr, F32, 2).Add(Ones(rec.tr, F32, 2)).Sum()
	require.NoError(t, rec.tr.MarkStep(ok2))
	require.Equal(t, 4.0, ok2.Float())
}

// apply records a call.
func apply(tr *Trace, c optest.Call, d types.DType, xs []*Tensor) (*Tensor, error) {
	if f := calls[c.Op]; f != nil {
		return f(tr, xs, attrReader{c, d})
	}
	if k := slices.IndexFunc(ops.Composites, func(o ops.Op) bool { return o.Mnemonic() == c.Op }); k >= 0 {
		return applyComposite(&ops.Composites[k], c, d, xs)
	}
	op, ok := ir.ParseOp(c.Op)
	if !ok {
		return nil, fmt.Errorf("there is no op %q", c.Op)
	}
	attrs, err := irAttrs(op.Info(), c, d)
	if err != nil {
		return nil, err
	}
	if m, args, ok := method(op.Info(), xs, attrs); ok {
		return picked(m, args, c), nil
	}
	if len(xs) == 0 {
		return tr.record(op, nil, attrs), nil
	}
	return recordN(op, xs, attrs...), nil
}

// applyComposite calls the method that a row has.
func applyComposite(row *ops.Op, call optest.Call, d types.DType, xs []*Tensor) (*Tensor, error) {
	read := attrReader{call, d}
	var args []reflect.Value
	for _, x := range xs[1:] {
		args = append(args, reflect.ValueOf(x))
	}
	for range row.Operands[len(xs):] { // optional ones that are left out
		args = append(args, reflect.ValueOf((*Tensor)(nil)))
	}
	for _, a := range row.Attrs {
		var arg any
		switch a.Kind {
		case ops.Int, ops.Axis:
			arg = read.int(a.Name)
		case ops.DType:
			arg = read.dtype(a.Name)
		case ops.Real, ops.Extended:
			arg = read.float(a.Name)
		case ops.Flag:
			arg = call.Attr(a.Name, d) == "true"
		default:
			arg = read.ints(a.Name)
		}
		args = append(args, reflect.ValueOf(arg))
	}
	m := reflect.ValueOf(xs[0]).MethodByName(row.Name)
	if !m.IsValid() {
		return nil, fmt.Errorf("there is no method %s: add it to calls", row.Name)
	}
	return picked(m, args, call), nil
}

// picked calls a method and returns its result, of several the one that the call names
// by its attribute result.
func picked(m reflect.Value, args []reflect.Value, c optest.Call) *Tensor {
	call := m.Call
	if m.Type().IsVariadic() {
		call = m.CallSlice
	}
	return call(args)[must(c.ResultIndex())].Interface().(*Tensor)
}

// method finds the method that the op table makes for the row, and the
// arguments for a call of it.
func method(row *ops.Op, xs []*Tensor, attrs []ir.Attr) (m reflect.Value, args []reflect.Value, ok bool) {
	if len(xs) != len(row.Operands) || len(xs) == 0 {
		return m, nil, false
	}
	if m = reflect.ValueOf(xs[0]).MethodByName(row.Name); !m.IsValid() {
		return m, nil, false
	}
	for _, x := range xs[1:] {
		args = append(args, reflect.ValueOf(x))
	}
	for i, a := range attrs {
		switch row.Attrs[i].Kind {
		case ops.DType:
			args = append(args, reflect.ValueOf(types.DType(a.Int)))
		case ops.Int, ops.Axis:
			args = append(args, reflect.ValueOf(int(a.Int)))
		case ops.Flag:
			args = append(args, reflect.ValueOf(a.Int != 0))
		default:
			args = append(args, reflect.ValueOf(a.Ints))
		}
	}
	return m, args, true
}

// irAttrs reads a call's attributes after the op's row.
func irAttrs(row *ops.Op, c optest.Call, d types.DType) ([]ir.Attr, error) {
	var all []ir.Attr
	read := attrReader{c, d}
	for _, a := range row.Attrs {
		var v ir.Attr
		switch a.Kind {
		case ops.Int, ops.Axis:
			v.Int = int64(read.int(a.Name))
		case ops.Flag:
			v.Int = int64(flag(c.Attr(a.Name, d) == "true"))
		case ops.DType:
			v.Int = int64(read.dtype(a.Name))
		case ops.Literal:
			bits, err := ir.ParseLiteral(types.DType(all[0].Int), c.Attr(a.Name, d))
			if err != nil && types.DType(all[0].Int).Valid() {
				return nil, err
			}
			v.Int = int64(bits)
		case ops.String:
			v.Str = strings.Trim(c.Attr(a.Name, d), `"`)
		default:
			v.Ints = read.ints(a.Name)
		}
		all = append(all, v)
	}
	return all, nil
}

// attrReader reads attributes that a golden's author wrote: what is malformed
// panics and fails the test.
type attrReader struct {
	c optest.Call
	d types.DType
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func (a attrReader) int(name string) int    { return must(a.c.IntAttr(name)) }
func (a attrReader) ints(name string) []int { return must(a.c.IntsAttr(name)) }
func (a attrReader) float(s string) float64 { return must(optest.ParseElem(F64, a.c.Attr(s, a.d))).F }
func (a attrReader) dtype(s string) (d types.DType) {
	d, _ = types.ParseDType(a.c.Attr(s, a.d))
	return d
}

// row records the op of a row that has no method of its form.
func (a attrReader) row(op ir.Op, x []*Tensor) (*Tensor, error) {
	attrs, err := irAttrs(op.Info(), a.c, a.d)
	return recordN(op, x, attrs...), err
}

// calls are the ops that users call in another way than through the method
// of a row: composites, and functions.
var calls = map[string]func(tr *Trace, x []*Tensor, a attrReader) (*Tensor, error){
	"parameter": func(_ *Trace, x []*Tensor, _ attrReader) (*Tensor, error) { return x[0], nil },
	"composite": func(tr *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return callDouble(tr, a.c.Attr("name", a.d), x), nil
	},
	"case": func(tr *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return callCase(tr, a.c.Attr("bodies", a.d), x)[must(a.c.ResultIndex())], nil
	},
	"while": func(tr *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return callWhile(tr, a.c.Attr("bodies", a.d), x)[must(a.c.ResultIndex())], nil
	},
	"scan": func(tr *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		attrs, err := irAttrs(ir.OpScan.Info(), a.c, a.d)
		return callScan(tr, a.c.Attr("bodies", a.d), x, attrs)[must(a.c.ResultIndex())], err
	},
	"norm": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return x[0].Norm(a.float("p"), a.ints("axes")...), nil
	},
	"barrier":              func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpBarrier, x) },
	"host_call":            func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpHostCall, x) },
	"dynamic_slice":        func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpDynamicSlice, x) },
	"dynamic_update_slice": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpDynamicUpdateSlice, x) },
	"result": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		if x[0].Rank() == 0 { // a node with one
			return a.row(ir.OpResult, x)
		}
		values, indices := x[0].Sort(0, false)
		i := a.int("index")
		if i != 0 && i != 1 {
			return values.tr.result(values.tr.b.Node(ir.OpResult, values.node.In, []ir.Attr{{Int: int64(i)}}, nil)), nil
		}
		return []*Tensor{values, indices}[i], nil
	},
	"as_strided": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return x[0].AsStrided(a.ints("sizes"), a.ints("strides"), a.int("offset")), nil
	},
	"attention": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		o := AttentionOptions{Scale: a.float("scale"), Causal: a.int("causal") == 1}
		if len(x) > 3 {
			o.Mask = x[3]
		}
		return x[0].Attention(x[1], x[2], o), nil
	},
	// The options of Conv and of the pools are those of conv_test.go; here are the rows.
	"complex":       func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return Complex(x[0], x[1]), nil },
	"fft":           func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpFFT, x) },
	"gather":        func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpGather, x) },
	"scatter":       func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpScatter, x) },
	"clamp_index":   func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpClampIndex, x) },
	"conv":          func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpConv, x) },
	"max_pool":      func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpMaxPool, x) },
	"max_pool_grad": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpMaxPoolGrad, x) },
	"sum_pool":      func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) { return a.row(ir.OpSumPool, x) },
	"full": func(tr *Trace, _ []*Tensor, a attrReader) (*Tensor, error) {
		return Full(tr, a.dtype("dtype"), a.float("value"), a.ints("dims")...), nil
	},
	"label_mask": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return recordLabelMask(x[0], a.int("classes")), nil
	},
	"dropout": func(_ *Trace, x []*Tensor, _ attrReader) (*Tensor, error) {
		return recordDropout(x[0], x[1], x[2]), nil
	},
	"categorical": func(_ *Trace, x []*Tensor, _ attrReader) (*Tensor, error) { return recordCategorical(x[0], x[1]), nil },
	"philox4x32": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return recordPhilox(x[0], a.int("words")), nil
	},
	"gumbel": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return recordGumbel(x[0], a.int("count")), nil
	},
	"normal": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return recordNormal(x[0], a.int("count"), a.int("bits")), nil
	},
	"avg_pool": func(_ *Trace, x []*Tensor, a attrReader) (*Tensor, error) {
		return recordAvgPool(x[0], a.ints("window"), a.ints("strides"), a.ints("low"), a.ints("high"), a.ints("dilation")), nil
	},
	"uniform": func(tr *Trace, _ []*Tensor, a attrReader) (*Tensor, error) {
		return NewRandom(tr.dev, uint64(a.int("seed"))).Uniform(tr, a.dtype("dtype"), a.ints("dims")...), nil
	},
	"random_bits": func(tr *Trace, _ []*Tensor, a attrReader) (*Tensor, error) {
		return NewRandom(tr.dev, uint64(a.int("seed"))).Bits(tr, a.ints("dims")...), nil
	},
}

// callDouble records a call of a composite whose body doubles f32[3], whatever
// the operands are.
func callDouble(tr *Trace, name string, x []*Tensor) *Tensor {
	b := ir.NewBuilder(shapeinfer.Infer)
	p := b.Parameter(types.Of(F32, 3), "", nil)
	sum := must(b.Node(ir.OpAdd, []*ir.Node{p, p}, nil, nil))
	body := &ir.Composite{Name: name, Graph: &ir.Graph{Name: name}}
	b.Capture(body.Graph, []*ir.Node{p}, []*ir.Node{sum}, nil)
	var in []*ir.Node
	for _, v := range x {
		in = append(in, v.tr.operand(v))
	}
	return tr.result(tr.b.Node(ir.OpComposite, in, nil, body))
}

// callCase, callWhile and callScan record control flow with bodies that take and give any
// dtype. others names what is wrong with the bodies.

// callCase has bodies that give x and y, and y and x.
func callCase(tr *Trace, others string, x []*Tensor) []*Tensor {
	body := func(xs []*Tensor, exchange, one bool) *ir.Graph {
		return testBody(xs, func(_ *ir.Builder, p []*ir.Node) []*ir.Node {
			if p = slices.Clone(p); exchange {
				slices.Reverse(p)
			}
			if one {
				p = p[:1]
			}
			return p
		})
	}
	c := &ir.Composite{Graph: body(x[1:], false, others == "results"), More: []*ir.Graph{body(x[1:], true, false)}}
	if others == "one" {
		c.More = nil
	}
	if others == "parameters" {
		c.Graph = body(x, false, false)
	}
	return callControl(tr, ir.OpCase, c, x, nil)
}

// callWhile exchanges x and y as long as i, which rises by one, is less than n.
func callWhile(tr *Trace, others string, x []*Tensor) []*Tensor {
	cond := testBody(x, func(b *ir.Builder, p []*ir.Node) []*ir.Node {
		if others == "condition" {
			return p[:1]
		}
		return []*ir.Node{must(b.Node(ir.OpCompare, p[2:4], []ir.Attr{{Str: "LT"}}, nil))}
	})
	body := testBody(x, func(b *ir.Builder, p []*ir.Node) []*ir.Node {
		one := must(b.Node(ir.OpConstant, nil, []ir.Attr{{Int: int64(types.I32)}, {Int: 1}}, nil))
		return []*ir.Node{p[1], p[0], must(b.Node(ir.OpAdd, []*ir.Node{p[2], one}, nil, nil))}
	})
	c := &ir.Composite{Graph: cond, More: []*ir.Graph{body}}
	if others == "one" {
		c.More = nil
	}
	return callControl(tr, ir.OpWhile, c, x, nil)
}

// callScan carries the row of y to the next iteration; each iteration's own row is what it has carried,
// from x.
func callScan(tr *Trace, others string, x []*Tensor, attrs []ir.Attr) []*Tensor {
	takes := []*Tensor{{alias: &alias{typ: types.Of(types.I32)}}, x[0], {alias: &alias{typ: x[0].Type()}}, x[2]}
	body := testBody(takes, func(_ *ir.Builder, p []*ir.Node) []*ir.Node {
		if others == "results" {
			return p[3:]
		}
		return []*ir.Node{p[2], p[1]}
	})
	c := &ir.Composite{Graph: body}
	if others == "two" {
		c.More = []*ir.Graph{body}
	}
	return callControl(tr, ir.OpScan, c, x, attrs)
}

// testBody is a region on parameters of the types of xs.
func testBody(xs []*Tensor, f func(b *ir.Builder, p []*ir.Node) []*ir.Node) *ir.Graph {
	b, g := ir.NewBuilder(shapeinfer.Infer), &ir.Graph{Name: "branch"}
	var params []*ir.Node
	for _, v := range xs {
		params = append(params, b.Parameter(v.Type(), "", nil))
	}
	b.Capture(g, params, f(b, params), nil)
	return g
}

func callControl(tr *Trace, op ir.Op, c *ir.Composite, x []*Tensor, attrs []ir.Attr) []*Tensor {
	var in []*ir.Node
	for _, v := range x {
		in = append(in, v.tr.operand(v))
	}
	ys := make([]*Tensor, 2)
	n, err := tr.b.Node(op, in, attrs, c)
	tr.results(ys, n, err)
	return ys
}

// Every row of the op table and every composite has an archive, with a run for
// each dtype that its first operand allows and a bad call for each rule.
func TestOpsAreComplete(t *testing.T) {
	have := map[string]*optest.Archive{}
	archives, err := optest.ReadAll(opsDir)
	require.NoError(t, err)
	broken := map[string]bool{}
	for _, a := range archives {
		have[a.Op] = a
		for _, bad := range a.Bad {
			label := bad.Error[strings.LastIndexByte(bad.Error, '(')+1:]
			if open, ok := strings.CutPrefix(bad.Error, "? "); ok { // TestOps asks for its error
				label, _, _ = strings.Cut(open, ":")
			}
			broken[strings.TrimSuffix(label, ")")] = true
		}
		require.True(t, rowOf(a.Op) != nil || calls[a.Op] != nil, "%s is of no op", filepath.Base(a.Path))
	}
	for op := range calls {
		if have[op] == nil && rowOf(op) == nil { // the rows follow
			t.Fatal(noArchive(op))
		}
	}
	rows := slices.Concat(ops.Table, ops.Composites)
	if golden.Update() {
		writeSkeletons(t, rows, have)
	}
	for i := range rows {
		row := &rows[i]
		op := row.Mnemonic()
		if have[op] == nil {
			t.Fatal(noArchive(op))
		}
		requireDTypes(t, row, i >= len(ops.Table), have[op])
		for _, r := range breakable(row) {
			if !broken[r.label] {
				t.Fatal(noBadCall(row, r))
			}
		}
	}
}

// writeSkeletons begins the archives of rows that have none. It ends the test if there are
// such rows: only the author knows the values.
func writeSkeletons(t *testing.T, rows []ops.Op, have map[string]*optest.Archive) {
	t.Helper()
	var begun []string
	for i := range rows {
		row := &rows[i]
		if have[row.Mnemonic()] == nil {
			name := row.Mnemonic() + ".txtar"
			require.NoError(t, os.WriteFile(filepath.Join(opsDir, name), []byte(skeleton(row)), 0o644))
			begun = append(begun, "testdata/ops/"+name)
		}
	}
	if begun != nil {
		t.Fatalf("new: %s. Give each run values, replace each ? after the name of an operand by a type, and run %s again, which fills the other ? in", strings.Join(begun, ", "), updateOps)
	}
}

// The archive that -update begins for a new row can be read.
func TestSkeletons(t *testing.T) {
	rows := slices.Concat(ops.Table, ops.Composites)
	for i := range rows {
		row := &rows[i]
		if len(row.Operands) == 0 || row.Name == "Composite" {
			continue // written by hand
		}
		path := filepath.Join(t.TempDir(), row.Mnemonic()+".txtar")
		require.NoError(t, os.WriteFile(path, []byte(skeleton(row)), 0o644))
		a, err := optest.Read(path)
		require.NoError(t, err, row.Name)
		require.Len(t, a.Runs, 1)
		require.True(t, a.Runs[0].Unknown())
		require.Len(t, a.Bad, len(breakable(row)))
		require.Equal(t, docOf(row.Mnemonic()), a.Doc)
	}
}

// requireDTypes requires a run for each dtype that the row's operands take, or
// that its attribute dtype can be.
func requireDTypes(t *testing.T, row *ops.Op, composite bool, a *optest.Archive) {
	t.Helper()
	ran := map[types.DType]bool{}
	for _, r := range a.Runs {
		for _, d := range r.DTypes {
			ran[d] = true
		}
	}
	if row.Name == "Composite" {
		return // its operands are those of a body
	}
	is := ops.Any
	for i, o := range row.Operands {
		if o.Name == "x" || i == 0 && composite {
			is = o.Is
		}
	}
	if row.Family == ops.RandomNumbers || composite && is == ops.Any {
		return // states have a dtype of their own; views are those of primitives
	}
	for _, d := range types.AllDTypes() {
		if is.Allows(d) && (is != ops.Any || !d.IsComplex()) && (row.Name != "Iota" && row.Name != "SizeOf" || d.IsNumber()) {
			require.True(t, ran[d], "testdata/ops/%s.txtar has no run for %v: name it behind for, in the first line of a run, by itself or as one of numbers, floats, signed, integers or logical", row.Mnemonic(), d)
		}
	}
}
