package kit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ltc/backends"
	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/kit/simplify/program"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// translator turns the body of main into a graph with a node for each op.
type translator struct {
	ctx    context.Context
	graph  *fuse.Graph
	values map[*mlir.Value]plan.ValueID
	used   map[*mlir.Value]bool // by any op
	// Of results of sorts: by how many operands, and by which slices of main.
	reads  map[*mlir.Value]int
	slices map[*mlir.Value][]*mlir.Op
	o      *Options
	others []*mlir.Op // functions of the module, and what else there is beside main
	file   string
	// threads is how many threads a run may use, 0 if that is not said.
	threads int
	// compile is Compile, which rules cannot name, since it goes by them.
	compile func(context.Context, *backends.Program, Options) (*plan.Program, error)
}

// notCompiled says why an op is left to the evaluator.
type notCompiled struct{ reason string }

func (e notCompiled) Error() string { return e.reason }

// watched is the reason of a program that is run to see what its ops give, by the
// evaluator on purpose.
type watched struct{ error }

func (e watched) Unwrap() error { return e.error }

func leave(format string, args ...any) error { return notCompiled{fmt.Sprintf(format, args...)} }

// rule translates an op to a node.
type rule func(*nodeBuilder) error

// translate returns the graph of a module's main function. The error wraps
// notCompiled when the whole module must be left to the evaluator.
func translate(ctx context.Context, p *backends.Program, o Options) (g *fuse.Graph, err error) {
	main := p.Module.Func("main")
	others := slices.DeleteFunc(slices.Clone(p.Module.Ops), func(op *mlir.Op) bool { return op == main })
	for _, op := range p.Module.Ops {
		var calls bool
		program.Symbols(op, func(name string) { calls = calls || name == "main" })
		if calls {
			return nil, leave("%s calls its main", p.File)
		}
	}
	var seen string
	p.Module.Walk(func(op *mlir.Op) bool {
		if strings.HasPrefix(op.Name(), "interpreter.") {
			seen = op.Name()
		}
		return seen == ""
	})
	if seen != "" { // they tell the caller what the ops of the text give
		return nil, watched{leave("%s is the evaluator's", seen)}
	}
	t := &translator{ctx: ctx, graph: fuse.New(ctx, o.Fuse), values: map[*mlir.Value]plan.ValueID{}, used: map[*mlir.Value]bool{}, reads: map[*mlir.Value]int{}, slices: map[*mlir.Value][]*mlir.Op{}, o: &o, others: others, file: p.File, threads: p.Threads, compile: Compile}
	defer t.graph.Catch(&err)
	p.Module.Walk(func(op *mlir.Op) bool {
		for _, v := range op.Operands {
			t.used[v] = true
			if sorted(v) {
				t.reads[v]++
			}
		}
		return true
	})
	for _, op := range main.Body().Ops {
		if op.Code == stablehlo.Slice && sorted(op.Operands[0]) {
			t.slices[op.Operands[0]] = append(t.slices[op.Operands[0]], op)
		}
	}
	for _, a := range main.Body().Args {
		if err := t.define(a, t.graph.Argument); err != nil {
			return nil, plan.At(main, err)
		}
	}
	for _, op := range main.Body().Ops {
		t.graph.Look()
		if op.Code == mlir.OpReturn {
			for j, v := range op.Operands {
				t.graph.Result(t.values[v], p.Signature.Results[j].Alias)
			}
			continue
		}
		if err := t.op(op); err != nil {
			return nil, plan.At(op, err)
		}
	}
	return t.graph, nil
}

// sorted reports whether v is a result of a sort.
func sorted(v *mlir.Value) bool { return v.Def != nil && v.Def.Code == stablehlo.Sort }

// keptWhole reports whether op takes all of what a sort has kept.
func (t *translator) keptWhole(op *mlir.Op) bool {
	if op.Code != stablehlo.Slice || !sorted(op.Operands[0]) {
		return false
	}
	typ, err := typeOf(op.Results[0])
	return err == nil && typ.Shape.Equal(t.graph.Type(t.values[op.Operands[0]]).Shape)
}

