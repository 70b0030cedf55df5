package accuracy

import (
	"fmt"
	"os"
	"strings"
)

// Section is a part of a page that one test writes: from the line that it begins
// with on, to the next one's.
type Section string

// The sections of docs/math.md, in order.
const (
	CPU Section = "<!-- Written by go generate ./backends/reference/llvm/vector. -->\n"
	GPU Section = "<!-- Written by go generate ./backends/cuda/ptx. -->\n"
)

// cut returns what comes before, in and after a section of a page.
func cut(page string, s Section) (before, text, after string, err error) {
	b, err := os.ReadFile(page)
	if err != nil {
		return "", "", "", err
	}
	at := strings.Index(string(b), string(s))
	if at < 0 {
		return "", "", "", fmt.Errorf("%s has no line %s", page, s)
	}
	before, rest := string(b)[:at], string(b)[at:]
	end := len(rest)
	if s == CPU {
		if i := strings.Index(rest, string(GPU)); i >= 0 {
			end = i
		}
	}
	return before, rest[:end], rest[end:], nil
}

// Documented returns a section of a page.
func Documented(page string, s Section) (string, error) {
	_, text, _, err := cut(page, s)
	return text, err
}

// Document writes a section of a page anew, the text of which begins with its line.
func Document(page string, s Section, text string) error {
	before, _, after, err := cut(page, s)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(before+text+after), 0o666)
}
