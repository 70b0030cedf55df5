package tokenizer

import (
	"slices"
	"unicode/utf8"
)

// Encoding is a text, or a pair of texts, as tokens. All slices have one element for each token.
type Encoding struct {
	IDs               []int32
	TypeIDs           []int32  // 0 for the first text and what goes with it, 1 for the second
	AttentionMask     []int32  // 1, or 0 for padding
	SpecialTokensMask []int32  // 1 for tokens that are not of the text, and for padding
	Words             []int32  // the number of the piece of text that the token is a part of; -1 for special tokens
	Offsets           []Span   // the bytes of the text that the token comes from; none for special tokens
	Tokens            []string // the tokens themselves, as Tokenizer.Token returns them, or the text where it is unknown to a Unigram model
}

// Len returns the number of tokens.
func (e *Encoding) Len() int { return len(e.IDs) }

// span returns where bytes start to end of the piece come from. Bytes of one character come from all
// of it.
func (p piece) span(start, end int) Span {
	if p.spans != nil {
		return Span{p.spans[start].Start, p.spans[end-1].End}
	}
	from, _ := character(p.text, start)
	_, to := character(p.text, end-1)
	return Span{p.base + from, p.base + to}
}

// character returns the ends of the character that has byte i.
func character(text []byte, i int) (start, end int) {
	if text[i] < utf8.RuneSelf {
		return i, i + 1
	}
	for k := i; k >= 0 && k > i-utf8.UTFMax; k-- {
		if utf8.RuneStart(text[k]) {
			if _, n := utf8.DecodeRune(text[k:]); k+n > i {
				return k, k + n
			}
			break
		}
	}
	return i, i + 1
}

// add adds the tokens of a piece.
func (e *Encoding) add(t *Tokenizer, p piece, tokens []token, word int32) {
	for _, x := range tokens {
		text := x.text
		if text == "" {
			text = t.show(x.id, p)
		}
		e.IDs = append(e.IDs, x.id)
		e.Words = append(e.Words, word)
		e.Offsets = append(e.Offsets, p.span(x.start, x.end))
		e.Tokens = append(e.Tokens, text)
	}
}

// show returns the text of a token: that of an added token is what was found of it.
func (t *Tokenizer) show(id int32, p piece) string {
	token := t.Token(id)
	if p.id >= 0 && string(p.text) != token {
		return string(p.text)
	}
	return token
}

// reset makes the encoding empty.
func (e *Encoding) reset() {
	clear(e.Tokens)
	e.IDs, e.TypeIDs, e.AttentionMask, e.SpecialTokensMask = e.IDs[:0], e.TypeIDs[:0], e.AttentionMask[:0], e.SpecialTokensMask[:0]
	e.Words, e.Offsets, e.Tokens = e.Words[:0], e.Offsets[:0], e.Tokens[:0]
}

// complete sets the slices that add does not.
func (e *Encoding) complete(typeID int32) {
	n := e.Len()
	e.TypeIDs = fill(e.TypeIDs, n, typeID)
	e.AttentionMask = fill(e.AttentionMask, n, 1)
	e.SpecialTokensMask = fill(e.SpecialTokensMask, n, 0)
}

// fill returns a slice of n elements, all x.
func fill(s []int32, n int, x int32) []int32 {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = x
	}
	return s
}

// cut drops the tokens but those from start to end.
func (e *Encoding) cut(start, end int) {
	e.IDs, e.Words, e.Offsets, e.Tokens = e.IDs[start:end], e.Words[start:end], e.Offsets[start:end], e.Tokens[start:end]
}

// repeat returns an encoding of n tokens that are not of the text.
func repeat(n int, id, typeID, attention int32, token string) *Encoding {
	e := &Encoding{IDs: fill(nil, n, id), TypeIDs: fill(nil, n, typeID), AttentionMask: fill(nil, n, attention),
		SpecialTokensMask: fill(nil, n, 1), Words: fill(nil, n, -1), Offsets: make([]Span, n), Tokens: make([]string, n)}
	for i := range e.Tokens {
		e.Tokens[i] = token
	}
	return e
}

// join returns the encodings one after the other, in memory of their own.
func join(parts []*Encoding) *Encoding {
	n := 0
	for _, p := range parts {
		n += p.Len()
	}
	numbers := make([]int32, 5*n)
	next := func(of func(*Encoding) []int32) []int32 {
		all := numbers[:0:n]
		numbers = numbers[n:]
		for _, p := range parts {
			all = append(all, of(p)...)
		}
		return all
	}
	e := &Encoding{
		IDs:               next(func(e *Encoding) []int32 { return e.IDs }),
		TypeIDs:           next(func(e *Encoding) []int32 { return e.TypeIDs }),
		AttentionMask:     next(func(e *Encoding) []int32 { return e.AttentionMask }),
		SpecialTokensMask: next(func(e *Encoding) []int32 { return e.SpecialTokensMask }),
		Words:             next(func(e *Encoding) []int32 { return e.Words }),
		Offsets:           make([]Span, 0, n),
		Tokens:            make([]string, 0, n),
	}
	for _, p := range parts {
		e.Offsets, e.Tokens = append(e.Offsets, p.Offsets...), append(e.Tokens, p.Tokens...)
	}
	return e
}

// Truncation says how long encodings may be. Special tokens count, if they are added.
type Truncation struct {
	MaxLength int
	Strategy  Strategy // which text of a pair becomes shorter
	Left      bool     // tokens are dropped at the start
}

// Strategy says which text of a pair is truncated.
type Strategy int

const (
	LongestFirst Strategy = iota // the longer one; both, to halves, if that is not enough
	OnlyFirst
	OnlySecond
)

// lengths returns how many tokens two texts of n and m keep. There is no second text if m < 0. A
// text that alone is to be truncated gives at most all it has.
func (t Truncation) lengths(n, m, added int) (int, int) {
	most := max(t.MaxLength-added, 0)
	second := max(m, 0)
	excess := n + second - most
	switch {
	case excess <= 0:
	case m < 0 || t.Strategy == OnlyFirst:
		n = max(n-excess, 0)
	case t.Strategy == OnlySecond:
		m = max(m-excess, 0)
	default:
		short, long := min(n, m), most-min(n, m)
		if short > long {
			short, long = most/2, most-most/2
		}
		if n <= m {
			return short, long
		}
		return long, short
	}
	return n, m
}

// truncate drops tokens of an encoding down to a length.
func (t Truncation) truncate(e *Encoding, length int) {
	if n := e.Len(); t.Left {
		e.cut(n-length, n)
	} else {
		e.cut(0, length)
	}
}

// Padding says to which length encodings are filled up.
type Padding struct {
	Length     int    // 0 for that of the longest of a batch
	MultipleOf int    // the length is rounded up to a multiple, if it is not 0
	Left       bool   // tokens are added at the start
	ID         int32  // of the token that fills up
	TypeID     int32  // its element of TypeIDs
	Token      string // its text
}

// length returns the length to fill up to, where the longest of the batch has the given one.
func (p Padding) length(longest int) int {
	n := p.Length
	if n == 0 {
		n = longest
	}
	if m := p.MultipleOf; m > 0 && n%m > 0 {
		n += m - n%m
	}
	return n
}

// pad returns an encoding filled up to a length; itself if it is as long.
func (p Padding) pad(e *Encoding, length int) *Encoding {
	n := length - e.Len()
	if n <= 0 {
		return e
	}
	fill := repeat(n, p.ID, p.TypeID, 0, p.Token)
	if p.Left {
		return join([]*Encoding{fill, e})
	}
	return join([]*Encoding{e, fill})
}
