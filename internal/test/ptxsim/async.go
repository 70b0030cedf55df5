package ptxsim

import (
	"bytes"
	"strconv"

	"ltc/internal/diag"
)

// copies are the cp.async of a thread whose ends it has not waited for, in order.
type copies struct {
	pending   []asyncCopy
	committed int // how many groups it has closed
}

// asyncCopy is what arrives in the block's memory once it is waited for: as late
// as it may, so that who reads too early finds out.
type asyncCopy struct {
	to     uint64 // an address
	bytes  []byte
	source source
	group  int // the number of the group that it is of
}

// asyncCopy compiles cp.async and the instructions that close and wait for groups
// of them. The bytes are read when it is issued, and must be the same when its thread
// has waited. From then until its thread waits nobody may touch where they go, and nobody
// may have since the last barrier.
func (p *parser) asyncCopy(i *instr, opcode string, args []string) {
	switch opcode {
	case "cp.async.commit_group":
		if p.count(args, 0, opcode) {
			i.run = func(t *thread) { t.copies.committed++ }
		}
	case "cp.async.wait_all":
		if p.count(args, 0, opcode) {
			i.run = func(t *thread) { t.arrived(t.copies.committed + 1) }
		}
	case "cp.async.wait_group":
		if p.count(args, 1, opcode) {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 {
				p.fail("%s takes a number", opcode)
			}
			i.run = func(t *thread) { t.arrived(t.copies.committed - n) }
		}
	case "cp.async.ca.shared.global", "cp.async.cg.shared.global":
		if len(args) != 3 && len(args) != 4 {
			p.fail("%s has %s, want 3 or 4", opcode, diag.Count(len(args), "operand"))
			return
		}
		to, toOffset := p.address(args[0])
		from, fromOffset := p.address(args[1])
		size := p.value(args[2])
		if size.reg >= 0 || size.bits != 16 && (opcode == "cp.async.cg.shared.global" || size.bits != 4 && size.bits != 8) {
			p.fail("%s of %s bytes", opcode, args[2])
			return
		}
		taken := size
		if len(args) == 4 {
			taken = p.value(args[3])
		}
		i.run = func(t *thread) {
			t.copyLater(to.get(t)+toOffset, from.get(t)+fromOffset, int(size.bits), int(int32(taken.get(t))))
		}
	default:
		p.unknown(opcode)
	}
}

// copyLater issues a copy of size bytes, of which those after taken are zeros.
func (t *thread) copyLater(to, from uint64, size, taken int) {
	b := t.block
	if taken < 0 || taken > size {
		t.fault("a copy of %s of %d", diag.Count(taken, "byte"), size)
		return
	}
	data := make([]byte, size)
	if taken > 0 && from%uint64(size) != 0 {
		t.fault("a copy of %s from %#x, which is not aligned", diag.Count(size, "byte"), from)
		return
	}
	var all source
	step := 1
	if taken > 0 && taken&(taken-1) == 0 {
		if _, _, err := b.find(from, taken); err == nil { // all at once: they are there, and aligned
			step = taken
		}
	}
	for j := 0; j < taken; j += step {
		in := t.touch(from+uint64(j), step, false, reads)
		if in == nil {
			return
		}
		copy(data[j:], in)
		all = all.add(j, in)
	}
	if t.touch(to, size, true, writes) == nil {
		return
	}
	if b.copying == nil {
		b.copying = make([]int32, len(b.shared))
	}
	for j := range size {
		b.copying[to-sharedBase+uint64(j)] = t.number
	}
	t.copies.pending = append(t.copies.pending, asyncCopy{to, data, all, t.copies.committed + 1})
}

// source is memory that a copy reads, which it may do as late as when it is waited for.
type source []segment

// segment is some of it, and where that goes among the bytes of the copy.
type segment struct {
	at   int
	from []byte
}

// add adds memory, which may follow what is there already.
func (s source) add(at int, from []byte) source {
	if n := len(s); n > 0 {
		last := &s[n-1]
		if end := len(last.from); last.at+end == at && cap(last.from) > end && &last.from[:end+1][end] == &from[0] {
			last.from = last.from[:end+len(from)]
			return s
		}
	}
	return append(s, segment{at, from})
}

// changed reports whether the memory is no longer as it was when a copy was issued.
func (s source) changed(data []byte) bool {
	for _, g := range s {
		if !bytes.Equal(g.from, data[g.at:][:len(g.from)]) {
			return true
		}
	}
	return false
}

// overwritten says that a copy may bring one thing or another.
const overwritten = "what a copy reads has been overwritten before the copy was waited for"

// arrived ends the copies of a thread's groups up to a number.
func (t *thread) arrived(group int) {
	c := &t.copies
	for len(c.pending) > 0 && c.pending[0].group <= group {
		next := &c.pending[0]
		clear(t.block.copying[next.to-sharedBase:][:len(next.bytes)])
		b := t.touch(next.to, len(next.bytes), true, writes)
		if b == nil {
			return
		}
		if next.source.changed(next.bytes) {
			t.fault(overwritten)
			return
		}
		copy(b, next.bytes)
		c.pending = c.pending[1:]
	}
}
