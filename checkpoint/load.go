package checkpoint

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/lazy"
	"ltc/soa"
)

// Options say how names of tensors match names of variables.
type Options struct {
	// AllowMissing leaves variables that have no tensor as they are.
	AllowMissing bool
	// AllowExtra ignores tensors that no variable takes.
	AllowExtra bool
	// Prefix selects the tensors whose names begin with it, and is cut off these. Others are ignored.
	Prefix string
	// Rename returns the variable's name for a tensor's, after Prefix is cut off; "" ignores the
	// tensor. Nil keeps names.
	Rename func(name string) string
	// Share has variables use the memory of the file in place, where dtypes are equal and elements
	// are no blocks: nothing is read before a step uses it. The file must stay open, and must not be
	// truncated, until the variables have other values. Steps that assign them write new memory.
	Share bool
}

// LoadError lists all that keeps a state from being loaded into variables.
type LoadError struct {
	File       string
	Missing    []string // variables without a tensor, with the name that was probably meant
	Extra      []string // tensors without a variable
	Mismatched []string // pairs whose shapes or dtypes differ, and other mistakes
	NoOptions  bool     // the caller's call has no Options: Error names none
}

// Error lists every name on a line of its own.
func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "load %s: no variable was changed", e.File)
	for _, part := range []struct {
		what, noun, hint string
		all              []string
	}{
		{"missing", "variable", " (AllowMissing keeps their values)", e.Missing},
		{"extra", "tensor", " (AllowExtra ignores them)", e.Extra},
		{"mismatched", "variable", "", e.Mismatched},
	} {
		if e.NoOptions {
			part.hint = ""
		}
		if len(part.all) > 0 {
			fmt.Fprintf(&b, "\n%s: %s%s", part.what, diag.Count(len(part.all), part.noun), part.hint)
			for _, line := range part.all {
				b.WriteString("\n\t" + line)
			}
		}
	}
	return b.String()
}

// LoadInto gives variables the values of the tensors of their names. Shapes must be equal; nothing
// is transposed. Dtypes must be equal or of one kind: floating-point numbers round to the nearest,
// an integer must fit, and quantized blocks are dequantized. LoadInto changes all variables or
// none. If names, shapes or dtypes do not match, the error is a [LoadError] that lists all of them.
// A variable with several names, as of tied layers, needs a tensor for one of them;
// tensors for several have one dtype. Like
// [lazy.SetValues], call LoadInto before a step uses the variables. For a map use [maps.All].
func LoadInto(variables iter.Seq2[string, *lazy.Tensor], from *State, o Options) error {
	switch {
	case from == nil:
		return errors.New("load: the state is nil: open a file")
	case variables == nil:
		return errors.New("load: there are no variables, the iterator is nil: for a map use maps.All")
	}
	l := loading{from: from, problems: newLoadError(from)}
	l.tensors, l.order, l.problems.Mismatched = o.rename(from)
	l.match(variables)
	l.extra(o)
	l.missing(o)
	if p := l.problems; len(p.Missing)+len(p.Extra)+len(p.Mismatched) > 0 {
		return p
	}
	shared, err := l.share(o)
	if err == nil {
		err = lazy.SetAll(l.into, func(i int, dst soa.View) error { return l.values[i].fill(dst) })
	}
	if err != nil {
		return fmt.Errorf("load %s: %w", l.problems.File, err)
	}
	for v, view := range shared {
		if err := lazy.SetView(v, view).Err(); err != nil { // of a valid view of the variable's type
			return fmt.Errorf("load %s: %w", l.problems.File, err)
		}
	}
	return nil
}

// share removes the variables that can use memory of the file from those to be filled, and returns
// their views.
func (l *loading) share(o Options) (map[*lazy.Tensor]soa.View, error) {
	if !o.Share {
		return nil, nil
	}
	views := map[*lazy.Tensor]soa.View{}
	var into []*lazy.Tensor
	var values []*Tensor
	for i, v := range l.into {
		t := l.values[i]
		if t.Quantized() || t.Type.DType != v.DType() {
			into, values = append(into, v), append(values, t)
			continue
		}
		view, err := t.View()
		if err == nil {
			err = view.Check()
		}
		if err != nil {
			return nil, err
		}
		views[v] = view
	}
	l.into, l.values = into, values
	return views, nil
}

// Load opens a file, gives variables its values as [LoadInto] does, and closes it unless they share
// its memory. It returns the file's metadata.
func Load(path string, variables iter.Seq2[string, *lazy.Tensor], o Options) (Metadata, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	err = LoadInto(variables, &f.State, o)
	if err != nil || !o.Share {
		f.Close()
	}
	if err != nil {
		return nil, err
	}
	return f.Metadata, nil
}

// loading is one call of LoadInto.
type loading struct {
	from     *State
	problems *LoadError
	tensors  map[string]*Tensor // by the variable's name
	order    []string           // of tensors

	into   []*lazy.Tensor
	values []*Tensor
	lacks  []lack
}

