package diag

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun, which is given in the singular: "1 operand",
// "2 operands", "0 axes". The last word of the noun has the plural.
func Count[N integer](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, plural(noun))
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// irregular are the last letters of nouns whose plural ends in other letters than s.
var irregular = []struct{ one, many string }{
	{"axis", "axes"},
	{"index", "indices"},
	{"matrix", "matrices"},
	{"ay", "ays"},
	{"ey", "eys"},
	{"y", "ies"},
	{"ch", "ches"},
	{"sh", "shes"},
	{"ss", "sses"},
	{"x", "xes"},
}

func plural(noun string) string {
	for _, i := range irregular {
		if stem, is := strings.CutSuffix(noun, i.one); is {
			return stem + i.many
		}
	}
	return noun + "s"
}

// Join returns the texts of the elements of a list with commas between them.
func Join[T any](list []T, text func(T) string) string {
	s := make([]string, len(list))
	for i, x := range list {
		s[i] = text(x)
	}
	return strings.Join(s, ", ")
}
