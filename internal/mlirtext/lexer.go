package mlirtext

import (
	"fmt"
	"strings"

	"ltc/internal/halt"
	"ltc/internal/lexeme"
	"ltc/mlir"
)

// maxDepth bounds how deep brackets nest, and so every recursion over a text.
const maxDepth = 200

// scanner makes the tokens of a text. It never fails: what cannot be lexed
// becomes a tokBad, so that errors come in the order of the text.
type scanner struct {
	text  string
	off   int
	line  int
	start int // offset of the current line
	depth int
	inner bool            // the text is one whole token, whose outermost layer is taken apart
	dims  bool            // the last token was the < of a tensor, or a dimension
	count int             // tokens made so far
	done  <-chan struct{} // of a context that ends the scan; may be nil
}

// bodyBytes and bodyTokens are how far a scan goes before it looks at its
// context again: tens of microseconds.
const (
	bodyBytes  = 1 << 16
	bodyTokens = 1 << 10
)

const contextDone = "the context is done"

func (s *scanner) pos() mlir.Pos { return mlir.Pos{Line: s.line, Col: s.off - s.start + 1} }

// next returns the next token; spaces and comments are skipped.
func (s *scanner) next() Token {
	s.space()
	t := Token{Pos: s.pos()}
	if s.off >= len(s.text) {
		return t
	}
	s.count++
	from := s.off
	dims := s.dims
	s.dims = false
	var bad string
	switch {
	case s.count%bodyTokens == 0 && halt.Closed(s.done):
		bad = contextDone
	case dims && s.dim():
		t.Type, s.dims = tokDim, true
	default:
		t.Type, bad = s.token()
		s.dims = s.inner && s.count == 2 && s.text[from] == '<' && strings.HasPrefix(s.text, "tensor")
	}
	t.Value = s.text[from:s.off]
	if bad != "" {
		t.Type, t.Value = tokBad, bad
		s.off = len(s.text) // nothing after it can be trusted
	}
	return t
}

func (s *scanner) space() {
	for s.off < len(s.text) {
		switch c := s.text[s.off]; {
		case c == '\n':
			s.off++
			s.line++
			s.start = s.off
		case c == ' ' || c == '\t' || c == '\r':
			s.off++
		case c == '/' && strings.HasPrefix(s.text[s.off:], "//"):
			if i := strings.IndexByte(s.text[s.off:], '\n'); i >= 0 {
				s.off += i
			} else {
				s.off = len(s.text)
			}
		default:
			return
		}
	}
}

// dim lexes 12x, ?x or *x.
func (s *scanner) dim() bool {
	i := s.off
	if c := s.text[i]; c == '?' || c == '*' {
		i++
	} else {
		for i < len(s.text) && lexeme.IsDigit(s.text[i]) {
			i++
		}
	}
	if i == s.off || i >= len(s.text) || s.text[i] != 'x' {
		return false
	}
	s.off = i + 1
	return true
}

// token lexes one token from s.off and leaves s.off after it.
func (s *scanner) token() (kind TokenKind, bad string) {
	c := s.text[s.off]
	switch {
	case lexeme.IsLetter(c):
		from := s.off
		s.ident("$.")
		if c == 'l' && s.locAlias(from) {
			return tokLoc, ""
		}
		return s.word(from)
	case lexeme.IsDigit(c), c == '-' && s.off+1 < len(s.text) && lexeme.IsDigit(s.text[s.off+1]):
		return s.number(), ""
	case c == '"':
		return StringToken, s.quoted()
	case c == '%' || c == '^':
		return s.value(c)
	case c == '@':
		s.off++
		if s.off < len(s.text) && s.text[s.off] == '"' {
			return tokSymbol, s.quoted()
		}
		return tokSymbol, s.suffix("a symbol")
	case c == '#' && strings.HasPrefix(s.text[s.off:], "#-}"):
		s.off += len("#-}")
		return tokPunct, ""
	case c == '#' || c == '!':
		kind = HashToken
		if c == '!' {
			kind = tokBang
		}
		s.off++
		if bad = s.suffix("an attribute or type"); bad == "" {
			bad = s.body()
		}
		return kind, bad
	}
	return s.punct(c)
}

func (s *scanner) punct(c byte) (TokenKind, string) {
	if c == '{' && strings.HasPrefix(s.text[s.off:], "{-#") {
		s.off += len("{-#") // it nests nothing: what is in it closes itself
		return tokPunct, ""
	}
	switch c {
	case '(', '[', '{':
		if s.depth++; s.depth > maxDepth {
			return tokBad, fmt.Sprintf("brackets nest deeper than %d", maxDepth)
		}
	case ')', ']', '}':
		s.depth--
	case '-', ':':
		if two := s.text[s.off:min(s.off+2, len(s.text))]; two == "->" || two == "::" {
			s.off += 2
			return tokPunct, ""
		}
	case '<', '>', ',', '=', '?', '*', '+', '|', '/':
	default:
		if c >= 0x80 || c < ' ' {
			return tokBad, fmt.Sprintf("unexpected character %q outside a string", []rune(s.text[s.off:min(s.off+4, len(s.text))])[0])
		}
		return tokBad, fmt.Sprintf("unexpected character %q", c)
	}
	s.off++
	return tokPunct, ""
}

// ident moves over letters, digits and the extra characters.
func (s *scanner) ident(extra string) {
	s.off = lexeme.IdentEnd(s.text, s.off, extra)
}

