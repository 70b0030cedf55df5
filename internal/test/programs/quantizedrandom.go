package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// QuantizedRandom returns a program of about n ops on quantized matrices. Its results are the
// same however it is computed: there are no sums of floats, and no functions of these that are
// not exact.
func QuantizedRandom(r *rand.Rand, n int) Program {
	p := &quantProgram{Rand: r}
	p.text.WriteString("func.func @main(")
	for i := range 3 {
		if i > 0 {
			p.text.WriteString(", ")
		}
		v := quantValue{name: fmt.Sprintf("%%a%d", i), elem: p.elem(), rows: p.size(), columns: p.size()}
		if i == 0 {
			v.elem = "f32"
		}
		p.values = append(p.values, v)
		fmt.Fprintf(&p.text, "%s: %s", v.name, v.typ())
	}
	header := p.text.String()
	p.text.Reset()
	for p.count < n {
		p.step()
	}
	var names, types []string
	for _, v := range p.values[max(len(p.values)-4, 0):] {
		names, types = append(names, v.name), append(types, v.typ())
	}
	return Program{Text: fmt.Sprintf("%s) -> (%s) {\n%s  return %s : %s\n}\n", header, strings.Join(types, ", "), p.text.String(), strings.Join(names, ", "), strings.Join(types, ", ")), Extreme: r.IntN(2) == 0}
}

// quantValue is a matrix of quantized elements, or of f32.
type quantValue struct {
	name, elem    string
	rows, columns int
}

func (v quantValue) typ() string { return matrixText(v.rows, v.columns, v.elem) }

func matrixText(rows, columns int, elem string) string {
	return fmt.Sprintf("tensor<%dx%dx%s>", rows, columns, elem)
}

type quantProgram struct {
	*rand.Rand
	text   strings.Builder
	values []quantValue
	count  int
}

func (p *quantProgram) size() int { return pickOne(p.Rand, 1, 2, 3, 5, 8, 16, 17, 33) }

// elem is a quantized type with one scale, that stands for f32.
func (p *quantProgram) elem() string {
	for {
		if q := pickOne(p.Rand, quantTypes...); expressedOf(q) == "f32" {
			return q
		}
	}
}

// alongColumns is a quantized type with a scale for each of so many columns.
func (p *quantProgram) alongColumns(storage string, n int) string {
	scales := make([]string, n)
	for i := range scales {
		scales[i] = fmt.Sprintf("%.4f", 0.001+p.Float64()/10)
	}
	return fmt.Sprintf("!quant.uniform<%s:f32:1, {%s}>", storage, strings.Join(scales, ","))
}

func (p *quantProgram) emit(elem string, rows, columns int, format string, args ...any) quantValue {
	v := quantValue{fmt.Sprintf("%%%d", p.count), elem, rows, columns}
	p.count++
	fmt.Fprintf(&p.text, "  %s = stablehlo.%s\n", v.name, fmt.Sprintf(format, args...))
	p.values = append(p.values, v)
	return v
}

// quantized is a value of quantized elements with one scale.
func (p *quantProgram) quantized() quantValue {
	for range 8 {
		v := pickOne(p.Rand, p.values...)
		if v.elem != "f32" && !strings.Contains(v.elem, "f32:1") {
			return v
		}
	}
	v := pickOne(p.Rand, p.values...)
	return p.quantize(v, p.elem())
}

func (p *quantProgram) quantize(v quantValue, elem string) quantValue {
	return p.emit(elem, v.rows, v.columns, "uniform_quantize %s : (%s) -> %s", v.name, v.typ(), matrixText(v.rows, v.columns, elem))
}

// like is a value of the type and shape of v, of other elements.
func (p *quantProgram) like(v quantValue) quantValue {
	for range 4 {
		if w := pickOne(p.Rand, p.values...); w.rows == v.rows && w.columns == v.columns && w.name != v.name {
			if w.elem == v.elem {
				return w
			}
			return p.quantize(w, v.elem)
		}
	}
	return p.emit(v.elem, v.rows, v.columns, "reverse %s, dims = [%d] : %s", v.name, p.IntN(2), v.typ())
}

func (p *quantProgram) step() {
	switch p.IntN(10) {
	case 0:
		p.quantize(pickOne(p.Rand, p.values...), p.elem())
	case 1:
		if v := pickOne(p.Rand, p.values...); v.elem != "f32" {
			p.emit("f32", v.rows, v.columns, "uniform_dequantize %s : (%s) -> %s", v.name, v.typ(), matrixText(v.rows, v.columns, "f32"))
		}
	case 2, 3:
		v := p.quantized()
		p.emit(v.elem, v.rows, v.columns, "%s %s, %s : %s", pickOne(p.Rand, "add", "subtract", "multiply", "divide", "maximum", "minimum"), v.name, p.like(v).name, v.typ())
	case 4:
		v := p.quantized()
		p.emit(v.elem, v.rows, v.columns, "%s %s : %s", pickOne(p.Rand, "abs", "negate", "sign", "floor", "sqrt"), v.name, v.typ())
	case 5:
		v := p.quantized()
		p.emit(v.elem, v.columns, v.rows, "transpose %s, dims = [1, 0] : (%s) -> %s", v.name, v.typ(), matrixText(v.columns, v.rows, v.elem))
	case 6:
		v := p.quantized()
		rows := 1 + p.IntN(v.rows)
		p.emit(v.elem, rows, v.columns, "slice %s [0:%d, 0:%d] : (%s) -> %s", v.name, rows, v.columns, v.typ(), matrixText(rows, v.columns, v.elem))
	case 7:
		v := p.quantized()
		w := p.like(v)
		p.emit(v.elem, v.rows, 2*v.columns, "concatenate %s, %s, dim = 1 : (%s, %s) -> %s", v.name, w.name, v.typ(), w.typ(), matrixText(v.rows, 2*v.columns, v.elem))
	default:
		p.dot()
	}
}

// dot multiplies a matrix by one whose type has a scale, or one for each column.
func (p *quantProgram) dot() {
	v := p.quantized()
	storage := strings.TrimPrefix(v.elem, "!quant.uniform<")
	storage = storage[:strings.IndexAny(storage, ":<")]
	floats := strings.HasSuffix(storage, "32") || strings.Contains(v.elem, "E-40") // are what is summed
	if floats || v.columns > 256 {
		return
	}
	var source quantValue
	for _, w := range p.values {
		if w.rows == v.columns {
			source = w
		}
	}
	if source.name == "" {
		source = p.emit(v.elem, v.columns, v.rows, "transpose %s, dims = [1, 0] : (%s) -> %s", v.name, v.typ(), matrixText(v.columns, v.rows, v.elem))
	}
	elem := p.alongColumns(storage, source.columns)
	if p.IntN(3) == 0 {
		elem = fmt.Sprintf("!quant.uniform<%s:f32, 0.02>", storage)
	}
	w := p.quantize(source, elem)
	out := p.elem()
	p.emit(out, v.rows, w.columns, "dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s", v.name, w.name, v.typ(), w.typ(), matrixText(v.rows, w.columns, out))
}
