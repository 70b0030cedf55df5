// Package tag reads the soa tags of struct fields, for package soa and for its generator.
//
// The package imports only the standard library.
package tag

import (
	"fmt"
	"reflect"
	"strings"
)

// Parse returns the name and the option in the soa tag of a struct field. A name or an option that
// the tag does not have is "". A malformed tag, which package reflect would ignore, is an error.
func Parse(tag reflect.StructTag) (name, option string, err error) {
	text, ok := tag.Lookup("soa")
	if !ok && strings.Contains(string(tag), "soa:") {
		return "", "", fmt.Errorf("its tag `%s` is malformed: want `soa:\"name,option\"`", tag)
	}
	name, option, _ = strings.Cut(text, ",")
	return name, option, nil
}
