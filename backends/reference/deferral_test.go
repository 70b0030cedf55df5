package reference

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

// Work that is put off begins when the first run has ended or takes long, when somebody waits for
// it, or when there is no run for long. What is put off later begins at once.
func TestDeferredWork(t *testing.T) {
	for name, begins := range map[string]func(d *deferral, begin func()){
		"run":  func(d *deferral, _ func()) { d.ended() },
		"wait": func(_ *deferral, begin func()) { begin() },
		"long run": func(d *deferral, _ func()) {
			d.running()
			time.Sleep(longRun)
		},
		"no run": func(*deferral, func()) { time.Sleep(longIdle) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := deferralOf(withDeferral(t.Context(), new(deferral)))
				var done atomic.Int64
				begin := d.later(func() { done.Add(1) })
				d.later(func() { done.Add(1) })
				time.Sleep(longIdle / 2)
				synctest.Wait()
				require.Zero(t, done.Load())
				begins(d, begin)
				synctest.Wait()
				require.EqualValues(t, 2, done.Load())
				d.later(func() { done.Add(1) })
				synctest.Wait()
				require.EqualValues(t, 3, done.Load())
				d.ended()
				begin()
				synctest.Wait()
				require.EqualValues(t, 3, done.Load())
				time.Sleep(2 * longIdle)
			})
		})
	}
	require.Nil(t, deferralOf(t.Context()))
	require.Nil(t, deferralOf(kernel.WithTiers(withDeferral(t.Context(), new(deferral)), nil)))
	(*deferral)(nil).running()
	(*deferral)(nil).ended()
}
