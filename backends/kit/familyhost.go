package kit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/mlir"
)

// alikeHost reports how two steps of the evaluator differ otherwise than by sizes.
func alikeHost(i int, a, b *Host) error {
	same := func(a, b HostArg) bool {
		return a.Value == b.Value && a.Type.DType == b.Type.DType && a.Type.Rank() == b.Type.Rank()
	}
	if a.Name != b.Name || !slices.EqualFunc(a.Args, b.Args, same) || !slices.Equal(a.Outs, b.Outs) {
		return fmt.Errorf("step %d is %s, and %s of other values", i, a.Name, b.Name)
	}
	return nil
}

// openHosts has the evaluator run its steps for all sizes, those that depend on
// the size: by a text that leaves it open, as the text of the program does.
func (f *Family) openHosts(ctx context.Context, eval backends.Backend) error {
	base := *f.base
	base.Steps = slices.Clone(base.Steps)
	for i := range base.Steps {
		if base.Steps[i].Host == nil {
			continue
		}
		h := *base.Steps[i].Host
		var texts []string
		for _, p := range f.programs {
			texts = append(texts, p.Steps[i].Host.Text)
		}
		if !slices.ContainsFunc(texts, func(t string) bool { return t != h.Text }) {
			continue
		}
		var err error
		if h.Text, err = openText(texts); err == nil {
			h.Run, err = eval.Compile(ctx, backends.NewModule(h.Text), backends.Options{Name: h.Name})
		}
		if err != nil {
			return fmt.Errorf("step %d, %s: %w", i, h.Name, err)
		}
		base.Steps[i].Host = &h
	}
	f.base = &base
	return nil
}

// openText returns the text that texts are of programs which differ in sizes of
// their types: with those left open.
func openText(texts []string) (string, error) {
	modules := make([]*mlir.Module, len(texts))
	ops := make([][]*mlir.Op, len(texts))
	for i, t := range texts {
		var err error
		if modules[i], err = mlir.Parse("step.mlir", t); err != nil {
			return "", err
		}
		modules[i].Walk(func(op *mlir.Op) bool { ops[i] = append(ops[i], op); return true })
		if len(ops[i]) != len(ops[0]) {
			return "", errors.New("it has other ops for other sizes")
		}
	}
	for k, op := range ops[0] {
		for i := range ops {
			if err := openOp(op, ops[i][k]); err != nil {
				return "", fmt.Errorf("%s: %w", op.Name, err)
			}
		}
	}
	m := modules[0]
	for _, f := range m.Ops {
		if f.Body() != nil {
			f.Attrs.Set("function_type", mlir.TypeAttr{Type: &mlir.FunctionType{Ins: typesOf(f.Body().Args), Outs: typesOf(f.Body().Ops[len(f.Body().Ops)-1].Operands)}})
		}
	}
	return mlir.Print(m), nil
}

// openOp opens the sizes in which the types of an op's values differ from those of
// the same op for another size. Nothing else of it may differ.
func openOp(op, other *mlir.Op) error {
	if op.Name != other.Name || len(op.Results) != len(other.Results) || len(op.Regions) != len(other.Regions) || len(op.Attrs) != len(other.Attrs) {
		return errors.New("it is another op for another size")
	}
	for _, a := range op.Attrs {
		if v := other.Attrs.Get(a.Name); a.Name != "function_type" && (v == nil || v.String() != a.Value.String()) {
			return fmt.Errorf("its %s depends on the size", a.Name)
		}
	}
	values, others := op.Results, other.Results
	for r := range op.Regions {
		for b, block := range op.Regions[r].Blocks {
			values, others = slices.Concat(values, block.Args), slices.Concat(others, other.Regions[r].Blocks[b].Args)
		}
	}
	if len(values) != len(others) {
		return errors.New("its regions are others for another size")
	}
	for i, v := range values {
		t, ok := v.Type.(*mlir.TensorType)
		u, ok2 := others[i].Type.(*mlir.TensorType)
		if !ok || !ok2 || len(t.Shape) != len(u.Shape) {
			if v.Type.String() != others[i].Type.String() {
				return fmt.Errorf("a value is %v, and %v for another size", v.Type, others[i].Type)
			}
			continue
		}
		open := &mlir.TensorType{Elem: t.Elem, Shape: slices.Clone(t.Shape), Encoding: t.Encoding, Unranked: t.Unranked}
		for d := range open.Shape {
			if open.Shape[d] != u.Shape[d] {
				open.Shape[d] = mlir.Dynamic
			}
		}
		v.Type = open
	}
	return nil
}

func typesOf(values []*mlir.Value) []mlir.Type {
	var all []mlir.Type
	for _, v := range values {
		all = append(all, v.Type)
	}
	return all
}
