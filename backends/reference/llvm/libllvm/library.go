package libllvm

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"ltc/internal/env"
)

// Library is a libLLVM that has been loaded into this process, where it stays
// until the process ends. Any number of goroutines may use it.
type Library struct {
	path    string
	version Version
	engine  engine
	broken  atomic.Pointer[FatalError]

	pages   pages        // see [Library.ReleasePages]
	single  atomic.Bool  // fault-around is off for pages
	running atomic.Int64 // compilations
}

// engine is a way to speak to a library.
type engine interface {
	// version returns what the library says itself; 0.0.0 if it cannot.
	version() Version
	// compile is called on a goroutine that is locked to its thread. It may call between
	// after each of its stages, which need other pages of the library.
	compile(text string, o Options, between func()) ([]byte, error)
}

// opened holds what [Open] and [OpenFile] have returned.
var opened = struct {
	sync.Mutex
	by map[string]result
}{by: map[string]result{}}

type result struct {
	library *Library
	err     error
}

// Open loads the first libLLVM that can be used: the one that the environment
// variable LTC_LIBLLVM names, or else the best of those that the system has. The
// first call takes some 20 ms, others return the same library or the same error,
// which wraps [ErrNotFound] and says where was looked.
func Open() (*Library, error) { return open(false) }

// OpenBackground is Open for a caller that compiles in the background: if it is the first call, loading takes a
// few milliseconds longer, and less memory meanwhile.
func OpenBackground() (*Library, error) { return open(true) }

func open(background bool) (*Library, error) {
	name := env.LibLLVM.Value()
	return once("open "+name, func() (*Library, error) {
		if name != "" {
			return named(env.LibLLVM.Name+" is "+name, name, background)
		}
		return search(background)
	})
}

// OpenFile loads the libLLVM of that file; without a slash in its name, the one
// that the system's linker finds.
func OpenFile(name string) (*Library, error) {
	return once("file "+name, func() (*Library, error) { return named(name, name, false) })
}

func once(key string, open func() (*Library, error)) (*Library, error) {
	opened.Lock()
	defer opened.Unlock()
	r, done := opened.by[key]
	if !done {
		r.library, r.err = open()
		opened.by[key] = r
	}
	return r.library, r.err
}

// named opens what LTC_LIBLLVM may be; who says in errors who named it.
func named(who, name string, background bool) (*Library, error) {
	if name == "none" {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, who)
	}
	l, err := openOne(name, background)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotFound, who, err)
	}
	return l, nil
}

// Version returns the library's version.
func (l *Library) Version() Version { return l.version }

// Path returns the library's file.
func (l *Library) Path() string { return l.path }

// String returns the version, as in LLVM 19.1.7.
func (l *Library) String() string { return "LLVM " + l.version.String() }

// FatalError is what libLLVM said before it gave up. It is an [ErrBroken].
type FatalError struct{ Reason string }

func (e *FatalError) Error() string { return fmt.Sprintf("%v: %s", ErrBroken, e.Reason) }

func (e *FatalError) Unwrap() error { return ErrBroken }

// Compile compiles the text of a module to a relocatable object. What is wrong
// with the text is a [SyntaxError] or says what LLVM says. When ctx ends, Compile
// returns its error at once. A library goes on all the same: what it makes is given to
// o.Late.
func (l *Library) Compile(ctx context.Context, text string, o Options) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := l.broken.Load(); err != nil {
		return nil, fmt.Errorf("libllvm: %s: %w", l.path, err)
	}
	w := &work{library: l, done: make(chan outcome, 1)}
	go w.run(text, o)
	select {
	case r := <-w.done:
		if r.err != nil {
			return nil, fmt.Errorf("libllvm: %w", r.err)
		}
		return r.object, nil
	case <-ctx.Done():
		if o.Late != nil {
			go func() {
				if r := <-w.done; r.err == nil {
					o.Late(r.object)
				}
			}()
		}
		return nil, ctx.Err()
	}
}

// ReleasePages gives pages of the library's file back to the system, unless
// something is being compiled. What is needed again comes back by itself, a page at a time.
func (l *Library) ReleasePages() {
	if l.running.Load() == 0 {
		l.pages.release()
	}
}
