package mlir

import (
	"strconv"
	"strings"
)

// resolver turns what was read into a tree: it looks up names of values and
// aliases, checks the types of uses, and makes types and attributes.
type resolver struct {
	errs    []*Error
	types   map[string]Type      // by the text of the type
	attrs   map[string]Attribute // array<…> and #d.attr<…> by text
	aliases map[string]*aliasNode
	locs    map[string]Location
	busy    map[string]bool // aliases being resolved: one that needs itself is an error
	broken  map[string]bool // aliases that had errors
	scope   *scope
}

// scope holds the values that can be named: those of an isolated op, such as a
// function, and everything nested in it. Leaving a region forgets its names.
type scope struct {
	values  map[string]def
	order   []string // names in the order of definition
	pending []pendingUse
}

// def is the values of one name: %r:2 are two.
type def struct {
	values []*Value
	line   int
}

// pendingUse is an operand that stands before its definition, as it may in a
// region of several blocks.
type pendingUse struct {
	op    *Op
	index int
	use   useNode
	want  Type
}

func newResolver() *resolver {
	return &resolver{
		types: map[string]Type{}, attrs: map[string]Attribute{}, aliases: map[string]*aliasNode{},
		locs: map[string]Location{}, busy: map[string]bool{}, broken: map[string]bool{}, scope: &scope{values: map[string]def{}},
	}
}

func (r *resolver) fail(pos Pos, format string, args ...any) {
	r.errs = append(r.errs, errorf(pos, format, args...))
}

// op makes the op of o and defines its results.
func (r *resolver) op(o *opNode) *Op {
	op := &Op{Name: o.name, Pos: o.pos}
	r.operands(o, op)
	if len(o.attrs) > 0 {
		op.Attrs = r.opAttrs(o)
	}
	if o.loc != nil {
		op.Loc = r.loc(o.loc)
	}
	if len(o.regions) > 0 {
		r.opRegions(o, op)
	}
	r.results(o, op)
	return op
}

func (r *resolver) operands(o *opNode, op *Op) {
	if len(o.ins) != len(o.operands) {
		r.fail(o.typeErrPos(), "%s has %d operands but %d operand types", o.name, len(o.operands), len(o.ins))
		return
	}
	if len(o.operands) == 0 {
		return
	}
	op.Operands = make([]*Value, len(o.operands))
	for i, u := range o.operands {
		op.Operands[i] = r.use(op, i, u, r.typ(&o.ins[i]))
	}
}

func (o *opNode) typeErrPos() Pos {
	if o.typePos.Line > 0 {
		return o.typePos
	}
	return o.pos
}

// use finds the value that u names. After an error it makes one up, so that
// the op can be looked at further.
func (r *resolver) use(op *Op, i int, u useNode, want Type) *Value {
	v, known := r.lookup(u)
	if v == nil {
		if !known && len(op.Operands) > i {
			r.scope.pending = append(r.scope.pending, pendingUse{op, i, u, want})
		}
		return &Value{Name: u.name, Type: want}
	}
	r.checkUse(u, v, want)
	return v
}

func (r *resolver) checkUse(u useNode, v *Value, want Type) {
	if want != nil && v.Type != nil && !SameType(v.Type, want) {
		r.fail(u.pos, "use of %%%s has type %s, but it is %s", u.name, want, v.Type)
	}
}

// lookup returns the value, or nil and whether an error was recorded.
func (r *resolver) lookup(u useNode) (*Value, bool) {
	name, index := u.name, 0
	if i := strings.IndexByte(name, '#'); i >= 0 {
		index, _ = strconv.Atoi(name[i+1:]) // an overflow gives an index that is out of range
		name = name[:i]
	}
	d, ok := r.scope.values[name]
	if !ok {
		return nil, false
	}
	if index >= len(d.values) {
		r.fail(u.pos, "%%%s does not exist: results of %%%s are numbered from 0 to %d", u.name, name, len(d.values)-1)
		return nil, true
	}
	return d.values[index], true
}

func (r *resolver) define(name string, pos Pos, vs []*Value) {
	if old, ok := r.scope.values[name]; ok {
		r.fail(pos, "%%%s is defined a second time; first on line %d", name, old.line)
		return
	}
	r.scope.values[name] = def{vs, pos.Line}
	r.scope.order = append(r.scope.order, name)
}

