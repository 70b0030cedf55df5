// Package verify holds what must be true of a module: the structure of its ops, and for
// each op of StableHLO and CHLO a rule, which checks types and attributes. Its central
// function is [Module]. [InferShapes] returns the shapes that the rules give.
//
// The rules are a [stablehlo.Stage]: an op without a rule does not build.
//
// The package imports only ltc/mlir, ltc/stablehlo, ltc/ir/dims, ltc/internal/lexeme,
// ltc/internal/minifloat and ltc/internal/diag.
package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/lexeme"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Module checks the structure of the module (names, terminators, arguments,
// calls) and, for the ops that have a rule, types and attributes.
// The message of a rule of the StableHLO specification ends with its label, as
// in (dot_general_c10). The error is an [*mlir.Error] or [mlir.Errors]; positions
// are those of the text that m was parsed from, if any.
func Module(m *mlir.Module) error { return ModuleContext(context.Background(), m) }

// ModuleContext is [Module] that ends when ctx is done, with an error that
// wraps its cause.
func ModuleContext(ctx context.Context, m *mlir.Module) error {
	v := newVerifier(m)
	v.done = ctx.Done()
	for _, op := range m.Ops {
		if name := op.SymName(); name != "" {
			if old := v.funcs[name]; old != nil {
				v.fail(op, "", "@%s is defined a second time%s", name, onLine(old))
				continue
			}
			v.funcs[name] = op
		}
	}
	verifyModule(v, &mlir.Op{Code: mlir.OpModule, Attrs: m.Attrs})
	for _, op := range m.Ops {
		v.op(op)
	}
	if v.ended != nil {
		return m.Ended(ctx, "verify", *v.ended)
	}
	return m.Errors(v.errs)
}

func newVerifier(m *mlir.Module) *verifier {
	return &verifier{m: m, symbolic: m.Symbolic, funcs: map[string]*mlir.Op{}, seen: map[*mlir.Value]bool{}, types: map[*mlir.TensorType]string{}, tuples: map[*mlir.Type]bool{}, held: map[*mlir.Type]bool{}, dialect: map[mlir.DialectType]string{}}
}

func onLine(op *mlir.Op) string {
	if op.Pos.Line == 0 {
		return ""
	}
	return fmt.Sprintf("; first on line %d", op.Pos.Line)
}

// verifier collects errors. The checks in the op table get it with their op.
type verifier struct {
	m       *mlir.Module
	errs    []*mlir.Error
	funcs   map[string]*mlir.Op
	seen    map[*mlir.Value]bool // values that can be used where the walk is
	order   []*mlir.Value
	stack   []*mlir.Op // the ops around the walk, outermost first
	types   map[*mlir.TensorType]string
	dialect map[mlir.DialectType]string // what types has, of types of dialects
	tuples  map[*mlir.Type]bool         // by first element: those whose types are good
	held    map[*mlir.Type]bool         // by first element: those that ops can hold
	done    <-chan struct{}             // of the context; nil if none ends the walk
	ended   *mlir.Pos                   // where it ended
	// malformed counts the errors of structure: rules read regions, so the op
	// around such an error is not checked further.
	malformed int
	stopped   bool                         // whether a rule is ending at a fault
	inferred  map[*mlir.TensorType][]int64 // of [InferShapes]: by result; nil otherwise
	guards    []dims.Guard                 // likewise: what is to hold of sizes
	symbolic  bool                         // sizes of values may be expressions, which no text has
}

// mostErrors is how many errors are kept before they are sorted: one wrong line can make
// thousands.
const mostErrors = 2000

// fail records that op breaks a rule; label is the specification's, such as
// C1, or empty.
func (v *verifier) fail(op *mlir.Op, label, format string, args ...any) {
	if len(v.errs) >= mostErrors {
		return
	}
	msg := op.Name() + ": " + fmt.Sprintf(format, args...)
	if label != "" {
		msg += " (" + strings.TrimPrefix(op.Name(), "stablehlo.") + "_" + strings.ToLower(label) + ")"
	}
	v.errs = append(v.errs, mlir.NewError(op.Pos, msg))
}

// stop is fail, and ends the rule: it does not return. Every method that checks ends the
// rule so where its subject is not as it should be.
func (v *verifier) stop(op *mlir.Op, label, format string, args ...any) {
	v.fail(op, label, format, args...)
	v.end()
}

// end ends the rule: it does not return.
func (v *verifier) end() {
	v.stopped = true
	panic(v)
}

