package tokenizer

import "unicode/utf8"

// processor adds special tokens to the encodings of one text or two.
type processor interface {
	// added returns how many tokens it adds.
	added(pair bool) int
	process(parts []*Encoding, special bool) []*Encoding
}

// processors run one after the other. None of them is a processors.
type processors []processor

func (all processors) added(pair bool) int {
	n := 0
	for _, p := range all {
		n += p.added(pair)
	}
	return n
}

func (all processors) process(parts []*Encoding, special bool) []*Encoding {
	for i, p := range all {
		if i > 0 {
			if _, ok := all[i-1].(template); ok { // its tokens belong to all goroutines
				for k, e := range parts {
					parts[k] = join([]*Encoding{e})
				}
			}
		}
		parts = p.process(parts, special)
	}
	return parts
}

// item is a part of a template: a text, or tokens.
type item struct {
	text   int // 0 or 1; -1 for tokens
	typeID int32
	tokens *Encoding
}

// template puts tokens before, between and after texts.
type template struct{ single, pair []item }

func (t template) items(pair bool) []item {
	if pair {
		return t.pair
	}
	return t.single
}

func (t template) added(pair bool) int {
	n := 0
	for _, x := range t.items(pair) {
		if x.tokens != nil {
			n += x.tokens.Len()
		}
	}
	return n
}

func (t template) process(parts []*Encoding, special bool) []*Encoding {
	var all []*Encoding
	for i, x := range t.items(len(parts) == 2) {
		switch {
		case x.tokens == nil && x.text < len(parts):
			e := parts[x.text]
			for _, y := range t.items(len(parts) == 2)[:i] {
				if y.tokens == nil && y.text == x.text {
					e = join([]*Encoding{e}) // a text that is there twice
					break
				}
			}
			e.TypeIDs = fill(e.TypeIDs, e.Len(), x.typeID)
			all = append(all, e)
		case x.tokens != nil && special:
			all = append(all, x.tokens)
		}
	}
	return all
}

// offsetTrimmer leaves white space out of the offsets of byte-level tokens.
type offsetTrimmer struct{ prefixSpace bool }

func (offsetTrimmer) added(bool) int { return 0 }

func (x offsetTrimmer) process(parts []*Encoding, _ bool) []*Encoding {
	for _, e := range parts {
		for i, token := range e.Tokens {
			o := &e.Offsets[i]
			before, after := 0, 0
			for s := token; ; before++ {
				r, n := utf8.DecodeRuneInString(s)
				if n == 0 || r != byteRunes[' '] && classOf(r)&white == 0 {
					break
				}
				s = s[n:]
			}
			for s := token; ; after++ {
				r, n := utf8.DecodeLastRuneInString(s)
				if n == 0 || r != byteRunes[' '] && classOf(r)&white == 0 {
					break
				}
				s = s[:len(s)-n]
			}
			// The blank that was put before the text is not in it.
			if before == 1 && x.prefixSpace && (i == 0 || o.Start == 0) {
				before = 0
			}
			if before > 0 {
				o.Start = min(o.Start+before, o.End)
			}
			if after > 0 && o.End >= after {
				o.End = max(o.End-after, o.Start)
			}
		}
	}
	return parts
}
