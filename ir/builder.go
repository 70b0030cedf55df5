package ir

import (
	"math"
	"slices"

	"ltc/internal/callsite"
	"ltc/ir/types"
)

// Infer decides the type of an op's result, or the types of several: then the
// first is the zero Type. See package shapeinfer, whose rules every builder is given.
type Infer func(op Op, in []*Node, attrs []Attr, body *Composite) (one types.Type, several []types.Type, err error)

// Builder makes nodes, each once: asking for the same op on the same operands
// gives the same node. It belongs to one goroutine at a time.
type Builder struct {
	infer  Infer
	loc    callsite.Site
	nextID int32
	slab   []Node
	table  []*Node // open addressing, a power of two long
	used   int     // nodes made since Forget
	last   int     // and between the two Forgets before
	mark   uint32  // of the latest capture
	stack  []frame
	walked Graph
	onNode func(*Node) // OnNode
	attrs  []Attr      // Attrs
	in     []*Node     // Operands

	params []*Node // of the step, those with Values

	reuse  bool
	paths  []*Path
	on     *Path     // that the step has followed so far; nil once it has left
	at     int       // how many requests of it
	made   []request // of the step, once it has left the path
	left   bool      // the step has followed a path for a while
	beside *Path     // of the step that Varies compares with, once the step has left its path
	lost   bool      // the step is not to be remembered
}

// NewBuilder returns a builder that takes result types from infer.
func NewBuilder(infer Infer) *Builder {
	return &Builder{infer: infer, table: make([]*Node, 64)}
}

// SetLoc sets the line that nodes made from now on carry, and returns the one
// before.
func (b *Builder) SetLoc(s callsite.Site) callsite.Site {
	old := b.loc
	b.loc = s
	return old
}

// Forget drops the builder's own references to the nodes made so far: they
// live on only through those who hold them. Steps before are forgotten, too.
func (b *Builder) Forget() {
	b.drop()
	b.forget()
	clear(b.params) // who holds them needs their Values
	b.params = b.params[:0]
}

func (b *Builder) forget() {
	clear(b.table)
	clear(b.in)
	if len(b.table) > 64 && b.used < len(b.table)/8 {
		b.table = make([]*Node, len(b.table)/2)
	}
	clear(b.walked.Nodes)
	clear(b.walked.Params)
	b.walked.Nodes, b.walked.Params = b.walked.Nodes[:0], b.walked.Params[:0]
	b.last, b.used, b.slab = b.used, 0, nil
}

// OnNode has f called after every node that the builder makes; nil ends that.
// Meanwhile each step makes its own.
func (b *Builder) OnNode(f func(*Node)) {
	if b.onNode = f; f != nil {
		b.drop()
	}
}

// Len returns how many nodes were made since the last Forget.
func (b *Builder) Len() int { return b.used }

// Parameter makes a Parameter of the given type. Every call gives another.
func (b *Builder) Parameter(t types.Type, name string, value any) *Node {
	return b.parameter(t, name, value, false)
}

// Variable is Parameter for one whose gradient may be asked for: nodes that
// depend on it are tracked.
func (b *Builder) Variable(t types.Type, name string, value any) *Node {
	return b.parameter(t, name, value, true)
}

func (b *Builder) parameter(t types.Type, name string, value any, tracked bool) *Node {
	var n *Node
	if b.on != nil {
		n = b.next(func(n *Node) bool {
			return n.Op == OpParameter && n.tracked == tracked && n.Value == nil && n.ParamName() == name && n.Type.Equal(t)
		})
	}
	fresh := n == nil
	if fresh {
		n = b.alloc()
		n.Op, n.Type, n.Attrs, n.tracked = OpParameter, t, parameterAttrs(name), tracked
		b.used++
		b.asked(n)
	}
	n.Value = value
	b.params = append(b.params, n)
	if fresh && b.onNode != nil {
		b.onNode(n)
	}
	return n
}

// Detached is Parameter for a node that outlives its step: it shares no memory
// with the builder's other nodes.
func (b *Builder) Detached(t types.Type, name string, value any) *Node {
	one := &struct { // an allocation for both
		n     Node
		attrs [2]Attr
	}{attrs: [2]Attr{{}, {Str: name}}}
	n := &one.n
	n.Op, n.Type, n.Value, n.Attrs, n.seq, n.Loc = OpParameter, t, value, one.attrs[:], b.nextID, b.loc
	b.nextID = (b.nextID + 1) & math.MaxInt32
	if b.onNode != nil {
		b.onNode(n)
	}
	return n
}

