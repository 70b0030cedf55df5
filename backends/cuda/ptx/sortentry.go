package ptx

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// sorter is where code that writes an entry of a sort is.
type sorter struct {
	*tensor // its arithmetic of words
	s       *Sort
	ins     []string // addresses of operands and results, and of the places
	outs    []string
	places  string
	n       string // elements of a row
	apart   string // how far they are apart, in elements: as many rows lie between one another
	rows    string
}

// rowSizes adds the parameters that say how many elements rows have, how far these are
// apart, and how many rows there are.
func (m *sorter) rowSizes() { m.n, m.apart, m.rows = m.param(), m.param(), m.param() }

// slot is where an element is that takes part in an exchange.
type slot struct {
	place string   // the address of its place
	keys  []string // and of what is compared
}

// row returns the element of the operands with which a row begins.
func (m *sorter) row(number string) string { return m.rowOf(number, m.n) }

// rowOf returns the element with which a row begins of what has n elements of each.
func (m *sorter) rowOf(number, n string) string {
	group := m.quotient(number, m.apart)
	within := m.modulo(number, m.apart)
	return m.mad(group, m.mul(n, m.apart), within)
}

// raw loads an element as it lies in memory, zeros where a guard does not hold.
func (m *sorter) raw(space string, t types.DType, address, guard string) string {
	c := word
	if t.Size() == 8 {
		c = long
	}
	r := m.fresh(c)
	if guard != "" {
		m.set(c, r, "0")
	}
	m.line("%sld.%s.%s %s, [%s]", on(guard), space, inMemory[t.Size()], r, address)
	return r
}

// move stores one.
func (m *sorter) move(space string, t types.DType, address, v, guard string) {
	m.line("%sst.%s.%s [%s], %s", on(guard), space, inMemory[t.Size()], address, v)
}

// value is what an element's bits are.
func (m *sorter) value(t types.DType, bits string) string {
	v := m.ofBits(t, bits)
	if t.IsInteger() {
		return m.rounded(t, v)
	}
	return v
}

// less writes the comparator, of the bits of what is compared of two elements. It
// returns a predicate.
func (m *sorter) less(first, second map[int]string) string {
	k := m.s.Less
	m.k, m.vals = k, make([]string, len(k.Instrs))
	bits := map[kernel.ID]string{}
	result := ""
	for id := range k.Instrs {
		i := &k.Instrs[id]
		switch i.Op {
		case kernel.Constant:
			m.vals[id] = m.constant(i.Type, uint64(i.Aux))
		case kernel.Load:
			c := m.s.Of[i.Mem.Param]
			bits[kernel.ID(id)] = first[c.Operand]
			if c.Second {
				bits[kernel.ID(id)] = second[c.Operand]
			}
			m.vals[id] = m.value(i.Type, bits[kernel.ID(id)])
		case kernel.Store:
			result = m.vals[i.Args[0]]
		case kernel.BitcastConvert:
			if b, ok := bits[i.Args[0]]; ok { // as registers hold floats of 16 bits, NaNs have no sign
				m.vals[id] = m.value(i.Type, b)
				continue
			}
			m.vals[id] = m.writer.compute(kernel.ID(id), i)
		default:
			m.vals[id] = m.writer.compute(kernel.ID(id), i)
		}
	}
	if result == "" {
		m.fail(unsupported(k, "it compares nothing"))
	}
	return result
}

// exchange puts the lesser of two elements into the first slot.
func (m *sorter) exchange(space string, a, b slot) {
	places := [2]string{m.raw(space, types.U32, a.place, ""), m.raw(space, types.U32, b.place, "")}
	inOrder := m.op(predicate, "setp.lt.u32", places[0], places[1])
	// The element that came later goes first only if it is less.
	earlier, later := map[int]string{}, map[int]string{}
	var bits [][2]string
	for i, key := range m.s.keys() {
		t := m.s.Types[key]
		x, y := m.raw(space, t, a.keys[i], ""), m.raw(space, t, b.keys[i], "")
		c, name := word, "selp.b32"
		if t.Size() == 8 {
			c, name = long, "selp.b64"
		}
		earlier[key], later[key] = m.op(c, name, x, y, inOrder), m.op(c, name, y, x, inOrder)
		bits = append(bits, [2]string{x, y})
	}
	stay := m.op(predicate, "xor.pred", m.less(later, earlier), inOrder)
	m.when(m.op(predicate, "not.pred", stay), func() {
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
	pairs, distance, mask := m.param(), m.param(), m.param()
	t := m.mad(m.special("%ctaid.x"), m.special("%ntid.x"), m.special("%tid.x"))
	row := m.quotient(t, pairs)
	u := m.modulo(t, pairs)
	low := m.op(long, "and.b64", u, m.add(distance, "-1"))
	i := m.op(long, "sub.s64", m.op(long, "shl.b64", u, "1"), low)
	j := m.op(long, "xor.b64", i, mask)
	inside := m.both(m.op(predicate, "setp.lt.u64", row, m.rows), m.op(predicate, "setp.lt.u64", j, m.n))
	m.when(inside, func() {
		begin := m.row(row)
		at := func(i string) slot {
			e := m.mad(i, m.apart, begin)
			s := slot{place: m.mad(e, number(placeBytes), m.places)}
			for _, key := range m.s.keys() {
				s.keys = append(s.keys, m.mad(e, number(int64(m.s.Types[key].Size())), m.outs[key]))
			}
			return s
		}
		m.exchange("global", at(i), at(j))
	})
}
