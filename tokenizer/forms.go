package tokenizer

import (
	"slices"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// form is a normal form of Unicode.
type form struct{ compatible, composed bool }

// change is a character of the normalized text. n says how many characters it takes from the
// text before: 1 for n = 0, 1-n for n < 0, and none for n > 0, when it goes with the last one.
type change struct {
	r   rune
	raw bool // a byte that is not UTF-8
	ccc uint8
	n   int
}

// Hangul syllables are composed by arithmetic: Unicode, section 3.12.
const (
	hangul, hangulEnd                = 0xAC00, 0xAC00 + 19*21*28
	leading, vowel, trailing         = 0x1100, 0x1161, 0x11A7
	leadings, vowels, trailings      = 19, 21, 28
	vowelsTrailings             rune = vowels * trailings
)

func (f form) normalize(s *sequence) {
	i := 0
	for i < len(s.text) && s.text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(s.text) || f.table().QuickSpan(s.text) == len(s.text) {
		return
	}
	s.changes = f.decompose(s.changes[:0], s.text)
	if f.composed {
		s.changes = compose(s.changes)
	}
	s.apply(s.changes, 0)
}

// table returns the form of package norm. That has a newer Unicode than the library tokenizers.
func (f form) table() norm.Form {
	switch f {
	case form{composed: true}:
		return norm.NFC
	case form{compatible: true}:
		return norm.NFKD
	case form{compatible: true, composed: true}:
		return norm.NFKC
	}
	return norm.NFD
}

// decompose returns the characters of the decomposed text in canonical order.
func (f form) decompose(all []change, text []byte) []change {
	t, starter := classes(), 0 // all[starter:] are to be sorted
	table := form{compatible: f.compatible}.table()
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		c := change{r: r, raw: r == utf8.RuneError && n == 1}
		first := len(all)
		switch bits := t.of(r); {
		case c.raw:
			c.r = rune(text[i])
			all = append(all, c)
		case hangul <= r && r < hangulEnd:
			x := r - hangul
			all = append(all, change{r: leading + x/vowelsTrailings}, change{r: vowel + x%vowelsTrailings/trailings, n: 1})
			if x%trailings != 0 {
				all = append(all, change{r: trailing + x%trailings, n: 1})
			}
		case bits&decomposes != 0:
			d := table.Properties(text[i:]).Decomposition()
			if d == nil {
				d = text[i : i+n]
			}
			for j := 0; j < len(d); {
				r, n := utf8.DecodeRune(d[j:])
				all = append(all, change{r: r, ccc: combining(t, d[j:], r), n: min(j, 1)})
				j += n
			}
		default:
			c.ccc = combining(t, text[i:], r)
			all = append(all, c)
		}
		for k := first; k < len(all); k++ {
			if all[k].ccc == 0 {
				reorder(all[starter:k])
				starter = k + 1
			}
		}
		i += n
	}
	reorder(all[starter:])
	return all
}

// combining returns the combining class of the first character of text, which is r.
func combining(t *classTable, text []byte, r rune) uint8 {
	if t.of(r)&reorders == 0 {
		return 0
	}
	return norm.NFD.Properties(text).CCC()
}

func reorder(marks []change) {
	if len(marks) > 1 {
		slices.SortStableFunc(marks, func(a, b change) int { return int(a.ccc) - int(b.ccc) })
	}
}

// compose puts together what it can of decomposed text, in place.
func compose(all []change) []change {
	out, starter, last := 0, -1, -1 // out[starter] is what marks go with, last the class of the last mark kept
	for _, c := range all {
		if starter >= 0 && (last < int(c.ccc) || last < 0) {
			if r := composite(all[starter], c); r != 0 {
				all[starter].r = r
				all[starter].n += c.n - 1
				continue
			}
		}
		if c.ccc == 0 {
			starter, last = out, -1
		} else if starter >= 0 {
			last = int(c.ccc)
		}
		all[out] = c
		out++
	}
	return all[:out]
}

// composite returns the character that two compose; 0 if there is none.
func composite(a, b change) rune {
	switch {
	case a.raw || b.raw:
		return 0
	case leading <= a.r && a.r < leading+leadings && vowel <= b.r && b.r < vowel+vowels:
		return hangul + (a.r-leading)*vowelsTrailings + (b.r-vowel)*trailings
	case hangul <= a.r && a.r < hangulEnd && (a.r-hangul)%trailings == 0 && trailing < b.r && b.r < trailing+trailings:
		return a.r + b.r - trailing
	case classOf(b.r)&mark == 0:
		return 0
	}
	var pair, both [2 * utf8.UTFMax]byte
	p := utf8.AppendRune(utf8.AppendRune(pair[:0], a.r), b.r)
	q := norm.NFC.Append(both[:0], p...)
	r, n := utf8.DecodeRune(q)
	if n != len(q) || classOf(r)&decomposes == 0 {
		return 0
	}
	return r
}

// apply writes the text anew as the given characters. skipped is the bytes at the start that none
// of them takes.
func (s *sequence) apply(all []change, skipped int) {
	s.begin()
	i, last := skipped, Span{s.base, s.base} // last is the last character taken
	if !s.identical() {
		last = Span{s.spans[0].Start, s.spans[0].Start}
	}
	for _, c := range all {
		from := last
		for k := c.n; k <= 0 && i < len(s.text); k++ {
			_, n := utf8.DecodeRune(s.text[i:])
			last = s.span(i, n)
			if i += n; k == c.n {
				from = last
			}
		}
		if c.raw {
			s.out, s.outSpans = append(s.out, byte(c.r)), append(s.outSpans, from)
			continue
		}
		s.put(c.r, from)
	}
	s.commit()
}
