// Package driver calls NVIDIA's driver for GPUs: the library libcuda.so.1, which
// it opens when [Open] is called and not before, without cgo. Its central type is
// [Context], a device as this process uses it.
//
// Which functions of the library are called, and with what, is one table, see
// [Entries]; a test compares it with NVIDIA's header where that is installed.
// Whoever fills the table with functions of its own stands in for the library:
// see [Use].
//
// The library remembers for each thread of the system which context it is using.
// Methods that a program calls now and then see to that themselves. Those that
// queue work ([Stream], [Launch], [GraphExec], [Event.Record]) are called
// often and do not: they are called between [Context.Enter] and [Context.Leave].
// They allocate no memory as long as nothing fails.
//
// An error of the library is an [Error] and wraps its [Code]. After one that
// leaves a context unusable every call in it is refused with a [LostError];
// contexts of other devices go on.
//
// Contexts, devices and modules may be used from any goroutine; a stream, a launch
// and a graph by one at a time. Nothing is released by the garbage collector:
// what is made is destroyed by whoever made it.
//
// The package imports only ltc/internal/env, ltc/internal/diag, github.com/ebitengine/purego and
// the standard library.
package driver
