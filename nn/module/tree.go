package module

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"ltc/lazy"
)

var tensorType, baseType = reflect.TypeFor[*lazy.Tensor](), reflect.TypeFor[Base]()

// scan visits what a struct or a container holds, in the order of fields, indices and keys: tensors, and
// structs that may be modules.
type scan struct {
	tensor func(path string, v reflect.Value, buffer bool)
	module func(path string, v reflect.Value) // a struct, addressable
	fail   func(path, format string, args ...any)
	within []uintptr // the elements of the slices that are being visited
}

// fields visits the fields of a struct at path.
func (s *scan) fields(path string, v reflect.Value) {
	for i := range v.NumField() {
		d, f := fieldOf(v.Type().Field(i)), v.Field(i)
		switch {
		case d.skip:
			if tagged := v.Type().Field(i).Tag.Get(tag); tagged != "-" && (tagged != "" || holdsValue(f)) {
				s.fail(path, "field %s of %v has parameters and is unexported: export it, or leave it out with the tag `%s:\"-\"`", v.Type().Field(i).Name, v.Type(), tag)
			}
		case f.Type() == baseType:
		case d.inline && f.Kind() == reflect.Struct:
			s.fields(path, f)
		case d.inline && f.Kind() == reflect.Pointer && !f.IsNil() && f.Elem().Kind() == reflect.Struct:
			s.fields(path, f.Elem())
		case d.inline:
			s.value(path, f, d.buffer)
		default:
			s.value(join(path, d.name), f, d.buffer)
		}
	}
}

// value visits what is at path.
func (s *scan) value(path string, v reflect.Value, buffer bool) {
	if !v.CanInterface() {
		if holdsValue(v) {
			s.fail(path, "a %v is in an unexported field: export it, or leave it out with the tag `%s:\"-\"`", v.Type(), tag)
		}
		return
	}
	if v.Type() == tensorType {
		s.tensor(path, v, buffer)
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			s.value(path, v.Elem(), buffer)
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			s.module(path, v.Elem())
		}
	case reflect.Struct:
		if v.CanAddr() {
			s.module(path, v)
		} else if holds(v.Type(), map[reflect.Type]bool{}) {
			s.fail(path, "a %v is held by value where it cannot be changed: hold a pointer to it", v.Type())
		}
	case reflect.Array, reflect.Slice:
		if plain(v.Type().Elem()) {
			return
		}
		if v.Kind() == reflect.Slice {
			if slices.Contains(s.within, v.Pointer()) && v.Len() > 0 {
				s.fail(path, containsItself, v.Type())
				return
			}
			s.within = append(s.within, v.Pointer())
			defer func() { s.within = s.within[:len(s.within)-1] }()
		}
		for i := range v.Len() {
			s.value(join(path, strconv.Itoa(i)), v.Index(i), buffer)
		}
	case reflect.Map:
		if plain(v.Type().Elem()) {
			return
		}
		named := map[string]reflect.Value{}
		for it := v.MapRange(); it.Next(); {
			name := fmt.Sprint(it.Key())
			if _, twice := named[name]; twice {
				s.fail(join(path, name), "two keys of the map print alike")
			}
			named[name] = it.Value()
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			s.value(join(path, name), named[name], buffer)
		}
	}
}

// plain reports whether a type is that of a number, a text or a function, which hold no modules.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice, reflect.Struct:
		return false
	}
	return true
}

// holdsValue reports whether a value, which may be of an unexported field, holds a tensor in a field that this package reads.
func holdsValue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && holdsValue(v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Interface {
			for i := range v.Len() {
				if holdsValue(v.Index(i)) {
					return true
				}
			}
			return false
		}
	}
	return holds(v.Type(), map[reflect.Type]bool{})
}

