// Package lower turns a graph into the StableHLO module that backends run: one
// public function main, and a private function for the body of each composite.
// Its central function is [Module].
//
// The package imports only ltc/ir, ltc/shapeinfer, ltc/mlir, ltc/stablehlo, ltc/internal/halt and
// the packages below them.
package lower

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/halt"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// Version is the module's ltc.version: that of the attribute vocabulary in
// docs/mlir.md.
const Version = 1

// Module lowers g. Parameters keep their names as ltc.name, and those whose
// memory a result takes over say so with tf.aliasing_output. The graph must be
// one that a builder captured or that [ir.Graph.Verify] accepts. The ops stand
// in [ir.Graph.Order]: that of g's own nodes does not show.
func Module(g *ir.Graph) *mlir.Module { return module(g, nil) }

// module is Module, with a look at w for each op.
func module(g *ir.Graph, w *halt.Watch) *mlir.Module {
	m, _ := openModule(g, nil, nil, w) // without sizes that are open nothing fails
	return m
}

// openModule is module of a graph whose parameters may have sizes that are symbols (package
// dims), which the module leaves open. Named has shapes with the symbols that name them, nil for the
// parameters' own. The module asserts the guards. The error names the op that no text can say.
func openModule(g *ir.Graph, named []types.Shape, guards []Guard, w *halt.Watch) (*mlir.Module, error) {
	l := &lowerer{
		Watch:    w,
		module:   &mlir.Module{Name: symbol(g.Name)},
		symbols:  map[string]bool{"main": true},
		next:     map[string]int{},
		bodies:   map[*ir.Graph]string{},
		equal:    map[uint64][]*ir.Graph{},
		wider:    map[*ir.Node]*ir.Node{},
		inlined:  map[*ir.Node][]*mlir.Value{},
		foldings: map[string]string{},
		guards:   guards,
	}
	l.symbolic = anyOpen(g)
	l.module.Attrs.Set("ltc.version", mlir.IntegerAttr{Value: Version, Type: mlir.I32})
	l.module.Ops = make([]*mlir.Op, 1, 4)
	main := l.function(g, "main", "", nil)
	args := make([]mlir.Dict, len(g.Params))
	for i, p := range g.Params {
		if name := p.ParamName(); name != "" {
			args[i].Set("ltc.name", mlir.StringAttr(name))
		}
	}
	for i, a := range g.Alias {
		if a >= 0 {
			args[a].Set("tf.aliasing_output", mlir.IntegerAttr{Value: int64(i), Type: mlir.I32})
		}
	}
	setArgAttrs(main, args)
	l.module.Ops[0] = main
	if l.symbolic {
		l.unnamed(g, named)
	}
	l.module.Number()
	return l.module, l.err
}

// anyOpen reports whether parameters of g have sizes that are open, or sizes follow from data.
func anyOpen(g *ir.Graph) bool {
	return Counts(g) || slices.ContainsFunc(g.Params, func(p *ir.Node) bool { return dims.HasExpr(p.Type.Shape...) })
}

// Text is the text of [Module], with or without the locations of its ops.
func Text(g *ir.Graph, locations bool) string {
	text, _ := TextContext(context.Background(), g, locations) // which does not end
	return text
}

