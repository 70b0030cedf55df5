package ptxsim

import (
	"fmt"
	"strconv"
	"strings"
)

// warpgroup is how many threads issue a wgmma together.
const warpgroup = 128

// flight is what of a thread's wgmma is under way.
type flight struct {
	// fenced are the registers as they were at the last wgmma.fence; none, if none came
	// since all that was under way has ended.
	fenced    []uint64
	committed int
	pending   []*groupProduct
	// By register: the sums so far, or the factors, and the number, from 1, of the last
	// group that takes it; 0: it is the thread's own.
	sums   []uint64
	last   []int
	factor []bool // whether that only reads it
}

// groupProduct is a wgmma that is under way.
type groupProduct struct {
	group int
}

// unwaited is what a thread sees that reads sums or factors before it has waited: a NaN.
const unwaited = 0x7FBADBAD

// wgmma compiles the instructions of warpgroups. A product reads the block's memory
// when it is issued; until all of its threads have waited nobody may write there,
// and what threads have written themselves they must have fenced. Sums arrive when
// their thread waits for the last group that adds to them.
func (p *parser) wgmma(i *instr, opcode string, args []string) {
	switch opcode {
	case "wgmma.fence.sync.aligned":
		i.run = func(t *thread) { t.flight.fenced = append(t.flight.fenced[:0], t.regs...) }
		return
	case "wgmma.commit_group.sync.aligned":
		i.run = func(t *thread) { t.flight.committed++ }
		return
	case "wgmma.wait_group.sync.aligned":
		if p.count(args, 1, opcode) {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 {
				p.fail("%s takes a number", opcode)
			}
			i.run = func(t *thread) { t.landed(t.flight.committed - n) }
		}
		return
	}
	var n int
	var kind string
	rest, _ := strings.CutPrefix(opcode, "wgmma.mma_async.sync.aligned.m64n")
	if _, err := fmt.Sscanf(rest, "%dk16.f32.%s", &n, &kind); err != nil || n < 8 || n > 256 || n%8 != 0 || kind != "bf16.bf16" && kind != "f16.f16" {
		p.unknown(opcode)
		return
	}
	own := len(args) > 1 && strings.HasPrefix(args[1], "{") // the first factor lies in registers
	want := map[bool]int{false: 8, true: 7}[own]
	if !p.count(args, want, opcode) {
		return
	}
	if args[4] != "1" || args[5] != "1" {
		p.fail("%s of factors that are negated", opcode)
		return
	}
	s := products["m16n8k16.row.col.f32."+kind+".f32"]
	d := p.registersOf(args[0], n/2)
	b, scale := p.value(args[2]), p.value(args[3])
	across := args[want-1] == "1"
	var a []int
	var x func(to *[256][16]float64, threads []thread, product *groupProduct) bool
	if own {
		a = p.registersOf(args[1], 4)
		x = func(to *[256][16]float64, threads []thread, _ *groupProduct) bool {
			return registerMatrix(to, threads, a, s.factor)
		}
	} else {
		desc, across := p.value(args[1]), args[6] == "1"
		x = func(to *[256][16]float64, threads []thread, product *groupProduct) bool {
			return sharedMatrix(to, threads, desc, 64, across, product, s.factor)
		}
	}
	i.kind = together
	i.warp = collective{lanes: all, group: warpgroup, run: func(threads []thread) {
		var left, right [256][16]float64
		product := &groupProduct{group: threads[0].flight.committed + 1}
		if !x(&left, threads, product) || !sharedMatrix(&right, threads, b, n, across, product, s.factor) {
			return
		}
		for l := range threads {
			threads[l].issue(d, a, product, scale, func(c uint64, r int) uint64 {
				group, number := lane(l % warp)
				row, column := l/warp*16+group+8*(r%4/2), r/4*8+2*number+r%2
				sum := s.begin(c)
				for k := range s.k {
					sum += left[row][k] * right[column][k]
				}
				return s.end(sum)
			})
			if threads[l].block.err != nil {
				return
			}
		}
	}}
}

// registerMatrix reads the first factor where it lies in registers, two elements to each
// of four: those of a row, of the row eight below, and of both eight columns on. (PTX ISA,
// "Register Fragments for wgmma.mma_async.m64nNk16".)
func registerMatrix(to *[256][16]float64, threads []thread, a []int, value func(uint64) float64) bool {
	for l := range threads {
		t := &threads[l]
		group, number := lane(l % warp)
		for i, reg := range a {
			bits, ok := t.factorOf(reg)
			if !ok {
				return false
			}
			for half := range 2 {
				to[l/warp*16+group+8*(i%2)][2*number+8*(i/2)+half] = value(bits >> (16 * half) & mask(16))
			}
		}
	}
	return true
}

// factorOf returns what a register holds that is a factor, of another product under way,
// too.
func (t *thread) factorOf(reg int) (uint64, bool) {
	f := &t.flight
	if len(f.last) == 0 || f.last[reg] == 0 {
		return t.regs[reg], true
	}
	if !f.factor[reg] {
		t.fault("a factor that is a sum of a wgmma that is under way")
		return 0, false
	}
	return f.sums[reg], true
}

