package tokenizer

import "unicode/utf8"

// Patterns of models whose words hand-written scanners find. The first is GPT-2's, the second Llama
// 3's, of which tiktoken's cl100k_base has other spellings, and the third Qwen 2's.
const (
	gpt2Pattern  = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+` + blanks
	llamaPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+` + blanks
	qwenPattern  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+` + blanks
)

var scanners = map[string]scanner{
	gpt2Pattern:  gpt2Word,
	llamaPattern: llamaWord,
	qwenPattern:  qwenWord,
	`'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]` + blanks: llamaWord,
}

// classAt returns the classes of the character at the start of the text and its bytes; 0 and 0 at
// the end of the text.
func classAt(text []byte) (class, int) {
	if len(text) == 0 {
		return 0, 0
	}
	if b := text[0]; b < utf8.RuneSelf {
		return ascii[b], 1
	}
	r, n := utf8.DecodeRune(text)
	return classes().of(r), n
}

// run returns the end of the longest run of characters from byte i on that have one of the classes,
// or, if other is set, none.
func run(text []byte, i int, bits class, other bool) int {
	for i < len(text) {
		c, n := classAt(text[i:])
		if (c&bits == 0) != other {
			break
		}
		i += n
	}
	return i
}

// contraction returns the bytes of an English ending after an apostrophe: 's, 't, 're and so on; 0
// if there is none. fold is for capitals, too.
func contraction(text []byte, fold bool) int {
	if len(text) < 2 || text[0] != '\'' {
		return 0
	}
	var pair [2]byte
	n := copy(pair[:], text[1:])
	if fold {
		// Case folding takes the long s for an s.
		if pair == [2]byte{0xC5, 0xBF} {
			return 3
		}
		for i := range n {
			if b := pair[i]; 'A' <= b && b <= 'Z' {
				pair[i] += 'a' - 'A'
			}
		}
	}
	switch pair[0] {
	case 's', 't', 'm', 'd':
		return 2
	}
	switch pair {
	case [2]byte{'r', 'e'}, [2]byte{'v', 'e'}, [2]byte{'l', 'l'}:
		return 3
	}
	return 0
}

// spaces returns the end of white space that starts the text: all of it at the end of the text, else
// all but the last character, unless that is the only one.
func spaces(text []byte) int {
	end, last := 0, 0
	for end < len(text) {
		c, n := classAt(text[end:])
		if c&white == 0 {
			if last > 0 {
				return last
			}
			return end
		}
		last, end = end, end+n
	}
	return end
}

// gpt2Word is gpt2Pattern.
func gpt2Word(text []byte) int {
	if n := contraction(text, false); n > 0 {
		return n
	}
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	switch c, n := classAt(text[start:]); {
	case n == 0 || c&white != 0:
		return spaces(text)
	case c&letter != 0:
		return run(text, start, letter, false)
	case c&digit != 0:
		return run(text, start, digit, false)
	}
	return run(text, start, white|letter|digit, true)
}

func llamaWord(text []byte) int { return laterWord(text, 3) }
func qwenWord(text []byte) int  { return laterWord(text, 1) }

// laterWord is llamaPattern, with at most the given number of digits in a word.
func laterWord(text []byte, digits int) int {
	if n := contraction(text, true); n > 0 {
		return n
	}
	c, n := classAt(text)
	switch {
	case c&letter != 0:
		return run(text, n, letter, false)
	case c&digit != 0:
		for k := 1; k < digits; k++ {
			next, m := classAt(text[n:])
			if next&digit == 0 {
				break
			}
			n += m
		}
		return n
	}
	// Any character but a line break goes with letters that follow it.
	newline := text[0] == '\r' || text[0] == '\n'
	next, m := classAt(text[n:])
	if !newline && next&letter != 0 {
		return run(text, n, letter, false)
	}
	start, first := 0, c
	if text[0] == ' ' && m > 0 {
		start, first = 1, next
	}
	if first&(white|letter|digit) == 0 {
		end := run(text, start, white|letter|digit, true)
		for end < len(text) && (text[end] == '\r' || text[end] == '\n') {
			end++
		}
		return end
	}
	// White space up to its last line break.
	end := run(text, 0, white, false)
	for k := end; k > 0; k-- {
		if text[k-1] == '\r' || text[k-1] == '\n' {
			return k
		}
	}
	return spaces(text)
}

// wordOrSymbols returns the end of a word, or of characters that are none.
func wordOrSymbols(text []byte) int {
	c, n := classAt(text)
	return run(text, n, wordRune, c&wordRune == 0)
}
