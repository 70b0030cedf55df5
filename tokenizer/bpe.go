package tokenizer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// bpe merges pairs of symbols, of which a piece has one for each character, in the order of the
// merges of byte-pair encoding.
type bpe struct {
	vocabulary     *vocabulary
	merges         *pairTable  // from the ids of a pair: its rank and the id of what it becomes
	prefix, suffix string      // of symbols but the first, and of the last, in the vocabulary
	unknown        int32       // -1 if characters without a token are dropped
	fuse           bool        // several unknown characters become one token
	fallback       *[256]int32 // the ids of bytes that unknown characters become, -1 for those without; or nil
	whole          bool        // pieces that are in the vocabulary are not split
	byBytes        *[256]int32 // the ids of bytes, -1 for those without; nil if the vocabulary is not of bytes
	words          *vocabulary // of bytes, if whole and byBytes are set
	wordIDs        []int32
}

// part is a symbol of a piece, which may be merged with the next one.
type part struct {
	id         int32
	length     int32 // in bytes; 0 if it was merged into another
	prev, next int32 // -1 at the ends
	rank       uint32
	into       int32
}

// candidate is a merge that may come next.
type candidate struct {
	rank uint32
	pos  int32
	into int32
}

// noRank is the rank of a pair that does not merge.
const noRank = 1<<32 - 1

// setBytes says that the vocabulary is of bytes, as byteRunes writes them.
func (m *bpe) setBytes() {
	m.byBytes = new([256]int32)
	for b := range m.byBytes {
		m.byBytes[b] = -1
		if id, ok := m.vocabulary.idOf(string(byteRunes[b])); ok {
			m.byBytes[b] = int32(id)
		}
	}
	if !m.whole {
		return
	}
	m.words = newVocabulary(m.vocabulary.count, len(m.vocabulary.text))
	for id, p := range m.vocabulary.places {
		if p.length <= 0 {
			continue
		}
		start := len(m.words.text)
		text, ok := appendBytes(m.words.text, m.vocabulary.bytes(id))
		if m.words.text = text; ok && m.words.add(len(m.wordIDs), start) {
			m.wordIDs = append(m.wordIDs, int32(id))
		}
	}
}

func (m *bpe) tokenize(s *scratch, p piece) {
	if m.whole {
		if id, ok := m.wholeID(p); ok {
			s.tokens = append(s.tokens, token{id: id, end: len(p.text)})
			return
		}
	}
	s.parts = s.parts[:0]
	at := 0
	if p.bytes {
		unknown := false
		for _, b := range p.text {
			if id := m.byBytes[b]; id >= 0 {
				s.parts = append(s.parts, part{id: id, length: 1})
				unknown = false
			} else {
				at += m.addUnknown(s, 1, unknown)
				unknown = true
			}
		}
	} else {
		at = m.characters(s, p.text)
	}
	m.merge(s)
	for i := range s.parts {
		if y := &s.parts[i]; y.length > 0 {
			s.tokens = append(s.tokens, token{id: y.id, start: at, end: at + int(y.length)})
			at += int(y.length)
		}
	}
}

// wholeID returns the id of a piece that is in the vocabulary.
func (m *bpe) wholeID(p piece) (int32, bool) {
	if p.bytes {
		i, ok := m.words.id(p.text)
		if !ok {
			return 0, false
		}
		return m.wordIDs[i], true
	}
	id, ok := m.vocabulary.id(p.text)
	return int32(id), ok
}

// addUnknown adds a symbol for an unknown character; last says that the one before is unknown, too.
// A model without a token for such characters drops them: their bytes go to the symbol before. The
// result is the bytes of one that has none before it.
func (m *bpe) addUnknown(s *scratch, length int, last bool) int {
	n := len(s.parts)
	switch {
	case m.unknown < 0 && n == 0:
		return length
	case m.unknown < 0, m.fuse && last && n > 0:
		s.parts[n-1].length += int32(length)
	default:
		s.parts = append(s.parts, part{id: m.unknown, length: int32(length)})
	}
	return 0
}

// characters adds the symbols of a text. It returns where the first starts.
func (m *bpe) characters(s *scratch, text []byte) (at int) {
	unknown := false
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRune(text[i:])
		key := text[i : i+n]
		if m.prefix != "" && i > 0 || m.suffix != "" && i+n == len(text) {
			s.key = s.key[:0]
			if i > 0 {
				s.key = append(s.key, m.prefix...)
			}
			s.key = append(s.key, key...)
			if i+n == len(text) {
				s.key = append(s.key, m.suffix...)
			}
			key = s.key
		}
		id, ok := m.vocabulary.id(key)
		switch {
		case ok:
			s.parts = append(s.parts, part{id: int32(id), length: int32(n)})
			unknown = false
		case m.fallback != nil && len(key) == n && m.falls(key):
			for _, b := range key {
				s.parts = append(s.parts, part{id: m.fallback[b], length: 1})
			}
			unknown = false
		default:
			at += m.addUnknown(s, n, unknown)
			unknown = true
		}
		i += n
	}
	return at
}

