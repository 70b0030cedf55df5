package viewtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/internal/trials"
	"ltc/soa"
)

// open is a layer whose number of rows is left open, with columns of its own for
// each of its sums.
const open = `
module attributes {ltc.dims = {n = [0, 100000]}} {
  func.func public @main(%x: tensor<?x6xf32> {ltc.dim = ["n", ""]}, %w: tensor<6x5xf32> {ltc.constant}, %e: tensor<?x1xf32> {ltc.dim = ["n", ""]}) -> (tensor<?x5xf32>, tensor<?x6xf32>, tensor<?x1xf32>) {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %c6 = stablehlo.constant dense<6> : tensor<1xi32>
    %s6 = stablehlo.concatenate %n1, %c6, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x6xf32>, tensor<6x5xf32>) -> tensor<?x5xf32>
    %1 = stablehlo.tanh %0 : tensor<?x5xf32>
    %2 = stablehlo.dynamic_broadcast_in_dim %e, %s6, dims = [0, 1] : (tensor<?x1xf32>, tensor<2xi32>) -> tensor<?x6xf32>
    %3 = stablehlo.multiply %x, %2 : tensor<?x6xf32>
    %4 = stablehlo.negate %e : tensor<?x1xf32>
    return %1, %3, %4 : tensor<?x5xf32>, tensor<?x6xf32>, tensor<?x1xf32>
  }
}`

// RunSized runs one program on columns of many sizes and requires the results of
// dense ones, no byte copied, and no allocation where the size is that of the run
// before.
func RunSized(t *testing.T, b backends.Backend) {
	e, err := b.Compile(t.Context(), backends.NewModule(open), backends.Options{Threads: 1})
	require.NoError(t, err)
	d := on(b)
	w := lie{shape: []int{6, 5}, strides: []int{5, 1}}.make(t, nil, false)
	e, err = e.Bind(t.Context(), map[int]soa.View{1: w.View})
	require.NoError(t, err)
	sizes := []int{7, 1, 300, 33, 64, 5000}
	if d != nil { // which may be interpreted
		sizes = []int{7, 1, 300, 33}
	}
	scalar := func(n int) lie { return lie{shape: []int{n, 1}, strides: []int{0, 0}} }
	for _, of := range []struct {
		name    string
		x, e    func(n int) lie
		results func(n int) []lie
	}{
		{"adjacent columns", func(n int) lie { return columns(n, 6) }, scalar,
			func(n int) []lie { return []lie{columns(n, 5), columns(n, 6), columns(n, 1)} }},
		{"gathered columns", func(n int) lie { return gathered(n, 6) }, func(n int) lie { return gathered(n, 1) },
			func(n int) []lie { return []lie{gathered(n, 5), gathered(n, 6), gathered(n, 1)} }},
		{"records", func(n int) lie { return records(n, 6, 7) }, func(n int) lie { return records(n, 1, 2) },
			func(n int) []lie { return []lie{records(n, 5, 8), records(n, 6, 9), records(n, 1, 3)} }},
		{"to rows", func(n int) lie { return gathered(n, 6) }, scalar,
			func(n int) []lie { return []lie{rowsOf(n, 5), columns(n, 6), rowsOf(n, 1)} }},
	} {
		t.Run(of.name, func(t *testing.T) {
			ctx := t.Context()
			for _, n := range sizes {
				args := []made{of.x(n).make(t, d, false), {}, of.e(n).make(t, d, false)}
				c, plain := &backends.Call{}, &backends.Call{Resident: d != nil}
				for _, m := range args {
					v := soa.View{}
					if !m.IsZero() {
						v = dense(t, d, m.View)
					}
					c.Args, plain.Args = append(c.Args, m.View), append(plain.Args, v)
				}
				var results []made
				for _, l := range of.results(n) {
					results = append(results, l.make(t, d, true))
					c.Results = append(c.Results, results[len(results)-1].View)
				}
				require.NoError(t, e.Execute(ctx, plain))
				require.NoError(t, e.Execute(ctx, c))
				for j, m := range results {
					require.InDeltaSlice(t, Floats(plain.Results[j]), Floats(m.View), 1e-4, "%s: result %d", diag.Count(n, "element"), j)
					require.Equal(t, len(m.mem)-m.Type.Elements(), m.gaps(t), "%s: result %d: what is not its own", diag.Count(n, "element"), j)
				}
				if d != nil {
					continue
				}
				require.Zero(t, trials.Allocs(5, func() {
					if err := e.Execute(ctx, c); err != nil {
						panic(err)
					}
				}), "allocations for %s", diag.Count(n, "element"))
			}
			require.Zero(t, e.(backends.Copying).CopiedBytes(), "bytes copied")
		})
	}
}