// holds reports whether values of a type may hold a tensor in a field that this package reads, as far as the types
// tell.
func holds(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == tensorType {
		return true
	}
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Pointer, reflect.Slice:
		return holds(t.Elem(), seen)
	case reflect.Struct:
		if seen[t] {
			return false
		}
		seen[t] = true
		for i := range t.NumField() {
			if f := t.Field(i); !fieldOf(f).skip && holds(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// node is a module with its place in the network.
type node struct {
	path    string
	at      reflect.Value // of the struct
	tensors []entry       // its own
	below   []*node
}

// entry is a variable of a module; the tensor is nil if the module has none there.
type entry struct {
	path   string
	tensor *lazy.Tensor
	buffer bool
}

// treeOf returns the modules of a network and their variables.
func treeOf(net any) (*node, error) {
	v, err := rootOf(net)
	if err != nil {
		return nil, err
	}
	g := grower{}
	root := g.node("", v)
	seen := map[string]bool{}
	root.each(func(n *node) {
		for _, e := range n.tensors {
			if seen[e.path] {
				g.fail(e.path, "two variables have this name: give one field another name with a tag `%s:\"name\"`", tag)
			}
			seen[e.path] = true
		}
	})
	return root, g.err
}

// rootOf returns the struct that net points to.
func rootOf(net any) (reflect.Value, error) {
	v := reflect.ValueOf(net)
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct:
		return v.Elem(), nil
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Map:
		held := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "All", Type: v.Type(), Tag: tag + `:",inline"`}})).Elem()
		held.Field(0).Set(v)
		return held, nil
	}
	return v, fmt.Errorf("module: %T is not a module: give a pointer to a struct, such as &Net{…}, or a slice or map of modules", net)
}

// grower makes the nodes of a network.
type grower struct {
	above []reflect.Value // the structs around
	err   error
}

func (g *grower) node(path string, v reflect.Value) *node {
	n := &node{path: path, at: v}
	if isWithin(g.above, v) {
		g.fail(path, containsItself, v.Type())
		return n
	}
	g.above = append(g.above, v)
	names := map[string]bool{}
	named := func(path string) {
		if names[path] {
			g.fail(path, "two fields of %v have this name: give one a name of its own with a tag `%s:\"name\"`", v.Type(), tag)
		}
		names[path] = true
	}
	s := scan{
		tensor: func(path string, v reflect.Value, buffer bool) {
			named(path)
			n.tensors = append(n.tensors, entry{path, v.Interface().(*lazy.Tensor), buffer})
		},
		module: func(path string, v reflect.Value) {
			named(path)
			n.below = append(n.below, g.node(path, v))
		},
		fail: g.fail,
	}
	s.fields(path, v)
	g.above = g.above[:len(g.above)-1]
	return n
}

const containsItself = "a %v contains itself"

// isWithin reports whether the struct v is one of those around it.
func isWithin(above []reflect.Value, v reflect.Value) bool {
	return slices.ContainsFunc(above, func(a reflect.Value) bool { return a.Type() == v.Type() && a.Addr().Pointer() == v.Addr().Pointer() })
}

func (g *grower) fail(path, format string, args ...any) {
	if g.err == nil {
		g.err = mistake(path, format, args...)
	}
}

// mistake is an error at a path.
func mistake(path, format string, args ...any) error {
	if path == "" {
		return fmt.Errorf("module: "+format, args...)
	}
	return fmt.Errorf("module %s: "+format, append([]any{path}, args...)...)
}

// isModule reports whether the struct of n is a module, and not a struct of options.
func (n *node) isModule() bool {
	if n.base() != nil || len(n.tensors) > 0 || slices.ContainsFunc(n.below, (*node).isModule) {
		return true
	}
	t := n.at.Addr().Type()
	for _, name := range []string{"Build", "Forward"} {
		if _, ok := t.MethodByName(name); ok {
			return true
		}
	}
	return false
}

// base returns the Base that the struct embeds, nil if it has none.
func (n *node) base() *Base {
	if b, ok := n.at.Addr().Interface().(interface{ base() *Base }); ok {
		return b.base()
	}
	return nil
}

// each calls f for n and the modules below it, each before those below it.
func (n *node) each(f func(*node)) {
	f(n)
	for _, b := range n.below {
		b.each(f)
	}
}
