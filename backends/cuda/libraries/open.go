// Package libraries finds the libraries of NVIDIA's that the backend calls besides the
// driver, where the system, CUDA's toolkits and Python's packages keep them, and calls
// them. Its central types are [Sought], a library that is looked for, and [Functions],
// the table of those that are called.
//
// The package imports only ltc/backends/cuda/driver, ltc/internal/env, github.com/ebitengine/purego
// and the standard library.
package libraries

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ltc/backends/cuda/driver"
)

// Sought is a library that is looked for.
type Sought struct {
	// Named names the library where the user has: no other is tried.
	Named string
	// Names are what its files are called, the best version first.
	Names []string
	// Variable is the environment variable that names it, and Install what brings it.
	Variable, Install string
	// NotFound is wrapped by errors where there is no library at all, or none is wanted.
	NotFound error
}

// User makes a library of what was found at a path, whose functions lookup returns the
// addresses of, for a driver for CUDA up to some major version.
type User[L any] func(path string, lookup func(name string) uintptr, newest int) (L, error)

// Open opens the first library that can be used of those that [Candidates] returns, or
// the one that is named. The error wraps [Sought.NotFound], or says of each that was found
// what is wrong with it.
func Open[L any](s Sought, newest int, use User[L]) (L, error) {
	if s.Named != "" {
		return First(s, []string{s.Named}, newest, use)
	}
	return First(s, Candidates(s.Names...), newest, use)
}

// First is [Open] of names and files that are given.
func First[L any](s Sought, names []string, newest int, use User[L]) (L, error) {
	var none L
	if slices.Equal(names, []string{"none"}) {
		return none, fmt.Errorf("%w: %s is none", s.NotFound, s.Variable)
	}
	var unusable []error
	for _, name := range names {
		lookup, err := driver.Load(name)
		if err != nil {
			if _, there := os.Stat(name); there == nil || len(names) == 1 {
				unusable = append(unusable, err)
			}
			continue
		}
		l, err := use(name, lookup, newest)
		if err == nil {
			return l, nil
		}
		unusable = append(unusable, err)
	}
	if len(unusable) > 0 {
		return none, errors.Join(unusable...)
	}
	return none, fmt.Errorf("%w: looked for %s: %s brings one, or name it in %s", s.NotFound, strings.Join(names, ", "), s.Install, s.Variable)
}
