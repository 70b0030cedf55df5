// Package border is how this module calls backends, which are plug-ins. A breach of the
// contract of package backends, such as a panic, becomes an error that names the backend,
// before any of its results is used. Its central type is [Executable].
//
// The package imports only ltc/backends, ltc/soa, ltc/ir/types, ltc/internal/spare and
// ltc/internal/diag.
package border

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// What errors of [Executable.Execute] wrap.
var (
	// ErrBroken: the results are refused. Donated arguments may have been written.
	ErrBroken = errors.New("the backend broke its contract")
	// ErrPanicked: it is taken at its word that a run which fails has written nothing.
	ErrPanicked = errors.New("the backend panicked")
)

const execute = "Execute"

// Backend is a backend whose panics are errors.
type Backend struct {
	plain backends.Backend
	name  string // as it was opened
	can   backends.Capabilities
}

// Of returns the border to b, which errors call name; by its own name if that is empty.
func Of(b backends.Backend, name string) *Backend {
	x := &Backend{plain: b, name: name}
	if x.can = x.capabilities(); x.can.Allocator == nil {
		x.can.Queue = nil // it is that of memory which there is not
	}
	if name == "" {
		x.name = x.Name()
	}
	return x
}

// caught makes a panic the error of a method; it is deferred.
func (b *Backend) caught(method string, err *error) {
	if r := recover(); r != nil {
		*err = broken(method, ErrPanicked, fmt.Errorf("backend %s panicked in %s: %v\n%s", b.name, method, r, debug.Stack()))
	}
}

func broken(method string, why, err error) error {
	if method != execute {
		return err
	}
	return fmt.Errorf("%w: %w", why, err)
}

// refuse is the error of what a method gave.
func (b *Backend) refuse(method, format string, args ...any) error {
	return broken(method, ErrBroken, fmt.Errorf("what %s of backend %s gave is refused: %s: package backends says what it must do, and backendtest tests it",
		method, b.name, fmt.Sprintf(format, args...)))
}

// Name returns the name that the backend gives itself; that of [Of] if asking
// panics.
func (b *Backend) Name() (name string) {
	err := error(nil)
	defer func() {
		if err != nil {
			name = b.name
		}
	}()
	defer b.caught("Name", &err)
	return b.plain.Name()
}

// capabilities asks the backend; none if asking panics.
func (b *Backend) capabilities() (c backends.Capabilities) {
	err := error(nil)
	defer b.caught("Capabilities", &err)
	return b.plain.Capabilities()
}

// Immediate reports whether runs cost less than waking a goroutine.
func (b *Backend) Immediate() bool { return b.can.Immediate }

// Devices lists what programs can run on.
func (b *Backend) Devices() (d []backends.Device, err error) {
	defer b.caught("Devices", &err)
	return b.plain.Devices(), nil
}

// Allocates reports whether the device has memory of its own, which Make gives.
func (b *Backend) Allocates() bool { return b.can.Allocator != nil }

// Queue is the one that copies of the device's memory are made in; nil if the device has no
// memory of its own, or runs end before they return.
func (b *Backend) Queue() backends.Queue { return b.can.Queue }

// Wait waits for what runs in Queue have queued.
func (b *Backend) Wait(ctx context.Context) (err error) {
	if b.can.Queue == nil {
		return nil
	}
	defer b.caught("Queue.Wait", &err)
	return b.can.Queue.Wait(ctx)
}

// Make returns memory of the device.
func (b *Backend) Make(t types.Type) (v soa.View, err error) {
	defer b.caught("Make", &err)
	if v, err = b.can.Allocator.Make(t); err != nil {
		return soa.View{}, err
	}
	if why := fitsDense(&v, t); why != nil {
		return soa.View{}, b.refuse("Make", "%v", why)
	}
	return v, nil
}

// Compile compiles a program whose signature the caller knows, or takes the backend's
// word for it if that is nil.
func (b *Backend) Compile(ctx context.Context, m backends.Module, o backends.Options, sig *backends.Signature) (x *Executable, err error) {
	defer b.caught("Compile", &err)
	e, err := b.plain.Compile(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, b.refuse("Compile", "it gave neither an executable nor an error")
	}
	if sig == nil {
		if sig, err = b.signature(e); err != nil {
			return nil, err
		}
	}
	return newExecutable(e, b, sig), nil
}

// private returns sig with shapes of its own, which no backend can write.
func private(sig *backends.Signature) *backends.Signature {
	own := &backends.Signature{Args: slices.Clone(sig.Args), Results: slices.Clone(sig.Results)}
	for i := range own.Args {
		own.Args[i].Type.Shape = slices.Clone(own.Args[i].Type.Shape)
	}
	for j := range own.Results {
		own.Results[j].Type.Shape = slices.Clone(own.Results[j].Type.Shape)
	}
	return own
}

// signature asks an executable what it takes and gives.
func (b *Backend) signature(e backends.Executable) (sig *backends.Signature, err error) {
	defer b.caught("Signature", &err)
	if sig = e.Signature(); sig == nil {
		return nil, b.refuse("Signature", "it gave none")
	}
	for i, a := range sig.Args {
		if a.Alias >= len(sig.Results) || a.Alias >= 0 && sig.Results[a.Alias].Alias != i {
			return nil, b.refuse("Signature", "argument %d is donated to result %d, which is not one of its", i, a.Alias)
		}
		if !a.Type.DType.Valid() {
			return nil, b.refuse("Signature", "argument %d is of %v", i, a.Type)
		}
	}
	for j, r := range sig.Results {
		if r.Alias >= len(sig.Args) || r.Alias >= 0 && sig.Args[r.Alias].Alias != j {
			return nil, b.refuse("Signature", "result %d takes over argument %d, which is not donated to it", j, r.Alias)
		}
		if !r.Type.DType.Valid() {
			return nil, b.refuse("Signature", "result %d is of %v", j, r.Type)
		}
	}
	return sig, nil
}
