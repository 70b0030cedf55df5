package gemm

import "ltc/backends/cuda/ptx/internal/asm"

// ringOfGroups is ring with products of warpgroups, of which those of one strip are
// under way while the block waits for the next: two strips of the ring are being
// read, and the others copied. The products of strip n-2 have ended when all have
// waited in turn n, and its place is copied to again.
func (m *tileWriter) ringOfGroups() {
	ahead := m.tile.strips - 2
	n, from := m.begin()
	left := m.Variable(asm.Long, n)
	into, out := m.Variable(asm.Word, m.memory), m.Variable(asm.Word, m.memory)
	copies := func() {
		m.When(m.Op(asm.Predicate, "setp.gt.s64", left, "0"), func() { m.copyStrips(into, from) })
		m.Line("cp.async.commit_group")
		m.next(into)
		m.Line("add.s64 %s, %s, -1", left, left)
	}
	m.Loop("0", asm.Number(int64(ahead)), "1", func(string) { copies() })
	m.Loop("0", n, "1", func(string) {
		m.Line("cp.async.wait_group %d", ahead-1)
		m.Line("fence.proxy.async.shared::cta") // the wide form waits for global memory
		m.Line("wgmma.wait_group.sync.aligned 1")
		m.Barrier()
		m.multiplyGroups(out)
		m.next(out)
		copies()
	})
	m.Line("wgmma.wait_group.sync.aligned 0")
	m.Line("cp.async.wait_all")
	m.Barrier()
}

// multiplyGroups issues the products of a strip.
func (m *tileWriter) multiplyGroups(strip string) {
	group := m.Shr(m.tid, asm.Log2(asm.GroupThreads))
	a := m.Sum(strip, m.Plus(m.Times(group, asm.BlockBytes), m.a.at))
	b := m.Plus(strip, m.b.at)
	m.Line("wgmma.fence.sync.aligned")
	for step := range asm.StripBytes / asm.FragmentBytes {
		m.Wgmma(m.t, m.sums[0], m.descriptor(m.a, a, step), m.descriptor(m.b, b, step), true, m.a.transposed()+", "+m.b.transposed())
	}
	m.Line("wgmma.commit_group.sync.aligned")
}

// transposed is how an instruction says whether a factor lies across K.
func (s *factor) transposed() string {
	if s.alongK {
		return "0"
	}
	return "1"
}

// descriptor returns that of a factor at an address, for a step along K.
func (m *tileWriter) descriptor(s *factor, at string, step int) string {
	by, apart := asm.FragmentBytes, asm.ChunkBytes
	if !s.alongK {
		by, apart = 2*asm.EightRows, asm.BlockBytes
	}
	return m.Descriptor(m.Plus(at, step*by), apart)(0)
}
