package networks

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/soa"
)

// Events of all sizes run on one compiled model, from several goroutines at once.
func TestEvents(t *testing.T) {
	on := open(t, "cpu")
	in, out := soa.NewCollection(1), soa.NewCollection(1)
	require.NoError(t, in.Add("particles", particles(1).Col("Pt"), particles(1).Col("Eta"), particles(1).Col("Phi")))
	heads := soa.Of[Heads](1)
	require.NoError(t, out.Add("regression_head", heads.Col("Regression")))
	require.NoError(t, out.Add("classification_head", heads.Col("Classification")))
	m := on.build(t, NewMultiHeadNet(on.dev).Forward, in, out)

	sizes := []int{0, 1, 2, 10_000}
	for rng := rand.New(rand.NewPCG(1, 2)); len(sizes) < 60; {
		sizes = append(sizes, 1+rng.IntN(2000))
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := g; i < len(sizes); i += 4 {
				n := sizes[i]
				p, heads := particles(n), soa.Of[Heads](n)
				in, out := soa.NewCollection(n), soa.NewCollection(n)
				// Not all neighbours, and in another order: for a sum that is the same.
				err := in.Add("particles", p.Col("Pt"), p.Col("Phi"), p.Col("Eta"))
				if err == nil {
					err = out.Add("classification_head", heads.Col("Classification"))
				}
				if err == nil {
					err = out.Add("regression_head", heads.Col("Regression"))
				}
				if err == nil {
					err = m.Bind(in, out).Run(t.Context(), nil, 0)
				}
				if err != nil {
					t.Errorf("%d particles: %v", n, err)
					return
				}
				for k := range n {
					x, h := p.At(k).Load(), heads.At(k).Load()
					if want := regression(x); abs(want-h.Regression) > 1e-4 || abs(h.Classification[0]+h.Classification[1]+h.Classification[2]-1) > 1e-4 {
						t.Errorf("particle %d of %d: %+v, the regression is %v", k, n, h, want)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func abs(x float32) float32 { return max(x, -x) }
