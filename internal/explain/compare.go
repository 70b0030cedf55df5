package explain

import (
	"fmt"
	"slices"

	"ltc/internal/callsite"
)

// Difference is what tells a program from one before.
type Difference struct {
	Kind Kind
	What string // the op now, and what it was before
	Do   string // what to do about it
	// The lines of these ops. Both are unknown if no op differs, one if the other program
	// has no such op.
	Was, Now callsite.Site
	Ops      int  // see [Comparison]
	Alike    bool // see [Comparison]
	// Resized is the dimension that is another, of the kind Shape.
	Resized *Resized
	Numbers bool // numbers of ops became arguments
}

// Resized is a dimension that is another.
type Resized struct{ Op, Axis, By int }

// String prints the difference with its lines and what to do.
func (d *Difference) String() string {
	switch {
	case d.Now == 0 && d.Was == 0:
		return d.What + "; " + d.Do
	case d.Was == 0 || d.Now.String() == d.Was.String():
		return fmt.Sprintf("%v: %s; %s", d.Now, d.What, d.Do)
	case d.Now == 0:
		return fmt.Sprintf("%s, recorded at %v; %s", d.What, d.Was, d.Do)
	}
	return fmt.Sprintf("%v: %s, recorded at %v; %s", d.Now, d.What, d.Was, d.Do)
}

// Comparison is of two programs. What it says of them is counted first, and described by
// Difference: of many programs the nearest is described alone.
type Comparison struct {
	// Ops is how many ops differ: those that only one program has, and those with other types,
	// attributes or operands where these do not follow from ops before.
	Ops int
	// Alike: both have the same ops on the same operands.
	Alike bool

	first, later *event // see walk
	numbers      bool   // see Difference

	was, now *Program
	inner    map[[2]uint64]*Comparison
	mate     []int32 // for each op of was that of now, -1 if none
	back     []int32 // the other way round
	// Ops that both programs have, at another place; nil if there are none.
	movedWas, movedNow []bool
}

// event is a place where programs differ: ops from i on of was, and from j on of now. The
// differences to iEnd and jEnd are how many.
type event struct {
	i, iEnd, j, jEnd int
	kind             Kind
	inner            *Comparison // of graphs that the op runs
}

// Compare compares now with was, a program before.
func Compare(was, now *Program) *Comparison { return compare(was, now, map[[2]uint64]*Comparison{}) }

// compare is Compare with the comparisons of the graphs that ops run, by their hashes: many
// may run the same ones.
func compare(was, now *Program, inner map[[2]uint64]*Comparison) *Comparison {
	c := &Comparison{inner: inner, Alike: true, was: was, now: now, mate: align(was.ops, now.ops), back: make([]int32, len(now.ops))}
	for j := range c.back {
		c.back[j] = -1
	}
	for i, j := range c.mate {
		if j >= 0 {
			c.back[j] = int32(i)
		}
	}
	c.move()
	c.walk()
	return c
}

// Difference says in what the programs differ. What follows from something else does not
// count: of ops that differ, the first is named whose operands do not.
func (c *Comparison) Difference() *Difference {
	d := &Difference{Ops: c.Ops, Alike: c.Alike, Numbers: c.numbers}
	first := c.first
	switch {
	case first == nil && c.later == nil:
		d.set(Equal, "nothing")
		c.results(d)
		return d
	case c.read(d), c.confined(first) && c.results(d):
		return d
	case first == nil:
		first = c.later
	}
	if first.inner != nil {
		inner := first.inner.Difference()
		inner.Ops, inner.Alike, inner.Numbers = d.Ops, d.Alike, d.Numbers
		if inner.Kind == Constant {
			inner.Do = constantOfBody
		}
		return inner
	}
	if !c.random(first, d) && !(first.kind.ops() && c.swapped(d)) {
		c.name(first, d)
		if !d.Alike && (d.Kind == Shape || d.Kind == DType || d.Kind == Attribute) {
			d.What += ", and other ops follow"
		}
	}
	return d
}

