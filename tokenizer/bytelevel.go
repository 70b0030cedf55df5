package tokenizer

import "unicode/utf8"

// byteRunes has the printable character that stands for each byte in byte-level vocabularies: itself
// if it is printable in Latin-1, else one from U+0100 on. It is GPT-2's table.
var byteRunes = func() (t [256]rune) {
	next := rune(0x100)
	for b := range t {
		if r := rune(b); '!' <= r && r <= '~' || '¡' <= r && r <= '¬' || '®' <= r && r <= 'ÿ' {
			t[b] = r
		} else {
			t[b] = next
			next++
		}
	}
	return t
}()

// runeBytes is the reverse of byteRunes; -1 for characters that stand for no byte.
var runeBytes = func() (t [0x180]int16) {
	for i := range t {
		t[i] = -1
	}
	for b, r := range byteRunes {
		t[r] = int16(b)
	}
	return t
}()

// appendBytes appends the bytes that the characters of a token stand for. It reports false, and
// appends nothing, if one of them stands for none.
func appendBytes[T string | []byte](dst []byte, token T) ([]byte, bool) {
	n := len(dst)
	for _, r := range string(token) {
		if r >= rune(len(runeBytes)) || runeBytes[r] < 0 {
			return dst[:n], false
		}
		dst = append(dst, byte(runeBytes[r]))
	}
	return dst, true
}

// appendByteRunes appends the characters that stand for the bytes of text.
func appendByteRunes(dst, text []byte) []byte {
	for _, b := range text {
		dst = utf8.AppendRune(dst, byteRunes[b])
	}
	return dst
}
