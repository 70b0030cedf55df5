package programs

import (
	"math/rand/v2"
	"strings"
)

// Complex returns the text of a program of about n ops, some of which are on complex
// numbers. Results do not depend on how sums and products are rounded.
func Complex(r *rand.Rand, n int) string {
	p := &program{Rand: r, most: 4096, complex: true}
	p.begin("f32", "f32", "f64", "f64", "i32", "i1")
	p.complexOf()
	for len(p.lines) < n {
		p.step()
	}
	return p.end()
}

func isComplexElem(e string) bool { return strings.HasPrefix(e, "complex<") }

// partElem is the type of the parts of complex numbers.
func partElem(e string) string { return strings.TrimSuffix(strings.TrimPrefix(e, "complex<"), ">") }

// complexOf makes complex numbers of parts, or of real numbers.
func (p *program) complexOf() {
	v := p.any()
	switch {
	case isComplexElem(v.elem):
		to := pickOne(p.Rand, "complex<f32>", "complex<f64>")
		p.emit(to, v.shape, "convert %s : (%s) -> %s", v.name, v.typ(), tensorText(to, v.shape))
	case v.elem == "f32" || v.elem == "f64":
		w, elem := p.like(v.elem, v.shape), "complex<"+v.elem+">"
		p.emit(elem, v.shape, "complex %s, %s : %s", v.name, w.name, tensorText(elem, v.shape))
	default:
		p.emit("complex<f64>", v.shape, "convert %s : (%s) -> %s", v.name, v.typ(), tensorText("complex<f64>", v.shape))
	}
}

// partOf takes complex numbers apart.
func (p *program) partOf() {
	if v, ok := p.find(func(v value) bool { return isComplexElem(v.elem) }); ok {
		p.real(v)
	}
}

// real is a part of complex numbers, or v if it has none.
func (p *program) real(v value) value {
	if !isComplexElem(v.elem) {
		return v
	}
	elem := partElem(v.elem)
	return p.emit(elem, v.shape, "%s %s : (%s) -> %s", pickOne(p.Rand, "real", "imag"), v.name, v.typ(), tensorText(elem, v.shape))
}