// move finds ops among those left over that compute the same in both programs.
func (c *Comparison) move() {
	if !slices.Contains(c.mate, -1) || !slices.Contains(c.back, -1) {
		return
	}
	was, now := c.was.values(), c.now.values()
	left := map[uint64]int32{}
	for i, j := range c.mate {
		if j < 0 {
			left[was[i]] = int32(i)
		}
	}
	c.movedWas, c.movedNow = make([]bool, len(c.mate)), make([]bool, len(c.back))
	for j := range c.back {
		if i, ok := left[now[j]]; ok && c.back[j] < 0 {
			delete(left, now[j])
			c.back[j], c.mate[i] = i, int32(j)
			c.movedWas[i], c.movedNow[j] = true, true
		}
	}
}

// alone goes from op i on through those that correspond to none, and returns the first of
// them, how many there are, and the op after them.
func alone(i int, mate []int32, moved []bool) (first, n, end int) {
	first = i
	for ; i < len(mate); i++ {
		if moved != nil && moved[i] {
			continue
		}
		if mate[i] >= 0 {
			break
		}
		if n++; n == 1 {
			first = i
		}
	}
	return first, n, i
}

// walk goes through both programs in order. It notes the first place where ops, operands or
// types differ, the first where nothing else than attributes or numbers does, and counts them.
func (c *Comparison) walk() {
	a, b := c.was.ops, c.now.ops
	for i, j := 0, 0; i < len(a) || j < len(b); {
		var e event
		var gone, fresh int
		e.i, gone, i = alone(i, c.mate, c.movedWas)
		e.j, fresh, j = alone(j, c.back, c.movedNow)
		if e.iEnd, e.jEnd = e.i+gone, e.j+fresh; gone+fresh > 0 {
			e.kind = OtherOp
			if gone == 0 {
				e.kind = ExtraOp
			} else if fresh == 0 {
				e.kind = MissingOp
			}
			c.Ops += max(gone, fresh)
			c.Alike = false
			keep(&c.first, e)
			continue
		}
		if i == len(a) || j == len(b) { // both, or the rest has moved
			break
		}
		e.i, e.j = i, j
		e.iEnd, e.jEnd = i+1, j+1
		if c.pair(&e) && e.kind != Equal {
			c.Ops++
			c.numbers = c.numbers || e.kind == Number
			if e.inner != nil {
				c.Alike = c.Alike && e.inner.Alike
			} else if e.kind == Wiring || e.kind == Argument {
				c.Alike = false
			}
			if e.kind == Attribute && a[i].Type == b[j].Type || e.kind == Constant || e.kind == Number {
				keep(&c.later, e)
			} else {
				keep(&c.first, e)
			}
		}
		i++
		j++
	}
}

// keep keeps an event if none came before.
func keep(first **event, e event) {
	if *first == nil {
		*first = &e
	}
}

// pair compares ops that correspond, and reports whether they differ. The kind stays Equal
// where that follows from their operands.
func (c *Comparison) pair(e *event) (differs bool) {
	x, y := &c.was.ops[e.i], &c.now.ops[e.j]
	same := x.Type == y.Type
	if len(x.In) != len(y.In) {
		e.kind = Wiring
		return true
	}
	operands := true // of the same types
	for k := range x.In {
		p, q := x.In[k], y.In[k]
		if c.mate[p] != q {
			// It is no other operand where the one before is gone or new.
			if c.mate[p] >= 0 && c.back[q] >= 0 {
				e.kind = Wiring
				return true
			}
			differs = true
		}
		operands = operands && c.was.ops[p].Type == c.now.ops[q].Type
	}
	literals := x.Role == Literal || y.Role == Literal
	switch {
	case x.Role != y.Role && literals && x.At == y.At && same && y.Role.argument():
		e.kind = Number
	case x.Role != y.Role && literals:
		e.kind = Argument
	case !same && x.Role.argument(), !same && literals:
		e.kind = Shape // or DType
	case x.Attrs != y.Attrs && literals:
		e.kind = Constant
	case x.Attrs != y.Attrs && operands:
		e.kind = Attribute
		// A loop of another number of iterations, and of other ops, is not as near as one of
		// either. Bodies of the same ops may only follow the attribute.
		if x.Body != y.Body {
			if inner := c.bodies(e); inner != nil && !inner.Alike {
				c.Ops += inner.Ops
				c.Alike = false
			}
		}
	case !same && operands:
		e.kind = Shape
	case x.Body != y.Body && same && operands && x.Attrs == y.Attrs:
		e.inner = c.bodies(e)
		if e.inner == nil {
			return false
		}
		if e.kind = Attribute; e.inner.first != nil { // as far as walk asks
			e.kind = OtherOp
		}
	default:
		return differs || !same || x.Attrs != y.Attrs
	}
	return true
}

