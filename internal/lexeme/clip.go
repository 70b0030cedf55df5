package lexeme

import "unicode/utf8"

const shownToken = 60 // bytes of a token in an error

// Clip shortens s, a token that can be megabytes, for an error.
func Clip(s string) string {
	if len(s) <= shownToken {
		return s
	}
	return Head(s, shownToken) + "…"
}

// Head returns the first n bytes of s, or fewer where that would cut a character.
func Head(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
