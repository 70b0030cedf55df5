// Package native runs machine code that a compiler left as a relocatable ELF
// object: it maps the object, relocates it and calls its functions, without a
// linker and without cgo. Its central type is [Image].
//
// Every function that can be called has the C signature int32_t k(void *args).
// What the int32 says and what the block of arguments holds are between the
// compiler and the caller. A [Chain] calls several without Go code in between. An object is complete in itself: one that needs a
// symbol from elsewhere, that keeps state or that wants to be initialised is
// refused. Whatever the bytes of an object are, [Load] returns an error and
// does not fault; what its code does when called, nothing can say.
//
// Images share mappings, of which a process may have some 65,000: all have their
// memory from one [arena]. No page is writable and executable at once.
//
// The package imports only ltc/internal/cpu, ltc/internal/diag, github.com/ebitengine/purego and
// the standard library.
package native

import "errors"

// ErrNoExec is wrapped by errors of [Load] on systems that do not let this
// process have executable memory of its own making.
var ErrNoExec = errors.New("no executable memory")

// ErrExhausted is wrapped by errors of [Load] where the system has no memory, or
// no mapping, left for code: there may be some when other images are closed.
var ErrExhausted = errors.New("the system has no memory or no mapping left for compiled code")

// ErrUnavailable is wrapped by errors of [Load] where objects cannot be run at
// all: on systems and processors other than Linux on amd64 and arm64.
var ErrUnavailable = errors.New("objects cannot be run on this system")
