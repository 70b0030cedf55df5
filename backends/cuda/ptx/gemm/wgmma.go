package gemm

import (
	"fmt"
	"strings"

	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/ir/types"
)

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
	kind := map[types.DType]string{types.BF16: "bf16", types.F16: "f16"}[m.t]
	var sums []string
	for _, s := range m.sums[0] {
		sums = append(sums, s[:]...)
	}
	group := m.Shr(m.tid, asm.Log2(asm.GroupThreads))
	a := m.Sum(strip, m.Plus(m.Times(group, asm.BlockBytes), m.a.at))
	b := m.Plus(strip, m.b.at)
	m.Line("wgmma.fence.sync.aligned")
	for step := range asm.StripBytes / asm.FragmentBytes {
		m.Line("wgmma.mma_async.sync.aligned.m%dn%dk16.f32.%s.%s {%s}, %s, %s, 1, 1, 1, %d, %d", asm.GroupRows, m.tile.columns, kind, kind,
			strings.Join(sums, ", "), m.descriptor(m.a, a, step), m.descriptor(m.b, b, step), m.a.transposed(), m.b.transposed())
	}
	m.Line("wgmma.commit_group.sync.aligned")
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
func (m *tileWriter) descriptor(s *factor, at string, step int) string {
	by, blocks := asm.FragmentBytes, 1
	if !s.alongK {
		by, blocks = 2*asm.EightRows, asm.BlockBytes/asm.ChunkBytes
	}
	start := m.Shr(m.And(m.Plus(at, step*by), 1<<18-1), asm.Log2(asm.ChunkBytes))
	low := m.Op(asm.Word, "or.b32", start, fmt.Sprintf("%#x", blocks<<16))
	high := m.Op(asm.Word, "mov.u32", fmt.Sprintf("%#x", asm.Swizzle|asm.EightRows/asm.ChunkBytes))
	return m.Op(asm.Long, "mov.b64", "{"+low+", "+high+"}")
}
