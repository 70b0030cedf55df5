package plan

import (
	"slices"

	"ltc/backends"
)

// Work is the work of a step: a [*Launch], [*Composite], [*Sort], [*Triangular], [*Host],
// [*Loop] or [*Branch]. A further kind does not compile before it has all methods.
type Work interface {
	// Access returns the values that the work reads and those that it writes.
	Access(p *Program) (reads, writes []ValueID)
	// Fallible reports whether it can fail.
	Fallible() bool
	// overwrites reports whether work that reads old and makes now can have both in the
	// same memory.
	overwrites(p *Program, old, now ValueID) bool
	// numbers visits the numbers that can depend on a size, in an order that depends on
	// nothing else: run-time arguments and dimensions.
	numbers(argument func(*int64), dim func(*int))
	// own returns a copy whose numbers may change. Lists of them are those of s.
	own(s *sharedLists) Work
	// residentBytes returns about how many bytes of memory the work takes.
	residentBytes() int
	// profile returns what is known of it before it runs.
	profile(p *Program) backends.StepProfile
	// print prints it; the first step of its regions has a number.
	print(w *lister, first int, ops Ordinals)
}

// Launch returns the launch that the step is; nil if it is other work.
func (s *Step) Launch() *Launch {
	l, _ := s.Work.(*Launch)
	return l
}

// Host returns the op of the evaluator that the step is; nil if it is other work.
func (s *Step) Host() *Host {
	h, _ := s.Work.(*Host)
	return h
}

// Regions are the programs of a loop or a branch: of a loop, its condition and its body.
func (s *Step) Regions() []*Program {
	switch w := s.Work.(type) {
	case *Loop:
		return []*Program{w.Cond, w.Body}
	case *Branch:
		return w.Branches
	}
	return nil
}

// RegionOps are, by region, what its ops are in the text of the program.
func (s *Step) RegionOps() []Ordinals {
	switch w := s.Work.(type) {
	case *Loop:
		return []Ordinals{w.CondOps, w.BodyOps}
	case *Branch:
		return w.Ops
	}
	return nil
}

func (l *Launch) Access(p *Program) (reads, writes []ValueID) {
	for i, o := range l.Operands {
		if p.Kernels[l.Kernel].Params[i].Out {
			writes = append(writes, o.Value)
		} else {
			reads = append(reads, o.Value)
		}
	}
	return reads, writes
}

func (c *Composite) Access(*Program) (reads, writes []ValueID) {
	writes = slices.Clone(c.Work)
	for _, a := range c.Args {
		reads = append(reads, a.Value)
	}
	for _, o := range c.Outs {
		writes = append(writes, o.Value)
	}
	return reads, writes
}

func (s *Sort) Access(*Program) (reads, writes []ValueID) {
	return ValuesOf(s.Args), slices.Concat(s.Work, ValuesOf(s.Outs))
}

func (h *Host) Access(*Program) (reads, writes []ValueID) { return ValuesOf(h.Args), h.Outs }

func (l *Loop) Access(*Program) (reads, writes []ValueID) {
	for i, a := range l.Init {
		if !l.Undefined(i) {
			reads = append(reads, a.Value)
		}
	}
	return append(reads, ValuesOf(l.Captured)...), l.Outs
}

func (b *Branch) Access(*Program) (reads, writes []ValueID) {
	return append(ValuesOf(b.Captured), b.Index.Value), b.Outs
}

// ValuesOf returns the values of arguments.
func ValuesOf(lists ...[]HostArg) []ValueID {
	var all []ValueID
	for _, list := range lists {
		for _, a := range list {
			all = append(all, a.Value)
		}
	}
	return all
}

func (*Launch) Fallible() bool    { return false }
func (*Composite) Fallible() bool { return false }
func (*Sort) Fallible() bool      { return false }
func (*Host) Fallible() bool      { return true }
func (*Loop) Fallible() bool      { return true }
func (*Branch) Fallible() bool    { return true }

func (*Composite) overwrites(*Program, ValueID, ValueID) bool { return false }
func (*Sort) overwrites(*Program, ValueID, ValueID) bool      { return false }
func (*Host) overwrites(*Program, ValueID, ValueID) bool      { return false }
func (*Branch) overwrites(*Program, ValueID, ValueID) bool    { return false }

func (l *Launch) numbers(argument func(*int64), _ func(*int)) {
	factors := func(by []Factor) {
		for i := range by {
			argument(&by[i].By)
		}
	}
	for _, list := range [][]int64{l.Sizes, l.Strides} {
		for k := range list {
			argument(&list[k])
		}
	}
	for k := range l.Operands {
		argument(&l.Operands[k].Offset)
		factors(l.Operands[k].By)
	}
	for k := range l.Moving {
		factors(l.Moving[k].By)
	}
}

// Targets compile composites for their sizes, which are numbers.
func (*Composite) numbers(func(*int64), func(*int)) {}

func (s *Sort) numbers(_ func(*int64), dim func(*int))   { dimsOf(dim, s.Args, s.Outs) }
func (h *Host) numbers(_ func(*int64), dim func(*int))   { dimsOf(dim, h.Args) }
func (l *Loop) numbers(_ func(*int64), dim func(*int))   { dimsOf(dim, l.Init, l.Captured) }
func (b *Branch) numbers(_ func(*int64), dim func(*int)) { dimsOf(dim, b.Captured) }

func dimsOf(dim func(*int), lists ...[]HostArg) {
	for _, list := range lists {
		for k := range list {
			for d := range list[k].Type.Shape {
				dim(&list[k].Type.Shape[d])
			}
		}
	}
}

func (l *Launch) own(s *sharedLists) Work {
	c := *l
	c.Operands, c.Sizes, c.Strides, c.Moving = slices.Clone(l.Operands), s.numbers.copy(l.Sizes), s.numbers.copy(l.Strides), slices.Clone(l.Moving)
	for k := range c.Operands {
		c.Operands[k].By = slices.Clone(c.Operands[k].By)
	}
	for k := range c.Moving {
		c.Moving[k].By = slices.Clone(c.Moving[k].By)
	}
	return &c
}

func (c *Composite) own(*sharedLists) Work { return c }

func (s *Sort) own(lists *sharedLists) Work {
	c := *s
	c.Args, c.Outs = lists.types(s.Args), lists.types(s.Outs)
	return &c
}

func (h *Host) own(s *sharedLists) Work {
	c := *h
	c.Args = s.types(h.Args)
	return &c
}

func (l *Loop) own(s *sharedLists) Work {
	c := *l
	c.Init, c.Captured = s.types(l.Init), s.types(l.Captured)
	return &c
}

func (b *Branch) own(s *sharedLists) Work {
	c := *b
	c.Captured = s.types(b.Captured)
	return &c
}
