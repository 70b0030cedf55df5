// Package varying finds out which numbers of ops vary from step to step, and are better
// arguments of programs. Its central type is [Lines].
//
// The package imports only ltc/internal/callsite and ltc/ir.
package varying

import (
	"ltc/internal/callsite"
	"ltc/ir"
)

// mostNumbers is how many numbers of a line in a step a trace looks at; the others are
// constants. A step that is read again and again, and never marked, has numbers without end.
const mostNumbers = 1 << 10

// mostLines is how many lines a trace remembers: a scope that has a name of its own in each step
// makes lines of it without end.
const mostLines = 1 << 12

// Lines are the lines at which a trace has recorded numbers, in steps which followed no earlier
// one.
type Lines struct {
	lines    map[callsite.Site]*Line
	argument bool  // some number is an argument
	since    int64 // the step in which the first one became one
}

// Line is the numbers that a line records, in the order of a step.
type Line struct {
	numbers []number
	step    int64 // the latest that recorded the line
	count   int   // of numbers in that step so far
}

type number struct {
	argument bool
	step     int64  // the latest in which its value was noted; 0: none
	bits     uint64 // the value then
	changes  int    // how often that was another
}

// another notes the value of a step, and reports whether it is the third one.
func (n *number) another(step int64, bits uint64) bool {
	if n.step != 0 && n.bits != bits {
		n.changes++
	}
	n.step, n.bits = step, bits
	return n.changes > 1
}

// Argument reports whether the next number that the step records in b at a site is known to be
// an argument. It returns the line, in which the number is counted, for [Lines.Varies]; nil as
// long as no number is an argument.
func (l *Lines) Argument(b *ir.Builder, step int64, site callsite.Site) (line *Line, argument bool) {
	if !l.argument { // the step that is followed says all
		return nil, false
	}
	return l.known(b, step, site)
}

func (l *Lines) known(b *ir.Builder, step int64, site callsite.Site) (line *Line, argument bool) {
	if line = l.lines[site]; line == nil {
		return nil, false
	}
	n := l.next(b, step, line)
	return line, n != nil && n.argument
}

// Varies reports whether a number that no earlier step recorded is an argument from now on: an
// earlier step that began like this one had another value, or two steps before had two others.
// The number has the bits and, as a constant, the attributes. line is what [Lines.Argument]
// returned for it.
func (l *Lines) Varies(b *ir.Builder, step int64, site callsite.Site, line *Line, attrs []ir.Attr, bits uint64) bool {
	if line == nil {
		if line = l.lines[site]; line == nil {
			if l.lines == nil || len(l.lines) == mostLines {
				l.lines = map[callsite.Site]*Line{}
			}
			line = &Line{step: step, count: b.Constants()}
			l.lines[site] = line
		}
		l.next(b, step, line)
	}
	if line.count > mostNumbers {
		return false
	}
	n := &line.numbers[line.count-1]
	n.argument = n.another(step, bits) || b.Varies(attrs)
	if n.argument && !l.argument {
		l.argument, l.since = true, step
	}
	return n.argument
}

// next counts a number of a line. All are counted in the steps after the first in which a
// number was an argument; before, those that the step has asked for as constants. It returns
// nil for those beyond mostNumbers.
func (l *Lines) next(b *ir.Builder, step int64, line *Line) *number {
	if line.step != step {
		line.step, line.count = step, 0
		if !l.argument || l.since == step {
			line.count = b.Constants()
		}
	}
	if line.count++; line.count > mostNumbers {
		return nil
	}
	for len(line.numbers) < line.count {
		line.numbers = append(line.numbers, number{})
	}
	return &line.numbers[line.count-1]
}
