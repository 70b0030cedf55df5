package tokenizer

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of a file: they are far from what real ones have.
const (
	maxFile  = 1 << 30 // bytes
	maxDepth = 64      // arrays and objects in one another
	maxToken = 1 << 16 // bytes of a token
)

// reader reads JSON from its start to its end.
type reader struct {
	data  []byte
	pos   int
	later func(*value) bool // whether the array or object is kept raw
}

// errorAt returns an error about the text at the current place.
func (r *reader) errorAt(format string, args ...any) error {
	line := 1
	for _, b := range r.data[:min(r.pos, len(r.data))] {
		if b == '\n' {
			line++
		}
	}
	return fmt.Errorf("not JSON at byte %d, line %d: %w", r.pos, line, fmt.Errorf(format, args...))
}

func (r *reader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\n', '\t', '\r':
			r.pos++
		default:
			return
		}
	}
}

// next returns the next byte that is no white space, without reading it; 0 at the end.
func (r *reader) next() byte {
	r.space()
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

// take reads the given byte.
func (r *reader) take(b byte) error {
	if got := r.next(); got != b {
		if r.pos >= len(r.data) {
			return r.errorAt("the text ends where %q belongs: is the file whole?", b)
		}
		return r.errorAt("%q is where %q belongs", got, b)
	}
	r.pos++
	return nil
}

// more reads a comma, or reports false after the closing bracket. first says whether no element
// was read yet.
func (r *reader) more(closing byte, first bool) (bool, error) {
	if r.next() == closing {
		r.pos++
		return false, nil
	}
	if first {
		return true, nil
	}
	if err := r.take(','); err != nil {
		return false, err
	}
	return true, nil
}

// quoted reads a string and returns the text between its quotes, and whether it has escapes.
func (r *reader) quoted() (body []byte, escaped bool, err error) {
	if err := r.take('"'); err != nil {
		return nil, false, err
	}
	start := r.pos
	for i := start; i < len(r.data); i++ {
		switch b := r.data[i]; {
		case b == '"':
			r.pos = i + 1
			return r.data[start:i], escaped, nil
		case b == '\\':
			escaped = true
			i++
		case b < ' ':
			r.pos = i
			return nil, false, r.errorAt("a control character in a string: it must be escaped")
		}
	}
	r.pos = len(r.data)
	return nil, false, r.errorAt("a string has no end: is the file whole?")
}

// appendString reads a string and appends its text to dst. Text that is not UTF-8 is refused.
func (r *reader) appendString(dst []byte) ([]byte, error) {
	body, escaped, err := r.quoted()
	if err != nil {
		return dst, err
	}
	if !utf8.Valid(body) {
		return dst, r.errorAt("a string is not UTF-8")
	}
	if !escaped {
		return append(dst, body...), nil
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			dst = append(dst, body[i])
			continue
		}
		i++
		const plain, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		if k := strings.IndexByte(plain, body[i]); k >= 0 {
			dst = append(dst, means[k])
			continue
		}
		c, ok := escape(body[i:])
		if !ok {
			return dst, r.errorAt("unknown escape in %q", body)
		}
		i += 4
		if utf16.IsSurrogate(c) {
			low, ok := rune(0), false
			if i+1 < len(body) && body[i+1] == '\\' {
				low, ok = escape(body[i+2:])
			}
			if c = utf16.DecodeRune(c, low); !ok || c == utf8.RuneError {
				return dst, r.errorAt("half of a surrogate pair in %q", body)
			}
			i += 6
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst, nil
}

// escape returns the character of an escape, from its u on.
func escape(b []byte) (rune, bool) {
	if len(b) < 5 || b[0] != 'u' {
		return 0, false
	}
	var c rune
	for _, d := range b[1:5] {
		switch {
		case '0' <= d && d <= '9':
			c = c<<4 | rune(d-'0')
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			c = c<<4 | rune(d|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return c, true
}

// numeral reads a number. Its last bit is that of the library tokenizers, whose parser rounds twice:
// scores of Unigram models decide between ways to split a text that are as good but for that bit.
func (r *reader) numeral() (float64, error) {
	r.space()
	start, negative := r.pos, false
	if r.pos < len(r.data) && r.data[r.pos] == '-' {
		negative = true
		r.pos++
	}
	first := r.pos
	digits, _, exponent := r.digits(0)
	ok := r.pos > first
	if r.pos < len(r.data) && r.data[r.pos] == '.' {
		r.pos++
		first, fit := r.pos, 0
		digits, fit, _ = r.digits(digits)
		exponent -= fit
		ok = ok && r.pos > first
	}
	if r.pos < len(r.data) && r.data[r.pos]|0x20 == 'e' {
		first := r.pos + 1
		for r.pos++; r.pos < len(r.data) && strings.IndexByte("+-0123456789", r.data[r.pos]) >= 0; {
			r.pos++
		}
		e, err := strconv.Atoi(string(r.data[first:r.pos]))
		ok = ok && err == nil && -1e6 < e && e < 1e6
		exponent += e
	}
	f := scale(float64(digits), exponent)
	if !ok || math.IsInf(f, 0) {
		r.pos = start
		return 0, r.errorAt("a number belongs here")
	}
	if negative {
		f = -f
	}
	return f, nil
}

// digits reads digits that follow those of x. It returns x with them, how many of them fit, and how
// many do not.
func (r *reader) digits(x uint64) (_ uint64, fit, more int) {
	for ; r.pos < len(r.data); r.pos++ {
		d := uint64(r.data[r.pos] - '0')
		switch {
		case d > 9:
			return x, fit, more
		case more > 0 || x > (math.MaxUint64-d)/10:
			more++
		default:
			x, fit = x*10+d, fit+1
		}
	}
	return x, fit, more
}

// scale returns f times a power of ten.
func scale(f float64, exponent int) float64 {
	for ; exponent < -308 && f != 0; exponent += 308 {
		f /= 1e308
	}
	switch {
	case f == 0:
		return 0
	case exponent > 308:
		return math.Inf(1)
	case exponent >= 0:
		return f * powers[exponent]
	}
	return f / powers[-exponent]
}

// powers are those of ten.
var powers = func() (t [309]float64) {
	for i := range t {
		t[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return t
}()

// skip reads a value without looking at it closely.
func (r *reader) skip(depth int) error {
	if depth > maxDepth {
		return r.errorAt("arrays and objects are more than %d deep in one another", maxDepth)
	}
	switch open := r.next(); open {
	case '{', '[':
		r.pos++
		for first := true; ; first = false {
			more, err := r.more(open+2, first)
			if err != nil || !more {
				return err
			}
			if open == '{' {
				if _, _, err := r.quoted(); err != nil {
					return err
				}
				if err := r.take(':'); err != nil {
					return err
				}
			}
			if err := r.skip(depth + 1); err != nil {
				return err
			}
		}
	case '"':
		_, _, err := r.quoted()
		return err
	case 't', 'f', 'n', 0:
		_, err := r.value(nil, "", -1, depth)
		return err
	}
	_, err := r.numeral()
	return err
}

// words are the values that are words.
var words = [...]string{"null", "true", "false"}

// value reads a value.
func (r *reader) value(in *value, key string, index, depth int) (*value, error) {
	v := &value{in: in, key: key, index: index}
	if depth > maxDepth {
		return nil, r.errorAt("arrays and objects are more than %d deep in one another", maxDepth)
	}
	switch b := r.next(); b {
	case '{', '[':
		if r.later != nil && r.later(v) {
			v.kind, v.start = raw, r.pos
			err := r.skip(depth)
			v.end = r.pos
			return v, err
		}
		return v, r.members(v, b, depth)
	case '"':
		v.kind = text
		s, err := r.appendString(nil)
		v.text = string(s)
		return v, err
	case 't', 'f', 'n':
		for i, word := range words {
			if bytes.HasPrefix(r.data[r.pos:], []byte(word)) {
				r.pos += len(word)
				v.kind, v.flag = boolean, i == 1
				if i == 0 {
					v.kind = null
				}
				return v, nil
			}
		}
		return nil, r.errorAt("a value belongs here")
	case 0:
		return nil, r.errorAt("the text ends where a value belongs: is the file whole?")
	}
	v.kind = number
	f, err := r.numeral()
	v.number = f
	return v, err
}

// members reads the elements of an array or object, which opens with the given bracket.
func (r *reader) members(v *value, open byte, depth int) error {
	v.kind = array
	if open == '{' {
		v.kind = object
	}
	r.pos++
	for i := 0; ; i++ {
		more, err := r.more(open+2, i == 0)
		if err != nil || !more {
			return err
		}
		key, index := "", i
		if open == '{' {
			k, err := r.appendString(nil)
			if err != nil {
				return err
			}
			if err := r.take(':'); err != nil {
				return err
			}
			key, index = string(k), -1
		}
		e, err := r.value(v, key, index, depth+1)
		if err != nil {
			return err
		}
		v.items = append(v.items, e)
	}
}
