package tokenizer

import "unicode/utf8"

// piece is a part of the text while it is split. Its text is normalized.
type piece struct {
	text  []byte
	spans []Span // of each byte, in the input; nil if byte i is byte base+i of the input
	base  int
	id    int32 // of the added token that the piece is; -1 if it is none
	bytes bool  // the text has bytes that byteRunes are to stand for
}

// slice returns a part of the piece.
func (p piece) slice(start, end int) piece {
	p.text = p.text[start:end]
	if p.spans != nil {
		p.spans = p.spans[start:end]
	} else {
		p.base += start
	}
	return p
}

// start returns where the piece starts in the input.
func (p piece) start() int {
	if len(p.spans) > 0 {
		return p.spans[0].Start
	}
	return p.base
}

// preTokenizer splits pieces further. It appends to dst what becomes of a piece.
type preTokenizer interface {
	split(s *scratch, p piece, dst []piece) []piece
}

// behavior says what becomes of the matches of a pattern.
type behavior int

const (
	removed behavior = iota
	isolated
	withPrevious
	withNext
	contiguous
)

var behaviors = map[string]behavior{
	"Removed": removed, "Isolated": isolated, "MergedWithPrevious": withPrevious, "MergedWithNext": withNext, "Contiguous": contiguous,
}

type (
	// splitter splits at matches of a pattern; if inverted is set, at what is between them.
	splitter struct {
		pattern  pattern
		behavior behavior
		inverted bool
	}
	// bertSplitter splits at white space and punctuation.
	bertSplitter struct{}
	// metaspace writes a character in the place of blanks, and splits before it.
	metaspace struct {
		replacement rune
		first       prependScheme
		splits      bool
	}
	// byteLevel writes bytes as printable characters. scan splits the text before, if it is not nil.
	byteLevel struct {
		prefixSpace bool
		scan        scanner
		last        bool // no other pre-tokenizer follows, and the model takes bytes
	}
	// fixedLength splits after every so many characters.
	fixedLength int
)

// prependScheme says before which pieces metaspace writes its character.
type prependScheme int

const (
	always prependScheme = iota
	firstOnly
	never
)

func (x splitter) split(s *scratch, p piece, dst []piece) []piece {
	s.cuts = x.pattern.cuts(p.text, s.cuts[:0])
	if x.inverted {
		for i := range s.cuts {
			s.cuts[i].match = !s.cuts[i].match
		}
	}
	return appendCuts(dst, p, s.cuts, x.behavior)
}

// appendCuts appends the parts of a piece.
func appendCuts(dst []piece, p piece, cuts []cut, b behavior) []piece {
	switch b {
	case removed, isolated:
		for _, c := range cuts {
			if b == isolated || !c.match {
				dst = append(dst, p.slice(c.start, c.end))
			}
		}
	case contiguous, withPrevious:
		start, before := 0, false
		for i, c := range cuts {
			joined := b == contiguous && c.match == before || b == withPrevious && c.match && !before
			if i > 0 && !joined {
				dst = append(dst, p.slice(start, c.start))
				start = c.start
			}
			before = c.match
		}
		if n := len(p.text); start < n {
			dst = append(dst, p.slice(start, n))
		}
	case withNext:
		// A match goes with what follows, unless that is a match, too.
		start := 0
		for i, c := range cuts {
			if i > 0 && !(cuts[i-1].match && !c.match) {
				dst = append(dst, p.slice(start, c.start))
				start = c.start
			}
		}
		if n := len(p.text); start < n {
			dst = append(dst, p.slice(start, n))
		}
	}
	return dst
}

func (bertSplitter) split(_ *scratch, p piece, dst []piece) []piece {
	start, t := 0, classes()
	for i := 0; i < len(p.text); {
		bits, n := ascii[p.text[i]&0x7f], 1
		if p.text[i] >= utf8.RuneSelf {
			var r rune
			r, n = utf8.DecodeRune(p.text[i:])
			bits = t.of(r)
		}
		if bits&(white|bertPunct) != 0 {
			if start < i {
				dst = append(dst, p.slice(start, i))
			}
			if bits&bertPunct != 0 {
				dst = append(dst, p.slice(i, i+n))
			}
			start = i + n
		}
		i += n
	}
	if start < len(p.text) {
		dst = append(dst, p.slice(start, len(p.text)))
	}
	return dst
}

func (x metaspace) split(s *scratch, p piece, dst []piece) []piece {
	p = s.edit(p, func(q *sequence) {
		q.replaceRunes(func(r rune) rune {
			if r == ' ' {
				return x.replacement
			}
			return r
		})
		r, _ := utf8.DecodeRune(q.text)
		if r != x.replacement && (x.first == always || x.first == firstOnly && p.start() == 0) {
			q.prepend(string(x.replacement))
		}
	})
	if !x.splits {
		return append(dst, p)
	}
	s.cuts = runePattern(x.replacement).cuts(p.text, s.cuts[:0])
	return appendCuts(dst, p, s.cuts, withNext)
}

func (x byteLevel) split(s *scratch, p piece, dst []piece) []piece {
	if x.prefixSpace && (len(p.text) == 0 || p.text[0] != ' ') {
		p = s.edit(p, func(q *sequence) { q.prepend(" ") })
	}
	first := len(dst)
	if x.scan == nil {
		dst = append(dst, p)
	} else {
		for i := 0; i < len(p.text); {
			n := x.scan(p.text[i:])
			dst = append(dst, p.slice(i, i+n))
			i += n
		}
	}
	for i := first; i < len(dst); i++ {
		if x.last {
			dst[i].bytes = true
		} else {
			dst[i] = s.edit(dst[i], byteNormalizer{}.normalize)
		}
	}
	return dst
}

func (x fixedLength) split(_ *scratch, p piece, dst []piece) []piece {
	start, k := 0, 0
	for i := 0; i < len(p.text); {
		_, n := utf8.DecodeRune(p.text[i:])
		i += n
		if k++; k == int(x) || i == len(p.text) {
			dst = append(dst, p.slice(start, i))
			start, k = i, 0
		}
	}
	return dst
}
