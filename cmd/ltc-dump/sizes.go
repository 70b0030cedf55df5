package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ltc/backends"
)

// sizes are what the -size flags give to sizes that a program leaves open, by name; ""
// stands for those without a value of their own.
type sizes map[string]int

func (s sizes) String() string { return "" }

// Set adds a flag's value.
func (s sizes) Set(text string) error {
	name, number, named := strings.Cut(text, "=")
	if !named {
		name, number = "", text
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 {
		return errors.New("want a number from 0 on, or NAME=NUMBER")
	}
	if _, twice := s[name]; twice {
		return errors.New("the size has a value already")
	}
	s[name] = n
	return nil
}

// flag is what the user wrote.
func (s sizes) flag(name string) string {
	if name == "" {
		return fmt.Sprintf("-size %d", s[name])
	}
	return fmt.Sprintf("-size %s=%d", name, s[name])
}

// close returns the arguments of a program with the sizes that have values. A value that
// no argument takes is an error.
func (s sizes) close(p *program, args []backends.Arg) ([]backends.Arg, error) {
	if len(s) == 0 {
		return args, nil
	}
	args = slices.Clone(args)
	for i := range args {
		args[i].Type.Shape = slices.Clone(args[i].Type.Shape)
	}
	m, f, _ := p.definition()
	used, names := map[string]bool{}, []string(nil)
	for _, open := range backends.OpenSizes(m, f, args) {
		name := open.Name
		if name != "" {
			names = append(names, name)
		}
		if _, known := s[name]; !known {
			name = ""
		}
		if n, known := s[name]; known {
			used[name] = true
			for _, d := range open.At {
				args[d.Arg].Type.Shape[d.Axis] = n
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		switch {
		case used[name]:
		case name == "":
			return nil, fmt.Errorf("%s: %s leaves no size open that has no value", s.flag(name), p.function)
		case names == nil:
			return nil, fmt.Errorf("%s: %s names none of its sizes: give all that are open one with -size %d", s.flag(name), p.function, s[name])
		default:
			return nil, fmt.Errorf("%s: %s has no size %q: it has %s", s.flag(name), p.function, name, strings.Join(names, ", "))
		}
	}
	return args, nil
}
