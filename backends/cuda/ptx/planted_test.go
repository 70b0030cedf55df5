package ptx_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/test/ptxsim"
)

// Mistakes planted in the texts of kernels are found when the interpreter runs
// them: a barrier that is missing, wrong strides, memory outside.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		name, kernel string
		nth          int // which occurrence of old
		old, new     string
		want         string
	}{
		{"first barrier", "softmax", 0, "bar.sync 0;", "", "nobody has written"},
		{"second barrier", "softmax", 1, "bar.sync 0;", "", "nobody has written"},
		{"barrier of rows", "sum1", 1, "bar.sync 0;", "", "race"},
		{"barrier of tiles", "transpose", 1, "bar.sync 0;", "", "race"},
		{"barrier of strips", "", 1, "bar.sync 0;", "", "race"},
		{"stride of a row", "softmax", 0, "mul.lo.s64 %rd16, %rd15, 4;", "mul.lo.s64 %rd16, %rd15, 8;", "of allocation 0"},
		{"stride of the result", "softmax", 0, "mul.lo.s64 %rd38, %rd37, 4;", "mul.lo.s64 %rd38, %rd37, 16;", "of allocation 1"},
		{"half an element", "sum1", 0, ", 4;", ", 2;", "not aligned"},
		{"one more", "scale", 0, "setp.ge.s64", "setp.gt.s64", ""},
		{"an approximate instruction", "softmax", 0, "sub.rn.f32", "sub.approx.f32", "unknown opcode"},
		{"who leads a warp", "softmax", 0, "setp.eq.u32", "setp.ne.u32", "race"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := integers(t)
			if c.kernel != "" {
				k = kerneltest.Kernel(t, c.kernel)
			}
			module, s, err := text(k)
			require.NoError(t, err)
			at := 0
			for n := 0; n <= c.nth; n++ {
				i := strings.Index(module[at:], c.old)
				require.GreaterOrEqual(t, i, 0)
				at += i + 1
			}
			wrong := module[:at-1] + c.new + module[at-1+len(c.old):]
			sizes := []int64{70, 70, 70}[:k.Sizes]
			launch := func(n []int64) (ptx.Launch, error) { // of the first entry
				l, err := s.Launch(n)
				if s.Form == ptx.Rows {
					l.Block[0] = 96
				}
				return l, err
			}
			good, err := alone(k.Sizes, len(k.Params), k.StrideArgs(), sizes, module, launch)
			require.NoError(t, err)
			bad, err := alone(k.Sizes, len(k.Params), k.StrideArgs(), sizes, wrong, launch)
			if c.want == "" && err == nil { // then the numbers are wrong
				require.NotEqual(t, good, bad)
				return
			}
			require.Error(t, err)
			require.Contains(t, err.Error(), c.want)
		})
	}
}

// integers is a product of matrices of integers.
func integers(t *testing.T) *kernel.Kernel {
	k, err := kernel.Parse(`kernel k(x0: i32[n0, n2] strides [*, 1], x1: i32[n1, n2] strides [1, *], out y: i32[n0, n1] strides [*, 1]) {
  for i < n0
  for j < n1
  stage k < n2 {
    %0 = load x0[i, k]
    %1 = load x1[j, k]
    %2 = multiply %0, %1 : i32
    %3 = reduce add %2
  }
  stage {
    store y[i, j], %3
  }
}`)
	require.NoError(t, err)
	return k
}

// alone runs a module on dense operands of 70·70 elements of four bytes, whose
// allocations have not a byte more, with at most two blocks along each axis.
func alone(sizes, params, strides int, n []int64, module string, launch func([]int64) (ptx.Launch, error)) ([]byte, error) {
	m, err := ptxsim.Parse(module)
	if err != nil {
		return nil, err
	}
	e, err := m.Entry("k")
	if err != nil {
		return nil, err
	}
	var memory ptxsim.Memory
	var args []uint64
	var last []byte
	for p := range params {
		last = make([]byte, 70*70*4)
		for i := range 70 * 70 {
			binary.LittleEndian.PutUint32(last[4*i:], math.Float32bits(float32((i*7+p)%61)/16))
		}
		args = append(args, memory.Alloc(last))
	}
	for range sizes + strides {
		args = append(args, 70)
	}
	l, err := launch(n)
	if err != nil {
		return nil, err
	}
	for i := range l.Grid {
		l.Grid[i] = min(l.Grid[i], 2)
	}
	_, err = e.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: args, Steps: 1 << 28})
	return last, err
}
