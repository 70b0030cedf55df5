package mlir

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/internal/halt"
	"ltc/internal/lexeme"
	"ltc/internal/minifloat"
	"ltc/ir/dims"
)

// Decode returns the values of the literal in row-major order, each in the little-endian
// bytes of its type. A boolean and every integer of up to eight bits is one byte (0 or 1;
// sign-extended). Wider integers take the next of 2, 4 and 8 bytes, index takes 8, and
// complex numbers are pairs. A float of fewer bits than its bytes have holds them at the
// lower end: tf32 is the 19 highest bits of an f32 in four bytes. With splat set, data is
// one element that stands for all. The type must be static. The values of a parsed
// attribute are decoded once and belong to it: they must not be changed.
func (a *DenseAttr) Decode() (data []byte, splat bool, err error) {
	if a.values != nil {
		if a.Type.Elements() == 0 {
			return []byte{}, false, nil // of a splat of no elements, values is the one that is written
		}
		return a.values, a.splat, nil
	}
	d, e := a.decoder()
	if e == nil {
		data, splat, e = d.decode()
	}
	if e != nil {
		return nil, false, e
	}
	if d.want == 0 {
		return []byte{}, false, nil
	}
	return data, splat, nil
}

// Check reports whether the literal fits the type, which one that was read does. Literals
// of types whose values this package cannot read it takes as they are.
func (a *DenseAttr) Check() *Error {
	if a.checked {
		return nil
	}
	b := DenseAttr{Literal: a.Literal, Type: a.Type, Pos: a.Pos}
	return b.Read(nil)
}

// Read is Check that keeps the values. A channel done ends it when closed.
func (a *DenseAttr) Read(done <-chan struct{}) *Error {
	if !a.Type.Static() {
		return Errorf(a.Pos, "a dense literal needs a type with known dimensions, not %s", a.Type)
	}
	a.checked = true
	if elementSize(a.Type.Elem) == 0 {
		a.Literal = lexeme.Tidy(a.Literal)
		return nil
	}
	d, err := a.decoder()
	if err == nil {
		d.done = done
		a.values, a.splat, err = d.decode()
	}
	return err
}

// ElementBytes returns how many bytes an element of type t has in
// [DenseAttr.Decode]; 0 for a type whose values have no known form.
func ElementBytes(t Type) int { return elementSize(t) }

// elementSize is the number of bytes of an element in Decode; 0 if unknown.
func elementSize(t Type) int {
	switch t := t.(type) {
	case IntegerType:
		switch {
		case t.Width <= 8:
			return 1
		case t.Width <= 16:
			return 2
		case t.Width <= 32:
			return 4
		case t.Width <= 64:
			return 8
		}
	case IndexType:
		return 8
	case FloatType:
		switch t.Name {
		case "f64":
			return 8
		case "f32", "tf32":
			return 4
		case "f16", "bf16":
			return 2
		}
		if _, _, ok := minifloat.Of(t.Name); ok {
			return 1
		}
	case ComplexType:
		return 2 * elementSize(t.Elem)
	}
	return 0
}

// ReadResource makes a the resource with the given name, whose values are the raw bytes
// that the hexadecimal digits say.
func (a *DenseAttr) ReadResource(name, digits string) *Error {
	a.Resource, a.Literal, a.checked = name, "", true
	d, err := a.decoder()
	if err != nil {
		return err
	}
	a.values, a.splat, err = d.hexDigits(digits)
	return err
}

// denseDecoder reads one literal.
type denseDecoder struct {
	*DenseAttr
	text  string
	off   int
	elem  Type // of the parts, for complex numbers
	pair  bool
	size  int // bytes of an element
	want  int64
	shape []int64
	data  []byte
	count int64
	done  <-chan struct{} // of a context; may be nil
}

func (a *DenseAttr) decoder() (*denseDecoder, *Error) {
	size := elementSize(a.Type.Elem)
	if size == 0 || !a.Type.Static() {
		return nil, Errorf(a.Pos, "dense literals of type %s cannot be read", a.Type)
	}
	d := &denseDecoder{DenseAttr: a, text: a.Literal, elem: a.Type.Elem, size: size, want: a.Type.Elements(), shape: a.Type.Shape}
	if c, ok := a.Type.Elem.(ComplexType); ok {
		d.elem, d.pair = c.Elem, true
	}
	return d, nil
}

func (d *denseDecoder) fail(off int, format string, args ...any) *Error {
	head := d.text[:off]
	if n := strings.Count(head, "\n"); n > 0 {
		return Errorf(Pos{d.Pos.Line + n, off - strings.LastIndexByte(head, '\n')}, format, args...)
	}
	if d.Pos.Line == 0 {
		return Errorf(Pos{}, format, args...)
	}
	return Errorf(Pos{d.Pos.Line, d.Pos.Col + off}, format, args...)
}

