package ir

import (
	"slices"

	"ltc/internal/callsite"
)

// Paths of steps. A builder remembers what the latest steps asked for, one
// request after the other. As long as a new step asks for the same it gets the
// nodes of then: nothing is hashed, inferred or allocated. At the first
// difference it goes on with nodes of its own.

// maxPaths is how many different steps a builder remembers: training and
// evaluation take turns, as may a few more.
const maxPaths = 4

// maxPath is the most requests of a step that is remembered.
const maxPath = 1 << 17

// request is one call of Node or Parameter. The node may have been made by an
// earlier one, on another line.
type request struct {
	n   *Node
	loc callsite.Site
}

// Path is what a step asked its builder for.
type Path struct {
	requests []request
	// Note is whatever the builder's owner knows about steps that end here.
	Note any
}

// Reuse turns remembering steps on or off; it is off in a new builder.
func (b *Builder) Reuse(on bool) {
	if b.reuse = on; !on {
		b.drop()
		b.made = nil
	}
}

// Following reports whether the step has asked for nothing yet that an earlier
// one did not ask for in its place.
func (b *Builder) Following() bool { return b.on != nil }

// Left reports whether the step asked for something that the earlier one which it
// followed did not.
func (b *Builder) Left() bool { return b.left }

// Path returns the earlier step that the current one has followed to its end,
// nil if there is none.
func (b *Builder) Path() *Path {
	if b.on != nil && b.at == len(b.on.requests) {
		return b.on
	}
	return nil
}

// EndStep forgets the nodes of the step like Forget, but for the memory of
// them that later steps may follow, in which parameters have no Values. It
// returns the step's path, nil when it is not remembered.
func (b *Builder) EndStep() *Path {
	for _, n := range b.params {
		n.Value = nil
	}
	clear(b.params)
	b.params = b.params[:0]
	var p *Path
	if b.reuse {
		p = b.keep()
	}
	b.forget()
	b.at, b.on, b.left, b.beside = 0, nil, false, nil
	if b.reuse && b.onNode == nil && len(b.paths) > 0 {
		b.on = b.paths[0]
	}
	return p
}

// keep remembers the step that ends, the latest first.
func (b *Builder) keep() *Path {
	switch {
	case b.lost:
		b.lost = false
		return nil
	case b.on != nil && b.at == len(b.on.requests):
		i := slices.Index(b.paths, b.on)
		copy(b.paths[1:i+1], b.paths[:i])
		b.paths[0] = b.on
		return b.on
	case b.on != nil: // the beginning of one
		return nil
	}
	p := &Path{}
	if len(b.paths) == maxPaths {
		p = b.paths[maxPaths-1]
		clear(p.requests)
		p.requests, p.Note = p.requests[:0], nil
		b.paths = b.paths[:maxPaths-1]
	}
	p.requests, b.made = b.made, p.requests
	b.paths = slices.Insert(b.paths, 0, p)
	return p
}

// drop forgets all paths: nodes on them are about to change.
func (b *Builder) drop() {
	if b.on != nil {
		b.fork()
	}
	clear(b.paths)
	clear(b.made)
	b.paths, b.made, b.lost, b.beside = b.paths[:0], b.made[:0], b.reuse, nil
}

// Again is Node for a step that follows an earlier one: it returns the node that this
// asked for here, if it is what op makes of in and attrs. It returns nil otherwise, and
// then nothing has changed: Node says what it is. in and attrs may be as users give them
// (package shapeinfer's Record), for what equals those of a node is in the form of nodes.
func (b *Builder) Again(op Op, in []*Node, attrs []Attr) *Node {
	if b.on == nil || b.at >= len(b.on.requests) {
		return nil
	}
	r := &b.on.requests[b.at]
	switch {
	case r.loc != b.loc:
		return nil
	case r.n.is(op, in, attrs, nil):
		b.at++
		return r.n
	case r.n.Op == OpBroadcast && op != OpBroadcast && len(in) > 1:
		return b.againBroadcast(op, in, attrs)
	}
	return nil
}

