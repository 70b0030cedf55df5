package kit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/test/programs"
)

// layersOfAnySize returns a program of 100 kernels with one open size or two.
func layersOfAnySize(t testing.TB, symbols int) *plan.Member {
	m := backends.NewModule(programs.OpenLayers(50, symbols))
	f, err := kit.OpenFamily(t.Context(), eval.New(), m, backends.Options{}, 0, nil, func(p *backends.Program) (*plan.Program, error) {
		return kernelsOf(t.Context(), p)
	})
	require.NoError(t, err)
	member := f.Member()
	require.Len(t, member.Program.Steps, 100)
	return member
}

// Other sizes allocate nothing.
func TestResizeAllocatesNothing(t *testing.T) {
	m := layersOfAnySize(t, 2)
	n := int64(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n++
		require.NoError(t, m.Resize([]int64{n % 512, 3}))
	}))
}

// BenchmarkResize evaluates the sizes and guards of a program of 100 kernels, and its places in
// memory, for other sizes than before.
func BenchmarkResize(b *testing.B) {
	for symbols := 1; symbols <= 2; symbols++ {
		b.Run(fmt.Sprint(symbols, " symbols"), func(b *testing.B) {
			m := layersOfAnySize(b, symbols)
			sizes := make([]int64, symbols)
			b.ReportAllocs()
			for n := int64(0); b.Loop(); n++ {
				for i := range sizes {
					sizes[i] = 1 + (n+int64(i))%512
				}
				if err := m.Resize(sizes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
