package lazy

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"ltc/backends"
	"ltc/soa"
)

// Backends are plug-ins: what they do against their contract is an error that names
// them, before anything that they gave is used.

// compile has the backend compile a program.
func (d *Device) compile(ctx context.Context, text string, o backends.Options) (e backends.Executable, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, err = nil, fmt.Errorf("%w: %v (backend %s)\n%s", errCompilePanicked, r, d.name, debug.Stack())
		}
	}()
	return d.backend.Compile(ctx, backends.NewModule(text), o)
}

// panicked is the error of a method of the backend's that panicked with r.
func panicked(d *Device, method string, r any) error {
	return fmt.Errorf("backend %s panicked in %s: %v\n%s", d.name, method, r, debug.Stack())
}

// errRefused is what errors of results wrap that a backend gave against its contract.
var errRefused = errors.New("refused")

// accepts holds the results of a run to the contract, all before one is used.
func (f *flight) accepts() error {
	results := f.program.graph.Results
	if len(f.call.Results) != len(results) {
		return f.refuse("it gave %d results of %d", len(f.call.Results), len(results))
	}
	if len(f.call.Args) != len(f.args) {
		return f.refuse("it left %d arguments of %d", len(f.call.Args), len(f.args))
	}
	for i, r := range results {
		v := &f.call.Results[i]
		if !v.Type.Equal(r.Type) {
			return f.refuse("result %d is %v, it gave %v", i, r.Type, *v)
		}
		if err := v.Check(); err != nil {
			return f.refuse("result %d: %v", i, err)
		}
		if !v.IsDense() {
			return f.refuse("result %d is %v, and must be dense", i, *v)
		}
	}
	for i := range results {
		if err := f.owns(i); err != nil {
			return err
		}
	}
	return nil
}

// owns reports whether the memory of result i is what the run was given for it, that
// of the argument donated to it, or none that another argument or result has.
func (f *flight) owns(i int) error {
	v := f.call.Results[i]
	n := uintptr(v.Type.Bytes())
	if n == 0 {
		return nil
	}
	donated := f.program.graph.Alias[i]
	if donated >= 0 && f.call.Args[donated].Table == nil && v.Base() == f.call.Args[donated].Base() {
		return nil // which no other result may have, as each looks
	}
	if f.brought[i] != 0 {
		if uintptr(v.Base()) != f.brought[i] {
			return f.refuse("result %d is not in the memory that the call has for it", i)
		}
		return nil
	}
	if v.ReadOnly() {
		return f.refuse("result %d: %v", i, soa.ErrReadOnly)
	}
	for k, a := range f.call.Args {
		if meets(v, n, a) {
			return f.refuse("result %d is in the memory of argument %d, which is not donated to it", i, k)
		}
	}
	for k, r := range f.call.Results {
		if k != i && meets(v, n, r) {
			return f.refuse("results %d and %d are in one memory", min(i, k), max(i, k))
		}
	}
	return nil
}

// meets reports whether v, of n bytes from its address on, shares memory with w, if
// that is dense, too.
func meets(v soa.View, n uintptr, w soa.View) bool {
	m := uintptr(w.Type.Bytes())
	if m == 0 || w.Table != nil || v.Remote() != w.Remote() || !w.IsDense() {
		return false
	}
	a, b := uintptr(v.Base()), uintptr(w.Base())
	return a < b+m && b < a+n
}

func (f *flight) refuse(format string, args ...any) error {
	return fmt.Errorf("backend %s broke its contract, and its results are %w: %s: what its Execute must do says package backends, and backendtest tests it",
		f.program.dev.name, errRefused, fmt.Sprintf(format, args...))
}
