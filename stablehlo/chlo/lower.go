package chlo

import "ltc/mlir"

// rule writes what stands for op and returns the values for its results; nil
// when it has nothing for op's types, which then stays as it is.
type rule func(e *emitter, op *mlir.Op) []*mlir.Value

// Lower replaces the CHLO ops, [stablehlo.DynamicTopK] and
// [stablehlo.DynamicApproxTopK] of m, which must have passed [verify.Module]. Ops for
// which keep returns true stay; nil keeps none. Ops without a rule
// for their types stay, too: quantized ones, and those whose shapes a rule needs and does
// not know. The new ops have the position, location and ordinal of the op they replace.
// It reports whether it changed the module.
func Lower(m *mlir.Module, keep func(op *mlir.Op) bool) bool {
	if keep == nil {
		keep = func(*mlir.Op) bool { return false }
	}
	used := false
	m.Walk(func(op *mlir.Op) bool {
		used = opTable[op.Code].lower != nil && !keep(op)
		return !used
	})
	if !used {
		return false
	}
	l := &lowering{replaced: map[*mlir.Value]*mlir.Value{}, keep: keep}
	m.Ops = l.ops(m.Ops)
	m.Walk(func(op *mlir.Op) bool {
		for i, v := range op.Operands {
			op.Operands[i] = l.now(v)
		}
		return true
	})
	return true
}

// Lowers reports whether [Lower] has a rule for an op with elements of its types.
func Lowers(op *mlir.Op) bool { return opTable[op.Code].lower != nil && tensors(op) }

// lowering is the work on one module.
type lowering struct {
	replaced map[*mlir.Value]*mlir.Value // by result of an op that is gone
	keep     func(op *mlir.Op) bool      // ops that stay
}

// now returns what stands for v.
func (l *lowering) now(v *mlir.Value) *mlir.Value {
	for l.replaced[v] != nil {
		v = l.replaced[v]
	}
	return v
}

func (l *lowering) ops(ops []*mlir.Op) []*mlir.Op {
	e := &emitter{lowering: l, ops: make([]*mlir.Op, 0, len(ops))}
	for _, op := range ops {
		e.at = op
		e.append(op)
	}
	return e.ops
}

// append lowers op if it is of CHLO, and appends it or what stands for it.
func (e *emitter) append(op *mlir.Op) {
	for i, v := range op.Operands {
		op.Operands[i] = e.now(v)
	}
	for b := range op.Blocks() {
		b.Ops = e.lowering.ops(b.Ops)
	}
	if f := opTable[op.Code].lower; f != nil && !e.keep(op) && tensors(op) {
		mark := len(e.ops)
		if results := f(e, op); results != nil {
			for i, r := range op.Results {
				e.replaced[r] = results[i]
				if named := r.Name != "" && r.Name[0] > '9'; named && results[i].Name == "" && len(op.Results) == 1 {
					results[i].Name = r.Name
				}
			}
			return
		}
		e.ops = e.ops[:mark]
	}
	e.ops = append(e.ops, op)
}

// tensors reports whether all operands and results of op are tensors of known
// rank whose elements are numbers.
func tensors(op *mlir.Op) bool {
	for _, vs := range [][]*mlir.Value{op.Operands, op.Results} {
		for _, v := range vs {
			t, ok := v.Type.(*mlir.TensorType)
			if !ok || t.Unranked {
				return false
			}
			switch t.Elem.(type) {
			case mlir.IntegerType, mlir.FloatType, mlir.ComplexType:
			default:
				return false
			}
		}
	}
	return true
}

func unary(onReal, onComplex func(x val) val) rule {
	return func(e *emitter, op *mlir.Op) []*mlir.Value {
		x := e.val(op.Operands[0])
		f := onReal
		if _, ok := x.elem().(mlir.ComplexType); ok {
			f = onComplex
		}
		if f == nil {
			return nil
		}
		return []*mlir.Value{wide(x, f).v}
	}
}

func binary(f func(a, b val) val) rule {
	return func(e *emitter, op *mlir.Op) []*mlir.Value {
		a, b := e.val(op.Operands[0]), e.val(op.Operands[1])
		return []*mlir.Value{wide(a, func(a val) val { return f(a, b.convert(a.elem())) }).v}
	}
}

func predicate(f func(x val) val) rule {
	return func(e *emitter, op *mlir.Op) []*mlir.Value {
		x := e.val(op.Operands[0])
		return []*mlir.Value{f(x.convert(computed(x.elem()))).v}
	}
}

// wide computes f in the type that x is computed in.
func wide(x val, f func(val) val) val {
	elem := x.elem()
	return f(x.convert(computed(elem))).convert(elem)
}

// computed is f32 for smaller floats, and every other type itself.
func computed(elem mlir.Type) mlir.Type {
	if t, ok := elem.(mlir.FloatType); ok && t != mlir.F64 {
		return mlir.F32
	}
	return elem
}