// try runs a rule or a part of one, and reports whether it came to its end. A panic that
// is not of end passes through.
func (v *verifier) try(check func()) (whole bool) {
	defer func() {
		if v.stopped {
			recover()
			v.stopped = false
		}
	}()
	check()
	return true
}

// all is try for several parts, and ends the rule where one of them has not come to its end.
func (v *verifier) all(checks ...func()) {
	whole := true
	for _, check := range checks {
		whole = v.try(check) && whole
	}
	if !whole {
		v.end()
	}
}

// broken is fail for an error after which the op around cannot be read.
func (v *verifier) broken(op *mlir.Op, format string, args ...any) {
	v.malformed++
	v.fail(op, "", format, args...)
}

// op checks op and what is in its regions.
func (v *verifier) op(op *mlir.Op) {
	if v.ended != nil {
		return
	}
	select {
	case <-v.done:
		v.ended = &op.Pos
		return
	default:
	}
	bad := v.malformed
	for i, x := range op.Operands {
		switch {
		case x == nil || x.Type == nil:
			v.broken(op, "operand %d has no value or no type", i)
		case !v.seen[x]:
			v.broken(op, "operand %d, %%%s, is not defined where it is used", i, x.Name)
		}
	}
	for i, r := range op.Results {
		if r == nil || r.Type == nil || r.Def != op || r.Index != i {
			v.broken(op, "result %d has no type or belongs to another op", i)
		}
	}
	if v.malformed > bad {
		return
	}
	good := v.opTypes(op)
	v.stack = append(v.stack, op)
	mark := len(v.order)
	outer := v.seen
	if op.Code.Info().Traits.Has(mlir.Isolated) {
		v.seen = map[*mlir.Value]bool{}
	}
	for _, r := range op.Regions {
		v.region(op, r)
	}
	v.seen = outer
	v.order = v.order[:mark]
	v.stack = v.stack[:len(v.stack)-1]
	if rule := ruleTable[op.Code]; rule != nil && good && v.malformed == bad {
		v.try(func() {
			v.shape(op)
			v.properties(op)
			rule(v, op)
		})
	}
	for _, r := range op.Results {
		v.define(r)
	}
}

// opTypes checks the types that op has in themselves; a function's type is
// that of its body's arguments.
func (v *verifier) opTypes(op *mlir.Op) bool {
	for _, vs := range [2][]*mlir.Value{op.Operands, op.Results} {
		for _, x := range vs {
			if why := v.checkType(x.Type); why != "" {
				v.fail(op, "", "%s", why)
				return false
			}
		}
	}
	if ft := op.FuncType(); ft != nil {
		if why := v.checkType(ft); why != "" {
			v.fail(op, "", "%s", why)
		}
	}
	return true
}

// shape checks how many regions an op of StableHLO or CHLO has: each is one block
// that ends with stablehlo.return.
func (v *verifier) shape(op *mlir.Op) {
	if !strings.HasPrefix(op.Name(), "stablehlo.") && !strings.HasPrefix(op.Name(), "chlo.") {
		return
	}
	if n := op.Code.Info().Regions; n != mlir.AnyRegions && len(op.Regions) != n {
		v.stop(op, "", "has %s, but takes %d", diag.Count(len(op.Regions), "region"), n)
	}
	for i, r := range op.Regions {
		if len(r.Blocks) != 1 {
			v.stop(op, "", "region %d has %s, but should have one", i, diag.Count(len(r.Blocks), "block"))
		}
		if ret := returns(r); ret.Code != stablehlo.Return {
			v.stop(op, "", "region %d ends with %s, but should end with stablehlo.return", i, ret.Name())
		}
	}
}

// returns is the op that ends a region of one block.
func returns(r *mlir.Region) *mlir.Op {
	ops := r.Blocks[0].Ops
	return ops[len(ops)-1]
}

func (v *verifier) define(x *mlir.Value) {
	v.seen[x] = true
	v.order = append(v.order, x)
}

func (v *verifier) region(op *mlir.Op, r *mlir.Region) {
	mark := len(v.order)
	for _, b := range r.Blocks {
		for i, a := range b.Args {
			if a == nil || a.Type == nil || a.Block != b || a.Index != i {
				v.broken(op, "argument %d of a block has no type or belongs to another block", i)
				return
			}
			v.define(a)
		}
		if len(r.Blocks) > 1 { // which block comes first is for whoever runs them
			for _, o := range b.Ops {
				for _, x := range o.Results {
					v.define(x)
				}
			}
		}
	}
	for _, b := range r.Blocks {
		v.block(op, b)
	}
	for _, x := range v.order[mark:] {
		delete(v.seen, x)
	}
	v.order = v.order[:mark]
}

