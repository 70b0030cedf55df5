package tokenizer

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"ltc/internal/diag"
)

// precompiled is a normalizer of SentencePiece: strings, and what is written in their place.
type precompiled struct {
	units []uint32 // of a double-array trie of the strings, in the format of Darts-clone
	texts []byte   // what is written, each up to a NUL
}

// newPrecompiled reads a charsmap: the bytes of the trie, the trie and the texts.
func newPrecompiled(data []byte) (*precompiled, error) {
	if len(data) < 4 {
		return nil, errors.New("has no trie: is it whole?")
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if data = data[4:]; n > int64(len(data)) || n%4 != 0 || n == 0 {
		return nil, fmt.Errorf("has a trie of %s within %s: is it whole?", diag.Bytes(n), diag.Bytes(len(data)))
	}
	p := &precompiled{units: make([]uint32, n/4), texts: data[n:]}
	for i := range p.units {
		p.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return p, nil
}

// unitOffset returns the distance from a unit to its children.
func unitOffset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// find returns what is written in the place of the shortest string of the trie that starts the key,
// and whether there is one.
func (p *precompiled) find(key []byte) (text []byte, ok bool) {
	at := unitOffset(p.units[0])
	for _, b := range key {
		if at ^= uint32(b); b == 0 || at >= uint32(len(p.units)) {
			return nil, false
		}
		unit := p.units[at]
		if unit&(1<<31|0xFF) != uint32(b) {
			return nil, false
		}
		if at ^= unitOffset(unit); at >= uint32(len(p.units)) {
			return nil, false
		}
		if unit>>8&1 == 0 {
			continue
		}
		start := int(p.units[at] & (1<<31 - 1))
		if start > len(p.texts) {
			return nil, false
		}
		end := start
		for end < len(p.texts) && p.texts[end] != 0 {
			end++
		}
		return p.texts[start:end], true
	}
	return nil, false
}

func (p *precompiled) normalize(s *sequence) {
	all, changed, skipped := s.changes[:0], false, 0
	replace := func(old, text []byte) {
		changed = true
		first := len(all)
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRune(text[i:])
			all = append(all, change{r: r})
			i += n
		}
		more := len(all) - first - utf8.RuneCount(old)
		for i := len(all) - more; i < len(all) && more > 0; i++ {
			all[i].n = 1
		}
		if more < 0 && len(all) > 0 {
			all[len(all)-1].n += more
		} else if more < 0 {
			skipped += len(old)
		}
	}
	for i := 0; i < len(s.text); {
		n := cluster(s.text[i:])
		if text, ok := p.find(s.text[i : i+n]); ok && n < 6 {
			replace(s.text[i:i+n], text)
			i += n
			continue
		}
		for end := i + n; i < end; {
			r, n := utf8.DecodeRune(s.text[i:])
			if text, ok := p.find(s.text[i : i+n]); ok {
				replace(s.text[i:i+n], text)
			} else if r == utf8.RuneError && n == 1 {
				all = append(all, change{r: rune(s.text[i]), raw: true})
			} else {
				all = append(all, change{r: r})
			}
			i += n
		}
	}
	if s.changes = all; changed {
		s.apply(all, skipped)
	}
}

// cluster returns the bytes of the grapheme cluster that starts a text. Clusters of more than five
// bytes may come in parts: such are normalized character by character all the same.
func cluster(text []byte) int {
	r, n := utf8.DecodeRune(text)
	if r < utf8.RuneSelf && (n == len(text) || text[n] < utf8.RuneSelf) {
		if r == '\r' && n < len(text) && text[n] == '\n' {
			return n + 1
		}
		return n
	}
	if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) || unicode.Is(unicode.Cf, r) && !extends(r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return n
	}
	for unicode.Is(unicode.Prepended_Concatenation_Mark, r) && n < len(text) {
		next, m := utf8.DecodeRune(text[n:])
		if unicode.In(next, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Cf) && !unicode.Is(unicode.Prepended_Concatenation_Mark, next) {
			return n
		}
		r, n = next, n+m
	}
	for n < len(text) {
		r, m := utf8.DecodeRune(text[n:])
		if !extends(r) {
			break
		}
		n += m
	}
	return n
}

// extends reports whether a character goes with the one before it.
func extends(r rune) bool {
	return r >= 0x300 && (unicode.In(r, unicode.M, unicode.Other_Grapheme_Extend) || r == 0x200D || r == 0xE33 || r == 0xEB3 || 0x1F3FB <= r && r <= 0x1F3FF || 0xE0020 <= r && r <= 0xE007F)
}
