// Package lift records StableHLO texts as IR: it undoes what package lower does. Its central
// type is [Function], a text that graphs can take in.
//
// Elementwise ops are found by lowering each row of the op table. What the IR says in another
// way has a rule: contractions and windows of any layout, gathers and scatters of any
// dimension numbers, reductions and sorts by what their regions compute.
//
// The package imports only ltc/ir, ltc/lower, ltc/shapeinfer, ltc/mlir, ltc/stablehlo,
// ltc/stablehlo/chlo, ltc/stablehlo/verify and the packages below them.
package lift

import (
	"fmt"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/shapeinfer"
	"ltc/stablehlo"
	"ltc/stablehlo/chlo"
	"ltc/stablehlo/verify"
)

// Function is the public function of a text, all of whose ops have IR.
type Function struct {
	Name    string
	In, Out []types.Type
	file    string
	module  *mlir.Module
	main    *mlir.Op
}

// Read reads a text, whose errors name file. The text has one public function or one named
// main. Its types are tensors of dtypes that lazy tensors have, with sizes that are numbers.
// The error names the first op without IR, with its place.
func Read(file, text string) (*Function, error) {
	m, err := stablehlo.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if err := verify.Module(m); err != nil {
		return nil, err
	}
	rows := elementwise()
	chlo.Lower(m, func(op *mlir.Op) bool { _, ok := rows[op.Code]; return ok || rules[op.Code] != nil })
	f := &Function{file: file, module: m}
	if f.main, err = public(m); err != nil {
		return nil, err
	}
	f.Name = f.main.SymName()
	t := f.main.FuncType()
	if f.In, err = f.types(t.Ins, "argument"); err != nil {
		return nil, err
	}
	if f.Out, err = f.types(t.Outs, "result"); err != nil {
		return nil, err
	}
	return f, f.try()
}

// public returns the function that a module is called by.
func public(m *mlir.Module) (*mlir.Op, error) {
	if main := m.Func("main"); main != nil {
		if main.Body() == nil {
			return nil, fmt.Errorf("function main has no body: it must have one")
		}
		return main, nil
	}
	var all []string
	for _, op := range m.Ops {
		if v, _ := op.Attrs.Get("sym_visibility").(mlir.StringAttr); op.Code == mlir.OpFunc && v != "private" {
			all = append(all, op.SymName())
		}
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("the module has no function main, and %d others that are public: it must have one of them", len(all))
	}
	return m.Func(all[0]), nil
}

// types are the types of arguments or results.
func (f *Function) types(all []mlir.Type, what string) ([]types.Type, error) {
	out := make([]types.Type, len(all))
	for i, t := range all {
		var why string
		if out[i], why = typeOf(t); why != "" {
			return nil, fmt.Errorf("%s:%v: %s %d of %s is %v, %s", f.file, f.main.Pos, what, i, f.main.SymName(), t, why)
		}
	}
	return out, nil
}

// typeOf returns the type of a tensor in the IR, or why there is none.
func typeOf(t mlir.Type) (types.Type, string) {
	tt, ok := t.(*mlir.TensorType)
	switch {
	case !ok:
		return types.Type{}, "which is no tensor"
	case !tt.Static():
		return types.Type{}, "whose sizes must be numbers: export the program for sizes that are"
	}
	d := mlir.DTypeOf(tt.Elem)
	if c, ok := tt.Elem.(mlir.ComplexType); ok {
		d = mlir.DTypeOf(c.Elem).Complex()
	}
	if d == types.Invalid {
		return types.Type{}, "of elements that lazy tensors do not have"
	}
	out := types.Type{DType: d, Shape: make(types.Shape, len(tt.Shape))}
	for i, n := range tt.Shape {
		out.Shape[i] = int(n)
	}
	return out, ""
}

// try records the function in a builder of its own, for the errors.
func (f *Function) try() error {
	b := ir.NewBuilder(shapeinfer.Infer)
	args := make([]*ir.Node, len(f.In))
	for i, t := range f.In {
		args[i] = b.Parameter(t, "", nil)
	}
	_, err := f.Record(b, args, func(t types.Type, _ []byte) (*ir.Node, error) { return b.Parameter(t, "", nil), nil })
	return err
}

