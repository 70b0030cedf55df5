package mlir

import (
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// convSyntax is
//
//	(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2],
//	 pad = [[1, 1]], lhs_dilate = [1], rhs_dilate = [1], reverse = [false]}
//
// of which the parts of the window may be missing.
type convSyntax struct{}

// windowParts are the words of a window and the attributes that they stand for.
var windowParts = []struct{ word, attr string }{
	{"stride", "window_strides"}, {"pad", "padding"}, {"lhs_dilate", "lhs_dilation"},
	{"rhs_dilate", "rhs_dilation"}, {"reverse", "window_reversal"},
}

func (convSyntax) shows() []string {
	names := []string{"dimension_numbers"}
	for _, p := range windowParts {
		names = append(names, p.attr)
	}
	return names
}

func (s convSyntax) parse(lex *stream, o *opNode) *Error {
	if err := list(lex, "(", ")", func() *Error { return o.operand(lex) }); err != nil {
		return err
	}
	for _, w := range []string{"dim_numbers", "="} {
		if err := expect(lex, w); err != nil {
			return err
		}
	}
	if err := s.parseDims(lex, o); err != nil {
		return err
	}
	for _, w := range []string{",", "window", "="} {
		if err := expect(lex, w); err != nil {
			return err
		}
	}
	return list(lex, "{", "}", func() *Error { return s.parseWindow(lex, o) })
}

// parseDims takes the text between brackets as it is; ParseConv says what it
// means, and whether it means anything.
func (convSyntax) parseDims(lex *stream, o *opNode) *Error {
	pos := lex.tok.Pos
	var b strings.Builder
	for i, before := range []string{"", "x", "->"} {
		if i > 0 {
			if err := expect(lex, before); err != nil {
				return err
			}
		}
		var labels []string
		err := list(lex, "[", "]", func() *Error {
			t := lex.Next()
			if t.Type != tokIdent && t.Type != tokInt && t.Value != "?" {
				return unexpected(t, "a dimension: b, f, i, o, ? or a number")
			}
			labels = append(labels, t.Value)
			return nil
		})
		if err != nil {
			return err
		}
		b.WriteString(before + "[" + strings.Join(labels, ", ") + "]")
	}
	a := DialectAttr{"stablehlo.conv<" + b.String() + ">"}
	if _, err := ParseConv(a); err != nil {
		return problem(pos, err.Error())
	}
	o.set("dimension_numbers", a)
	return nil
}

func (convSyntax) parseWindow(lex *stream, o *opNode) *Error {
	t, err := expectKind(lex, tokIdent, "a part of the window, such as stride")
	if err != nil {
		return err
	}
	if err := expect(lex, "="); err != nil {
		return err
	}
	for _, p := range windowParts {
		if p.word != t.Value {
			continue
		}
		var a Attribute
		switch p.word {
		case "pad":
			a, err = parsePads(lex)
		case "reverse":
			a, err = parseBools(lex)
		default:
			var v []int64
			v, err = parseInts(lex)
			a = I64Array(v)
		}
		o.attrs = append(o.attrs, attrEntry{p.attr, t.Pos, a})
		return err
	}
	return errorf(t.Pos, "%s is no part of a window: stride, pad, lhs_dilate, rhs_dilate or reverse is", t.Value)
}

// parsePads reads [[low, high], …].
func parsePads(lex *stream) (Attribute, *Error) {
	var v []int64
	err := list(lex, "[", "]", func() *Error {
		pos := lex.tok.Pos
		pair, err := parseInts(lex)
		if err == nil && len(pair) != 2 {
			return errorf(pos, "the padding of a dimension is [low, high]")
		}
		v = append(v, pair...)
		return err
	})
	if err != nil {
		return nil, err
	}
	data := make([]byte, 0, 8*len(v))
	for _, x := range v {
		data = appendBits(data, uint64(x), 8)
	}
	return Dense(Tensor(I64, int64(len(v)/2), 2), data), nil
}

func parseBools(lex *stream) (Attribute, *Error) {
	a := DenseArrayAttr{Elem: I1, Ints: []int64{}}
	err := list(lex, "[", "]", func() *Error {
		t := lex.Next()
		if t.Type == lexer.EOF || t.Value != "true" && t.Value != "false" {
			return unexpected(t, "true or false")
		}
		a.Ints = append(a.Ints, int64(btoi(t.Value == "true")))
		return nil
	})
	return a, err
}

func (convSyntax) fits(op *Op) bool {
	if d, ok := op.Attrs.Get("dimension_numbers").(DialectAttr); !ok || !strings.HasPrefix(d.Text, "stablehlo.conv<[") || len(op.Operands) != 2 {
		return false
	}
	for _, p := range windowParts {
		a := op.Attrs.Get(p.attr)
		if a == nil {
			continue
		}
		d, list := a.(DenseArrayAttr)
		switch p.word {
		case "pad":
			if _, ok := pads(a); !ok {
				return false
			}
		case "reverse":
			if !list || d.Elem != I1 {
				return false
			}
		default:
			if !list || d.Elem != I64 {
				return false
			}
		}
	}
	return true
}

// pads returns the values of an attribute that is N pairs of i64.
func pads(a Attribute) ([]int64, bool) {
	d, ok := a.(*DenseAttr)
	if !ok || d.Type.Elem != I64 || len(d.Type.Shape) != 2 || d.Type.Shape[1] != 2 || d.Type.Encoding != nil {
		return nil, false
	}
	return Ints(d)
}

func (convSyntax) print(p *printer, op *Op) {
	p.str("(")
	p.uses(op.Operands)
	p.str(") dim_numbers = ")
	text := op.Attrs.Get("dimension_numbers").(DialectAttr).Text
	p.str(text[len("stablehlo.conv<") : len(text)-1])
	p.str(", window = {")
	sep := ""
	for _, part := range windowParts {
		a := op.Attrs.Get(part.attr)
		if a == nil {
			continue
		}
		p.str(sep + part.word + " = ")
		sep = ", "
		switch part.word {
		case "pad":
			p.pads(a)
		case "reverse":
			p.str("[" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(a.String(), ">"), "array<i1"), ": ") + "]")
		default:
			p.ints(a.(DenseArrayAttr).Ints)
		}
	}
	p.str("}")
}

