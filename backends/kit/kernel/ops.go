package kernel

import (
	"fmt"

	"ltc/backends/kit/kernel/ops"
	"ltc/ir/types"
)

//go:generate go run ltc/backends/kit/kernel/ops/gen -root ../../..

// Op says what an instruction does. An Op is the number of a row of [ops.Table], which says what
// arguments the op takes.
type Op uint8

// row returns an op's row; an empty one for Invalid.
func (o Op) row() *ops.Op {
	if o == Invalid {
		return &invalid
	}
	return &ops.Table[o-1]
}

var invalid = ops.Op{Name: "Invalid"}

// Ops returns the ops that occur in programs, in the order of their constants. Ops that
// only package expand makes are left out.
func Ops() []Op {
	all := make([]Op, 0, NumOps-1)
	for o := Invalid + 1; o < NumOps; o++ {
		if !o.row().Traits.Has(ops.Internal) {
			all = append(all, o)
		}
	}
	return all
}

// ParseOp returns the op with the given name.
func ParseOp(name string) (Op, bool) {
	o, ok := opByName[name]
	return o, ok
}

var mnemonics = func() [NumOps]string {
	var all [NumOps]string
	for o := range Op(NumOps) {
		all[o] = o.row().Mnemonic()
	}
	return all
}()

var opByName = func() map[string]Op {
	m := make(map[string]Op, NumOps)
	for o := Invalid + 1; o < NumOps; o++ {
		m[mnemonics[o]] = o
	}
	return m
}()

// String returns the op's name.
func (o Op) String() string {
	if int(o) >= len(mnemonics) { // of a kernel that is refused
		return fmt.Sprintf("op(%d)", uint8(o))
	}
	return mnemonics[o]
}

// Computes reports whether an op's value depends on its arguments alone.
func (o Op) Computes() bool { return o.row().Form > ops.Leaf }

// Compares reports whether an op compares its arguments.
func (o Op) Compares() bool { return o.row().Form == ops.Comparison }

// Costly reports whether computing an op again takes longer than loading its
// value.
func (o Op) Costly() bool { return o.row().Traits.Has(ops.Costly) }

// Exact reports whether an op never rounds: its value needs no more bits than its operands.
func (o Op) Exact() bool { return o.row().Traits.Has(ops.Exact) }

// Idempotent reports whether combining a value with itself gives the value, as for a
// maximum.
func (o Op) Idempotent() bool { return o == Maximum || o == Minimum || o == And || o == Or }

// Arity returns the number of arguments of an op that computes.
func (o Op) Arity() int { return o.row().Form.Arity() }

// Takes reports whether dtype d is allowed for the op's first argument or, if it has no
// arguments, for its own value. Some ops are made only by package expand, which computes in f32
// and f64: those ops take no other floats.
func (o Op) Takes(d types.DType) bool {
	r := o.row()
	return has(r.Takes, d) && !(r.Traits.Has(ops.Internal) && d.IsFloat() && d.Size() < 4)
}

// Expands reports whether package expand replaces the op, on values of dtype d, by other
// ops.
func (o Op) Expands(d types.DType) bool { return has(o.row().Expands, d) }

func has(c ops.Class, d types.DType) bool {
	switch {
	case d == types.Bool:
		return c&ops.Bools != 0
	case d.IsFloat():
		return c&ops.Floats != 0
	}
	return d.IsInteger() && c&ops.Ints != 0
}

// Combines reports whether a reduction or store can combine values with o.
func (o Op) Combines() bool { return o.row().Traits.Has(ops.Combines) }
