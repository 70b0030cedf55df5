package explain

import (
	"fmt"
	"slices"
	"strings"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// name describes the place of a difference.
func (c *Comparison) name(e *event, d *Difference) {
	if c.begins(e, d) || c.shared(e, d) {
		return
	}
	d.Kind = e.kind
	d.Do = Kinds[e.kind].Do
	var was, now Text
	if e.i < e.iEnd {
		was, d.Was = c.was.text(e.i), c.was.ops[e.i].At
	}
	if e.j < e.jEnd {
		now, d.Now = c.now.text(e.j), c.now.ops[e.j].At
	}
	switch e.kind {
	case ExtraOp:
		d.What = some(e.jEnd-e.j, "new", now)
	case MissingOp:
		d.What = some(e.iEnd-e.i, "gone", was)
	case OtherOp:
		d.What = fmt.Sprintf("%v, was %v", now, was)
	case Wiring:
		d.What = c.operands(e, now)
	case Constant:
		d.What = fmt.Sprintf("the constant %s, was %s", now.Literal, was.Literal)
	case Number:
		d.What = fmt.Sprintf("the number %s, now another", was.Literal)
	case Attribute:
		c.attribute(d, was, now)
	default:
		d.What = fmt.Sprintf("%v, was %s", now, was.Type)
		d.resize(e.j, was, now)
	}
}

// some names the first of n ops that are new or gone.
func some(n int, how string, first Text) string {
	if n == 1 {
		return fmt.Sprintf("%v is %s", first, how)
	}
	return fmt.Sprintf("%s are %s, the first %v", diag.Count(n, "op"), how, first)
}

// begins describes a value that is a constant in one program and an argument in the other,
// and reports whether the place is that of one.
func (c *Comparison) begins(e *event, d *Difference) bool {
	i, j := e.i, e.j
	if i == e.iEnd || j == e.jEnd {
		return false
	}
	x, y := &c.was.ops[i], &c.now.ops[j]
	constant := func(r Role) bool { return r == Literal || r == Filled }
	if e.kind != Argument && (e.kind != OtherOp ||
		!(constant(x.Role) && y.Role.argument() || constant(y.Role) && x.Role.argument())) {
		return false
	}
	d.Kind, d.Do, d.Was, d.Now = Argument, Kinds[Argument].Do, x.At, y.At
	d.What = fmt.Sprintf("%v, was %v", c.now.text(j), c.was.text(i))
	return true
}

// shared describes a number of an op that another op has, too, in one of the programs: equal constants of
// a program are one. A number that a loop takes from outside once it varies is such a number, too. shared
// reports whether the op that is new or gone is one.
func (c *Comparison) shared(e *event, d *Difference) bool {
	one, other, at, mate := c.now, c.was, e.j, c.back
	switch {
	case e.kind == MissingOp:
		one, other, at, mate = c.was, c.now, e.i, c.mate
	case e.kind != ExtraOp:
		return false
	}
	o := &one.ops[at]
	argument := e.kind == ExtraOp && o.Role.argument()
	if o.Role != Literal && !argument {
		return false
	}
	u, k := one.user(at)
	for u >= 0 && mate[u] < 0 && one.ops[u].Role == Filled { // new or gone, as the number is
		u, k = one.user(u)
	}
	if u < 0 || mate[u] < 0 {
		return false
	}
	m := int(mate[u])
	d.Was, d.Now = other.ops[m].At, one.ops[u].At
	if k >= len(other.ops[m].In) {
		inner, i := other.inside(m, o)
		if !argument || i < 0 {
			return false
		}
		d.Was, d.Now = inner.ops[i].At, o.At
		d.set(Number, fmt.Sprintf("the number %s, now another", inner.text(i).Literal))
		return true
	}
	p := int(other.ops[m].In[k])
	for other.ops[p].Role == Filled && len(other.ops[p].In) == 1 {
		p = int(other.ops[p].In[0])
	}
	if other.ops[p].Role != Literal || other.ops[p].Type != o.Type {
		return false
	}
	mine, its := one.text(at).Literal, other.text(p).Literal
	switch {
	case argument:
		d.set(Number, fmt.Sprintf("the number %s, now another", its))
	case e.kind == ExtraOp:
		d.set(Constant, fmt.Sprintf("the constant %s, was %s", mine, its))
	default:
		d.Was, d.Now = d.Now, d.Was
		d.set(Constant, fmt.Sprintf("the constant %s, was %s", its, mine))
	}
	return true
}

// user returns the first op that takes op i, and as which operand; -1 if none does.
func (p *Program) user(i int) (op, operand int) {
	for u := range p.ops {
		if k := slices.Index(p.ops[u].In, int32(i)); k >= 0 {
			return u, k
		}
	}
	return -1, 0
}

// inside returns the constant of the line and type of o in a graph that op i runs, and the graph; -1 if
// there is none.
func (p *Program) inside(i int, o *Op) (*Program, int) {
	for k := 0; ; k++ {
		b := p.body(i, k)
		if b == nil {
			return nil, -1
		}
		for j := range b.ops {
			x := &b.ops[j]
			if x.Role == Literal && x.At == o.At && x.Type == o.Type {
				return b, j
			}
			if in, at := b.inside(j, o); at >= 0 {
				return in, at
			}
		}
	}
}

// operands says which operand of an op is another.
func (c *Comparison) operands(e *event, now Text) string {
	x, y := &c.was.ops[e.i], &c.now.ops[e.j]
	for k := range min(len(x.In), len(y.In)) {
		if p, q := int(x.In[k]), int(y.In[k]); c.mate[p] != int32(q) {
			return fmt.Sprintf("%v takes %s as operand %d, took %s", now, c.now.place(q), k, c.was.place(p))
		}
	}
	return fmt.Sprintf("%v takes %s, took %d", now, diag.Count(len(y.In), "operand"), len(x.In))
}

// place names an op and its line.
func (p *Program) place(i int) string {
	t := p.text(i).String()
	if at := p.ops[i].At; at != 0 {
		t += fmt.Sprintf(" (%v)", at)
	}
	return t
}

// attribute describes ops that differ in attributes.
func (c *Comparison) attribute(d *Difference, was, now Text) {
	d.What = fmt.Sprintf("%v with other attributes", now)
	for k := range min(len(was.Attrs), len(now.Attrs)) {
		if was.Attrs[k] == now.Attrs[k] {
			continue
		}
		if k < len(now.Sizes) && now.Sizes[k] && was.Type != now.Type { // the type says it
			d.Kind, d.What = Shape, fmt.Sprintf("%v, was %s", now, was.Type)
			d.resize(0, was, now)
			return
		}
		d.What = fmt.Sprintf("%v with %s, was %s", now, now.Attrs[k], was.Attrs[k])
		if k < len(now.Open) && k < len(was.Open) && now.Open[k] && !was.Open[k] { // a size, computed from another
			d.Kind, d.Do = Shape, ForAllSizes
			return
		}
		if strings.HasPrefix(now.Attrs[k], "iterations = ") { // of a For: rows of a Scan differ in their types
			d.Do = otherIterations
		}
		return
	}
}

// resize says what to do about a type that is another.
func (d *Difference) resize(op int, was, now Text) {
	d.Kind, d.Do = Shape, Kinds[Shape].Do
	if len(was.Types) != len(now.Types) || len(was.Types) == 0 {
		return
	}
	before, after := was.Types[0], now.Types[0]
	for i, t := range now.Types {
		if !t.Equal(was.Types[i]) {
			before, after = was.Types[i], t
			break
		}
	}
	if before.DType != after.DType {
		d.Kind, d.Do = DType, Kinds[DType].Do
		return
	}
	if before.Rank() != after.Rank() {
		return
	}
	axis := changed(before, after)
	if axis < 0 {
		return
	}
	switch a, b := before.Shape[axis], after.Shape[axis]; {
	case isOpen(b) && !isOpen(a):
		d.Do = ForAllSizes
		return
	case b == 0:
		d.Do = "skip steps that have no elements, or nothing: there is one more program, for a size of 0"
		return
	case a == 0:
		d.Do = "nothing: the program before is for a size of 0 alone"
		return
	}
	d.Resized = &Resized{Op: op, Axis: axis, By: after.Shape[axis] - before.Shape[axis]}
	d.Do = fmt.Sprintf("pad axis %d to one size, or to few sizes that Warmup compiles beforehand, and mask the padding", axis)
}

// ForAllSizes is what to do about the program that opens the sizes of one before.
const ForAllSizes = "nothing: this program is for all sizes"

// NextForAllSizes is what to do about a size that is another together with a number of an op.
const NextForAllSizes = "nothing: a number of an op has become an argument in the same step, and the next size gets the program for all sizes"

// isOpen reports whether a size is none of one program alone.
func isOpen(d int) bool { return dims.IsExpr(d) || d == dims.Unknown }

// changed returns the first axis of another dimension; -1 if none is. A size of 0 beside an open one goes
// first: the open one is for all others.
func changed(a, b types.Type) int {
	first := -1
	for axis := range a.Shape {
		switch {
		case a.Shape[axis] == b.Shape[axis]:
		case b.Shape[axis] == 0 && isOpen(a.Shape[axis]):
			return axis
		case first < 0:
			first = axis
		}
	}
	return first
}

// donated describes result i of was and j of now, -1 for none, one of which takes over memory
// that the other does not.
func (c *Comparison) donated(d *Difference, i, j int) {
	of := func(p *Program, k int, at *callsite.Site) string {
		if k < 0 || p.alias[k] < 0 {
			return ""
		}
		*at = p.ops[p.results[k]].At
		return p.text(int(p.alias[k])).String()
	}
	was, now := of(c.was, i, &d.Was), of(c.now, j, &d.Now)
	switch {
	case was == "":
		d.set(Donation, fmt.Sprintf("%s is assigned or donated, and was not", now))
	case now == "":
		d.set(Donation, fmt.Sprintf("%s is not assigned or donated, and was", was))
	default:
		d.set(Donation, fmt.Sprintf("the memory of %s is taken over, was that of %s", now, was))
	}
}