// falls reports whether each byte has a token of its own.
func (m *bpe) falls(bytes []byte) bool {
	for _, b := range bytes {
		if m.fallback[b] < 0 {
			return false
		}
	}
	return true
}

// pair sets what the symbol at i merges into with the next one.
func (m *bpe) pair(all []part, i int32) {
	y := &all[i]
	if y.rank = noRank; y.next < 0 {
		return
	}
	if v, ok := m.merges.get(uint32(y.id), uint32(all[y.next].id)); ok {
		y.rank, y.into = v.a, int32(v.b)
	}
}

// join merges the symbol at i with the next one, and finds what the new pairs become.
func (m *bpe) join(all []part, i int32) {
	y := &all[i]
	gone := &all[y.next]
	y.id = y.into
	y.length += gone.length
	y.next = gone.next
	gone.length, gone.rank = 0, noRank
	if y.next >= 0 {
		all[y.next].prev = i
	}
	m.pair(all, i)
	if y.prev >= 0 {
		m.pair(all, y.prev)
	}
}

// short is the number of symbols up to which a search for the next merge beats a heap.
const short = 48

// merge merges s.parts: of all pairs the one of the lowest rank, then of the lowest place.
func (m *bpe) merge(s *scratch) {
	all := s.parts
	for i := range all {
		all[i].prev, all[i].next = int32(i)-1, int32(i)+1
	}
	if len(all) == 0 {
		return
	}
	all[len(all)-1].next = -1
	for i := range all {
		m.pair(all, int32(i))
	}
	if len(all) > short {
		m.mergeMany(s)
		return
	}
	for {
		best, rank := int32(-1), uint32(noRank)
		for i := int32(0); i >= 0; i = all[i].next {
			if all[i].rank < rank {
				best, rank = i, all[i].rank
			}
		}
		if best < 0 {
			return
		}
		m.join(all, best)
	}
}

// mergeMany is merge with a heap.
func (m *bpe) mergeMany(s *scratch) {
	all := s.parts
	s.heap = s.heap[:0]
	push := func(i int32) {
		if all[i].rank != noRank {
			s.heap = pushCandidate(s.heap, candidate{all[i].rank, i, all[i].into})
		}
	}
	for i := range all {
		push(int32(i))
	}
	for len(s.heap) > 0 {
		var c candidate
		c, s.heap = popCandidate(s.heap)
		if y := all[c.pos]; y.length == 0 || y.rank != c.rank {
			continue // it has changed since
		}
		m.join(all, c.pos)
		push(c.pos)
		if p := all[c.pos].prev; p >= 0 {
			push(p)
		}
	}
}

func (c candidate) less(d candidate) bool {
	return c.rank < d.rank || c.rank == d.rank && c.pos < d.pos
}

func pushCandidate(h []candidate, c candidate) []candidate {
	h = append(h, c)
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].less(h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	return h
}

func popCandidate(h []candidate) (candidate, []candidate) {
	top, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	for i := 0; ; {
		down := 2*i + 1
		if down >= n {
			return top, h
		}
		if down+1 < n && h[down+1].less(h[down]) {
			down++
		}
		if !h[down].less(h[i]) {
			return top, h
		}
		h[i], h[down] = h[down], h[i]
		i = down
	}
}

// addMerge adds the merge of two tokens. The error says what is wrong with it.
func (m *bpe) addMerge(rank int, left, right []byte, key []byte) ([]byte, error) {
	a, ok := m.vocabulary.id(left)
	if !ok {
		return key, fmt.Errorf("merges %q, which is not in the vocabulary", clip(left))
	}
	b, ok := m.vocabulary.id(right)
	if !ok {
		return key, fmt.Errorf("merges %q, which is not in the vocabulary", clip(right))
	}
	tail, ok := strings.CutPrefix(string(right), m.prefix)
	if !ok {
		return key, fmt.Errorf("merges %q, which lacks the prefix %q", clip(right), m.prefix)
	}
	key = append(append(key[:0], left...), tail...)
	into, ok := m.vocabulary.id(key)
	if !ok {
		return key, fmt.Errorf("merges %q and %q into %q, which is not in the vocabulary", clip(left), clip(right), clip(key))
	}
	m.merges.set(uint32(a), uint32(b), pairValue{uint32(rank), uint32(into)})
	return key, nil
}

// fallbackIDs returns the ids of the tokens <0x00> to <0xFF>, -1 for those that there are not.
func fallbackIDs(v *vocabulary) *[256]int32 {
	t := new([256]int32)
	for b := range t {
		t[b] = -1
		if id, ok := v.idOf(fmt.Sprintf("<0x%02X>", b)); ok {
			t[b] = int32(id)
		}
	}
	return t
}
