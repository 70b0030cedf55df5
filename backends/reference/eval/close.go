package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/chlo"
	"ltc/stablehlo/verify"
)

// closing gives every type of an open module the sizes that follow from those of
// main's arguments: numbers, or expressions of package dims. What computes shapes from shapes is
// evaluated, and dynamic ops become the static ones that they are for these. Values that depend on
// sizes in other ways than by their shapes are computed as the program runs: the sizes are
// arguments of it then.
type closing struct {
	*openProgram
	ws     *workspace
	main   *mlir.Block
	opened map[*mlir.Value]*mlir.TensorType // the types of values that were open
	known  map[*mlir.Value]value            // small integers that follow from shapes
	exprs  map[*mlir.Value][]int64          // likewise, of which some are expressions
	ranged map[*mlir.Value]bool             // those of exprs whose ranges are guarded
	differ []SizeGuard                      // sizes that rules need to be the same and are not
	fixed  Sizes
}

// Sizes is what [Backend.FixSizes] finds out besides types.
type Sizes struct {
	Args   []int64     // the sizes that main takes behind its arguments, i32s
	Guards []SizeGuard // what has to hold of sizes
}

// SizeGuard is a guard, and the op whose rule it is.
type SizeGuard struct {
	dims.Guard
	Op *mlir.Op
}

// NotEqual is the error of a rule that needs two expressions to be the same size: it holds if a
// symbol of one is replaced. It has those that were found behind the first, too.
type NotEqual struct {
	SizeGuard
	More []SizeGuard
}

// Error names the op whose rule it is.
func (e *NotEqual) Error() string {
	if e.Op == nil {
		return e.Guard.String()
	}
	return e.Op.Name() + ": " + e.Guard.String()
}

// knownElements is the most elements of a value that shapes are computed from.
const knownElements = 64

// largest are the ops that are closed as what they stand for: the shapes of their
// results are not those of their operands.
var largest = map[mlir.Code]bool{stablehlo.CHLOTopK: true, stablehlo.DynamicTopK: true, stablehlo.DynamicApproxTopK: true}

// FixSizes closes the module of a program that has just been loaded and has no calls of
// open functions any more, for arguments of the given shapes, whose sizes may be expressions.
// Behind its arguments main has others then, those of Sizes. The error says what leaves a size
// open: such a program runs op by op. It is a *[NotEqual] where two expressions should be one.
func (b *Backend) FixSizes(ctx context.Context, p *backends.Program, shapes [][]int) (sizes Sizes, err error) {
	chlo.Lower(p.Module, func(op *mlir.Op) bool { return !largest[op.Code] })
	if err := noNames(p.Module); err != nil {
		return sizes, err
	}
	p.Module.Symbolic = true
	main := p.Module.Func("main")
	c := newCompiler(ctx, p)
	x := &closing{openProgram: &openProgram{c, newOpCache(c)}, ws: &workspace{ctx: ctx}, main: main.Body(),
		opened: map[*mlir.Value]*mlir.TensorType{}, known: map[*mlir.Value]value{}, exprs: map[*mlir.Value][]int64{}, ranged: map[*mlir.Value]bool{}}
	for i, a := range x.main.Args {
		t, ok := a.Type.(*mlir.TensorType)
		if !ok {
			return sizes, fmt.Errorf("argument %d is %v", i, a.Type)
		}
		if t, err = closed(t, shapes[i], nil); err != nil {
			return sizes, fmt.Errorf("argument %d: %w", i, err)
		}
		x.become(a, t)
	}
	err = x.block(x.main)
	if len(x.differ) > 0 { // what else is wrong may follow from that
		return sizes, &NotEqual{x.differ[0], x.differ[1:]}
	}
	if err != nil {
		return sizes, err
	}
	x.sign(main)
	if err := verify.ModuleContext(ctx, p.Module); err != nil {
		return sizes, err
	}
	sig, lacking, err := backends.ReadSignature(p.Module)
	if err == nil && len(lacking) > 0 {
		err = fmt.Errorf("%s", lacking[0].Reason)
	}
	p.Signature = sig
	return x.fixed, err
}

// noNames returns an error if an attribute has an integer that could be the name of an
// expression. Constants are any numbers, such as the words of random numbers.
func noNames(m *mlir.Module) (err error) {
	m.Walk(func(op *mlir.Op) bool {
		for _, a := range op.Attrs {
			if d, ok := a.Value.(*mlir.DenseAttr); ok && op.Code == stablehlo.Constant && d.Type.Elements() > knownElements {
				continue // no shape follows from it
			}
			list, _ := mlir.Ints(a.Value)
			n, _ := mlir.Int(a.Value)
			if slices.ContainsFunc(append(list, n), func(n int64) bool {
				return n < -dims.Largest && (op.Code != stablehlo.Constant || dims.GoIsExpr(n))
			}) {
				err = fmt.Errorf("%s has %d, which sizes that are open cannot be added to", a.Name, slices.Min(append(list, n)))
			}
		}
		return err == nil
	})
	return err
}

