// Package cheader reads what NVIDIA's headers in C declare, for tests that compare tables
// of functions and numbers with them. Its central type is [Header].
//
// The package imports only the standard library.
package cheader

import (
	"regexp"
	"strconv"
	"strings"
)

// Header is the text of headers, without comments.
type Header struct {
	Text    string
	handles map[string]bool // types that are pointers
}

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	pointers = regexp.MustCompile(`typedef\s+(?:struct\s+)?\w+\s*\*\s*(\w+)(?:\s+\w+)?;`)
	numbers  = regexp.MustCompile(`\b(CU\w+)(?:\s+\w+)?\s*=\s*(\d+)U?\s*[,}\n]`)
)

// New reads headers.
func New(texts ...string) *Header {
	h := &Header{Text: comments.ReplaceAllString(strings.Join(texts, "\n"), ""), handles: map[string]bool{"cudaStream_t": true}}
	for _, m := range pointers.FindAllStringSubmatch(h.Text, -1) {
		h.handles[m[1]] = true
	}
	return h
}

// Function is what a function takes and returns, a letter for each: see Entry of package
// driver, and of package libraries.
type Function struct{ Name, Args, Result string }

// Functions returns the functions that are declared, in order, with a word before their
// names: CUDAAPI, say.
func (h *Header) Functions(word string) []Function {
	var all []Function
	for _, m := range regexp.MustCompile(`(\w+)\s+`+word+`\s+(\w+)\s*\(([^)]*)\)`).FindAllStringSubmatch(h.Text, -1) {
		f := Function{Name: m[2], Result: h.letter(m[1] + " result")}
		if list := strings.TrimSpace(m[3]); list != "" && list != "void" {
			for _, arg := range strings.Split(list, ",") {
				f.Args += h.letter(arg)
			}
		}
		all = append(all, f)
	}
	return all
}

// letters are those of types that are no handles, no pointers, and no ints.
var letters = map[string]string{
	"size_t": "z", "cuuint64_t": "q", "unsigned long long": "q", "uint64_t": "q", "int64_t": "l",
	"unsigned int": "u", "cuuint32_t": "u", "uint32_t": "u", "unsigned short": "w", "unsigned char": "b",
	"CUdeviceptr": "d", "CUhostFn": "p",
}

// letter returns that of an argument.
func (h *Header) letter(arg string) string {
	if strings.ContainsAny(arg, "*[") {
		return "p"
	}
	words := strings.Fields(arg)
	kind := strings.TrimPrefix(strings.Join(words[:max(len(words)-1, 1)], " "), "const ")
	switch l := letters[kind]; {
	case l != "":
		return l
	case h.handles[kind]:
		return "h"
	}
	return "i" // int, devices and enumerations
}

// Numbers returns the constants that are given by a number.
func (h *Header) Numbers() map[string]int {
	all := map[string]int{}
	for _, m := range numbers.FindAllStringSubmatch(h.Text, -1) {
		all[m[1]], _ = strconv.Atoi(m[2])
	}
	return all
}
