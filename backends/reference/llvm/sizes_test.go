package llvm

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// sizedCalls returns a run of a program of 100 kernels, with one open size or two, for calls whose
// sizes have a number.
func sizedCalls(t testing.TB, symbols int) func(number int) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(programs.OpenLayers(50, symbols)), backends.Options{Threads: 1, Compiled: true})
	require.NoError(t, err)
	kernels, _ := e.(interface{ Compiled() (int, int) }).Compiled()
	require.Equal(t, 100, kernels)
	w := soa.Make(types.Of(types.F32, 8, 8))
	e, err = e.Bind(t.Context(), map[int]soa.View{1: w}) // it keeps its memory
	require.NoError(t, err)
	var calls []*backends.Call
	for n := range 16 {
		shape := []int{3 + n%4, 1 + n/4, 8}
		if symbols == 1 {
			shape = []int{3 + n, 8}
		}
		x, y := soa.Make(types.Of(types.F32, shape...)), soa.Make(types.Of(types.F32, shape...))
		calls = append(calls, &backends.Call{Args: []soa.View{x, w}, Results: []soa.View{y}})
	}
	ctx := t.Context()
	return func(number int) {
		if err := e.Execute(ctx, calls[number%len(calls)]); err != nil {
			t.Fatal(err)
		}
	}
}

// Calls of a size that was run before allocate nothing, and so do calls of others.
func TestSizesByTurnsAllocateNothing(t *testing.T) {
	for symbols := 1; symbols <= 2; symbols++ {
		run := sizedCalls(t, symbols)
		for _, sizes := range []int{2, 4, 16} {
			next := 0
			turn := func() { run(next % sizes); next++ }
			for range 2 * sizes {
				turn()
			}
			require.Zero(t, trials.LeastAllocs(100, turn), "%d sizes of %d symbols", sizes, symbols)
		}
	}
}

// BenchmarkSizes reports what a call of a program of 100 kernels takes more if its sizes are not
// those of the call before: those of one of the last calls (recent), or others (other). Times are
// the least of many.
func BenchmarkSizes(b *testing.B) {
	const each = 32 // calls, about 0.5 ms
	for symbols := 1; symbols <= 2; symbols++ {
		b.Run(fmt.Sprint(symbols, " symbols"), func(b *testing.B) {
			run := sizedCalls(b, symbols)
			time := func(calls func(i int) int) float64 {
				start := time.Now()
				for i := range each {
					run(calls(i))
				}
				return float64(time.Since(start)) / each
			}
			least := map[string]float64{}
			note := func(what string, t float64) {
				if l, ok := least[what]; !ok || t < l {
					least[what] = t
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				for of, sizes := range map[string]int{"recent": 2, "other": 8} {
					note(of, time(func(i int) int { return i % sizes }))
					for n := range sizes {
						run(n)
						note(fmt.Sprint(of, n), time(func(int) int { return n }))
					}
				}
			}
			mean := func(of string, sizes int) (sum float64) {
				for n := range sizes {
					sum += least[fmt.Sprint(of, n)]
				}
				return sum / float64(sizes)
			}
			b.ReportMetric(mean("recent", 2), "ns/unchanged")
			b.ReportMetric(least["recent"]-mean("recent", 2), "ns/recent")
			b.ReportMetric(least["other"]-mean("other", 8), "ns/other")
		})
	}
}
