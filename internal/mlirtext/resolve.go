package mlirtext

import (
	"cmp"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/halt"
	"ltc/mlir"
)

// resolver makes the tree of what is read, as it is read: it looks up names of
// values and aliases, checks the types of uses, and makes types and attributes.
type resolver struct {
	text    string
	errs    []*mlir.Error
	types   map[string]mlir.Type      // by the text of the type
	attrs   map[string]mlir.Attribute // array<…> and #d.attr<…> by text
	aliases map[string]*alias
	late    []string               // aliases that findAliases did not see
	missing map[string]*mlir.Error // of the first use of aliases that are not known
	busy    map[string]bool        // aliases being resolved: one that needs itself is an error
	section *section               // of resources; nil if there is none
	scope   *scope
	region  *regionFrame // around what is read
	spare   []*OpText
	slabs   slabs
	done    <-chan struct{} // of the context; nil if none ends the parse
	mistake *mlir.Error     // what [Stream.Stop] ends the reading with
}

// scope holds the values that can be named: those of an isolated op, such as a
// function, and everything nested in it. Leaving a region forgets its names.
type scope struct {
	values  map[string]def
	order   []string // names in the order of definition
	pending []pendingUse
}

func newScope() *scope { return &scope{values: map[string]def{}} }

// def is the values of one name: %r:2 are two.
type def struct {
	values []*mlir.Value
	line   int
}

// pendingUse is an operand that stands before its definition, as it may in a
// region of several blocks.
type pendingUse struct {
	op    *mlir.Op
	index int
	use   UseText
	want  mlir.Type
}

// slabs are the next parts of the tree, allocated many together: first few, since
// a small module that is kept keeps all of them.
type slabs struct {
	ops    slab[mlir.Op]
	values slab[mlir.Value]
	refs   slab[*mlir.Value]
}

type slab[T any] struct {
	next []T
	size int // of the latest
}

// The least and the most parts of a slab.
const (
	slabLeast = 8
	slabMost  = 64
)

// take returns the next n, of slabs of at most most; appending to them copies.
func (s *slab[T]) take(n, most int) []T {
	if len(s.next) < n {
		s.size = min(max(2*s.size, slabLeast), most)
		s.next = make([]T, max(n, s.size))
	}
	l := s.next[:n:n]
	s.next = s.next[n:]
	return l
}

func (s *slabs) op() *mlir.Op       { return &s.ops.take(1, slabMost)[0] }
func (s *slabs) value() *mlir.Value { return &s.values.take(1, slabMost)[0] }

// list returns a list of n values, to be filled in.
func (s *slabs) list(n int) []*mlir.Value {
	if n > slabMost {
		return make([]*mlir.Value, n)
	}
	return s.refs.take(n, 4*slabMost)
}

func newResolver(text string) *resolver {
	return &resolver{
		text: text, types: map[string]mlir.Type{}, attrs: map[string]mlir.Attribute{}, aliases: map[string]*alias{},
		missing: map[string]*mlir.Error{}, busy: map[string]bool{}, scope: newScope(),
	}
}

// errorsKept is how many errors are kept before they are sorted; more are not made.
const errorsKept = 2000

func (r *resolver) fail(pos mlir.Pos, format string, args ...any) {
	if len(r.errs) < errorsKept {
		r.failed(mlir.Errorf(pos, format, args...))
	}
}

// failed records an error that is no matter of syntax.
func (r *resolver) failed(err *mlir.Error) { r.errs = append(r.errs, err) }

// opLine reads an op with all that is in it.
func (r *resolver) opLine(s *Stream) *mlir.Op {
	var o *OpText
	if n := len(r.spare); n > 0 {
		o, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		o = &OpText{}
	}
	if halt.Closed(r.done) {
		s.Stop(mlir.Errorf(s.tok.Pos, contextDone))
	}
	o.parse(s)
	op := r.op(o)
	o.reset()
	r.spare = append(r.spare, o)
	return op
}

