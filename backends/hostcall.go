package backends

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"ltc/internal/callsite"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
)

// HostCall is one run of a stablehlo.custom_call on the host, or of a composite that a function
// of the host runs.
type HostCall struct {
	Target string // call_target_name, or the composite's: the name of the function
	Config string // backend_config, if it is a string
	// Threads is the most threads that the run may use, as Options.Threads says; 0 if that
	// is for the function to say.
	Threads int
	// Attrs are the entries of backend_config, if that is a dictionary, or of the
	// mhlo.backend_config that JAX writes: mlir.Int(c.Attrs.Get("uplo")). Of a composite they
	// are its composite_attributes.
	Attrs mlir.Dict
	// Args and Results are dense, and valid until the function returns. Operands that are
	// shapes of results (indices_of_shape_operands) are not among Args. The function must not
	// write to Args. Results have undefined contents until the function writes them.
	Args, Results []soa.View
}

// HostFunc runs a custom_call, on a goroutine of its own. If the function returns an error, panics or ends
// that goroutine, the run of the program fails with a [RunError].
type HostFunc func(ctx context.Context, c *HostCall) error

var hostFuncs struct {
	sync.RWMutex
	byName map[string]hostFunc
}

type hostFunc struct {
	run    HostFunc
	caller callsite.Site
	takes  CompositeTest // nil: it is for no composites
}

// CompositeTest reports whether a function of the host computes a composite of these types and
// composite_attributes. No size is open.
type CompositeTest func(args, results []types.Type, attrs mlir.Dict) bool

// RegisterHost registers the function that a custom_call of the given name runs, on every
// backend that can call the host. A nil function, or a name that is registered already, is an
// error. Programs that were compiled before the call of RegisterHost do not see the function.
func RegisterHost(name string, f HostFunc) error { return registerHost(name, f, nil) }

// RegisterHostComposite registers a function that the backend cpu runs in the place of the body
// of a composite of the given name, such as linalg.svd, where takes reports true. Elsewhere, and
// on other backends, the body runs. The function computes what the body does, within
// rounding. It is a host function besides, with the rules of [RegisterHost].
func RegisterHostComposite(name string, takes CompositeTest, f HostFunc) error {
	if takes == nil {
		return fmt.Errorf("host function %q: the test of its composites is nil", name)
	}
	return registerHost(name, f, takes)
}

func registerHost(name string, f HostFunc, takes CompositeTest) error {
	caller := callsite.Caller()
	if f == nil {
		return fmt.Errorf("host function %q is nil", name)
	}
	hostFuncs.Lock()
	defer hostFuncs.Unlock()
	if old, ok := hostFuncs.byName[name]; ok {
		return fmt.Errorf("host function %q is registered twice: at %v and at %v", name, old.caller, caller)
	}
	if hostFuncs.byName == nil {
		hostFuncs.byName = map[string]hostFunc{}
	}
	run := f.guarded(caller)
	if !strings.HasPrefix(name, ours) {
		run = run.apart(caller)
	}
	hostFuncs.byName[name] = hostFunc{run, caller, takes}
	return nil
}

// HostComposites returns the names that [RegisterHostComposite] has functions for, sorted.
func HostComposites() []string {
	hostFuncs.RLock()
	defer hostFuncs.RUnlock()
	var names []string
	for name, f := range hostFuncs.byName {
		if f.takes != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Standard returns the name under which the backend cpu itself registers a function for composites of a
// name. It runs where no other function of [RegisterHostComposite] takes them.
func Standard(composite string) string { return "ltc.standard." + composite }

// HostFor returns the name of the function that computes a composite of these types and
// attributes; "" if there is none.
func HostFor(composite string, args, results []types.Type, attrs mlir.Dict) string {
	for _, name := range []string{composite, Standard(composite)} {
		if HostTakes(name, args, results, attrs) {
			return name
		}
	}
	return ""
}

// HostTakes reports whether the function that is registered under name computes a composite of
// these types and attributes.
func HostTakes(name string, args, results []types.Type, attrs mlir.Dict) bool {
	hostFuncs.RLock()
	takes := hostFuncs.byName[name].takes
	hostFuncs.RUnlock()
	return takes != nil && takes(args, results, attrs)
}

// guarded returns f with panics turned into errors, since backends call it on goroutines of
// their own.
func (f HostFunc) guarded(caller callsite.Site) HostFunc {
	return func(ctx context.Context, c *HostCall) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("the function registered at %v panicked at %v: %v\n%s", caller, callsite.Caller(), p, debug.Stack())
			}
		}()
		return f(ctx, c)
	}
}

// apart returns f, already guarded, run on a goroutine of its own, which it may end: that is an error.
func (f HostFunc) apart(caller callsite.Site) HostFunc {
	return func(ctx context.Context, c *HostCall) error {
		err := fmt.Errorf("the function registered at %v ended its goroutine with runtime.Goexit, as FailNow of package testing does: it must return", caller)
		done := make(chan struct{})
		go func() {
			defer close(done)
			err = f(ctx, c)
		}()
		<-done
		return err
	}
}

// ours is the prefix of names of functions of this library. They never end their goroutine: they run on the
// executor's.
const ours = "ltc."

// Host returns the host function that is registered under name; nil if no function has the name.
func Host(name string) HostFunc {
	hostFuncs.RLock()
	defer hostFuncs.RUnlock()
	return hostFuncs.byName[name].run
}
