package ptxsim

// What one thread has done another may rely on only if it came before: each numbers
// what it does by its epoch, and knows, of all others, through which epoch it comes
// behind them. Barriers of all threads raise the floor that all know; other ways to
// wait hand on what those know that are waited for.

// knows is through which epoch of others something comes behind them. The zero value
// knows nothing.
type knows struct {
	threads []int32 // of the block, by number; none: no more than the block's floor
	agents  []int32 // by number
}

// An agent works beside the threads. Agents are the products of a warp, numbered by the
// groups that they are committed in, of which the block's warps are the first agents. The
// copies that an mbarrier counts are agents too, numbered by its phases. In the record of
// accesses to memory agents are negative.
func agent(n int) int32 { return int32(-1 - n) }

func (k *knows) agent(n int) int32 {
	if n < len(k.agents) {
		return k.agents[n]
	}
	return 0
}

// learns notes that it comes behind an agent's epoch.
func (k *knows) learns(n int, epoch int32) {
	k.agents = grown(k.agents, n+1)
	k.agents[n] = max(k.agents[n], epoch)
}

// joins adds what others know.
func (k *knows) joins(o *knows) {
	k.threads, k.agents = grown(k.threads, len(o.threads)), grown(k.agents, len(o.agents))
	for i, e := range o.threads {
		k.threads[i] = max(k.threads[i], e)
	}
	for i, e := range o.agents {
		k.agents[i] = max(k.agents[i], e)
	}
}

func grown(a []int32, n int) []int32 {
	if n <= len(a) {
		return a
	}
	return append(a, make([]int32, n-len(a))...)
}

// local is the thread's number in its block.
func (t *thread) local() int { return int(t.number-1) % len(t.block.threads) }

// now is what the thread does at this moment.
func (t *thread) now() touched { return touched{t.number, t.epoch} }

// releases adds to k all that the thread has done and knows; what it does from now on
// is not among that.
func (t *thread) releases(k *knows) {
	k.joins(&t.knows)
	k.threads = grown(k.threads, len(t.block.threads))
	k.threads[t.local()] = t.epoch
	t.epoch++
}

// acquires puts the thread behind all that k knows.
func (t *thread) acquires(k *knows) { t.knows.joins(k) }

// meet orders what some threads have done before what any of them does next.
func meet(threads []*thread) {
	var all knows
	for _, t := range threads {
		t.releases(&all)
	}
	for _, t := range threads {
		t.acquires(&all)
	}
}

// meet orders what all threads have done before what any does next.
func (b *block) meet() {
	for i := range b.threads {
		t := &b.threads[i]
		b.floor.epoch = max(b.floor.epoch, t.epoch)
		b.floor.agents.joins(&knows{agents: t.knows.agents})
	}
	for i := range b.threads {
		b.threads[i].epoch = b.floor.epoch + 1
	}
}

// concurrent reports whether what another has done may happen at the same time as
// what t does now.
func (t *thread) concurrent(o touched) bool {
	switch {
	case o.thread == 0 || o.thread == t.number:
		return false
	case o.thread < 0:
		n := int(-1 - o.thread)
		return o.epoch > t.knows.agent(n) && o.epoch > t.block.floor.agents.agent(n)
	case !t.ownBlock(o):
		return true
	case o.epoch <= t.block.floor.epoch:
		return false
	}
	n := int(o.thread - t.block.threads[0].number)
	return n >= len(t.knows.threads) || o.epoch > t.knows.threads[n]
}

func (t *thread) ownBlock(o touched) bool {
	first := t.block.threads[0].number
	return o.thread >= first && o.thread < first+int32(len(t.block.threads))
}

// read notes that a thread reads, and returns what races with it.
func (c *touch) read(t *thread, atomic bool) touched {
	if t.concurrent(c.writer) && !(atomic && c.atomic) {
		return c.writer
	}
	old, now := c.reader, t.now()
	c.reader = now
	switch {
	case old.thread == 0 || old == now:
	case !t.ownBlock(old):
		c.across = true
	case t.block.entry.partial:
		c.others(t, old)
	case old.epoch != now.epoch:
		c.many = false
	case old.thread != now.thread:
		c.many = true
	}
	return touched{}
}

// others notes the reads that a thread's does not come behind. Where all threads wait
// at each barrier it is enough that there are some.
func (c *touch) others(t *thread, old touched) {
	if !c.many && !t.concurrent(old) {
		return
	}
	b := t.block
	var kept []touched
	for _, o := range append(b.readers[c], old) {
		if t.concurrent(o) {
			kept = append(kept, o)
		}
	}
	if c.many = len(kept) > 0; !c.many {
		delete(b.readers, c)
		return
	}
	if b.readers == nil {
		b.readers = map[*touch][]touched{}
	}
	b.readers[c] = kept
}

// write notes that a thread writes, or what it has write, and returns what races with
// it.
func (c *touch) write(t *thread, as touched, atomic bool) touched {
	if t.concurrent(c.writer) && !(atomic && c.atomic) {
		return c.writer
	}
	if !atomic {
		if t.concurrent(c.reader) || c.across {
			return c.reader
		}
		if c.many && t.block.entry.partial {
			for _, o := range t.block.readers[c] {
				if t.concurrent(o) {
					return o
				}
			}
		} else if c.many && c.reader.epoch > t.block.floor.epoch && t.ownBlock(c.reader) {
			return c.reader
		}
	}
	c.writer, c.atomic = as, atomic
	return touched{}
}