func (r *resolver) results(o *opNode, op *Op) {
	if len(o.outs) == 0 && len(o.results) == 0 {
		return
	}
	named := 0
	for _, n := range o.results {
		named += n.count
	}
	if len(o.results) > 0 && named != len(o.outs) {
		r.fail(o.results[0].pos, "%s has %d result types but %d named results", o.name, len(o.outs), named)
		return
	}
	values := make([]Value, len(o.outs))
	op.Results = make([]*Value, len(o.outs))
	for i := range o.outs {
		values[i] = Value{Type: r.typ(&o.outs[i]), Def: op, Index: i}
		op.Results[i] = &values[i]
	}
	i := 0
	for _, n := range o.results {
		group := op.Results[i : i+n.count]
		for _, v := range group {
			v.Name = written(n.name)
		}
		r.define(n.name, n.pos, group)
		i += n.count
	}
}

// opRegions makes the regions. An isolated op's cannot see values around it.
func (r *resolver) opRegions(o *opNode, op *Op) {
	outer := r.scope
	if o.def != nil && o.def.isolated {
		r.scope = &scope{values: map[string]def{}}
	}
	for _, n := range o.regions {
		op.Regions = append(op.Regions, r.region(n))
	}
	if r.scope != outer {
		r.settle(0, true)
		r.scope = outer
	}
}

func (r *resolver) region(n *regionNode) *Region {
	mark, waiting := len(r.scope.order), len(r.scope.pending)
	reg := &Region{}
	labels := map[string]*Block{}
	for _, bn := range n.blocks {
		b := &Block{Label: bn.label}
		reg.Blocks = append(reg.Blocks, b)
		if bn.label == "" {
			continue
		}
		if labels[bn.label] != nil {
			r.fail(bn.pos, "block ^%s is defined a second time", bn.label)
		}
		labels[bn.label] = b
	}
	if len(r.scope.values) == 0 && len(n.blocks) == 1 {
		size := len(n.blocks[0].ops) // of most, one result each
		r.scope.values, r.scope.order = make(map[string]def, size), make([]string, 0, size)
	}
	for i, bn := range n.blocks {
		r.block(reg.Blocks[i], bn, reg.Blocks[0], labels)
	}
	r.settle(waiting, len(reg.Blocks) < 2)
	for _, name := range r.scope.order[mark:] {
		delete(r.scope.values, name)
	}
	r.scope.order = r.scope.order[:mark]
	return reg
}

// settle looks again for the operands that were not defined where they stood.
// In a region of one block they are errors: what they name comes too late.
func (r *resolver) settle(from int, strict bool) {
	keep := r.scope.pending[:from]
	for _, p := range r.scope.pending[from:] {
		v, known := r.lookup(p.use)
		switch {
		case known && v == nil:
		case v == nil && !strict:
			keep = append(keep, p)
		case v == nil:
			r.fail(p.use.pos, "%%%s is not defined", p.use.name)
		case strict:
			r.fail(p.use.pos, "%%%s is used before it is defined", p.use.name)
		default:
			r.checkUse(p.use, v, p.want)
			p.op.Operands[p.index] = v
		}
	}
	r.scope.pending = keep
}

func (r *resolver) block(b *Block, n *blockNode, entry *Block, labels map[string]*Block) {
	for i := range n.args {
		a := &n.args[i]
		v := &Value{Name: written(a.name), Type: r.typ(&a.typ), Block: b, Index: i}
		if a.loc != nil {
			v.Loc = r.loc(a.loc)
		}
		b.Args = append(b.Args, v)
		if a.name != "" {
			r.define(a.name, a.pos, []*Value{v})
		}
	}
	b.Ops = make([]*Op, len(n.ops))
	for i, o := range n.ops {
		op := r.op(o)
		b.Ops[i] = op
		for _, s := range o.successors {
			if labels[s.name] == nil {
				r.fail(s.pos, "block ^%s is not defined", s.name)
			} else if labels[s.name] == entry {
				r.fail(s.pos, "block ^%s is the entry of its region: nothing can branch to it", s.name)
			}
			op.Successors = append(op.Successors, labels[s.name])
		}
	}
}

// written returns name unless it is one that reduceSyntax made up.
func written(name string) string {
	if strings.HasPrefix(name, ":") {
		return ""
	}
	return name
}
