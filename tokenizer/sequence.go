package tokenizer

import "unicode/utf8"

// Span is a part of a text, from byte Start up to byte End.
type Span struct{ Start, End int }

// sequence is text while it is normalized. It knows of each character from which bytes of the
// input it comes. Bytes that are not UTF-8 are characters of one byte.
type sequence struct {
	text  []byte
	spans []Span // of each byte; empty if byte i is byte base+i of the input
	base  int

	// What the current step writes.
	out      []byte
	outSpans []Span
	changes  []change // of normal forms
}

// load sets the text to that of the input from byte base on.
func (s *sequence) load(text string, base int) {
	s.text, s.spans, s.base = append(s.text[:0], text...), s.spans[:0], base
}

// identical reports whether byte i is byte base+i of the input.
func (s *sequence) identical() bool { return len(s.spans) == 0 }

// span returns where the character of n bytes at byte i comes from.
func (s *sequence) span(i, n int) Span {
	if s.identical() {
		return Span{s.base + i, s.base + i + n}
	}
	return Span{s.spans[i].Start, s.spans[i+n-1].End}
}

// begin begins a step that writes the text anew.
func (s *sequence) begin() { s.out, s.outSpans = s.out[:0], s.outSpans[:0] }

// put writes a character that comes from the given bytes of the input.
func (s *sequence) put(r rune, from Span) {
	n := len(s.out)
	s.out = utf8.AppendRune(s.out, r)
	for range len(s.out) - n {
		s.outSpans = append(s.outSpans, from)
	}
}

// putString writes text all of which comes from the given bytes of the input.
func (s *sequence) putString(text string, from Span) {
	s.out = append(s.out, text...)
	for range len(text) {
		s.outSpans = append(s.outSpans, from)
	}
}

// keep writes bytes i to end of the text as they are.
func (s *sequence) keep(i, end int) {
	s.out = append(s.out, s.text[i:end]...)
	if !s.identical() {
		s.outSpans = append(s.outSpans, s.spans[i:end]...)
		return
	}
	for i < end {
		_, n := utf8.DecodeRune(s.text[i:end])
		for range n {
			s.outSpans = append(s.outSpans, Span{s.base + i, s.base + i + n})
		}
		i += n
	}
}

// commit ends the step: what it wrote is the text.
func (s *sequence) commit() {
	s.text, s.out = s.out, s.text
	s.spans, s.outSpans = s.outSpans, s.spans
}

// filter drops the characters that keep refuses.
func (s *sequence) filter(keep func(rune) bool) {
	for i := 0; i < len(s.text); {
		r, n := utf8.DecodeRune(s.text[i:])
		if keep(r) {
			i += n
			continue
		}
		s.begin()
		s.keep(0, i)
		for i < len(s.text) {
			r, n := utf8.DecodeRune(s.text[i:])
			if keep(r) {
				s.keep(i, i+n)
			}
			i += n
		}
		s.commit()
		return
	}
}

// replaceRunes puts other characters in the place of those for which with returns one, not itself.
func (s *sequence) replaceRunes(with func(rune) rune) {
	for i := 0; i < len(s.text); {
		r, n := utf8.DecodeRune(s.text[i:])
		if to := with(r); to == r || (r == utf8.RuneError && n == 1) {
			i += n
			continue
		} else if r < utf8.RuneSelf && to < utf8.RuneSelf {
			s.text[i] = byte(to)
			i++
			continue
		}
		s.begin()
		s.keep(0, i)
		for i < len(s.text) {
			r, n := utf8.DecodeRune(s.text[i:])
			if to := with(r); to == r || (r == utf8.RuneError && n == 1) {
				s.keep(i, i+n)
			} else {
				s.put(to, s.span(i, n))
			}
			i += n
		}
		s.commit()
		return
	}
}

// lowercase puts all characters into lower case.
func (s *sequence) lowercase() {
	const dotted = 'İ'
	for i := 0; i < len(s.text); i++ {
		switch b := s.text[i]; {
		case 'A' <= b && b <= 'Z':
			s.text[i] = b + 'a' - 'A'
		case b >= utf8.RuneSelf:
			// A capital I with a dot becomes two characters: write the text anew.
			for k := i; k < len(s.text); {
				r, n := utf8.DecodeRune(s.text[k:])
				if r == dotted {
					s.begin()
					s.keep(0, k)
					for k < len(s.text) {
						r, n := utf8.DecodeRune(s.text[k:])
						if r == dotted {
							s.putString("i̇", s.span(k, n))
						} else {
							s.keep(k, k+n)
						}
						k += n
					}
					s.commit()
					break
				}
				k += n
			}
			s.replaceRunes(toLower)
			return
		}
	}
}

// prepend writes text in front of the text, if there is any. It comes from the first character.
func (s *sequence) prepend(prefix string) {
	if len(s.text) == 0 {
		return
	}
	_, n := utf8.DecodeRune(s.text)
	s.begin()
	s.putString(prefix, s.span(0, n))
	s.keep(0, len(s.text))
	s.commit()
}

// strip drops white space at the ends.
func (s *sequence) strip(left, right bool) {
	i, end := 0, len(s.text)
	for left && i < end {
		r, n := utf8.DecodeRune(s.text[i:])
		if classOf(r)&white == 0 {
			break
		}
		i += n
	}
	for right && i < end {
		r, n := utf8.DecodeLastRune(s.text[i:end])
		if classOf(r)&white == 0 {
			break
		}
		end -= n
	}
	if i == 0 && end == len(s.text) {
		return
	}
	s.begin()
	s.keep(i, end)
	s.commit()
}
