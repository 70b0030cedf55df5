package tileloops

import (
	"fmt"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Loop is a function i32 f(i64* args). Its words are where the results are, where the elements
// of each operand are, and the number of elements. Results may be where an operand is.
type Loop struct {
	Kind Kind
	Op   kernel.Op   // of elements, what a fold combines them by, or of a product and a third; Invalid for others
	From types.DType // of the operands; of the last two of a choice
	To   types.DType // of the results
}

// Kind says what a loop does.
type Kind uint8

const (
	// Each computes an op of each element, or pair of elements.
	Each Kind = iota
	// Fold combines one result with all elements. A sum has the order of package loops.
	Fold
	// Choose takes elements of the second operand where the first, a bool, is set, else of
	// the third.
	Choose
	// Fill repeats one element.
	Fill
	// Fused computes x*y+z of three elements, rounded once: with Op Subtract x*y-z, and with Negate
	// z-x*y.
	Fused
)

// Name is the name of the function.
func (l Loop) Name() string {
	switch l.Kind {
	case Fold:
		return fmt.Sprintf("fold_%v_%v", l.Op, l.From)
	case Choose:
		return fmt.Sprintf("choose_%d", l.From.Size())
	case Fill:
		return fmt.Sprintf("fill_%d", l.From.Size())
	case Fused:
		return fmt.Sprintf("fused_%v_%v", l.Op, l.From)
	}
	if l.From != l.To {
		return fmt.Sprintf("%v_%v_%v", l.Op, l.From, l.To)
	}
	return fmt.Sprintf("%v_%v", l.Op, l.From)
}

// UnitOf is the name of the unit that has a loop, if there is one.
func (l Loop) UnitOf() string {
	if l.Kind == Choose || l.Kind == Fill {
		return "tiles_moves"
	}
	return "tiles_" + l.From.String()
}

// dtypes are the dtypes of operands that have loops.
var dtypes = []types.DType{types.F32, types.F64, types.BF16, types.F16, types.I32, types.I64, types.Bool}

// Loops returns the loops on operands of a dtype. All levels of the machine have them.
func Loops(d types.DType) (all []Loop) {
	for _, op := range kernel.Ops() {
		switch {
		case !vector.Supports(op, d) || op == kernel.BitcastConvert || op == kernel.Select || op == kernel.FMA || op == kernel.Clamp:
		case d == types.F16 && op.Expands(d): // which are large, and few programs have f16
		case op == kernel.Convert:
			for _, to := range dtypes {
				if to != d {
					all = append(all, Loop{Each, op, d, to})
				}
			}
		case op.Compares() || op == kernel.IsFinite:
			all = append(all, Loop{Each, op, d, types.Bool})
		default:
			all = append(all, Loop{Each, op, d, d})
		}
	}
	if d == types.F32 || d == types.F64 {
		for _, op := range []kernel.Op{kernel.Add, kernel.Maximum, kernel.Minimum} {
			all = append(all, Loop{Fold, op, d, d})
		}
		for _, op := range []kernel.Op{kernel.Add, kernel.Subtract, kernel.Negate} {
			all = append(all, Loop{Fused, op, d, d})
		}
	}
	return all
}

// moves returns the loops that depend on the size of elements alone.
func moves() (all []Loop) {
	for _, k := range []Kind{Choose, Fill} {
		for _, size := range []int{1, 2, 4, 8} {
			all = append(all, Moving(k, size))
		}
	}
	return all
}

// Moving returns the loop of a kind for elements of 1, 2, 4 or 8 bytes.
func Moving(k Kind, size int) Loop {
	d := types.U64
	switch size {
	case 1:
		d = types.U8
	case 2:
		d = types.U16
	case 4:
		d = types.U32
	}
	return Loop{Kind: k, From: d, To: d}
}

// Units returns the modules of all loops for a level.
func Units(level vector.Level) []gemm.Unit {
	m := vector.Machine{Level: level}
	unit := func(all []Loop) gemm.Unit {
		return gemm.NewUnit(all[0].UnitOf(), gemm.Machine{Machine: m}, func() string { return text(m, all) })
	}
	var units []gemm.Unit
	for _, d := range dtypes {
		units = append(units, unit(Loops(d)))
	}
	return append(units, unit(moves()))
}