// Record records the function on args, nodes of b of the types f.In, and returns its results.
// constant gives the node of a constant of many values: those of data, in row-major order and
// little-endian, which belong to f.
func (f *Function) Record(b *ir.Builder, args []*ir.Node, constant func(t types.Type, data []byte) (*ir.Node, error)) (results []*ir.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*failure)
			if !ok {
				panic(r)
			}
			err = e.err
		}
	}()
	r := &recorder{f: f, b: b, called: new(int)}
	r.dense = func(t types.Type, data []byte) *ir.Node {
		n, err := constant(t, data)
		if err != nil {
			panic(&failure{err})
		}
		return n
	}
	return r.inline(f.main, args), nil
}

// failure is the panic that ends a recording: rules have no other results than nodes.
type failure struct{ err error }

// recorder records ops in a builder.
type recorder struct {
	f      *Function
	b      *ir.Builder
	dense  func(t types.Type, data []byte) *ir.Node // gives the node of a constant of many values
	values map[*mlir.Value]*ir.Node
	op     *mlir.Op // the one at hand
	depth  int      // of calls
	called *int     // the ops recorded of functions that are called

	// Of a region: what it is in, and what it takes from there, as parameters of its own.
	outer    *recorder
	captured map[*ir.Node]*ir.Node
	taken    []*ir.Node // nodes of outer, in order
}

// fail ends the recording with an error at the op at hand.
func (r *recorder) fail(format string, args ...any) {
	at := mlir.Pos{}
	name := "the function"
	if r.op != nil {
		at, name = r.op.Pos, r.op.Name()
	}
	panic(&failure{fmt.Errorf("%s:%v: %s: %s", r.f.file, at, name, fmt.Sprintf(format, args...))})
}

// maxDepth bounds calls of functions within each other.
const maxDepth = 200

// maxCalled bounds the ops of functions that are called: n functions that each call the next
// one twice have 2ⁿ calls.
const maxCalled = 1 << 20

// inline records the body of a function on args.
func (r *recorder) inline(f *mlir.Op, args []*ir.Node) []*ir.Node {
	inner := &recorder{f: r.f, b: r.b, dense: r.dense, op: r.op, depth: r.depth + 1, called: r.called}
	if inner.depth > maxDepth {
		r.fail("functions call each other more than %d deep, which no program that ends does", maxDepth)
	}
	return inner.block(f.Body(), args)
}

// block records a block on args and returns what it returns.
func (r *recorder) block(b *mlir.Block, args []*ir.Node) []*ir.Node {
	if r.values == nil {
		r.values = make(map[*mlir.Value]*ir.Node, len(b.Ops))
	}
	for i, v := range b.Args {
		r.values[v] = args[i]
	}
	for _, op := range b.Ops {
		r.op = op
		if r.depth > 1 {
			if *r.called++; *r.called > maxCalled {
				r.fail("the functions that are called have more than %s, each call counted: call them fewer times", diag.Count(maxCalled, "op"))
			}
		}
		in := make([]*ir.Node, len(op.Operands))
		for i, v := range op.Operands {
			in[i] = r.value(v)
		}
		if op.Code == stablehlo.Return || op.Code == mlir.OpReturn {
			return in
		}
		out := r.ops(op, in)
		r.op = op
		for i, v := range op.Results {
			if t, why := typeOf(v.Type); why != "" {
				r.fail("its result is %v, %s", v.Type, why)
			} else if !out[i].Type.Equal(t) {
				r.fail("its result is %v, recorded as %v", v.Type, out[i].Type)
			}
			r.values[v] = out[i]
		}
	}
	return nil
}

// value returns the node of a value, in a region also of one outside.
func (r *recorder) value(v *mlir.Value) *ir.Node {
	if n := r.values[v]; n != nil {
		return n
	}
	if r.outer == nil {
		r.fail("a value is not computed before it is used")
	}
	return r.take(r.outer.value(v))
}

// take returns the parameter that a region has for a node outside.
func (r *recorder) take(n *ir.Node) *ir.Node {
	if p := r.captured[n]; p != nil {
		return p
	}
	p := r.parameter(n.Type)
	r.captured[n] = p
	r.taken = append(r.taken, n)
	return p
}

// parameter adds a parameter to the region's builder. It is tracked, so that gradients go
// through it.
func (r *recorder) parameter(t types.Type) *ir.Node { return r.b.Variable(t, "", nil) }