// define adds the value that v is.
func (t *translator) define(v *mlir.Value, add func(types.Type) plan.ValueID) error {
	typ, err := typeOf(v)
	if err != nil {
		return leave("%v", err)
	}
	t.values[v] = add(typ)
	return nil
}

// of returns what values of the text are in the graph.
func (t *translator) of(values []*mlir.Value) []plan.ValueID {
	all := make([]plan.ValueID, len(values))
	for i, v := range values {
		all[i] = t.values[v]
	}
	return all
}

func (t *translator) op(op *mlir.Op) error {
	if drives(op) {
		return t.host(op, "")
	}
	row := &opTable[op.Code]
	run := row.structural
	switch {
	case sameBits(op), t.keptWhole(op):
		run = (*translator).barrier
	case t.o.claims(op):
		run = (*translator).composite
	case t.o.Claim != nil && opTable[op.Code].claimed != nil:
		run = opTable[op.Code].claimed
	case row.nodes != nil:
		run = row.nodes
	case run == nil:
		run = (*translator).node
	}
	err := run(t, op)
	if reason, ok := err.(notCompiled); ok {
		return t.host(op, reason.reason)
	}
	return err
}

// node translates an op to a kernel.
func (t *translator) node(op *mlir.Op) error {
	row := &opTable[op.Code]
	if carries(op) && !row.carried {
		return leave("elements that kernels do not have")
	}
	mnemonic := op.Name()[strings.IndexByte(op.Name(), '.')+1:]
	run := row.kernel
	switch {
	case row.apply != kernel.Invalid:
		run = func(b *nodeBuilder) error { return b.elementwise(row.apply) }
	case run == nil:
		return leave("there is no kernel for it")
	}
	b, err := t.builder(op, mnemonic)
	if err != nil {
		return err
	}
	if err := run(b); err != nil {
		return err
	}
	for i, r := range op.Results {
		if b.outs[i] < 0 { // nobody uses it
			continue
		}
		made := t.graph.Value(b.out[i])
		b.operands[b.outs[i]] = made
		err := t.define(r, func(typ types.Type) plan.ValueID {
			if typ.Shape.Equal(b.out[i].Shape) {
				return made
			}
			return t.graph.Reshape(made, typ)
		})
		if err != nil {
			return err
		}
	}
	parts, err := t.inParts(b)
	if err != nil {
		return err
	}
	t.graph.AddKernel(op, fuse.Kernel{Kernel: b.Kernel(), Operands: b.operands}, parts)
	return nil
}

// barrier gives values other names.
func (t *translator) barrier(op *mlir.Op) error {
	for i, r := range op.Results {
		t.values[r] = t.values[op.Operands[i]]
	}
	return nil
}

// constant adds the value of a literal.
func (t *translator) constant(op *mlir.Op) error {
	a, ok := op.Attrs.Get("value").(*mlir.DenseAttr)
	switch {
	case !ok:
		return leave("a constant that is not dense<…>")
	case isCarried(op.Results[0]):
		return leave("elements that kernels do not have")
	}
	data, _, err := a.Decode()
	if err != nil {
		return err
	}
	return t.define(op.Results[0], func(typ types.Type) plan.ValueID { return t.graph.Constant(typ, data) })
}

// reshape gives a value another shape: the memory stays.
func (t *translator) reshape(op *mlir.Op) error {
	return t.define(op.Results[0], func(typ types.Type) plan.ValueID { return t.graph.Reshape(t.values[op.Operands[0]], typ) })
}

// host adds a node that the evaluator runs: the op with all that its regions
// use from outside.
func (t *translator) host(op *mlir.Op, reason string) error {
	h := &hostStep{t: t, op: op, inputs: inputs(op), reason: reason}
	if len(t.others) > 0 {
		program.Symbols(op, func(string) { h.others = t.others })
	}
	makes := make([]types.Type, len(op.Results))
	for i, r := range op.Results {
		var err error
		if makes[i], err = typeOf(r); err != nil {
			return leave("%v", err)
		}
	}
	kept := mlir.Flag(op.Attrs.Get("has_side_effect")) || h.others != nil || !program.Ends(op) || program.Sized(op)
	t.step(op, h, t.of(h.inputs), makes, kept)
	return nil
}

