package tokenizer

import (
	"unicode/utf8"
)

// normalizer rewrites text before it is split.
type normalizer interface{ normalize(s *sequence) }

type (
	// normalizers run one after the other.
	normalizers []normalizer
	// bertNormalizer is that of BERT.
	bertNormalizer struct{ clean, ideographs, accents, lowercase bool }
	// lowercaseNormalizer puts text into lower case.
	lowercaseNormalizer struct{}
	// accentNormalizer drops combining marks.
	accentNormalizer struct{}
	// stripNormalizer drops white space at the ends.
	stripNormalizer struct{ left, right bool }
	// prependNormalizer writes text in front.
	prependNormalizer struct{ prefix string }
	// replaceNormalizer writes content where the pattern matches.
	replaceNormalizer struct {
		pattern pattern
		content string
	}
	// nmtNormalizer drops and replaces control characters.
	nmtNormalizer struct{}
	// byteNormalizer writes each byte as a printable character.
	byteNormalizer struct{}
)

func (all normalizers) normalize(s *sequence) {
	for _, n := range all {
		n.normalize(s)
	}
}

func (lowercaseNormalizer) normalize(s *sequence) { s.lowercase() }
func (n stripNormalizer) normalize(s *sequence)   { s.strip(n.left, n.right) }
func (n prependNormalizer) normalize(s *sequence) { s.prepend(n.prefix) }

func (accentNormalizer) normalize(s *sequence) {
	s.filter(func(r rune) bool { return classOf(r)&accent == 0 })
}

func (n bertNormalizer) normalize(s *sequence) {
	if n.clean && n.plain(s.text) {
		return
	}
	if n.clean {
		s.filter(func(r rune) bool {
			return r == '\t' || r == '\n' || r == '\r' || r != utf8.RuneError && classOf(r)&control == 0
		})
		s.replaceRunes(func(r rune) rune {
			if classOf(r)&white != 0 {
				return ' '
			}
			return r
		})
	}
	if n.ideographs {
		n.isolateIdeographs(s)
	}
	if n.accents {
		form{}.normalize(s)
		s.filter(func(r rune) bool { return classOf(r)&nonspacing == 0 })
	}
	if n.lowercase {
		s.lowercase()
	}
}

// plain normalizes ASCII text in place, up to the first character that is not simple, and reports
// whether there was none.
func (n bertNormalizer) plain(text []byte) bool {
	for i, b := range text {
		switch {
		case b > '~':
			return false
		case b <= ' ':
			if b < ' ' && b != '\t' && b != '\n' && b != '\r' {
				return false
			}
			text[i] = ' '
		case n.lowercase && 'A' <= b && b <= 'Z':
			text[i] = b + 'a' - 'A'
		}
	}
	return true
}

// isolateIdeographs writes blanks around CJK ideographs.
func (bertNormalizer) isolateIdeographs(s *sequence) {
	for i := 0; i < len(s.text); {
		r, n := utf8.DecodeRune(s.text[i:])
		if !ideograph(r) {
			i += n
			continue
		}
		s.begin()
		s.keep(0, i)
		for i < len(s.text) {
			r, n := utf8.DecodeRune(s.text[i:])
			if from := s.span(i, n); ideograph(r) {
				s.put(' ', from)
				s.put(r, from)
				s.put(' ', from)
			} else {
				s.keep(i, i+n)
			}
			i += n
		}
		s.commit()
		return
	}
}

// ideograph reports whether BERT splits words at a character. The ranges are those of BERT's code.
func ideograph(r rune) bool {
	if r < 0x3400 {
		return false
	}
	return r <= 0x4DBF || 0x4E00 <= r && r <= 0x9FFF || 0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x2A6DF ||
		0x2A700 <= r && r <= 0x2B81F || 0x2B920 <= r && r <= 0x2CEAF || 0x2F800 <= r && r <= 0x2FA1F
}

func (n replaceNormalizer) normalize(s *sequence) {
	cuts := n.pattern.cuts(s.text, nil)
	found := false
	for _, c := range cuts {
		found = found || c.match
	}
	if !found {
		return
	}
	s.begin()
	for _, c := range cuts {
		if !c.match {
			s.keep(c.start, c.end)
			continue
		}
		// The content comes from the last character of the match.
		_, k := utf8.DecodeLastRune(s.text[:c.end])
		s.putString(n.content, s.span(c.end-k, k))
	}
	s.commit()
}

func (nmtNormalizer) normalize(s *sequence) {
	s.filter(func(r rune) bool {
		return !(0x01 <= r && r <= 0x08 || r == 0x0B || 0x0E <= r && r <= 0x1F || r == 0x7F || r == 0x8F || r == 0x9F)
	})
	s.replaceRunes(func(r rune) rune {
		switch r {
		case 0x09, 0x0A, 0x0C, 0x0D, 0x1680, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD:
			return ' '
		}
		return r
	})
}

func (byteNormalizer) normalize(s *sequence) {
	s.begin()
	for i := 0; i < len(s.text); {
		_, n := utf8.DecodeRune(s.text[i:])
		from := s.span(i, n)
		for _, b := range s.text[i : i+n] {
			s.put(byteRunes[b], from)
		}
		i += n
	}
	s.commit()
}
