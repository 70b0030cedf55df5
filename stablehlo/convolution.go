package stablehlo

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/lexeme"
	"ltc/internal/mlirtext"
	"ltc/mlir"
)

// ConvDims is the dimension numbers of a convolution.
type ConvDims struct {
	InputBatch, InputFeature             int64
	InputSpatial                         []int64
	KernelInputFeature, KernelOutFeature int64
	KernelSpatial                        []int64
	OutputBatch, OutputFeature           int64
	OutputSpatial                        []int64
}

// ChannelsLast returns the dimension numbers [b, 0, …, f]x[0, …, i, o]->[b, 0, …, f] of n
// spatial dimensions.
func ChannelsLast(n int) ConvDims {
	image, kernel := make([]int64, n), make([]int64, n)
	for i := range n {
		image[i], kernel[i] = int64(i)+1, int64(i)
	}
	last := int64(n) + 1
	return ConvDims{
		InputFeature: last, InputSpatial: image, KernelInputFeature: last - 1, KernelOutFeature: last, KernelSpatial: kernel,
		OutputFeature: last, OutputSpatial: image,
	}
}

// ChannelsFirst returns the dimension numbers [b, f, 0, …]x[o, i, 0, …]->[b, f, 0, …] of n
// spatial dimensions.
func ChannelsFirst(n int) ConvDims {
	spatial := make([]int64, n)
	for i := range n {
		spatial[i] = int64(i) + 2
	}
	return ConvDims{
		InputFeature: 1, InputSpatial: spatial, KernelInputFeature: 1, KernelSpatial: spatial, OutputFeature: 1, OutputSpatial: spatial,
	}
}

// Equal reports whether d and o are the same.
func (d ConvDims) Equal(o ConvDims) bool {
	return d.InputBatch == o.InputBatch && d.InputFeature == o.InputFeature && slices.Equal(d.InputSpatial, o.InputSpatial) &&
		d.KernelInputFeature == o.KernelInputFeature && d.KernelOutFeature == o.KernelOutFeature && slices.Equal(d.KernelSpatial, o.KernelSpatial) &&
		d.OutputBatch == o.OutputBatch && d.OutputFeature == o.OutputFeature && slices.Equal(d.OutputSpatial, o.OutputSpatial)
}

// ParseConv reads `#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>` or the form
// with the names of the fields, `#stablehlo.conv<raw input_batch_dimension =
// 0, …>`.
func ParseConv(a mlir.Attribute) (d ConvDims, err error) {
	if a == nil {
		return d, fmt.Errorf("attribute dimension_numbers is missing: #stablehlo.conv<…> is expected")
	}
	text, ok := strings.CutPrefix(strings.Join(strings.Fields(a.String()), ""), "#stablehlo.conv<")
	if !ok {
		return d, fmt.Errorf("attribute dimension_numbers is %s, but #stablehlo.conv<…> is expected", lexeme.Clip(a.String()))
	}
	text = strings.TrimSuffix(text, ">")
	if raw, ok := strings.CutPrefix(text, "raw"); ok {
		return d, d.readFields(raw)
	}
	return d, d.readLabels(text)
}

func (d *ConvDims) readFields(text string) error {
	numbers := map[string]*int64{
		"input_batch_dimension": &d.InputBatch, "input_feature_dimension": &d.InputFeature,
		"kernel_input_feature_dimension": &d.KernelInputFeature, "kernel_output_feature_dimension": &d.KernelOutFeature,
		"output_batch_dimension": &d.OutputBatch, "output_feature_dimension": &d.OutputFeature,
	}
	lists := map[string]*[]int64{
		"input_spatial_dimensions": &d.InputSpatial, "kernel_spatial_dimensions": &d.KernelSpatial,
		"output_spatial_dimensions": &d.OutputSpatial,
	}
	for text != "" {
		name, rest, ok := strings.Cut(text, "=")
		value, after, bracket := strings.Cut(strings.TrimPrefix(rest, "["), "]")
		if !strings.HasPrefix(rest, "[") {
			value, after, _ = strings.Cut(rest, ",")
		} else if after = strings.TrimPrefix(after, ","); !bracket {
			ok = false
		}
		list, err := numberList(value)
		switch n, isNumber := numbers[name]; {
		case !ok || err != nil:
			return fmt.Errorf("dimension numbers: %s is not name = number or name = [numbers]", lexeme.Clip(text))
		case isNumber && len(list) == 1:
			*n = list[0]
		case lists[name] != nil:
			*lists[name] = list
		default:
			return fmt.Errorf("dimension numbers: unknown field %s", lexeme.Clip(name))
		}
		text = after
	}
	return nil
}

