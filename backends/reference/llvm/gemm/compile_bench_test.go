package gemm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
	"ltc/ir/types"
)

// What each unit costs to write and to compile.
func BenchmarkUnits(b *testing.B) {
	open(b)
	on := best()
	p := Dense(types.F32, types.F32, types.F32, types.F32, 1, 100, 100, 100)
	turned, row := p, p
	turned.StrideA, turned.StrideB, turned.StrideC = [3]int{10000, 1, 100}, [3]int{10000, 1, 100}, [3]int{10000, 50, 3}
	row.M, row.StrideB = 1, [3]int{10000, 1, 100}
	seen := map[string]bool{}
	for _, p := range []Problem{p, turned, row} {
		q, err := New(p, on)
		require.NoError(b, err)
		for _, u := range q.Units() {
			if seen[u.Name] {
				continue
			}
			seen[u.Name] = true
			b.Run("write/"+u.Name, func(b *testing.B) {
				for b.Loop() {
					u.Text()
				}
				b.ReportMetric(float64(len(u.Text())), "bytes")
			})
			text := u.Text()
			b.Run("compile/"+u.Name, func(b *testing.B) {
				for b.Loop() {
					_, err := hosts.library.Compile(context.Background(), text, libllvm.Options{})
					require.NoError(b, err)
				}
			})
		}
	}
}
