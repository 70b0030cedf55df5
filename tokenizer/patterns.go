package tokenizer

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
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
	// last character to what follows, as the constant blanks says; -1 if there is none. If the
	// expression looks at what is before it, after finds the first match behind one character.
	regexPattern struct {
		regexp, after *regexp.Regexp
		blanks        int
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
		m := p.find(text, last)
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

// find returns the submatches of the first match in text[last:], with offsets from last.
func (p regexPattern) find(text []byte, last int) []int {
	if p.after == nil || last == 0 {
		return p.regexp.FindSubmatchIndex(text[last:])
	}
	_, n := utf8.DecodeLastRune(text[:last])
	m := p.after.FindSubmatchIndex(text[last-n:])
	if m == nil {
		return nil
	}
	m = m[2:] // of its first group
	for i := range m {
		if m[i] >= 0 {
			m[i] -= n
		}
	}
	return m
}

// looksBack reports whether an expression matches depending on what is before the match.
func looksBack(e *syntax.Regexp) bool {
	return e.Op == syntax.OpBeginLine || e.Op == syntax.OpBeginText || slices.ContainsFunc(e.Sub, looksBack)
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
	if e, err := syntax.Parse("(?m)"+translated, syntax.Perl); p.blanks >= 0 && err == nil && looksBack(e) {
		p.after, err = regexp.Compile(`(?m)\A(?s:.)(?s:.)*?(` + translated + ")")
		return p, err
	}
	return p, nil
}

// translatedWhite is Oniguruma's \s: that of package regexp is of ASCII, as are its \w and \d.
const (
	whiteSet        = `\t-\r \x{85}\p{Z}`
	translatedWhite = "[" + whiteSet + "]"
)

// property is a set of characters: those that have one class and not another.
type property struct{ bits, not class }

// properties are those of Unicode that models use, with the characters that Oniguruma's Unicode has.
// Package regexp has those of another version.
var properties = map[string]property{
	`\w`: {bits: regexWord}, `\d`: {bits: decimal}, `\p{L}`: {bits: letter}, `\p{M}`: {bits: mark}, `\p{N}`: {bits: digit}, `\p{P}`: {bits: punctuation}, `\p{S}`: {bits: symbol},
	`\p{Lu}`: {upper, title}, `\p{Lt}`: {bits: title}, `\p{Ll}`: {bits: lower}, `\p{Lm}`: {bits: modifier}, `\p{Lo}`: {caseless, modifier}, `\p{Nd}`: {bits: decimal},
}

// set returns the ranges of the escape that starts an expression, its length, and whether it stands
// for all other characters; "" if the escape is left to package regexp.
func set(expression string) (ranges string, length int, negated bool) {
	length = 2
	if strings.HasPrefix(expression, `\p{`) || strings.HasPrefix(expression, `\P{`) {
		length = strings.IndexByte(expression, '}') + 1
	}
	escape := expression[:max(length, 2)]
	positive := escape[:1] + strings.ToLower(escape[1:2]) + escape[2:]
	negated = positive != escape
	switch positive {
	case `\s`:
		return whiteSet, length, negated
	case `\h`:
		return `0-9a-fA-F`, length, negated
	}
	if p, ok := properties[positive]; ok {
		return classes().set(p.bits, p.not), length, negated
	}
	return "", 2, false
}

// translate returns a regular expression of Oniguruma in the syntax of package regexp.
func translate(expression string) (string, error) {
	var b strings.Builder
	depth := 0 // of brackets
	for i := 0; i < len(expression); i++ {
		c := expression[i]
		switch {
		case c == '\\' && i+1 < len(expression):
			if e := expression[i+1]; strings.IndexByte("bBGKRX", e) >= 0 && depth == 0 {
				return "", fmt.Errorf("the regular expression %q has \\%c, which Go's package regexp does not have for Unicode", expression, e)
			}
			ranges, n, negated := set(expression[i:])
			switch {
			case ranges == "":
				b.WriteString(expression[i : i+n])
			case depth == 0 && negated:
				b.WriteString("[^" + ranges + "]")
			case depth == 0:
				b.WriteString("[" + ranges + "]")
			case negated:
				return "", fmt.Errorf("the regular expression %q has %s within brackets: write what it stands for", expression, expression[i:i+n])
			default:
				b.WriteString(ranges)
			}
			i += n - 1
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