func (d *denseDecoder) decode() ([]byte, bool, *Error) {
	d.space()
	switch {
	case d.off == len(d.text):
		if d.want != 0 {
			return nil, false, d.fail(d.off, "dense<> has no elements but %s has %d", d.Type, d.want)
		}
		return []byte{}, false, nil
	case d.text[d.off] == '"':
		return d.hex()
	case d.text[d.off] != '[':
		return d.splat()
	}
	d.data = []byte{}
	if hint := d.want * int64(d.size); hint > 0 && hint <= int64(len(d.text))*int64(d.size) {
		d.data = make([]byte, 0, hint)
	}
	if err := d.list(0); err != nil {
		return nil, false, err
	}
	if err := d.end(); err != nil {
		return nil, false, err
	}
	return d.data, false, nil
}

func (d *denseDecoder) splat() ([]byte, bool, *Error) {
	if err := d.element(); err != nil {
		return nil, false, err
	}
	if err := d.end(); err != nil {
		return nil, false, err
	}
	return d.data, d.want > 1 || dims.IsExpr(d.want), nil
}

func (d *denseDecoder) end() *Error {
	if d.space(); d.off < len(d.text) {
		return d.fail(d.off, "unexpected '%s' behind the literal", lexeme.Clip(d.text[d.off:]))
	}
	return nil
}

func (d *denseDecoder) space() {
	for d.off < len(d.text) {
		switch d.text[d.off] {
		case ' ', '\n', '\t', '\r':
			d.off++
		case '/':
			if !strings.HasPrefix(d.text[d.off:], "//") {
				return
			}
			if i := strings.IndexByte(d.text[d.off:], '\n'); i >= 0 {
				d.off += i
			} else {
				d.off = len(d.text)
			}
		default:
			return
		}
	}
}

// list reads [a, b] of the dimension at depth, which must have its size.
func (d *denseDecoder) list(depth int) *Error {
	from := d.off
	if depth >= len(d.shape) {
		return d.fail(from, "the literal has more than the %s of %s", diag.Count(len(d.shape), "dimension"), d.Type)
	}
	d.off++ // [
	n := int64(0)
	for d.space(); ; d.space() {
		if d.off >= len(d.text) {
			return d.fail(d.off, "']' is expected at the end of the literal")
		}
		if d.text[d.off] == ']' && n == 0 {
			break
		}
		var err *Error
		switch {
		case d.text[d.off] == '[':
			err = d.list(depth + 1)
		case depth+1 < len(d.shape):
			return d.fail(d.off, "'[' is expected: dimension %d of %s is a list", depth+1, d.Type)
		default:
			err = d.element()
		}
		if err != nil {
			return err
		}
		if n++; n%(1<<14) == 0 && halt.Closed(d.done) {
			return d.fail(d.off, "the context is done")
		}
		d.space()
		if d.off < len(d.text) && d.text[d.off] == ',' {
			d.off++
			continue
		}
		break
	}
	if d.off >= len(d.text) || d.text[d.off] != ']' {
		return d.fail(d.off, "',' or ']' is expected in the literal")
	}
	d.off++
	if n != d.shape[depth] {
		return d.fail(from, "the list has %s but dimension %d of %s has %d", diag.Count(n, "element"), depth, d.Type, d.shape[depth])
	}
	return nil
}

// element reads a number, or (re, im).
func (d *denseDecoder) element() *Error {
	if !d.pair {
		return d.scalar()
	}
	for _, mark := range []byte{'(', ','} {
		if d.space(); d.off >= len(d.text) || d.text[d.off] != mark {
			return d.fail(d.off, "a complex number is written (re, im)")
		}
		d.off++
		d.space()
		if err := d.scalar(); err != nil {
			return err
		}
	}
	if d.space(); d.off >= len(d.text) || d.text[d.off] != ')' {
		return d.fail(d.off, "a complex number is written (re, im)")
	}
	d.off++
	return nil
}

func (d *denseDecoder) scalar() *Error {
	from := d.off
	for d.off < len(d.text) {
		c := d.text[d.off]
		if !lexeme.IsLetter(c) && !lexeme.IsDigit(c) && c != '.' && c != '-' && c != '+' {
			break
		}
		d.off++
	}
	s := d.text[from:d.off]
	if s == "" {
		return d.fail(from, "a number is expected")
	}
	bits, ok := scalarBits(s, d.elem)
	if !ok {
		return d.fail(from, "%s is not a number of type %s", lexeme.Clip(s), d.elem)
	}
	size := d.size
	if d.pair {
		size /= 2
	}
	d.data = appendBits(d.data, bits, size)
	return nil
}