// bodies compares the graphs that ops run; nil if these do not differ.
func (c *Comparison) bodies(e *event) *Comparison {
	key := [2]uint64{c.was.ops[e.i].Body, c.now.ops[e.j].Body}
	if known, ok := c.inner[key]; ok {
		return known
	}
	c.inner[key] = nil
	for k := 0; ; k++ {
		p, q := c.was.body(e.i, k), c.now.body(e.j, k)
		if p == nil || q == nil {
			return nil
		}
		if x := compare(p, q, c.inner); x.first != nil || x.later != nil || x.results(new(Difference)) {
			c.inner[key] = x
			return x
		}
	}
}

// read describes a tensor that was read in the midst of one of the steps, if there is one.
func (c *Comparison) read(d *Difference) bool {
	one := func(p, q *Program, mate []int32) int {
		for i := range p.ops {
			if p.ops[i].Role != ReadLeaf {
				continue
			}
			if j := mate[i]; j >= 0 && q.ops[j].Role == ReadLeaf && q.ops[j].At == p.ops[i].At {
				continue
			}
			return i
		}
		return -1
	}
	i, j := one(c.was, c.now, c.mate), one(c.now, c.was, c.back)
	if (i < 0) == (j < 0) {
		return false
	}
	d.Kind, d.Do, d.Alike = Read, Kinds[Read].Do, false
	if j >= 0 {
		d.Now = c.now.ops[j].At
		d.What = fmt.Sprintf("%s was computed here, and is an argument now, since it was read before MarkStep", c.now.text(j).Type)
	} else {
		d.Now = c.was.ops[i].At
		d.What = fmt.Sprintf("%s is computed here, and was an argument, since it was read before MarkStep", c.was.text(i).Type)
	}
	return true
}

// confined reports whether programs differ at most in ops, from the place first on, that no
// result needs which both have, and not in the number of results.
func (c *Comparison) confined(first *event) bool {
	if first == nil {
		return true
	}
	if len(c.was.results) == len(c.now.results) {
		return false
	}
	some := false
	need := make([]bool, len(c.now.ops))
	needed := make([]bool, len(c.was.ops))
	result := make([]bool, len(c.now.ops))
	for _, j := range c.now.results {
		result[j] = true
	}
	for _, i := range c.was.results {
		if j := c.mate[i]; j >= 0 && result[j] {
			need[j], needed[i], some = true, true, true
		}
	}
	return some && c.now.closed(need, c.back) && c.was.closed(needed, c.mate)
}

// closed reports whether all ops that those in need depend on correspond to others.
func (p *Program) closed(need []bool, mate []int32) bool {
	for j := len(p.ops) - 1; j >= 0; j-- {
		if !need[j] {
			continue
		}
		if mate[j] < 0 {
			return false
		}
		for _, k := range p.ops[j].In {
			need[k] = true
		}
	}
	return true
}

