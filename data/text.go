package data

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// ReadText returns the text of files one after the other. A path is that of a file, or a pattern as [filepath.Glob] takes it,
// whose files come by name. What is not UTF-8 becomes the replacement character, U+FFFD.
func ReadText(paths ...string) (string, error) {
	if len(paths) == 0 {
		return "", errors.New("read text: there are no files")
	}
	var all strings.Builder
	for _, p := range paths {
		files, err := filesOf(p)
		if err != nil {
			return "", fmt.Errorf("read text: %w", err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				return "", fmt.Errorf("read text: %w", err)
			}
			all.Write(text)
		}
	}
	return strings.ToValidUTF8(all.String(), "\ufffd"), nil
}

// filesOf returns a path whose file exists, or the files of a pattern.
func filesOf(path string) ([]string, error) {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(path, `*?[`) {
		return []string{path}, nil
	}
	files, err := filepath.Glob(path)
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("files of the pattern %s: %w", path, err)
	}
	return files, nil
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

// NextTokens returns the loader of a language model's examples: windows of a sequence of tokens as x[n, length], and what comes
// after each token as second array. What is left at the end is dropped. A sequence without a window is the loader's error.
func NextTokens[T soa.Element](tokens []T, length int, b Batches) *Loader[Arrays] {
	if length < 1 || len(tokens) <= length {
		return &Loader[Arrays]{err: fmt.Errorf("data: windows of %s, and one after them, of %s", diag.Count(length, "token"), diag.Count(len(tokens), "token"))}
	}
	n := (len(tokens) - 1) / length
	x, err := ArrayOf(tokens[:n*length], n, length)
	if err != nil {
		return &Loader[Arrays]{err: err}
	}
	y, err := ArrayOf(tokens[1:n*length+1], n, length)
	if err != nil {
		return &Loader[Arrays]{err: err}
	}
	return Arrays{x, y}.Loader(b)
}
