package ptxsim

import (
	"fmt"
	"sync"

	"ltc/internal/diag"
)

// Launch is how many blocks of how many threads run a kernel.
type Launch struct {
	Grid, Block [3]int
	Shared      int      // the bytes of a block's memory
	Args        []uint64 // the kernel's parameters, those of more than 8 bytes in words
	// Steps is how many instructions all threads together may take, after which
	// they are taken not to end; 0: 1<<32.
	Steps int
	// Accessed, if set, is told what memory a launch that did nothing wrong has
	// accessed.
	Accessed func(Access)
}

// Fault is what a thread did wrong.
type Fault struct {
	Block, Thread int    // by number, x first
	Line          int    // of the text
	Instr         string // what it was about to do
	Reason        string
	Access        *AccessError // what it did to memory, if that is what is wrong
}

// Unwrap returns what it did to memory.
func (f *Fault) Unwrap() error {
	if f.Access == nil {
		return nil
	}
	return f.Access
}

func (f *Fault) Error() string {
	return fmt.Sprintf("ptx line %d: %s: thread %d of block %d: %s", f.Line, f.Instr, f.Thread, f.Block, f.Reason)
}

// block is a block that runs.
type block struct {
	entry   *Entry
	launch  *Launch
	memory  *Memory
	global  []touches // by allocation
	at      [3]int
	number  int
	threads []thread
	shared  []byte
	touched []touch
	copying []int32 // by byte of shared: the thread whose cp.async has not been waited for; 0: none
	// Of kernels in which others than threads access the block's memory, by byte of
	// it the thread that has written it and has not made that visible to them; 0: none.
	unfenced []int32
	// reading has, by chunk, what products read there: by warp, the number of the
	// last group.
	reading [][]int32
	readers map[*touch][]touched // besides the last one
	phases  phases
	waiting [namedBarriers][]*thread // by barrier
	// floor is what every thread knows: of threads through which epoch, and agents.
	floor struct {
		epoch  int32
		agents knows
	}
	registers int // that no warpgroup has
	found     int // where in memory the access before was
	steps     int
	err       error
}

type thread struct {
	block  *block
	at     [3]int
	number int32 // of all in the launch, from 1
	pc     int
	regs   []uint64
	state  state
	epoch  int32
	knows  knows
	copies copies
	flight flight
	// refused is where it was told, of a phase that has not ended, that it has not:
	// the next time it waits. 0: nowhere, else the instruction's number and 1.
	refused int
	waits   *mbarrier // atPhase: for a phase of this parity
	parity  int
	owns    int // registers, of those that a warpgroup's threads have been given
	// unfenced is what it has written of the block's memory since its last
	// fence.proxy.async: from where and how much.
	unfenced [][2]uint64
}

type state uint8

const (
	ready state = iota
	atBarrier
	atCollective
	atPhase
	ended
)

// Run runs a kernel to its end. Blocks run one after the other, so that nothing
// that a launch may rely on is missing. It returns how many instructions the
// threads took; the error is a [Fault] if one did wrong.
func (e *Entry) Run(m *Memory, l Launch) (int, error) {
	size := 1
	for _, n := range l.Block {
		size *= n
	}
	if len(l.Args) != e.words() || size < 1 || size > 1024 || l.Shared < 0 {
		return 0, fmt.Errorf("ptx: launch of %s with %s of arguments, %s a block and %s: its parameters have %d", e.Name, diag.Count(len(l.Args), "word"), diag.Count(size, "thread"), diag.Count(l.Shared, "byte"), e.words())
	}
	if l.Steps == 0 {
		l.Steps = 1 << 32
	}
	global := make([]touches, len(m.all))
	own := scratches.Get().(*scratch)
	defer func() {
		scratches.Put(own)
		for i := range global {
			global[i].forget()
		}
	}()
	steps := 0
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				number := x + l.Grid[0]*(y+l.Grid[1]*z)
				b := &block{entry: e, launch: &l, memory: m, global: global, at: [3]int{x, y, z}, number: number, steps: l.Steps - steps}
				b.start(size, own)
				left := b.steps
				b.run()
				if b.err != nil {
					return steps + left - b.steps, b.err
				}
				steps += left - b.steps
			}
		}
	}
	if l.Accessed != nil {
		for i := range global {
			global[i].each(&m.all[i], l.Accessed)
		}
	}
	return steps, nil
}

// scratch is memory of a block, which the next one uses again.
type scratch struct {
	shared   []byte
	touched  []touch
	unfenced []int32
	regs     []uint64
}

