package mlir

import (
	"fmt"
	"strings"
)

// Verify checks the structure of the module (names, terminators, arguments,
// calls) and, for the ops whose definition has rules, types and attributes.
// The message of a rule of the StableHLO specification ends with its label, as
// in (dot_general_c10). The error is an [*Error] or [Errors]; their positions
// are those of the text that m was parsed from, if any.
func Verify(m *Module) error {
	v := &verifier{m: m, funcs: map[string]*Op{}, seen: map[*Value]bool{}}
	for _, op := range m.Ops {
		if name := op.SymName(); name != "" {
			if old := v.funcs[name]; old != nil {
				v.fail(op, "", "@%s is defined a second time%s", name, onLine(old))
				continue
			}
			v.funcs[name] = op
		}
	}
	for _, op := range m.Ops {
		v.op(op)
	}
	return join(m.file, m.text, v.errs)
}

func onLine(op *Op) string {
	if op.Pos.Line == 0 {
		return ""
	}
	return fmt.Sprintf("; first on line %d", op.Pos.Line)
}

// verifier collects errors. The checks in the op table get it with their op.
type verifier struct {
	m     *Module
	errs  []*Error
	funcs map[string]*Op
	seen  map[*Value]bool // values that can be used where the walk is
	order []*Value
	stack []*Op // the ops around the walk, outermost first
}

// fail records that op breaks a rule; label is the specification's, such as
// C1, or empty.
func (v *verifier) fail(op *Op, label, format string, args ...any) {
	msg := op.Name + ": " + fmt.Sprintf(format, args...)
	if label != "" {
		msg += " (" + strings.TrimPrefix(op.Name, "stablehlo.") + "_" + strings.ToLower(label) + ")"
	}
	v.errs = append(v.errs, &Error{Pos: op.Pos, Msg: msg})
}

// op checks op and what is in its regions.
func (v *verifier) op(op *Op) {
	bad := len(v.errs)
	for i, x := range op.Operands {
		switch {
		case x == nil || x.Type == nil:
			v.fail(op, "", "operand %d has no value or no type", i)
		case !v.seen[x]:
			v.fail(op, "", "operand %d, %%%s, is not defined where it is used", i, x.Name)
		}
	}
	for i, r := range op.Results {
		if r == nil || r.Type == nil || r.Def != op || r.Index != i {
			v.fail(op, "", "result %d has no type or belongs to another op", i)
		}
	}
	if len(v.errs) > bad {
		return
	}
	v.stack = append(v.stack, op)
	d := opDefs[op.Name]
	mark := len(v.order)
	outer := v.seen
	if d != nil && d.isolated {
		v.seen = map[*Value]bool{}
	}
	for _, r := range op.Regions {
		v.region(op, r)
	}
	v.seen = outer
	v.order = v.order[:mark]
	v.stack = v.stack[:len(v.stack)-1]
	// Rules read the regions, so these must be in order.
	if d != nil && d.verify != nil && len(v.errs) == bad {
		d.verify(v, op)
	}
	for _, r := range op.Results {
		v.define(r)
	}
}

func (v *verifier) define(x *Value) {
	v.seen[x] = true
	v.order = append(v.order, x)
}

