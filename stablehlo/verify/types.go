package verify

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/minifloat"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// checkType says what is wrong with a type in itself; "" if nothing.
func (v *verifier) checkType(t mlir.Type) string {
	switch t := t.(type) {
	case *mlir.TensorType:
		why, known := v.types[t]
		if !known {
			why = v.checkTensor(t)
			v.types[t] = why
		}
		return why
	case mlir.TupleType:
		if len(t.Elems) == 0 || v.tuples[&t.Elems[0]] {
			return ""
		}
		for _, e := range t.Elems {
			if why := v.checkType(e); why != "" {
				return why
			}
		}
		v.tuples[&t.Elems[0]] = true
	case *mlir.FunctionType:
		for _, e := range slices.Concat(t.Ins, t.Outs) {
			if why := v.checkType(e); why != "" {
				return why
			}
		}
	case mlir.DialectType:
		why, known := v.dialect[t]
		if !known {
			why = v.checkDialectType(t)
			v.dialect[t] = why
		}
		return why
	}
	return ""
}

func (v *verifier) checkTensor(t *mlir.TensorType) string {
	if c, ok := t.Elem.(mlir.ComplexType); ok && !isFloat(c.Elem) {
		return t.String() + ": complex numbers are made of floats"
	}
	q, err := mlir.QuantOf(t.Elem)
	if err != nil {
		return err.Error()
	}
	if q != nil {
		least := leastOf(q.Expressed)
		if i := slices.IndexFunc(q.Scales, func(s float64) bool { return s < least }); i >= 0 {
			return t.String() + ": scale " + strconv.Itoa(i) + " is less than any number of the expressed type (quant_c6)"
		}
		if t.Unranked && q.Blocks != nil {
			return t.String() + ": scales of blocks need a tensor whose dimensions are known"
		}
		if why := q.Misfit(t.Shape); why != "" {
			return t.String() + ": " + why
		}
	}
	limits := stablehlo.Bounds(t)
	if limits == nil {
		return ""
	}
	if len(limits) != len(t.Shape) {
		return t.String() + ": there should be a bound for each dimension"
	}
	for i, b := range limits {
		if b != mlir.Dynamic && t.Shape[i] != mlir.Dynamic {
			return t.String() + ": dimension " + strconv.Itoa(i) + " has a bound, but is not dynamic"
		}
	}
	return ""
}

// leastOf is the smallest positive number of a type.
func leastOf(t mlir.FloatType) float64 {
	if m, _, ok := minifloat.Of(t.Name); ok {
		return m.Value(1)
	}
	if t == mlir.F32 {
		return math.SmallestNonzeroFloat32
	}
	return math.SmallestNonzeroFloat64
}

// checkDialectType knows the types of StableHLO; those of other dialects can
// be anything.
func (v *verifier) checkDialectType(t mlir.DialectType) string {
	name, ok := strings.CutPrefix(t.Text, "stablehlo.")
	if !ok || name == "token" {
		return ""
	}
	if !strings.HasPrefix(name, "future<") {
		return "unknown type " + t.String()
	}
	elems, ok := stablehlo.FutureElems(t)
	if !ok {
		return t.String() + ": a future holds tensors"
	}
	for _, e := range elems {
		if x, ok := e.(*mlir.TensorType); !ok || x.Unranked {
			return t.String() + ": a future holds tensors, not " + e.String()
		}
		if why := v.checkType(e); why != "" {
			return why
		}
	}
	return ""
}

// holds reports whether a tuple or a call can have values of type t: ranked
// tensors, tokens, buffers and tuples of them, and where unranked is set other
// tensors too.
func (v *verifier) holds(t mlir.Type, unranked bool) bool {
	switch t := t.(type) {
	case *mlir.TensorType:
		return (unranked || !t.Unranked) && kindOf(t.Elem)&(kAny|kQuantBlock|kIndex) != 0
	case mlir.TupleType:
		if len(t.Elems) == 0 || v.held[&t.Elems[0]] {
			return true
		}
		if slices.ContainsFunc(t.Elems, func(e mlir.Type) bool { return !v.holds(e, unranked) }) {
			return false
		}
		v.held[&t.Elems[0]] = true
		return true
	}
	return isToken(t) || isBuffer(t)
}

// values checks the types of an op's operands and results by holds.
func (v *verifier) values(op *mlir.Op, unranked bool) {
	for _, x := range slices.Concat(op.Operands, op.Results) {
		if !v.holds(x.Type, unranked) {
			v.stop(op, "", "a value has type %s, but tensors, tokens, buffers and tuples of them are expected", x.Type)
		}
	}
}

func isToken(t mlir.Type) bool { return t == mlir.Type(mlir.DialectType{Text: "stablehlo.token"}) }

