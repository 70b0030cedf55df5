package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
)

// probe is what one probe_id has seen at a point of the program.
type probe struct {
	id   string
	typ  mlir.Type // of what the checks compare with it
	iter []int64   // the iterations that checks name

	// seen is each value that it has seen, in order, while the text alone tells them.
	seen []*mlir.Value
	// Behind an op whose regions probe, count is how many values it has seen, an i64, and
	// kept has the values of the iterations in iter, any value where there was none.
	count *mlir.Value
	kept  []*mlir.Value
}

// probes are the probes that checks name.
type probes map[string]*probe

// checkedProbes returns the probes that the checks among the ops, and inside them, name.
func checkedProbes(ops []*mlir.Op) probes {
	all := probes{}
	(&mlir.Module{Ops: ops}).Walk(func(op *mlir.Op) bool {
		if name, _ := checkName(op); name != serializedName || len(op.Operands) != 1 {
			return true
		}
		id, iter := serialized(op)
		if all[id] == nil {
			all[id] = &probe{id: id, typ: op.Operands[0].Type}
		}
		if p := all[id]; !slices.Contains(p.iter, iter) {
			p.iter = append(p.iter, iter)
		}
		return true
	})
	return all
}

// serialized returns which value a check compares with.
func serialized(op *mlir.Op) (id string, iter int64) {
	iter, _ = mlir.Int(op.Attrs.Get("iteration"))
	return probeID(op), iter
}

func probeID(op *mlir.Op) string {
	id, _ := op.Attrs.Get("probe_id").(mlir.StringAttr)
	return string(id)
}

func isProbe(op *mlir.Op) bool { return op.Code == stablehlo.InterpreterProbe && len(op.Operands) == 1 }

// find returns the value of an iteration. count is nil if there is sure to be one.
func (ps probes) find(id string, iter int64) (v, count *mlir.Value, err error) {
	p := ps[id]
	switch {
	case p == nil || p.count == nil && len(p.seen) == 0:
		return nil, nil, fmt.Errorf("no interpreter.probe %q comes before it", id)
	case p.count != nil:
		return p.kept[slices.Index(p.iter, iter)], p.count, nil
	case iter >= int64(len(p.seen)):
		return nil, nil, errors.New(noIteration(id, iter, int64(len(p.seen))))
	}
	return p.seen[iter], nil, nil
}

func noIteration(id string, iter, runs int64) string {
	return fmt.Sprintf("interpreter.probe %q has no iteration %d: it ran %s before", id, iter, diag.Count(runs, "time"))
}

// builder appends ops to a block's.
type builder struct {
	ops []*mlir.Op
	pos mlir.Pos // of the op that they are for
}

func (b *builder) op(code mlir.Code, t mlir.Type, attrs mlir.Dict, operands ...*mlir.Value) *mlir.Value {
	o := mlir.NewOp(code, operands, t)
	o.Attrs, o.Pos = attrs, b.pos
	b.ops = append(b.ops, o)
	return o.Results[0]
}

func (b *builder) constant(literal string, t *mlir.TensorType) *mlir.Value {
	return b.op(stablehlo.Constant, t, mlir.Dict{{Name: "value", Value: &mlir.DenseAttr{Literal: literal, Type: t}}})
}

func (b *builder) number(n int64) *mlir.Value {
	return b.constant(strconv.FormatInt(n, 10), mlir.Tensor(mlir.I64))
}

// placeholder returns any value of a type.
func (b *builder) placeholder(t mlir.Type) (*mlir.Value, error) {
	literal := ""
	tensor, ok := t.(*mlir.TensorType)
	if ok && tensor.Static() {
		switch e := tensor.Elem.(type) {
		case mlir.IntegerType:
			if literal = "0"; e.Width == 1 {
				literal = "false"
			}
		case mlir.FloatType:
			literal = "1.0" // not all types have a 0
		case mlir.ComplexType:
			literal = "(0.0, 0.0)"
		}
	}
	if literal == "" {
		return nil, fmt.Errorf("a check of a probe in a loop or branch cannot have values of type %v: use static tensors of numbers", t)
	}
	return b.constant(literal, tensor), nil
}

// record adds what a probe sees.
func (p *probe) record(b *builder, v *mlir.Value) error {
	if p.count == nil {
		p.seen = append(p.seen, v)
		return nil
	}
	if !mlir.SameType(v.Type, p.typ) {
		return fmt.Errorf("its value is of type %v, that of the check of %q is of type %v", v.Type, p.id, p.typ)
	}
	for i, iter := range p.iter {
		equal := mlir.Dict{{Name: "comparison_direction", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: "EQ"}}}
		now := b.op(stablehlo.Compare, mlir.Tensor(mlir.I1), equal, p.count, b.number(iter))
		p.kept[i] = b.op(stablehlo.Select, p.typ, nil, now, v, p.kept[i])
	}
	p.count = b.op(stablehlo.Add, p.count.Type, nil, p.count, b.number(1))
	return nil
}