// block closes the ops of a block.
func (x *closing) block(bl *mlir.Block) error {
	last := len(bl.Ops) - 1
	var ops []*mlir.Op
	for _, op := range bl.Ops[:last] {
		closed, err := x.close(op)
		var unequal *NotEqual
		if errors.As(err, &unequal) {
			x.differ = append(x.differ, SizeGuard{unequal.Guard, op})
			return unequal
		}
		if err != nil {
			return x.errorAt(op, err)
		}
		if closed != nil {
			ops = append(ops, closed)
		}
	}
	bl.Ops = append(ops, bl.Ops[last])
	return nil
}

// become gives a value its closed type.
func (x *closing) become(v *mlir.Value, t mlir.Type) {
	if old, ok := v.Type.(*mlir.TensorType); ok && openType(old) {
		x.opened[v] = old
	}
	v.Type = t
}

// sign gives main the type that its arguments and results make.
func (x *closing) sign(main *mlir.Op) {
	t := &mlir.FunctionType{}
	for _, a := range x.main.Args {
		t.Ins = append(t.Ins, a.Type)
	}
	for _, v := range x.main.Ops[len(x.main.Ops)-1].Operands {
		t.Outs = append(t.Outs, v.Type)
	}
	main.Attrs.Set("function_type", mlir.TypeAttr{Type: t})
	if attrs, ok := main.Attrs.Get("arg_attrs").(mlir.ArrayAttr); ok {
		attrs = slices.Clone(attrs)
		for range x.fixed.Args {
			attrs = append(attrs, mlir.DictAttr{})
		}
		main.Attrs.Set("arg_attrs", attrs)
	}
}

// close returns the op that op is now that the types of its operands are closed,
// and closes those of its results; nil if it is none any more.
func (x *closing) close(op *mlir.Op) (*mlir.Op, error) {
	if callee := x.Module.Func(op.Callee()); callee != nil && x.isOpen(callee) {
		return nil, fmt.Errorf("@%s is open and was not inlined", callee.SymName())
	}
	if branches[op.Code] {
		return op, x.closeBranches(op)
	}
	if err := closedRegions(op); err != nil {
		return nil, err
	}
	if x.asserted(op) {
		return nil, nil
	}
	in, known, err := x.operands(op)
	if in == nil || err != nil {
		return op, err
	}
	if op.Code == stablehlo.SetDimensionSize || op.Code == stablehlo.RNG {
		return op, x.noneOpen(op)
	}
	s, _, err := resolveBy(op, in, func(k int) ([]int, error) {
		list, ok := x.ints(op.Operands[k])
		if !ok {
			return nil, fmt.Errorf("operand %d does not follow from the shapes of arguments", k)
		}
		x.guardRanges(op.Operands[k])
		return toInts(list), nil
	})
	if err != nil {
		return nil, err
	}
	if err := x.closeResults(op, &s, in); err != nil {
		return nil, err
	}
	if err := x.follow(op, in, known); err != nil {
		return nil, err
	}
	if x.asksOpen(op) {
		return nil, x.takeSize(op.Results[0])
	}
	return s.op, nil
}

// branches are the ops whose regions take and give tensors: loops and branches.
var branches = map[mlir.Code]bool{stablehlo.While: true, stablehlo.If: true, stablehlo.Case: true}

// closeBranches closes the regions of a loop or a branch, and its results. What a
// loop carries has the sizes that it has at first; the verifier finds out where
// turns, or branches, give others.
func (x *closing) closeBranches(op *mlir.Op) error {
	loop := op.Code == stablehlo.While
	var gives []*mlir.Value
	for _, r := range op.Regions {
		if len(r.Blocks) != 1 {
			return fmt.Errorf("a region of %s", diag.Count(len(r.Blocks), "block"))
		}
		bl := r.Blocks[0]
		for i, a := range bl.Args {
			if !loop || i >= len(op.Operands) {
				return fmt.Errorf("a region of %s", diag.Count(len(bl.Args), "argument"))
			}
			x.become(a, op.Operands[i].Type)
		}
		if err := x.block(bl); err != nil {
			return err
		}
		gives = bl.Ops[len(bl.Ops)-1].Operands
	}
	if loop {
		gives = op.Operands
	}
	for i, r := range op.Results {
		if i >= len(gives) {
			return fmt.Errorf("%s of %d", diag.Count(len(op.Results), "result"), len(gives))
		}
		x.become(r, gives[i].Type)
	}
	return nil
}

// closedRegions returns an error if the regions of an op leave a size open, or ask
// for one.
func closedRegions(op *mlir.Op) error {
	if within(op, func(v *mlir.Value) bool { return openType(v.Type) }) {
		return fmt.Errorf("its regions leave sizes open")
	}
	if within(op, func(v *mlir.Value) bool { return v.Def != nil && v.Def.Code == stablehlo.GetDimensionSize }) {
		return fmt.Errorf("its regions ask for a size, which can be known before it")
	}
	return nil
}

