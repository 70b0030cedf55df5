// Package manyprograms has tests of what many compiled programs take together: of
// package lazy, and of the backends that it compiles them with.
//
// imports only the standard library.
package manyprograms
