package objcache

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// Neighbour is an entry that is nearly that of a key.
type Neighbour struct {
	Entry
	Differences []Difference
}

// Difference is a part that is not the same in two keys.
type Difference struct {
	Name        string
	This, Other EntryPart // the zero EntryPart if there is no such part
}

// Find returns the entries whose keys start with prefix, in hexadecimal, the
// one used last first.
func (c *Cache) Find(prefix string) ([]Entry, error) {
	entries, err := c.List()
	return slices.DeleteFunc(entries, func(e Entry) bool { return !strings.HasPrefix(e.Key.String(), prefix) }), err
}

// Why returns the other entries, those first whose keys differ in the fewest
// parts: they say why the object of e was compiled and not found.
func (c *Cache) Why(e Entry) ([]Neighbour, error) {
	entries, err := c.List()
	var all []Neighbour
	for _, other := range entries {
		if other.Key != e.Key {
			all = append(all, Neighbour{other, differences(e.Parts, other.Parts)})
		}
	}
	slices.SortStableFunc(all, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(len(a.Differences), len(b.Differences)), cmp.Compare(distance(a), distance(b)),
			b.Used.Compare(a.Used))
	})
	return all, err
}

// differences compares parts by name.
func differences(these, others []EntryPart) []Difference {
	var all []Difference
	find := func(list []EntryPart, name string) (EntryPart, bool) {
		i := slices.IndexFunc(list, func(p EntryPart) bool { return p.Name == name })
		if i < 0 {
			return EntryPart{}, false
		}
		return list[i], true
	}
	for _, p := range these {
		if q, _ := find(others, p.Name); p.Hash != q.Hash || p.Bytes != q.Bytes {
			all = append(all, Difference{p.Name, p, q})
		}
	}
	for _, q := range others {
		if _, ok := find(these, q.Name); !ok {
			all = append(all, Difference{Name: q.Name, Other: q})
		}
	}
	return all
}

// distance counts the lines in which known values differ.
func distance(n Neighbour) int {
	lines := 0
	for _, d := range n.Differences {
		if !d.This.Known || !d.Other.Known {
			lines += 1000
			continue
		}
		these, others := d.This.lines(), d.Other.lines()
		lines += max(len(these), len(others)) - min(len(these), len(others))
		for i := range min(len(these), len(others)) {
			if these[i] != others[i] {
				lines++
			}
		}
	}
	return lines
}

// String says what differs: both values if they are short, the first line that
// differs if they are known, or else that they differ.
func (d Difference) String() string {
	this, other := d.This, d.Other
	switch {
	case this.Name == "":
		return fmt.Sprintf("%s: none, there %s", d.Name, other)
	case other.Name == "":
		return fmt.Sprintf("%s: %s, there none", d.Name, this)
	case !this.Known || !other.Known, !strings.Contains(this.Value+other.Value, "\n"):
		this.Value, other.Value = fromDifference(this.Value, other.Value)
		return fmt.Sprintf("%s: %s, there %s", d.Name, this, other)
	}
	these, others := this.lines(), other.lines()
	for i := range max(len(these), len(others)) {
		switch {
		case i >= len(others):
			return fmt.Sprintf("%s, line %d: %q, there it ends", d.Name, i+1, clip(these[i]))
		case i >= len(these):
			return fmt.Sprintf("%s, line %d: it ends, there %q", d.Name, i+1, clip(others[i]))
		case these[i] != others[i]:
			a, b := fromDifference(these[i], others[i])
			return fmt.Sprintf("%s, line %d: %q, there %q", d.Name, i+1, clip(a), clip(b))
		}
	}
	return d.Name
}

// String returns the value if it is known and a line, its size and hash
// otherwise.
func (p EntryPart) String() string {
	if !p.Known || strings.Contains(p.Value, "\n") {
		return fmt.Sprintf("%s (%s)", diag.Count(p.Bytes, "byte"), p.Hash)
	}
	return fmt.Sprintf("%q", clip(p.Value))
}

func (p EntryPart) lines() []string { return strings.Split(strings.TrimSuffix(p.Value, "\n"), "\n") }

// clip shortens a line for messages.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return s[:maxShown] + "…"
}

// maxShown is the most bytes of a line that messages show.
const maxShown = 120

// fromDifference shortens two long lines to what surrounds the first place where
// they differ.
func fromDifference(a, b string) (string, string) {
	if max(len(a), len(b)) <= maxShown {
		return a, b
	}
	const before = 30
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	if at <= before {
		return a, b
	}
	return "…" + a[at-before:], "…" + b[at-before:]
}
