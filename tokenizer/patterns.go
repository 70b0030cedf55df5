package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// cut is a part of a text that matches a pattern, or one between matches.
type cut struct {
	start, end int
	match      bool
}

// pattern finds matches in text. The cuts, which it appends to all, cover the text.
type pattern interface {
	cuts(text []byte, all []cut) []cut
}

type (
	// classPattern matches each character that has one of the classes.
	classPattern class
	// literalPattern matches itself.
	literalPattern string
	// runePattern matches a character.
	runePattern rune
	// regexPattern matches a regular expression. blanks is the group of white space that leaves its
	// last character to what follows, as the constant blanks says; -1 if there is none.
	regexPattern struct {
		regexp *regexp.Regexp
		blanks int
	}
	// scanner returns the end of the match at the start of the text, which is not empty.
	scanner func(text []byte) int
)

func (p classPattern) cuts(text []byte, all []cut) []cut {
	last, t := 0, classes()
	for i := 0; i < len(text); {
		var bits class
		n := 1
		if b := text[i]; b < utf8.RuneSelf {
			bits = ascii[b]
		} else {
			var r rune
			r, n = utf8.DecodeRune(text[i:])
			bits = t.of(r)
		}
		if bits&class(p) != 0 {
			all = appendMatch(all, last, i, i+n)
			last = i + n
		}
		i += n
	}
	return appendRest(all, last, len(text))
}

// appendMatch appends a match, and what is between it and the last one.
func appendMatch(all []cut, last, start, end int) []cut {
	if last < start {
		all = append(all, cut{last, start, false})
	}
	return append(all, cut{start, end, true})
}

func appendRest(all []cut, last, end int) []cut {
	if last < end {
		all = append(all, cut{last, end, false})
	}
	return all
}

func (p literalPattern) cuts(text []byte, all []cut) []cut {
	last := 0
	for {
		i := bytes.Index(text[last:], []byte(p))
		if i < 0 {
			return appendRest(all, last, len(text))
		}
		all = appendMatch(all, last, last+i, last+i+len(p))
		last += i + len(p)
	}
}

func (p runePattern) cuts(text []byte, all []cut) []cut {
	var b [utf8.UTFMax]byte
	n, last := utf8.EncodeRune(b[:], rune(p)), 0
	for {
		i := bytes.Index(text[last:], b[:n])
		if i < 0 {
			return appendRest(all, last, len(text))
		}
		all = appendMatch(all, last, last+i, last+i+n)
		last += i + n
	}
}

func (p regexPattern) cuts(text []byte, all []cut) []cut {
	last := 0
	if p.blanks < 0 {
		for _, m := range p.regexp.FindAllIndex(text, -1) {
			if m[0] < m[1] { // an empty match splits nothing off
				all = appendMatch(all, last, m[0], m[1])
				last = m[1]
			}
		}
		return appendRest(all, last, len(text))
	}
	for last < len(text) {
		m := p.regexp.FindSubmatchIndex(text[last:])
		if m == nil {
			break
		}
		start, end := last+m[0], last+m[1]
		if m[2*p.blanks] >= 0 && end < len(text) {
			// The last blank belongs to what follows, unless it is the only one.
			if _, n := utf8.DecodeLastRune(text[start:end]); end-n > start {
				end -= n
			}
		}
		if start == end {
			_, n := utf8.DecodeRune(text[start:])
			if n == 0 {
				break
			}
			all = appendRest(all, last, start+n)
			last = start + n
			continue
		}
		all = appendMatch(all, last, start, end)
		last = end
	}
	return appendRest(all, last, len(text))
}

func (p scanner) cuts(text []byte, all []cut) []cut {
	for i := 0; i < len(text); {
		n := p(text[i:])
		all = append(all, cut{i, i + n, true})
		i += n
	}
	return all
}

// blanks is how patterns of GPT-2 and its successors end: white space but the last character,
// which goes with what follows.
const blanks = `|\s+(?!\S)|\s+`