// ops records an op and returns its results.
func (r *recorder) ops(op *mlir.Op, in []*ir.Node) []*ir.Node {
	if o, ok := elementwise()[op.Code]; ok {
		return one(r.elementwise(o, in))
	}
	if f := rules[op.Code]; f != nil {
		return f(r, op, in)
	}
	r.fail("there is no op of lazy tensors for it; package model runs the text as it is, without gradients")
	return nil
}

func one(n *ir.Node) []*ir.Node { return []*ir.Node{n} }

// node records a node with one result.
func (r *recorder) node(op ir.Op, attrs []ir.Attr, in ...*ir.Node) *ir.Node {
	n, err := r.b.Node(op, r.b.Operands(in...), r.b.Attrs(attrs...), nil)
	if err != nil {
		r.fail("%v", err)
	}
	return n
}

// results records a node with bodies, and returns its results.
func (r *recorder) results(op ir.Op, in []*ir.Node, attrs []ir.Attr, body *ir.Composite) []*ir.Node {
	n, err := r.b.Node(op, r.b.Operands(in...), r.b.Attrs(attrs...), body)
	if err != nil {
		r.fail("%v", err)
	}
	if n.Results() == nil {
		return one(n)
	}
	all := make([]*ir.Node, len(n.Results()))
	for i := range all {
		all[i] = r.node(ir.OpResult, []ir.Attr{{Int: int64(i)}}, n)
	}
	return all
}

// result is the type of a result of the op at hand.
func (r *recorder) result(i int) types.Type {
	t, why := typeOf(r.op.Results[i].Type)
	if why != "" {
		r.fail("its result is %v, %s", r.op.Results[i].Type, why)
	}
	return t
}

// call records a call of a function of the module.
func call(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	return r.inline(r.callee(op), in)
}

func (r *recorder) callee(op *mlir.Op) *mlir.Op {
	f := r.f.module.Func(op.Callee())
	if f == nil || f.Body() == nil {
		r.fail("the module has no function %q with a body", op.Callee())
	}
	return f
}

// composite records a composite by its name, so that it keeps the gradient that lazy tensors
// have for the name.
func composite(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	name, _ := op.Attrs.Get("name").(mlir.StringAttr)
	params, plain := paramsOf(op)
	if f := r.callee(op); !plain || !strings.Contains(string(name), ".") || strings.HasPrefix(string(name), "vmap.") { // those of many examples have operands of their own
		return r.inline(f, in)
	}
	g := r.region()
	formal := g.parameters(in)
	all := g.inline(r.callee(op), formal)
	if len(g.taken) > 0 { // constants of many values: its body has no more operands than its calls
		return r.inline(r.callee(op), in)
	}
	body := &ir.Composite{Name: string(name), Params: params, Graph: g.capture(string(name), formal, all)}
	return r.results(ir.OpComposite, in, nil, body)
}

// paramsOf returns a composite's attributes as those of the IR: numbers alone.
func paramsOf(op *mlir.Op) (all []ir.Param, plain bool) {
	attrs, _ := op.Attrs.Get("composite_attributes").(mlir.DictAttr)
	for _, a := range attrs {
		switch v := a.Value.(type) {
		case mlir.IntegerAttr:
			all = append(all, ir.Param{Name: a.Name, Int: int(v.Value)})
		case mlir.FloatAttr:
			x, err := strconv.ParseFloat(v.Text, 64)
			if err != nil {
				return nil, false
			}
			all = append(all, ir.Param{Name: a.Name, Float: x, IsFloat: true})
		default:
			return nil, false
		}
	}
	return all, true
}

// region returns a recorder of a graph of its own within r.
func (r *recorder) region() *recorder {
	g := &recorder{f: r.f, b: ir.NewBuilder(shapeinfer.Infer), op: r.op, depth: r.depth, called: r.called, outer: r, captured: map[*ir.Node]*ir.Node{}}
	g.dense = func(t types.Type, data []byte) *ir.Node { return g.take(r.dense(t, data)) }
	return g
}

// parameters adds a parameter for each node.
func (r *recorder) parameters(like []*ir.Node) []*ir.Node {
	all := make([]*ir.Node, len(like))
	for i, n := range like {
		all[i] = r.parameter(n.Type)
	}
	return all
}

// capture returns the graph of results on parameters.
func (r *recorder) capture(name string, params, results []*ir.Node) *ir.Graph {
	g := &ir.Graph{Name: name}
	r.b.Capture(g, params, results, nil)
	return g
}