// lack is a variable without a tensor of its name.
type lack struct {
	name     string
	variable *lazy.Tensor
}

func (l *loading) mismatch(format string, args ...any) {
	l.problems.Mismatched = append(l.problems.Mismatched, fmt.Sprintf(format, args...))
}

func newLoadError(from *State) *LoadError {
	return &LoadError{File: cmp.Or(from.name, "the state")}
}

// Tensors returns the tensors of a state that [LoadInto] looks at, by their variables' names. If several have
// one name, the error is a [LoadError].
func (o Options) Tensors(from *State) (map[string]*Tensor, error) {
	tensors, _, twice := o.rename(from)
	if twice != nil {
		e := newLoadError(from)
		e.Mismatched = twice
		return nil, e
	}
	return tensors, nil
}

// rename finds the variable's name of every tensor, in the order of the file, and those that are of several.
func (o Options) rename(from *State) (tensors map[string]*Tensor, order, twice []string) {
	tensors = map[string]*Tensor{}
	for _, t := range from.tensors {
		name, ok := strings.CutPrefix(t.Name, o.Prefix)
		if !ok {
			continue
		}
		if o.Rename != nil {
			if name = o.Rename(name); name == "" {
				continue
			}
		}
		if other := tensors[name]; other != nil {
			twice = append(twice, fmt.Sprintf("%s: tensors %s and %s have this name", name, other.Name, t.Name))
			continue
		}
		tensors[name] = t
		order = append(order, name)
	}
	return tensors, order, twice
}

// match finds the tensor of every variable.
func (l *loading) match(variables iter.Seq2[string, *lazy.Tensor]) {
	seen, taken := map[string]*lazy.Tensor{}, map[*lazy.Tensor]*Tensor{}
	for name, v := range variables {
		if before, twice := seen[name]; twice {
			if before != v {
				l.mismatch("%s: two variables have this name", name)
			}
			continue
		}
		seen[name] = v
		t, ok := l.tensors[name]
		switch {
		case v == nil:
			l.mismatch("%s: the variable is nil", name)
		case v.Err() != nil:
			l.mismatch("%s: %v", name, v.Err())
		case !v.IsVariable():
			l.mismatch("%s: it is not a variable", name)
		case !ok:
			l.lacks = append(l.lacks, lack{name, v})
		case !slices.Equal(v.Shape(), t.Type.Shape):
			l.mismatch("%s: the variable is %v, the tensor is %v", name, v.Type(), t.Type)
		case !convertible(t.Type.DType, v.DType()):
			l.mismatch("%s: the variable is %v, the tensor is %v, which is not converted to %v", name, v.Type(), t.Type, v.DType())
		case taken[v] != nil && !alike(taken[v], t):
			l.mismatch("%s: the variable also takes tensor %s, whose dtype differs: leave one of the names out", name, taken[v].Name)
		default:
			taken[v] = t
			l.into, l.values = append(l.into, v), append(l.values, t)
		}
		delete(l.tensors, name)
	}
	slices.Sort(l.problems.Mismatched)
}

// alike reports whether two tensors have elements of one kind: which of them a tied variable takes
// must not depend on whether it can share the memory of one.
func alike(a, b *Tensor) bool {
	return a.Type.DType == b.Type.DType && a.Quantized() == b.Quantized()
}

// extra lists the tensors that are left.
func (l *loading) extra(o Options) {
	l.order = slices.DeleteFunc(l.order, func(name string) bool { return l.tensors[name] == nil })
	if o.AllowExtra {
		return
	}
	for _, name := range l.order {
		t := l.tensors[name]
		line := fmt.Sprintf("%s %v", name, t.Type)
		if t.Name != name {
			line += ", in the file " + t.Name
		}
		l.problems.Extra = append(l.problems.Extra, line)
	}
}

// maxNear bounds the pairs of names that are compared for near matches.
const maxNear = 100_000

// missing lists the variables without a tensor.
func (l *loading) missing(o Options) {
	if o.AllowMissing {
		return
	}
	loaded := map[*lazy.Tensor]bool{}
	for _, v := range l.into {
		loaded[v] = true
	}
	for _, x := range l.lacks {
		if loaded[x.variable] { // under another name
			continue
		}
		line := x.name
		if len(l.lacks)*len(l.order) <= maxNear {
			if near := nearest(x.name, l.order); near != "" {
				line += "; did you mean " + near + "?"
			}
		}
		l.problems.Missing = append(l.problems.Missing, line)
	}
	slices.Sort(l.problems.Missing)
}

// nearest returns the name that ends with the other one, as with a prefix that one of them lacks;
// else the name with the fewest edits.
func nearest(name string, names []string) string {
	for _, n := range names {
		if strings.HasSuffix(n, "."+name) || strings.HasSuffix(name, "."+n) {
			return n
		}
	}
	return diag.Nearest(name, names)
}
