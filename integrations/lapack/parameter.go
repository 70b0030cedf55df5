package lapack

import (
	"fmt"

	"ltc/mlir"
)

// parameter is an attribute that a call must have.
type parameter struct {
	name  string
	kind  kind
	chars string // of a char: the characters that it can be
}

// kind is the kind of values that a parameter has.
type kind int

const (
	flag    kind = iota // true or false
	integer             // an integer of any size
	char                // the code of a character
)

// check returns an error if attrs lacks the parameter, or has it with a value of another kind.
func (p *parameter) check(attrs mlir.Dict) error {
	a := attrs.Get(p.name)
	n, isInt := mlir.Int(a)
	var should string
	switch p.kind {
	case flag:
		if _, ok := a.(mlir.BoolAttr); ok || mlir.Flag(a) {
			return nil
		}
		should = "true or false"
	case integer:
		if isInt {
			return nil
		}
		should = "an integer"
	case char:
		for i := range len(p.chars) {
			if isInt && n == int64(p.chars[i]) {
				return nil
			}
		}
		should = "the code of a character of " + p.chars
	}
	if a == nil {
		return fmt.Errorf("the attribute %s is missing, but should be %s", p.name, should)
	}
	return fmt.Errorf("the attribute %s is %v, but should be %s", p.name, a, should)
}