// operands returns the operands of an op, nil if its types need none of them, and
// whether all are known.
func (x *closing) operands(op *mlir.Op) (in value, known bool, err error) {
	in, known = make(value, len(op.Operands)), !needsRun(op)
	for i, v := range op.Operands {
		t, reason := sizedTensor(v.Type)
		if reason != "" {
			if slices.ContainsFunc(op.Results, func(r *mlir.Value) bool { return openType(r.Type) }) {
				return nil, false, fmt.Errorf("operand %d: %s", i, reason)
			}
			return nil, false, nil
		}
		in[i] = part{tensor: t}
		if k := x.known[v]; k != nil {
			in[i] = k[0]
		} else {
			known = false
		}
	}
	return in, known, nil
}

// closeResults closes the types of an op's results; s is what it became.
func (x *closing) closeResults(op *mlir.Op, s *special, in value) error {
	if static(op) == nil && !hasExprs(op) && !slices.ContainsFunc(op.Results, func(r *mlir.Value) bool { return openType(r.Type) }) {
		return nil
	}
	kept := make([]tensor, len(s.kept))
	for i, k := range s.kept {
		kept[i] = in[k].tensor
	}
	types, guards, err := s.resultTypes(x.Module, op, kept, nil)
	if err != nil {
		return err
	}
	for _, g := range guards {
		if g.Rule == dims.Equal {
			x.differ = append(x.differ, SizeGuard{g, op})
			continue
		}
		x.fixed.Guards = append(x.fixed.Guards, SizeGuard{g, op})
	}
	for i, r := range op.Results {
		x.become(r, types[i])
		r.Def = s.op
	}
	return nil
}

// asksOpen reports whether an op asks for a size that the text leaves open.
func (x *closing) asksOpen(op *mlir.Op) bool {
	if op.Code != stablehlo.GetDimensionSize {
		return false
	}
	t := x.opened[op.Operands[0]]
	d, ok := op.Attrs.Get("dimension").(mlir.IntegerAttr)
	return t != nil && ok && t.Shape[d.Value] == mlir.Dynamic
}

// takeSize makes a known size an argument of main.
func (x *closing) takeSize(v *mlir.Value) error {
	n, ok := x.ints(v)
	if !ok {
		return fmt.Errorf("the size is not known")
	}
	x.guardRanges(v) // beyond its type's integers the evaluator has the error
	x.fixed.Args = append(x.fixed.Args, n[0])
	v.Def, v.Block, v.Index = nil, x.main, len(x.main.Args)
	x.main.Args = append(x.main.Args, v)
	return nil
}

// noneOpen returns an error if the types of op's results are open.
func (x *closing) noneOpen(op *mlir.Op) error {
	for i, r := range op.Results {
		if openType(r.Type) {
			return fmt.Errorf("result %d: %v", i, r.Type)
		}
	}
	return nil
}

// needsRun reports whether what op gives is not to be known before it runs:
// anything but a few integers that follow from its operands.
func needsRun(op *mlir.Op) bool {
	info := op.Code.Info()
	if len(op.Regions) > 0 || info.Traits.Has(mlir.Effects) || len(op.Results) != 1 {
		return true
	}
	t, ok := op.Results[0].Type.(*mlir.TensorType)
	if !ok || t.Unranked {
		return true
	}
	_, integer := t.Elem.(mlir.IntegerType)
	return !integer && t.Elem != mlir.Type(mlir.IndexType{}) || t.Static() && (!dims.Static(t.Shape) || t.Elements() > knownElements)
}

// follow notes the small integers that an op gives, if these follow from shapes. Known is whether
// all operands are numbers.
func (x *closing) follow(op *mlir.Op, in value, known bool) error {
	if op.Code == stablehlo.GetDimensionSize {
		if n := in[0].shape[stablehlo.AsGetDimensionSize(op).Dimension()]; dims.IsExpr(n) {
			x.exprs[op.Results[0]] = []int64{int64(n)}
			return nil
		}
		return x.evaluate(op, in)
	}
	if known {
		return x.evaluate(op, in)
	}
	if needsRun(op) {
		return nil
	}
	if list, ok := x.fold(op); ok && inRange(op.Results[0].Type.(*mlir.TensorType), list) {
		x.exprs[op.Results[0]] = list
	}
	return nil
}

// ints returns the integers of a value that follow from shapes; false if they do not.
func (x *closing) ints(v *mlir.Value) ([]int64, bool) {
	if list, ok := x.exprs[v]; ok {
		return list, true
	}
	k := x.known[v]
	if k == nil {
		return nil, false
	}
	n, err := readInts(k[0].p, k[0].tensor)
	if err != nil {
		return nil, false
	}
	list := make([]int64, len(n))
	for i := range n {
		if list[i] = int64(n[i]); list[i] < -dims.Largest {
			return nil, false
		}
	}
	return list, true
}

// evaluate notes what an op of known operands gives.
func (x *closing) evaluate(op *mlir.Op, in value) error {
	if t, reason := parseTensor(op.Results[0].Type); reason != "" || t.n > knownElements {
		return nil
	}
	out, err := x.plain(x.ws, nil, op, in)
	if err != nil {
		return err
	}
	x.known[op.Results[0]] = out
	return nil
}
