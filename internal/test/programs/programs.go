// Package programs makes random StableHLO programs for tests that compare two ways
// to run them. Its central function is [Random].
//
// The package imports only the standard library.
package programs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// program writes a random program: every op on values that are there, of the
// kinds that passes have rules for, often on what the last ops gave.
type program struct {
	*rand.Rand
	lines   []string
	args    []string
	values  []value
	near    []value // of large programs: not exact
	next    int
	most    int // elements of a value
	large   bool
	complex bool // there are complex numbers
	odd     bool // there are tensors without elements, and of many dimensions
}

type value struct {
	name, elem string
	shape      []int
}

func (v value) typ() string { return tensorText(v.elem, v.shape) }

func tensorText(elem string, shape []int) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, d := range shape {
		fmt.Fprintf(&b, "%dx", d)
	}
	return b.String() + elem + ">"
}

var (
	floatElems = []string{"f32", "f64", "bf16", "f16"}
	intElems   = []string{"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}
)

func isFloatElem(e string) bool { return slices.Contains(floatElems, e) }
func isIntElem(e string) bool   { return slices.Contains(intElems, e) }

// Random returns the text of a program of about n ops.
func Random(r *rand.Rand, n int) string {
	p := &program{Rand: r, most: 4096}
	p.begin("f32", "f32", "f64", "i32", "i32", "i1", "bf16", "ui32", "i8", "ui8", "i16", "ui16")
	for len(p.lines) < n {
		p.step()
	}
	return p.end()
}

// begin makes two to four arguments, of some of these types.
func (p *program) begin(elems ...string) {
	for i := range 2 + p.IntN(3) {
		elem := pickOne(p.Rand, elems...)
		v := value{fmt.Sprintf("%%a%d", i), elem, p.shape(3)}
		p.args = append(p.args, v.name+": "+v.typ())
		p.values = append(p.values, v)
	}
}

// end is the text of the program, which returns some of its values.
func (p *program) end() string {
	var outs []value
	for range 1 + p.IntN(4) {
		outs = append(outs, p.real(p.any()))
	}
	var names, types []string
	for _, v := range outs {
		names, types = append(names, v.name), append(types, v.typ())
	}
	return p.text(names, types)
}

// text is the program that returns what has these names.
func (p *program) text(names, types []string) string {
	return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s\n  return %s : %s\n}\n",
		strings.Join(p.args, ", "), strings.Join(types, ", "), strings.Join(p.lines, "\n"), strings.Join(names, ", "), strings.Join(types, ", "))
}