// block checks the ops of b, the last of which must end it. Ops that are not
// in the table may do that: what they are is not known.
func (v *verifier) block(parent *mlir.Op, b *mlir.Block) {
	for i, op := range b.Ops {
		ends, last := op.Code.Info().Traits.Has(mlir.Terminator), i == len(b.Ops)-1
		if ends && !last {
			v.broken(op, "stands before other ops; it must be the last of its block")
		}
		if op.Code != 0 && !ends && last && parent.Code != mlir.OpModule {
			v.broken(op, "is the last op of a block; a return must follow")
		}
		v.op(op)
	}
	if len(b.Ops) == 0 && parent.Code != mlir.OpModule {
		v.broken(parent, "has a block without ops; a return is the least")
	}
}

// tensors returns the types of op's operands and results. It fails unless there
// are nin operands and nout results, all tensors. It ends the rule without failing
// for types whose rules are not checked here: quantized or unranked ones.
func (v *verifier) tensors(op *mlir.Op, nin, nout int) (ins, outs []*mlir.TensorType) {
	if len(op.Operands) != nin {
		v.stop(op, "", "has %s, but takes %d", diag.Count(len(op.Operands), "operand"), nin)
	}
	if len(op.Results) != nout {
		v.stop(op, "", "has %s, but gives %d", diag.Count(len(op.Results), "result"), nout)
	}
	ins, ok := v.tensorTypes(op, "operand", op.Operands)
	outs, ok2 := v.tensorTypes(op, "result", op.Results)
	if !ok || !ok2 {
		v.end()
	}
	return ins, outs
}

func (v *verifier) tensorTypes(op *mlir.Op, what string, vs []*mlir.Value) ([]*mlir.TensorType, bool) {
	ok := true
	ts := make([]*mlir.TensorType, len(vs))
	for i, x := range vs {
		t, tensor := x.Type.(*mlir.TensorType)
		if !tensor {
			v.fail(op, "", "%s %d has type %s, but a tensor is expected", what, i, x.Type)
			ok = false
			continue
		}
		if kindOf(t.Elem)&kTensor == 0 || t.Unranked {
			ok = false
		}
		ts[i] = t
	}
	return ts, ok
}

// attr returns an attribute that op must have; kind is T in errors.
func attr[T mlir.Attribute](v *verifier, op *mlir.Op, name, kind string) T {
	a, ok := op.Attrs.Get(name).(T)
	if !ok {
		v.missing(op, name, kind, op.Attrs.Get(name))
	}
	return a
}

// dense returns a, the attribute of that name that op must have, and its integers.
func (v *verifier) dense(op *mlir.Op, name, kind string, a mlir.Attribute) (*mlir.DenseAttr, []int64) {
	d, ok := a.(*mlir.DenseAttr)
	list, ints := mlir.Ints(a)
	if !ok || !ints {
		v.missing(op, name, kind, a)
	}
	return d, list
}

// ints returns the integers of an attribute that op must have.
func (v *verifier) ints(op *mlir.Op, name string) []int64 {
	a := op.Attrs.Get(name)
	x, ok := mlir.Ints(a)
	if !ok {
		v.missing(op, name, "a list of integers", a)
	}
	return x
}

// int returns an integer attribute that op must have, at least low.
func (v *verifier) int(op *mlir.Op, label, name string, low int64) int64 {
	a := op.Attrs.Get(name)
	x, ok := mlir.Int(a)
	if !ok {
		v.missing(op, name, "an integer", a)
	}
	if x < low {
		v.stop(op, label, "%s is %d, but should be at least %d", name, x, low)
	}
	return x
}

// dim returns an attribute that op must have, a dimension of t.
func (v *verifier) dim(op *mlir.Op, label, name string, t *mlir.TensorType) int64 {
	d := v.int(op, label, name, 0)
	v.within(op, label, name, []int64{d}, len(t.Shape))
	return d
}

// oneOf checks an enum attribute that op must have.
func (v *verifier) oneOf(op *mlir.Op, label, name string, values ...string) {
	a := op.Attrs.Get(name)
	if e := mlir.Enum(a); a == nil || !slices.Contains(values, e) {
		v.stop(op, label, "%s is '%s', but should be one of %s", name, e, strings.Join(values, ", "))
	}
}

// missing ends the rule for an attribute that is not there, or of another kind.
func (v *verifier) missing(op *mlir.Op, name, kind string, a mlir.Attribute) {
	if a == nil {
		v.stop(op, "", "attribute %s is missing: %s is expected", name, kind)
	}
	v.stop(op, "", "attribute %s is %s, but %s is expected", name, lexeme.Clip(a.String()), kind)
}

