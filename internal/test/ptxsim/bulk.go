package ptxsim

import (
	"fmt"
	"strconv"
	"strings"

	"ltc/internal/diag"
)

// mapBytes is what a tensor map takes.
const mapBytes = 128

// paramBase is the address of a kernel's parameters.
const paramBase = 1 << 61

// TensorMap says how a matrix of up to five dimensions, listed from the innermost,
// lies in memory, for copies of boxes of it. NVIDIA's has a layout that is not
// documented; this one has its own.
type TensorMap struct {
	Address uint64
	Element int // bytes
	Sizes   []uint64
	Strides []uint64 // bytes, of all dimensions but the innermost
	Box     []uint32
	Swizzle int // the bytes in which rows of a box are mixed: 0 or 128
}

// mapMark is what a map begins with.
const mapMark = 0x51ABB01D51ABB01D

// Check says what is wrong with a map by the rules of cuTensorMapEncodeTiled.
func (m *TensorMap) Check() error {
	n := len(m.Sizes)
	if n < 1 || n > 5 || len(m.Strides) != n-1 || len(m.Box) != n {
		return fmt.Errorf("%s, %s and a box of %d", diag.Count(n, "size"), diag.Count(len(m.Strides), "stride"), len(m.Box))
	}
	if m.Address%16 != 0 {
		return fmt.Errorf("its address %#x is no multiple of 16", m.Address)
	}
	for d := range n {
		switch {
		case m.Sizes[d] < 1 || m.Sizes[d] > 1<<32:
			return fmt.Errorf("dimension %d has %s, want 1 to 1<<32", d, diag.Count(m.Sizes[d], "element"))
		case m.Box[d] < 1 || m.Box[d] > 256:
			return fmt.Errorf("the box has %s of dimension %d, want 1 to 256", diag.Count(m.Box[d], "element"), d)
		case d > 0 && (m.Strides[d-1]%16 != 0 || m.Strides[d-1] >= 1<<40):
			return fmt.Errorf("the stride of dimension %d is %s, want a multiple of 16 below 1<<40", d, diag.Count(m.Strides[d-1], "byte"))
		}
	}
	switch row := int(m.Box[0]) * m.Element; {
	case row%16 != 0:
		return fmt.Errorf("rows of the box have %s, want a multiple of 16", diag.Count(row, "byte"))
	case m.Swizzle != 0 && row > m.Swizzle:
		return fmt.Errorf("rows of the box have %s, which are mixed in %d", diag.Count(row, "byte"), m.Swizzle)
	}
	return nil
}

// Words is the map as kernels are given it.
func (m *TensorMap) Words() (w [mapBytes / 8]uint64) {
	w[0], w[1] = mapMark, m.Address
	w[2] = uint64(m.Element) | uint64(len(m.Sizes))<<8 | uint64(m.Swizzle)<<16
	for d, n := range m.Box {
		w[3] |= uint64(n) << (12 * d)
	}
	copy(w[4:9], m.Sizes)
	copy(w[9:13], m.Strides)
	return w
}

// tensorMap is what words say.
func tensorMap(w []uint64) (*TensorMap, bool) {
	if w[0] != mapMark {
		return nil, false
	}
	n := int(w[2] >> 8 & 255)
	m := &TensorMap{Address: w[1], Element: int(w[2] & 255), Swizzle: int(w[2] >> 16), Sizes: w[4:][:n], Strides: w[9:][:n-1]}
	for d := range n {
		m.Box = append(m.Box, uint32(w[3]>>(12*d)&0xFFF))
	}
	return m, true
}

// bulkCopy is a copy of a box to the block's memory that is under way.
type bulkCopy struct {
	on     *mbarrier
	to     []uint64 // where its chunks go
	bytes  []byte
	source source
}

// chunk is what stays together when rows are mixed.
const chunk = 16

// bulkCopy compiles cp.async.bulk.tensor: a thread has a box of a matrix copied, what
// lies outside as 0. The bytes are read when it is issued, and must be the same when they
// arrive: as late as they may, those of the last copy first. They are counted on an
// mbarrier; who touches where they go before it has waited for that is found.
func (p *parser) bulkCopy(i *instr, opcode string, args []string) {
	rest, _ := strings.CutPrefix(opcode, "cp.async.bulk.tensor.")
	dims, kind, _ := strings.Cut(rest, "d.")
	n, err := strconv.Atoi(dims)
	if err != nil || n < 1 || n > 5 || kind != "shared::cluster.global.mbarrier::complete_tx::bytes" {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 3, opcode) {
		return
	}
	p.e.agents, p.e.partial = true, true
	from := operands(strings.TrimSuffix(strings.TrimPrefix(args[1], "["), "]"))
	if len(from) != 2 {
		p.fail("%q is no [map, {…}]", args[1])
		return
	}
	to, toOffset := p.address(args[0])
	tensor, at := p.value(from[0]), p.values(from[1], n)
	on, onOffset := p.address(args[2])
	i.run = func(t *thread) {
		m := t.tensorMap(tensor.get(t), n)
		if m == nil {
			return
		}
		origin := make([]int64, n)
		for d := range origin {
			origin[d] = int64(int32(at[d].get(t)))
		}
		if bar := t.mbarrier(on.get(t) + onOffset); bar != nil {
			t.copyBox(m, origin, to.get(t)+toOffset-sharedBase, bar)
		}
	}
}

