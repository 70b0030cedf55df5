package optest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// Call is an op as an archive writes it: matmul(x, y) or
// sum(x, axes = [0, 1]). In a bad call the operands have their types with
// them: matmul(x: f32[2,3], y: f32[4,5]).
type Call struct {
	Op       string
	Operands []string // in a bad call, their types
	Attrs    []Attr
}

// Attr is an attribute of a call.
type Attr struct{ Name, Text string }

// Operand is an argument of a run. Its dtype is that of the run unless it has
// one of its own.
type Operand struct {
	Name  string
	DType types.DType // Invalid: the run's
	Shape types.Shape
	Texts []string // the elements
}

// Run is a call with values, once for each of its dtypes.
type Run struct {
	Name     string // of its file in the archive
	Comment  []string
	Call     Call
	DTypes   []types.DType
	Over     string  // how the text names DTypes
	ULPs     float64 // how far results may be off
	Operands []Operand
	Results  []Operand // one for each dtype, or one for all; Texts ["?"] if not known yet
}

// classes are names of sets of dtypes.
var classes = map[string]ops.Constraint{
	"any": ops.Any, "numbers": ops.Number, "floats": ops.Float, "signed": ops.Signed,
	"integers": ops.Integer, "logical": ops.Logical, "complex": ops.Complex, "parts": ops.Part,
}

// ParseCall reads a call.
func ParseCall(s string) (Call, error) {
	op, rest, ok := strings.Cut(strings.TrimSpace(s), "(")
	if !ok || !strings.HasSuffix(rest, ")") {
		return Call{}, fmt.Errorf("%q: want op(operands, attribute = value)", s)
	}
	c := Call{Op: op}
	for _, part := range splitTop(strings.TrimSuffix(rest, ")")) {
		if name, text, ok := strings.Cut(part, " = "); ok {
			c.Attrs = append(c.Attrs, Attr{name, text})
		} else {
			c.Operands = append(c.Operands, part)
		}
	}
	return c, nil
}

// splitTop splits at commas outside brackets.
func splitTop(s string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range s + "," {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			if p := strings.TrimSpace(s[start:i]); p != "" {
				parts = append(parts, p)
			}
			start = i + 1
		}
	}
	return parts
}

// Attr returns the text of an attribute with T replaced by the dtype d; "" if
// there is none.
func (c Call) Attr(name string, d types.DType) string {
	for _, a := range c.Attrs {
		if a.Name == name && a.Text == "T" {
			return d.String()
		}
		if a.Name == name {
			return a.Text
		}
	}
	return ""
}

// ResultIndex returns which of several results the call is about: the attribute
// result, 0 without it.
func (c Call) ResultIndex() (int, error) {
	if c.Attr("result", 0) == "" {
		return 0, nil
	}
	return c.IntAttr("result")
}

// IntAttr returns an integer attribute.
func (c Call) IntAttr(name string) (int, error) { return strconv.Atoi(c.Attr(name, 0)) }

// IntsAttr returns a list like [1, -2].
func (c Call) IntsAttr(name string) ([]int, error) { return ParseInts(c.Attr(name, 0)) }