// againBroadcast is Again where the earlier step broadcast some of the operands for op: to the shape of one
// that it left alone, so that op asks for the same.
func (b *Builder) againBroadcast(op Op, in []*Node, attrs []Attr) *Node {
	var few [4]*Node
	wide, at := append(few[:0], in...), b.at
	left := false
	for i, x := range in {
		if r := b.on.request(at, b.loc); r != nil && r.n.Op == OpBroadcast && r.n.In[0] == x {
			wide[i] = r.n
			at++
		} else {
			left = true
		}
	}
	r := b.on.request(at, b.loc)
	if !left || r == nil || !r.n.is(op, wide, attrs, nil) {
		return nil
	}
	b.at = at + 1
	return r.n
}

// Constants returns how many constants the step has asked for on the line at hand, while it
// followed an earlier step and since then; 0 if it has not followed any.
func (b *Builder) Constants() (n int) {
	if b.on == nil && !b.left {
		return 0
	}
	made := b.made
	if b.on != nil {
		made = b.on.requests[:b.at]
	}
	for _, r := range made {
		if r.n.Op == OpConstant && r.loc == b.loc {
			n++
		}
	}
	return n
}

// Varies reports whether an earlier step that began like this one asked for a constant of the
// same dtype here, on the same line, but for another value, and none asked for the same. The
// caller asks for a parameter instead. Then later constants are compared with those of that
// step, as long as both ask for as many nodes.
func (b *Builder) Varies(constant []Attr) bool {
	other := func(r *request) bool {
		return r != nil && r.n.Op == OpConstant && r.n.Attrs[ConstantDType].Int == constant[ConstantDType].Int
	}
	if b.on == nil {
		if b.beside == nil || b.lost || len(b.made) >= len(b.beside.requests) {
			return false
		}
		r := &b.beside.requests[len(b.made)]
		return r.loc == b.loc && other(r) && !r.n.is(OpConstant, nil, constant, nil)
	}
	var beside *Path
	for _, p := range b.paths {
		r := b.peek(p)
		if !other(r) || p != b.on && !slices.Equal(p.requests[:b.at], b.on.requests[:b.at]) {
			continue
		}
		if r.n.is(OpConstant, nil, constant, nil) {
			return false
		}
		beside = p
	}
	if beside != nil {
		b.beside = beside
	}
	return beside != nil
}

// next returns the node that is asked for, if an earlier step that began like
// this one asked for an equal one here, on the same line.
func (b *Builder) next(equal func(n *Node) bool) *Node {
	if r := b.peek(b.on); r != nil && equal(r.n) {
		b.at++
		return r.n
	}
	for _, p := range b.paths {
		if r := b.peek(p); p != b.on && r != nil && equal(r.n) && slices.Equal(p.requests[:b.at], b.on.requests[:b.at]) {
			b.on = p
			b.at++
			return r.n
		}
	}
	b.fork()
	return nil
}

// peek returns p's request in the current place, if it is of the current line.
func (b *Builder) peek(p *Path) *request { return p.request(b.at, b.loc) }

// request returns p's request in a place, if it is of the line.
func (p *Path) request(at int, loc callsite.Site) *request {
	if at < len(p.requests) && p.requests[at].loc == loc {
		return &p.requests[at]
	}
	return nil
}

// fork leaves the path: its nodes so far are the step's.
func (b *Builder) fork() {
	b.made = append(b.made[:0], b.on.requests[:b.at]...)
	b.on, b.left = nil, true
	for _, r := range b.made {
		if r.n.Op != OpParameter {
			b.enter(r.n)
		}
	}
}

// asked remembers a request that no earlier step made.
func (b *Builder) asked(n *Node) {
	switch {
	case !b.reuse || b.lost:
	case len(b.made) == maxPath:
		clear(b.made)
		b.made, b.lost = b.made[:0], true
	default:
		b.made = append(b.made, request{n, b.loc})
	}
}