// Attrs returns attributes in memory that is the builder's until it makes its
// next node: those of a node that an earlier step made need no other.
func (b *Builder) Attrs(attrs ...Attr) []Attr {
	b.attrs = append(b.attrs[:0], attrs...)
	return b.attrs
}

// Operands does the same for operands.
func (b *Builder) Operands(in ...*Node) []*Node {
	b.in = append(b.in[:0], in...)
	return b.in
}

// Node makes a node. An error is infer's, and then nothing was made. The
// builder copies in and attrs, but not what they point to.
func (b *Builder) Node(op Op, in []*Node, attrs []Attr, body *Composite) (*Node, error) {
	if b.on != nil {
		if n := b.next(func(n *Node) bool { return n.is(op, in, attrs, body) }); n != nil {
			return n, nil
		}
	}
	h := hashNode(op, in, attrs, body)
	slot, found := b.find(h, op, in, attrs, body)
	if found != nil {
		b.asked(found)
		return found, nil
	}
	t, several, err := b.infer(op, in, attrs, body)
	if err != nil {
		return nil, err
	}
	n := b.alloc()
	n.Op, n.Attrs, n.Body, n.hash = op, slices.Clone(attrs), body, h
	n.setType(t, several)
	if len(in) <= len(n.in) {
		n.In = n.in[:len(in):len(in)]
	} else {
		n.In = make([]*Node, len(in))
	}
	for i, x := range in { // copy costs a call for one or two
		n.In[i] = x
		n.tracked = n.tracked || x.tracked
	}
	b.put(slot, n)
	b.asked(n)
	if b.onNode != nil {
		b.onNode(n)
	}
	return n, nil
}

// is reports whether n is what Node makes of these.
func (n *Node) is(op Op, in []*Node, attrs []Attr, body *Composite) bool {
	if n.Op != op || len(n.In) != len(in) || len(n.Attrs) != len(attrs) {
		return false
	}
	for i := range in {
		if n.In[i] != in[i] {
			return false
		}
	}
	for i := range attrs {
		if !n.Attrs[i].Equal(attrs[i]) {
			return false
		}
	}
	return n.Body == body || sameBody(n.Body, body) // regions are recorded anew in each step
}

func sameBody(a, b *Composite) bool {
	var c comparison
	return c.composites(a, b)
}

func (b *Builder) put(slot int, n *Node) {
	b.table[slot] = n
	b.used++
	if 2*b.used > len(b.table) {
		b.grow()
	}
}

// enter puts a node of an earlier step in the table, once.
func (b *Builder) enter(n *Node) {
	if slot, found := b.find(n.hash, n.Op, n.In, n.Attrs, n.Body); found == nil {
		b.put(slot, n)
	}
}

func (b *Builder) alloc() *Node {
	if len(b.slab) == 0 {
		// As many as the last step had, in slabs that one kept tensor may keep
		// alive.
		n := b.last - b.used
		if n <= 0 {
			n = max(b.used, 8)
		}
		b.slab = make([]Node, min(n, 256))
	}
	n := &b.slab[0]
	b.slab = b.slab[1:]
	n.seq, n.Loc = b.nextID, b.loc
	b.nextID = (b.nextID + 1) & math.MaxInt32
	return n
}

// find returns the equal node, or the free slot where it would stand.
func (b *Builder) find(h uint64, op Op, in []*Node, attrs []Attr, body *Composite) (int, *Node) {
	mask := len(b.table) - 1
	for i := int(h) & mask; ; i = (i + 1) & mask {
		n := b.table[i]
		if n == nil {
			return i, nil
		}
		if n.hash == h && n.is(op, in, attrs, body) {
			return i, n
		}
	}
}

func (b *Builder) grow() {
	old := b.table
	b.table = make([]*Node, 2*len(old))
	mask := len(b.table) - 1
	for _, n := range old {
		if n == nil {
			continue
		}
		i := int(n.hash) & mask
		for b.table[i] != nil {
			i = (i + 1) & mask
		}
		b.table[i] = n
	}
}
