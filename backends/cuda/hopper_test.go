package cuda

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// What large products are made of, one by one, for devices of sm_90a: where a box lies
// in a block's memory, and which elements a descriptor names. If these differ between a
// GPU and the interpreter, nothing else about them need be looked at.

// hopper opens a device of sm_90a.
func hopper(t *testing.T) *Backend {
	b, _ := backend(t, cudafake.Options{Seed: 5})
	if p := b.dev.Properties(); p.Target() != "sm_90" {
		t.Skip("about sm_90a, not ", p.Target())
	}
	return b
}

// runText runs an entry of a text, with a block of 128 threads. The entry is given the
// address of some bytes, and a map of some others, which are a matrix of rows of columns of
// 16 bits. It writes the first.
func runText(t *testing.T, text, entry string, out int, in []byte, l driver.TensorLayout) []byte {
	b := hopper(t)
	q := b.dev.home
	x, err := b.Make(types.Of(types.U8, len(in)))
	require.NoError(t, err)
	host, err := soa.Borrow(in, types.Of(types.U8, len(in)))
	require.NoError(t, err)
	require.NoError(t, soa.Copy(x, host))
	y, err := b.Make(types.Of(types.U8, out))
	require.NoError(t, err)
	got := soa.Make(y.Type)
	require.NoError(t, soa.Copy(y, got))
	m, err := b.dev.ctx.Load([]byte(text))
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Unload()) }()
	k, err := m.Function(entry)
	require.NoError(t, err)
	require.NoError(t, k.AllowShared(hopperShared))
	launch := driver.NewLaunch(k, 2)
	launch.Block(128, 1, 1)
	launch.Shared(hopperShared)
	launch.Set(0, uint64(uintptr(y.Base())))
	var tensor driver.TensorMap
	l.Type, l.Swizzle, l.Address = driver.TensorBF16, driver.Swizzle128, driver.Ptr(uintptr(x.Base()))
	require.NoError(t, q.do(func() error {
		if err := b.dev.ctx.Encode(&tensor, &l); err != nil {
			return err
		}
		launch.SetMap(1, &tensor)
		return q.stream.Launch(launch)
	}))
	require.NoError(t, q.Wait(t.Context()))
	require.NoError(t, soa.Copy(got, y))
	runtime.KeepAlive(x)
	return soa.Slice[byte](got)
}

const (
	hopperShared = 96 << 10
	hopperHead   = ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 block[];\n"
)

// A box of a matrix lies in the block's memory with chunks of 16 bytes exchanged by the
// number of their row; what is outside is 0.
func TestSwizzle(t *testing.T) {
	const rows, columns = 20, 40
	in := make([]byte, rows*columns*2)
	for i := range rows * columns {
		binary.LittleEndian.PutUint16(in[2*i:], uint16(i+1))
	}
	got := runText(t, boxes, "boxes", 8*128, in, driver.TensorLayout{Sizes: []uint64{columns, rows}, Strides: []uint64{columns * 2}, Box: []uint32{64, 8}})
	for y := range 8 {
		for x := range 64 {
			at := y*128 + x*2
			at ^= y % 8 << 4
			want := uint16(0)
			if x+8 < columns && y+16 < rows {
				want = uint16((y+16)*columns + x + 8 + 1)
			}
			require.Equal(t, want, binary.LittleEndian.Uint16(got[at:]), "row %d column %d", y, x)
		}
	}
}

// boxes copies 8 rows of a matrix, from row 16 and column 8 on, as they lie in the
// block's memory.
const boxes = hopperHead + `.visible .entry boxes(.param .u64 y, .param .align 64 .b8 m[128])
.maxntid 128, 1, 1
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd0, [y];
	mov.b64 %rd1, m;
	cvta.param.u64 %rd2, %rd1;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, block;
	setp.ne.u32 %p0, %r0, 0;
	@%p0 bra READY;
	mbarrier.init.shared::cta.b64 [%r1+1024], 1;
	fence.mbarrier_init.release.cluster;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1+1024], 1024;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2, {8, 16}], [%r1+1024];
READY:
	bar.sync 0;
WAIT:
	mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+1024], 0;
	@!%p1 bra WAIT;
	shl.b32 %r2, %r0, 3;
	add.u32 %r3, %r1, %r2;
	ld.shared.b64 %rd3, [%r3];
	cvt.u64.u32 %rd4, %r2;
	add.s64 %rd5, %rd0, %rd4;
	st.global.b64 [%rd5], %rd3;
	ret;
}
`

