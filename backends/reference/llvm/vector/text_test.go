package vector_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Code for arm64 is verified and assembled, wherever the tests run, and calls
// nothing: neither does that for other levels.
func TestNEON(t *testing.T) {
	l := library(t)
	for _, d := range types.RealDTypes() {
		if !sampled(d) {
			continue
		}
		m := vector.NewModule(vector.Machine{Level: vector.NEON})
		for _, c := range trialsOf(d) {
			for _, lanes := range []int{1, 4} {
				kernelOf(m, fmt.Sprint(c.name, ".", lanes), lanes, c.operands, c.result, func(b *vector.Builder, v []vector.Value) vector.Value {
					r, err := c.body(b, v)
					require.NoError(t, err)
					return r
				})
			}
		}
		text := m.String()
		assembly, err := l.Compile(context.Background(), text, libllvm.Options{Triple: "aarch64-unknown-linux-gnu", Verify: true, Assembly: true})
		require.NoError(t, err, "%v", d)
		for _, line := range strings.Split(string(assembly), "\n") {
			if _, callee, ok := strings.Cut(line, "\tbl\t"); ok {
				require.True(t, strings.HasPrefix(strings.TrimPrefix(callee, "."), "Lltc."), "%v: calls %s", d, callee)
			}
		}
	}
}

// Text that is written function by function is that of the whole module.
func TestFlush(t *testing.T) {
	text := func(flush bool) string {
		m := vector.NewModule(vector.Machine{Level: vector.AVX512, Splats: true})
		for i, op := range []kernel.Op{kernel.Sine, kernel.Erf, kernel.Sine} { // with functions and constants of the module
			kernelOf(m, fmt.Sprint("k", i), 16, []types.DType{types.F32}, types.F32, func(b *vector.Builder, v []vector.Value) vector.Value {
				r, err := b.Unary(op, v[0])
				require.NoError(t, err)
				return r
			})
			if flush {
				m.Flush()
			}
		}
		return m.String()
	}
	require.Equal(t, text(false), text(true))
}

// The same calls give the same text.
func TestSameText(t *testing.T) {
	text := func() string {
		m := vector.NewModule(vector.Machine{Level: vector.AVX512, Splats: true})
		kernelOf(m, "k", 16, []types.DType{types.F32}, types.F32, func(b *vector.Builder, v []vector.Value) vector.Value {
			r, err := b.Unary(kernel.Erf, v[0])
			require.NoError(t, err)
			r, err = b.Unary(kernel.Sine, r)
			require.NoError(t, err)
			return r
		})
		return m.String()
	}
	require.Equal(t, text(), text())
}

// The text is that of package ir.
func TestString(t *testing.T) {
	for _, level := range []vector.Level{vector.SSE2, vector.AVX2, vector.AVX512BF16, vector.NEON} {
		m := vector.NewModule(vector.Machine{Level: level, Splats: level == vector.AVX2})
		require.Equal(t, m.IR.String(), m.String())
		for _, d := range types.RealDTypes() {
			if !sampled(d) {
				continue
			}
			for _, c := range trialsOf(d) {
				kernelOf(m, fmt.Sprint(c.name, ".", d), 4, c.operands, c.result, func(b *vector.Builder, v []vector.Value) vector.Value {
					r, err := c.body(b, v)
					require.NoError(t, err)
					return r
				})
			}
		}
		require.Equal(t, m.IR.String(), m.String())
	}
}
