// Package env reads the environment variables of the library, for all packages:
// nothing else looks at the environment. Its central type is [Var]. Variables
// are declared with what they may be and what they are for, so that there is one
// place to ask; docs/environment.md lists them.
//
// The package imports only ltc/internal/diag and the standard library.
package env

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Var is an environment variable that the library reads. What a program passes
// as an option wins over it.
type Var struct {
	Name    string
	Default string // what it counts as when it is not set; may be empty
	Allowed string // what it may be, in words
	Doc     string // a sentence or two, in Markdown

	Check func(string) error // nil: anything is allowed
}

var declared []*Var

// Declare adds a variable to those of the library, for package-level variables.
func Declare(v Var) *Var {
	declared = append(declared, &v)
	return &v
}

// Switch declares a variable that is 0 or 1, and by default 0.
func Switch(name, doc string) *Var { return Default(name, "0", doc) }

// Default declares a variable that is 0 or 1.
func Default(name, standard, doc string) *Var {
	return Declare(Var{Name: name, Default: standard, Allowed: "`0`, `1`", Doc: doc, Check: OneOf("0", "1")})
}

// OneOf returns a check that a value is one of some.
func OneOf(values ...string) func(string) error {
	return func(s string) error {
		if slices.Contains(values, s) {
			return nil
		}
		return fmt.Errorf("%q is none of %s", s, strings.Join(values, ", "))
	}
}

// All lists the variables that are declared.
func All() []Var {
	var all []Var
	for _, v := range declared {
		all = append(all, *v)
	}
	return all
}

// Check returns the error of the first variable that is set to what it may not
// be.
func Check() error {
	for _, v := range declared {
		if s := os.Getenv(v.Name); s != "" && v.Check != nil {
			if err := v.Check(s); err != nil {
				return fmt.Errorf("environment variable %s is %q: want %s", v.Name, s, strings.ReplaceAll(v.Allowed, "`", ""))
			}
		}
	}
	return nil
}

// set lists the names of the variables that are set and not empty.
func set() []string {
	var names []string
	for _, s := range os.Environ() {
		if name, value, _ := strings.Cut(s, "="); value != "" {
			names = append(names, name)
		}
	}
	return names
}

// Pythons returns the directories of the environments of Python that are active, as
// VIRTUAL_ENV and CONDA_PREFIX, which are not the library's, name them.
func Pythons() []string {
	var all []string
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			all = append(all, dir)
		}
	}
	return all
}

// Value returns what the variable is set to, its default if it is not.
func (v *Var) Value() string {
	if s := os.Getenv(v.Name); s != "" {
		return s
	}
	return v.Default
}

// On reports whether the variable is 1.
func (v *Var) On() bool { return v.Value() == "1" }

// Number returns a variable that has been checked.
func (v *Var) Number() int {
	n, _ := strconv.Atoi(v.Value())
	return n
}

// Bytes returns a variable that has been checked as a number of bytes; standard
// if it is not set and has no default.
func (v *Var) Bytes(standard int64) int64 {
	n, err := ParseBytes(v.Value())
	if err != nil {
		return standard
	}
	return n
}
