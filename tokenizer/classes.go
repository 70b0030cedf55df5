package tokenizer

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// class is a set of properties of a character. They are those that the library tokenizers knows,
// whose parts follow different versions of Unicode: models were trained on what it does.
type class uint32

// The order is that of CLASSES in tools/goldens/tokenizers/classes.py.
const (
	letter      class = 1 << iota // \p{L}
	mark                          // \p{M}
	digit                         // \p{N}
	punctuation                   // \p{P}
	symbol                        // \p{S}
	upper                         // \p{Lu} and \p{Lt}
	lower                         // \p{Ll}
	caseless                      // \p{Lm} and \p{Lo}
	white                         // White_Space
	wordRune                      // \w
	numeric                       // what the pre-tokenizer Digits splits at
	bertPunct                     // what BertPreTokenizer splits at, besides white space
	control                       // what BertNormalizer drops from text
	nonspacing                    // what BertNormalizer drops as an accent
	accent                        // what StripAccents drops
	reorders                      // has a combining class other than 0
	decomposes                    // has a decomposition
	regexWord                     // \w in a Split or Replace
	decimal                       // \d in those
	title                         // \p{Lt}
	modifier                      // \p{Lm}
)

//go:embed classes.txt
var classesText string

// classTable has the classes of characters, as runs of characters with the same.
type classTable struct {
	starts []rune
	bits   []class
	pages  [unicode.MaxRune>>8 + 2]uint16 // the run with the first character of a page of 256
	lower  map[rune]rune                  // besides those that package unicode knows
}

var classes = sync.OnceValue(func() *classTable {
	t := &classTable{lower: map[rune]rune{}}
	for line := range strings.Lines(classesText) {
		line, isLower := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "lower ")
		a, b, _ := strings.Cut(line, " ")
		x, _ := strconv.ParseUint(a, 16, 32)
		y, _ := strconv.ParseUint(b, 16, 32)
		if isLower {
			t.lower[rune(x)] = rune(y)
			continue
		}
		t.starts, t.bits = append(t.starts, rune(x)), append(t.bits, class(y))
	}
	run := 0
	for p := range t.pages {
		for run+1 < len(t.starts) && t.starts[run+1] <= rune(p)<<8 {
			run++
		}
		t.pages[p] = uint16(run)
	}
	return t
})

// of returns the classes of a character.
func (t *classTable) of(r rune) class {
	if uint32(r) > unicode.MaxRune {
		return 0
	}
	first, last := int(t.pages[r>>8]), int(t.pages[r>>8+1])
	for first < last {
		if m := (first + last + 1) / 2; t.starts[m] <= r {
			first = m
		} else {
			last = m - 1
		}
	}
	return t.bits[first]
}

// set returns the characters that have one class and not another, as ranges within the brackets of a
// regular expression.
func (t *classTable) set(bits, not class) string {
	var b strings.Builder
	for i, start := range t.starts {
		if t.bits[i]&bits == 0 || t.bits[i]&not != 0 {
			continue
		}
		end := rune(unicode.MaxRune)
		if i+1 < len(t.starts) {
			end = t.starts[i+1] - 1
		}
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, start, end)
	}
	return b.String()
}

// ascii has the classes of ASCII.
var ascii = func() (t [128]class) {
	const punct = "!\"#%&'()*,-./:;?@[\\]_{}"
	for i := range t {
		b := byte(i)
		switch {
		case 'a' <= b && b <= 'z':
			t[i] = letter | lower | wordRune | regexWord
		case 'A' <= b && b <= 'Z':
			t[i] = letter | upper | wordRune | regexWord
		case '0' <= b && b <= '9':
			t[i] = digit | numeric | decimal | wordRune | regexWord
		case b == ' ':
			t[i] = white
		case '\t' <= b && b <= '\r':
			t[i] = white
			if b == '\v' || b == '\f' {
				t[i] |= control
			}
		case b < ' ' || b == 0x7f:
			t[i] = control
		case strings.IndexByte(punct, b) >= 0:
			t[i] = punctuation | bertPunct
		default:
			t[i] = symbol | bertPunct
		}
	}
	t['_'] |= wordRune | regexWord
	return t
}()

// classOf returns the classes of a character.
func classOf(r rune) class {
	if uint32(r) < 128 {
		return ascii[r]
	}
	return classes().of(r)
}

// toLower returns a character in lower case. That of U+0130 is i and a dot above: see lowercase.
func toLower(r rune) rune {
	if l := unicode.ToLower(r); l != r || r < 128 {
		return l
	}
	if l, ok := classes().lower[r]; ok {
		return l
	}
	return r
}
