package accuracy

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/golden"
)

// Section is a part of a page that one test writes: from the line that it begins
// with on, to the next one's.
type Section string

// The sections of docs/math.md, in order.
const (
	CPU Section = "<!-- Written by go generate ./backends/reference/llvm/vector. -->\n"
	GPU Section = "<!-- Written by go generate ./backends/cuda/ptx. -->\n"
	// Compositions is of what compilers compose.
	Compositions Section = "<!-- Written by go generate ./backends/reference/llvm. -->\n"
)

// sections is the page's order.
var sections = []Section{CPU, GPU, Compositions}

// Figure writes how many units something is off by, rounded up.
func Figure(units float64) string { return fmt.Sprintf("%.2f", math.Ceil(units*100)/100) }

// figure is what Figure writes.
var figure = regexp.MustCompile(`\d\.\d\d`)

// Document requires the page to have text behind the line that a section begins with, with
// figures that are no less. go test -update writes it, but keeps the page's figures where
// the text has 0, which says that nothing was measured. If more is set, more numbers were
// taken than for the page, and its figures are not looked at.
func (s Section) Document(t testing.TB, page, text string, more bool) {
	t.Helper()
	b, err := os.ReadFile(page)
	require.NoError(t, err)
	before, said, found := strings.Cut(string(b), string(s))
	require.True(t, found, "%s has no line %s", page, s)
	after := ""
	for _, next := range sections[slices.Index(sections, s)+1:] {
		if i := strings.Index(said, string(next)); i >= 0 {
			said, after = said[:i], said[i:]+after
		}
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile(page, []byte(before+string(s)+kept(text, said)+after), 0o666))
		return
	}
	require.Equal(t, figure.ReplaceAllString(said, "…"), figure.ReplaceAllString(text, "…"), "run go generate")
	if more {
		return
	}
	rows := strings.Split(text, "\n")
	for i, row := range strings.Split(said, "\n") {
		for k, is := range figure.FindAllString(rows[i], -1) {
			require.LessOrEqual(t, parsed(t, is), parsed(t, figure.FindAllString(row, -1)[k]), "run go generate: %s", rows[i])
		}
	}
}

// kept returns the text with a row's figures of 0 replaced by those that the page
// has for it.
func kept(text, said string) string {
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		name, _, found := strings.Cut(row, "` |")
		at := strings.Index(said, name+"` |")
		if !found || at < 0 {
			continue
		}
		old, _, _ := strings.Cut(said[at:], "\n")
		figures := figure.FindAllString(old, -1)
		rows[i] = figure.ReplaceAllStringFunc(row, func(f string) string {
			var was string
			if len(figures) > 0 {
				was, figures = figures[0], figures[1:]
			}
			if f == "0.00" && was != "" {
				return was
			}
			return f
		})
	}
	return strings.Join(rows, "\n")
}

func parsed(t testing.TB, figure string) float64 {
	v, err := strconv.ParseFloat(figure, 64)
	require.NoError(t, err)
	return v
}