// compilePattern returns the pattern of a regular expression of the library Oniguruma.
func compilePattern(expression string) (pattern, error) {
	if s, ok := scanners[expression]; ok {
		return s, nil
	}
	p := regexPattern{}
	rest, known := strings.CutSuffix(expression, blanks)
	translated, err := translate(rest)
	if err != nil {
		return nil, err
	}
	if known {
		translated = "(?:" + translated + `)|(?P<blanks>` + translatedWhite + "+)"
	}
	if p.regexp, err = regexp.Compile("(?m)" + translated); err != nil {
		if e := (*syntax.Error)(nil); errors.As(err, &e) {
			return nil, fmt.Errorf("the regular expression %q has %s, which Go's package regexp does not have: %s", expression, e.Expr, e.Code)
		}
		return nil, err
	}
	p.blanks = p.regexp.SubexpIndex("blanks")
	return p, nil
}

// Oniguruma's \s, \w and \d are of Unicode, Go's of ASCII.
const (
	whiteSet        = `\t-\r \x{85}\p{Z}`
	wordSet         = `\p{L}\p{M}\p{N}\p{Pc}`
	translatedWhite = "[" + whiteSet + "]"
)

// translate returns a regular expression of Oniguruma in the syntax of package regexp.
func translate(expression string) (string, error) {
	var b strings.Builder
	depth := 0 // of brackets
	for i := 0; i < len(expression); i++ {
		c := expression[i]
		switch {
		case c == '\\' && i+1 < len(expression):
			i++
			set, negated := "", false
			switch e := expression[i]; e {
			case 'b', 'B', 'G', 'K', 'R', 'X':
				return "", fmt.Errorf("the regular expression %q has \\%c, which Go's package regexp does not have for Unicode", expression, e)
			case 's', 'S':
				set, negated = whiteSet, e == 'S'
			case 'w', 'W':
				set, negated = wordSet, e == 'W'
			case 'd', 'D':
				set, negated = `\p{Nd}`, e == 'D'
			case 'h':
				set = `0-9a-fA-F`
			}
			switch {
			case set == "":
				b.WriteByte('\\')
				b.WriteByte(expression[i])
			case depth == 0 && negated:
				b.WriteString("[^" + set + "]")
			case depth == 0:
				b.WriteString("[" + set + "]")
			case negated:
				return "", fmt.Errorf("the regular expression %q has \\%c within brackets: write what it stands for", expression, expression[i])
			default:
				b.WriteString(set)
			}
			continue
		case c == '[' && depth > 0 && !strings.HasPrefix(expression[i:], "[:"):
			return "", fmt.Errorf("the regular expression %q has brackets within brackets: write one set", expression)
		case c == '&' && depth > 0 && strings.HasPrefix(expression[i:], "&&"):
			return "", fmt.Errorf("the regular expression %q has && within brackets: write one set", expression)
		case c == '[':
			depth++
			if depth == 1 && strings.HasPrefix(expression[i:], "[^]") || strings.HasPrefix(expression[i:], "[]") {
				return "", fmt.Errorf("the regular expression %q has an empty set of brackets: write \\]", expression)
			}
			if depth == 2 { // [:alpha:]
				end := strings.Index(expression[i:], ":]")
				if end < 0 {
					return "", fmt.Errorf("the regular expression %q has [: without :]", expression)
				}
				b.WriteString(expression[i : i+end+2])
				i += end + 1
				depth--
				continue
			}
		case c == ']' && depth > 0:
			depth--
		case c == '(' && depth == 0 && strings.HasPrefix(expression[i:], "(?"):
			for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!", "(?>"} {
				if strings.HasPrefix(expression[i:], look) {
					return "", fmt.Errorf("the regular expression %q has %s, which Go's package regexp does not have, and it is not one of those known: those of GPT-2, Llama 3, Qwen 2, or any that ends with %s", expression, look, blanks)
				}
			}
		case c == '+' && depth == 0 && i > 0 && strings.IndexByte("+*?", expression[i-1]) >= 0 && (i < 2 || expression[i-2] != '\\'):
			return "", fmt.Errorf("the regular expression %q has a possessive quantifier, %s, which Go's package regexp does not have", expression, expression[i-1:i+1])
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}
