package reference

import (
	"context"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/mlir"
)

// closing gives every type of an open module the sizes that follow from those of
// main's arguments: what computes shapes from shapes is evaluated, dynamic ops
// become the static ones that they are for these.
type closing struct {
	*openProgram
	ws    *workspace
	known map[*mlir.Value]value // small integers that follow from shapes
	sized map[*mlir.Value]bool  // values that follow from sizes in other ways than by their types
}

// keepsLines are the ops after which a number that is a multiple of a size, and a
// rest, still is. What others make of a size can be anything for sizes that
// nobody has looked at: whether it is less than a million, say.
var keepsLines = map[string]bool{
	"stablehlo.add": true, "stablehlo.broadcast_in_dim": true, "stablehlo.concatenate": true, "stablehlo.convert": true,
	"stablehlo.get_dimension_size": true, "stablehlo.multiply": true, "stablehlo.negate": true,
	"stablehlo.optimization_barrier": true, "stablehlo.reshape": true, "stablehlo.slice": true, "stablehlo.subtract": true,
	"stablehlo.transpose": true,
}

// knownElements is the most elements of a value that shapes are computed from.
const knownElements = 64

// closeProgram closes the module of a program that has just been loaded, for
// arguments of the given shapes. The error says what leaves a size open: such a
// program runs op by op.
func closeProgram(ctx context.Context, p *backends.Program, shapes [][]int) error {
	if err := kit.Inline(ctx, p.Module); err != nil {
		return err
	}
	main := p.Module.Func("main")
	c := newCompiler(ctx, p)
	x := &closing{&openProgram{c, newOpCache(c)}, &workspace{ctx: ctx}, map[*mlir.Value]value{}, map[*mlir.Value]bool{}}
	body, signature := main.Body(), &mlir.FunctionType{}
	for i, a := range body.Args {
		t, ok := a.Type.(*mlir.TensorType)
		if !ok {
			return fmt.Errorf("argument %d is %v", i, a.Type)
		}
		t, err := closed(t, shapes[i])
		if err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
		a.Type = t
		signature.Ins = append(signature.Ins, t)
	}
	last := len(body.Ops) - 1
	for i, op := range body.Ops[:last] {
		closed, err := x.close(op)
		if err != nil {
			return c.errorAt(op, err)
		}
		body.Ops[i] = closed
	}
	for _, v := range body.Ops[last].Operands {
		signature.Outs = append(signature.Outs, v.Type)
	}
	main.Attrs.Set("function_type", mlir.TypeAttr{Type: signature})
	if err := mlir.VerifyContext(ctx, p.Module); err != nil {
		return err
	}
	sig, lacking, err := backends.ReadSignature(p.Module)
	if err == nil && len(lacking) > 0 {
		err = fmt.Errorf("%s", lacking[0].Reason)
	}
	p.Signature = sig
	return err
}

// close returns the op that op is now that the types of its operands are closed,
// and closes those of its results.
func (x *closing) close(op *mlir.Op) (*mlir.Op, error) {
	if callee := x.callee(op); callee != nil && x.isOpen(callee) {
		return nil, fmt.Errorf("@%s is open and was not inlined", callee.SymName())
	}
	if err := x.lines(op); err != nil {
		return nil, err
	}
	open := false
	eachBlock(op, func(bl *mlir.Block) {
		for _, a := range bl.Args {
			open = open || openType(a.Type)
		}
		for _, o := range bl.Ops {
			for _, r := range o.Results {
				open = open || openType(r.Type)
			}
		}
	})
	if open {
		return nil, fmt.Errorf("its regions leave sizes open")
	}
	in := make(value, len(op.Operands))
	known := !needsRun(op)
	for i, v := range op.Operands {
		t, reason := parseTensor(v.Type)
		if reason != "" {
			if slices.ContainsFunc(op.Results, func(r *mlir.Value) bool { return openType(r.Type) }) {
				return nil, fmt.Errorf("operand %d: %s", i, reason)
			}
			return op, nil
		}
		in[i] = part{tensor: t}
		if k := x.known[v]; k != nil {
			in[i] = k[0]
		} else {
			known = false
		}
	}
	if d := static(op); d != nil {
		for _, p := range d.Parts {
			if p.Operand >= len(in) || in[p.Operand].p == nil {
				return nil, fmt.Errorf("operand %d does not follow from the shapes of arguments", p.Operand)
			}
		}
	}
	if op.Name == "stablehlo.set_dimension_size" || op.Name == "stablehlo.rng" {
		return op, x.noneOpen(op)
	}
	s, _, err := resolve(op, in)
	if err != nil {
		return nil, err
	}
	kept := make([]tensor, len(s.kept))
	for i, k := range s.kept {
		kept[i] = in[k].tensor
	}
	if static(op) != nil || slices.ContainsFunc(op.Results, func(r *mlir.Value) bool { return openType(r.Type) }) {
		if opTable[op.Name].prepare == nil && len(kept) > 0 { // of CHLO, elementwise
			s.shape = kept[0].shape
		}
		types, err := s.resultTypes(op, kept)
		if err != nil {
			return nil, err
		}
		for i, r := range op.Results {
			r.Type, r.Def = types[i], s.op
		}
	}
	if op.Name == "stablehlo.get_dimension_size" {
		known = true
	}
	if known {
		if err := x.evaluate(op, in); err != nil {
			return nil, err
		}
	}
	return s.op, nil
}

// exact reports whether an op of keepsLines computes as with integers of any
// size: its integers are of 32 bits or more, which sizes fit, and no two sizes are
// multiplied.
func (x *closing) exact(op *mlir.Op) bool {
	for _, v := range slices.Concat(op.Operands, op.Results) {
		t, ok := v.Type.(*mlir.TensorType)
		if !ok {
			return false
		}
		if i, ok := t.Elem.(mlir.IntegerType); ok && i.Width < 32 {
			return false
		}
	}
	return op.Name != "stablehlo.multiply" || len(op.Operands) == 2 && !(x.sized[op.Operands[0]] && x.sized[op.Operands[1]])
}

// lines returns an error if op makes something else of a size than a multiple of
// it and a rest, and the shape of a result.
func (x *closing) lines(op *mlir.Op) error {
	shapes := map[int]bool{}
	if d := static(op); d != nil {
		for _, p := range d.Parts {
			shapes[p.Operand] = true
		}
	}
	sized := op.Name == "stablehlo.get_dimension_size"
	for i, v := range op.Operands {
		sized = sized || x.sized[v] && !shapes[i]
	}
	for _, v := range captured(op) {
		sized = sized || x.sized[v]
	}
	if !sized {
		return nil
	}
	if !keepsLines[op.Name] || !x.exact(op) {
		return fmt.Errorf("what it makes of a size that the text leaves open is not known for all sizes")
	}
	for _, r := range op.Results {
		x.sized[r] = true
	}
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
	info, _ := mlir.Info(op.Name)
	if len(op.Regions) > 0 || info.Traits.Has(mlir.Effects) || len(op.Results) != 1 {
		return true
	}
	t, ok := op.Results[0].Type.(*mlir.TensorType)
	if !ok || t.Unranked {
		return true
	}
	_, integer := t.Elem.(mlir.IntegerType)
	return !integer && t.Elem != mlir.Type(mlir.IndexType{}) || t.Static() && t.Elements() > knownElements
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
