package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"ltc/internal/calls"
	"ltc/lazy"
)

// names knows which Go names exist.
type names struct {
	root     string
	packages map[string]map[string]bool // the exported names of a package: Grad, Random.Normal
}

func newNames(root string) *names { return &names{root, map[string]map[string]bool{}} }

// check reports a Go name of the rows that does not exist.
func (n *names) check(rows []row) error {
	for _, r := range rows {
		for _, name := range r.names {
			ok, err := n.exists(name)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", r.name, name, err)
			}
			if !ok {
				return fmt.Errorf("%s: there is no %s", r.name, name)
			}
		}
	}
	return nil
}

// exists reports whether there is an op of that name (MatMul, nn.SiLU), a method of a tensor
// (To), or an exported function, type or method of a package (lazy.Grad, lazy.Random.Normal).
func (n *names) exists(name string) (bool, error) {
	if o, err := calls.Find(name); err == nil && o.GoName() == name {
		return true, nil
	}
	pkg, inner, qualified := strings.Cut(name, ".")
	if !qualified {
		_, ok := reflect.TypeFor[*lazy.Tensor]().MethodByName(name)
		return ok, nil
	}
	if n.packages[pkg] == nil {
		declared, err := declarations(filepath.Join(n.root, pkg))
		if err != nil {
			return false, err
		}
		n.packages[pkg] = declared
	}
	return n.packages[pkg][inner], nil
}

// declarations returns the exported functions, types, and methods as Type.Method, of the
// package in a folder.
func declarations(dir string) (map[string]bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			declare(all, d)
		}
	}
	return all, nil
}

func declare(all map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			t := d.Recv.List[0].Type
			if p, ok := t.(*ast.StarExpr); ok {
				t = p.X
			}
			if id, ok := t.(*ast.Ident); ok {
				name = id.Name + "." + name
			}
		}
		all[name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if t, ok := s.(*ast.TypeSpec); ok {
				all[t.Name.Name] = true
			}
		}
	}
}
