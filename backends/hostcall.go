package backends

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"ltc/mlir"
	"ltc/soa"
)

// HostCall is one run of a stablehlo.custom_call on the host.
type HostCall struct {
	Target string // call_target_name: the name of the function
	Config string // backend_config, if it is a string
	// Threads is the most threads that the run may use, as Options.Threads says; 0 if that
	// is for the function to say.
	Threads int
	// Attrs are the entries of backend_config, if that is a dictionary, or of the
	// mhlo.backend_config that JAX writes: mlir.Int(c.Attrs.Get("uplo")).
	Attrs mlir.Dict
	// Args and Results are dense, and valid until the function returns. Operands that are
	// shapes of results (indices_of_shape_operands) are not among Args. The function must not
	// write to Args. Results have undefined contents until the function writes them.
	Args, Results []soa.View
}

// HostFunc runs a custom_call. If the function returns an error or panics, the run of the
// program fails with a [RunError].
type HostFunc func(ctx context.Context, c *HostCall) error

var hostFuncs struct {
	sync.RWMutex
	byName map[string]hostFunc
}

type hostFunc struct {
	run    HostFunc
	caller string
}

// RegisterHost registers the function that a custom_call of the given name runs, on every
// backend that can call the host. A nil function, or a name that is registered already, is an
// error. Programs that were compiled before the call of RegisterHost do not see the function.
func RegisterHost(name string, f HostFunc) error {
	caller := "unknown"
	if _, file, line, ok := runtime.Caller(1); ok {
		caller = fmt.Sprintf("%s:%d", file, line)
	}
	if f == nil {
		return fmt.Errorf("host function %q is nil", name)
	}
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	if old, ok := hostFuncs.byName[name]; ok {
		return fmt.Errorf("host function %q is registered twice: at %s and at %s", name, old.caller, caller)
	}
	if hostFuncs.byName == nil {
		hostFuncs.byName = map[string]hostFunc{}
	}
	hostFuncs.byName[name] = hostFunc{f.guarded(caller), caller}
	return nil
}

// guarded returns f with panics turned into errors, since backends call it on goroutines of
// their own.
func (f HostFunc) guarded(caller string) HostFunc {
	return func(ctx context.Context, c *HostCall) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the function registered at %s panicked: %v\n%s", caller, p, debug.Stack())
			}
		}()
		return f(ctx, c)
	}
}

// Host returns the host function that is registered under name; nil if no function has the name.
func Host(name string) HostFunc {
	hostFuncs.RLock()
	defer hostFuncs.RUnlock()
	return hostFuncs.byName[name].run
}