func pickOne[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (p *program) shape(rank int) []int {
	if p.odd {
		return p.oddShape(2 * rank)
	}
	s := make([]int, p.IntN(rank+1))
	if p.large && len(s) == 1 && p.IntN(3) == 0 {
		return []int{pickOne(p.Rand, 500, 1000, 1023, 1024, 1025, 2047, 3000)}
	}
	for i := range s {
		if s[i] = pickOne(p.Rand, 1, 2, 3, 4, 6); p.large {
			if n := pickOne(p.Rand, sizes...); n*elements(s[:i]) <= p.most/2 {
				s[i] = n
			}
		}
	}
	return s
}

// some is how many elements a value may have whose copies a step puts together.
func (p *program) some() int {
	if p.large {
		return p.most / 3
	}
	return 300
}

// any is a value, one of the last more often than not.
func (p *program) any() value {
	if n := len(p.values); n > 4 && p.IntN(3) > 0 {
		return p.values[n-1-p.IntN(4)]
	}
	return pickOne(p.Rand, p.values...)
}

// find is a value for which ok holds; false if none is met.
func (p *program) find(ok func(v value) bool) (value, bool) {
	for range 12 {
		if v := p.any(); ok(v) {
			return v, true
		}
	}
	return value{}, false
}

// emit writes an op; the operands and types stand in rest.
func (p *program) emit(elem string, shape []int, format string, args ...any) value {
	return p.raw(elem, shape, "stablehlo."+format, args...)
}

// raw writes an op with its dialect, or in the generic form.
func (p *program) raw(elem string, shape []int, format string, args ...any) value {
	v := value{fmt.Sprintf("%%%d", p.next), elem, slices.Clone(shape)}
	p.next++
	p.lines = append(p.lines, fmt.Sprintf("  %s = %s", v.name, fmt.Sprintf(format, args...)))
	if elements(shape) <= p.most {
		p.values = append(p.values, v)
	}
	return v
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// like is a value of the given type: one that is there, or a new one.
func (p *program) like(elem string, shape []int) value {
	if v, ok := p.find(func(v value) bool { return v.elem == elem && slices.Equal(v.shape, shape) }); ok && p.IntN(4) > 0 {
		return v
	}
	switch p.IntN(4) {
	case 0:
		if v, ok := p.find(func(v value) bool { return v.elem == elem && elements(v.shape) == elements(shape) }); ok {
			return p.emit(elem, shape, "reshape %s : (%s) -> %s", v.name, v.typ(), tensorText(elem, shape))
		}
	case 1:
		if v, ok := p.find(func(v value) bool { return v.elem == elem && len(v.shape) <= len(shape) }); ok {
			if to, ok := p.places(v.shape, shape); ok {
				return p.emit(elem, shape, "broadcast_in_dim %s, dims = %s : (%s) -> %s", v.name, list(to), v.typ(), tensorText(elem, shape))
			}
		}
	case 2:
		if elem != "i1" && len(shape) > 0 {
			return p.emit(elem, shape, "iota dim = %d : %s", p.IntN(len(shape)), tensorText(elem, shape))
		}
	}
	return p.constant(elem, shape)
}

// places finds dimensions of out for those of in, in any order.
func (p *program) places(in, out []int) ([]int, bool) {
	free := p.Perm(len(out))
	if p.IntN(2) == 0 {
		slices.Sort(free)
	}
	to := []int{}
	for _, d := range in {
		k := slices.IndexFunc(free, func(k int) bool { return d == 1 || out[k] == d })
		if k < 0 {
			return nil, false
		}
		to = append(to, free[k])
		free = slices.Delete(free, k, k+1)
	}
	return to, true
}

func (p *program) constant(elem string, shape []int) value {
	t := tensorText(elem, shape)
	if n := elements(shape); p.IntN(3) == 0 && n > 1 && n < 40 {
		return p.emit(elem, shape, "constant dense<%s> : %s", p.nested(elem, shape), t)
	}
	return p.emit(elem, shape, "constant dense<%s> : %s", p.number(elem), t)
}

func (p *program) nested(elem string, shape []int) string {
	if len(shape) == 0 {
		return p.number(elem)
	}
	var parts []string
	for range shape[0] {
		parts = append(parts, p.nested(elem, shape[1:]))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (p *program) number(elem string) string {
	infinity := map[string]string{"f32": "0x7F800000", "f64": "0xFFF0000000000000", "f16": "0x7C00", "bf16": "0xFF80"}
	switch {
	case elem == "i1":
		return pickOne(p.Rand, "true", "false")
	case isComplexElem(elem):
		return fmt.Sprintf("(%s, %s)", p.number(partElem(elem)), p.number(partElem(elem)))
	case isFloatElem(elem):
		return pickOne(p.Rand, "0.0", "-0.0", "1.0", "1.0", "-1.0", "2.0", "0.5", "3.0", "-4.0", "1.5", infinity[elem])
	case elem[0] == 'u':
		return pickOne(p.Rand, "0", "1", "2", "7", "255")
	case elem == "i8" || elem == "i16":
		return pickOne(p.Rand, "0", "1", "-1", "2", "7", "127", "-128")
	}
	return pickOne(p.Rand, "0", "1", "-1", "2", "7", "2147483647")
}