// ParseInts reads a list like [1, -2]; nothing is the empty list.
func ParseInts(s string) ([]int, error) {
	var all []int
	for _, f := range strings.FieldsFunc(strings.Trim(s, "[]"), func(c rune) bool { return c == ',' || c == ' ' }) {
		n, err := strconv.Atoi(f)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// parseRun reads the text of a run.
func parseRun(name, text string) (*Run, error) {
	r := &Run{Name: name}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		var err error
		switch {
		case line == "":
		case strings.HasPrefix(line, "#"):
			r.Comment = append(r.Comment, line)
		case r.Call.Op == "":
			err = r.header(line)
		default:
			err = r.values(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s.run: %q: %w", name, line, err)
		}
	}
	if len(r.Results) != 1 && len(r.Results) != len(r.DTypes) {
		return nil, fmt.Errorf("%s.run: %s for %s", name, diag.Count(len(r.Results), "result"), diag.Count(len(r.DTypes), "dtype"))
	}
	return r, nil
}

// header reads call "for" dtypes ["within" n "ulp"].
func (r *Run) header(line string) error {
	call, over, _ := strings.Cut(line, " for ")
	over, within, _ := strings.Cut(over, " within ")
	var err error
	if r.Call, err = ParseCall(call); err != nil {
		return err
	}
	if within != "" {
		if r.ULPs, err = strconv.ParseFloat(strings.TrimSuffix(within, " ulp"), 64); err != nil {
			return err
		}
	}
	r.Over = over
	for _, word := range strings.Fields(over) {
		if class, ok := classes[word]; ok {
			for _, d := range types.AllDTypes() {
				if class.Allows(d) && (class != ops.Any || d.IsReal()) {
					r.DTypes = append(r.DTypes, d)
				}
			}
			continue
		}
		d, ok := types.ParseDType(word)
		if !ok {
			return fmt.Errorf("there is no dtype %q", word)
		}
		r.DTypes = append(r.DTypes, d)
	}
	if len(r.DTypes) == 0 {
		return fmt.Errorf("want: call for dtypes")
	}
	return nil
}

// values reads name ": " dtype [dims] elements.
func (r *Run) values(line string) error {
	name, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("want name: [dims] elements")
	}
	dtype, rest, _ := strings.Cut(rest, "[")
	dims, rest, ok := strings.Cut(rest, "]")
	if !ok {
		return fmt.Errorf("want name: [dims] elements")
	}
	o := Operand{Name: name}
	var err error
	if dtype != "" {
		if o.DType, ok = types.ParseDType(dtype); !ok {
			return fmt.Errorf("there is no dtype %q", dtype)
		}
	}
	if o.Shape, err = ParseInts(dims); err != nil {
		return err
	}
	o.Texts = slices.DeleteFunc(strings.Fields(rest), func(s string) bool { return s == "|" })
	if name == "=" {
		r.Results = append(r.Results, o)
		return nil
	}
	r.Operands = append(r.Operands, o)
	return nil
}

// Tensor returns the operand's elements in a run with dtype d.
func (o Operand) Tensor(d types.DType) (*Tensor, error) {
	if o.DType.Valid() {
		d = o.DType
	}
	t := &Tensor{Type: types.Type{DType: d, Shape: o.Shape}}
	if len(o.Texts) != t.Type.Elements() {
		return nil, fmt.Errorf("%s: %s for %v", o.Name, diag.Count(len(o.Texts), "element"), t.Type)
	}
	for _, s := range o.Texts {
		e, err := ParseElem(d, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Name, err)
		}
		t.Elems = append(t.Elems, e)
	}
	return t, nil
}

// Unknown reports whether the result still stands to be written: "?".
func (r *Run) Unknown() bool { return slices.Equal(r.Results[0].Texts, []string{"?"}) }

// Result returns what the run for the dtype of index i is to give.
func (r *Run) Result(i int) (*Tensor, error) {
	return r.Results[min(i, len(r.Results)-1)].Tensor(r.DTypes[i])
}

// Fill writes the results, on one line when that says it for every dtype.
func (r *Run) Fill(results []*Tensor) {
	r.Results = nil
	for i, t := range results {
		o := Operand{Name: "=", DType: t.Type.DType, Shape: t.Type.Shape}
		for _, e := range t.Elems {
			o.Texts = append(o.Texts, FormatElem(t.Type.DType, e))
		}
		if o.DType == r.DTypes[i] && (len(r.DTypes) > 1) {
			o.DType = types.Invalid
		}
		r.Results = append(r.Results, o)
	}
	first := r.Results[0]
	for _, o := range r.Results {
		if o.DType != first.DType || !slices.Equal(o.Texts, first.Texts) {
			for i, t := range results {
				r.Results[i].DType = t.Type.DType
			}
			return
		}
	}
	r.Results = r.Results[:1]
}

// String prints the run as the archive holds it.
func (r *Run) String() string {
	var b strings.Builder
	for _, c := range r.Comment {
		b.WriteString(c + "\n")
	}
	b.WriteString(r.Call.String() + " for " + r.Over)
	if r.ULPs > 0 {
		fmt.Fprintf(&b, " within %v ulp", r.ULPs)
	}
	b.WriteByte('\n')
	for _, o := range slices.Concat(r.Operands, r.Results) {
		b.WriteString(o.String() + "\n")
	}
	return b.String()
}

// String prints the operand as name: dtype[dims] elements, a bar between rows.
func (o Operand) String() string {
	var b strings.Builder
	b.WriteString(o.Name + ": ")
	if o.DType.Valid() {
		b.WriteString(o.DType.String())
	}
	b.WriteString(o.Shape.String())
	for i, s := range o.Texts {
		if last := len(o.Shape) - 1; last > 0 && i > 0 && i%max(o.Shape[last], 1) == 0 {
			b.WriteString(" |")
		}
		b.WriteString(" " + s)
	}
	return b.String()
}

// String prints the call.
func (c Call) String() string {
	parts := slices.Clone(c.Operands)
	for _, a := range c.Attrs {
		parts = append(parts, a.Name+" = "+a.Text)
	}
	return c.Op + "(" + strings.Join(parts, ", ") + ")"
}

// Shown is the dtype, by its place in DTypes, whose graph and program the archive has:
// f32 where the run has it, or else the first. The others' differ in names of types, or
// in roundings beside the op.
func (r *Run) Shown() int { return max(slices.Index(r.DTypes, types.F32), 0) }
