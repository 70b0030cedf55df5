// Package dense hands arguments to programs that read dense memory of the host: the
// caller's where that is dense, else a copy. Its central function is [Bind].
//
// The package imports only ltc/backends, ltc/backends/reference/internal/loops,
// ltc/internal/sharing and ltc/soa.
package dense

import (
	"context"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/sharing"
	"ltc/soa"
)

// Bind returns, by argument, what is bound already, before, nil if nothing is, and
// further constants: the caller's memory where that is dense, else a copy.
func Bind(ctx context.Context, sig *backends.Signature, before []soa.View, constants map[int]soa.View) ([]soa.View, error) {
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
		d, err := Copy(&copies, i, v)
		if err != nil {
			return nil, err
		}
		all[i] = d
	}
	return all, nil
}

// Copy returns argument i, or a dense copy of it where it is not dense in the
// host's memory, whose bytes it adds to those of others; see Fits.
func Copy(all *int, i int, v soa.View) (soa.View, error) {
	inPlace := v.IsDense() && v.Remote() == nil
	if !inPlace {
		if err := Fits(all, i, v); err != nil {
			return v, err
		}
	}
	sharing.Read(v)
	if inPlace {
		return v, nil
	}
	d := soa.Make(v.Type)
	if err := soa.Copy(d, v); err != nil {
		return d, fmt.Errorf("argument %d: %w", i, err)
	}
	return d, nil
}

// Fits adds the bytes of a dense copy of argument i to the bytes of other copies. It
// returns an error if there is no memory for all of them: a view may show the same few
// elements again and again, so its copy can be larger than its memory.
func Fits(all *int, i int, v soa.View) error {
	*all = loops.Added(*all, v.Type.Bytes())
	if err := soa.Fits(*all); err != nil {
		return fmt.Errorf("argument %d: a copy of %v: %w", i, v, err)
	}
	return nil
}
