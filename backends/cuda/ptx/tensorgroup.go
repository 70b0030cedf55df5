package ptx

import (
	"fmt"
	"strings"

	"ltc/ir/types"
)

// Products of warpgroups read both factors from the block's memory by themselves,
// as descriptors say where they are: swizzled as strips are anyway.
const (
	groupThreads = 128
	groupRows    = 64 // of a product of a warpgroup
	// blockBytes are those of a strip of 64 rows or columns: of a factor across K,
	// 64 elements of each of its rows.
	blockBytes = groupRows * stripBytes
	// eight rows of 128 bytes, of which the swizzle repeats.
	eightRows = 8 * stripBytes
	swizzle   = 1 << 30 // of 128 bytes, in the upper half of a descriptor
)

// ringOfGroups is ring with products of warpgroups, of which those of one strip are
// under way while the block waits for the next: two strips of the ring are being
// read, and the others copied. The products of strip n-2 have ended when all have
// waited in turn n, and its place is copied to again.
func (m *tensor) ringOfGroups() {
	ahead := m.tile.strips - 2
	n, from := m.begin()
	left := m.variable(long, n)
	into, out := m.variable(word, m.memory), m.variable(word, m.memory)
	copies := func() {
		m.when(m.op(predicate, "setp.gt.s64", left, "0"), func() { m.copyStrips(into, from) })
		m.line("cp.async.commit_group")
		m.next(into)
		m.line("add.s64 %s, %s, -1", left, left)
	}
	m.loop("0", number(int64(ahead)), "1", func(string) { copies() })
	m.loop("0", n, "1", func(string) {
		m.line("cp.async.wait_group %d", ahead-1)
		m.line("fence.proxy.async.shared::cta") // the wide form waits for global memory
		m.line("wgmma.wait_group.sync.aligned 1")
		m.barrier()
		m.multiplyGroups(out)
		m.next(out)
		copies()
	})
	m.line("wgmma.wait_group.sync.aligned 0")
	m.line("cp.async.wait_all")
	m.barrier()
}

// multiplyGroups issues the products of a strip.
func (m *tensor) multiplyGroups(strip string) {
	kind := map[types.DType]string{types.BF16: "bf16", types.F16: "f16"}[m.t]
	var sums []string
	for _, s := range m.sums[0] {
		sums = append(sums, s[:]...)
	}
	group := m.shr(m.tid, log2(groupThreads))
	a := m.sum(strip, m.plus(m.times(group, blockBytes), m.a.at))
	b := m.plus(strip, m.b.at)
	m.line("wgmma.fence.sync.aligned")
	for step := range stripBytes / fragmentBytes {
		m.line("wgmma.mma_async.sync.aligned.m%dn%dk16.f32.%s.%s {%s}, %s, %s, 1, 1, 1, %d, %d", groupRows, m.tile.columns, kind, kind,
			strings.Join(sums, ", "), m.descriptor(m.a, a, step), m.descriptor(m.b, b, step), m.a.transposed(), m.b.transposed())
	}
	m.line("wgmma.commit_group.sync.aligned")
}

// transposed is how an instruction says whether a factor lies across K.
func (s *factor) transposed() int {
	if s.alongK {
		return 0
	}
	return 1
}

// descriptor returns that of a factor at an address, for a step along K. See the
// PTX ISA, "Matrix Descriptor Format": the address, how far the next 64 elements
// are, of a factor across K, and the next eight rows, each in chunks.
func (m *tensor) descriptor(s *factor, at string, step int) string {
	by, blocks := fragmentBytes, 1
	if !s.alongK {
		by, blocks = 2*eightRows, blockBytes/chunkBytes
	}
	start := m.shr(m.and(m.plus(at, step*by), 1<<18-1), log2(chunkBytes))
	low := m.op(word, "or.b32", start, fmt.Sprintf("%#x", blocks<<16))
	high := m.op(word, "mov.u32", fmt.Sprintf("%#x", swizzle|eightRows/chunkBytes))
	return m.op(long, "mov.b64", "{"+low+", "+high+"}")
}
