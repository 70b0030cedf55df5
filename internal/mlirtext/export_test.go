package mlirtext

// What tests of package mlirtext_test see.

// The kinds of marks and of numbers with a fraction or an exponent.
const (
	PunctToken = tokPunct
	FloatToken = tokFloat
)

// FuzzToken is where a token of a text is.
type FuzzToken struct {
	Kind     TokenKind
	From, To int
}

// TokensOf are the tokens of a text; inner takes apart those that are whole
// types and attributes.
func TokensOf(text string, inner bool) []FuzzToken {
	s := scanner{text: text, line: 1, inner: inner}
	var list []FuzzToken
	for {
		s.count = 0 // an inner scanner takes its first token apart: each is the first
		t := s.next()
		if t.EOF() || t.Type == tokBad {
			return list
		}
		list = append(list, FuzzToken{t.Type, s.off - len(t.Value), s.off})
	}
}
