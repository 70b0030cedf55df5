package tokenizer

import "unicode/utf8"

// token is what a model finds: the token with the id, from byte start to end of a piece.
type token struct {
	id         int32
	start, end int
	text       string // if it is not that of the id
}

// model splits pieces into tokens, which it appends to s.tokens.
type model interface {
	tokenize(s *scratch, p piece)
}

// wordPiece splits a word into the longest tokens, from its start on. Tokens but the first have a
// prefix in the vocabulary.
type wordPiece struct {
	vocabulary *vocabulary
	tail       *vocabulary // tokens without their prefix
	tailIDs    []int32     // by id in tail, the id
	unknown    int32
	most       int // characters of a word
	longest    int // bytes of a token
}

// newWordPiece returns the model, whose vocabulary has the token for unknown words.
func newWordPiece(v *vocabulary, prefix string, unknown, most int) *wordPiece {
	m := &wordPiece{vocabulary: v, tail: newVocabulary(v.count, len(v.text)), unknown: int32(unknown), most: most}
	for id, p := range v.places {
		if p.length < 0 {
			continue
		}
		token := v.bytes(id)
		m.longest = max(m.longest, len(token))
		if n := len(prefix); len(token) > n && string(token[:n]) == prefix {
			start := len(m.tail.text)
			m.tail.text = append(m.tail.text, token[n:]...)
			m.tail.add(len(m.tailIDs), start)
			m.tailIDs = append(m.tailIDs, int32(id))
		}
	}
	return m
}

func (m *wordPiece) tokenize(s *scratch, p piece) {
	first, word := len(s.tokens), p.text
	if len(word) > m.most && utf8.RuneCount(word) > m.most {
		s.tokens = append(s.tokens, token{id: m.unknown, end: len(word)})
		return
	}
	for start := 0; start < len(word); {
		end := min(len(word), start+m.longest)
		for end < len(word) && !utf8.RuneStart(word[end]) {
			end--
		}
		id := int32(-1)
		for end > start {
			if start == 0 {
				if i, ok := m.vocabulary.id(word[:end]); ok {
					id = int32(i)
					break
				}
			} else if i, ok := m.tail.id(word[start:end]); ok {
				id = m.tailIDs[i]
				break
			}
			for end--; end > start && !utf8.RuneStart(word[end]); {
				end--
			}
		}
		if id < 0 {
			s.tokens = append(s.tokens[:first], token{id: m.unknown, end: len(word)})
			return
		}
		s.tokens = append(s.tokens, token{id: id, start: start, end: end})
		start = end
	}
}

// wordLevel takes a whole piece for a token.
type wordLevel struct {
	vocabulary *vocabulary
	unknown    int32 // -1 if pieces without a token are dropped
}

func (m *wordLevel) tokenize(s *scratch, p piece) {
	if id, ok := m.vocabulary.id(p.text); ok {
		s.tokens = append(s.tokens, token{id: int32(id), end: len(p.text)})
	} else if m.unknown >= 0 {
		s.tokens = append(s.tokens, token{id: m.unknown, end: len(p.text)})
	}
}