func appendBits(b []byte, v uint64, size int) []byte {
	switch size {
	case 1:
		return append(b, byte(v))
	case 2:
		return binary.LittleEndian.AppendUint16(b, uint16(v))
	case 4:
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(b, v)
}

// scalarBits returns the bits of the literal s as a value of type t.
func scalarBits(s string, t Type) (uint64, bool) {
	switch t := t.(type) {
	case IntegerType:
		switch s {
		case "true":
			return 1, t.Width == 1
		case "false":
			return 0, t.Width == 1
		}
		if !lexeme.IsDigit(s[len(s)-1]) && !lexeme.IsHex(s[len(s)-1]) {
			return 0, false
		}
		v, ok := intText(s, t)
		if ok && t.Width == 1 {
			v &= 1
		} else if ok && t.Sign != Unsigned && t.Width < 64 {
			shift := 64 - t.Width
			v = v << shift >> shift
		}
		return uint64(v), ok
	case IndexType:
		v, ok := intText(s, I64)
		return uint64(v), ok
	case FloatType:
		return lexeme.FloatBits(s, t.Name)
	}
	return 0, false
}

// ParseInt reads a decimal or hexadecimal integer that fits t. A signless type
// takes both the signed and the unsigned range.
func ParseInt(s string, t Type) (int64, bool) {
	it, ok := t.(IntegerType)
	if !ok {
		it = I64
	}
	width := min(it.Width, 64)
	v, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		u, uerr := strconv.ParseUint(s, 0, 64)
		return int64(u), uerr == nil && width == 64 && it.Sign != Signed
	}
	if width == 64 {
		return v, it.Sign != Unsigned || v >= 0
	}
	low, high := -int64(1)<<(width-1), int64(1)<<width-1
	switch it.Sign {
	case Unsigned:
		low = 0
	case Signed:
		high = int64(1)<<(width-1) - 1
	}
	return v, low <= v && v <= high
}

// intText is [ParseInt] for text that has not been through the lexer.
func intText(s string, t Type) (int64, bool) {
	digits := strings.TrimPrefix(s, "-")
	if !strings.HasPrefix(digits, "0x") {
		for i := range len(digits) {
			if !lexeme.IsDigit(digits[i]) {
				return 0, false
			}
		}
		if len(digits) > 1 {
			// strconv would take a leading 0 for octal.
			if digits = strings.TrimLeft(digits, "0"); digits == "" {
				digits = "0"
			}
			if s[0] == '-' {
				s = "-" + digits
			} else {
				s = digits
			}
		}
	} else if strings.IndexByte(s, '_') >= 0 {
		return 0, false
	}
	return ParseInt(s, t)
}

// hex reads "0x…", the raw bytes of all elements or of one. Booleans are a
// byte each, or eight to a byte from the lowest bit up.
func (d *denseDecoder) hex() ([]byte, bool, *Error) {
	s, ok := strings.CutSuffix(strings.TrimRight(d.text[d.off:], " \n\t\r"), "\"")
	s, ok2 := strings.CutPrefix(s, "\"0x")
	if !ok || !ok2 {
		return nil, false, d.fail(d.off, "a string in a dense literal is hexadecimal: \"0x…\"")
	}
	return d.hexDigits(s)
}

// hexDigits is hex without what is around the digits.
func (d *denseDecoder) hexDigits(s string) ([]byte, bool, *Error) {
	data, ok := unhex(s)
	if !ok {
		return nil, false, d.fail(d.off, "the string is not hexadecimal digits in pairs")
	}
	n, size := int64(len(data)), int64(d.size)
	packed := d.elem == I1 && n == (d.want+7)/8 && n != d.want
	switch {
	case packed && !d.pair:
		all := make([]byte, d.want)
		for i := range all {
			all[i] = data[i/8] >> (i % 8) & 1
		}
		return all, false, nil
	case d.want <= math.MaxInt64/size && n == d.want*size, n == size && d.want > 0:
	default:
		return nil, false, d.fail(d.off, "the string has %s but %s has %s of %d", diag.Count(n, "byte"), d.Type, diag.Count(d.want, "element"), size)
	}
	d.normalize(data)
	return data, n == size && d.want > 1, nil
}

// normalize brings raw bytes of narrow integers to the form of Decode.
func (d *denseDecoder) normalize(data []byte) {
	t, ok := d.elem.(IntegerType)
	if !ok || t.Width >= 8 {
		return
	}
	shift := 8 - t.Width
	for i, b := range data {
		switch {
		case t.Width == 1:
			data[i] = min(b, 1)
		case t.Sign == Unsigned:
			data[i] = b << shift >> shift
		default:
			data[i] = byte(int8(b<<shift) >> shift)
		}
	}
}

// unhex decodes pairs of digits.
func unhex(s string) ([]byte, bool) {
	if len(s)%2 != 0 {
		return nil, false
	}
	data := make([]byte, len(s)/2)
	bad := uint8(0)
	for i := range data {
		high, low := hexValue[s[2*i]], hexValue[s[2*i+1]]
		bad |= high | low
		data[i] = high<<4 | low&15
	}
	return data, bad < 16
}

// hexValue is the value of a digit, and 0x80 of what is none.
var hexValue = func() (t [256]uint8) {
	for c := range t {
		t[c] = 0x80
		if lexeme.IsHex(byte(c)) {
			t[c] = lexeme.HexDigit(byte(c))
		}
	}
	return t
}()
