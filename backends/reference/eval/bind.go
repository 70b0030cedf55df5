package eval

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/backends/reference/internal/dense"
	"ltc/soa"
)

// Bind fixes arguments marked ltc.constant: every later run reads them in place.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := dense.Bind(ctx, e.sig, e.bound, constants)
	if err != nil {
		return nil, err
	}
	n := *e
	n.copied, n.bound = new(atomic.Int64), bound
	return &n, nil
}
