package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"

	"ltc/internal/diag"
)

const (
	mostBytes = 15 << 10 // of a page
	mostWords = 35       // of a sentence
)

// page is a Markdown file without what is code in it.
type page struct {
	file  string
	bytes int
	lines []string        // empty where they are code
	heads map[string]bool // anchors
}

var (
	inlineCode = regexp.MustCompile("`[^`]*`(, `[^`]*`)*") // a list of names is one thing
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	sentence   = regexp.MustCompile(`[.!?]["')*_]*\s+`)
)

func newPage(file, text string) *page {
	p := &page{file: file, bytes: len(text), heads: map[string]bool{}}
	fenced := false
	for _, l := range strings.Split(text, "\n") {
		switch fence := strings.HasPrefix(strings.TrimSpace(l), "```"); {
		case fence:
			fenced = !fenced
			l = ""
		case fenced, strings.HasPrefix(l, "    "):
			l = ""
		}
		if title, is := strings.CutPrefix(strings.TrimLeft(l, "#"), " "); is && strings.HasPrefix(l, "#") {
			p.heads[anchor(title)] = true
		}
		p.lines = append(p.lines, l)
	}
	return p
}

// anchor is what links call a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}

func (p *page) size() []finding {
	if p.bytes <= mostBytes {
		return nil
	}
	return []finding{{p.file, 1, fmt.Sprintf("the page has %s, of at most %d: split it by what its readers want", diag.Count(p.bytes, "byte"), mostBytes)}}
}

// sentences finds long ones. Rows of tables have none.
func (p *page) sentences() []finding {
	var found []finding
	for i, l := range p.lines {
		if !strings.HasPrefix(l, "|") {
			found = append(found, longSentences(p.file, i+1, inlineCode.ReplaceAllString(l, "x"))...)
		}
	}
	return found
}

// longSentences finds those of a paragraph that begins at a line.
func longSentences(file string, line int, text string) []finding {
	var found []finding
	for _, s := range sentence.Split(text, -1) {
		if words := strings.Fields(s); len(words) > mostWords {
			found = append(found, finding{file, line, fmt.Sprintf("a sentence has %s, of at most %d: %s …", diag.Count(len(words), "word"), mostWords, strings.Join(words[:6], " "))})
		}
	}
	return found
}

// links finds those that lead to no file, or to no heading of a page.
func (p *page) links(module fs.FS, pages map[string]*page) []finding {
	var found []finding
	for i, l := range p.lines {
		for _, m := range link.FindAllStringSubmatch(inlineCode.ReplaceAllString(l, "x"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to, head, _ := strings.Cut(m[1], "#")
			target := p
			if to != "" {
				name := path.Join(path.Dir(p.file), to)
				if _, err := fs.Stat(module, name); err != nil {
					found = append(found, finding{p.file, i + 1, fmt.Sprintf("the link %s leads to no file", m[1])})
					continue
				}
				target = pages[name]
			}
			if head != "" && target != nil && !target.heads[head] {
				found = append(found, finding{p.file, i + 1, fmt.Sprintf("the link %s leads to no heading", m[1])})
			}
		}
	}
	return found
}
