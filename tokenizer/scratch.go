package tokenizer

// scratch is the memory of one call of Encode.
type scratch struct {
	sequence      sequence
	text          []byte // of pieces
	spans         []Span
	pieces, spare []piece
	cuts          []cut
	tokens        []token
	parts         []part
	heap          []candidate
	steps         []step
	key           []byte
}

// maxScratch is the number of bytes of text up to which memory is kept for the next call.
const maxScratch = 1 << 16

// edit returns a piece with its text rewritten.
func (s *scratch) edit(p piece, f func(*sequence)) piece {
	q := &s.sequence
	q.text, q.spans, q.base = append(q.text[:0], p.text...), append(q.spans[:0], p.spans...), p.base
	f(q)
	return s.keep(p)
}

// keep returns a piece with the text of the sequence, which is copied.
func (s *scratch) keep(p piece) piece {
	q := &s.sequence
	n := len(s.text)
	s.text = append(s.text, q.text...)
	p.text, p.spans, p.base = s.text[n:len(s.text):len(s.text)], nil, q.base
	if !q.identical() {
		n := len(s.spans)
		s.spans = append(s.spans, q.spans...)
		p.spans = s.spans[n:len(s.spans):len(s.spans)]
	}
	return p
}

// each replaces each piece that is no added token by what f appends for it.
func (s *scratch) each(f func(p piece, dst []piece) []piece) {
	s.spare = s.spare[:0]
	for _, p := range s.pieces {
		switch {
		case p.id >= 0:
			s.spare = append(s.spare, p)
		case len(p.text) > 0:
			s.spare = f(p, s.spare)
		}
	}
	s.pieces, s.spare = s.spare, s.pieces
}

// run splits text into pieces, and these into tokens. Of each piece, done is called with its tokens.
func (t *Tokenizer) run(s *scratch, text string, special bool, done func(p piece, tokens []token)) {
	s.text, s.spans = s.text[:0], s.spans[:0]
	s.sequence.load(text, 0)
	s.pieces = append(s.pieces[:0], s.keep(piece{id: -1}))
	s.each(func(p piece, dst []piece) []piece { return t.added.split(t.added.plain, p, special, dst) })
	if t.normalizer != nil || t.added.normalized != nil {
		s.each(func(p piece, dst []piece) []piece {
			if t.normalizer != nil {
				p = s.edit(p, t.normalizer.normalize)
			}
			return t.added.split(t.added.normalized, p, special, dst)
		})
	}
	for _, pre := range t.preTokenizers {
		s.each(func(p piece, dst []piece) []piece { return pre.split(s, p, dst) })
	}
	for _, p := range s.pieces {
		if len(p.text) == 0 {
			continue
		}
		s.tokens = s.tokens[:0]
		if p.id < 0 {
			t.model.tokenize(s, p)
		} else {
			s.tokens = append(s.tokens, token{id: p.id, end: len(p.text)})
		}
		done(p, s.tokens)
	}
}
