// Package lexeme has the words that MLIR texts are made of: names, strings, numbers, and
// text that is kept as it stands.
//
// The package imports only ltc/internal/minifloat, ltc/ir/dims and the standard library.
package lexeme

import "strings"

// IsLetter reports whether c can begin a name.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool { return IsDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// HexDigit returns the value of a hexadecimal digit.
func HexDigit(c byte) byte {
	if IsDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// IdentEnd returns where letters, digits and the extra characters from i on end.
func IdentEnd(s string, i int, extra string) int {
	for i < len(s) && (IsLetter(s[i]) || IsDigit(s[i]) || strings.IndexByte(extra, s[i]) >= 0) {
		i++
	}
	return i
}

// BareName reports whether s can stand unquoted as the name of an attribute.
func BareName(s string) bool { return s != "" && IsLetter(s[0]) && IdentEnd(s, 0, "$.") == len(s) }

// Key returns the name of an attribute as it is written.
func Key(s string) string {
	if BareName(s) {
		return s
	}
	return Quote(s)
}

// Symbol returns the text of one symbol behind its @.
func Symbol(s string) string {
	if s != "" && IsLetter(s[0]) && IdentEnd(s, 0, "$.-") == len(s) {
		return s
	}
	return Quote(s)
}

// FlatSymbol reports whether a name prints as one symbol, not as nested ones.
func FlatSymbol(name string) bool { return name != "" && !strings.Contains(name, "::@") }

// Quote returns the string token that means s.
func Quote(s string) string {
	const hex = "0123456789ABCDEF"
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ' && c < 0x7f:
			b = append(b, c)
		default:
			b = append(b, '\\', hex[c>>4], hex[c&15])
		}
	}
	return string(append(b, '"'))
}

// Unquote returns what a string token means.
func Unquote(tok string) (string, bool) {
	s := tok[1 : len(tok)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s, true
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i++; i >= len(s) {
			return "", false
		}
		switch c := s[i]; {
		case c == 'n':
			b = append(b, '\n')
		case c == 't':
			b = append(b, '\t')
		case c == '"' || c == '\\':
			b = append(b, c)
		case IsHex(c) && i+1 < len(s) && IsHex(s[i+1]):
			b = append(b, HexDigit(c)<<4|HexDigit(s[i+1]))
			i++
		default:
			return "", false
		}
	}
	return string(b), true
}
