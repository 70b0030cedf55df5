package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestGen(t *testing.T) {
	v := gen(1, 2, 2)
	require.Len(t, v, 4)
	// From the definition in another language's arithmetic.
	require.Equal(t, []float32{0.65835047, -0.10558157, -0.86951357, 0.36655438}, v)
	require.Equal(t, float32(0.19787624), gen(13, 3)[2])
}

// The losses of the first four steps, on which PyTorch, JAX, MLX, tinygrad,
// IREE and NumPy agree.
func TestTrainMLPLosses(t *testing.T) {
	r, err := trainMLP(&env{backend: "cpu", threads: 1, quick: true})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2.302726, 2.299401, 2.299050, 2.297281}, r.Losses, 1e-6)
}

func TestWorkloads(t *testing.T) {
	seen := map[string]bool{}
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			require.False(t, seen[w.name])
			seen[w.name] = true
			r, err := w.run(&env{backend: "cpu", threads: 1, quick: true})
			require.NoError(t, err)
			require.Positive(t, r.Min)
			require.GreaterOrEqual(t, r.Median, r.Min)
			require.Positive(t, r.Reps)
			require.Positive(t, r.Allocs)
			if strings.HasPrefix(w.name, "record_") {
				require.LessOrEqual(t, r.Allocs, 2.0, "heap objects for an op recorded, its line included")
			}
		})
	}
	_, err := step1Add(&env{backend: "abacus"})
	require.ErrorContains(t, err, "abacus")
}

func TestTime(t *testing.T) {
	calls := 0
	slow := func() error { calls++; time.Sleep(300 * time.Microsecond); return nil }
	m, err := (&env{}).time(rules{warm: 3, minReps: 7, maxReps: 2000}, slow)
	require.NoError(t, err)
	require.Equal(t, 7, m.reps)
	require.Equal(t, 3+1+7, calls, "warm-ups, one to size samples, samples of one call")
	require.GreaterOrEqual(t, m.min, 300e-6)

	// A busy machine may stretch the call that sizes samples; not each time.
	fast := func() error { calls++; return nil }
	for try := 0; try < 50; try++ {
		calls = 0
		m, err = (&env{}).time(rules{budget: time.Second, warm: 3, minReps: 1, maxReps: 4}, fast)
		require.NoError(t, err)
		require.Equal(t, 4, m.reps)
		if calls > 4*100 {
			break
		}
	}
	require.Greater(t, calls, 4*100, "a sample lasts about 200 µs")

	require.Equal(t, timing{median: 2.5, min: 1, reps: 4}, summary([]float64{4, 1, 3, 2}))
}

func TestRow(t *testing.T) {
	line, err := json.Marshal(result{W: "x", Median: 1.5e-3, Min: 2e-7, Reps: 7, Allocs: 2, GFlops: 3})
	require.NoError(t, err)
	var out bytes.Buffer
	printRow(&out, workload{name: "x", doc: "s per call"}, line)
	require.Regexp(t, regexp.MustCompile(`^x +1\.5 ms  min +200 ns +7 reps +2\.00 allocs  3\.0 GF/s   s per call\n$`), out.String())
	require.Equal(t, "2 s", seconds(2))
	require.Equal(t, "24.3 µs", seconds(24.31e-6))
	require.Equal(t, "99.7 ns", seconds(99.74e-9))
}

func TestMatching(t *testing.T) {
	require.Len(t, matching(""), len(workloads))
	require.Len(t, matching("^record_"), 2)
	require.Empty(t, matching("nothing"))
}
