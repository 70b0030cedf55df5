// Package objcache keeps compiled objects on disk, so that a program that was
// compiled once starts without compiling the next time. Its central type is
// [Cache].
//
// An object is found by its key: the hash of everything that it depends on,
// given as named [Parts]. Each is one file, which holds a checksum over all of
// it and appears under its name at once, complete: a process that is killed
// while it writes leaves a file that nobody looks at. What is damaged, cut off or
// not of this package counts as missing and is removed. When the objects take
// more than their limit, those that were used longest ago go.
//
// The cache never fails: a directory that is missing, full, read-only or not to
// be trusted costs compiling again and one warning. Any number of processes and
// goroutines may share a directory; a nil *Cache is an empty one that keeps
// nothing.
//
// The package imports only ltc/internal/env, ltc/internal/diag and the standard library.
package objcache
