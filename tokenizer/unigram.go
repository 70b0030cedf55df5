package tokenizer

import (
	"math"
	"slices"
	"unicode/utf8"
)

// unigram splits a piece into the tokens whose scores have the largest sum.
type unigram struct {
	vocabulary   *vocabulary
	scores       []float64 // by id: logarithms of probabilities
	trie         *trie
	unknown      int32
	unknownScore float64
	fallback     *[256]int32 // the ids of bytes that unknown characters become; or nil
}

// unknownPenalty is by how much an unknown character is worse than the worst token: SentencePiece's
// kUnkPenalty.
const unknownPenalty = 10

// step is the best way to a place in the piece.
type step struct {
	score float64
	from  int32 // where its last token starts; -1 if no way was found yet
	id    int32
}

func newUnigram(v *vocabulary, scores []float64, unknown int) *unigram {
	m := &unigram{vocabulary: v, scores: scores, trie: newTrie(2 * len(v.text)), unknown: int32(unknown)}
	worst := math.Inf(1)
	for id, p := range v.places {
		if p.length > 0 {
			m.trie.add(v.bytes(id), id)
		}
	}
	for _, score := range scores {
		worst = min(worst, score)
	}
	m.unknownScore = worst - unknownPenalty
	return m
}

func (m *unigram) tokenize(s *scratch, p piece) {
	text := p.text
	best := slices.Grow(s.steps[:0], len(text)+1)[:len(text)+1]
	s.steps = best
	for i := range best {
		best[i] = step{from: -1}
	}
	for i := 0; i < len(text); {
		_, n := utf8.DecodeRune(text[i:])
		here, single, node := best[i].score, false, uint32(0)
		for k := i; k < len(text); k++ {
			next, ok := m.trie.step(node, text[k])
			if !ok {
				break
			}
			node = next
			if id := m.trie.ids[node]; id > 0 {
				m.offer(&best[k+1], here+m.scores[id-1], i, int32(id-1))
				single = single || k+1 == i+n
			}
		}
		if !single {
			m.offer(&best[i+n], here+m.unknownScore, i, m.unknown)
		}
		i += n
	}
	first := len(s.tokens)
	for end := len(text); end > 0; {
		from, id := int(best[end].from), best[end].id
		if n := len(s.tokens); id == m.unknown && n > first && s.tokens[n-1].id == m.unknown {
			s.tokens[n-1].start = from
		} else {
			s.tokens = append(s.tokens, token{id: id, start: from, end: end})
		}
		end = from
	}
	slices.Reverse(s.tokens[first:])
	m.resolve(s, first, text)
}

// offer makes a token the last of the way to a place if that is better.
func (m *unigram) offer(to *step, score float64, from int, id int32) {
	if to.from < 0 || score > to.score {
		*to = step{score, int32(from), id}
	}
}

// resolve gives unknown tokens their text, or puts tokens of bytes in their place.
func (m *unigram) resolve(s *scratch, first int, text []byte) {
	for i := first; i < len(s.tokens); i++ {
		t := s.tokens[i]
		if t.id != m.unknown {
			continue
		}
		part := text[t.start:t.end]
		if id, ok := m.vocabulary.id(part); ok {
			s.tokens[i].id = int32(id)
			continue
		}
		if m.fallback == nil || slices.ContainsFunc(part, func(b byte) bool { return m.fallback[b] < 0 }) {
			s.tokens[i].text = string(part)
			continue
		}
		s.tokens = slices.Replace(s.tokens, i, i+1, make([]token, len(part))...)
		for k, b := range part {
			s.tokens[i+k] = token{id: m.fallback[b], start: t.start, end: t.end}
		}
		i += len(part) - 1
	}
}
