package backends

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// ErrUnknown is wrapped by the error of [Open] if no backend has the name.
var ErrUnknown = errors.New("unknown backend")

type registration struct {
	open     func(device string) (Backend, error)
	caller   string // file:line of the call to Register
	conflict string // of a second call with the same name
}

var registry struct {
	sync.Mutex
	byName map[string]*registration
}

// Register registers a backend under a name. Call it from init. Each call of [Open] calls open
// once, with the text after the colon of the name to open, such as "0" for "cuda:0". If a name
// is registered twice, or open is nil, Open returns an error with the lines of the calls of
// Register.
func Register(name string, open func(device string) (Backend, error)) {
	caller := "unknown"
	if _, file, line, ok := runtime.Caller(1); ok {
		caller = fmt.Sprintf("%s:%d", file, line)
	}
	registry.Lock()
	defer registry.Unlock()
	if r := registry.byName[name]; r != nil {
		r.conflict = caller
		return
	}
	if registry.byName == nil {
		registry.byName = map[string]*registration{}
	}
	registry.byName[name] = &registration{open: open, caller: caller}
}

// Open opens the backend that is registered under name. The name may end with a colon and the
// backend's name for a device, as in "cuda:0". The error wraps [ErrUnknown] if there is no
// such backend.
func Open(name string) (Backend, error) {
	base, device, _ := strings.Cut(name, ":")
	registry.Lock()
	r := registry.byName[base]
	var reg registration
	if r != nil {
		reg = *r
	}
	registry.Unlock()
	switch {
	case r == nil:
		return nil, unknown(base)
	case strings.HasSuffix(name, ":"):
		return nil, fmt.Errorf("open backend %q: there is no device after the colon", name)
	case reg.conflict != "":
		return nil, fmt.Errorf("backend %q is registered twice: at %s and at %s; import only one of the packages",
			base, reg.caller, reg.conflict)
	case reg.open == nil:
		return nil, fmt.Errorf("backend %q is registered at %s with a nil function: give Register a function that opens the backend", base, reg.caller)
	}
	b, err := reg.opened(device)
	if err != nil {
		return nil, fmt.Errorf("open backend %q: %w", name, err)
	}
	if b == nil {
		return nil, fmt.Errorf("open backend %q: the function registered at %s returned neither a backend nor an error", name, reg.caller)
	}
	return b, nil
}

// opened calls open, and returns a panic as an error.
func (r *registration) opened(device string) (b Backend, err error) {
	defer func() {
		if p := recover(); p != nil {
			b, err = nil, fmt.Errorf("the function registered at %s panicked: %v\n%s", r.caller, p, debug.Stack())
		}
	}()
	return r.open(device)
}

// imports are the packages that register the backends of this module.
var imports = map[string]string{
	"cpu":  "ltc/backends/reference/llvm",
	"cuda": "ltc/backends/cuda",
	"eval": "ltc/backends/reference/eval",
	"null": "ltc/backends/null",
}

// Import returns the path of the package that registers the named backend, if that package is in
// this Go module; "" for other backends.
func Import(name string) string { return imports[name] }

func unknown(name string) error {
	registered := "registered are " + strings.Join(Names(), ", ")
	if len(Names()) == 0 {
		registered = "none is registered"
	}
	if path := Import(name); path != "" {
		return fmt.Errorf("%w %q: %s; import its package for its side effect: _ %q", ErrUnknown, name, registered, path)
	}
	if len(Names()) > 0 {
		return fmt.Errorf("%w %q: %s; open one of these, or import the package of the backend for its side effect", ErrUnknown, name, registered)
	}
	return fmt.Errorf("%w %q: %s; import the package of the backend, such as _ %q",
		ErrUnknown, name, registered, Import("cpu"))
}

// Names returns the names of the registered backends, sorted.
func Names() []string {
	registry.Lock()
	defer registry.Unlock()
	return slices.Sorted(maps.Keys(registry.byName))
}
