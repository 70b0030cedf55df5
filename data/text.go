package data

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/soa"
)

// Alphabet numbers the characters of texts.
type Alphabet struct {
	characters []rune // sorted
	number     map[rune]int32
}

// ReadText returns the text of files one after the other. What is not UTF-8 becomes the replacement character, U+FFFD.
func ReadText(paths ...string) (string, error) {
	if len(paths) == 0 {
		return "", errors.New("read text: there are no files")
	}
	var all strings.Builder
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			return "", fmt.Errorf("read text: %w", err)
		}
		all.Write(text)
	}
	return strings.ToValidUTF8(all.String(), "\ufffd"), nil
}

// AlphabetOf returns the characters that a text has, in the order of their code points, and the text as their numbers.
func AlphabetOf(text string) (*Alphabet, []int32) {
	a := &Alphabet{number: map[rune]int32{}}
	for _, r := range text {
		a.number[r] = 0
	}
	for r := range a.number {
		a.characters = append(a.characters, r)
	}
	slices.Sort(a.characters)
	for i, r := range a.characters {
		a.number[r] = int32(i)
	}
	numbers, _ := a.Encode(text) // which has no other characters
	return a, numbers
}

// Len returns the number of characters: 0 of nil, which has none.
func (a *Alphabet) Len() int {
	if a == nil {
		return 0
	}
	return len(a.characters)
}

// Encode returns the numbers of the characters of a text. One that the alphabet lacks is an error.
func (a *Alphabet) Encode(text string) ([]int32, error) {
	all := make([]int32, 0, len(text))
	for at, r := range text {
		var i int32
		ok := a != nil
		if ok {
			i, ok = a.number[r]
		}
		if !ok {
			return nil, fmt.Errorf("data: byte %d: %q is none of the %s", at, r, diag.Count(a.Len(), "character"))
		}
		all = append(all, i)
	}
	return all, nil
}

// Decode returns the text of numbers. A number that is no character's becomes the replacement character, U+FFFD.
func (a *Alphabet) Decode(numbers []int32) string {
	text := make([]rune, len(numbers))
	for i, n := range numbers {
		if text[i] = '\ufffd'; n >= 0 && int(n) < a.Len() {
			text[i] = a.characters[n]
		}
	}
	return string(text)
}

// NextTokens cuts a sequence of tokens into windows of a length, [n, length], and has as second array what comes after each
// token: the data set of a language model. What is left at the end is dropped.
func NextTokens[T soa.Element](tokens []T, length int) (Arrays, error) {
	if length < 1 || len(tokens) <= length {
		return nil, fmt.Errorf("data: windows of %s, and one after them, of %s", diag.Count(length, "token"), diag.Count(len(tokens), "token"))
	}
	n := (len(tokens) - 1) / length
	x, err := ArrayOf(tokens[:n*length], n, length)
	if err != nil {
		return nil, err
	}
	y, err := ArrayOf(tokens[1:n*length+1], n, length)
	if err != nil {
		return nil, err
	}
	return Arrays{x, y}, nil
}
