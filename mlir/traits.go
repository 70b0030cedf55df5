package mlir

import "encoding/binary"

// Traits are what is true of an op in every program.
type Traits uint8

// The traits.
const (
	// Terminator ops end a block.
	Terminator Traits = 1 << iota
	// Isolated ops have regions that cannot use values from outside.
	Isolated
	// Commutative ops take their two operands in either order; operands and
	// result have one type.
	Commutative
	// Async ops can be started by async_start (async_start_c2).
	Async
	// Elementwise ops compute each element of their one result from the elements
	// at the same place of their operands, or from the one of an operand that is
	// a scalar while the result is none (the bounds of clamp, select's predicate).
	Elementwise
	// Effects ops do more than give results that follow from operands,
	// attributes, regions and the functions they name: they talk to the host, to
	// other processes or to a generator, or order what others do. They can be
	// neither left out nor merged nor moved.
	Effects
	// Expanded is of ops that no text has: they stand for custom calls.
	Expanded
	// SharedArgs ops write, in their pretty form, one list of names for the
	// arguments of all their regions.
	SharedArgs
)

// Has reports whether all traits of u are among t.
func (t Traits) Has(u Traits) bool { return t&u == u }

// AnyRegions stands for any number of regions.
const AnyRegions = -1

// Static says which op a dynamic op is once the values of some of its operands
// are known: they become attributes, or the shape of the result, and the other
// operands and attributes stay.
type Static struct {
	Op     Code         // set by [Register]
	Name   string       // of Op
	Parts  []StaticPart // by rising operand
	Shaped int          // the result whose shape a part is
}

// StaticPart is an operand, a list of integers, and the attribute that it
// becomes; "" stands for the shape of the result.
type StaticPart struct {
	Operand int
	Attr    string
}

// Value returns the attribute that the operand becomes when its elements are
// known: paddings are pairs. A list of an odd number, which is none of pairs, stays one,
// and the static op's rules refuse it.
func (p StaticPart) Value(list []int64) Attribute {
	if p.Attr != "padding" {
		return I64Array(list)
	}
	var data []byte
	for _, x := range list {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	if len(list)%2 != 0 {
		return Dense(Tensor(I64, int64(len(list))), data)
	}
	return Dense(Tensor(I64, int64(len(list)/2), 2), data)
}