// suffix is what follows a sigil: digits, or a name that may hold $ . - too.
func (s *scanner) suffix(what string) string {
	from := s.off
	if from < len(s.text) && lexeme.IsDigit(s.text[from]) {
		for s.off < len(s.text) && lexeme.IsDigit(s.text[s.off]) {
			s.off++
		}
		return ""
	}
	s.ident("$.-")
	if s.off == from {
		return fmt.Sprintf("%q is not followed by the name of %s", s.text[from-1], what)
	}
	if s.text[s.off-1] == '-' && s.off < len(s.text) && s.text[s.off] == '>' {
		s.off-- // %x-> is %x and ->
	}
	return ""
}

func (s *scanner) value(sigil byte) (TokenKind, string) {
	s.off++
	if sigil == '^' {
		return tokBlock, s.suffix("a block")
	}
	if bad := s.suffix("a value"); bad != "" {
		return tokBad, bad
	}
	if s.off+1 < len(s.text) && s.text[s.off] == '#' && lexeme.IsDigit(s.text[s.off+1]) {
		for s.off++; s.off < len(s.text) && lexeme.IsDigit(s.text[s.off]); s.off++ {
		}
	}
	return ValueToken, ""
}

// locAlias moves over (#alias) behind the word loc that starts at from.
func (s *scanner) locAlias(from int) bool {
	const open = "loc(#"
	if !strings.HasPrefix(s.text[from:], open) {
		return false
	}
	back := s.off
	s.off = from + len(open)
	if s.suffix("") == "" && s.off < len(s.text) && s.text[s.off] == ')' {
		s.off++
		return true
	}
	s.off = back
	return false
}

// word decides what the identifier that starts at from is: some take the <…>
// behind them along.
func (s *scanner) word(from int) (TokenKind, string) {
	if s.inner && s.count == 1 || s.off >= len(s.text) || s.text[s.off] != '<' {
		return IdentToken, ""
	}
	switch s.text[from:s.off] {
	case "tensor", "complex", "tuple", "vector", "memref":
		return tokType, s.body()
	case "dense", "dense_resource":
		return DenseToken, s.body()
	case "affine_map", "affine_set", "strided", "sparse", "distinct":
		return tokVerbatim, s.body()
	case "array":
		return tokArray, s.body()
	}
	return IdentToken, ""
}

// body moves over a balanced <…>, if there is one here.
func (s *scanner) body() string {
	if s.inner && s.count == 1 || s.off >= len(s.text) || s.text[s.off] != '<' {
		return ""
	}
	var closers [maxDepth]byte
	n, poll := 0, s.off+bodyBytes
	for s.off < len(s.text) {
		if s.off >= poll {
			if poll = s.off + bodyBytes; halt.Closed(s.done) {
				return contextDone
			}
		}
		c := s.text[s.off]
		switch c {
		case '\n':
			s.line++
			s.start = s.off + 1
		case '"':
			if bad := s.quoted(); bad != "" {
				return bad
			}
			continue
		case '<', '(', '[', '{':
			if n == maxDepth {
				return fmt.Sprintf("brackets nest deeper than %d", maxDepth)
			}
			closers[n] = closer(c)
			n++
		case '-':
			if strings.HasPrefix(s.text[s.off:], "->") {
				s.off++
			}
		case '/':
			if strings.HasPrefix(s.text[s.off:], "//") {
				s.space()
				continue
			}
		case '>', ')', ']', '}':
			if c == '>' && strings.HasPrefix(s.text[s.off:], ">=") { // in an affine set
				break
			}
			if closers[n-1] != c {
				return fmt.Sprintf("%q closes nothing: %q is expected first", c, closers[n-1])
			}
			if n--; n == 0 {
				s.off++
				return ""
			}
		}
		s.off++
	}
	return "unexpected end of text inside <…>"
}

func closer(open byte) byte {
	switch open {
	case '<':
		return '>'
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// number lexes an integer, a hexadecimal one or a float.
func (s *scanner) number() TokenKind {
	if s.text[s.off] == '-' {
		s.off++
	}
	rest := s.text[s.off:]
	if len(rest) > 2 && rest[0] == '0' && rest[1] == 'x' && lexeme.IsHex(rest[2]) {
		for s.off += 2; s.off < len(s.text) && lexeme.IsHex(s.text[s.off]); s.off++ {
		}
		return IntToken
	}
	digits := func() {
		for s.off < len(s.text) && lexeme.IsDigit(s.text[s.off]) {
			s.off++
		}
	}
	digits()
	if s.off >= len(s.text) || s.text[s.off] != '.' {
		return IntToken
	}
	s.off++
	digits()
	if i := s.off; i+1 < len(s.text) && s.text[i]|0x20 == 'e' {
		i++
		if s.text[i] == '+' || s.text[i] == '-' {
			i++
		}
		if i < len(s.text) && lexeme.IsDigit(s.text[i]) {
			s.off = i
			digits()
		}
	}
	return tokFloat
}

// quoted moves over a string, megabytes of hexadecimal digits perhaps. Its
// escapes are checked when it is read.
func (s *scanner) quoted() string {
	for i := s.off + 1; ; i++ {
		n := strings.IndexByte(s.text[i:], '"')
		if n < 0 {
			if strings.IndexByte(s.text[i:], '\n') >= 0 {
				return "string without end on its line"
			}
			return "string without end"
		}
		part := s.text[i : i+n]
		if strings.IndexByte(part, '\n') >= 0 {
			return "string without end on its line"
		}
		i += n
		slashes := 0
		for slashes < n && s.text[i-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			s.off = i + 1
			return ""
		}
	}
}
