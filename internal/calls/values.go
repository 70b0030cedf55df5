package calls

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/ops"
	"ltc/ir/types"
)

// Values are the attributes of a call by name. What was left out is 0, false or empty.
type Values map[string]any

// value returns the attribute of a name; its type's zero if it was left out.
func value[T any](v Values, name string) T {
	x, _ := v[name].(T)
	return x
}

// Int returns an integer or an axis.
func (v Values) Int(name string) int { return value[int](v, name) }

// Ints returns a list: integers, dimensions, axes or a permutation.
func (v Values) Ints(name string) []int { return value[[]int](v, name) }

// DType returns a dtype.
func (v Values) DType(name string) types.DType { return value[types.DType](v, name) }

// Real returns a floating-point number.
func (v Values) Real(name string) float64 { return value[float64](v, name) }

// Flag returns a flag.
func (v Values) Flag(name string) bool { return value[bool](v, name) }

// Word returns a word.
func (v Values) Word(name string) string { return value[string](v, name) }

// required reports whether an attribute must be given: lists are empty and flags false
// where they are left out.
func (o *Op) required(a ops.Attr) bool {
	switch a.Kind {
	case ops.Ints, ops.Dims, ops.Axes, ops.Perm, ops.Flag:
		return false
	}
	return !slices.Contains(strings.Fields(o.optional), a.Name)
}

// Parse reads attributes that are written as text: 3, 2,-1, f32, 1e-5, true, ortho. A list may
// stand in brackets.
func (o *Op) Parse(texts map[string]string) (Values, error) {
	v := Values{}
	for name, text := range texts {
		i := slices.IndexFunc(o.Attrs, func(a ops.Attr) bool { return a.Name == name })
		if i < 0 {
			return nil, o.unknown(name)
		}
		x, want := o.parse(o.Attrs[i], strings.TrimSpace(text))
		if want != "" {
			return nil, fmt.Errorf("%s: attribute %s is %q: want %s", o.GoName(), name, text, want)
		}
		v[name] = x
	}
	for _, a := range o.Attrs {
		if _, ok := v[a.Name]; !ok && o.required(a) {
			return nil, fmt.Errorf("%s needs the attribute %s (%v)", o.Signature(), a.Name, a.Kind)
		}
	}
	if o.check != nil {
		if err := o.check(v); err != nil {
			return nil, fmt.Errorf("%s: %w", o.GoName(), err)
		}
	}
	return v, nil
}

// unknown is the error of an attribute that the op does not have.
func (o *Op) unknown(name string) error {
	has := "it has none"
	for i, a := range o.Attrs {
		if i == 0 {
			has = "it has " + a.Name
		} else {
			has += ", " + a.Name
		}
	}
	return fmt.Errorf("%s has no attribute %q: %s", o.GoName(), name, has)
}

// parse reads an attribute; want says what it should have been.
func (o *Op) parse(a ops.Attr, text string) (x any, want string) {
	if words := o.words(a); words != nil {
		return parseWord(words, text)
	}
	return parse(a.Kind, text)
}

// parse reads an attribute of a kind; want says what it should have been.
func parse(kind ops.AttrKind, text string) (x any, want string) {
	switch kind {
	case ops.Int, ops.Axis:
		n, err := strconv.Atoi(text)
		return n, unless(err == nil, "an integer")
	case ops.Ints, ops.Dims, ops.Axes, ops.Perm:
		ns, ok := integers(text)
		return ns, unless(ok, "integers such as 2,-1")
	case ops.DType:
		d, ok := types.ParseDType(text)
		return d, unless(ok, "a dtype such as f32")
	case ops.Real, ops.Extended:
		f, err := strconv.ParseFloat(text, 64)
		if n, isInt := new(big.Int).SetString(text, 10); isInt && err == nil {
			if exact, _ := big.NewFloat(f).Int(nil); exact.Cmp(n) != 0 {
				return f, "a number that float64 has; give others as a tensor"
			}
		}
		return f, unless(err == nil, "a number")
	case ops.Flag:
		b, err := strconv.ParseBool(text)
		return b, unless(err == nil, "true or false")
	}
	return text, ""
}

func unless(ok bool, want string) string {
	if ok {
		return ""
	}
	return want
}

// integers reads a list such as 2,-1 or [2, -1].
func integers(text string) ([]int, bool) {
	if inner, ok := strings.CutPrefix(text, "["); ok {
		if text, ok = strings.CutSuffix(inner, "]"); !ok {
			return nil, false
		}
	}
	all := []int{}
	if strings.TrimSpace(text) == "" {
		return all, true
	}
	for s := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return nil, false
		}
		all = append(all, n)
	}
	return all, true
}

// pairs returns a list of integers two by two.
func (v Values) pairs(name string) [][2]int {
	var all [][2]int
	for p := range slices.Chunk(v.Ints(name), 2) {
		all = append(all, [2]int(p))
	}
	return all
}

// inPairs checks a list that pairs reads.
func inPairs(name string) func(v Values) error {
	return func(v Values) error {
		if n := len(v.Ints(name)); n%2 != 0 {
			return fmt.Errorf("%s has %s: want two for each axis, before and after", name, diag.Count(n, "integer"))
		}
		return nil
	}
}
