package diag

import "strings"

// Nearest returns the name that was most likely meant by one that is none of names,
// the first of several; "" if none is near.
func Nearest(name string, names []string) string {
	best, least := "", 2+len(name)/4
	for _, n := range names {
		if d := Edits(name, n); d < least && d < max(len(name), len(n)) {
			best, least = n, d
		}
	}
	return best
}

// Meant returns the end of an error about a name that is none of names. The noun says
// what these are: "; did you mean axis? the attributes are axis, eps".
func Meant(name, noun string, names []string) string {
	if len(names) == 0 {
		return "; there are no " + plural(noun)
	}
	text := "; "
	if near := Nearest(name, names); near != "" {
		text += "did you mean " + near + "? "
	}
	all := strings.Join(names, ", ")
	if len(names) == 1 {
		return text + "the only " + noun + " is " + all
	}
	return text + "the " + plural(noun) + " are " + all
}

// Edits returns how many bytes must be inserted, deleted, replaced or swapped with the next
// one to make b of a. It is the optimal string alignment of Damerau: A technique for computer
// detection and correction of spelling errors, 1964.
func Edits(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
