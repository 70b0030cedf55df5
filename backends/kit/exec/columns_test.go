package exec_test

import (
	"context"
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/soa"
)

// linear is x·W without a bias, for x of n rows. W is what the ancestor's test
// of converted columns has: from its inputs and results by elimination.
const linear = `module {
  func.func @main(%%x: tensor<%[1]dx3xf32>) -> tensor<%[1]dx2xf32> {
    %%w = stablehlo.constant dense<[[-0.1, 0.1], [0.2, -2.3], [2.0, 4.0]]> : tensor<3x2xf32>
    %%y = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (tensor<%[1]dx3xf32>, tensor<3x2xf32>) -> tensor<%[1]dx2xf32>
    return %%y : tensor<%[1]dx2xf32>
  }
}
`

type features struct{ X, Unused, Y, Z float32 }

type scores struct{ A, Unused, B float32 }

// memory returns the bytes of columns.
func memory(c *soa.Columns) []byte { return unsafe.Slice((*byte)(c.Base()), c.Bytes()) }

// The ancestor's test of a network on columns, with its numbers: results go
// straight to columns, whole and in batches, of neighbours or not, and inputs
// are read only.
func TestRunOnColumns(t *testing.T) {
	inputs := [][3]float32{{1, 2, 1}, {2, 4, 3}, {3, 4, 1}, {2, 3, 2}}
	want := [][2]float32{{2.3, -0.5}, {6.6, 3.0}, {2.5, -4.9}, {4.4, 1.3}}
	for _, name := range []string{"eval", "cpu"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		for _, size := range []int{4, 3, 1} {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				in, out := soa.Of[features](4), soa.Of[scores](4)
				for i, x := range inputs {
					in.At(i).Store(features{X: x[0], Unused: -1, Y: x[1], Z: x[2]})
					out.At(i).Store(scores{Unused: -2})
				}
				before := append([]byte(nil), memory(in.Columns)...)
				args, results := soa.NewCollection(4), soa.NewCollection(4)
				c := in.Const()
				require.NoError(t, args.AddBatched("x", size, c.Col("X"), c.Col("Y"), c.Col("Z")))
				require.NoError(t, results.AddBatched("y", size, out.Col("A"), out.Col("B")))
				require.NoError(t, results.Writable(args))
				require.NotNil(t, args.Tensor(0).Table)
				require.Nil(t, results.Tensor(0).Table)
				var x, y soa.Collection
				for i := range args.Batches() {
					require.NoError(t, args.Batch(i, &x))
					require.NoError(t, results.Batch(i, &y))
					exe, err := b.Compile(context.Background(), backends.NewModule(fmt.Sprintf(linear, x.Elements())), backends.Options{Threads: 1})
					require.NoError(t, err)
					require.NoError(t, x.Acquire())
					require.NoError(t, exe.Execute(context.Background(), &backends.Call{Args: x.Views(nil), Results: y.Views(nil)}))
					x.Done()
				}
				for i, w := range want {
					got := out.At(i).Load()
					require.InDelta(t, w[0], got.A, 1e-5)
					require.InDelta(t, w[1], got.B, 1e-5)
					require.Equal(t, float32(-2), got.Unused)
				}
				require.Equal(t, before, memory(in.Columns))
				require.Zero(t, args.Copied()+results.Copied())
			})
		}
	}
}
