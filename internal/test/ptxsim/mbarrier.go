package ptxsim

import (
	"strings"

	"ltc/internal/diag"
)

// mbarrier is a word of a block's memory that counts arrivals, and bytes that copies
// bring: a phase ends when all that it waits for have come, and the next one begins.
type mbarrier struct {
	at       uint64 // in the block's memory
	by       int32  // the thread that has made it
	fenced   bool   // whether copies know that it is one
	agent    int    // the copies that are counted on it
	count    int    // the arrivals that a phase waits for
	missing  int    // of them, in this phase
	bytes    int    // that are expected and have not come
	phase    int    // how many have ended
	arriving knows  // what those knew that have arrived in this phase
	ended    knows  // and those of the last
}

const (
	// mbarrierBytes is what one takes.
	mbarrierBytes = 8
	// mostBytes is how many one may expect. (PTX ISA, "Tracking asynchronous operations
	// by the mbarrier object".)
	mostBytes = 1<<20 - 1
)

// phases are a block's mbarriers, and the copies under way that they count.
type phases struct {
	all    []*mbarrier // those that are no more, too: agents have numbers
	gone   int         // how many are
	first  int         // the first's agent
	copies []*bulkCopy
}

// at returns the mbarrier that bytes of the block's memory are of; nil: there is none.
func (s *phases) at(offset uint64, n int) *mbarrier {
	if len(s.all) == s.gone {
		return nil
	}
	for _, m := range s.all {
		if m.count > 0 && offset < m.at+mbarrierBytes && m.at < offset+uint64(n) {
			return m
		}
	}
	return nil
}

// of returns where the mbarrier of an agent is.
func (s *phases) of(agent int) uint64 { return s.all[agent-s.first].at }

// fence lets copies know which mbarriers a thread has made.
func (s *phases) fence(t *thread) {
	for _, m := range s.all {
		m.fenced = m.fenced || m.by == t.number
	}
}

// mbarrier compiles what threads do with one. Who waits for a phase comes behind all
// that have arrived in it; nobody else does. A phase that has not ended is told the
// first time, as it may be: who does not ask again goes on too early.
func (p *parser) mbarrier(i *instr, opcode string, args []string) {
	op, _ := strings.CutSuffix(opcode, ".shared::cta.b64")
	want := map[string]int{"mbarrier.init": 2, "mbarrier.inval": 1, "mbarrier.arrive": 2, "mbarrier.arrive.expect_tx": 3, "mbarrier.try_wait.parity": 3}[op]
	if want == 0 || op == opcode {
		p.unknown(opcode)
		return
	}
	if !p.count(args, want, opcode) {
		return
	}
	if strings.HasPrefix(op, "mbarrier.arrive") {
		if args[0] != "_" {
			p.fail("%s whose state is kept", opcode)
		}
		args = args[1:]
	}
	switch op {
	case "mbarrier.init":
		base, offset := p.address(args[0])
		count := p.value(args[1])
		i.run = func(t *thread) { t.initPhases(base.get(t)+offset, int(count.get(t)&mask(32))) }
	case "mbarrier.inval":
		base, offset := p.address(args[0])
		i.run = func(t *thread) {
			if m := t.mbarrier(base.get(t) + offset); m != nil {
				t.dropPhases(m)
			}
		}
	case "mbarrier.try_wait.parity":
		d := p.reg(args[0])
		base, offset := p.address(args[1])
		parity := p.value(args[2])
		i.kind = phase
		i.wait = func(t *thread) bool { return t.tryWait(d, t.mbarrier(base.get(t)+offset), int(parity.get(t)&1)) }
	default:
		base, offset := p.address(args[0])
		bytes := operand{reg: -1}
		if op == "mbarrier.arrive.expect_tx" {
			bytes = p.value(args[1])
		}
		i.run = func(t *thread) {
			if m := t.mbarrier(base.get(t) + offset); m != nil {
				m.bytes += int(bytes.get(t) & mask(32))
				if m.bytes > mostBytes {
					t.fault("the mbarrier at %d expects %s, of at most %d", m.at, diag.Count(m.bytes, "byte"), mostBytes)
					return
				}
				t.arrives(m)
			}
		}
	}
}

func (t *thread) initPhases(address uint64, count int) {
	b := t.block
	if count < 1 || count >= 1<<20 {
		t.fault("an mbarrier of %s", diag.Count(count, "arrival"))
		return
	}
	if t.touch(address, mbarrierBytes, true, writes) == nil {
		return
	}
	s := &b.phases
	if len(s.all) == 0 {
		s.first = len(b.threads)/warp + 1
	}
	s.all = append(s.all, &mbarrier{at: address - sharedBase, by: t.number, agent: s.first + len(s.all), count: count, missing: count})
}

func (t *thread) dropPhases(m *mbarrier) {
	for _, c := range t.block.phases.copies {
		if c.on == m {
			t.fault("copies under way are counted on it")
			return
		}
	}
	m.count = 0
	t.block.phases.gone++
	t.touch(sharedBase+m.at, mbarrierBytes, true, writes)
}

// mbarrier returns the one at an address; nil after a fault.
func (t *thread) mbarrier(address uint64) *mbarrier {
	offset := address - sharedBase
	m := t.block.phases.at(offset, 1)
	if m == nil || m.at != offset {
		t.fault("there is no mbarrier at %d of a block's memory", int64(offset))
		return nil
	}
	if by := t.block.touched[offset].writer; t.concurrent(by) {
		t.fault("race: %s has made the mbarrier at %d, with no barrier between", t.block.named(by), offset)
		return nil
	}
	return m
}

func (t *thread) arrives(m *mbarrier) {
	if m.missing == 0 {
		t.fault("%s have arrived at the mbarrier at %d, and that is all it waits for", diag.Count(m.count, "thread"), m.at)
		return
	}
	t.releases(&m.arriving)
	m.missing--
	m.end()
}

// end ends the phase if all have come.
func (m *mbarrier) end() {
	if m.missing == 0 && m.bytes == 0 {
		m.ended, m.arriving = m.arriving, knows{}
		m.phase++
		m.missing = m.count
	}
}

// tryWait tells whether the phase of a parity has ended, and reports whether it tells:
// else the thread waits.
func (t *thread) tryWait(d int, m *mbarrier, parity int) bool {
	switch {
	case m == nil:
		return false
	case m.phase%2 != parity:
		t.acquires(&m.ended)
		t.knows.learns(m.agent, int32(m.phase))
		t.regs[d], t.refused = 1, 0
		return true
	case t.refused != t.pc+1:
		t.regs[d], t.refused = 0, t.pc+1
		return true
	}
	t.state, t.waits, t.parity = atPhase, m, parity
	return false
}

// phaseEnded reports whether what the thread waits for has come.
func (t *thread) phaseEnded() bool { return t.waits.phase%2 != t.parity }