// step adds a node that is no kernel, which makes values of some types: what the op gives,
// then memory that it works in.
func (t *translator) step(op *mlir.Op, s fuse.Step, reads []plan.ValueID, makes []types.Type, kept bool) {
	t.stepOf(op, s, reads, op.Results, makes, kept)
}

// stepOf adds a node that is no kernel and makes some of the results of an op.
func (t *translator) stepOf(op *mlir.Op, s fuse.Step, reads []plan.ValueID, results []*mlir.Value, makes []types.Type, kept bool) {
	writes := make([]plan.ValueID, len(makes))
	for i, typ := range makes {
		if writes[i] = t.graph.Value(typ); i < len(results) {
			t.values[results[i]] = writes[i]
		}
	}
	t.graph.AddStep(op, s, reads, writes, kept)
}

// inputs returns the values that an op and its regions use and do not define,
// each once.
func inputs(op *mlir.Op) []*mlir.Value {
	var used []*mlir.Value
	for v := range op.Uses() {
		if !slices.Contains(used, v) {
			used = append(used, v)
		}
	}
	return used
}

// nodeBuilder builds the kernel of one op.
type nodeBuilder struct {
	*kernel.Builder
	t        *translator
	op       *mlir.Op
	in       []types.Type // of the operands
	out      []types.Type
	operands []plan.ValueID // by parameter; none for results
	params   []int          // by operand: its parameter, -1 before it is loaded
	outs     []int          // by result: its parameter
}

// builder starts the kernel of an op. It fails for types that kernels do not
// have.
func (t *translator) builder(op *mlir.Op, name string) (*nodeBuilder, error) {
	b := &nodeBuilder{Builder: kernel.NewBuilder(name), t: t, op: op}
	for _, v := range op.Operands {
		b.in = append(b.in, t.graph.Type(t.values[v]))
		b.params = append(b.params, -1)
	}
	for _, r := range op.Results {
		typ, err := typeOf(r)
		if err != nil {
			return nil, leave("%v", err)
		}
		b.out = append(b.out, typ)
		b.outs = append(b.outs, -1)
	}
	return b, nil
}

// param returns the parameter of operand i.
func (b *nodeBuilder) param(i int) int {
	if b.params[i] < 0 {
		b.params[i] = b.Param(kernel.Dense(fmt.Sprintf("x%d", i), b.in[i], false))
		b.operands = append(b.operands, b.t.values[b.op.Operands[i]])
	}
	return b.params[i]
}

// reshaped has operand i in another shape of as many elements, before it is
// loaded.
func (b *nodeBuilder) reshaped(i int, shape types.Shape) {
	if b.in[i].Shape = shape; b.splat(i) != nil {
		return
	}
	b.params[i] = b.Param(kernel.Dense(fmt.Sprintf("x%d", i), b.in[i], false))
	b.operands = append(b.operands, b.t.graph.Reshape(b.t.values[b.op.Operands[i]], b.in[i]))
}

// result returns the parameter of result i.
func (b *nodeBuilder) result(i int) int {
	if b.outs[i] < 0 {
		b.outs[i] = b.Param(kernel.Dense(fmt.Sprintf("y%d", i), b.out[i], true))
		b.operands = append(b.operands, plan.None)
	}
	return b.outs[i]
}

// load loads an element of operand i.
func (b *nodeBuilder) load(i int, index ...kernel.Index) kernel.ID {
	if s := b.splat(i); s != nil {
		return b.Bits(b.in[i].DType, *s)
	}
	return b.Load(b.param(i), index...)
}

// splat returns the bits of operand i if it is a splat.
func (b *nodeBuilder) splat(i int) *uint64 {
	return b.t.graph.Splat(b.t.values[b.op.Operands[i]])
}

// store stores an element of result i.
func (b *nodeBuilder) store(i int, v kernel.ID, index ...kernel.Index) {
	b.Store(b.result(i), v, index...)
}
