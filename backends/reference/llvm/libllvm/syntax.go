package libllvm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// SyntaxError is a mistake in a text that was to be compiled.
type SyntaxError struct {
	Line, Column int    // from 1
	Reason       string // in LLVM's words
	Source       string // the line
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s, in %q", e.Line, e.Column, e.Reason, e.Source)
}

// bufferName is what texts are called in messages of LLVM's.
const bufferName = "text"

var position = regexp.MustCompile(`(?m)^(?:` + bufferName + `|<string>):(\d+):(\d+): error: (.*)$`)

// parseFailed makes an error of what LLVM says of a text that it cannot parse.
func parseFailed(message, text string) error {
	m := position.FindStringSubmatch(message)
	if m == nil {
		return fmt.Errorf("parse: %s", strings.TrimSpace(message))
	}
	e := &SyntaxError{Reason: m[3]}
	e.Line, _ = strconv.Atoi(m[1])
	e.Column, _ = strconv.Atoi(m[2])
	n := 1
	for line := range strings.Lines(text) {
		if n == e.Line {
			e.Source = strings.TrimSpace(line)
		}
		n++
	}
	return e
}
