package chlo

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// rule writes what stands for op and returns the values for its results; nil
// when it has nothing for op's types, which then stays as it is.
type rule func(e *emitter, op *mlir.Op) []*mlir.Value

// rules is filled by init, because the rules of some ops use those of others.
var rules map[mlir.Code]rule

func init() {
	rules = map[mlir.Code]rule{
		stablehlo.CHLOConstant:      lowerConstant,
		stablehlo.CHLOConstantLike:  lowerConstantLike,
		stablehlo.CHLOMulhi:         lowerMulhi,
		stablehlo.CHLONextAfter:     lowerNextAfter,
		stablehlo.CHLORaggedDot:     lowerRaggedDot,
		stablehlo.CHLOScan:          lowerScan,
		stablehlo.CHLOTopK:          lowerTopK,
		stablehlo.DynamicTopK:       lowerDynamicTopK,
		stablehlo.DynamicApproxTopK: lowerApproxTopK,
		stablehlo.CHLOIsInf:         predicate(func(x val) val { return x.abs().cmp("EQ", x.inf()) }),
		stablehlo.CHLOIsPosInf:      predicate(func(x val) val { return x.cmp("EQ", x.inf()) }),
		stablehlo.CHLOIsNegInf:      predicate(func(x val) val { return x.cmp("EQ", x.inf().neg()) }),
		stablehlo.CHLOPolygamma:     binary(polygamma),
		stablehlo.CHLOZeta:          binary(zeta),
	}
	for code, f := range realFunctions {
		rules[code] = unary(f, complexFunctions[code])
	}
	rules[stablehlo.CHLOAsinAcosKernel] = unary(nil, asinAcosKernel)
	for code := range broadcasts {
		rules[code] = lowerBroadcast
	}
}

// broadcasts are the ops that bring their operands to one shape first, and the ops that
// they are then.
var broadcasts = map[mlir.Code]mlir.Code{
	stablehlo.CHLOBroadcastAdd:                  stablehlo.Add,
	stablehlo.CHLOBroadcastAnd:                  stablehlo.And,
	stablehlo.CHLOBroadcastAtan2:                stablehlo.Atan2,
	stablehlo.CHLOBroadcastCompare:              stablehlo.Compare,
	stablehlo.CHLOBroadcastComplex:              stablehlo.Complex,
	stablehlo.CHLOBroadcastDivide:               stablehlo.Divide,
	stablehlo.CHLOBroadcastMaximum:              stablehlo.Maximum,
	stablehlo.CHLOBroadcastMinimum:              stablehlo.Minimum,
	stablehlo.CHLOBroadcastMultiply:             stablehlo.Multiply,
	stablehlo.CHLOBroadcastNextAfter:            stablehlo.CHLONextAfter,
	stablehlo.CHLOBroadcastOr:                   stablehlo.Or,
	stablehlo.CHLOBroadcastPolygamma:            stablehlo.CHLOPolygamma,
	stablehlo.CHLOBroadcastPower:                stablehlo.Power,
	stablehlo.CHLOBroadcastRemainder:            stablehlo.Remainder,
	stablehlo.CHLOBroadcastSelect:               stablehlo.Select,
	stablehlo.CHLOBroadcastShiftLeft:            stablehlo.ShiftLeft,
	stablehlo.CHLOBroadcastShiftRightArithmetic: stablehlo.ShiftRightArithmetic,
	stablehlo.CHLOBroadcastShiftRightLogical:    stablehlo.ShiftRightLogical,
	stablehlo.CHLOBroadcastSubtract:             stablehlo.Subtract,
	stablehlo.CHLOBroadcastXor:                  stablehlo.Xor,
	stablehlo.CHLOBroadcastZeta:                 stablehlo.CHLOZeta,
}

// realFunctions of one argument, on elements of f32 or f64.
var realFunctions = map[mlir.Code]func(x val) val{
	stablehlo.CHLOAcos:      acos,
	stablehlo.CHLOAcosh:     acosh,
	stablehlo.CHLOAsin:      asin,
	stablehlo.CHLOAsinh:     asinh,
	stablehlo.CHLOAtan:      func(x val) val { return x.atan2(x.num(1)) },
	stablehlo.CHLOAtanh:     atanh,
	stablehlo.CHLOBesselI1e: besselI1e,
	stablehlo.CHLOConj:      func(x val) val { return x },
	stablehlo.CHLOCosh:      cosh,
	stablehlo.CHLODigamma:   digamma,
	stablehlo.CHLOErf:       erf,
	stablehlo.CHLOErfInv:    erfInv,
	stablehlo.CHLOErfc:      erfc,
	stablehlo.CHLOLgamma:    lgamma,
	stablehlo.CHLOSinh:      sinh,
	stablehlo.CHLOSquare:    func(x val) val { return x.mul(x) },
	stablehlo.CHLOTan:       val.tan,
}

var complexFunctions = map[mlir.Code]func(z val) val{
	stablehlo.CHLOAcos:   complexAcos,
	stablehlo.CHLOAcosh:  complexAcosh,
	stablehlo.CHLOAsin:   complexAsin,
	stablehlo.CHLOAsinh:  complexAsinh,
	stablehlo.CHLOAtan:   complexAtan,
	stablehlo.CHLOAtanh:  complexAtanh,
	stablehlo.CHLOConj:   func(z val) val { return z.real().complex(z.imag().neg()) },
	stablehlo.CHLOCosh:   complexCosh,
	stablehlo.CHLOSinh:   complexSinh,
	stablehlo.CHLOSquare: complexSquare,
	stablehlo.CHLOTan:    val.tan,
}

// Lower replaces the CHLO ops, [stablehlo.DynamicTopK] and [stablehlo.DynamicApproxTopK] of m, which must
// have passed [mlir.Verify]. Ops for which keep returns true stay; nil keeps none. Ops without a rule
// for their types stay, too: quantized ones, and those whose shapes a rule needs and does
// not know. The new ops have the position, location and ordinal of the op they replace.
// It reports whether it changed the module.
func Lower(m *mlir.Module, keep func(op *mlir.Op) bool) bool {
	if keep == nil {
		keep = func(*mlir.Op) bool { return false }
	}
	used := false
	m.Walk(func(op *mlir.Op) bool {
		used = rules[op.Code] != nil && !keep(op)
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
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			b.Ops = e.lowering.ops(b.Ops)
		}
	}
	if f := rules[op.Code]; f != nil && !e.keep(op) && tensors(op) {
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
