package reference

import (
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/internal/loops"
)

// mostMembers is how many steps a group has at most.
const mostMembers = 8

// leastWork is how much work is worth waking a thread for, in elements that an op computes. It is
// for code that does not say whether its launches are short. Tests make it less.
var leastWork = 1 << 16

// findGroups finds the groups of e. A group is a run of steps that follow each other and of which
// none depends on another. Launches of a group are one, whose parts are those of all of them: steps
// that cannot be cut run at the same time. So do loops of a group, each on one thread. If e has been
// fitted before, findGroups allocates nothing.
func (e *compiled) findGroups() {
	e.members = 0
	if e.threads == 1 || e.views != nil || !e.hasUncut() { // of variants, the host prepares each launch
		return
	}
	if e.groups == nil {
		e.groups, e.uses = make([]int, len(e.steps)), make([]use, len(e.steps))
	}
	clear(e.groups)
	for i := 0; i < len(e.steps); {
		end := e.groupFrom(i)
		if end > i+1 {
			e.groups[i], e.members = end, max(e.members, end-i)
			e.workers = max(e.workers, min(e.threads, e.partsOf(i, end)))
		}
		i = end
	}
}

// hasUncut reports whether two steps are worth a thread each and at least one of them is not cut.
// Where that is not so there are no groups, which is the case of most programs.
func (e *compiled) hasUncut() bool {
	long, uncut := 0, false
	for _, c := range e.codeOf {
		if e.isLong(c) {
			long += len(c.steps)
			uncut = uncut || c.parts == 1
		}
	}
	loops := 0
	for _, i := range e.hosted {
		if e.isLoop(i) {
			loops++
		}
	}
	return long > 1 && uncut || loops > 1
}

// isLong reports whether launches of code take longer than waking a thread.
func (e *compiled) isLong(c *sizedCode) bool {
	switch code := c.code.(type) {
	case kernel.ShortLauncher:
		return !c.short
	case *triangularCode:
		if b, ok := code.Code.(kernel.ShortLauncher); ok {
			return !b.IsShort(nil)
		}
		return code.work() >= leastWork
	case claimedCode:
		return code.work() >= leastWork
	}
	k := e.Plan.Program.Kernels[e.steps[c.steps[0]].Kernel]
	return loops.Times(c.points, len(k.Instrs)) >= leastWork
}

// groupFrom returns the end of the group that begins with step i; i+1 if none does.
func (e *compiled) groupFrom(i int) (end int) {
	isMember := e.isMember
	if e.isLoop(i) {
		isMember = e.isLoop
	}
	if !isMember(i) {
		return i + 1
	}
	uncut := e.steps[i].parts <= 1
	for end = i + 1; end < len(e.steps) && end-i < mostMembers && isMember(end) && e.isFree(i, end); end++ {
		uncut = uncut || e.steps[end].parts <= 1
	}
	if !uncut || e.partsOf(i, end) > mostParts {
		return i + 1
	}
	return end
}

// isMember reports whether step i can be one of a group: a long launch of every run.
func (e *compiled) isMember(i int) bool {
	s := &e.steps[i]
	if s.Launch == nil || s.code == nil || s.Copies || len(s.Moving) > 0 || e.Done != nil && e.Done[i] {
		return false
	}
	return e.isLong(s.sizedCode)
}

// isLoop reports whether step i is a loop.
func (e *compiled) isLoop(i int) bool {
	_, ok := e.steps[i].Work.(*plan.Loop)
	return ok
}

// partsOf returns how many parts some steps have together.
func (e *compiled) partsOf(i, end int) int {
	n := 0
	for k := i; k < end; k++ {
		n += max(e.steps[k].parts, 1)
	}
	return n
}

// isFree reports whether a step depends on none of the steps from i up to it, and none of them on it.
func (e *compiled) isFree(i, step int) bool {
	for k := i; k < step; k++ {
		if e.meet(k, step, e.sharePlace) {
			return false
		}
	}
	return true
}

// use is what a step reads and writes.
type use struct{ reads, writes []plan.ValueID }