func numberList(text string) ([]int64, error) {
	if text == "" {
		return nil, nil
	}
	var list []int64
	for e := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(e, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// readLabels reads [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]: each operand's
// dimensions by what they are.
func (d *ConvDims) readLabels(text string) error {
	lhs, rest, ok1 := strings.Cut(text, "x")
	rhs, out, ok2 := strings.Cut(rest, "->")
	if !ok1 || !ok2 {
		return fmt.Errorf("dimension numbers are written [b, 0, f]x[0, i, o]->[b, 0, f], not %s", lexeme.Clip(text))
	}
	err := labelled(lhs, "b", "f", &d.InputBatch, &d.InputFeature, &d.InputSpatial)
	if err == nil {
		err = labelled(rhs, "i", "o", &d.KernelInputFeature, &d.KernelOutFeature, &d.KernelSpatial)
	}
	if err == nil {
		err = labelled(out, "b", "f", &d.OutputBatch, &d.OutputFeature, &d.OutputSpatial)
	}
	return err
}

// labelled reads one list: two letters and the spatial dimensions from 0 on,
// each once. A ? stands for a dimension that is none of them.
func labelled(text, a, b string, first, second *int64, spatial *[]int64) error {
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	at := map[string]int64{}
	for i, e := range strings.Split(text, ",") {
		if _, twice := at[e]; twice && e != "?" {
			return fmt.Errorf("dimension numbers: [%s] has %s twice", text, e)
		}
		at[e] = int64(i)
	}
	delete(at, "?")
	for letter, to := range map[string]*int64{a: first, b: second} {
		i, ok := at[letter]
		if !ok {
			return fmt.Errorf("dimension numbers: [%s] has no %s", text, letter)
		}
		*to = i
		delete(at, letter)
	}
	for n := range len(at) {
		i, ok := at[strconv.Itoa(n)]
		if !ok {
			return fmt.Errorf("dimension numbers: [%s] should have %s, %s and the spatial dimensions from 0 on", text, a, b)
		}
		*spatial = append(*spatial, i)
	}
	return nil
}

// Attr returns the attribute with labels, or nil when the numbers are not those
// of dimensions, each once.
func (d ConvDims) Attr() mlir.Attribute {
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
	return mlir.DialectAttr{Text: string(append(b, '>'))}
}

func conv(op *mlir.Op, name string) ConvDims {
	d, _ := ParseConv(op.Attrs.Get(name))
	return d
}

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

func (convSyntax) Shows() []string {
	names := []string{"dimension_numbers"}
	for _, p := range windowParts {
		names = append(names, p.attr)
	}
	return names
}

func (s convSyntax) Parse(lex *mlirtext.Stream, o *mlirtext.OpText) {
	lex.List("(", ")", func() { o.Operand(lex) })
	lex.Expect("dim_numbers", "=")
	s.parseDims(lex, o)
	lex.Expect(",", "window", "=")
	lex.List("{", "}", func() { s.parseWindow(lex, o) })
}

// parseDims takes the text between brackets as it is; ParseConv says what it
// means, and whether it means anything.
func (convSyntax) parseDims(lex *mlirtext.Stream, o *mlirtext.OpText) {
	pos := lex.Peek().Pos
	var b strings.Builder
	for i, before := range []string{"", "x", "->"} {
		if i > 0 {
			lex.Expect(before)
		}
		var labels []string
		lex.List("[", "]", func() {
			t := lex.Next()
			if t.Type != mlirtext.IdentToken && t.Type != mlirtext.IntToken && t.Value != "?" {
				lex.Stop(mlirtext.Unexpected(t, "a dimension: b, f, i, o, ? or a number"))
			}
			labels = append(labels, t.Value)
		})
		b.WriteString(before + "[" + strings.Join(labels, ", ") + "]")
	}
	a := mlir.DialectAttr{Text: "stablehlo.conv<" + b.String() + ">"}
	if _, err := ParseConv(a); err != nil {
		lex.Stop(mlir.NewError(pos, err.Error()))
	}
	o.Set("dimension_numbers", a)
}

func (convSyntax) parseWindow(lex *mlirtext.Stream, o *mlirtext.OpText) {
	t := lex.Kind(mlirtext.IdentToken, "a part of the window, such as stride")
	lex.Expect("=")
	for _, p := range windowParts {
		if p.word != t.Value {
			continue
		}
		var a mlir.Attribute
		switch p.word {
		case "pad":
			a = parsePads(lex)
		case "reverse":
			a = parseBools(lex)
		default:
			a = mlir.I64Array(readInts(lex))
		}
		o.SetAt(p.attr, t.Pos, a)
		return
	}
	lex.Stop(mlir.Errorf(t.Pos, "%s is no part of a window: stride, pad, lhs_dilate, rhs_dilate or reverse is", t.Value))
}

// parsePads reads [[low, high], …].
func parsePads(lex *mlirtext.Stream) mlir.Attribute {
	var v []int64
	lex.List("[", "]", func() {
		pos := lex.Peek().Pos
		pair := readInts(lex)
		if len(pair) != 2 {
			lex.Stop(mlir.Errorf(pos, "the padding of a dimension is [low, high]"))
		}
		v = append(v, pair...)
	})
	data := make([]byte, 0, 8*len(v))
	for _, x := range v {
		data = binary.LittleEndian.AppendUint64(data, uint64(x))
	}
	return mlir.Dense(mlir.Tensor(mlir.I64, int64(len(v)/2), 2), data)
}

func parseBools(lex *mlirtext.Stream) mlir.Attribute {
	a := mlir.DenseArrayAttr{Elem: mlir.I1, Ints: []int64{}}
	lex.List("[", "]", func() {
		t := lex.Next()
		if t.EOF() || t.Value != "true" && t.Value != "false" {
			lex.Stop(mlirtext.Unexpected(t, "true or false"))
		}
		b := int64(0)
		if t.Value == "true" {
			b = 1
		}
		a.Ints = append(a.Ints, b)
	})
	return a
}

func (convSyntax) Fits(op *mlir.Op) bool {
	if d, ok := op.Attrs.Get("dimension_numbers").(mlir.DialectAttr); !ok || !strings.HasPrefix(d.Text, "stablehlo.conv<[") || len(op.Operands) != 2 {
		return false
	}
	for _, p := range windowParts {
		a := op.Attrs.Get(p.attr)
		if a == nil {
			continue
		}
		d, list := a.(mlir.DenseArrayAttr)
		switch p.word {
		case "pad":
			if _, ok := pads(a); !ok {
				return false
			}
		case "reverse":
			if !list || d.Elem != mlir.I1 {
				return false
			}
		default:
			if !list || d.Elem != mlir.I64 {
				return false
			}
		}
	}
	return true
}

// pads returns the values of an attribute that is N pairs of i64.
func pads(a mlir.Attribute) ([]int64, bool) {
	d, ok := a.(*mlir.DenseAttr)
	if !ok || d.Type.Elem != mlir.I64 || len(d.Type.Shape) != 2 || d.Type.Shape[1] != 2 || d.Type.Encoding != nil {
		return nil, false
	}
	return mlir.Ints(d)
}

func (convSyntax) Print(p *mlirtext.Printer, op *mlir.Op) {
	p.Str("(")
	p.Uses(op.Operands)
	p.Str(") dim_numbers = ")
	text := op.Attrs.Get("dimension_numbers").(mlir.DialectAttr).Text
	p.Str(text[len("stablehlo.conv<") : len(text)-1])
	p.Str(", window = {")
	sep := ""
	for _, part := range windowParts {
		a := op.Attrs.Get(part.attr)
		if a == nil {
			continue
		}
		p.Str(sep + part.word + " = ")
		sep = ", "
		switch part.word {
		case "pad":
			printPads(p, a)
		case "reverse":
			p.Str("[" + strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(a.String(), ">"), "array<i1"), ": ") + "]")
		default:
			printInts(p, a.(mlir.DenseArrayAttr).Ints)
		}
	}
	p.Str("}")
}

func printPads(p *mlirtext.Printer, a mlir.Attribute) {
	v, _ := pads(a)
	p.Str("[")
	for i := 0; i < len(v); i += 2 {
		p.Comma(i)
		printInts(p, v[i:i+2])
	}
	p.Str("]")
}
