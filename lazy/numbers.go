package lazy

import (
	"ltc/internal/callsite"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lazy/internal/memory"
)

// NumbersAsConstants keeps all numbers of ops, as in [Tensor.MulScalar] and [Full], constants
// of programs, as [Const] keeps one.
//
// Without it, a number that varies from step to step becomes an argument. The second value at
// a line compiles a program for all values; the third value compiles nothing. The steps must
// have recorded the same before that line, and reuse nodes ([Trace.Reuse]). Results may differ
// in their last bits from those of a program with the constant: a square by an argument is a
// power.
func NumbersAsConstants() Option { return func(d *Device) { d.constantNumbers = true } }

// Const returns the number x as a scalar that is part of the program. Each value has a program
// of its own, also where a number in an op would become an argument because it varies: see
// [NumbersAsConstants].
func Const(tr *Trace, dtype types.DType, x float64) *Tensor {
	if bad := misfit(tr, "const", dtype, x); bad != nil {
		return bad
	}
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	return tr.record(ir.OpConstant, nil, tr.b.Attrs(constant(dtype, ir.LiteralBits(dtype, x))...))
}

func constant(dtype types.DType, bits uint64) []ir.Attr {
	return []ir.Attr{ir.ConstantDType: {Int: int64(dtype)}, ir.ConstantValue: {Int: int64(bits)}}
}

// number records a scalar of an op: a constant, or an argument if the numbers of the line
// vary from step to step.
func (tr *Trace) number(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	site := tr.site()
	line := tr.varying[site]
	if line.next(tr.step) {
		return tr.argumentOf(dtype, bits)
	}
	attrs := tr.b.Attrs(constant(dtype, bits)...)
	if t := tr.again(site, ir.OpConstant, nil, attrs); t != nil {
		return t
	}
	if !tr.dev.constantNumbers && tr.b.Varies(attrs) {
		if line == nil {
			line = &lineNumbers{step: tr.step, count: tr.b.Constants() + 1}
			if tr.varying == nil {
				tr.varying = map[callsite.Site]*lineNumbers{}
			}
			tr.varying[site] = line
		}
		line.varies()
		return tr.argumentOf(dtype, bits)
	}
	return tr.anew(site, ir.OpConstant, nil, attrs)
}

// lineNumbers are the numbers that a line records in a step, at least one of which varies.
type lineNumbers struct {
	arguments []bool // in the order of a step, those that are arguments
	step      int64  // the latest that recorded the line
	count     int    // of numbers in that step so far
}

// next counts a number and reports whether it is an argument.
func (l *lineNumbers) next(step int64) bool {
	if l == nil {
		return false
	}
	if l.step != step {
		l.step, l.count = step, 0
	}
	l.count++
	return l.count <= len(l.arguments) && l.arguments[l.count-1]
}

// varies makes the number that was counted last an argument.
func (l *lineNumbers) varies() {
	for len(l.arguments) < l.count {
		l.arguments = append(l.arguments, false)
	}
	l.arguments[l.count-1] = true
}

// argumentOf returns a number as a scalar argument.
func (tr *Trace) argumentOf(dtype types.DType, bits uint64) *Tensor {
	t := newValue(tr, tr.dev.memory.Scalar(dtype), "")
	memory.SetBits(t.val.view, 0, bits)
	return t
}
