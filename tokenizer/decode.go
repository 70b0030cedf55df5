package tokenizer

import "strings"

// Decode returns the text of tokens. Ids without a token are left out, and special tokens if
// skipSpecial is set. U+FFFD stands for bytes that are not UTF-8: see [Tokenizer.DecodeBytes].
func (t *Tokenizer) Decode(ids []int32, skipSpecial bool) string {
	return t.decode(ids, skipSpecial, false)
}

// DecodeBytes is Decode with bytes that are not UTF-8 as they are. Such are texts that end within a
// character, where a model stopped.
func (t *Tokenizer) DecodeBytes(ids []int32, skipSpecial bool) []byte {
	return []byte(t.decode(ids, skipSpecial, true))
}

func (t *Tokenizer) decode(ids []int32, skipSpecial, raw bool) string {
	tokens := make([]string, 0, len(ids))
	for _, id := range ids {
		if token, ok := t.token(id); ok && !(skipSpecial && t.added.special[token]) {
			tokens = append(tokens, token)
		}
	}
	if t.decoders == nil {
		return strings.Join(tokens, " ")
	}
	for _, d := range t.decoders {
		tokens = d.decode(tokens, raw)
	}
	return strings.Join(tokens, "")
}

// Stream decodes tokens one by one, as a model produces them.
type Stream struct {
	tokenizer   *Tokenizer
	skipSpecial bool
	ids         []int32 // the last ones, which give what follows its context
	before      int     // of ids, those whose text was returned as a whole
	prefix      string  // the text of ids that was returned
}

// Stream returns a decoder of tokens that come one by one. Special tokens are left out if skipSpecial
// is set.
func (t *Tokenizer) Stream(skipSpecial bool) *Stream {
	return &Stream{tokenizer: t, skipSpecial: skipSpecial}
}

// Next returns the text that a token adds. It never has a part of a character: bytes of one come with
// the token that completes it. U+FFFD stands for bytes that cannot be completed.
func (s *Stream) Next(id int32) string {
	if token, ok := s.tokenizer.token(id); !ok || s.skipSpecial && s.tokenizer.added.special[token] {
		return "" // kept, ids without text would make each call longer than the one before
	}
	s.ids = append(s.ids, id)
	text := s.tokenizer.decode(s.ids, s.skipSpecial, true)
	end := len(text) - unfinished(text)
	start := common(s.prefix, text)
	if end > start {
		s.prefix = text[:end]
	} else {
		end = start
	}
	if end == len(text) && start < end {
		s.ids = append(s.ids[:0], s.ids[s.before:]...)
		s.before = len(s.ids)
		s.prefix = s.tokenizer.decode(s.ids, s.skipSpecial, true)
	}
	return valid([]byte(text[start:end]))
}

// Flush returns what Next has kept back: bytes of a character that was not completed, as U+FFFD.
func (s *Stream) Flush() string {
	text := s.tokenizer.decode(s.ids, s.skipSpecial, true)
	rest := text[common(s.prefix, text):]
	s.ids, s.before, s.prefix = s.ids[:0], 0, ""
	return valid([]byte(rest))
}

// common returns the length of what two texts have in common at the start.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// unfinished returns the number of bytes at the end of a text that start a character.
func unfinished(text string) int {
	for n := 1; n <= min(3, len(text)); n++ {
		tail := []byte(text[len(text)-n:])
		if partial(tail) == n {
			return n
		}
	}
	return 0
}
