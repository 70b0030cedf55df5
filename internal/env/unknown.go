package env

import (
	"slices"
	"strings"

	"ltc/internal/diag"
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
		if d := diag.Edits(name, n); d < edits {
			best, edits = n, d
		}
	}
	return best
}