// sameShape reports whether two shapes can be the same; an unknown dimension
// can be anything. Sizes that are different expressions can be the same where shapes are inferred.
func (v *verifier) sameShape(a, b []int64) bool { return slices.EqualFunc(a, b, v.sameDim) }

func (v *verifier) sameDim(a, b int64) bool {
	return a == b || a == mlir.Dynamic || b == mlir.Dynamic || v.can(dims.Equal, a, b)
}

// can reports whether a rule holds of two numbers, or sizes that are known. Where shapes are
// inferred, a rule of expressions that may hold is noted.
func (v *verifier) can(rule dims.Rule, a, b int64) bool {
	if !v.expr(a, b) {
		switch rule {
		case dims.Equal:
			return a == b
		case dims.NotMore:
			return a <= b
		}
		return a%b == 0
	}
	g := dims.Guard{Rule: rule, A: a, B: b}
	holds, possible := g.Prove()
	if holds || !possible || v.inferred == nil {
		return holds || possible && rule != dims.Equal
	}
	v.guards = append(v.guards, g)
	return true
}

// expr reports whether one of some sizes is an expression.
func (v *verifier) expr(sizes ...int64) bool { return v.symbolic && dims.HasExpr(sizes...) }

// atMost reports whether a number can be at most a size; an unknown size can be anything.
func (v *verifier) atMost(n, size int64) bool {
	return size == mlir.Dynamic || v.can(dims.NotMore, n, size)
}

// atLeast reports whether n can be at least a number.
func (v *verifier) atLeast(n, least int64) bool { return v.can(dims.NotMore, least, n) }

// multiple reports whether a size can be a multiple of another, which is not 0.
func (v *verifier) multiple(a, b int64) bool {
	return a == mlir.Dynamic || b == mlir.Dynamic || v.can(dims.Multiple, a, b)
}

// sameTensor compares types for shapes that may have unknown dimensions.
func (v *verifier) sameTensor(a, b *mlir.TensorType) bool {
	return a == b || v.compatible(a, b) && sameElement(a.Elem, b.Elem)
}

// likeTensor is sameTensor for baseline types: scales and zero points do not
// count.
func (v *verifier) likeTensor(a, b *mlir.TensorType) bool {
	return a == b || v.compatible(a, b) && sameBaseline(a.Elem, b.Elem)
}

// within checks low <= each of dims < high.
func (v *verifier) within(op *mlir.Op, label, what string, dims []int64, high int) {
	for _, d := range dims {
		if d < 0 || d >= int64(high) {
			v.stop(op, label, "%s has %d, which is not in [0, %d)", what, d, high)
		}
	}
}

func (v *verifier) unique(op *mlir.Op, label, what string, dims ...int64) {
	seen := map[int64]bool{}
	for _, d := range dims {
		if seen[d] {
			v.stop(op, label, "%s has %d twice", what, d)
		}
		seen[d] = true
	}
}

func (v *verifier) sorted(op *mlir.Op, label, what string, dims []int64) {
	if !slices.IsSorted(dims) {
		v.stop(op, label, "%s is not sorted: %s", what, shapeText(dims))
	}
}

// result checks that the op's result t can have the given shape, whose unknown
// dimensions are at most bounds, where these are given. It is the shape that is inferred.
func (v *verifier) result(op *mlir.Op, label string, t *mlir.TensorType, shape []int64, bounds ...int64) {
	if !v.sameShape(t.Shape, shape) {
		v.stop(op, label, "the result is %s, but its shape should be %s", t, shapeText(shape))
	}
	if !inBounds(shape, stablehlo.Bounds(t)) {
		v.stop(op, label, "the result is %s, but its shape is %s: a bound is too low", t, shapeText(shape))
	}
	if !inBounds(t.Shape, bounds) {
		v.stop(op, label, "the result is %s, but its shape is at most %s", t, shapeText(bounds))
	}
	v.infer(t, shape)
}

func shapeText(shape []int64) string {
	return "[" + diag.Join(shape, lexeme.Size) + "]"
}

// properties checks the form of op's properties, and that none is missing.
func (v *verifier) properties(op *mlir.Op) {
	if !strings.HasPrefix(op.Name(), "stablehlo.") {
		return
	}
	for _, name := range op.Code.Props() {
		if form := stablehlo.FormProblem(op, name); form != "" {
			v.missing(op, name, form, op.Attrs.Get(name))
		}
	}
}
