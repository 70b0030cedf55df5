package kernel

import (
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
)

// Parse reads one kernel from the text form that [Kernel.String] prints. Parse checks the form
// and resolves the names; [Verify] checks the rest. Values may have any names of letters, digits
// and underscores; Kernel.String replaces them by numbers. Comments begin with // and end with
// their line. An error is a *diag.Error.
func Parse(text string) (*Kernel, error) {
	p := newParser(text)
	k := p.kernel()
	if p.err == nil && !p.atEnd() {
		p.failf("expected the end of the text")
	}
	if p.err != nil {
		return nil, p.err
	}
	return k, nil
}

// ParseAll reads all kernels of a text; see [Parse].
func ParseAll(text string) ([]*Kernel, error) {
	p := newParser(text)
	var all []*Kernel
	for p.err == nil && !p.atEnd() {
		all = append(all, p.kernel())
	}
	if p.err != nil {
		return nil, p.err
	}
	return all, nil
}

// parser keeps its first error: after it, its methods return zero values.
type parser struct {
	src    diag.Source
	text   string
	pos    int
	err    error
	k      *Kernel
	axes   []Axis // those in scope
	values map[string]ID
}

func newParser(text string) *parser {
	return &parser{src: diag.Source{Text: text}, text: text}
}

func (p *parser) failf(format string, args ...any) {
	if p.err == nil {
		p.err = p.src.Errorf(p.pos, format, args...)
	}
}

// space skips white space and comments.
func (p *parser) space() {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.pos++
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			p.pos += len(line)
		default:
			return
		}
	}
}

func (p *parser) atEnd() bool {
	p.space()
	return p.pos == len(p.text)
}

// accept skips s, a punctuation or a whole word, if it comes next.
func (p *parser) accept(s string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.text[p.pos:], s)
	if p.err != nil || !ok || wordByte(s[len(s)-1]) && rest != "" && wordByte(rest[0]) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.failf("expected %q", s)
	}
}

func wordByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// word reads letters, digits and underscores: at least one.
func (p *parser) word(want string) string {
	p.space()
	start := p.pos
	for p.pos < len(p.text) && wordByte(p.text[p.pos]) {
		p.pos++
	}
	if p.pos == start {
		p.failf("expected %s", want)
	}
	return p.text[start:p.pos]
}

// list reads items up to the closing bracket, with commas between them.
func (p *parser) list(open, end string, item func()) {
	p.expect(open)
	for first := true; p.err == nil && !p.accept(end); first = false {
		if !first {
			p.expect(",")
		}
		item()
	}
}

func (p *parser) kernel() *Kernel {
	p.k, p.values = &Kernel{}, map[string]ID{}
	p.expect("kernel")
	p.k.Name = p.word("the kernel's name")
	p.list("(", ")", p.param)
	p.expect("{")
	for p.accept("for") {
		p.k.Axes = append(p.k.Axes, p.axis())
	}
	for p.accept("local") {
		l := Local{Name: p.word("the local's name")}
		p.expect(":")
		l.DType = p.dtype()
		p.list("[", "]", func() { l.Dims = append(l.Dims, p.size()) })
		p.k.Locals = append(p.k.Locals, l)
	}
	for p.accept("stage") {
		p.stage()
	}
	p.expect("}")
	return p.k
}

func (p *parser) param() {
	a := Param{Name: p.word("an operand's name")}
	if a.Name == "out" && !p.accept(":") {
		a.Out, a.Name = true, p.word("an operand's name")
		p.expect(":")
	} else if a.Name != "out" {
		p.expect(":")
	}
	a.DType = p.dtype()
	p.list("[", "]", func() { a.Dims = append(a.Dims, p.size()) })
	if p.accept("strides") {
		p.list("[", "]", func() {
			for s := AnyStride; s <= TableStride; s++ {
				if p.accept(s.String()) {
					a.Strides = append(a.Strides, s)
					return
				}
			}
			p.failf("expected the class of a stride: *, 1, 0 or table")
		})
	}
	p.k.Params = append(p.k.Params, a)
}

func (p *parser) dtype() types.DType {
	p.space()
	start := p.pos
	d, ok := types.ParseDType(p.word("a type"))
	if !ok {
		p.pos = start
		p.failf("expected a type of elements, such as f32")
	}
	return d
}

func (p *parser) axis() Axis {
	a := Axis{Name: p.word("an axis's name")}
	less := p.accept("<")
	if a.Name == "scan" && !less {
		a.Kind, a.Name = ScanAxis, p.word("an axis's name")
		if less = p.accept("<"); a.Name == "reverse" && !less {
			a.Kind, a.Name = ReverseAxis, p.word("an axis's name")
		}
	}
	if !less {
		p.expect("<")
	}
	a.Size = p.size()
	return a
}

// mostSizes bounds the run-time sizes of a text.
const mostSizes = 1 << 10

// size reads 12 or n3.
func (p *parser) size() Size {
	w := p.word("a size: a number, or n0, n1, …")
	if digits, ok := strings.CutPrefix(w, "n"); ok {
		i, err := strconv.ParseUint(digits, 10, 31)
		if err != nil || i >= mostSizes {
			p.failf("%s is not a size: want a number, or n0, n1, …", w)
			return 0
		}
		p.k.Sizes = max(p.k.Sizes, int(i)+1)
		return Sym(int(i))
	}
	n, err := strconv.ParseInt(w, 10, 64)
	if err != nil {
		p.failf("%s is not a size: want a number, or n0, n1, …", w)
	}
	return Size(n)
}

func (p *parser) stage() {
	s := Stage{Begin: ID(len(p.k.Instrs))}
	for p.err == nil && !p.accept("{") {
		s.Axes = append(s.Axes, p.axis())
	}
	p.axes = slices.Concat(p.k.Axes, s.Axes)
	for p.err == nil && !p.accept("}") {
		name := ""
		if p.accept("%") {
			name = p.word("a value's name")
			p.expect("=")
		}
		i := p.instr(name != "")
		if _, known := p.values[name]; known {
			p.failf("%%%s is there already", name)
		}
		if name != "" {
			p.values[name] = ID(len(p.k.Instrs))
		}
		p.k.Instrs = append(p.k.Instrs, i)
	}
	s.End = ID(len(p.k.Instrs))
	p.k.Stages = append(p.k.Stages, s)
}

// value reads the use of a value, such as %3.
func (p *parser) value() ID {
	p.expect("%")
	name := p.word("a value's name")
	id, ok := p.values[name]
	if !ok {
		p.failf("there is no value %%%s before", name)
	}
	return id
}
