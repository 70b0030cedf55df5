package tokenizer

import (
	"unicode/utf8"
)

// AddedToken is a token that is found in text before anything else is done with it.
type AddedToken struct {
	ID         int32
	Content    string
	SingleWord bool // no letter or digit may stand beside it
	LStrip     bool // white space before goes with it
	RStrip     bool // white space after goes with it
	Normalized bool // it is looked for in normalized text
	Special    bool // Decode can leave it out
}

// addedTokens are those of a tokenizer.
type addedTokens struct {
	tokens     []AddedToken
	byID       map[int32]int // in tokens
	ids        map[string]int32
	special    map[string]bool
	shown      map[int32]string // of normalized tokens, what Decode sees, if it is not the content
	plain      *trie            // of those that are looked for in text as it is; nil if there are none
	normalized *trie
}

// set makes the tokens those of a tokenizer that normalizes text by n, which may be nil.
func (a *addedTokens) set(tokens []AddedToken, n normalizer) {
	a.tokens, a.byID, a.ids, a.shown, a.special = tokens, map[int32]int{}, map[string]int32{}, map[int32]string{}, map[string]bool{}
	for i, t := range tokens {
		a.byID[t.ID], a.ids[t.Content] = i, t.ID
		if t.Special {
			a.special[t.Content] = true
		}
	}
	for i, t := range tokens {
		if a.byID[t.ID] != i || a.ids[t.Content] != t.ID {
			continue // a later one replaces it
		}
		content, where := t.Content, &a.plain
		if t.Normalized {
			where = &a.normalized
			if n != nil {
				var s sequence
				s.load(content, 0)
				n.normalize(&s)
				if content = string(s.text); content != t.Content {
					a.shown[t.ID] = content
				}
			}
		}
		if content == "" {
			continue
		}
		if *where == nil {
			*where = newTrie(64)
		}
		(*where).add([]byte(content), i)
	}
}

// found is an added token in text.
type found struct {
	start, end int
	index      int // in tokens
}

// next returns the first token of the trie in the text from byte i on; an index of -1 if there is
// none. from is where the last one ended.
func (a *addedTokens) next(t *trie, text []byte, i, from int, special bool) found {
	for i < len(text) {
		if !t.first[text[i]] {
			i++
			continue
		}
		length, index := t.longest(text[i:])
		if length == 0 {
			i++
			continue
		}
		f := found{i, i + length, index}
		i = f.end
		token := a.tokens[index]
		if token.Special && !special || token.SingleWord && !alone(text, f.start, f.end) {
			continue
		}
		for token.LStrip && f.start > from {
			r, n := utf8.DecodeLastRune(text[from:f.start])
			if classOf(r)&white == 0 {
				break
			}
			f.start -= n
		}
		for token.RStrip && f.end < len(text) {
			c, n := classAt(text[f.end:])
			if c&white == 0 {
				break
			}
			f.end += n
		}
		return f
	}
	return found{index: -1}
}

// alone reports whether no word stands beside a part of the text.
func alone(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := classAt(text[end:])
	return (start == 0 || classOf(before)&wordRune == 0) && after&wordRune == 0
}

// split appends the parts of a piece: added tokens, and what is between them.
func (a *addedTokens) split(t *trie, p piece, special bool, dst []piece) []piece {
	if t == nil {
		return append(dst, p)
	}
	from, i := 0, 0
	for {
		f := a.next(t, p.text, i, from, special)
		if f.index < 0 {
			break
		}
		if from < f.start {
			dst = append(dst, p.slice(from, f.start))
		}
		x := p.slice(f.start, f.end)
		x.id = a.tokens[f.index].ID
		dst = append(dst, x)
		from, i = f.end, f.end
	}
	if from < len(p.text) {
		dst = append(dst, p.slice(from, len(p.text)))
	}
	return dst
}