// sharedMatrix reads a factor where a descriptor says.
func sharedMatrix(to *[256][16]float64, threads []thread, at operand, rows int, across bool, product *groupProduct, value func(uint64) float64) bool {
	desc := at.get(&threads[0])
	for l := range threads {
		if at.get(&threads[l]) != desc {
			threads[l].fault("a descriptor that is not that of the warpgroup's first thread")
			return false
		}
	}
	return threads[0].matrix(to, desc, rows, across, threads, product, value)
}

// A descriptor says where a matrix lies in the block's memory, with the swizzle of 128
// bytes, which exchanges chunks of 16 bytes by the number of their row of 128. In matrices
// along K, rows are 128 bytes apart, groups of eight by the second stride. In matrices
// across K, rows are of K, as far apart, and have 64 elements; the next 64 are the first
// stride on. (PTX ISA, "Matrix Descriptor Format".)

// matrix reads one of rows by 16 elements. t is the first of the warpgroup.
func (t *thread) matrix(to *[256][16]float64, desc uint64, rows int, across bool, threads []thread, product *groupProduct, value func(uint64) float64) bool {
	field := func(at int) uint64 { return desc >> at & mask(14) << 4 }
	start, first, second := field(0), field(16), field(32)
	if desc>>62 != 1 || desc>>49&7 != 0 {
		t.fault("a descriptor %#x of another swizzle than that of 128 bytes", desc)
		return false
	}
	if start&0x380 != 0 {
		t.fault("a descriptor %#x without a base offset, whose matrix begins within 1024 bytes of the swizzle's pattern", desc)
		return false
	}
	b := t.block
	if b.reading == nil {
		b.reading = make([][]int32, len(b.shared)/rowBytes+1)
	}
	own := t.local() / warp
	for row := range rows {
		reader := &threads[row%warpgroup]
		for k := range 16 {
			r, e := uint64(row), uint64(k)
			at := start + r/8*second + r%8*128 + e*2
			if across {
				at = start + r/64*first + r%64*2 + e/8*second + e%8*128
			}
			at ^= at >> 7 & 7 << 4
			bytes := reader.mayRead(at, 2)
			if bytes == nil {
				return false
			}
			if !across && e%8 == 0 || across && r%8 == 0 {
				b.reads(int(at/rowBytes), own, own+warpgroup/warp, product.group)
			}
			to[row][k] = value(load(bytes))
		}
	}
	return true
}

// reads notes that a group of products of some warps reads a chunk.
func (b *block) reads(chunk, from, to, group int) {
	by := grown(b.reading[chunk], to)
	for w := from; w < to; w++ {
		by[w] = int32(group)
	}
	b.reading[chunk] = by
}

// issue adds a product to a thread's sums d; of what lies in registers, of the factor a.
func (t *thread) issue(d, a []int, product *groupProduct, scale operand, sum func(c uint64, r int) uint64) {
	f := &t.flight
	if f.sums == nil {
		f.sums, f.last, f.factor = make([]uint64, len(t.regs)), make([]int, len(t.regs)), make([]bool, len(t.regs))
	}
	for _, regs := range [2][]int{d, a} {
		for _, reg := range regs {
			if f.last[reg] == 0 && (len(f.fenced) == 0 || f.fenced[reg] != t.regs[reg]) {
				t.fault("no wgmma.fence came since its registers may have been written")
				return
			}
		}
	}
	f.pending = append(f.pending, product)
	for r, reg := range d {
		c := t.regs[reg]
		if f.last[reg] != 0 {
			if f.factor[reg] {
				t.fault("sums that are a factor of a wgmma that is under way")
				return
			}
			if c != unwaited {
				t.fault("it has written sums of a wgmma that is under way")
				return
			}
			c = f.sums[reg]
		}
		if scale.get(t) == 0 {
			c = 0
		}
		f.sums[reg], f.last[reg] = sum(c, r), product.group
		t.regs[reg] = unwaited
	}
	for _, reg := range a {
		if f.last[reg] == 0 {
			f.sums[reg], t.regs[reg], f.factor[reg] = t.regs[reg], unwaited, true
		}
		f.last[reg] = product.group
	}
}

// landed ends a thread's groups up to a number.
func (t *thread) landed(group int) {
	f := &t.flight
	for len(f.pending) > 0 && f.pending[0].group <= group {
		t.knows.learns(t.local()/warp, int32(f.pending[0].group))
		f.pending = f.pending[1:]
	}
	for reg, last := range f.last {
		if last == 0 || last > group {
			continue
		}
		if t.regs[reg] != unwaited {
			what := map[bool]string{false: "sums", true: "a factor"}[f.factor[reg]]
			t.fault("it has written %s of a wgmma that was under way", what)
			return
		}
		t.regs[reg], f.last[reg], f.factor[reg] = f.sums[reg], 0, false
	}
	if len(f.pending) == 0 {
		f.fenced = f.fenced[:0]
	}
}

// written notes what a thread has written of the block's memory, for instructions
// that read it another way.
func (t *thread) written(offset uint64, n int) {
	b := t.block
	if b.unfenced == nil {
		return
	}
	for i := range n {
		b.unfenced[int(offset)+i] = t.number
	}
	t.unfenced = append(t.unfenced, [2]uint64{offset, uint64(n)})
}

// fenceProxy makes what a thread has written visible to them.
func (t *thread) fenceProxy() {
	for _, w := range t.unfenced {
		for i := range w[1] {
			if at := &t.block.unfenced[w[0]+i]; *at == t.number {
				*at = 0
			}
		}
	}
	t.unfenced = t.unfenced[:0]
}
