package libllvm

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"ltc/internal/env"
)

// Library is a libLLVM that has been loaded into this process, where it stays
// until the process ends, or a program of LLVM's that compiles in processes of
// its own. Any number of goroutines may use it.
type Library struct {
	path    string
	version Version
	engine  engine
	by      string // the program that compiles in child processes; empty for a library
	broken  atomic.Pointer[FatalError]
}

// engine is a way to speak to a library.
type engine interface {
	// version returns what the library says itself; 0.0.0 if it cannot.
	version() Version
	// compile is called on a goroutine that is locked to its thread.
	compile(ctx context.Context, text string, o Options) ([]byte, error)
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
// variable LTC_LIBLLVM names, or else the best of those that the system has;
// without any, a program that compiles in its place: llc with opt, clang or zig.
// The first call takes some 20 ms, or 200 with a program, others return the same
// library or the same error, which wraps [ErrNotFound] and says where was looked.
func Open() (*Library, error) {
	name := env.LibLLVM.Value()
	return once("open "+name, func() (*Library, error) {
		if name != "" {
			return named(env.LibLLVM.Name+" is "+name, name)
		}
		return search()
	})
}

// OpenFile loads the libLLVM of that file, or opens the program; without a slash
// in its name, the one that the system's linker finds, or PATH has.
func OpenFile(name string) (*Library, error) {
	return once("file "+name, func() (*Library, error) { return named(name, name) })
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
func named(who, name string) (*Library, error) {
	if name == "none" {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, who)
	}
	l, err := openOne(name)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrNotFound, who, err)
	}
	return l, nil
}

// Version returns the library's version.
func (l *Library) Version() Version { return l.version }

// Path returns the library's or the program's file.
func (l *Library) Path() string { return l.path }

// External reports whether a program compiles, in processes of its own.
func (l *Library) External() bool { return l.by != "" }

// String returns the version and, of a program, its name: LLVM 19.1.7, or
// LLVM 22.1.8 by zig cc.
func (l *Library) String() string {
	if l.External() {
		return "LLVM " + l.version.String() + " by " + l.by
	}
	return "LLVM " + l.version.String()
}

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
	go w.run(ctx, text, o)
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
