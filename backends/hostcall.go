package backends

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"ltc/soa"
)

// HostCall is one run of a stablehlo.custom_call on the host.
type HostCall struct {
	Target string // the name of the function called
	Config string // backend_config, where it is a string
	// Args and Results are dense and valid until the function returns. Args
	// must not be written; what Results hold before they are is undefined.
	Args, Results []soa.View
}

// HostFunc runs a custom_call. Its error, or a panic of it, ends the program's run with
// a [RunError].
type HostFunc func(ctx context.Context, c *HostCall) error

var hostFuncs struct {
	sync.RWMutex
	byName map[string]hostFunc
}

type hostFunc struct {
	run    HostFunc
	caller string
}

// RegisterHost makes f what a custom_call of the given name runs on every
// backend that can call the host. Programs compiled earlier keep what they
// found then.
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

// guarded is f with its panics as errors: backends call it on goroutines of their own.
func (f HostFunc) guarded(caller string) HostFunc {
	return func(ctx context.Context, c *HostCall) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("it panicked, registered at %s: %v\n%s", caller, p, debug.Stack())
			}
		}()
		return f(ctx, c)
	}
}

// Host returns the host function registered under name, or nil.
func Host(name string) HostFunc {
	hostFuncs.RLock()
	defer hostFuncs.RUnlock()
	return hostFuncs.byName[name].run
}
