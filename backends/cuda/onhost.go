package cuda

import (
	"context"

	"ltc/backends"
	"ltc/backends/kit/exec"
	"ltc/soa"
)

// hosted has the evaluator run a module as a whole.
func (d *Device) hosted(ctx context.Context, m backends.Module, o backends.Options) (*exec.Hosted, error) {
	return exec.CompileHosted(ctx, "cuda", d.machine(), m, o, nil, d.reserveFor)
}

// reserveFor has the host's memory in which results are copied to the device.
func (d *Device) reserveFor(results []soa.View) error {
	n, q := 0, d.home
	for _, to := range results {
		if to.IsDense() {
			n = max(n, to.Type.Bytes())
		} else {
			n = q.staged // what lies between its elements is copied, too
		}
	}
	if n == 0 {
		return nil
	}
	return q.do(func() error { return q.reserve(n) })
}
