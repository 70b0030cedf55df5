package tokenizer

// Windows returns encodings that together have all tokens of a text, none longer than MaxLength or
// the file's limit. Each starts with the last stride tokens of the one before, and has at least one more of
// the text. A negative stride is 0. With [Truncation].Left the first one is the end of the text. If special tokens fill the limit, the
// result is one encoding without the text.
func (t *Tokenizer) Windows(text string, stride int, options ...Option) []*Encoding {
	return t.windows(text, "", false, stride, options)
}

// PairWindows is Windows for two texts: each encoding has all of the first, such as a question, and
// a part of the second. If there is no room for the second, the result is one encoding without it.
func (t *Tokenizer) PairWindows(first, second string, stride int, options ...Option) []*Encoding {
	return t.windows(first, second, true, stride, options)
}

func (t *Tokenizer) windows(first, second string, pair bool, stride int, options []Option) []*Encoding {
	s := t.settings(options)
	if s.truncation == nil {
		s.truncation = &Truncation{MaxLength: MaxText}
	}
	s.truncation = &Truncation{MaxLength: s.truncation.MaxLength, Strategy: OnlySecond, Left: s.truncation.Left}
	stride = max(stride, 0)
	parts := t.encodeTexts(new(encoder), &s, first, second, pair)
	n, m := t.room(&s, parts)
	room := n
	if pair {
		room = m
		s.truncation.truncate(parts[0], n)
	}
	whole := *parts[len(parts)-1]
	var all []*Encoding
	for done, length := 0, whole.Len(); ; done += max(room-stride, 1) {
		start, end := done, min(done+room, length)
		if s.truncation.Left {
			start, end = max(length-done-room, 0), length-done
		}
		part := whole
		part.Offsets = append([]Span(nil), part.Offsets...) // a processor may change them
		part.cut(start, end)
		window := append([]*Encoding(nil), parts...)
		if pair {
			question := *parts[0]
			question.Offsets = append([]Span(nil), question.Offsets...)
			window[0] = &question
		}
		window[len(window)-1] = &part
		all = append(all, s.pad(t.finish(&s, window)))
		if room == 0 || done+room >= length {
			return all
		}
	}
}
