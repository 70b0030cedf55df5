package tokenizer

import (
	"sync"
)

// Tokenizer turns text into the ids of tokens, and back. It does not change: goroutines may share it.
type Tokenizer struct {
	normalizer    normalizer // nil if there is none
	preTokenizers []preTokenizer
	model         model
	vocabulary    *vocabulary
	added         addedTokens
	processor     processor
	decoders      []decoder // nil if tokens are joined with blanks
	truncation    *Truncation
	padding       *Padding
	filler        *Padding  // of batches, if there is no padding; nil for a guess
	scratch       sync.Pool // of *encoder
}

// encoder is what a call of Encode works with.
type encoder struct {
	scratch scratch
	texts   [2]Encoding
	parts   []*Encoding
}

// MaxText is the largest number of bytes of a text: Encode leaves out what is beyond.
const MaxText = 1 << 30

// Option is an option of Encode and its relatives.
type Option func(*settings)

type settings struct {
	add        bool // special tokens
	parse      bool // special tokens in the text
	truncation *Truncation
	padding    *Padding
}

// NoSpecialTokens leaves out tokens that are not of the text, such as those at its start and end.
func NoSpecialTokens() Option { return func(s *settings) { s.add = false } }

// PlainText takes special tokens within the text, such as <|endoftext|>, for text like any other.
// It belongs to text from people who are not to write them.
func PlainText() Option { return func(s *settings) { s.parse = false } }

// Truncate limits the length. MaxLength 0 stands for no limit.
func Truncate(t Truncation) Option {
	return func(s *settings) {
		if s.truncation = &t; t.MaxLength == 0 {
			s.truncation = nil
		}
	}
}

// MaxLength limits the length to n tokens, which are at the start of the text.
func MaxLength(n int) Option { return Truncate(Truncation{MaxLength: n}) }

// Pad fills encodings up.
func Pad(p Padding) Option { return func(s *settings) { s.padding = &p } }

// NoPadding leaves encodings as short as they are. Rows of a batch are filled up all the same.
func NoPadding() Option { return func(s *settings) { s.padding = nil } }

func (t *Tokenizer) settings(options []Option) settings {
	s := settings{add: true, parse: true, truncation: t.truncation, padding: t.padding}
	for _, o := range options {
		o(&s)
	}
	return s
}

// Encode returns the tokens of a text. It truncates and fills up as the file says, if it does, or the
// options.
func (t *Tokenizer) Encode(text string, options ...Option) *Encoding {
	s := t.settings(options)
	return s.pad(t.encode(&s, text, "", false))
}

// EncodePair returns the tokens of two texts, such as a question and what may answer it.
func (t *Tokenizer) EncodePair(first, second string, options ...Option) *Encoding {
	s := t.settings(options)
	return s.pad(t.encode(&s, first, second, true))
}

func (s *settings) pad(e *Encoding) *Encoding {
	if s.padding == nil {
		return e
	}
	return s.padding.pad(e, s.padding.length(e.Len()))
}

// IDs returns the ids of the tokens of a text.
func (t *Tokenizer) IDs(text string, options ...Option) []int32 {
	return t.Encode(text, options...).IDs
}

// encode returns the tokens of one text or two, not filled up.
func (t *Tokenizer) encode(s *settings, first, second string, pair bool) *Encoding {
	w := t.encoder()
	parts := t.encodeTexts(w, s, first, second, pair)
	if s.truncation != nil {
		n, m := t.room(s, parts)
		s.truncation.truncate(parts[0], n)
		if pair {
			s.truncation.truncate(parts[1], m)
		}
	}
	e := t.finish(s, parts)
	if len(first)+len(second) <= maxScratch {
		t.scratch.Put(w)
	}
	return e
}

// encoder returns memory to encode with.
func (t *Tokenizer) encoder() *encoder {
	if w, ok := t.scratch.Get().(*encoder); ok {
		return w
	}
	return new(encoder)
}

// encodeTexts returns the tokens of one text or two, which w keeps.
func (t *Tokenizer) encodeTexts(w *encoder, s *settings, first, second string, pair bool) []*Encoding {
	t.encodeText(w, s, first, 0)
	w.parts = append(w.parts[:0], &w.texts[0])
	if pair {
		t.encodeText(w, s, second, 1)
		w.parts = append(w.parts, &w.texts[1])
	}
	return w.parts
}

// room returns how many tokens of each text an encoding may have.
func (t *Tokenizer) room(s *settings, parts []*Encoding) (n, m int) {
	pair, added := len(parts) == 2, 0
	if t.processor != nil && s.add {
		added = t.processor.added(pair)
	}
	m = -1
	if pair {
		m = parts[1].Len()
	}
	return s.truncation.lengths(parts[0].Len(), m, added)
}