// results describes results or aliases that one program has and the other has not.
func (c *Comparison) results(d *Difference) bool {
	if slices.EqualFunc(c.was.results, c.now.results, func(i, j int32) bool { return c.mate[i] == j }) {
		for k := range c.was.alias {
			if p, q := c.was.alias[k], c.now.alias[k]; p != q && (p < 0 || q < 0 || c.mate[p] != q) {
				c.donated(d, k, k)
				return true
			}
		}
		return false
	}
	// Those at the end are variables' assignments.
	i, j := 0, 0
	for i < len(c.was.results) && j < len(c.now.results) && c.mate[c.was.results[i]] == c.now.results[j] {
		i++
		j++
	}
	gone := i < len(c.was.results) && !c.has(c.now.results, c.mate[c.was.results[i]])
	fresh := j < len(c.now.results) && !c.has(c.was.results, c.back[c.now.results[j]])
	if fresh && len(c.now.results) < len(c.was.results) && gone {
		fresh = false
	}
	switch {
	case fresh && c.now.alias[j] >= 0:
		c.donated(d, -1, j)
	case !fresh && gone && c.was.alias[i] >= 0:
		c.donated(d, i, -1)
	case fresh:
		k := int(c.now.results[j])
		d.Now = c.now.ops[k].At
		d.set(Roots, fmt.Sprintf("the root %v is new", c.now.text(k)))
	case gone:
		k := int(c.was.results[i])
		d.Was = c.was.ops[k].At
		d.set(Roots, fmt.Sprintf("the root %v is gone", c.was.text(k)))
	default:
		d.set(Roots, "the roots are in another order, or one is there twice")
	}
	return true
}

func (c *Comparison) has(results []int32, i int32) bool { return i >= 0 && slices.Contains(results, i) }

func (d *Difference) set(k Kind, what string) { d.Kind, d.What, d.Do = k, what, Kinds[k].Do }

// random describes random numbers that one program alone draws.
func (c *Comparison) random(first *event, d *Difference) bool {
	if !first.kind.ops() {
		return false
	}
	draw := func(p *Program) int {
		return slices.IndexFunc(p.ops, func(o Op) bool { return o.Role == Drawn })
	}
	i, j := draw(c.was), draw(c.now)
	switch {
	case i < 0 && j >= 0:
		d.Now = c.now.ops[j].At
		d.set(Random, fmt.Sprintf("%v draws random numbers, and none were drawn", c.now.text(j)))
	case i >= 0 && j < 0:
		d.Was = c.was.ops[i].At
		d.set(Random, fmt.Sprintf("no random numbers are drawn, as %v did", c.was.text(i)))
	default:
		return false
	}
	return true
}

// swapped describes the first op that takes the operands of one before in another order.
func (c *Comparison) swapped(d *Difference) bool {
	was, now := c.was.values(), c.now.values()
	order := func(in []int32, values []uint64) (h uint64) {
		for _, k := range in {
			h = Mix(h, values[k])
		}
		return h
	}
	set := func(in []int32, values []uint64) (h uint64) {
		for _, k := range in {
			h += values[k]
		}
		return h
	}
	for j := range c.now.ops {
		o, i := &c.now.ops[j], c.back[j]
		if i < 0 || len(o.In) < 2 || was[i] == now[j] {
			continue
		}
		before := c.was.ops[i].In
		if set(before, was) != set(o.In, now) || order(before, was) == order(o.In, now) || slices.Contains(now, was[i]) {
			continue
		}
		d.Was, d.Now = c.was.ops[i].At, o.At
		d.set(Wiring, fmt.Sprintf("%v takes its operands in another order, the first is %s", c.now.text(j), c.now.place(int(o.In[0]))))
		return true
	}
	return false
}

// values returns for each op a hash of what it computes from which arguments. Arguments
// are told apart by their lines and names.
func (p *Program) values() []uint64 {
	all := make([]uint64, len(p.ops))
	for i := range p.ops {
		o := &p.ops[i]
		h := Mix(Mix(Mix(o.Label, o.Type), o.Attrs), o.Body)
		if o.Role.argument() {
			h = MixText(Mix(h, uint64(o.At)), p.text(i).Name)
		}
		for _, k := range o.In {
			h = Mix(h, all[k])
		}
		all[i] = h
	}
	return all
}