// scratches are to be used again, by any launch.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// zeros returns n zeros, in the memory of s if it is large enough.
func zeros[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
		return *s
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

func (b *block) start(size int, s *scratch) {
	b.shared, b.touched = zeros(&s.shared, b.launch.Shared), zeros(&s.touched, b.launch.Shared)
	if b.entry.agents {
		b.unfenced = zeros(&s.unfenced, b.launch.Shared)
	}
	b.threads = make([]thread, size)
	b.registers = fileRegisters - size*b.share()
	n, each := b.launch.Block, len(b.entry.regs)
	regs := zeros(&s.regs, size*each)
	for i := range b.threads {
		at := [3]int{i % n[0], i / n[0] % n[1], i / n[0] / n[1]}
		b.threads[i] = thread{block: b, at: at, number: int32(b.number*size + i + 1), epoch: 1, regs: regs[i*each:][:each]}
		copy(b.threads[i].regs, b.entry.regs)
	}
}

func (b *block) run() {
	for b.err == nil {
		progress, live := false, false
		for i := range b.threads {
			t := &b.threads[i]
			if t.state == atPhase && t.phaseEnded() {
				t.state = ready
			}
			if t.state == ready {
				progress = true
				t.run()
			}
			live = live || t.state != ended
		}
		if b.err == nil && !live {
			b.finished()
		}
		if b.err != nil || !live {
			return
		}
		if !b.collectives() && !b.barriers() && !progress && !b.deliver() {
			b.stuck()
		}
	}
}

// run lets a thread run until it waits or ends.
func (t *thread) run() {
	b, e := t.block, t.block.entry
	for t.pc < len(e.instrs) {
		i := &e.instrs[t.pc]
		if b.steps--; b.steps < 0 {
			t.fault("the threads take more than %s", diag.Count(b.launch.Steps, "instruction"))
			return
		}
		if i.pred >= 0 && (t.regs[i.pred] == 0) != i.negate {
			t.pc++
			continue
		}
		switch i.kind {
		case plain:
			if i.run(t); b.err != nil {
				return
			}
			t.pc++
		case branch:
			t.pc = i.target
		case barrier:
			t.state = atBarrier
			return
		case together:
			t.state = atCollective
			return
		case phase:
			if !i.wait(t) {
				return
			}
			t.pc++
		case exit:
			t.state = ended
			return
		}
	}
	t.state = ended
}

func (t *thread) fault(format string, args ...any) {
	if t.block.err != nil {
		return
	}
	f := &Fault{Block: t.block.number, Thread: t.local(), Reason: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if access, is := a.(*AccessError); is {
			f.Access = access
		}
	}
	if t.pc < len(t.block.entry.instrs) {
		i := &t.block.entry.instrs[t.pc]
		f.Line, f.Instr = i.line, i.text
	}
	t.block.err = f
}

// warp is how many threads run together.
const warp = 32

// collectives lets the warps on whose lanes have all come to one.
func (b *block) collectives() bool {
	some := false
	for from := 0; from < len(b.threads); from += warp {
		lanes := b.threads[from:min(from+warp, len(b.threads))]
		for i := range lanes {
			t := &lanes[i]
			if t.state != atCollective || !t.together(lanes, i) {
				continue
			}
			c := &b.entry.instrs[t.pc].warp
			members := b.threads[from:min(from+c.group, len(b.threads))]
			if !t.grouped(members, from) || c.may != nil && !c.may(t) {
				continue
			}
			if c.run(members); b.err != nil {
				return true
			}
			for l := range members {
				if c.lanes>>(l%warp)&1 == 1 {
					members[l].state = ready
					members[l].pc++
				}
			}
			some = true
		}
	}
	return some
}

// grouped reports whether all of a group of warps have come to a thread's
// collective, of which it is in the first.
func (t *thread) grouped(members []thread, from int) bool {
	group := t.block.entry.instrs[t.pc].warp.group
	if group == warp {
		return true
	}
	if from%group != 0 {
		return false // it goes on with the first warp
	}
	if len(members) < group {
		t.fault("it takes %s", diag.Count(group, "thread"))
		return false
	}
	for i := range members {
		if members[i].state != atCollective || members[i].pc != t.pc {
			return false
		}
	}
	return true
}

// together reports whether all lanes of a thread's collective have come to it.
func (t *thread) together(lanes []thread, own int) bool {
	members := t.block.entry.instrs[t.pc].warp.lanes
	if members>>own&1 == 0 {
		t.fault("a lane that is not among those of its shuffle")
		return false
	}
	for l := range uint32(warp) {
		switch {
		case members>>l&1 == 0:
		case int(l) >= len(lanes):
			t.fault("it takes lanes that the warp does not have")
			return false
		case lanes[l].state != atCollective || lanes[l].pc != t.pc:
			return false
		}
	}
	return true
}

// stuck reports threads that wait for what will not come.
func (b *block) stuck() {
	waiting, other := -1, -1
	for i := range b.threads {
		switch t := &b.threads[i]; {
		case t.state != ended && waiting < 0:
			waiting = i
		case waiting >= 0 && other < 0 && (t.state == ended || t.pc != b.threads[waiting].pc):
			other = i
		}
	}
	for i := range b.threads[:max(waiting, 0)] {
		if b.threads[i].state == ended {
			other = i
		}
	}
	t := &b.threads[max(waiting, 0)]
	what := "no other thread"
	if other >= 0 {
		what = fmt.Sprintf("thread %d has ended", other)
		if o := &b.threads[other]; o.state != ended {
			i := &b.entry.instrs[o.pc]
			what = fmt.Sprintf("thread %d waits at line %d: %s", other, i.line, i.text)
		}
	}
	t.fault("deadlock: it waits, %s", what)
}
