// Package ops is the table of the kernel IR's scalar ops. Its central type is
// [Op], a row. The generator in its folder gen writes the constants of package
// kernel and the dispatch of each emitter from it: a row whose functions an
// emitter lacks does not compile.
//
// The package imports only the standard library.
package ops

import (
	"strings"
	"unicode"
)

// Op is a row: what an instruction does, and what it takes.
type Op struct {
	Name string // Abs: the constant kernel.Abs, and abs in texts
	Doc  string // what Instr.Aux and Instr.Args are, if the form does not say it
	Form Form
	// Takes has the classes of dtypes of the first operand; of the value, if
	// there is no operand.
	Takes Class
	// Expands has those of the classes for which package expand writes the op by
	// others. Emitters need no code for them.
	Expands Class
	Traits  Traits
}

// Form is the operands of an op and its value.
type Form uint8

const (
	Leaf       Form = iota + 1 // Doc says it; the value depends on more than arguments
	Unary                      // one operand of the value's dtype
	AnyUnary                   // one operand of any dtype
	Binary                     // two operands of the value's dtype
	Comparison                 // two operands of one dtype, a bool
	Ternary                    // Doc says it
)

// Arity returns how many operands ops of a form that computes have.
func (f Form) Arity() int {
	return [...]int{Unary: 1, AnyUnary: 1, Binary: 2, Comparison: 2, Ternary: 3}[f]
}

// Class is a set of dtypes.
type Class uint8

const (
	Floats Class = 1 << iota
	Ints
	Bools
	Numbers = Floats | Ints
	Bitwise = Ints | Bools
	All     = Floats | Ints | Bools
)

// Traits are properties that passes and emitters ask for.
type Traits uint8

const (
	// Costly ops take longer than a load.
	Costly Traits = 1 << iota
	// Exact ops give no more bits than their operands have: nothing is rounded.
	Exact
	// Internal ops stand in expansions alone: programs have none.
	Internal
	// Optional ops stand in expansions for targets that ask for them.
	Optional
	// Combines says that reductions and stores can combine values with the op.
	Combines
)

// Has reports whether t has all of the given traits.
func (t Traits) Has(all Traits) bool { return t&all == all }

// Mnemonic returns the name in texts: BitcastConvert is bitcast_convert,
// CompareEQ is compare_eq. Of is left out at the end.
func (o *Op) Mnemonic() string {
	var b strings.Builder
	before := ' '
	for i, r := range strings.TrimSuffix(o.Name, "Of") {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(before) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}
