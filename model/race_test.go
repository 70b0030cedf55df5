package model_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// While many goroutines run a bound model, the collections that it was bound to are
// changed, which it does not see, and its memory is released. A run then ends with right
// results, or is an error and has written nothing.
func TestChangesDuringRunsAreNotSeen(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := network(t, dev)
	const goroutines, size = 64, 8
	for _, backend := range []string{"cpu", "eval"} {
		m := newModel(t, f, backend)
		hits, in, out := columns(t, goroutines*size, size)
		require.NoError(t, runBatches(t, m.Bind(in, out), in.Batches()))
		want := append([]float32(nil), soa.Slice[float32](view(t, hits.Col("Score")))...)
		clear(soa.Slice[float32](view(t, hits.Col("Score"))))

		memory, err := soa.OffHeap(1 << 16)
		require.NoError(t, err)
		away := soa.Of[hit](hits.Len(), soa.In(memory, 0))
		require.NoError(t, away.Err())
		for _, name := range []string{"X", "Y", "Z"} {
			require.NoError(t, soa.Copy(view(t, away.Col(name)), view(t, hits.Col(name))))
		}
		in = soa.NewCollection(hits.Len())
		require.NoError(t, in.AddBatched("x", size, away.Col("X"), away.Col("Z"), away.Col("Y")))
		b := m.Bind(in, out)

		var wg, ran sync.WaitGroup
		ran.Add(goroutines)
		for g := range goroutines {
			wg.Go(func() {
				for first := true; ; first = false {
					err := b.Run(t.Context(), nil, g)
					if first {
						ran.Done()
					}
					if err != nil {
						if first || !errors.Is(err, soa.ErrReleased) {
							t.Error(err)
						}
						return
					}
					runtime.Gosched()
				}
			})
		}
		for i := range 50 { // of the goroutine that they belong to
			require.NoError(t, in.AddBatched(string(rune('A'+i)), size, hits.Col("X"), hits.Col("Y")))
			require.NoError(t, out.ChangeOrder([][]string{{"score", "class"}, {"class", "score"}}[i%2]...))
			runtime.Gosched()
		}
		ran.Wait()
		memory.Release()
		wg.Wait()
		require.Equal(t, want, soa.Slice[float32](view(t, hits.Col("Score"))), backend)
	}
}

// runBatches runs all batches once.
func runBatches(t *testing.T, b *model.Bound, n int) error {
	for i := range n {
		if err := b.Run(t.Context(), nil, i); err != nil {
			return err
		}
	}
	return nil
}
