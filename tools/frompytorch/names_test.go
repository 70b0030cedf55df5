package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// packages are those that the page names, by their folders.
var packages = map[string]string{
	"lazy": "lazy", "nn": "nn", "layers": "nn/layers", "module": "nn/module", "optim": "optim", "amp": "optim/amp",
	"generate": "nn/generate", "data": "data", "train": "train", "checkpoint": "checkpoint",
}

// declared has the exported names of a package: functions, types, variables and constants, methods and fields.
type declared struct {
	names   map[string]bool
	members map[string]map[string]bool // by type
}

func read(t *testing.T, folder string) declared {
	d := declared{map[string]bool{}, map[string]map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, folder)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					d.names[decl.Name.Name] = true
				} else {
					d.member(base(decl.Recv.List[0].Type), decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range decl.Specs {
					d.spec(s)
				}
			}
		}
	}
	return d
}

func (d declared) spec(s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			d.names[n.Name] = true
		}
	case *ast.TypeSpec:
		d.names[s.Name.Name] = true
		switch of := s.Type.(type) {
		case *ast.StructType:
			for _, f := range of.Fields.List {
				if len(f.Names) == 0 {
					d.member(s.Name.Name, base(f.Type))
				}
				for _, n := range f.Names {
					d.member(s.Name.Name, n.Name)
				}
			}
		case *ast.Ident: // such as LSTM, which is a Recurrent
			d.member(s.Name.Name, of.Name)
		}
	}
}

func (d declared) member(of, name string) {
	if d.members[of] == nil {
		d.members[of] = map[string]bool{}
	}
	d.members[of][name] = true
}

// has reports whether a type has a field or a method, its own or one of an embedded type.
func (d declared) has(of, name string) bool {
	if d.members[of][name] {
		return true
	}
	for member := range d.members[of] {
		if d.members[member] != nil && member != of && d.has(member, name) {
			return true
		}
	}
	return false
}

// base is the name of a type of a receiver or a field.
func base(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return base(x.X)
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.IndexListExpr:
		return base(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

var code = regexp.MustCompile("`([^`]+)`")

// rows returns the two columns of the tables in the page.
func rows(t *testing.T) (all [][2]string) {
	text, err := os.ReadFile(filepath.Join(root, "docs/from-pytorch.md"))
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| ") {
			continue
		}
		all = append(all, [2]string{strings.TrimPrefix(cells[0], "| "), strings.TrimSuffix(cells[1], " |")})
	}
	require.Greater(t, len(all), 50)
	return all
}

// Every name in the right column is one of this module: functions, types, fields of literals, and methods.
func TestNamesExist(t *testing.T) {
	all := map[string]declared{}
	for name, folder := range packages {
		all[name] = read(t, folder)
	}
	anyHas := func(name string) bool {
		for _, d := range all {
			for of := range d.members {
				if d.members[of][name] {
					return true
				}
			}
		}
		return false
	}
	checked := 0
	for _, row := range rows(t) {
		if strings.HasPrefix(row[1], "functions of the same names") {
			for _, span := range code.FindAllStringSubmatch(row[0], -1) {
				checked++
				require.True(t, all["nn"].names[span[1]], "nn.%s does not exist", span[1])
			}
		}
		for _, span := range code.FindAllStringSubmatch(row[1], -1) {
			source := span[1]
			if !strings.ContainsAny(source, ".") {
				continue // a variable, a word of Go, or a file
			}
			if strings.HasPrefix(source, ".") {
				continue // a file's extension
			}
			source = strings.TrimPrefix(source, "defer ")
			_, after, assigned := strings.Cut(source, ":= ")
			if !assigned {
				_, after, assigned = strings.Cut(source, " = ")
			}
			if assigned {
				before, _, _ := strings.Cut(source, "=")
				if at := strings.LastIndex(strings.TrimSpace(before), "."); at >= 0 {
					require.True(t, anyHas(strings.TrimSpace(before[at+1:])), "%s in row %q", source, row[0])
				}
				source = after
			}
			source = strings.NewReplacer("(…)", "()", "{…}", "{}", ", …", "", "…", "...").Replace(source)
			x, err := parser.ParseExpr(source)
			require.NoError(t, err, "%s in row %q", span[1], row[0])
			ast.Inspect(x, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					of, ok := n.X.(*ast.Ident)
					checked++
					if d, isPackage := all[base(n.X)]; ok && isPackage {
						require.True(t, d.names[n.Sel.Name], "%s.%s in row %q does not exist", of.Name, n.Sel.Name, row[0])
						return false
					}
					require.True(t, anyHas(n.Sel.Name), "no type has %s, in row %q", n.Sel.Name, row[0])
				case *ast.CompositeLit:
					typ, ok := n.Type.(*ast.SelectorExpr)
					if index, generic := n.Type.(*ast.IndexExpr); generic {
						typ, ok = index.X.(*ast.SelectorExpr)
					}
					if !ok {
						return true
					}
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok {
							checked++
							require.True(t, all[base(typ.X)].has(typ.Sel.Name, kv.Key.(*ast.Ident).Name), "%s has no %v, in row %q", span[1], kv.Key, row[0])
						}
					}
				}
				return true
			})
		}
	}
	require.Greater(t, checked, 150)
}

var (
	word  = regexp.MustCompile(`\w+`)
	upTo3 = regexp.MustCompile("`(\\w+?)([12])d[^`]*` (?:to|and) `3d`")
)

// The left column, or the list of what has no counterpart, has every class of PyTorch: see testdata/torch.txt.
func TestNamesOfPyTorch(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/from-pytorch.md"))
	require.NoError(t, err)
	named := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if _, of, ok := strings.Cut(line, " these have no counterpart: "); ok {
			line = of
		} else if cells := strings.Split(line, " | "); len(cells) == 2 {
			line = cells[0]
			if strings.Contains(cells[1], "has no counterpart") {
				line += cells[1]
			}
		} else {
			continue
		}
		for _, w := range word.FindAllString(line, -1) {
			named[w] = true
		}
		for _, m := range upTo3.FindAllStringSubmatch(line, -1) {
			named[m[1]+"2d"], named[m[1]+"3d"] = true, true
		}
	}
	torch, err := os.ReadFile("testdata/torch.txt")
	require.NoError(t, err)
	checked := 0
	for line := range strings.Lines(string(torch)) {
		of, names, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		for _, name := range strings.Fields(names) {
			checked++
			require.True(t, named[name], "docs/from-pytorch.md does not have %s.%s", of, name)
		}
	}
	require.Greater(t, checked, 200)
}