// finish returns the encoding of texts that are truncated.
func (t *Tokenizer) finish(s *settings, parts []*Encoding) *Encoding {
	for i, p := range parts {
		p.complete(int32(i))
	}
	if t.processor != nil {
		parts = t.processor.process(parts, s.add)
	}
	return join(parts)
}

// encodeText sets w.texts[i] to the tokens of a text.
func (t *Tokenizer) encodeText(w *encoder, s *settings, text string, i int) {
	e, word := &w.texts[i], int32(0)
	e.reset()
	t.run(&w.scratch, text[:min(len(text), MaxText)], s.parse, func(p piece, tokens []token) {
		e.add(t, p, tokens, word)
		word++
	})
}

// Batch is a number of encodings of the same length.
type Batch struct {
	Rows, Length                int
	IDs, TypeIDs, AttentionMask []int32 // row by row: a tensor of [Rows, Length]
	Encodings                   []*Encoding
}

// EncodeBatch returns the tokens of texts, filled up to the longest, or as the file or the options
// say.
func (t *Tokenizer) EncodeBatch(texts []string, options ...Option) *Batch {
	s := t.settings(options)
	all := make([]*Encoding, len(texts))
	for i, text := range texts {
		all[i] = t.encode(&s, text, "", false)
	}
	return t.batch(&s, all)
}

// EncodePairs is EncodeBatch for pairs of texts.
func (t *Tokenizer) EncodePairs(pairs [][2]string, options ...Option) *Batch {
	s := t.settings(options)
	all := make([]*Encoding, len(pairs))
	for i, p := range pairs {
		all[i] = t.encode(&s, p[0], p[1], true)
	}
	return t.batch(&s, all)
}

// batch fills encodings up to the same length.
func (t *Tokenizer) batch(s *settings, all []*Encoding) *Batch {
	p := s.padding
	if p == nil {
		p = t.defaultPadding()
	}
	longest := 0
	for _, e := range all {
		longest = max(longest, e.Len())
	}
	n := max(p.length(longest), longest)
	b := &Batch{Rows: len(all), Length: n, Encodings: all}
	size := n * len(all)
	b.IDs, b.TypeIDs, b.AttentionMask = make([]int32, 0, size), make([]int32, 0, size), make([]int32, 0, size)
	for i, e := range all {
		e = p.pad(e, n)
		all[i] = e
		b.IDs, b.TypeIDs, b.AttentionMask = append(b.IDs, e.IDs...), append(b.TypeIDs, e.TypeIDs...), append(b.AttentionMask, e.AttentionMask...)
	}
	return b
}

// defaultPadding fills rows up with the file's padding token, else one of the usual names, else 0.
func (t *Tokenizer) defaultPadding() *Padding {
	if t.padding != nil {
		p := *t.padding
		p.Length = 0
		return &p
	}
	if t.filler != nil {
		return t.filler
	}
	for _, name := range []string{"[PAD]", "<pad>", "<|pad|>", "<|endoftext|>", "</s>"} {
		if id, ok := t.ID(name); ok {
			return &Padding{ID: id, Token: name}
		}
	}
	return &Padding{Token: t.Token(0)}
}

// ID returns the id of a token, and whether there is one.
func (t *Tokenizer) ID(token string) (int32, bool) {
	if id, ok := t.added.ids[token]; ok {
		return id, true
	}
	id, ok := t.vocabulary.idOf(token)
	return int32(id), ok
}

// Token returns the token of an id; "" if there is none.
func (t *Tokenizer) Token(id int32) string {
	token, _ := t.token(id)
	return token
}

// token returns the token of an id as Decode sees it, and whether there is one.
func (t *Tokenizer) token(id int32) (string, bool) {
	if i, ok := t.added.byID[id]; ok {
		if shown, ok := t.added.shown[id]; ok {
			return shown, true
		}
		return t.added.tokens[i].Content, true
	}
	if !t.vocabulary.has(int(id)) {
		return "", false
	}
	return t.vocabulary.name(int(id)), true
}

// VocabSize returns the number of ids: one more than the largest. Models have as many rows of
// embeddings, or more.
func (t *Tokenizer) VocabSize() int {
	n := len(t.vocabulary.places)
	for _, a := range t.added.tokens {
		n = max(n, int(a.ID)+1)
	}
	return n
}

// AddedTokens returns the tokens that are found in text before anything else.
func (t *Tokenizer) AddedTokens() []AddedToken { return append([]AddedToken(nil), t.added.tokens...) }
