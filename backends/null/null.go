// Package null is a backend that runs nothing: it parses and verifies modules,
// and its results are zeros. It measures what everything around a backend
// costs. Its central type is [Backend]; it is registered as null.
//
// The package imports only ltc/backends and ltc/soa.
package null

import (
	"context"
	"errors"
	"fmt"

	"ltc/backends"
	"ltc/soa"
)

func init() {
	backends.Register("null", func(string) (backends.Backend, error) { return &Backend{}, nil })
}

// Backend accepts every module with static shapes.
type Backend struct{ backends.NotImplemented }

// Name returns null.
func (*Backend) Name() string { return "null" }

// Devices returns one device without properties.
func (*Backend) Devices() []backends.Device { return []backends.Device{{Name: "null"}} }

// Capabilities says that programs need no goroutine: there is nothing to run.
func (*Backend) Capabilities() backends.Capabilities { return backends.Capabilities{Immediate: true} }

// Compile parses and verifies the module and reads its signature: see
// [backends.Load].
func (*Backend) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.Load(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if err := backends.Unsupported("null", p.File, p.Lacking); err != nil {
		return nil, err
	}
	return &executable{sig: p.Signature}, nil
}

type executable struct {
	sig   *backends.Signature
	bound []soa.View // by argument
}

func (e *executable) Signature() *backends.Signature { return e.sig }

// Bind notes which arguments are bound: there is nothing to fold.
func (e *executable) Bind(_ context.Context, constants map[int]soa.View) (backends.Executable, error) {
	if err := backends.CheckBind(e.sig, constants); err != nil {
		return nil, err
	}
	bound := make([]soa.View, len(e.sig.Args))
	copy(bound, e.bound)
	for i, v := range constants {
		bound[i] = v
	}
	return &executable{e.sig, bound}, nil
}

// Execute gives every result that has no memory yet a zeroed buffer, or its
// argument's. Memory of the caller is not touched.
func (e *executable) Execute(ctx context.Context, c *backends.Call) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := backends.CheckCall(e.sig, c, e.bound); err != nil {
		return err
	}
	need := 0
	for j, r := range e.sig.Results {
		if c.Results[j].IsZero() && r.Alias < 0 && need >= 0 {
			need += r.Type.Bytes() // negative when an int cannot count them
		}
	}
	if err := soa.Fits(need); err != nil {
		return fmt.Errorf("execute: results: %w", err)
	}
	for j, r := range e.sig.Results {
		switch {
		case !c.Results[j].IsZero():
		case r.Alias >= 0:
			c.Results[j] = c.Args[r.Alias]
		default:
			c.Results[j] = c.Make(r.Type)
			soa.Zero(c.Results[j])
		}
	}
	return nil
}

// Artifact returns an error: there is nothing to keep.
func (*executable) Artifact() ([]byte, error) {
	return nil, fmt.Errorf("artifact: %w", errors.ErrUnsupported)
}
