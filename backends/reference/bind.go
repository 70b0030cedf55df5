package reference

import (
	"context"
	"sync/atomic"

	"ltc/backends"
	"ltc/soa"
)

// Bind fixes arguments marked ltc.constant. Views with strides or tables are
// copied; dense ones are kept and read in place by every later run.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if err := backends.CheckBind(e.sig, constants); err != nil {
		return nil, err
	}
	n := *e
	n.copied = new(atomic.Int64)
	n.bound = make([]soa.View, len(e.sig.Args))
	copy(n.bound, e.bound)
	copies := 0 // bytes
	for i, v := range constants {
		d, err := denseCopy(&copies, i, v)
		if err != nil {
			return nil, err
		}
		n.bound[i] = d
	}
	return &n, nil
}
