package tokenizer

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// decoder turns tokens into text, in steps. With raw, bytes that are not UTF-8 stay as they are.
type decoder interface {
	decode(tokens []string, raw bool) []string
}

type (
	// wordPieceDecoder puts blanks between tokens without the prefix.
	wordPieceDecoder struct {
		prefix  string
		cleanup bool
	}
	// byteLevelDecoder turns printable characters into the bytes that they stand for.
	byteLevelDecoder struct{}
	// metaspaceDecoder turns a character into blanks, but for that at the start.
	metaspaceDecoder struct {
		replacement rune
		keep        bool // at the start
	}
	// bpeDecoder turns a suffix of tokens into blanks.
	bpeDecoder struct{ suffix string }
	// fuseDecoder joins tokens.
	fuseDecoder struct{}
	// stripDecoder drops a character at the ends of tokens, up to so many times.
	stripDecoder struct {
		content     rune
		start, stop int
	}
	// fallbackDecoder turns tokens such as <0x0A> into bytes.
	fallbackDecoder struct{}
	// replaceDecoder writes content where the pattern matches.
	replaceDecoder struct {
		pattern pattern
		content string
	}
	// ctcDecoder drops tokens that repeat the one before, and padding.
	ctcDecoder struct {
		pad, delimiter string
		cleanup        bool
	}
)

// cleanups are what tokenizers of words leave to mend, in order.
var cleanups = []string{" .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m", " do not", " don't", " 's", "'s", " 've", "'ve", " 're", "'re"}

func cleanUp(s string) string {
	for i := 0; i < len(cleanups); i += 2 {
		s = strings.ReplaceAll(s, cleanups[i], cleanups[i+1])
	}
	return s
}

func (d wordPieceDecoder) decode(tokens []string, _ bool) []string {
	for i, s := range tokens {
		if i > 0 {
			if tail, ok := strings.CutPrefix(s, d.prefix); ok {
				s = tail
			} else {
				s = " " + s
			}
		}
		if d.cleanup {
			s = cleanUp(s)
		}
		tokens[i] = s
	}
	return tokens
}

func (byteLevelDecoder) decode(tokens []string, raw bool) []string {
	var b []byte
	for _, s := range tokens {
		var ok bool
		if b, ok = appendBytes(b, s); !ok {
			b = append(b, s...)
		}
	}
	if raw {
		return []string{string(b)}
	}
	return []string{valid(b)}
}

func (d metaspaceDecoder) decode(tokens []string, _ bool) []string {
	for i, s := range tokens {
		blank := " "
		if i == 0 && !d.keep {
			blank = ""
		}
		tokens[i] = strings.ReplaceAll(s, string(d.replacement), blank)
	}
	return tokens
}

func (d bpeDecoder) decode(tokens []string, _ bool) []string {
	for i, s := range tokens {
		blank := " "
		if i == len(tokens)-1 {
			blank = ""
		}
		tokens[i] = strings.ReplaceAll(s, d.suffix, blank)
	}
	return tokens
}

func (fuseDecoder) decode(tokens []string, _ bool) []string {
	return []string{strings.Join(tokens, "")}
}

func (d stripDecoder) decode(tokens []string, _ bool) []string {
	for i, s := range tokens {
		c := string(d.content)
		for n := 0; n < d.start && strings.HasPrefix(s, c); n++ {
			s = s[len(c):]
		}
		for n := 0; n < d.stop && strings.HasSuffix(s, c); n++ {
			s = s[:len(s)-len(c)]
		}
		tokens[i] = s
	}
	return tokens
}

func (fallbackDecoder) decode(tokens []string, raw bool) []string {
	var all []string
	var group []byte
	end := func() {
		switch {
		case len(group) == 0:
		case raw || utf8.Valid(group):
			all = append(all, string(group))
		default:
			all = append(all, slices.Repeat([]string{string(utf8.RuneError)}, len(group))...)
		}
		group = group[:0]
	}
	for _, s := range tokens {
		if b, ok := fallbackByte(s); ok {
			group = append(group, b)
			continue
		}
		end()
		all = append(all, s)
	}
	end()
	return all
}

// fallbackByte returns the byte that a token such as <0x0A> stands for.
func fallbackByte(s string) (byte, bool) {
	if len(s) != 6 || s[:3] != "<0x" || s[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(s[3:5], 16, 8)
	return byte(b), err == nil
}

func (d replaceDecoder) decode(tokens []string, _ bool) []string {
	var cuts []cut
	for i, s := range tokens {
		cuts = d.pattern.cuts([]byte(s), cuts[:0])
		var b strings.Builder
		for _, c := range cuts {
			if c.match {
				b.WriteString(d.content)
			} else {
				b.WriteString(s[c.start:c.end])
			}
		}
		tokens[i] = b.String()
	}
	return tokens
}

func (d ctcDecoder) decode(tokens []string, _ bool) []string {
	var all []string
	for _, s := range slices.Compact(tokens) {
		s = strings.ReplaceAll(s, d.pad, "")
		if d.cleanup {
			s = strings.ReplaceAll(cleanUp(s), d.delimiter, " ")
		}
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

// valid returns text in which U+FFFD stands for each longest part that starts a character but is
// not one, and for each other byte that is not UTF-8. Browsers do the same.
func valid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = max(partial(b), 1)
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// partial returns the bytes at the start of text that start a character of which others are missing;
// 0 if there are none.
func partial(b []byte) int {
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch c := b[0]; {
	case 0xC2 <= c && c <= 0xDF:
		need = 2
	case 0xE0 <= c && c <= 0xEF:
		need = 3
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case 0xF0 <= c && c <= 0xF4:
		need = 4
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	default:
		return 0
	}
	n := 1
	for n < min(need, len(b)) && low <= b[n] && b[n] <= high {
		n, low, high = n+1, 0x80, 0xBF
	}
	if n == need {
		return 0
	}
	return n
}