func (p *printer) pads(a Attribute) {
	v, _ := pads(a)
	p.str("[")
	for i := 0; i < len(v); i += 2 {
		if i > 0 {
			p.str(", ")
		}
		p.ints(v[i : i+2])
	}
	p.str("]")
}

// Attr returns the attribute with labels, or nil when the numbers are not those
// of dimensions, each once.
func (d ConvDims) Attr() Attribute {
	b := []byte("stablehlo.conv<")
	for i, t := range []struct {
		first, second string
		x, y          int64
		spatial       []int64
	}{
		{"b", "f", d.InputBatch, d.InputFeature, d.InputSpatial},
		{"i", "o", d.KernelInputFeature, d.KernelOutFeature, d.KernelSpatial},
		{"b", "f", d.OutputBatch, d.OutputFeature, d.OutputSpatial},
	} {
		labels := map[int64]string{t.x: t.first, t.y: t.second}
		low, top := min(t.x, t.y), max(t.x, t.y)
		for k, s := range t.spatial {
			labels[s] = strconv.Itoa(k)
			low, top = min(low, s), max(top, s)
		}
		if len(labels) != len(t.spatial)+2 || low < 0 || top > 100 {
			return nil
		}
		b = append(append(b, []string{"", "x", "->"}[i]...), '[')
		for k := range top + 1 {
			if k > 0 {
				b = append(b, ", "...)
			}
			if l := labels[k]; l != "" {
				b = append(b, l...)
			} else {
				b = append(b, '?')
			}
		}
		b = append(b, ']')
	}
	return DialectAttr{string(append(b, '>'))}
}
