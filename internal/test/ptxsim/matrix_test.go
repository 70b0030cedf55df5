package ptxsim_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// place is where an element of a fragment is in its matrix.
type place func(group, thread, i int) (row, column int)

// The tables of the PTX ISA, chapter "Matrix fragments for mma", in its words: i is
// the number of an element among those of a thread.
var fragments = []struct {
	opcode  string
	m, n, k int
	bits    int // of an element of the factors
	sum     int // bytes of a sum
	a, b, c place
}{
	{"m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, 16, 4, a16, b16, c16},
	{"m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, 16, 4, a16, b16, c16},
	{"m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, 32, 4,
		func(g, t, i int) (int, int) { return g + 8*(i&1), t + 4*(i>>1) },
		func(g, t, i int) (int, int) { return t + 4*i, g }, c16},
	{"m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, 64, 8,
		func(g, t, _ int) (int, int) { return g, t },
		func(g, t, _ int) (int, int) { return t, g },
		func(g, t, i int) (int, int) { return g, t*2 + i&1 }},
	{"m16n8k32.row.col.s32.s8.s8.s32", 16, 8, 32, 8, 4,
		func(g, t, i int) (int, int) {
			row, column := g, t*4+i&3
			if i >= 4 && i < 8 || i >= 12 {
				row += 8
			}
			if i >= 8 {
				column += 16
			}
			return row, column
		},
		func(g, t, i int) (int, int) {
			if i < 4 {
				return t*4 + i&3, g
			}
			return t*4 + i&3 + 16, g
		}, c16},
}

func a16(g, t, i int) (int, int) {
	row, column := g+8, t*2+i&1
	if i < 2 || i >= 4 && i < 6 {
		row = g
	}
	if i >= 4 {
		column += 8
	}
	return row, column
}

func b16(g, t, i int) (int, int) {
	if i < 2 {
		return t*2 + i&1, g
	}
	return t*2 + i&1 + 8, g
}

func c16(g, t, i int) (int, int) {
	if i < 2 {
		return g, t*2 + i&1
	}
	return g + 8, t*2 + i&1
}

// element returns the bits of a small integer as an element of a factor.
func element(opcode string, bits, v int) uint64 {
	switch {
	case strings.Contains(opcode, "bf16"):
		return uint64(math.Float32bits(float32(v)) >> 16)
	case strings.Contains(opcode, "f16"): // of no more than 11 bits
		if v == 0 {
			return 0
		}
		b := math.Float32bits(float32(v))
		return uint64(b>>31<<15 | (b>>23&255-112)<<10 | b>>13&1023)
	case bits == 32:
		return uint64(math.Float32bits(float32(v)))
	case bits == 64:
		return math.Float64bits(float64(v))
	}
	return uint64(v) & 255
}

// Fragments are where the PTX ISA has them: each thread is handed its elements in
// registers, and has its sums, of integers, which are exact.
func TestMMA(t *testing.T) {
	for _, f := range fragments {
		t.Run(f.opcode, func(t *testing.T) {
			each := max(1, 32/f.bits)
			width := max(f.bits, 32)
			x := func(i, k int) int { return (i*5+k*3)%7 - 3 }
			y := func(k, j int) int { return (k*2+j*7)%9 - 4 }
			pack := func(rows, columns int, at place, of func(int, int) int) (in []byte, registers int) {
				registers = rows * columns / 32 / each
				for l := range 32 {
					for r := range registers {
						bits := uint64(0)
						for e := range each {
							row, column := at(l/4, l%4, r*each+e)
							bits |= element(f.opcode, f.bits, of(row, column)) << (e * f.bits)
						}
						in = binary.LittleEndian.AppendUint64(in, bits)[:len(in)+width/8]
					}
				}
				return in, registers
			}
			a, as := pack(f.m, f.k, f.a, x)
			b, bs := pack(f.k, f.n, f.b, y)
			sums := f.m * f.n / 32
			out := make([]byte, 32*sums*f.sum)
			require.NoError(t, fragment(t, f.opcode, width, as, bs, sums, 8*f.sum, a, b, out))
			for l := range 32 {
				for i := range sums {
					row, column := f.c(l/4, l%4, i)
					want := 100 * i
					for k := range f.k {
						want += x(row, k) * y(k, column)
					}
					at := out[(l*sums+i)*f.sum:]
					got := 0.0
					switch {
					case f.sum == 8:
						got = math.Float64frombits(binary.LittleEndian.Uint64(at))
					case strings.Contains(f.opcode, ".s32."):
						got = float64(int32(binary.LittleEndian.Uint32(at)))
					default:
						got = float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
					}
					require.EqualValues(t, want, got, "row %d column %d", row, column)
				}
			}
		})
	}
}

// fragment runs one mma of a warp, whose sums begin with 100·i.
func fragment(t *testing.T, opcode string, width, as, bs, sums, sumBits int, a, b, out []byte) error {
	var text strings.Builder
	text.WriteString(header + ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n{\n\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<9>;\n")
	fmt.Fprintf(&text, "\t.reg .b%d %%a<%d>;\n\t.reg .b%d %%b<%d>;\n\t.reg .b%d %%c<%d>;\n\tmov.u32 %%r0, %%tid.x;\n", width, as, width, bs, sumBits, sums)
	for i, p := range []struct {
		name  string
		bytes int
	}{{"a", as * width / 8}, {"b", bs * width / 8}, {"d", sums * sumBits / 8}} {
		fmt.Fprintf(&text, "\tld.param.u64 %%rd%d, [%s];\n\tmul.wide.u32 %%rd%d, %%r0, %d;\n\tadd.s64 %%rd%d, %%rd%d, %%rd%d;\n", i, p.name, i+3, p.bytes, i+6, i, i+3)
	}
	var lists [3]string
	for i, n := range []int{as, bs, sums} {
		for r := range n {
			name := fmt.Sprintf("%%%c%d", "abc"[i], r)
			switch {
			case i < 2:
				fmt.Fprintf(&text, "\tld.global.b%d %s, [%%rd%d+%d];\n", width, name, 6+i, r*width/8)
			case sumBits == 64:
				fmt.Fprintf(&text, "\tmov.b64 %s, 0d%016X;\n", name, math.Float64bits(float64(100*r)))
			case strings.Contains(opcode, ".s32."):
				fmt.Fprintf(&text, "\tmov.b32 %s, %d;\n", name, 100*r)
			default:
				fmt.Fprintf(&text, "\tmov.b32 %s, 0f%08X;\n", name, math.Float32bits(float32(100*r)))
			}
			if lists[i] += name; r < n-1 {
				lists[i] += ", "
			}
		}
	}
	fmt.Fprintf(&text, "\tmma.sync.aligned.%s {%s}, {%s}, {%s}, {%s};\n", opcode, lists[2], lists[0], lists[1], lists[2])
	for r := range sums {
		fmt.Fprintf(&text, "\tst.global.b%d [%%rd8+%d], %%c%d;\n", sumBits, r*sumBits/8, r)
	}
	text.WriteString("\tret;\n}\n")
	m, err := ptxsim.Parse(text.String())
	require.NoError(t, err, text.String())
	e, err := m.Entry("k")
	require.NoError(t, err)
	var memory ptxsim.Memory
	_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Args: []uint64{memory.Alloc(a), memory.Alloc(b), memory.Alloc(out)}})
	return err
}

// A factor of tf32 whose lowest bits have not been rounded away is an error: what
// hardware does with them is not defined.
func TestTF32Rounded(t *testing.T) {
	a := make([]byte, 32*16)
	binary.LittleEndian.PutUint32(a, math.Float32bits(1.1))
	err := fragment(t, "m16n8k8.row.col.f32.tf32.tf32.f32", 32, 4, 2, 4, 32, a, make([]byte, 32*8), make([]byte, 32*16))
	require.ErrorContains(t, err, "has not been rounded to tf32")
}

// squares copies four squares of 8·8 elements of 16 bits to the block's memory, in
// two groups, each lane the row of another, and has each store what ldmatrix gives
// it.
const squares = header + `.visible .entry k(.param .u64 x, .param .u64 y)
{
	.reg .pred %p<2>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd0, [x];
	ld.param.u64 %rd1, [y];
	mov.u32 %r0, %tid.x;
	xor.b32 %r3, %r0, 16;
	mul.lo.u32 %r1, %r3, 16;
	mov.u32 %r2, block;
	mul.lo.u32 %r8, %r0, 16;
	add.u32 %r9, %r2, %r8;
	add.u32 %r2, %r2, %r1;
	cvt.u64.u32 %rd2, %r1;
	add.s64 %rd3, %rd0, %rd2;
	cvt.u64.u32 %rd2, %r8;
	setp.lt.u32 %p0, %r0, 16;
	@%p0 cp.async.cg.shared.global [%r2], [%rd3], 16;
	cp.async.commit_group;
	@!%p0 cp.async.ca.shared.global [%r2], [%rd3], 16, 16;
	cp.async.commit_group;
	cp.async.wait_group 1;
	cp.async.wait_group 0;
	bar.sync 0;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r9];
	add.s64 %rd4, %rd1, %rd2;
	st.global.v4.b32 [%rd4], {%r4, %r5, %r6, %r7};
	ret;
}
`

// copied runs squares, or what became of it, on numbers from 0.
func copied(t *testing.T, text string) ([]byte, error) {
	m, err := ptxsim.Parse(text)
	require.NoError(t, err)
	e, err := m.Entry("k")
	require.NoError(t, err)
	x := make([]byte, 512)
	for i := range 256 {
		binary.LittleEndian.PutUint16(x[2*i:], uint16(i))
	}
	y := make([]byte, 512)
	var memory ptxsim.Memory
	const at, to = 0x7000_0000, 0x6000_0000 // aligned, wherever the bytes are
	memory.Map(to, y)
	memory.Map(at, x)
	_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Shared: 512, Args: []uint64{at, to}})
	return y, err
}