// Descriptors agree with the layout of factors along K, and across it. Here the second
// factor is one matrix of 64 by 64, and the first picks one of its rows for each row of the
// product.
func TestDescriptors(t *testing.T) {
	for _, c := range []struct {
		across [2]bool // whether the factors lie across K
	}{{[2]bool{false, false}}, {[2]bool{false, true}}, {[2]bool{true, false}}, {[2]bool{true, true}}} {
		t.Run(fmt.Sprint(c.across), func(t *testing.T) {
			// Two matrices of 64 by 64, one below the other, as the block's memory has them.
			in := make([]byte, 2*64*64*2)
			put := func(factor, i, k, v int) {
				y, x := i, k
				if c.across[factor] {
					y, x = k, i
				}
				binary.LittleEndian.PutUint16(in[(factor*64+y)*128+x*2:], uint16(types.ToBFloat16(float64(v))))
			}
			a := func(i, k int) int { return (i*5+k*3)%7 - 3 }
			b := func(j, k int) int { return (k*2+j*7)%9 - 4 }
			for i := range 64 {
				for k := range 64 {
					put(0, i, k, a(i, k))
					put(1, i, k, b(i, k))
				}
			}
			got := runText(t, product64(c.across), "product", 64*64*4, in, driver.TensorLayout{Sizes: []uint64{64, 128}, Strides: []uint64{128}, Box: []uint32{64, 128}})
			for thread := range 128 {
				for r := range 32 {
					row, column := thread/32*16+thread%32/4+8*(r/2%2), r/4*8+thread%4*2+r%2
					want := 0
					for k := range 64 {
						want += a(row, k) * b(column, k)
					}
					require.Equal(t, float32(want), math.Float32frombits(binary.LittleEndian.Uint32(got[(thread*32+r)*4:])), "row %d column %d", row, column)
				}
			}
		})
	}
}

// product64 has a warpgroup multiply the two matrices of a box, and stores the sums as
// its threads have them.
func product64(across [2]bool) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+";\n", args...) }
	b.WriteString(hopperHead + ".visible .entry product(.param .u64 y, .param .align 64 .b8 m[128])\n.maxntid 128, 1, 1\n{\n")
	for _, r := range []string{".pred %p<2>", ".b32 %r<24>", ".b64 %rd<16>", ".f32 %f<32>"} {
		line(".reg %s", r)
	}
	line("ld.param.u64 %%rd0, [y]")
	line("mov.b64 %%rd1, m")
	line("cvta.param.u64 %%rd2, %%rd1")
	line("mov.u32 %%r0, %%tid.x")
	line("mov.u32 %%r1, block")
	line("setp.ne.u32 %%p0, %%r0, 0")
	line("@%%p0 bra READY")
	line("mbarrier.init.shared::cta.b64 [%%r1+16384], 1")
	line("fence.mbarrier_init.release.cluster")
	line("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r1+16384], 16384")
	line("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%%r1], [%%rd2, {0, 0}], [%%r1+16384]")
	b.WriteString("READY:\n")
	line("bar.sync 0")
	b.WriteString("WAIT:\n")
	line("mbarrier.try_wait.parity.shared::cta.b64 %%p1, [%%r1+16384], 0")
	line("@!%%p1 bra WAIT")
	var sums []string
	for i := range 32 {
		line("mov.f32 %%f%d, 0f00000000", i)
		sums = append(sums, fmt.Sprintf("%%f%d", i))
	}
	line("wgmma.fence.sync.aligned")
	transposed := [2]int{}
	for step := range 4 {
		for factor := range across {
			by := 32 // bytes of a step along K
			if across[factor] {
				by, transposed[factor] = 16*128, 1
			}
			line("add.u32 %%r2, %%r1, %d", factor*8192+step*by)
			line("and.b32 %%r3, %%r2, 0x3FFFF")
			line("shr.u32 %%r4, %%r3, 4")
			line("or.b32 %%r5, %%r4, 0x2000000")
			line("mov.u32 %%r6, 0x40000040")
			line("mov.b64 %%rd%d, {%%r5, %%r6}", 4+2*step+factor)
		}
		line("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%s}, %%rd%d, %%rd%d, 1, 1, 1, %d, %d", strings.Join(sums, ", "), 4+2*step, 5+2*step, transposed[0], transposed[1])
	}
	line("wgmma.commit_group.sync.aligned")
	line("wgmma.wait_group.sync.aligned 0")
	line("mul.wide.u32 %%rd12, %%r0, 128")
	line("add.s64 %%rd13, %%rd0, %%rd12")
	for i := range sums {
		line("st.global.f32 [%%rd13+%d], %s", 4*i, sums[i])
	}
	line("ret")
	b.WriteString("}\n")
	return b.String()
}
