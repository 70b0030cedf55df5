// Package libllvm turns the text of LLVM modules into object files with the
// libLLVM that is on the machine, without cgo. Its central type is [Library].
//
// libLLVM is somebody else's code in this process, and it has ways to end one. This package
// guards against these:
//
//   - The pipeline of passes is a constant that tests run on every libLLVM there is.
//   - Versions that no test has seen compile a program in a child process before they may
//     in this one (see probe.go).
//   - A fatal error of libLLVM becomes an error of [Library.Compile], after which that
//     libLLVM is not used again.
//   - Diagnostics, for which it would print and exit, are errors too.
//
// Nothing is loaded before [Open] is called.
//
// The package imports only ltc/internal/env, ltc/internal/hostmem, github.com/ebitengine/purego and the standard library.
package libllvm

import "errors"

// ErrNotFound is wrapped by the error of [Open] when no libLLVM can be used.
var ErrNotFound = errors.New("no libLLVM")

// ErrBroken is wrapped by errors of [Library.Compile] when libLLVM met a fatal
// error, in this call or in an earlier one.
var ErrBroken = errors.New("libLLVM gave up")