// use returns that of step i. Those of members are known when findGroups has returned.
func (e *compiled) use(i int) use {
	u := &e.uses[i]
	if u.writes == nil {
		u.reads, u.writes = e.Plan.Program.Access(i)
	}
	return *u
}

// meet reports whether one of two steps writes a value, and the other reads or writes one, which share
// memory.
func (e *compiled) meet(a, b int, share func(v, w plan.ValueID) bool) bool {
	x, y := e.use(a), e.use(b)
	some := func(vs, ws []plan.ValueID) bool {
		for _, v := range vs {
			for _, w := range ws {
				if share(v, w) {
					return true
				}
			}
		}
		return false
	}
	return some(x.writes, y.writes) || some(x.writes, y.reads) || some(x.reads, y.writes)
}

// sharePlace reports whether two values can have a byte in common: temporaries in the arena, or an
// argument and the result that takes over its memory.
func (e *compiled) sharePlace(v, w plan.ValueID) bool {
	p := e.Plan.Program
	x, y := &p.Values[v], &p.Values[w]
	switch {
	case v == w:
		return true
	case x.Kind == plan.Temporary && y.Kind == plan.Temporary:
		return x.Offset < y.Offset+max(y.Type.Bytes(), 1) && y.Offset < x.Offset+max(x.Type.Bytes(), 1)
	case x.Kind == plan.Argument && y.Kind == plan.Result:
		return p.Signature.Results[y.Index].Alias == x.Index
	case x.Kind == plan.Result && y.Kind == plan.Argument:
		return p.Signature.Results[x.Index].Alias == y.Index
	}
	return false
}

// groupEnd returns the end of the group that begins with step i; 0 if none does.
func (e *compiled) groupEnd(i int) int {
	if e.members == 0 {
		return 0
	}
	return e.groups[i]
}

// isApart reports whether the memory that members of a group write in this run is no other
// member's: the caller's views may overlap.
func (l *launcher) isApart(i, end int) bool {
	for step := i + 1; step < end; step++ {
		for k := i; k < step; k++ {
			if l.of.meet(k, step, l.shareMemory) {
				return false
			}
		}
	}
	return true
}

// shareMemory reports whether two values have a byte in common, of which at least one is the
// caller's.
func (l *launcher) shareMemory(v, w plan.ValueID) bool {
	x, y := &l.Program.Values[v], &l.Program.Values[w]
	if x.Kind == plan.Temporary && y.Kind == plan.Temporary {
		return false
	}
	from, other := uintptr(l.Mem[v]), uintptr(l.Mem[w])
	return from < other+uintptr(y.Type.Bytes()) && other < from+uintptr(x.Type.Bytes())
}

// launchGroup runs the steps of a group. The error is that of the first step that failed. A panic
// of code is the error of its step.
func (l *launcher) launchGroup(i, end int, done <-chan struct{}) error {
	parts, group := 0, l.group[:0]
	for k := i; k < end; k++ {
		s := &l.of.steps[k]
		pointers := l.pointers[s.first : s.first+len(s.Operands)]
		s.point(pointers, l.Mem)
		group = append(group, launched{s, s.now(), pointers, s.Sizes, s.Strides, s.parts, done})
		parts += s.parts
	}
	l.group = group
	l.crew.doEach(parts)
	var err error
	if l.failed.Load() {
		w := l.firstFailed()
		m, _ := l.member(w.first)
		err = m.step.Failed(w.err)
	}
	clear(group)
	l.group = group[:0]
	return err
}

// member returns the launch of a group that a part of the group is of, and the number of its first
// part.
func (l *launcher) member(part int) (m *launched, first int) {
	for k := range l.group {
		if m = &l.group[k]; part < first+m.parts {
			break
		}
		first += m.parts
	}
	return m, first
}

// groupParts has a worker run parts of the group under way: n, from p on.
func (l *launcher) groupParts(worker, p, n int) {
	for n > 0 {
		m, first := l.member(p)
		some := min(n, first+m.parts-p)
		l.parts(worker, m, first, p-first, some)
		p, n = p+some, n-some
	}
}
