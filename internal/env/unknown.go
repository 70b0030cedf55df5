package env

import (
	"slices"
	"strings"
)

// prefix is what the names of the library's variables begin with.
const prefix = "LTC_"

// Misnamed is a variable that looks like one of the library's and is none.
type Misnamed struct {
	Name    string
	Nearest string // the declared name that may be meant; empty if none is alike
}

// Unknown lists what is set, begins with LTC_ and is not declared, by name.
func Unknown() []Misnamed {
	var names []string
	for _, v := range declared {
		names = append(names, v.Name)
	}
	var all []Misnamed
	for _, name := range set() {
		if strings.HasPrefix(name, prefix) && !slices.Contains(names, name) {
			all = append(all, Misnamed{name, nearest(name, names)})
		}
	}
	slices.SortFunc(all, func(a, b Misnamed) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// nearest returns the name that the fewest edits lead to, "" if these are more
// than half the letters after the prefix.
func nearest(name string, names []string) string {
	best, edits := "", max(1, (len(name)-len(prefix))/2)+1
	for _, n := range names {
		if d := distance(name, n); d < edits {
			best, edits = n, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with the next
// one that make b of a (optimal string alignment; Damerau: A technique for
// computer detection and correction of spelling errors, 1964).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
