package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"

	dtypes "ltc/ir/types"
	"ltc/soa"
	"ltc/soa/internal/tag"
)

// structure is a struct as accessors need it.
type structure struct {
	pkg, name string
	fset      *token.FileSet
	pos       token.Pos // of the struct, or of the field that is read
	line      string    // of the struct, or of the field that is read: hit.go:12
	columns   []column
}

// column is a field of the layout, and how Go code names it.
type column struct {
	soa.Field
	method string // Go's names of the fields on the way, together
	goType string // of a component
	of     string // of values, the method of the jagged column
	block  bool   // of elements of their own: only in the layout
}

// vocabulary is the path of the package of dtypes.
var vocabulary = reflect.TypeFor[dtypes.DType]().PkgPath()

// read returns struct name of the package of file. Packages that it imports are
// not read, so that nothing needs to compile: the types of columns are Go's own
// and those of ltc/ir/types.
func read(file, name string) (*structure, error) {
	fset := token.NewFileSet()
	first, err := parser.ParseFile(fset, file, nil, parser.PackageClauseOnly)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, p := range paths {
		f, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			return nil, err
		}
		if f.Name.Name == first.Name.Name {
			files = append(files, f)
		}
	}
	conf := types.Config{Importer: stubs{}, Error: func(error) {}}
	pkg, _ := conf.Check(first.Name.Name, fset, files, nil) // with errors of what is not there
	obj := pkg.Scope().Lookup(name)
	if obj == nil {
		return nil, fmt.Errorf("package %s of %s has no type %s", first.Name.Name, file, name)
	}
	st, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil, fmt.Errorf("%s is no struct", name)
	}
	s := &structure{pkg: first.Name.Name, name: name, fset: fset}
	if err := s.walk(st, at{}); err != nil {
		return nil, s.positioned(err)
	}
	s.pos = obj.Pos()
	fields := make([]soa.Field, len(s.columns))
	for i, c := range s.columns {
		fields[i] = c.Field
	}
	if !slices.ContainsFunc(s.columns, func(c column) bool { return !c.block }) {
		return nil, s.positioned(fmt.Errorf("layout %s: it has no columns: the struct has no exported fields", name))
	}
	if _, err := soa.NewLayout(name, fields); err != nil {
		return nil, s.positioned(err)
	}
	return s, nil
}

// positioned is an error with the file and line that it is of.
func (s *structure) positioned(err error) error {
	at := s.fset.Position(s.pos)
	return fmt.Errorf("%s:%d: %w", at.Filename, at.Line, err)
}

// floats are the dtypes of the vocabulary's types of elements.
var floats = map[string]dtypes.DType{"Float16": dtypes.F16, "BFloat16": dtypes.BF16, "Float8E4M3FN": dtypes.F8E4M3FN, "Float8E5M2": dtypes.F8E5M2}

// stubs imports nothing but the vocabulary's types of elements.
type stubs struct{}

func (stubs) Import(path string) (*types.Package, error) {
	pkg := types.NewPackage(path, filepath.Base(path))
	if path == vocabulary {
		for name, d := range floats {
			obj := types.NewTypeName(token.NoPos, pkg, name, nil)
			types.NewNamed(obj, types.Typ[map[int]types.BasicKind{1: types.Uint8, 2: types.Uint16}[d.Size()]], nil)
			pkg.Scope().Insert(obj)
		}
	}
	pkg.MarkComplete()
	return pkg, nil
}

// at is what holds a struct's fields.
type at struct {
	prefix, method, of string
	slice              string // method of the slice
	kind               soa.Kind
	block              bool
}

