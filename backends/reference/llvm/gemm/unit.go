package gemm

import (
	"maps"
	"slices"
	"strings"

	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Unit is a module of kernels that plans need. Units of the same name made for
// the same machine are the same.
type Unit struct {
	Name string
	// On is what the unit is written for: at most the plan's machine, at least
	// what the unit gains by. Usual units are the same for many machines.
	On   Machine
	emit func() string
}

// NewUnit returns a unit of another kind that is compiled, cached and loaded as those of
// products. Its name says all that its text depends on besides the machine.
func NewUnit(name string, on Machine, text func() string) Unit { return Unit{name, on, text} }

// Text returns the module's text. It has one function to be called from
// outside, which has the unit's name.
func (u Unit) Text() string { return u.emit() }

// Units returns what has to be compiled for the plan.
func (q *Plan) Units() []Unit {
	if q.kernel == "" {
		q.names()
	}
	c := q.core
	unit := func(name string, on Machine, emit func(m *module)) Unit {
		return Unit{name, on, func() string {
			m := newModule(on)
			emit(m)
			return m.String()
		}}
	}
	b := packer{core: q.packed, from: q.p.B, narrow: q.packed.narrow, signed: c.signed[1], prologue: q.p.PrologueB.Emit}
	if q.packed.prologue != nil {
		b.prologue = nil
	}
	all := []Unit{unit(q.kernel, q.least(q.p.PrologueB.set(), c.elem, q.p.B), func(m *module) {
		switch {
		case q.vector:
			m.vecmat(b, q.kernel, q.orderB())
		case q.few:
			m.fewRows(b, q.kernel)
		default:
			m.macro(c, q.kernel, q.edge())
		}
	})}
	if q.packA != "" {
		all = append(all, unit(q.packA, q.least(q.p.PrologueA.set(), c.elem, q.p.A), func(m *module) {
			p := packer{core: c, from: q.p.A, flip: c.offset, signed: c.signed[0], prologue: q.p.PrologueA.Emit}
			m.packA(p, q.packA, q.orderA(), q.p.GatherA != nil)
		}))
	}
	switch {
	case q.image != nil && q.p.BorderB != nil:
		all = append(all, unit(q.packB, q.least(false, c.elem), func(m *module) { m.borderCopier(c, q.packB, q.image.step) }))
	case q.image != nil:
		all = append(all, unit(q.packB, q.least(false, c.elem), func(m *module) { m.imageCopier(c, q.packB, q.image.step) }))
	case q.packB != "":
		all = append(all, unit(q.packB, q.least(q.p.PrologueB.set(), c.elem, q.p.B), func(m *module) { m.packB(b, q.packB, q.orderB(), q.p.GatherB != nil) }))
	}
	if q.widen != "" {
		all = append(all, unit(q.widen, q.least(q.packed.prologue != nil, c.elem), func(m *module) { m.widen(q.packed, c, q.widen) }))
	}
	if q.epilogue != "" {
		all = append(all, unit(q.epilogue, q.least(q.p.Epilogue.set(), q.p.Acc, q.p.C), func(m *module) {
			m.epilogue(q.epilogue, finish{q.p.Acc, q.p.C, q.p.StrideC[2] == 1, q.swapped, q.p.Epilogue.Emit})
		}))
	}
	return all
}

// least returns the least machine whose code of a unit for these elements is as
// fast as any: dot products of integers are for bytes and words, what AVX512BF16 adds is for
// bf16. Fused code may be of any elements.
func (q *Plan) least(fused bool, elements ...types.DType) Machine {
	m := q.on
	if fused {
		return m
	}
	m.VNNI = m.VNNI && q.core.vnni
	if m.Level == vector.AVX512BF16 && !slices.Contains(elements, types.BF16) {
		m.Level = vector.AVX512
	}
	return m
}

// Usual returns the units of plain products of floats on a machine, by name. Their
// operands have the elements of the sums, or are bf16 where the machine multiplies
// that. The units of gathered operands are among them.
func Usual(on Machine) []Unit {
	all := map[string]Unit{}
	unitsOf := func(p Problem) {
		if q, err := New(p, on); err == nil {
			for _, u := range q.Units() {
				all[u.Name] = u
			}
		}
	}
	add := func(a, acc, c types.DType) {
		sizes := []int{1, 125, 4096}
		for i := range 3 * 3 * 3 * 8 {
			m, n, k := sizes[i%3], sizes[i/3%3], sizes[i/9%3]
			p := Dense(a, a, acc, c, 1, m, n, k)
			if i/27&1 != 0 {
				p.StrideA = [3]int{0, 1, m}
			}
			if i/27&2 != 0 {
				p.StrideB = [3]int{0, 1, k}
			}
			if i/27&4 != 0 {
				p.StrideC = [3]int{0, 1, m}
			}
			unitsOf(p)
		}
		for edge := 1; edge <= 3; edge++ {
			unitsOf(Dense(a, a, acc, c, 1, 100, 64+edge*on.Bits()/16/acc.Size(), 100))
		}
		few := Dense(a, a, acc, c, 1, mostFewRows, 100, 100)
		few.StrideB = [3]int{0, 1, 100}
		unitsOf(few)
		for i := range 3 * 2 {
			size := a.Size()
			p := Dense(a, a, acc, c, 1, 100, 100, 100)
			p.GatherA = &Gather{K: Runs{Length: 2, Step: size * (1 + i%3)}}
			p.GatherB = &Gather{Row: Runs{Length: p.N, Step: size << (i / 3)}}
			unitsOf(p)
		}
		for _, step := range []int{1, 2} {
			p := Dense(a, a, acc, c, 1, 100, 100, 100)
			p.GatherB = &Gather{Row: Runs{Length: 10, Step: step * a.Size()}, K: Runs{Length: 1}}
			unitsOf(p)
			starts := [16]int64{} // of a window whose columns are all there is
			p.N, p.K = 64, len(starts)
			p.GatherB = &Gather{Row: Runs{&starts[0], p.N, step * a.Size()}, K: Runs{&starts[0], 1, 0}}
			unitsOf(p)
			p.BorderB = new(Border)
			unitsOf(p)
		}
	}
	add(types.F32, types.F32, types.F32)
	add(types.F64, types.F64, types.F64)
	if on.Level == vector.AVX512BF16 {
		add(types.BF16, types.F32, types.F32)
		add(types.BF16, types.F32, types.BF16)
	}
	list := slices.Collect(maps.Values(all))
	slices.SortFunc(list, func(a, b Unit) int { return strings.Compare(a.Name, b.Name) })
	return list
}