// op makes the op of o and defines its results.
func (r *resolver) op(o *OpText) *mlir.Op {
	op := r.slabs.op()
	*op = mlir.Op{Pos: o.Pos, Loc: o.loc, Regions: o.Regions}
	if o.form != nil {
		op.Code = o.form.code
	} else {
		op.SetName(o.name)
	}
	r.operands(o, op)
	if len(o.attrs) > 0 {
		op.Attrs = r.opAttrs(o)
	}
	for _, s := range o.successors {
		op.Successors = append(op.Successors, r.successor(s))
	}
	r.results(o, op)
	return op
}

func (r *resolver) operands(o *OpText, op *mlir.Op) {
	if len(o.Ins) != len(o.Operands) {
		r.fail(cmp.Or(o.TypePos, o.Pos), "%s has %s but %s", o.name, diag.Count(len(o.Operands), "operand"), diag.Count(len(o.Ins), "operand type"))
		return
	}
	if len(o.Operands) == 0 {
		return
	}
	op.Operands = r.slabs.list(len(o.Operands))
	for i, u := range o.Operands {
		op.Operands[i] = r.use(op, i, u, r.typ(&o.Ins[i]))
	}
}

// use finds the value that u names. After an error it makes one up, so that
// the op can be looked at further.
func (r *resolver) use(op *mlir.Op, i int, u UseText, want mlir.Type) *mlir.Value {
	v, known := r.lookup(u)
	if v == nil {
		if !known {
			r.scope.pending = append(r.scope.pending, pendingUse{op, i, u, want})
		}
		return &mlir.Value{Name: u.Name, Type: want}
	}
	r.checkUse(u, v, want)
	return v
}

func (r *resolver) checkUse(u UseText, v *mlir.Value, want mlir.Type) {
	if want != nil && v.Type != nil && !mlir.SameType(v.Type, want) {
		r.fail(u.Pos, "use of %%%s has type %s, but it is %s", u.Name, want, v.Type)
	}
}

// lookup returns the value, or nil and whether an error was recorded.
func (r *resolver) lookup(u UseText) (*mlir.Value, bool) {
	name, index := u.Name, 0
	if i := strings.IndexByte(name, '#'); i >= 0 {
		index, _ = strconv.Atoi(name[i+1:]) // an overflow gives an index that is out of range
		name = name[:i]
	}
	d, ok := r.scope.values[name]
	if !ok {
		return nil, false
	}
	if index >= len(d.values) {
		r.fail(u.Pos, "%%%s does not exist: results of %%%s are numbered from 0 to %d", u.Name, name, len(d.values)-1)
		return nil, true
	}
	return d.values[index], true
}

func (r *resolver) define(name string, pos mlir.Pos, vs []*mlir.Value) {
	if old, ok := r.scope.values[name]; ok {
		r.fail(pos, "%%%s is defined a second time; first on line %d", name, old.line)
		return
	}
	r.scope.values[name] = def{vs, pos.Line}
	r.scope.order = append(r.scope.order, name)
}

func (r *resolver) results(o *OpText, op *mlir.Op) {
	if len(o.Outs) == 0 && len(o.results) == 0 {
		return
	}
	named := 0
	for _, n := range o.results {
		named += n.count
	}
	if len(o.results) > 0 && named != len(o.Outs) {
		r.fail(o.results[0].pos, "%s has %s but %s", o.name, diag.Count(len(o.Outs), "result type"), diag.Count(named, "named result"))
		return
	}
	op.Results = r.slabs.list(len(o.Outs))
	for i := range o.Outs {
		v := r.slabs.value()
		*v = mlir.Value{Type: r.typ(&o.Outs[i]), Def: op, Index: i}
		op.Results[i] = v
	}
	i := 0
	for _, n := range o.results {
		group := op.Results[i : i+n.count]
		for _, v := range group {
			v.Name = n.name
		}
		r.define(n.name, n.pos, group)
		i += n.count
	}
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
			r.fail(p.use.Pos, "%%%s is not defined", p.use.Name)
		case strict:
			r.fail(p.use.Pos, "%%%s is used before it is defined", p.use.Name)
		default:
			r.checkUse(p.use, v, p.want)
			p.op.Operands[p.index] = v
		}
	}
	r.scope.pending = keep
}
