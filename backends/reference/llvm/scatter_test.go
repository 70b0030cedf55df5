package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// scattering adds rows of x to those rows of table that numbers name. Numbers outside of
// the table are left out.
const scattering = `kernel scatter(out y: T[n1, n0] strides [*, 1], rows: i32[n2] strides [1], x: T[n2, n0] strides [*, 1], out table: T[n1, n0] strides [*, 1]) {
  for j < n0
  stage i < n2 {
    %r = load rows[i]
    %n = convert %r : i64
    %x = load x[i, j]
    store add table[%n, j] inside, %x
  }
  stage k < n1 {
    %t = load table[k, j]
    store y[k, j], %t
  }
}
`

// Rows of every width have the values that the evaluator gives them, and nothing beside
// them is touched: widths up to some vectors have code of their own.
func TestScatteredRowsOfEveryWidth(t *testing.T) {
	trials.Sequential(t)
	for _, c := range compilers(t) {
		for _, d := range []types.DType{types.F32, types.F64, types.I32, types.I8, types.BF16} {
			t.Run(fmt.Sprint(c.machine.Level, "/", d), func(t *testing.T) {
				kernels, err := kernel.ParseAll(strings.ReplaceAll(scattering, "T[", d.String()+"["))
				require.NoError(t, err)
				require.NoError(t, kernel.Verify(kernels[0]))
				code := compile(t, c, kernels[0])[0]
				widths := []int64{0, 79, 80, 81, 127, 128, 129, 300}
				for n := range int64(70) {
					widths = append(widths, n)
				}
				for _, n := range widths {
					for _, updates := range []int64{0, 1, 40} {
						scatteredRows(t, kernels[0], code, []int64{n, 5, updates})
					}
				}
			})
		}
	}
}

func scatteredRows(t *testing.T, k *kernel.Kernel, c kernel.Code, sizes []int64) {
	rng := rand.New(rand.NewPCG(uint64(sizes[0]), uint64(sizes[2])))
	before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
	before.Fill(rng)
	rows := make([]uint64, sizes[2])
	for i := range rows {
		rows[i] = uint64(uint32(rng.IntN(8) - 1)) // also -1, 5 and 6, which the table has not
	}
	before.Set(1, rows)
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
		for parts := 1; parts <= 2; parts++ {
			got, err := before.Like(layout, 0xFF).Run(in(c, parts))
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%d rows of %d%s", sizes[2], sizes[0], schedule(c))
		}
	}
}