// walk adds the columns of a struct, in soa.LayoutOf's order.
func (s *structure) walk(st *types.Struct, in at) error {
	for i := range st.NumFields() {
		f := st.Field(i)
		s.pos = f.Pos()
		name, option, err := tag.Parse(reflect.StructTag(st.Tag(i)))
		if err != nil {
			return fmt.Errorf("layout %s: column %s: %w", s.name, in.prefix+f.Name(), err)
		}
		if name == "-" || !f.Exported() && !f.Anonymous() {
			continue
		}
		if name == "" {
			name = f.Name()
		}
		to := in
		if !f.Anonymous() {
			to.method += f.Name()
		}
		if err := s.field(f, to, in.prefix+name, option); err != nil {
			return err
		}
	}
	return nil
}

func (s *structure) field(f *types.Var, in at, name, option string) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("layout %s: column %s: %s", s.name, name, fmt.Sprintf(format, args...))
	}
	st, isStruct := f.Type().Underlying().(*types.Struct)
	slice, isSlice := f.Type().Underlying().(*types.Slice)
	switch option {
	case "":
	case "scalar":
		if isStruct || isSlice || in.kind == soa.Values {
			return fail("a %v cannot be a scalar here", f.Type())
		}
		in.kind = soa.Scalar
	case "block":
		if !isStruct {
			return fail("a block must be a struct, not %v", f.Type())
		}
		if in.of != "" {
			return fail("a block cannot be inside another block or a jagged column")
		}
		return s.walk(st, at{prefix: name + ".", of: name, block: true})
	default:
		return fail("option %q is unknown: the options are scalar and block", option)
	}
	switch {
	case isStruct && f.Anonymous():
		return s.walk(st, in)
	case isStruct:
		in.prefix = name + "."
		return s.walk(st, in)
	case isSlice:
		if in.kind == soa.Values {
			return fail("a jagged column cannot be inside another jagged column")
		}
		s.columns = append(s.columns, column{
			Field:  soa.Field{Name: name + ".offsets", Kind: soa.Offsets, DType: dtypes.I64, Of: in.of},
			method: in.method + "Len", goType: "int", block: in.block,
		})
		in.prefix, in.of, in.kind, in.slice = name+".", name, soa.Values, in.method
		if st, ok := slice.Elem().Underlying().(*types.Struct); ok {
			return s.walk(st, in)
		}
		return s.value(slice.Elem(), in, name, fail)
	}
	return s.value(f.Type(), in, name, fail)
}

func (s *structure) value(t types.Type, in at, name string, fail func(string, ...any) error) error {
	c := column{Field: soa.Field{Name: name, Kind: in.kind, Of: in.of}, method: in.method, of: in.slice, block: in.block}
	elem := t
	for {
		a, ok := elem.Underlying().(*types.Array)
		if !ok {
			break
		}
		c.Shape = append(c.Shape, int(a.Len()))
		elem = a.Elem()
	}
	var ok bool
	if b, basic := elem.Underlying().(*types.Basic); basic && (b.Kind() == types.Int || b.Kind() == types.Uint) {
		return fail("%v has no fixed size: use %v32 or %v64", t, b, b)
	}
	if c.DType, c.goType, ok = dtypeOf(elem); !ok {
		return fail("no dtype holds %v", t)
	}
	s.columns = append(s.columns, c)
	return nil
}

// dtypeOf returns the dtype whose elements t holds, and how Go code names t.
func dtypeOf(t types.Type) (dtypes.DType, string, bool) {
	n, named := t.(*types.Named)
	if named && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == vocabulary {
		d := floats[n.Obj().Name()]
		return d, "types." + n.Obj().Name(), d.Valid()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return dtypes.Invalid, "", false
	}
	d, ok := map[types.BasicKind]dtypes.DType{
		types.Bool: dtypes.Bool, types.Uint8: dtypes.U8, types.Uint16: dtypes.U16, types.Uint32: dtypes.U32, types.Uint64: dtypes.U64,
		types.Int8: dtypes.I8, types.Int16: dtypes.I16, types.Int32: dtypes.I32, types.Int64: dtypes.I64,
		types.Float32: dtypes.F32, types.Float64: dtypes.F64,
	}[b.Kind()]
	if named { // of the package: others are not read
		return d, n.Obj().Name(), ok
	}
	return d, b.Name(), ok
}
