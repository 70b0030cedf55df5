package llvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// Columns are summed in wide strips, in calls that take no longer for it than a
// collector can wait, and in parts that are no narrower than it needs.
func TestColumnsTogether(t *testing.T) {
	code := compile(t, compilers(t)[0], workload(t, "sum0"))[0].(*code)
	code.schedule.Lanes = 8 // costs are those of this machine with AVX2
	for _, c := range []struct {
		rows, columns  int64
		perCall        int64 // items of 64 columns in a call
		long           bool
		one, two, many int // parts for so many threads, 16 of these
	}{
		{64, 1024, 16, false, 1, 1, 1},             // too little to be cut
		{256, 4096, 64, false, 1, 32, 59},          // what the caches hold
		{4096, 4096, 64, false, 1, 4, 16},          // a whole strip
		{4096, 4001, 63, false, 1, 4, 16},          // the last item is not whole
		{1024, 65536, 64, false, 1, 32, 64},        // some strips
		{65536, 4096, 4, false, 1, 32, 64},         // as much as a call may take
		{1 << 20, 4096, 1, true, 1, 32, 64},        // one takes longer than that
		{1 << 20, 100, 1, true, 1, 1, 1},           // too few parts
		{1 << 20, 8, 1, false, 1, 1, 1},            // one strip is one part
		{4096, 1 << 20, 64, false, 1, 32, 16 * 16}, // as many as threads need
	} {
		sizes := []int64{c.rows, c.columns}
		perCall, long := code.itemsPerCall(sizes, code.schedule.Items(code.kernel, sizes))
		require.Equal(t, c.perCall, perCall, sizes)
		require.Equal(t, c.long, long, sizes)
		for threads, want := range map[int]int{1: c.one, 2: c.two, 16: c.many} {
			require.Equal(t, want, code.Parts(sizes, threads), "%d threads, %d", threads, sizes)
		}
	}
}

// Sums of columns have the bits of rows added one by one, in however many calls and
// parts they are formed. Without libLLVM tiles add in another order, the same for any number of
// threads.
func TestSumsOfColumns(t *testing.T) {
	trials.Sequential(t)
	for _, c := range []struct{ rows, columns int }{
		{4099, 1025}, {517, 8200}, {20_003, 67}, {70_001, 9}, {3, 70_000}, {1, 5}, {0, 7},
	} {
		sumsOfColumns(t, types.F32, c.rows, c.columns, func(r *rand.Rand) float32 { return r.Float32() - 0.5 })
		sumsOfColumns(t, types.F64, c.rows, c.columns, func(r *rand.Rand) float64 { return r.Float64() - 0.5 })
		sumsOfColumns(t, types.I32, c.rows, c.columns, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
	}
}

func sumsOfColumns[T float32 | float64 | int32](t *testing.T, d types.DType, rows, columns int, draw func(*rand.Rand) T) {
	t.Helper()
	const text = `func.func @main(%%x: tensor<%[1]dx%[2]dx%[3]s>) -> tensor<%[2]dx%[3]s> {
  %%z = stablehlo.constant dense<0> : tensor<%[3]s>
  %%0 = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [0] : (tensor<%[1]dx%[2]dx%[3]s>, tensor<%[3]s>) -> tensor<%[2]dx%[3]s>
  return %%0 : tensor<%[2]dx%[3]s>
}`
	b, err := backends.Open("cpu")
	require.NoError(t, err)
	// Every other row of a wider matrix: rows lie apart.
	whole := soa.Make(types.Of(d, 2*rows, columns+3))
	all, rng := soa.Slice[T](whole), rand.New(rand.NewPCG(3, uint64(rows)))
	for i := range all {
		all[i] = draw(rng)
	}
	odd, err := whole.Slice(0, 0, 2*rows, 2)
	require.NoError(t, err)
	x, err := odd.Slice(1, 2, columns+2, 1)
	require.NoError(t, err)
	want := make([]T, columns)
	for i := range rows {
		for j := range columns {
			want[j] += all[2*i*(columns+3)+2+j]
		}
	}
	for _, threads := range []int{1, 2, 7} {
		e, err := b.Compile(t.Context(), backends.NewModule(fmt.Sprintf(text, rows, columns, d)), backends.Options{Threads: threads})
		require.NoError(t, err)
		call := &backends.Call{Args: []soa.View{x}}
		require.NoError(t, e.Execute(t.Context(), call))
		got := soa.Slice[T](call.Results[0])
		if _, err := libllvm.Open(); err != nil && threads == 1 {
			require.InDeltaSlice(t, want, got, 0.01, "%v, %d by %d", d, rows, columns)
			want = got
		}
		require.Equal(t, want, got, "%v, %d by %d, %d threads", d, rows, columns, threads)
	}
}
