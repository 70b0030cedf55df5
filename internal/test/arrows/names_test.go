package arrows

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/mlir"
	"ltc/stablehlo"
)

// No package but stablehlo and those below it compares, switches on or looks up the names
// of ops: others use the codes of package stablehlo, which the compiler knows.
func TestOpsAreToldApartByCodes(t *testing.T) {
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		if name == "stablehlo" || strings.HasPrefix(name, "stablehlo/") {
			continue
		}
		for _, f := range p.GoFiles {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, f), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, lit := range comparedNames(file) {
				t.Errorf("%s/%s:%d: %s: use the op's code, of package stablehlo", name, f, fset.Position(lit.Pos()).Line, lit.Value)
			}
		}
	}
}

// What reads and prints every dialect has no literal that names one of tensors or what is
// in it.
func TestMLIRKnowsNoDialectOfTensors(t *testing.T) {
	literals := 0
	for _, p := range list(t) {
		if p.ImportPath != p.Module.Path+"/mlir" && p.ImportPath != p.Module.Path+"/internal/mlirtext" {
			continue
		}
		for _, f := range p.GoFiles {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, f), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					literals++
					require.NotRegexp(t, `\b(stablehlo|chlo|arith|check|interpreter)(\.\w|"|<)`, lit.Value, "%s:%d", f, fset.Position(lit.Pos()).Line)
				}
				return true
			})
		}
	}
	require.Greater(t, literals, 100)
}

// comparedNames returns the names of ops that a file compares with ==, != or a case,
// or that are keys of a map.
func comparedNames(file *ast.File) []*ast.BasicLit {
	var all []*ast.BasicLit
	names := func(exprs ...ast.Expr) {
		for _, e := range exprs {
			if lit, ok := ast.Unparen(e).(*ast.BasicLit); ok && lit.Kind == token.STRING && isOp(lit.Value) {
				all = append(all, lit)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				names(n.X, n.Y)
			}
		case *ast.CaseClause:
			names(n.List...)
		case *ast.KeyValueExpr:
			names(n.Key)
		case *ast.IndexExpr:
			names(n.Index)
		}
		return true
	})
	return all
}

// isOp reports whether a literal is the name of an op of a dialect.
func isOp(literal string) bool {
	name, err := strconv.Unquote(literal)
	return err == nil && mlir.CodeOf(name) >= stablehlo.Return
}

func TestComparedNamesAreFound(t *testing.T) {
	for text, want := range map[string]int{
		`x.Name() == "stablehlo.add"`:                                1,
		`map[string]int{"chlo.erf": 1}["stablehlo.abs"]`:             2,
		`f("stablehlo.add")`:                                         0,
		`func() { switch x { case "stablehlo.add", "func.call": } }`: 1,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", fmt.Sprintf("package x\nvar _ = %s", text), 0)
		require.NoError(t, err)
		require.Len(t, comparedNames(file), want, text)
	}
}
