package module

import (
	"reflect"
	"strings"
	"unicode"
)

// tag is the key of the struct tags that this package reads.
const tag = "module"

// field describes a field of a module as its tag and its Go name tell.
type field struct {
	name   string
	buffer bool
	inline bool // what it holds belongs to the struct around it
	skip   bool
}

func fieldOf(f reflect.StructField) field {
	name, options, _ := strings.Cut(f.Tag.Get(tag), ",")
	switch {
	case name == "-" || !f.IsExported() && !f.Anonymous:
		return field{skip: true}
	case name != "":
	case f.Anonymous || options == "inline":
		return field{inline: true}
	default:
		name = snake(f.Name)
	}
	return field{name: name, buffer: options == "buffer"}
}

// snake returns a Go name in lower case, its words joined by underscores. A word begins with a capital
// after a small letter or a digit, or with the last capital of several before a small letter.
func snake(name string) string {
	letters, s := []rune(name), strings.Builder{}
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) {
			before, last := letters[i-1], i+1 == len(letters)
			if !unicode.IsUpper(before) || !last && unicode.IsLower(letters[i+1]) {
				s.WriteByte('_')
			}
		}
		s.WriteRune(unicode.ToLower(r))
	}
	return s.String()
}

// join returns the path of a name within a path.
func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}
