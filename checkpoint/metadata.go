package checkpoint

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"ltc/internal/diag"
)

// Metadata has small values by name: the number of the step, the state of random numbers, the place
// in the data. A file of safetensors has texts: that of a string is itself, that of an
// [encoding.TextMarshaler] is what it writes, and any other value is JSON. GGUF and PyTorch's
// files have numbers, strings, bools and lists.
type Metadata map[string]any

// Value stores the value of a name in the pointer into. A text is read as it was written: for a
// *string as it is, by an [encoding.TextUnmarshaler], else as JSON. A number must fit.
func (m Metadata) Value(name string, into any) error {
	x, ok := m[name]
	if !ok {
		return fmt.Errorf("there is no value %s%s", name, diag.Meant(name, "value", slices.Sorted(maps.Keys(m))))
	}
	text, isText := x.(string)
	var err error
	switch p := into.(type) {
	case *string:
		if !isText {
			return fmt.Errorf("value %s is a %T, not a string", name, x)
		}
		*p = text
	case encoding.TextUnmarshaler:
		if !isText {
			return fmt.Errorf("value %s is a %T, not a string", name, x)
		}
		err = p.UnmarshalText([]byte(text))
	default:
		data := []byte(text)
		if !isText {
			data, err = json.Marshal(x)
		}
		err = errors.Join(err, unmarshal(data, into))
	}
	if err != nil {
		return fmt.Errorf("value %s: %w", name, err)
	}
	return nil
}

// Struct stores values in the fields of the struct that into points to, as [Metadata.Value] does each. A field has a tag such as
// `metadata:"llama.block_count"`, or `metadata:"llama.rope.freq_base,optional"`. A field without a tag is left unchanged, and so is
// an optional one whose value is missing. The error lists all values that are missing or do not fit, and all fields that cannot be set.
func (m Metadata) Struct(into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("values are stored in a struct: give a pointer to one, not a %T", into)
	}
	var all error
	for _, f := range reflect.VisibleFields(v.Elem().Type()) {
		if tag, ok := f.Tag.Lookup("metadata"); ok {
			all = errors.Join(all, m.field(v.Elem(), f, tag))
		}
	}
	return all
}

// field stores the value that a field's tag names.
func (m Metadata) field(of reflect.Value, f reflect.StructField, tag string) error {
	name, option, hasOption := strings.Cut(tag, ",")
	switch {
	case name == "" || hasOption && option != "optional":
		return fmt.Errorf("field %s has the tag metadata:%q: want a name, or a name and the option optional", f.Name, tag)
	case !f.IsExported():
		return fmt.Errorf("field %s has the tag metadata:%q and cannot be set: export it", f.Name, tag)
	}
	if _, ok := m[name]; !ok && hasOption {
		return nil
	}
	x, err := of.FieldByIndexErr(f.Index)
	if err != nil {
		return fmt.Errorf("value %s: field %s: %w: set the embedded pointer first", name, f.Name, err)
	}
	return m.Value(name, x.Addr().Interface())
}

// unmarshal is json.Unmarshal, whose errors about values that are no JSON show them.
func unmarshal(data []byte, into any) error {
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%.40q for a %T: %w", data, into, err)
	}
	return nil
}

// texts returns the values as the texts that a file has.
func (m Metadata) texts() (map[string]string, error) {
	all := make(map[string]string, len(m))
	for name, x := range m {
		switch x := x.(type) {
		case string:
			all[name] = x
			continue
		case encoding.TextMarshaler:
			text, err := x.MarshalText()
			if err != nil {
				return nil, fmt.Errorf("value %s: %w", name, err)
			}
			all[name] = string(text)
			continue
		}
		text, err := json.Marshal(x)
		if err != nil {
			return nil, fmt.Errorf("value %s: %w", name, err)
		}
		all[name] = string(text)
	}
	for name, text := range all {
		if !utf8.ValidString(name) || !utf8.ValidString(text) {
			return nil, fmt.Errorf("value %q: the name or the text is not UTF-8, which files have: write bytes as a []byte", name)
		}
	}
	return all, nil
}