// TextContext is Text that ends when ctx does, with its cause. Sizes of g may be expressions, which
// the text leaves open as that of [Export] does. The error then names the op that no text can say.
func TextContext(ctx context.Context, g *ir.Graph, locations bool) (text string, err error) {
	w := halt.On(ctx)
	defer w.Catch(&err)
	m, err := openModule(g, nil, nil, w)
	if err == nil && anyOpen(g) {
		err = verify.Module(m)
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := m.Print(until{ctx, &b}, mlir.PrintOptions{Locations: locations}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// until is where a text goes until a context ends.
type until struct {
	ctx context.Context
	to  *strings.Builder
}

func (u until) Write(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.to.Write(p)
}

// argAttrs returns the attributes of a function's arguments, to be changed and set.
func argAttrs(f *mlir.Op) []mlir.Dict {
	old, _ := f.Attrs.Get("arg_attrs").(mlir.ArrayAttr)
	all := make([]mlir.Dict, len(f.Body().Args))
	for i := range min(len(old), len(all)) {
		d, _ := old[i].(mlir.DictAttr)
		all[i] = mlir.Dict(d)
	}
	return all
}

func setArgAttrs(f *mlir.Op, args []mlir.Dict) {
	var all mlir.ArrayAttr
	some := false
	for _, d := range args {
		all = append(all, mlir.DictAttr(d))
		some = some || len(d) > 0
	}
	if some {
		f.Attrs.Set("arg_attrs", all)
	}
}

// symbol makes a name that can stand after @ without quotes.
func symbol(name string) string {
	b := []byte(name)
	for i, c := range b {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			b[i] = '_'
		}
	}
	return string(b)
}

type lowerer struct {
	*halt.Watch

	module  *mlir.Module
	symbols map[string]bool
	next    map[string]int         // the number to try next for a name that is taken
	bodies  map[*ir.Graph]string   // symbols of the composites' functions made so far
	equal   map[uint64][]*ir.Graph // those bodies by hash, of equal ones the first
	wider   map[*ir.Node]*ir.Node  // of scans: another one that computes all of it

	symbolic bool                       // whether sizes may be expressions
	inlined  map[*ir.Node][]*mlir.Value // the results of composites that are no calls
	foldings map[string]string          // symbols of the functions that windows fold with, by op and type
	err      error

	border *mlir.Block // the body of main
	guards []Guard     // that main asserts

	// of the function at hand
	sizes  *sizes // nil: all are numbers
	block  *mlir.Block
	values []*mlir.Value // by node
	loc    mlir.Location
}

// lowering emits the ops of a node into the block at hand and returns the
// value of the result; of a node with several results the first result of an op
// whose results they are.
type lowering func(l *lowerer, n *ir.Node) *mlir.Value

// function lowers a graph; loc is that of ops whose nodes have none.
func (l *lowerer) function(g *ir.Graph, name, visibility string, loc mlir.Location) *mlir.Op {
	var ins, outs []mlir.Type
	main := visibility == ""
	at := func(t types.Type) mlir.Type {
		if main {
			t = t.Parts()
		}
		return tensor(t)
	}
	for _, p := range g.Params {
		ins = append(ins, at(p.Type))
	}
	for _, r := range g.Results {
		outs = append(outs, at(r.Type))
	}
	f := mlir.NewFunc(name, visibility, ins, outs)
	outer := *l
	if main {
		l.border = f.Body()
	}
	l.block, l.values = f.Body(), make([]*mlir.Value, len(g.Nodes))
	if l.symbolic {
		l.sizes = newSizes(f.Body().Args, loc)
	}
	var asserted []*mlir.Op
	if main {
		asserted = l.assertions(f.Body().Args, loc)
	}
	order := orderOf(g)
	l.widen(order)
	for _, n := range order {
		l.node(n, loc)
	}
	ret := make([]*mlir.Value, len(g.Results)) // returned where the last op stands
	for i, r := range g.Results {
		if ret[i] = l.values[r.ID]; main && r.Type.DType.IsComplex() {
			ret[i] = l.partsOf(ret[i], r.Type)
		}
	}
	l.append(mlir.NewOp(mlir.OpReturn, ret))
	if l.symbolic {
		l.block.Ops = append(asserted, l.sizes.placed(l.block.Ops)...)
	}
	l.block, l.values, l.loc, l.sizes = outer.block, outer.values, outer.loc, outer.sizes
	return f
}

// node lowers a node; loc is where its ops are if it does not say.
func (l *lowerer) node(n *ir.Node, loc mlir.Location) {
	l.Look()
	file, line := n.Loc.Position()
	l.loc = located(loc, file, line, n.Loc.Scope())
	l.values[n.ID] = lowerings[n.Op](l, n)
}

// located returns the location of a line, within a scope if there is one; loc if there is no file.
func located(loc mlir.Location, file string, line int, scope string) mlir.Location {
	if file == "" {
		return loc
	}
	at := mlir.FileLoc{File: file, Line: line}
	if scope != "" {
		return mlir.NameLoc{Name: scope, Child: at}
	}
	return at
}

// decomposition returns the symbol of the function for a composite's body,
// made once for equal bodies.
func (l *lowerer) decomposition(c *ir.Composite) string {
	if name, ok := l.bodies[c.Graph]; ok {
		return name
	}
	h := c.Graph.Hash()
	for _, g := range l.equal[h] {
		if ir.Equal(g, c.Graph) {
			l.bodies[c.Graph] = l.bodies[g]
			return l.bodies[g]
		}
	}
	name := l.unique(symbol(c.Name))
	l.bodies[c.Graph], l.equal[h] = name, append(l.equal[h], c.Graph)
	f := l.function(c.Graph, name, "private", mlir.NameLoc{Name: c.Name})
	l.module.Ops = append(l.module.Ops, f)
	return name
}

// unique returns base, or base with a number behind it: the symbol of a new function.
func (l *lowerer) unique(base string) string {
	name := base
	for l.symbols[name] {
		l.next[base]++
		name = base + "_" + strconv.Itoa(l.next[base])
	}
	l.symbols[name] = true
	return name
}

func (l *lowerer) append(op *mlir.Op) {
	op.Loc = l.loc
	if l.symbolic {
		l.opened(op)
	}
	l.block.Ops = append(l.block.Ops, op)
}

// emit appends a StableHLO op with one result.
func (l *lowerer) emit(code mlir.Code, t mlir.Type, operands []*mlir.Value, attrs ...mlir.NamedAttr) *mlir.Value {
	op := mlir.NewOp(code, operands, t)
	op.Attrs = attrs
	l.append(op)
	return op.Results[0]
}

func attr(name string, v mlir.Attribute) mlir.NamedAttr {
	return mlir.NamedAttr{Name: name, Value: v}
}

func ints(name string, v []int) mlir.NamedAttr { return attr(name, mlir.I64Array(v)) }

// in returns the values of the node's operands.
func (l *lowerer) in(n *ir.Node) []*mlir.Value {
	vs := make([]*mlir.Value, len(n.In))
	for i, x := range n.In {
		vs[i] = l.values[x.ID]
	}
	return vs
}

// constant emits a scalar of the given bits.
func (l *lowerer) constant(d types.DType, bits uint64) *mlir.Value {
	t := mlir.Tensor(element(d))
	data := append(binary.LittleEndian.AppendUint64(nil, bits)[:d.Part().Size()], make([]byte, d.Size()-d.Part().Size())...)
	return l.emit(stablehlo.Constant, t, nil, attr("value", mlir.Dense(t, data)))
}

func tensor(t types.Type) *mlir.TensorType {
	shape := make([]int64, len(t.Shape))
	for i, d := range t.Shape {
		shape[i] = int64(d)
	}
	return mlir.Tensor(element(t.DType), shape...)
}

// element returns the MLIR type of a dtype.
func element(d types.DType) mlir.Type {
	t := mlir.ElementOf(d)
	if t == nil {
		panic(fmt.Sprintf("lower: no MLIR type for %v", d))
	}
	return t
}

// lowerElementwise is the lowering of rows that are one op of StableHLO or CHLO.
func lowerElementwise(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(sameOp[n.Op], tensor(n.Type), l.in(n))
}

// sameOp has, by [ir.Op], the code of the one op that an elementwise row is.
var sameOp = func() []mlir.Code {
	codes := make([]mlir.Code, len(ops.Table))
	for i, row := range ops.Table {
		codes[i] = mlir.CodeOf(row.Target())
	}
	return codes
}()