// isBuffer reports whether t is a memref, which tuples, loops and custom calls
// may hold.
func isBuffer(t mlir.Type) bool { return strings.HasPrefix(t.String(), "memref<") }

// compatible reports whether values of a can be of type b as far as shapes go:
// unknown dimensions can be anything up to their bounds.
func (v *verifier) compatible(a, b *mlir.TensorType) bool {
	if a == b {
		return true
	}
	if !v.sameShape(a.Shape, b.Shape) {
		return false
	}
	return a.Encoding == nil && b.Encoding == nil || inBounds(a.Shape, stablehlo.Bounds(b)) && inBounds(b.Shape, stablehlo.Bounds(a))
}

func inBounds(shape, limits []int64) bool {
	for i, d := range limits {
		if i < len(shape) && d != mlir.Dynamic && shape[i] != mlir.Dynamic && dims.Less(d, shape[i]) {
			return false
		}
	}
	return true
}

// slot says what an operand or result should be.
type slot struct {
	kinds kinds
	rank  int  // -1 for any
	many  bool // any number of values from here on
}

// slots are what the operands or the results should be.
type slots []slot

// tensors are slots for tensors of the kinds.
func tensors(of ...kinds) slots {
	s := make(slots, len(of))
	for i, k := range of {
		s[i] = slot{kinds: k, rank: -1}
	}
	return s
}

func of(k kinds) slot               { return slot{kinds: k, rank: -1} }
func ranked(rank int, k kinds) slot { return slot{kinds: k, rank: rank} }
func scalar(k kinds) slot           { return slot{kinds: k} }
func many(k kinds) slot             { return slot{kinds: k, rank: -1, many: true} }

// takes returns the types of op's operands and results, after checking them
// against the slots. The labels are the specification's for inputs, which the
// operands come first of.
func (v *verifier) takes(op *mlir.Op, in, out slots) (ins, outs []*mlir.TensorType) {
	return v.fit(op, "operand", op.Operands, in), v.fit(op, "result", op.Results, out)
}

func (v *verifier) fit(op *mlir.Op, what string, vs []*mlir.Value, slots slots) []*mlir.TensorType {
	n, more := len(slots), false
	if n > 0 && slots[n-1].many {
		n, more = n-1, true
	}
	if len(vs) < n || !more && len(vs) > n {
		least := ""
		if more {
			least = "at least "
		}
		v.stop(op, "", "has %s, but should have %s%d", diag.Count(len(vs), what), least, n)
	}
	ts := make([]*mlir.TensorType, len(vs))
	for i, x := range vs {
		k := min(i, len(slots)-1)
		label := "I" + strconv.Itoa(k+1)
		if what == "result" {
			label = ""
		}
		ts[i] = v.tensor(op, label, what, i, x, slots[k])
	}
	return ts
}

// tensor checks that x, the i-th operand or result, fits the slot.
func (v *verifier) tensor(op *mlir.Op, label, what string, i int, x *mlir.Value, s slot) *mlir.TensorType {
	t, ok := x.Type.(*mlir.TensorType)
	if !ok || t.Unranked {
		v.stop(op, label, "%s %d has type %s, but a ranked tensor is expected", what, i, x.Type)
	}
	if kindOf(t.Elem) == 0 {
		v.stop(op, label, "%s %d is %s, but tensors of %s are not StableHLO's", what, i, t, t.Elem)
	}
	if kindOf(t.Elem)&s.kinds == 0 {
		v.stop(op, label, "%s %d is %s, but should be a tensor of %s", what, i, t, s.kinds)
	}
	if s.rank >= 0 && len(t.Shape) != s.rank {
		v.stop(op, label, "%s %d is %s, but should be %s", what, i, t, []string{"a scalar", "a list", "a matrix"}[s.rank])
	}
	return t
}

// token checks that x, the i-th operand or result, is a token.
func (v *verifier) token(op *mlir.Op, label, what string, i int, x *mlir.Value) {
	if !isToken(x.Type) {
		v.stop(op, label, "%s %d has type %s, but a token is expected", what, i, x.Type)
	}
}

// limits is [stablehlo.Bounds] with an entry for each dimension in any case.
func limits(t *mlir.TensorType) []int64 {
	if b := stablehlo.Bounds(t); len(b) == len(t.Shape) {
		return b
	}
	return unknown(len(t.Shape))
}

// most is the largest size of dimension i; Dynamic if it is not known.
func most(t *mlir.TensorType, i int) int64 {
	if d := t.Shape[i]; d != mlir.Dynamic {
		return d
	}
	return limits(t)[i]
}

// sameTypes reports whether two lists have the same types.
func sameTypes(a, b []mlir.Type) bool { return slices.EqualFunc(a, b, mlir.SameType) }

// joinTypes returns the texts of types with commas between them.
func joinTypes(ts []mlir.Type) string { return diag.Join(ts, mlir.Type.String) }
