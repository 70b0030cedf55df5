package ptxsim_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// apply runs an instruction on operands given as literals or bits, and returns
// the bits of its value.
func apply(t testing.TB, opcode string, size int, operands ...string) uint64 {
	t.Helper()
	text := header + fmt.Sprintf(`.visible .entry k(.param .u64 y)
{
	.reg .pred %%p<1>;
	.reg .b64 %%v<2>;
	ld.param.u64 %%v0, [y];
	%s %%v1, %s;
	st.global.u%d [%%v0], %%v1;
	ret;
}
`, opcode, strings.Join(operands, ", "), 8*size)
	m, err := ptxsim.Parse(text)
	require.NoError(t, err, text)
	e, err := m.Entry("k")
	require.NoError(t, err)
	var memory ptxsim.Memory
	y := make([]byte, 8)
	_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Args: []uint64{memory.Alloc(y)}})
	require.NoError(t, err)
	return binary.LittleEndian.Uint64(y)
}

func f(x float32) string { return fmt.Sprintf("0f%08X", math.Float32bits(x)) }

func TestOps(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		opcode   string
		size     int
		operands []string
		want     uint64
	}{
		{"add.s32", 4, []string{"-1", "3"}, 2},
		{"sub.u32", 4, []string{"1", "3"}, 0xFFFFFFFE},
		{"mad.lo.s64", 8, []string{"-3", "5", "7"}, math.MaxUint64 - 7},
		{"div.s64", 8, []string{"-7", "2"}, math.MaxUint64 - 2},
		{"rem.s64", 8, []string{"-7", "2"}, math.MaxUint64},
		{"div.u64", 8, []string{"-8", "2"}, math.MaxInt64 - 3},
		{"min.s32", 4, []string{"-1", "1"}, 0xFFFFFFFF},
		{"min.u32", 4, []string{"-1", "1"}, 1},
		{"max.s64", 8, []string{"-1", "1"}, 1},
		{"shl.b32", 4, []string{"1", "31"}, 1 << 31},
		{"shl.b32", 4, []string{"1", "32"}, 0},
		{"shr.s32", 4, []string{"-8", "99"}, 0xFFFFFFFF},
		{"shr.u64", 8, []string{"-1", "63"}, 1},
		{"clz.b32", 4, []string{"1"}, 31},
		{"popc.b64", 4, []string{"-1"}, 64},
		{"setp.lt.u64", 1, []string{"-1", "0"}, 0},
		{"setp.lt.s64", 1, []string{"-1", "0"}, 1},
		{"setp.lt.f32", 1, []string{f(nan), f(0)}, 0},
		{"setp.neu.f32", 1, []string{f(nan), f(nan)}, 1},
		{"selp.b32", 4, []string{"1", "2", "0"}, 2},
		{"max.NaN.f32", 4, []string{f(nan), f(1)}, uint64(math.Float32bits(nan))},
		{"max.NaN.f32", 4, []string{f(inf), f(nan)}, uint64(math.Float32bits(nan))},
		{"mul.hi.u64", 8, []string{"-1", "-2"}, math.MaxUint64 - 2},
		{"mul.hi.u32", 4, []string{"-1", "3"}, 2},
		{"setp.nan.f32", 1, []string{f(1), f(nan)}, 1},
		{"setp.nan.f32", 1, []string{f(1), f(inf)}, 0},
		{"setp.eq.b16", 1, []string{"65535", "-1"}, 1},
		{"max.f64", 8, []string{"0d7FF8000000000000", "0d3FF0000000000000"}, 0x3FF0000000000000},
		{"copysign.f32", 4, []string{f(-1), f(2)}, uint64(math.Float32bits(-2))},
		{"cvt.rni.f32.f32", 4, []string{f(2.5)}, uint64(math.Float32bits(2))},
		{"cvt.rzi.s32.f32", 4, []string{f(-inf)}, 1 << 31},
		{"cvt.rzi.u32.f32", 4, []string{f(-3)}, 0},
		{"cvt.rzi.s32.f32", 4, []string{f(nan)}, 0},
		{"cvt.rzi.s64.f32", 8, []string{f(nan)}, 1 << 63},
		{"cvt.s64.s32", 8, []string{"-1"}, math.MaxUint64},
		{"cvt.u64.u32", 8, []string{"-1"}, math.MaxUint32},
		{"cvt.s32.s8", 4, []string{"255"}, 0xFFFFFFFF},
		{"cvt.rn.bf16.f32", 2, []string{"0f3F808000"}, 0x3F80},
		{"cvt.rn.bf16.f32", 2, []string{"0f3F818000"}, 0x3F82},
		{"cvt.rn.bf16.f32", 2, []string{"0f7F7FFFFF"}, 0x7F80},
		{"cvt.rn.bf16x2.f32", 4, []string{f(1), f(-2)}, 0x3F80C000},
		{"cvt.rna.tf32.f32", 4, []string{"0f3F801000"}, 0x3F802000},
		{"cvt.rna.tf32.f32", 4, []string{"0fBF800FFF"}, 0xBF800000},
		{"cvt.rna.tf32.f32", 4, []string{f(inf)}, 0x7F800000},
		{"cvt.rn.f16.f32", 2, []string{f(65519)}, 0x7BFF},
		{"cvt.rn.f16.f32", 2, []string{f(65520)}, 0x7C00},
		{"cvt.rn.f16.f32", 2, []string{f(-0x1p-24)}, 0x8001},
		{"cvt.rn.f16.f32", 2, []string{f(0x1p-25)}, 0},
		{"cvt.f32.f16", 4, []string{"0x8001"}, uint64(math.Float32bits(-0x1p-24))},
		{"cvt.f32.f16", 4, []string{"0x3C00"}, uint64(math.Float32bits(1))},
	} {
		require.Equal(t, c.want, apply(t, c.opcode, c.size, c.operands...), "%s %v", c.opcode, c.operands)
	}
}

// fma.rn.f32 is rounded once, where f64 would be half way, too.
func TestFMA(t *testing.T) {
	got := apply(t, "fma.rn.f32", 4, f(1+0x1p-12), f(1+0x1p-12), f(0x1p-60))
	want := float32(1 + 0x1p-11)
	want = math.Nextafter32(want, 2) // 1 + 2^-11 + 2^-24 + 2^-60 is above the middle
	require.Equal(t, uint64(math.Float32bits(want)), got)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b, c := r.Float32(), r.Float32()-0.5, r.Float32()
		want := float32(math.FMA(float64(a), float64(b), float64(c))) // twice rounded, but rarely at the middle
		require.Equal(t, uint64(math.Float32bits(want)), apply(t, "fma.rn.f32", 4, f(a), f(b), f(c)))
	}
}
