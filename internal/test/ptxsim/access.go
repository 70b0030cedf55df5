package ptxsim

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/trials"
)

var widths = map[string]int{"u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8}

// access compiles ld, st, red and atom.
func (p *parser) access(i *instr, parts, args []string) {
	opcode := strings.Join(parts, ".")
	t := parts[len(parts)-1]
	n := widths[t]
	if swap, ok := strings.CutPrefix(opcode, "atom.global.cas."); ok {
		p.compareAndSwap(i, opcode, swap, args)
		return
	}
	if strings.HasPrefix(opcode, "ld.global.nc.") { // through another cache
		parts = slices.Delete(slices.Clone(parts), 2, 3)
		opcode = strings.Join(parts, ".")
	}
	want := map[string][]string{
		"ld": {"ld.param.", "ld.global.", "ld.shared."}, "st": {"st.global.", "st.shared."}, "red": {"red.global.", "red.shared."},
	}[parts[0]]
	if len(parts) < 3 || !slices.ContainsFunc(want, func(s string) bool { return strings.HasPrefix(opcode, s) }) || n == 0 {
		p.unknown(opcode)
		return
	}
	count := 1
	if parts[0] != "red" && len(parts) == 4 && parts[1] != "param" {
		count = map[string]int{"v2": 2, "v4": 4}[parts[2]]
	}
	if parts[0] != "red" && len(parts) != 3 && (len(parts) != 4 || count == 0 || count*n > 16 || n < 4) {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 2, opcode) {
		return
	}
	shared := parts[1] == "shared"
	if count > 1 {
		p.vector(i, parts[0] == "st", count, n, shared, args)
		return
	}
	switch {
	case parts[1] == "param":
		p.loadParam(i, t, args)
	case parts[0] == "ld":
		d := p.reg(args[0])
		base, offset := p.address(args[1])
		signExtends := t[0] == 's' && n < 4
		i.run = func(t *thread) {
			if b := t.touch(base.get(t)+offset, n, shared, reads); b != nil {
				t.regs[d] = load(b)
				if signExtends {
					t.regs[d] = uint64(signed(t.regs[d], 8*n)) & mask(32)
				}
			}
		}
	case parts[0] == "st":
		base, offset := p.address(args[0])
		v := p.value(args[1])
		i.run = func(t *thread) {
			if b := t.touch(base.get(t)+offset, n, shared, writes); b != nil {
				store(b, v.get(t))
			}
		}
	default:
		f := combining(strings.Join(parts[2:], "."), shared)
		if f == nil {
			p.unknown(opcode)
			return
		}
		base, offset := p.address(args[0])
		v := p.value(args[1])
		i.run = func(t *thread) {
			if b := t.touch(base.get(t)+offset, n, shared, combines); b != nil {
				store(b, f(load(b), v.get(t)))
			}
		}
	}
}

// vector compiles an access to several elements beside each other.
func (p *parser) vector(i *instr, stores bool, count, n int, shared bool, args []string) {
	if stores {
		base, offset := p.address(args[0])
		list := p.values(args[1], count)
		i.run = func(t *thread) {
			if b := t.touch(base.get(t)+offset, count*n, shared, writes); b != nil {
				for j, v := range list {
					store(b[j*n:][:n], v.get(t))
				}
			}
		}
		return
	}
	list := p.registersOf(args[0], count)
	base, offset := p.address(args[1])
	i.run = func(t *thread) {
		if b := t.touch(base.get(t)+offset, count*n, shared, reads); b != nil {
			for j, r := range list {
				t.regs[r] = load(b[j*n:][:n])
			}
		}
	}
}

// compareAndSwap compiles what stores a value where another is, and returns what was
// there.
func (p *parser) compareAndSwap(i *instr, opcode, bits string, args []string) {
	n := map[string]int{"b16": 2, "b32": 4, "b64": 8}[bits]
	if n == 0 {
		p.unknown(opcode)
	}
	if !p.count(args, 4, opcode) {
		return
	}
	d, old, v := p.reg(args[0]), p.value(args[2]), p.value(args[3])
	base, offset := p.address(args[1])
	i.run = func(t *thread) {
		if b := t.touch(base.get(t)+offset, n, false, combines); b != nil {
			there := load(b)
			if there == old.get(t)&mask(8*n) {
				store(b, v.get(t))
			}
			t.regs[d] = there
		}
	}
}

// combining returns what a red instruction combines with; nil if there is none.
func combining(op string, shared bool) func(a, b uint64) uint64 {
	switch op {
	case "add.f32", "add.f64":
		add := ops.binary[strings.Replace(op, "add.", "add.rn.", 1)]
		if op == "add.f32" && !shared {
			return func(a, b uint64) uint64 { return flushed(add(flushed(a), flushed(b))) }
		}
		return add
	case "add.u32", "add.s32", "add.u64", "min.u32", "min.s32", "min.u64", "min.s64", "max.u32", "max.s32", "max.u64", "max.s64",
		"and.b32", "and.b64", "or.b32", "or.b64", "xor.b32", "xor.b64":
		return ops.binary[op]
	}
	return nil
}

// flushed returns the zero of the sign of a subnormal f32, as red.add.f32 on global
// memory does with what it takes and what it makes (PTX ISA, instruction red).
func flushed(a uint64) uint64 {
	if a&0x7f80_0000 == 0 {
		return a & 0x8000_0000
	}
	return a
}

func (p *parser) loadParam(i *instr, t string, args []string) {
	name := strings.Trim(args[1], "[]")
	at, known := p.params[name]
	if !known || widths[t] != 8 {
		p.fail("there is no parameter %s of 8 bytes", name)
		return
	}
	d := p.reg(args[0])
	i.run = func(t *thread) { t.regs[d] = t.block.launch.Args[at] }
}

type access uint8

const (
	reads access = iota
	writes
	combines
)

func (a access) String() string { return [...]string{"read", "write", "atomic update"}[a] }

// touch returns n bytes of memory; nil after a fault.
func (t *thread) touch(address uint64, n int, shared bool, how access) []byte {
	return t.touchAs(t.now(), address, n, shared, how)
}

// touchAs is touch, of what an agent writes that the thread has it write.
func (t *thread) touchAs(as touched, address uint64, n int, shared bool, how access) []byte {
	var b []byte
	var who []touch
	if shared {
		offset := address - sharedBase
		switch size := uint64(len(t.block.shared)); {
		case offset+uint64(n) > size || offset > size:
			t.fault("%v of %s at %d of a block's memory, which has %d", how, diag.Count(n, "byte"), int64(offset), size)
			return nil
		case offset%uint64(n) != 0:
			t.fault("%v of %s at %d of a block's memory, which is not aligned", how, diag.Count(n, "byte"), offset)
			return nil
		}
		if t.block.phases.at(offset, n) != nil {
			t.fault("%v of %s at %d of a block's memory, where an mbarrier is", how, diag.Count(n, "byte"), offset)
			return nil
		}
		b, who = t.block.shared[offset:][:n], t.block.touched[offset:][:n]
		if t.block.copying != nil {
			if i, by := nonZero(t.block.copying[offset:][:n]); by != 0 {
				t.fault("%v of a block's memory at %d, to which a cp.async of %s copies that has not been waited for", how, int(offset)+i, t.block.named(touched{thread: by}))
				return nil
			}
		}
	} else if offset := address - tableBase; how == reads && offset < uint64(len(t.block.entry.module.tables)) && offset%uint64(n) == 0 {
		return t.block.entry.module.tables[offset:][:n]
	} else {
		which, offset, err := t.block.find(address, n)
		if err != nil {
			t.fault("%v of %v", how, err)
			return nil
		}
		at := &t.block.memory.all[which]
		b, who = at.bytes[offset:][:n], t.block.global[which].of(at, address, n)
		if how == reads {
			trials.Reads(b)
		} else {
			trials.Writes(b)
		}
	}
	if shared && how != reads {
		if !t.mayWrite(address-sharedBase, n, how) {
			return nil
		}
		if as.thread > 0 {
			t.written(address-sharedBase, n)
		}
	}
	same := alike(who)
	for i := range who {
		c := &who[i]
		noted := t.block.entry.partial && c.many // in b.readers, by byte
		var other touched
		if how != writes {
			if shared && c.writer.thread == 0 {
				t.fault("%v of a block's memory at %d that nobody has written", how, int(address-sharedBase)+i)
				return nil
			}
			other = c.read(t, how == combines)
		}
		if how != reads && other.thread == 0 {
			other = c.write(t, as, how == combines)
		}
		if other.thread != 0 {
			t.fault("race: %v at the same place as %s, with no barrier between", how, t.block.named(other))
			return nil
		}
		if same && !noted && !(t.block.entry.partial && c.many) {
			for j := range who[1:] { // what is so of the first byte is so of all
				who[1+j] = *c
			}
			break
		}
		same = false
	}
	return b
}

// nonZero returns the first of a that is not 0, and where it is; 0 if there is none.
func nonZero(a []int32) (at int, x int32) {
	some := int32(0)
	for _, x := range a {
		some |= x
	}
	if some != 0 {
		for a[at] == 0 {
			at++
		}
		x = a[at]
	}
	return at, x
}

// mayRead returns n bytes of the block's memory for what works beside the threads to
// read, which t has it do; nil after a fault.
func (t *thread) mayRead(offset uint64, n int) []byte {
	b := t.block
	if size := uint64(len(b.shared)); offset+uint64(n) > size || offset > size {
		t.fault("%v of %s at %d of a block's memory, which has %d", reads, diag.Count(n, "byte"), int64(offset), size)
		return nil
	}
	var behind touched // of the byte before
	for i := range b.touched[offset:][:n] {
		c := &b.touched[int(offset)+i]
		switch by := b.unfenced[int(offset)+i]; {
		case c.writer.thread == 0:
			t.fault("%v of a block's memory at %d that nobody has written", reads, int(offset)+i)
			return nil
		case c.writer != behind && t.concurrent(c.writer):
			t.fault("race: %v at the same place as %s, with no barrier between", reads, b.named(c.writer))
			return nil
		case by != 0:
			t.fault("%s has written the block's memory at %d, and no fence.proxy.async came since", b.named(touched{thread: by}), offset)
			return nil
		case b.copying != nil && b.copying[int(offset)+i] != 0:
			t.fault("%v of a block's memory at %d, to which a cp.async of %s copies that has not been waited for", reads, int(offset)+i, b.named(touched{thread: b.copying[int(offset)+i]}))
			return nil
		}
		behind = c.writer
	}
	return b.shared[offset:][:n]
}

// mayWrite reports whether no wgmma reads there that the thread does not come behind.
func (t *thread) mayWrite(offset uint64, n int, how access) bool {
	if t.block.reading == nil {
		return true
	}
	for c := int(offset) / rowBytes; c <= (int(offset)+n-1)/rowBytes; c++ {
		for w, group := range t.block.reading[c] {
			if t.concurrent(touched{agent(w), group}) {
				t.fault("%v of a block's memory at %d, which a wgmma reads that has not been waited for: one of warp %d", how, offset, w)
				return false
			}
		}
	}
	return true
}

// named says which thread it was.
func (b *block) named(o touched) string {
	n := int32(len(b.threads))
	if o.thread < 0 {
		return fmt.Sprintf("a copy that is counted at %d, in its phase %d", b.phases.of(int(-1-o.thread)), o.epoch)
	}
	return fmt.Sprintf("thread %d of block %d", (o.thread-1)%n, (o.thread-1)/n)
}

func load(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func store(b []byte, v uint64) {
	switch len(b) {
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
		return
	case 8:
		binary.LittleEndian.PutUint64(b, v)
		return
	}
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}

// prefetch compiles a hint that a place will be read soon. It must be memory: a device
// ignores one that is not, but a kernel that knows what it reads names none.
func (p *parser) prefetch(i *instr, opcode string, args []string) {
	if opcode != "prefetch.global.L2" {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 1, opcode) {
		return
	}
	base, offset := p.address(args[0])
	i.run = func(t *thread) {
		if _, _, err := t.block.memory.find(base.get(t)+offset, 1); err != nil {
			t.fault("prefetch of %v", err)
		}
	}
}
