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
// a line compiles a program for all values, if the steps have recorded the same before that
// line and reuse nodes ([Trace.Reuse]); else the third value does. Each trace finds out for
// itself, and for each scope. Results may differ in their last bits from those of a program with
// the constant: a square by an argument is a power.
func NumbersAsConstants() Option { return func(d *Device) { d.constantNumbers = true } }

// Const returns the number x as a scalar that is part of the program. Each value has a program
// of its own, also where a number in an op would become an argument because it varies: see
// [NumbersAsConstants].
func Const(tr *Trace, dtype types.DType, x float64) *Tensor {
	if bad := misfit(tr, "const", dtype, x); bad != nil {
		return bad
	}
	return tr.constant(dtype, ir.LiteralBits(dtype, x))
}

// constant records a scalar of the given bits that is part of the program.
func (tr *Trace) constant(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	return tr.record(ir.OpConstant, nil, tr.b.Attrs(constant(dtype, bits)...))
}

func constant(dtype types.DType, bits uint64) []ir.Attr {
	return []ir.Attr{ir.ConstantDType: {Int: int64(dtype)}, ir.ConstantValue: {Int: int64(bits)}}
}

// number records a scalar of an op: a constant, or an argument if that number of the line varies
// from step to step.
func (tr *Trace) number(dtype types.DType, bits uint64) *Tensor {
	if !tr.enter() {
		return tr.poisoned(tr.crowded(ir.OpConstant.String()))
	}
	defer tr.leave()
	site := tr.site()
	if r := tr.region(); r != nil && r.closed {
		return tr.anew(site, ir.OpConstant, nil, constant(dtype, bits))
	}
	var line *lineNumbers
	if tr.numbers.argument { // else the step that is followed says all
		if line = tr.numbers.lines[site]; line != nil {
			if n := tr.nextNumber(line); n != nil && n.argument {
				return tr.argumentOf(dtype, bits)
			}
		}
	}
	attrs := tr.b.Attrs(constant(dtype, bits)...)
	if t := tr.again(site, ir.OpConstant, nil, attrs); t != nil {
		return t
	}
	if !tr.dev.constantNumbers && tr.varies(site, line, attrs, bits) {
		return tr.argumentOf(dtype, bits)
	}
	return tr.anew(site, ir.OpConstant, nil, attrs)
}

// varies reports whether a number that no earlier step recorded is an argument from now on: an
// earlier step that began like this one had another value, or two steps before had two others.
// line is what is known of the line, once the number is counted; nil if it is not.
func (tr *Trace) varies(site callsite.Site, line *lineNumbers, attrs []ir.Attr, bits uint64) bool {
	if line == nil {
		if line = tr.numbers.lines[site]; line == nil {
			if tr.numbers.lines == nil || len(tr.numbers.lines) == mostLines {
				tr.numbers.lines = map[callsite.Site]*lineNumbers{}
			}
			line = &lineNumbers{step: tr.step, count: tr.b.Constants()}
			tr.numbers.lines[site] = line
		}
		tr.nextNumber(line)
	}
	if line.count > mostNumbers {
		return false
	}
	n := &line.numbers[line.count-1]
	n.argument = n.another(tr.step, bits) || tr.b.Varies(attrs)
	if n.argument && !tr.numbers.argument {
		tr.numbers.argument, tr.numbers.since = true, tr.step
	}
	return n.argument
}

// nextNumber counts a number of a line. All are counted in the steps after the first in which a
// number was an argument; before, those that the step has asked for as constants. It returns
// nil for those beyond mostNumbers.
func (tr *Trace) nextNumber(line *lineNumbers) *lineNumber {
	if line.step != tr.step {
		line.step, line.count = tr.step, 0
		if !tr.numbers.argument || tr.numbers.since == tr.step {
			line.count = tr.b.Constants()
		}
	}
	if line.count++; line.count > mostNumbers {
		return nil
	}
	for len(line.numbers) < line.count {
		line.numbers = append(line.numbers, lineNumber{})
	}
	return &line.numbers[line.count-1]
}

// mostNumbers is how many numbers of a line in a step a trace looks at; the others are
// constants. A step that is read again and again, and never marked, has numbers without end.
const mostNumbers = 1 << 10

// mostLines is how many lines a trace remembers: a scope that has a name of its own in each step
// makes lines of it without end.
const mostLines = 1 << 12

// numberLines are the numbers that a trace has recorded in steps which followed no earlier one.
type numberLines struct {
	lines    map[callsite.Site]*lineNumbers
	argument bool  // some number is an argument
	since    int64 // the step in which the first one became one
}

// lineNumbers are the numbers that a line records, in the order of a step.
type lineNumbers struct {
	numbers []lineNumber
	step    int64 // the latest that recorded the line
	count   int   // of numbers in that step so far
}

type lineNumber struct {
	argument bool
	step     int64  // the latest in which its value was noted; 0: none
	bits     uint64 // the value then
	changes  int    // how often that was another
}

// another notes the value of a step, and reports whether it is the third one.
func (n *lineNumber) another(step int64, bits uint64) bool {
	if n.step != 0 && n.bits != bits {
		n.changes++
	}
	n.step, n.bits = step, bits
	return n.changes > 1
}

// isNumber reports whether a parameter is a number of an op.
func isNumber(n *ir.Node) bool {
	v, ok := n.Value.(*value)
	return ok && v.number
}

// argumentOf returns a number as a scalar argument.
func (tr *Trace) argumentOf(dtype types.DType, bits uint64) *Tensor {
	t := newValue(tr, tr.dev.memory.Scalar(dtype), "")
	t.val.number = true
	memory.SetBits(t.val.view, 0, bits)
	return t
}
