package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ltc/bench/measure"
	"ltc/internal/diag"
)

// session is all that was measured, and where.
type session struct {
	Machine measure.Machine
	N       int
	Backend string
	Used    bool // times are of processors
	Lines   []line
}

// The lines of a page between which the table stands.
const (
	begin = "<!-- Written by go -C bench run ./soa -write ../docs/performance-soa.md; measured anew by it. -->\n"
	end   = "<!-- End of what is written. -->\n"
)

// writeTo puts the table into a page.
func (s *session) writeTo(page string) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := s.into(string(old))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(text), 0o666)
}

// into returns a page with the table in place of the one that it has.
func (s *session) into(page string) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", errors.New("it has not the two lines between which the table stands")
	}
	return before + begin + s.table() + end + after, nil
}

// table is the figures as Markdown.
func (s *session) table() string {
	var b strings.Builder
	m := s.Machine
	fmt.Fprintf(&b, "Measured on %s: %s, %s, %s; %s, Go %s, %s; columns of %s. ",
		m.Date, m.Processor, diag.Count(m.Cores, "core"), strings.Join(m.Features, " "), m.System, strings.TrimPrefix(m.Go, "go"), s.Backend, diag.Count(s.N, "element"))
	if s.Used {
		b.WriteString("Times are what the process used of a processor, as others were at work on the machine. ")
	}
	b.WriteString("A time is the least of many samples, which the sides of a comparison take by turns, each after a run that does not count if runs are short. Beside the ratio of these is the ratio of the medians.\n\n")
	b.WriteString("| program | how | time | against | time | ratio | of medians | reach | copied | allocations |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, l := range s.Lines {
		if l.Missing != "" {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | | | | missing: %s | | |\n", l.Name, l.Of, measure.Seconds(l.Seconds), l.To, l.Missing)
			continue
		}
		reach, copied, allocs := "", "", ""
		if l.Reach > 0 {
			reach = fmt.Sprintf("%.2f, %s", l.Reach, l.verdict())
		}
		if l.Copied >= 0 {
			copied, allocs = fmt.Sprintf("%d B", l.Copied), fmt.Sprintf("%.3g", l.Allocs)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %.2f | %.2f | %s | %s | %s |\n",
			l.Name, l.Of, measure.Seconds(l.Seconds), l.To, measure.Seconds(l.Against), l.Ratio, l.Medians, reach, copied, allocs)
	}
	return b.String()
}
