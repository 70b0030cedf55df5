package plan

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// Member is the program of a family for some sizes at a time. It is one
// goroutine's. Equal lists of numbers of the program, such as shapes, are the same list.
type Member struct {
	Program   *Program // to be read only, until the next Resize
	family    *Family
	registers []int64
	numbers   []memberNumber // those that depend on a size, each once
	largest   []ValueID      // of each type a value
	placement placement
}

// memberNumber is a number of a member: the family's number from.
type memberNumber struct {
	number
	from int
}

// Member returns a new member, which has no sizes before Resize.
func (f *Family) Member() *Member {
	p := *f.open
	s := sharedLists{numbers: sharedCopies[int64]{}, dims: sharedCopies[int]{}}
	sig := &backends.Signature{Args: slices.Clone(p.Signature.Args), Results: slices.Clone(p.Signature.Results)}
	for i := range sig.Args {
		sig.Args[i].Type.Shape = s.dims.copy(sig.Args[i].Type.Shape)
	}
	for i := range sig.Results {
		sig.Results[i].Type.Shape = s.dims.copy(sig.Results[i].Type.Shape)
	}
	p.Signature, p.Values, p.Steps, p.SizeArgs = sig, slices.Clone(p.Values), slices.Clone(p.Steps), slices.Clone(p.SizeArgs)
	for i := range p.Values {
		p.Values[i].Type.Shape = s.dims.copy(p.Values[i].Type.Shape)
	}
	for i := range p.Steps {
		p.Steps[i].Work = p.Steps[i].Work.own(&s)
	}
	if f.base != nil {
		f.setRegions(&p) // those of typical sizes
	}
	return &Member{Program: &p, family: f, registers: f.eval.Registers(), numbers: f.numbersOf(&p), largest: p.typesOf(), placement: newPlacement(&p)}
}

// numbersOf returns the numbers of a member's program that depend on a size.
func (f *Family) numbersOf(p *Program) []memberNumber {
	all := p.numbers()
	var some []memberNumber
	known := map[number]bool{}
	for _, k := range f.varying {
		if x := all[k]; !known[x] {
			known[x] = true
			some = append(some, memberNumber{x, k})
		}
	}
	return some
}

// typesOf returns a value of each type, in a program whose equal lists of dimensions are the same.
func (p *Program) typesOf() (all []ValueID) {
	type sized struct {
		bytes int
		shape *int
	}
	known := map[sized]bool{}
	for i := range p.Values {
		t := &p.Values[i].Type
		if of := (sized{t.DType.Size(), unsafe.SliceData(t.Shape)}); !known[of] {
			known[of] = true
			all = append(all, ValueID(i))
		}
	}
	return all
}

// sharedLists makes copies of lists of numbers, of which those that are equal are the same.
type sharedLists struct {
	numbers sharedCopies[int64]
	dims    sharedCopies[int]
}

// sharedCopies are the copies by the numbers that they were made from.
type sharedCopies[T int | int64] map[string][]T

func (s sharedCopies[T]) copy(list []T) []T {
	if len(list) == 0 {
		return list
	}
	var room [128]byte
	key := room[:0]
	for _, n := range list {
		key = binary.AppendVarint(key, int64(n))
	}
	c, ok := s[string(key)]
	if !ok {
		c = slices.Clone(list)
		s[string(key)] = c
	}
	return c
}

// types returns arguments with types of their own.
func (s *sharedLists) types(list []HostArg) []HostArg {
	list = slices.Clone(list)
	for k := range list {
		list[k].Type.Shape = types.Shape(s.dims.copy(list[k].Type.Shape))
	}
	return list
}

// Resize makes m the program for values of the symbols. It allocates nothing once it has been
// called. The error wraps [ErrOtherSizes] where the program is not for these sizes.
func (m *Member) Resize(values []int64) error {
	f := m.family
	if err := f.evaluate(m.registers, values); err != nil {
		return otherSizes(err)
	}
	if !f.holds(m.registers, values) {
		return ErrOtherSizes
	}
	for i := range m.numbers {
		x := &m.numbers[i]
		x.set(f.eval.Of(m.registers, x.from))
	}
	for _, v := range m.largest {
		if m.Program.Values[v].bytes() > dims.Largest {
			return fmt.Errorf("%w: a value has more bytes than memory can hold", dims.ErrTooLarge)
		}
	}
	m.placement.place(m.Program)
	return nil
}
