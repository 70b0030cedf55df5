package ptxsim

import (
	"strconv"

	"ltc/internal/diag"
)

const (
	// namedBarriers is how many barriers a block has, by number.
	namedBarriers = 16
	// fileRegisters is how many registers the threads of a multiprocessor share.
	fileRegisters = 64 << 10
)

// meeting is a barrier that an instruction waits at.
type meeting struct {
	id      operand
	threads int // that it waits for; 0: all of the block
}

// barrier compiles bar.sync, of all threads or of a number of them, and bar.warp.sync.
func (p *parser) barrier(i *instr, opcode string, args []string) {
	switch opcode {
	case "bar.warp.sync":
		if p.count(args, 1, opcode) {
			members := uint32(p.value(args[0]).bits)
			p.e.partial = true
			i.kind = together
			i.warp = collective{lanes: members, group: warp, run: func(lanes []thread) {
				var all []*thread
				for l := range lanes {
					if members>>l&1 == 1 {
						all = append(all, &lanes[l])
					}
				}
				meet(all)
			}}
		}
	case "bar.sync":
		if len(args) != 1 && len(args) != 2 {
			p.fail("%s has %s, want 1 or 2", opcode, diag.Count(len(args), "operand"))
			return
		}
		i.kind = barrier
		i.meets.id = p.value(args[0])
		if len(args) == 2 {
			n, err := strconv.Atoi(args[1])
			if err != nil || n <= 0 || n%warp != 0 {
				p.fail("%s of %s threads: they are whole warps", opcode, args[1])
			}
			i.meets.threads = n
			p.e.partial = true
		}
		if id := i.meets.id; id.reg < 0 && id.bits >= namedBarriers {
			p.fail("%s at barrier %d, of %d", opcode, id.bits, namedBarriers)
		}
	default:
		p.unknown(opcode)
	}
}

// barriers lets the threads on that all have come to their barrier.
func (b *block) barriers() bool {
	for id := range b.waiting {
		b.waiting[id] = b.waiting[id][:0]
	}
	for i := range b.threads {
		t := &b.threads[i]
		if t.state != atBarrier {
			continue
		}
		id := b.entry.instrs[t.pc].meets.id.get(t)
		if id >= namedBarriers {
			t.fault("barrier %d, of %d", id, namedBarriers)
			return false
		}
		b.waiting[id] = append(b.waiting[id], t)
	}
	some := false
	for id, all := range b.waiting {
		if len(all) > 0 && b.barrierAt(id, all) {
			some = true
		}
	}
	return some
}

// barrierAt lets the threads on that wait at a barrier if all have come.
func (b *block) barrierAt(id int, all []*thread) bool {
	want := func(t *thread) int {
		if n := b.entry.instrs[t.pc].meets.threads; n > 0 {
			return n
		}
		return len(b.threads)
	}
	n := want(all[0])
	for _, t := range all {
		if want(t) != n {
			t.fault("it waits at barrier %d for %s, others for %d", id, diag.Count(want(t), "thread"), n)
			return false
		}
	}
	switch {
	case len(all) < n:
		return false
	case len(all) > n:
		all[n].fault("barrier %[2]d has %[1]s, and is for %[3]d", diag.Count(len(all), "thread"), id, n)
		return false
	}
	for _, t := range all {
		if first := &b.threads[t.local()&^(warp-1)]; t.pc != first.pc || first.state != atBarrier {
			t.fault("threads of a warp wait at different barriers")
			return false
		}
	}
	if n == len(b.threads) {
		b.meet()
	} else {
		meet(all)
	}
	for _, t := range all {
		t.state = ready
		t.pc++
	}
	return true
}

// setRegisters compiles setmaxnreg: a warpgroup gives registers back, or waits until
// there are as many as it wants. At first all threads have their share.
func (p *parser) setRegisters(i *instr, opcode string, args []string) {
	if opcode != "setmaxnreg.inc.sync.aligned.u32" && opcode != "setmaxnreg.dec.sync.aligned.u32" {
		p.unknown(opcode)
		return
	}
	if !p.count(args, 1, opcode) {
		return
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 24 || n > 256 || n%8 != 0 {
		p.fail("%s %s: want a multiple of 8 from 24 to 256", opcode, args[0])
		return
	}
	more := func(t *thread) int { return (n - t.owned()) * warpgroup }
	i.kind = together
	i.warp = collective{lanes: all, group: warpgroup,
		may: func(t *thread) bool { return more(t) <= t.block.registers },
		run: func(threads []thread) {
			t := &threads[0]
			if grows := opcode == "setmaxnreg.inc.sync.aligned.u32"; grows != (more(t) >= 0) && more(t) != 0 {
				t.fault("%s to %d of threads that have %d", opcode, n, t.owned())
				return
			}
			t.block.registers -= more(t)
			for l := range threads {
				threads[l].owns = n
			}
		}}
}

// owned is how many registers a thread has.
func (t *thread) owned() int {
	if t.owns > 0 {
		return t.owns
	}
	return t.block.share()
}

// share is how many registers threads have at first.
func (b *block) share() int { return fileRegisters / len(b.threads) &^ 7 }

// wideFence orders accesses of all memory: it waits for those of the whole GPU.
const wideFence = "fence.proxy.async"

// fence compiles those that order what threads do with what works beside them.
func (p *parser) fence(i *instr, opcode string, args []string) {
	if !p.count(args, 0, opcode) {
		return
	}
	switch opcode {
	case wideFence, wideFence + ".shared::cta":
		if opcode == wideFence {
			p.wide = append(p.wide, len(p.e.instrs))
		}
		i.run = func(t *thread) {
			t.fenceProxy()
			t.block.phases.fence(t)
		}
	case "fence.mbarrier_init.release.cluster":
		i.run = func(t *thread) { t.block.phases.fence(t) }
	default:
		p.unknown(opcode)
	}
}