// tensorMap returns the map among the kernel's parameters at an address; nil after a
// fault.
func (t *thread) tensorMap(address uint64, dims int) *TensorMap {
	words := t.block.launch.Args
	offset := address - paramBase
	if offset%8 != 0 || offset/8+mapBytes/8 > uint64(len(words)) {
		t.fault("there is no tensor map at %#x", address)
		return nil
	}
	m, is := tensorMap(words[offset/8:][:mapBytes/8])
	if !is {
		t.fault("the parameter at %d is no tensor map", offset)
		return nil
	}
	if len(m.Sizes) != dims {
		t.fault("a tensor map of %s", diag.Count(len(m.Sizes), "dimension"))
		return nil
	}
	return m
}

// copyBox issues the copy of a box.
func (t *thread) copyBox(m *TensorMap, origin []int64, to uint64, on *mbarrier) {
	aligned := uint64(128)
	if m.Swizzle > 0 {
		aligned = 1024 // as the pattern repeats, which descriptors of products begin with
	}
	switch {
	case to%aligned != 0:
		t.fault("a box is copied to %d of a block's memory, which is no multiple of %d", to, aligned)
		return
	case !on.fenced:
		t.fault("%s has made the mbarrier at %d, and no fence.mbarrier_init came since", t.block.named(touched{thread: on.by}), on.at)
		return
	}
	row := int(m.Box[0]) * m.Element
	rows := 1
	for _, n := range m.Box[1:] {
		rows *= int(n)
	}
	c := &bulkCopy{on: on, bytes: make([]byte, row*rows)}
	as := touched{agent(on.agent), int32(on.phase + 1)}
	for r := range rows {
		if !t.readRow(m, origin, r, c, r*row) {
			return
		}
		for x := 0; x < row; x += chunk {
			at := to + uint64(r*row+x)
			if m.Swizzle > 0 {
				at ^= at >> 7 & 7 << 4
			}
			if t.touchAs(as, sharedBase+at, chunk, true, writes) == nil || !t.fencedAt(at, chunk) {
				return
			}
			c.to = append(c.to, at)
		}
	}
	t.block.phases.copies = append(t.block.phases.copies, c)
}

// fencedAt reports whether nothing there was written by a thread that has not made it
// visible to copies.
func (t *thread) fencedAt(offset uint64, n int) bool {
	for i := range n {
		if at := int(offset) + i; at < len(t.block.unfenced) && t.block.unfenced[at] != 0 {
			t.fault("%s has written the block's memory at %d, and no fence.proxy.async came since", t.block.named(touched{thread: t.block.unfenced[at]}), at)
			return false
		}
	}
	return true
}

// readRow reads a row of a box for a copy, from a byte of it on; 0 where it is outside.
func (t *thread) readRow(m *TensorMap, origin []int64, r int, c *bulkCopy, from int) bool {
	to := c.bytes[from:][:int(m.Box[0])*m.Element]
	address := m.Address
	for d := 1; d < len(m.Box); d++ {
		at := origin[d] + int64(r%int(m.Box[d]))
		r /= int(m.Box[d])
		if at < 0 || at >= int64(m.Sizes[d]) {
			return true
		}
		address += uint64(at) * m.Strides[d-1]
	}
	each := uint64(m.Element)
	for x := 0; x < int(m.Box[0]); x++ {
		at := origin[0] + int64(x)
		if at < 0 || at >= int64(m.Sizes[0]) {
			continue
		}
		n := m.Element
		if a := address + uint64(at)*each; a%chunk == 0 && at+chunk/int64(each) <= int64(m.Sizes[0]) && (x+1)*m.Element+chunk-m.Element <= len(to) {
			n = chunk
		}
		b := t.touch(address+uint64(at)*each, n, false, reads)
		if b == nil {
			return false
		}
		copy(to[x*m.Element:], b)
		c.source = c.source.add(from+x*m.Element, b)
		x += n/m.Element - 1
	}
	return true
}

// deliver ends the copy that was issued last; false if there is none.
func (b *block) deliver() bool {
	s := &b.phases
	n := len(s.copies) - 1
	if n < 0 {
		return false
	}
	c := s.copies[n]
	s.copies = s.copies[:n]
	if c.source.changed(c.bytes) {
		b.threads[0].fault(overwritten)
		return true
	}
	for i, at := range c.to {
		copy(b.shared[at:], c.bytes[i*chunk:][:chunk])
	}
	if m := c.on; m.missing == 0 && len(c.bytes) > m.bytes {
		b.threads[0].fault("copies bring %s more than the mbarrier at %d expects", diag.Count(len(c.bytes)-m.bytes, "byte"), m.at)
		return true
	}
	c.on.bytes -= len(c.bytes)
	c.on.end()
	return true
}

// finished checks that the block leaves nothing under way.
func (b *block) finished() {
	if n := len(b.phases.copies); n > 0 {
		b.threads[0].fault("its block ends with %s to the block's memory under way", diag.Count(n, "copy"))
	}
}

// MapOf returns the map of an operand at an address, with elements of some bytes: sizes,
// and the strides of all dimensions but the innermost, in bytes; boxes' rows are swizzled.
func MapOf(address uint64, element int, sizes, strides []int64, box []int) *TensorMap {
	m := &TensorMap{Address: address, Element: element, Swizzle: 128}
	for i, n := range sizes {
		m.Sizes, m.Box = append(m.Sizes, uint64(n)), append(m.Box, uint32(box[i]))
	}
	for _, n := range strides {
		m.Strides = append(m.Strides, uint64(n))
	}
	return m
}