func TestLdmatrix(t *testing.T) {
	for _, transposed := range []bool{false, true} {
		text := squares
		if transposed {
			text = strings.Replace(text, "x4.shared", "x4.trans.shared", 1)
		}
		y, err := copied(t, text)
		require.NoError(t, err)
		for l := range 32 {
			for square := range 4 {
				for e := range 2 {
					row, column := l/4, 2*(l%4)+e
					if transposed {
						row, column = column, row
					}
					require.EqualValues(t, square*64+row*8+column, binary.LittleEndian.Uint16(y[l*16+square*4+e*2:]), "lane %d square %d", l, square)
				}
			}
		}
	}
}

// What a copy leaves out is zeros.
func TestCopyOfLess(t *testing.T) {
	y, err := copied(t, strings.Replace(squares, "[%rd3], 16, 16", "[%rd3], 16, 6", 1))
	require.NoError(t, err)
	require.EqualValues(t, 1, binary.LittleEndian.Uint16(y[2:]))
	require.EqualValues(t, 2, binary.LittleEndian.Uint16(y[16:]))
	require.EqualValues(t, 0, binary.LittleEndian.Uint16(y[16+2:]))
}

// Planted mistakes with copies that run beside the threads are each found.
func TestCopyFaults(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"no wait", "\tcp.async.wait_group 0;\n", "", "to which a cp.async of thread 16 of block 0 copies that has not been waited for"},
		{"no commit", "cp.async.commit_group;\n\tcp.async.wait_group 1", "cp.async.wait_group 1", "has not been waited for"},
		{"no barrier", "\tbar.sync 0;\n", "", "race: read at the same place as thread 16 of block 0"},
		{"wait behind the barrier", "\tcp.async.wait_group 0;\n\tbar.sync 0;\n", "\tbar.sync 0;\n\tcp.async.wait_all;\n", "race: read at the same place"},
		{"copied over what is read", "\tadd.s64 %rd4", "\tcp.async.cg.shared.global [%r2], [%rd3], 16;\n\tadd.s64 %rd4", "race: write at the same place"},
		{"copied twice", "\tcp.async.wait_group 1;\n", "\tcp.async.cg.shared.global [%r2], [%rd3], 16;\n", "has not been waited for"},
		{"alignment", "mul.lo.u32 %r1, %r3, 16", "mul.lo.u32 %r1, %r3, 8", "not aligned"},
		{"outside", "add.s64 %rd3, %rd0, %rd2", "add.s64 %rd3, %rd2, 512", "which was not allocated"},
		{"overwritten before it is waited for", "\tcp.async.wait_group 1;\n", "\tst.global.b16 [%rd3], -1;\n\tcp.async.wait_group 1;\n", "what a copy reads has been overwritten before the copy was waited for"},
		{"row outside", "b16 {%r4, %r5, %r6, %r7}, [%r9]", "b16 {%r4, %r5, %r6, %r7}, [%r9+16]", "read of 16 bytes at 512 of a block's memory, which has 512"},
		{"part of a warp", "\tldmatrix", "\t@%p0 ldmatrix", "deadlock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(squares, c.old, c.new, 1)
			require.NotEqual(t, squares, text)
			_, err := copied(t, text)
			require.ErrorContains(t, err, c.want)
		})
	}
	for _, c := range []struct{ old, new, want string }{
		{"cp.async.cg.shared.global [%r2], [%rd3], 16", "cp.async.cg.shared.global [%r2], [%rd3], 8", "cp.async.cg.shared.global of 8 bytes"},
		{"ldmatrix.sync.aligned.m8n8.x4", "ldmatrix.sync.aligned.m8n16.x4", "unknown opcode"},
		{"{%r4, %r5, %r6, %r7}, [%r9]", "{%r4, %r5, %r6}, [%r9]", "expected {…} of 4, not {%r4, %r5, %r6}"},
	} {
		_, err := ptxsim.Parse(strings.Replace(squares, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want)
	}
}
