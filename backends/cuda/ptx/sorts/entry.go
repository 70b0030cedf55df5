package sorts

import (
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// sorter writes an entry of a sort.
type sorter struct {
	*asm.Writer
	s      *Sort
	ins    []string // addresses of operands and results, and of the places
	outs   []string
	places string
	n      string // elements of a row
	apart  string // how far they are apart, in elements: as many rows lie between one another
	rows   string
}

// rowSizes adds the parameters that say how many elements rows have, how far these are
// apart, and how many rows there are.
func (m *sorter) rowSizes() { m.n, m.apart, m.rows = m.Param(), m.Param(), m.Param() }

// slot is where an element is that takes part in an exchange.
type slot struct {
	place string   // the address of its place
	keys  []string // and of what is compared
}

// row returns the element of the operands with which a row begins.
func (m *sorter) row(number string) string { return m.rowOf(number, m.n) }

// rowOf returns the element with which a row begins of what has n elements of each.
func (m *sorter) rowOf(number, n string) string {
	group := m.Quotient(number, m.apart)
	within := m.Modulo(number, m.apart)
	return m.Mad(group, m.Mul(n, m.apart), within)
}

// raw loads an element as it lies in memory, zeros where a guard does not hold.
func (m *sorter) raw(space string, t types.DType, address, guard string) string {
	c := asm.Word
	if t.Size() == 8 {
		c = asm.Long
	}
	r := m.Fresh(c)
	if guard != "" {
		m.Set(c, r, "0")
	}
	m.Line("%sld.%s.%s %s, [%s]", asm.On(guard), space, asm.InMemory[t.Size()], r, address)
	return r
}

// move stores one.
func (m *sorter) move(space string, t types.DType, address, v, guard string) {
	m.Line("%sst.%s.%s [%s], %s", asm.On(guard), space, asm.InMemory[t.Size()], address, v)
}

// value is what an element's bits are.
func (m *sorter) value(t types.DType, bits string) string {
	v := m.OfBits(t, bits)
	if t.IsInteger() {
		return m.Rounded(t, v)
	}
	return v
}

// less writes the comparator, of the bits of what is compared of two elements. It
// returns a predicate.
func (m *sorter) less(first, second map[int]string) string {
	k := m.s.Less
	vals := make([]string, len(k.Instrs))
	bits := map[kernel.ID]string{}
	result := ""
	for id := range k.Instrs {
		i := &k.Instrs[id]
		switch i.Op {
		case kernel.Constant:
			vals[id] = m.Constant(i.Type, uint64(i.Aux))
		case kernel.Load:
			c := m.s.Of[i.Mem.Param]
			bits[kernel.ID(id)] = first[c.Operand]
			if c.Second {
				bits[kernel.ID(id)] = second[c.Operand]
			}
			vals[id] = m.value(i.Type, bits[kernel.ID(id)])
		case kernel.Store:
			result = vals[i.Args[0]]
		case kernel.BitcastConvert:
			if b, ok := bits[i.Args[0]]; ok { // as registers hold floats of 16 bits, NaNs have no sign
				vals[id] = m.value(i.Type, b)
				continue
			}
			vals[id] = m.Compute(k, i, vals, expand.Use{})
		default:
			vals[id] = m.Compute(k, i, vals, expand.Use{})
		}
	}
	if result == "" {
		m.Fail(asm.Unsupported(k, "it compares nothing"))
	}
	return result
}

// exchange puts the lesser of two elements into the first slot.
func (m *sorter) exchange(space string, a, b slot) {
	places := [2]string{m.raw(space, types.U32, a.place, ""), m.raw(space, types.U32, b.place, "")}
	inOrder := m.Op(asm.Predicate, "setp.lt.u32", places[0], places[1])
	// The element that came later goes first only if it is less.
	earlier, later := map[int]string{}, map[int]string{}
	var bits [][2]string
	for i, key := range m.s.keys() {
		t := m.s.Types[key]
		x, y := m.raw(space, t, a.keys[i], ""), m.raw(space, t, b.keys[i], "")
		c, name := asm.Word, "selp.b32"
		if t.Size() == 8 {
			c, name = asm.Long, "selp.b64"
		}
		earlier[key], later[key] = m.Op(c, name, x, y, inOrder), m.Op(c, name, y, x, inOrder)
		bits = append(bits, [2]string{x, y})
	}
	stay := m.Op(asm.Predicate, "xor.pred", m.less(later, earlier), inOrder)
	m.When(m.Op(asm.Predicate, "not.pred", stay), func() {
		m.move(space, types.U32, a.place, places[1], "")
		m.move(space, types.U32, b.place, places[0], "")
		for i, key := range m.s.keys() {
			m.move(space, m.s.Types[key], a.keys[i], bits[i][1], "")
			m.move(space, m.s.Types[key], b.keys[i], bits[i][0], "")
		}
	})
}

// exchangeFar writes the entry that exchanges elements in memory, one pair a thread.
func (m *sorter) exchangeFar() {
	pairs, distance, mask := m.Param(), m.Param(), m.Param()
	t := m.Mad(m.Special("%ctaid.x"), m.Special("%ntid.x"), m.Special("%tid.x"))
	row := m.Quotient(t, pairs)
	u := m.Modulo(t, pairs)
	low := m.Op(asm.Long, "and.b64", u, m.Add(distance, "-1"))
	i := m.Op(asm.Long, "sub.s64", m.Op(asm.Long, "shl.b64", u, "1"), low)
	j := m.Op(asm.Long, "xor.b64", i, mask)
	inside := m.Both(m.Op(asm.Predicate, "setp.lt.u64", row, m.rows), m.Op(asm.Predicate, "setp.lt.u64", j, m.n))
	m.When(inside, func() {
		begin := m.row(row)
		at := func(i string) slot {
			e := m.Mad(i, m.apart, begin)
			s := slot{place: m.Mad(e, asm.Number(placeBytes), m.places)}
			for _, key := range m.s.keys() {
				s.keys = append(s.keys, m.Mad(e, asm.Number(int64(m.s.Types[key].Size())), m.outs[key]))
			}
			return s
		}
		m.exchange("global", at(i), at(j))
	})
}
