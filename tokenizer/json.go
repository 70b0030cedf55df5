package tokenizer

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// kind is the kind of a value of JSON.
type kind byte

const (
	absent kind = iota // of a field that an object does not have
	null
	boolean
	number
	text
	array
	object
	raw // an array or object that is read later, by its place in the file
)

func (k kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object", "an array or object"}[k]
}

// value is a value of JSON. It knows where in the file it is, for errors.
type value struct {
	kind       kind
	flag       bool
	number     float64
	text       string
	items      []*value // of an array or object
	start, end int      // of a raw value, in the file
	in         *value
	key        string // in an object
	index      int    // in an array; -1 in an object
}

// path returns where the value is in the file, as in model.merges[17].
func (v *value) path() string {
	if v == nil || v.in == nil {
		return ""
	}
	p := v.in.path()
	switch {
	case v.index >= 0:
		return p + "[" + strconv.Itoa(v.index) + "]"
	case p == "":
		return v.key
	}
	return p + "." + v.key
}

// fail returns an error about the value.
func (v *value) fail(format string, args ...any) error {
	return fieldError(v.path(), format, args...)
}

// fieldError returns an error about the field at a path.
func fieldError(path, format string, args ...any) error {
	if path == "" {
		path = "the top level"
	}
	return fmt.Errorf("%s: %w", path, fmt.Errorf(format, args...))
}

// get returns a field of an object, of kind absent if there is none. Of several with the same name
// the last counts.
func (v *value) get(key string) *value {
	if v.kind == object {
		for i := len(v.items) - 1; i >= 0; i-- {
			if v.items[i].key == key {
				return v.items[i]
			}
		}
	}
	return &value{in: v, key: key, index: -1}
}

// missing reports whether the value is null or absent.
func (v *value) missing() bool { return v.kind == absent || v.kind == null }

func (v *value) want(k kind) error {
	if v.kind != k {
		return v.fail("is %v: it must be %v", v.kind, k)
	}
	return nil
}

func (v *value) str() (string, error) { return v.text, v.want(text) }

// optional returns the string, "" if it is missing.
func (v *value) optional() (string, error) {
	if v.missing() {
		return "", nil
	}
	return v.str()
}

// flagOr returns the boolean, or what it is by default if it is missing.
func (v *value) flagOr(byDefault bool) (bool, error) {
	if v.missing() {
		return byDefault, nil
	}
	return v.flag, v.want(boolean)
}

// integer returns a whole number from 0 to most.
func (v *value) integer(most int) (int, error) {
	if err := v.want(number); err != nil {
		return 0, err
	}
	if v.number != math.Trunc(v.number) || v.number < 0 || v.number > float64(most) {
		return 0, v.fail("is %v: it must be a whole number from 0 to %d", v.number, most)
	}
	return int(v.number), nil
}

// rune returns the string's only character.
func (v *value) rune() (rune, error) {
	s, err := v.str()
	if err != nil {
		return 0, err
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) || n == 0 {
		return 0, v.fail("is %q: it must be one character", s)
	}
	return r, nil
}
