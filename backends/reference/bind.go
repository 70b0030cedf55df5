package reference

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"ltc/backends"
	"ltc/soa"
)

// Bind fixes arguments marked ltc.constant: every later run reads them in place.
func (e *executable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := bind(ctx, e.sig, e.bound, constants)
	if err != nil {
		return nil, err
	}
	n := *e
	n.copied, n.bound = new(atomic.Int64), bound
	return &n, nil
}

// bind returns, by argument, what is bound already, before, nil if nothing is, and
// further constants: the caller's memory where that is dense, else a copy.
func bind(ctx context.Context, sig *backends.Signature, before []soa.View, constants map[int]soa.View) ([]soa.View, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := backends.CheckBind(sig, constants); err != nil {
		return nil, err
	}
	all := make([]soa.View, len(sig.Args))
	copy(all, before)
	copies := 0 // bytes
	for i, v := range constants {
		v.Type.Shape = slices.Clone(v.Type.Shape) // the caller may change that
		v.Strides = slices.Clone(v.Strides)
		d, err := denseCopy(&copies, i, v)
		if err != nil {
			return nil, err
		}
		all[i] = d
	}
	return all, nil
}

// denseCopy returns argument i, or a dense copy of it where it is not dense in the
// host's memory, whose bytes it adds to those of others; see fitsCopy.
func denseCopy(all *int, i int, v soa.View) (soa.View, error) {
	inPlace := v.IsDense() && v.Remote() == nil
	if !inPlace {
		if err := fitsCopy(all, i, v); err != nil {
			return v, err
		}
	}
	soa.TouchRead(v)
	if inPlace {
		return v, nil
	}
	d := soa.Make(v.Type)
	if err := soa.Copy(d, v); err != nil {
		return d, fmt.Errorf("argument %d: %w", i, err)
	}
	return d, nil
}
