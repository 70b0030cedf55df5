package mlirtext

import "ltc/mlir"

// regionFrame is a region while it is read.
type regionFrame struct {
	region  *mlir.Region
	labels  map[string]*mlir.Block // also those that are only branched to so far
	defined map[string]bool
	targets []UseText // of branches
}

// Entry is what a pretty form says about the entry block of a region.
type Entry struct {
	Args []ArgText
	What string // the region, for an error
}

// region reads {…}, of which e may be nil: then the block's label has its
// arguments, if it has any.
func (r *resolver) readRegion(s *Stream, isolated bool, e *Entry) *mlir.Region {
	open := s.tok.Pos
	s.Expect("{")
	outerScope, outer := r.scope, r.region
	if isolated {
		r.scope = newScope()
	}
	f := &regionFrame{region: &mlir.Region{}}
	r.region = f
	mark, waiting := len(r.scope.order), len(r.scope.pending)
	r.blocks(s, f, open, e)
	r.closeRegion(f, mark, waiting)
	if isolated {
		r.settle(0, true)
	}
	r.scope, r.region = outerScope, outer
	return f.region
}

func (r *resolver) blocks(s *Stream, f *regionFrame, open mlir.Pos, e *Entry) {
	var b *mlir.Block
	if e != nil {
		b = &mlir.Block{}
		f.region.Blocks = append(f.region.Blocks, b)
		r.arguments(b, e.Args)
		if s.tok.Type == tokBlock {
			s.Stop(mlir.Errorf(s.tok.Pos, "%s begins without a label: its arguments stand in the op's own line", e.What))
		}
	}
	for {
		t := s.tok
		switch {
		case t.Type == tokPunct && t.Value == "}":
			s.Next()
			return
		case t.Type == tokBlock:
			b = r.blockHead(s, f)
			continue
		case t.EOF():
			s.Stop(mlir.Errorf(t.Pos, "unexpected end of text: the '{' of line %d is still open", open.Line))
		}
		if b == nil {
			b = &mlir.Block{}
			f.region.Blocks = append(f.region.Blocks, b)
		}
		b.Ops = append(b.Ops, r.opLine(s))
	}
}

// closeRegion settles what was open in a region and forgets its names.
func (r *resolver) closeRegion(f *regionFrame, mark, waiting int) {
	blocks := f.region.Blocks
	for _, t := range f.targets {
		switch {
		case !f.defined[t.Name]:
			r.fail(t.Pos, "block ^%s is not defined", t.Name)
		case f.labels[t.Name] == blocks[0]:
			r.fail(t.Pos, "block ^%s is the entry of its region: nothing can branch to it", t.Name)
		}
	}
	r.settle(waiting, len(blocks) < 2)
	for _, name := range r.scope.order[mark:] {
		delete(r.scope.values, name)
	}
	r.scope.order = r.scope.order[:mark]
}

// label returns the block of that name, which may still be to come.
func (f *regionFrame) label(name string) *mlir.Block {
	b := f.labels[name]
	if b == nil {
		if f.labels == nil {
			f.labels, f.defined = map[string]*mlir.Block{}, map[string]bool{}
		}
		b = &mlir.Block{Label: name}
		f.labels[name] = b
	}
	return b
}

func (r *resolver) successor(u UseText) *mlir.Block {
	if r.region == nil {
		r.fail(u.Pos, "block ^%s is not defined: there is no region around the branch", u.Name)
		return &mlir.Block{Label: u.Name}
	}
	r.region.targets = append(r.region.targets, u)
	return r.region.label(u.Name)
}

// blockHead reads ^label(%x: T, …):.
func (r *resolver) blockHead(s *Stream, f *regionFrame) *mlir.Block {
	t := s.Next()
	name := t.Value[1:]
	b := f.label(name)
	if f.defined[name] {
		r.fail(t.Pos, "block ^%s is defined a second time", name)
		b = &mlir.Block{Label: name}
	}
	f.defined[name] = true
	f.region.Blocks = append(f.region.Blocks, b)
	if s.Is("(") {
		var args []ArgText
		s.List("(", ")", func() { args = append(args, s.Arg()) })
		r.arguments(b, args)
	}
	s.Expect(":")
	return b
}

// arguments makes and defines the arguments of b.
func (r *resolver) arguments(b *mlir.Block, args []ArgText) {
	if len(args) == 0 {
		return
	}
	b.Args = make([]*mlir.Value, len(args))
	for i := range args {
		a := &args[i]
		v := r.slabs.value()
		*v = mlir.Value{Name: a.Name, Type: r.typ(&a.Type), Block: b, Index: i, Loc: a.Loc}
		b.Args[i] = v
		if a.Name != "" {
			r.define(a.Name, a.Pos, b.Args[i:i+1:i+1])
		}
	}
}
