package blockdot

import (
	"fmt"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
)

// Unit is a function for steps of a kind: those that differ in sizes and the offset alone.
type Unit struct {
	of kernel.BlockDot
	on gemm.Machine
}

// Of returns the unit that runs a step.
func Of(d kernel.BlockDot, on gemm.Machine) Unit { return Unit{d, on} }

// Name is that of the function.
func (u Unit) Name() string {
	s := fmt.Sprintf("blockdot_q%d", u.of.Bits)
	if u.of.Minima {
		s += "_minima"
	}
	return s
}

// Args is the argument block of a unit. Addresses are of first elements.
type Args struct {
	X, Matrix, Y         uintptr
	Work                 uintptr // of [WorkBytes]
	Rows, Blocks, Groups int64
	From, To             int64 // groups to multiply by
	Offset               int64
}

// digits is how many digits x has, and wordsOfRow how many words of 4 digits a block of x has of each.
const (
	digits     = 3
	wordsOfRow = kernel.BlockDotCodes / 4
)

// A block of x takes so many words of scratch memory: the digits, what each digit's sum begins with, the
// unit of the last digit, and the sum of x.
const (
	beginAt      = digits * wordsOfRow
	unitAt       = beginAt + digits
	sumAt        = unitAt + 1
	scratchWords = 32 // of which 29 are used: blocks begin at lines of a cache
)

// WorkBytes is how much scratch memory a call takes.
func WorkBytes(rows, blocks int) int { return rows * blocks * scratchWords * 4 }

// Text returns the module of the function, i32 name(args).
func (u Unit) Text() string {
	m := vector.NewModule(u.on.Machine)
	g := &emitter{Builder: m.Kernel(u.Name()), Unit: u}
	u.on.Extend(g.Builder)
	g.product()
	g.Return(0)
	return m.String()
}