func (v *verifier) region(op *Op, r *Region) {
	mark := len(v.order)
	for _, b := range r.Blocks {
		for i, a := range b.Args {
			if a == nil || a.Type == nil || a.Block != b || a.Index != i {
				v.fail(op, "", "argument %d of a block has no type or belongs to another block", i)
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
func (v *verifier) block(parent *Op, b *Block) {
	for i, op := range b.Ops {
		d := opDefs[op.Name]
		last := i == len(b.Ops)-1
		if d != nil && d.terminator && !last {
			v.fail(op, "", "stands before other ops; it must be the last of its block")
		}
		if d != nil && !d.terminator && last && parent.Name != "builtin.module" {
			v.fail(op, "", "is the last op of a block; a return must follow")
		}
		v.op(op)
	}
	if len(b.Ops) == 0 && parent.Name != "builtin.module" {
		v.fail(parent, "", "has a block without ops; a return is the least")
	}
}

// tensors returns the types of op's operands and results. It fails unless there
// are nin operands (-1: any number, at least one) and nout results, all
// tensors. It returns false without failing for types whose rules are not
// checked here: quantized or unranked ones.
func (v *verifier) tensors(op *Op, nin, nout int) (ins, outs []*TensorType, ok bool) {
	if nin >= 0 && len(op.Operands) != nin {
		v.fail(op, "", "has %d operands, but takes %d", len(op.Operands), nin)
		return nil, nil, false
	}
	if nin < 0 && len(op.Operands) == 0 {
		v.fail(op, "", "has no operands")
		return nil, nil, false
	}
	if nout >= 0 && len(op.Results) != nout {
		v.fail(op, "", "has %d results, but gives %d", len(op.Results), nout)
		return nil, nil, false
	}
	if len(op.Regions) > 0 && !hasRegions[op.Name] {
		v.fail(op, "", "has a region, but takes none")
		return nil, nil, false
	}
	ins, ok = v.tensorTypes(op, "operand", op.Operands)
	outs, ok2 := v.tensorTypes(op, "result", op.Results)
	return ins, outs, ok && ok2
}

var hasRegions = map[string]bool{"stablehlo.reduce": true}

func (v *verifier) tensorTypes(op *Op, what string, vs []*Value) ([]*TensorType, bool) {
	ok := true
	ts := make([]*TensorType, len(vs))
	for i, x := range vs {
		t, tensor := x.Type.(*TensorType)
		if !tensor {
			v.fail(op, "", "%s %d has type %s, but a tensor is expected", what, i, x.Type)
			ok = false
			continue
		}
		if !isAny(t.Elem) || t.Unranked {
			ok = false
		}
		ts[i] = t
	}
	return ts, ok
}

// ints returns the integers of an attribute that op must have.
func (v *verifier) ints(op *Op, name string) ([]int64, bool) {
	a := op.Attrs.Get(name)
	x, ok := Ints(a)
	if !ok {
		v.missing(op, name, "a list of integers", a)
	}
	return x, ok
}

func (v *verifier) missing(op *Op, name, kind string, a Attribute) {
	if a == nil {
		v.fail(op, "", "attribute %s is missing: %s is expected", name, kind)
		return
	}
	v.fail(op, "", "attribute %s is %s, but %s is expected", name, clip(a.String()), kind)
}

// sameShape reports whether two shapes can be the same; an unknown dimension
// can be anything.
func sameShape(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !sameDim(a[i], b[i]) {
			return false
		}
	}
	return true
}

func sameDim(a, b int64) bool { return a == b || a == Dynamic || b == Dynamic }

// sameTensor is SameType for shapes that may have unknown dimensions.
func sameTensor(a, b *TensorType) bool {
	return sameShape(a.Shape, b.Shape) && SameType(a.Elem, b.Elem)
}

// within checks low <= each of dims < high.
func (v *verifier) within(op *Op, label, what string, dims []int64, high int) bool {
	for _, d := range dims {
		if d < 0 || d >= int64(high) {
			v.fail(op, label, "%s has %d, which is not in [0, %d)", what, d, high)
			return false
		}
	}
	return true
}

func (v *verifier) unique(op *Op, label, what string, dims ...int64) bool {
	seen := map[int64]bool{}
	for _, d := range dims {
		if seen[d] {
			v.fail(op, label, "%s has %d twice", what, d)
			return false
		}
		seen[d] = true
	}
	return true
}

// result checks that the op's result t has the given shape and element type.
func (v *verifier) result(op *Op, label string, t *TensorType, shape []int64) bool {
	if !sameShape(t.Shape, shape) {
		v.fail(op, label, "the result is %s, but its shape should be %s", t, shapeText(shape))
		return false
	}
	return true
}

func shapeText(shape []int64) string {
	s := make([]string, len(shape))
	for i, d := range shape {
		s[i] = "?"
		if d != Dynamic {
			s[i] = fmt.Sprint(d)
		}
	}
	return "[" + strings.Join(s, ", ") + "]"
}
