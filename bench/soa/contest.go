package main

import (
	"fmt"
	"os"

	"ltc/bench/measure"
)

// contest is several ways to compute the same, which are measured by turns.
type contest struct {
	name    string
	threads int
	// open makes the sides: memory is taken when their turn comes.
	open   func() ([]side, error)
	ratios []ratio
	// peer measures one that needs a process of its own, on what open has made;
	// nil: there is none.
	peer func() (peerFigures, error)
}

// side is one way to compute it.
type side struct {
	name string
	// fill brings what it works on to memory that sides share; nil: it has its own.
	fill func() error
	run  func() error
	// check compares what the last run has written with what it should be.
	check func() error
	// copied returns how many bytes all runs so far have copied; nil: what has
	// no such counter.
	copied func() int64
}

// ratio is the time of one side by that of another, and how much it may be.
type ratio struct {
	of, to string
	reach  float64 // 0: nothing is set
}

// line is what was measured of a ratio.
type line struct {
	Name    string  `json:"name"`
	Of      string  `json:"of"`
	To      string  `json:"to"`
	Seconds float64 `json:"of_s"` // the least of many samples
	Against float64 `json:"to_s"`
	Ratio   float64 `json:"ratio"`
	Medians float64 `json:"ratio_medians"`
	Reach   float64 `json:"reach,omitempty"`
	Copied  int64   `json:"copied"` // bytes a run of the first; -1: not counted
	Allocs  float64 `json:"allocs"` // heap objects a run of it
	Reps    int     `json:"reps"`
	Missing string  `json:"missing,omitempty"` // why there are no figures
}

// measured is what is known of a side.
type measured struct {
	measure.Timing
	copied int64
}

// measure checks all sides and times them.
func (c contest) measure(rules measure.Rules) ([]line, error) {
	sides, err := c.open()
	if err != nil {
		return nil, err
	}
	got := map[string]measured{}
	var runs []func() error
	for _, s := range sides {
		m, err := s.prove()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		got[s.name] = m
		runs = append(runs, s.run)
	}
	missing := map[string]string{}
	if err := c.ask(got, missing); err != nil {
		return nil, err
	}
	timings, err := rules.Turns(runs...)
	if err != nil {
		return nil, err
	}
	for i, s := range sides {
		got[s.name] = measured{timings[i], got[s.name].copied}
	}
	if err := c.ask(got, missing); err != nil {
		return nil, err
	}
	var lines []line
	for _, r := range c.ratios {
		of, to := got[r.of], got[r.to]
		l := line{Name: c.name, Of: r.of, To: r.to, Seconds: of.Min, Against: to.Min, Reach: r.reach,
			Copied: of.copied, Allocs: of.Allocs, Reps: of.Reps, Missing: missing[r.to]}
		if to.Min > 0 {
			l.Ratio, l.Medians = of.Min/to.Min, of.Median/to.Median
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// prove runs a side twice and checks what it gives, and counts what a run copies.
func (s side) prove() (measured, error) {
	m := measured{copied: -1}
	if s.fill != nil {
		if err := s.fill(); err != nil {
			return m, err
		}
	}
	var before int64
	for range 2 {
		if s.copied != nil {
			before = s.copied()
		}
		if err := s.run(); err != nil {
			return m, err
		}
	}
	if s.copied != nil {
		m.copied = s.copied() - before
	}
	return m, s.check()
}

// peerFigures are times by the name of a side.
type peerFigures map[string]measure.Timing

// ask measures the peer and keeps the quicker of its figures. A peer that cannot
// be had leaves the reason in missing.
func (c contest) ask(got map[string]measured, missing map[string]string) error {
	if c.peer == nil || missing[pytorch] != "" {
		return nil
	}
	figures, err := c.peer()
	if err != nil {
		missing[pytorch] = err.Error()
		fmt.Fprintf(os.Stderr, "missing: %s: %v\n", pytorch, err)
		return nil
	}
	for name, t := range figures {
		if old, ok := got[name]; !ok || t.Median < old.Median {
			got[name] = measured{t, -1}
		}
	}
	return nil
}

const (
	met    = "met"
	nearly = "met within 5 %"
	notMet = "not met"
)

// verdict says whether the reach is met: figures repeat to some percent.
func (l line) verdict() string {
	switch {
	case l.Ratio <= l.Reach:
		return met
	case l.Ratio <= 1.05*l.Reach:
		return nearly
	}
	return notMet
}

func (l line) String() string {
	if l.Missing != "" {
		return fmt.Sprintf("%-44s %-28s %9s  %-28s missing: %s", l.Name, l.Of, measure.Seconds(l.Seconds), l.To, l.Missing)
	}
	reach, copied := "", ""
	if l.Reach > 0 {
		reach = fmt.Sprintf("of %.2f, %s", l.Reach, l.verdict())
	}
	if l.Copied >= 0 {
		copied = fmt.Sprintf("%d B copied, %.3g allocs", l.Copied, l.Allocs)
	}
	return fmt.Sprintf("%-44s %-28s %9s  %-28s %9s  %5.2f (%.2f) %-22s %s",
		l.Name, l.Of, measure.Seconds(l.Seconds), l.To, measure.Seconds(l.Against), l.Ratio, l.Medians, reach, copied)
}
