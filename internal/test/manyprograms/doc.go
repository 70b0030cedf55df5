// Package manyprograms has tests of what many compiled programs take together: of
// package lazy, and of the backends that it compiles them with.
//
// The package imports only the standard library.
package manyprograms
