package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ltc/ir/ops"
	"ltc/ir/types"
)

// library is package lazy, or another, as its source declares it.
type library struct {
	name   string
	about  string // its documentation
	set    *token.FileSet
	decls  map[string]*ast.FuncDecl // by name; a method as Trace.Read
	docs   map[string]string        // of functions, types and errors that are exported
	errs   map[string]bool          // names of variables that errors wrap
	names  []string                 // of that, in the order of go doc
	fields map[string][]string      // that are exported, of types that are structures
	rows   map[string]*ops.Op       // by the name of the method
	calls  map[string]bool          // names of composites
	none   map[string]string        // why primitives have no gradient
	pkgs   map[string]bool          // names of packages that it imports
}

// read parses the sources of package lazy, and of package autodiff.
func read(root string) (*library, error) {
	l, err := load(root, "lazy")
	if err != nil {
		return nil, err
	}
	for i := range ops.Table {
		l.rows[ops.Table[i].Name] = &ops.Table[i]
	}
	for i := range ops.Composites {
		o := &ops.Composites[i]
		l.rows[o.Name], l.calls[o.Name] = o, true
	}
	gradients, err := parse(l.set, filepath.Join(root, "autodiff"))
	for _, f := range gradients {
		ast.Inspect(f, func(n ast.Node) bool { l.withoutGradient(n); return true })
	}
	return l, err
}

// load parses the sources of a package, of which nothing is in the op table.
func load(root, dir string) (*library, error) {
	l := &library{
		name: path.Base(dir), set: token.NewFileSet(), decls: map[string]*ast.FuncDecl{}, docs: map[string]string{},
		rows: map[string]*ops.Op{}, calls: map[string]bool{}, errs: map[string]bool{}, none: map[string]string{}, pkgs: map[string]bool{},
		fields: map[string][]string{},
	}
	files, err := parse(l.set, filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		for _, i := range f.Imports {
			l.pkgs[path.Base(strings.Trim(i.Path.Value, `"`))] = true
		}
		for _, d := range f.Decls {
			if d, is := d.(*ast.FuncDecl); is {
				l.decls[nameOf(d)] = d
			}
		}
	}
	pkg, err := doc.NewFromFiles(l.set, files, "ltc/"+dir, doc.PreserveAST)
	if err != nil {
		return nil, err
	}
	l.about = pkg.Doc
	add := func(name, doc string) {
		l.docs[name] = doc
		l.names = append(l.names, name)
	}
	functions := func(funcs []*doc.Func) {
		for _, f := range funcs {
			add(nameOf(f.Decl), f.Doc)
		}
	}
	for _, v := range pkg.Vars {
		for _, s := range v.Decl.Specs {
			s := s.(*ast.ValueSpec)
			if name := s.Names[0].Name; strings.HasPrefix(name, "Err") {
				add(name, cmp.Or(s.Doc.Text(), v.Doc))
				l.errs[name] = true
			}
		}
	}
	functions(pkg.Funcs)
	for _, t := range pkg.Types {
		add(t.Name, t.Doc)
		l.fields[t.Name] = fieldsOf(t.Decl.Specs[0].(*ast.TypeSpec))
		functions(t.Funcs)
		functions(t.Methods)
	}
	return l, nil
}

