package metrics_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/lazy/internal/metrics"
)

// The rate of samples that come steadily is theirs before the ring is full, and close to it
// afterwards, when only some have the time at which they were taken.
func TestRatesOfSteadySamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s metrics.Set
		for i := range 3*metrics.Reservoir + 7 {
			if i > 0 {
				time.Sleep(time.Millisecond) // of the bubble's clock
			}
			s.Sample(metrics.GraphSize, 2)
			n := i + 1
			x := s.Snapshot(func(int) string { return "" }).Sampled[metrics.GraphSize]
			require.EqualValues(t, n, x.Total)
			if i == 0 {
				continue
			}
			value, number := x.Rates()
			kept, within := min(n, metrics.Reservoir), 1.
			if n > metrics.Reservoir {
				within = 1000. / 50
			}
			require.InDelta(t, 1000*float64(kept)/float64(kept-1), number, within, n)
			require.InDelta(t, 2*number, value, 1e-6)
		}
	})
}
