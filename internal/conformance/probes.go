package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ltc/mlir"
)

// probe is what one probe_id has seen at a point of the program.
type probe struct {
	id   string
	typ  mlir.Type // of what the checks compare with it
	iter []int64   // the iterations that checks name

	// Each value that it has seen, in order, as long as the text alone tells.
	seen []*mlir.Value
	// Behind an op whose regions probe: how many values it has seen, an i64, and the
	// values of the iterations in iter, any value where there was none.
	count *mlir.Value
	kept  []*mlir.Value
}

// probes are the probes that checks name.
type probes map[string]*probe

// wanted returns the probes that the checks among the ops, and inside them, name.
func wanted(ops []*mlir.Op) probes {
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

func isProbe(op *mlir.Op) bool { return op.Name == "interpreter.probe" && len(op.Operands) == 1 }

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
	return fmt.Sprintf("interpreter.probe %q has no iteration %d: it ran %d times before", id, iter, runs)
}

// builder appends ops to a block's.
type builder struct {
	ops []*mlir.Op
	pos mlir.Pos // of the op that they are for
}

func (b *builder) op(name string, t mlir.Type, attrs mlir.Dict, operands ...*mlir.Value) *mlir.Value {
	o := mlir.NewOp(name, operands, t)
	o.Attrs, o.Pos = attrs, b.pos
	b.ops = append(b.ops, o)
	return o.Results[0]
}

func (b *builder) constant(literal string, t *mlir.TensorType) *mlir.Value {
	return b.op("stablehlo.constant", t, mlir.Dict{{Name: "value", Value: &mlir.DenseAttr{Literal: literal, Type: t}}})
}

func (b *builder) number(n int64) *mlir.Value {
	return b.constant(strconv.FormatInt(n, 10), mlir.Tensor(mlir.I64))
}

// any returns a value of a type.
func (b *builder) any(t mlir.Type) (*mlir.Value, error) {
	tensor, ok := t.(*mlir.TensorType)
	if !ok || !tensor.Static() {
		return nil, fmt.Errorf("values of type %v cannot be kept", t)
	}
	switch e := tensor.Elem.(type) {
	case mlir.IntegerType:
		if e.Width == 1 {
			return b.constant("false", tensor), nil
		}
		return b.constant("0", tensor), nil
	case mlir.FloatType:
		return b.constant("1.0", tensor), nil // not all types have a 0
	case mlir.ComplexType:
		return b.constant("(0.0, 0.0)", tensor), nil
	}
	return nil, fmt.Errorf("values of type %v cannot be kept", t)
}

// note adds what a probe sees.
func (p *probe) note(b *builder, v *mlir.Value) error {
	if p.count == nil {
		p.seen = append(p.seen, v)
		return nil
	}
	if !mlir.SameType(v.Type, p.typ) {
		return fmt.Errorf("its value is of type %v, that of the check of %q is of type %v", v.Type, p.id, p.typ)
	}
	for i, iter := range p.iter {
		equal := mlir.Dict{{Name: "comparison_direction", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_direction", Value: "EQ"}}}
		now := b.op("stablehlo.compare", mlir.Tensor(mlir.I1), equal, p.count, b.number(iter))
		p.kept[i] = b.op("stablehlo.select", p.typ, nil, now, v, p.kept[i])
	}
	p.count = b.op("stablehlo.add", p.count.Type, nil, p.count, b.number(1))
	return nil
}

// settle makes values of what the text tells.
func (p *probe) settle(b *builder) error {
	if p.count != nil {
		return nil
	}
	p.count, p.kept = b.number(int64(len(p.seen))), nil
	for _, iter := range p.iter {
		var v *mlir.Value
		var err error
		if iter < int64(len(p.seen)) && mlir.SameType(p.seen[iter].Type, p.typ) {
			v = p.seen[iter]
		} else if v, err = b.any(p.typ); err != nil {
			return err
		}
		p.kept = append(p.kept, v)
	}
	return nil
}

// state returns the values of probes that are settled.
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
	inside(op, func(o *mlir.Op) bool {
		if p := ps[probeID(o)]; p != nil && isProbe(o) && !slices.Contains(found, p) {
			found = append(found, p)
		}
		return true
	})
	return found
}

// watch appends an op. A probe becomes the identity; an op with probes in its regions
// gets what they have seen as further results.
func (ps probes) watch(b *builder, op *mlir.Op) error {
	b.pos = op.Pos
	if isProbe(op) {
		p := ps[probeID(op)]
		op.Name, op.Attrs = "stablehlo.reshape", nil
		b.ops = append(b.ops, op)
		if p == nil {
			return nil
		}
		return p.note(b, op.Operands[0])
	}
	in := ps.within(op)
	var first []*mlir.Value // what the probes have seen before
	if len(in) > 0 {
		if op.Name != "stablehlo.while" && op.Name != "stablehlo.if" && op.Name != "stablehlo.case" {
			return errors.New("what a probe in its regions sees cannot be made a result of the program")
		}
		for _, p := range in {
			if err := p.settle(b); err != nil {
				return err
			}
		}
		first = state(in)
	}
	b.ops = append(b.ops, op)
	loop := op.Name == "stablehlo.while"
	for i, r := range op.Regions {
		for _, block := range r.Blocks {
			begin := first
			if loop {
				begin = nil
				for _, v := range first {
					block.Args = append(block.Args, &mlir.Value{Type: v.Type, Block: block, Index: len(block.Args)})
					begin = append(begin, block.Args[len(block.Args)-1])
				}
			}
			setState(in, begin)
			if err := ps.watchBlock(block); err != nil {
				return err
			}
			end := state(in)
			if loop && i == 0 { // the condition returns nothing else
				if !slices.Equal(begin, end) {
					return errors.New("what a probe in its condition sees cannot be made a result of the program")
				}
				continue
			}
			last := block.Ops[len(block.Ops)-1]
			last.Operands = append(last.Operands, end...)
		}
	}
	var after []*mlir.Value
	for _, v := range first {
		op.Results = append(op.Results, &mlir.Value{Type: v.Type, Def: op, Index: len(op.Results)})
		after = append(after, op.Results[len(op.Results)-1])
	}
	if loop {
		op.Operands = append(op.Operands, first...)
	}
	setState(in, after)
	return nil
}

// watchBlock has the ops of a block watched.
func (ps probes) watchBlock(block *mlir.Block) error {
	b := &builder{}
	for _, op := range block.Ops {
		if err := ps.watch(b, op); err != nil {
			return at(op, err)
		}
	}
	block.Ops = b.ops
	return nil
}