// materialize makes values of what the text tells, as long as only that is known.
func (p *probe) materialize(b *builder) error {
	if p.count != nil {
		return nil
	}
	p.count, p.kept = b.number(int64(len(p.seen))), nil
	for _, iter := range p.iter {
		var v *mlir.Value
		var err error
		if iter < int64(len(p.seen)) && mlir.SameType(p.seen[iter].Type, p.typ) {
			v = p.seen[iter]
		} else if v, err = b.placeholder(p.typ); err != nil {
			return err
		}
		p.kept = append(p.kept, v)
	}
	return nil
}

// state returns the values of probes that are materialized.
func state(ps []*probe) []*mlir.Value {
	var all []*mlir.Value
	for _, p := range ps {
		all = append(append(all, p.count), p.kept...)
	}
	return all
}

func setState(ps []*probe, all []*mlir.Value) {
	for _, p := range ps {
		n := len(p.iter)
		p.count, p.kept, all = all[0], slices.Clone(all[1:1+n]), all[1+n:]
	}
}

// within returns those of the probes that are in the regions of op.
func (ps probes) within(op *mlir.Op) []*probe {
	var found []*probe
	walkRegions(op, func(o *mlir.Op) bool {
		if p := ps[probeID(o)]; p != nil && isProbe(o) && !slices.Contains(found, p) {
			found = append(found, p)
		}
		return true
	})
	return found
}

// lower appends an op. A probe becomes the identity; an op with probes in its regions
// gets what they have seen as further results.
func (ps probes) lower(b *builder, op *mlir.Op) error {
	b.pos = op.Pos
	if isProbe(op) {
		return ps.lowerProbe(b, op)
	}
	in := ps.within(op)
	if len(in) > 0 && op.Code != stablehlo.While && op.Code != stablehlo.If && op.Code != stablehlo.Case {
		return errors.New("what a probe in its regions sees cannot be made a result of the program")
	}
	for _, p := range in {
		if err := p.materialize(b); err != nil {
			return err
		}
	}
	b.ops = append(b.ops, op)
	before := state(in)
	for i := range op.Regions {
		if err := ps.lowerRegion(op, i, in, before); err != nil {
			return err
		}
	}
	if op.Code == stablehlo.While {
		op.Operands = append(op.Operands, before...)
	}
	var after []*mlir.Value
	for _, v := range before {
		after = append(after, &mlir.Value{Type: v.Type, Def: op, Index: len(op.Results) + len(after)})
	}
	op.Results = append(op.Results, after...)
	setState(in, after)
	return nil
}

// lowerProbe appends the identity in the place of a probe, and records what it sees.
func (ps probes) lowerProbe(b *builder, op *mlir.Op) error {
	p := ps[probeID(op)]
	op.Code, op.Attrs = stablehlo.Reshape, nil
	b.ops = append(b.ops, op)
	if p == nil {
		return nil
	}
	return p.record(b, op.Operands[0])
}

// lowerRegion lowers a region of an op. The state of the probes in it is before where op
// begins, and what the region returns beside its own results where it ends. In a loop the
// state is carried from one iteration to the next.
func (ps probes) lowerRegion(op *mlir.Op, region int, in []*probe, before []*mlir.Value) error {
	loop := op.Code == stablehlo.While
	for _, block := range op.Regions[region].Blocks {
		begin := before
		if loop {
			begin = addArgs(block, before)
		}
		setState(in, begin)
		if err := ps.lowerBlock(block); err != nil {
			return err
		}
		end := state(in)
		if loop && region == 0 { // the condition returns nothing else
			if !slices.Equal(begin, end) {
				return errors.New("what a probe in its condition sees cannot be made a result of the program")
			}
			continue
		}
		last := block.Ops[len(block.Ops)-1]
		last.Operands = append(last.Operands, end...)
	}
	return nil
}

// addArgs gives a block arguments of the values' types, which it returns.
func addArgs(block *mlir.Block, like []*mlir.Value) []*mlir.Value {
	n := len(block.Args)
	for _, v := range like {
		block.Args = append(block.Args, &mlir.Value{Type: v.Type, Block: block, Index: len(block.Args)})
	}
	return slices.Clone(block.Args[n:])
}

// lowerBlock lowers the ops of a block.
func (ps probes) lowerBlock(block *mlir.Block) error {
	b := &builder{}
	for _, op := range block.Ops {
		if err := ps.lower(b, op); err != nil {
			return at(op, err)
		}
	}
	block.Ops = b.ops
	return nil
}