// fieldsOf returns the exported fields of a structure.
func fieldsOf(t *ast.TypeSpec) (names []string) {
	s, is := t.Type.(*ast.StructType)
	if !is {
		return nil
	}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			if name.IsExported() {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

func parse(set *token.FileSet, dir string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, err
}

// nameOf is the name of a function, or of a method with its type.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if p, is := t.(*ast.StarExpr); is {
		t = p.X
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	if id, is := t.(*ast.Ident); is {
		return id.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// withoutGradient notes that the gradient of an op is one of the two that are none.
func (l *library) withoutGradient(n ast.Node) {
	v, is := n.(*ast.ValueSpec)
	if !is || len(v.Values) != 1 {
		return
	}
	to, _ := v.Values[0].(*ast.Ident)
	op, grad := strings.CutPrefix(v.Names[0].Name, "grad")
	switch {
	case to == nil || !grad:
	case to.Name == "zeroGradient":
		l.none[op] = "0, as of every step function"
	case to.Name == "notDifferentiable":
		l.none[op] = notFloat
	}
}

const notFloat = "none: the result is not floating point"

// find returns the full name of what a topic names.
func (l *library) find(name string) (full string, known bool) {
	if name, is := strings.CutPrefix(name, "lazy."); is {
		_, known = l.docs[name]
		return name, known
	}
	if _, is := l.docs["Tensor."+name]; is {
		return "Tensor." + name, true
	}
	_, known = l.docs[name]
	return name, known
}

// unlisted are methods that interfaces of the standard library ask for.
var unlisted = []string{"String", "Error", "Unwrap", "Is", "MarshalJSON"}

// fill returns the pages with the rows of the op table in the place of each *. It is an
// error if the topics lack a name, or have one twice.
func (l *library) fill(pages []page) ([]page, error) {
	left := maps.Clone(l.docs)
	pages = slices.Clone(pages)
	for i := range pages {
		pages[i].topics = slices.Clone(pages[i].topics)
		for j := range pages[i].topics {
			t := &pages[i].topics[j]
			t.names = strings.Replace(t.names, "*", l.methods(ops.Family(t.title)), 1)
			for _, name := range strings.Fields(t.names) {
				full, _ := l.find(name)
				if _, is := left[full]; !is {
					return nil, fmt.Errorf("topic %s: there is no %s, or it stands twice: rows of the op table stand in the topic of their family", t.title, name)
				}
				delete(left, full)
				delete(left, full+"_")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		if o := l.row(name); o != nil {
			return nil, fmt.Errorf("%s is in no topic: give its family, %s, a topic with * in tools/reference/topics.go", name, o.Family)
		}
		if !slices.Contains(unlisted, name[strings.IndexByte(name, '.')+1:]) {
			return nil, fmt.Errorf("%s is in no topic: name it in tools/reference/topics.go", name)
		}
	}
	return pages, nil
}

// methods lists the methods and functions that record the rows of a family.
func (l *library) methods(f ops.Family) string {
	var names []string
	for _, o := range slices.Concat(ops.Table, ops.Composites) {
		if full, known := l.find(o.Name); o.Family == f && known && l.row(full) != nil {
			names = append(names, o.Name)
		}
	}
	return strings.Join(names, " ")
}

// row returns the row of the op table that a function records; nil if that is none of its
// name.
func (l *library) row(name string) *ops.Op {
	d := l.decls[name]
	if d == nil || d.Recv != nil && !strings.HasPrefix(name, "Tensor.") || !l.gives(d) {
		return nil
	}
	return l.rows[d.Name.Name]
}

// writes reports whether a method writes its receiver and returns that.
func writes(name string) bool {
	return strings.HasSuffix(name, "_") || name == "Tensor.Assign"
}

// gives reports whether a function returns tensors.
func (l *library) gives(d *ast.FuncDecl) bool {
	return d.Type.Results != nil && strings.Contains(l.text(d.Type.Results.List[0].Type), "*Tensor")
}

// takes reports whether a function has a tensor to start from.
func (l *library) takes(d *ast.FuncDecl) bool {
	fields := slices.Clone(d.Type.Params.List)
	if d.Recv != nil {
		fields = append(fields, d.Recv.List...)
	}
	return slices.ContainsFunc(fields, func(f *ast.Field) bool { return strings.Contains(l.text(f.Type), "*Tensor") })
}

// machinery are functions that make tensors of what is there: they record no ops for their
// callers.
var machinery = []string{"firstBad", "gradients", "holding", "host", "newValue", "newView", "noTrace", "refused", "Tensor.storage", "Tensor.view"}

// recorded lists the ops that a function records, by their names in text: rows that it
// calls, and those that it names.
func (l *library) recorded(name string) []string {
	found, seen := map[string]bool{}, map[string]bool{}
	var walk func(name string)
	walk = func(name string) {
		d := l.decls[name]
		if slices.Contains(machinery, name) || d == nil || d.Body == nil || seen[name] || !l.gives(d) {
			return
		}
		seen[name] = true
		ast.Inspect(d.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if pkg, is := n.X.(*ast.Ident); is && l.pkgs[pkg.Name] {
					if o := l.rows[strings.TrimPrefix(n.Sel.Name, "Op")]; o != nil && pkg.Name == "ir" && strings.HasPrefix(n.Sel.Name, "Op") {
						found[o.Mnemonic()] = true
					}
					return true
				}
				for _, t := range []string{"Tensor.", "Random."} {
					if m := t + n.Sel.Name; l.decls[m] == nil {
						continue
					} else if o := l.row(m); o != nil {
						found[o.Mnemonic()] = true
					} else {
						walk(m)
					}
				}
			case *ast.Ident: // a function that is called, or given to another
				if o := l.rows[strings.TrimPrefix(n.Name, "record")]; o != nil && strings.HasPrefix(n.Name, "record") {
					found[o.Mnemonic()] = true
				} else if o := l.row(n.Name); o != nil {
					found[o.Mnemonic()] = true
				} else {
					walk(n.Name)
				}
			}
			return true
		})
	}
	walk(name)
	delete(found, "constant")
	delete(found, "parameter")
	return slices.Sorted(maps.Keys(found))
}

// gradient says what a function has a gradient of, or why of nothing; "" if it takes no
// tensor.
func (l *library) gradient(name string) string {
	d := l.decls[name]
	if d == nil || !l.takes(d) || !l.gives(d) || writes(name) {
		return ""
	}
	o := l.row(name)
	switch {
	case o != nil:
	case strings.HasPrefix(name, "Random."):
		return l.gradientOfDraw(l.recorded(name))
	default:
		return l.gradientOf(l.recorded(name))
	}
	of := differentiable(o)
	switch why := l.none[o.Name]; {
	case of == "":
		return "none: no operand is floating point"
	case why != "":
		return why
	case o.Traits.Has(ops.OwnGradient):
		return "its own, of " + of
	case l.calls[o.Name]:
		return "by its ops, of " + of
	}
	return "of " + of
}

// gradientOf is the gradient of what is recorded as ops.
func (l *library) gradientOf(recorded []string) string {
	for _, m := range recorded {
		i := slices.IndexFunc(ops.Table, func(o ops.Op) bool { return o.Mnemonic() == m })
		if i < 0 || l.none[ops.Table[i].Name] == "" {
			return "by its ops"
		}
	}
	if len(recorded) == 0 {
		return ""
	}
	return notFloat
}

// gradientOfDraw is the gradient of what is recorded as ops, some of which draw random
// numbers: only composites with a gradient of their own have one.
func (l *library) gradientOfDraw(recorded []string) string {
	for i := range ops.Composites {
		if o := &ops.Composites[i]; o.Traits.Has(ops.OwnGradient) && slices.Contains(recorded, o.Mnemonic()) {
			return "of `" + o.Operands[0].Name + "`"
		}
	}
	return "none: the probabilities that numbers are drawn with have none"
}

// differentiable lists the operands of a row that may be floating point.
func differentiable(o *ops.Op) string {
	var names []string
	for _, p := range o.Operands {
		is := p.Is
		for _, q := range o.Operands {
			if q.Name == p.Like && is == ops.Any {
				is = q.Is
			}
		}
		if is.Allows(types.F32) || is.Allows(types.C64) {
			names = append(names, "`"+p.Name+"`")
		}
	}
	return strings.Join(names, ", ")
}

// text prints a node of the source.
func (l *library) text(n ast.Node) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, l.set, n) // a buffer does not fail
	return b.String()
}
