package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

var (
	replaced = regexp.MustCompile(`(?m)^\| ([^|]*) \(as types\) \|`)
	// A product of sizes (16x2 threads) is not the number of a noun, and %%%d is a name.
	counted = regexp.MustCompile(`(?:^|[^x%])%d ([a-z]+s)\b`)
	// verbs are what messages say of a thing with a number: operand %d has no value.
	verbs = strings.Fields("accesses as becomes belongs depends differs does ends expects gathers gets gives grows has is leaves lies makes needs ns others reaches reads returns runs stands takes waits wants was writes")
)

// words are what the module as a whole says of names.
type words struct {
	types   map[string]bool // that are no names of types, by the glossary
	methods map[string]bool // of interfaces, which say what they do
}

func newWords(glossary string) *words {
	w := &words{types: map[string]bool{}, methods: map[string]bool{}}
	for _, m := range replaced.FindAllStringSubmatch(glossary, -1) {
		for t := range strings.SplitSeq(m[1], ", ") {
			w.types[t] = true
		}
	}
	for _, m := range []string{"String", "Error", "Unwrap", "Is", "As", "Len", "Less", "Swap", "Read", "Write", "Close", "Enabled", "Handle", "WithAttrs", "WithGroup", "MarshalJSON", "MarshalText", "UnmarshalText"} {
		w.methods[m] = true
	}
	return w
}

// add notes the interfaces that a file declares.
func (w *words) add(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if i, is := n.(*ast.InterfaceType); is {
			for _, m := range i.Methods.List {
				for _, name := range m.Names {
					w.methods[name.Name] = true
				}
			}
		}
		return true
	})
}

// source finds what is wrong in a Go file.
func (w *words) source(set *token.FileSet, f *ast.File) []finding {
	file := set.Position(f.Pos()).Filename
	var found []finding
	report := func(at token.Pos, format string, args ...any) {
		found = append(found, finding{file, set.Position(at).Line, fmt.Sprintf(format, args...)})
	}
	for _, c := range f.Comments {
		if strings.HasPrefix(c.Text(), "Output:") { // of an example
			continue
		}
		for paragraph := range strings.SplitSeq(c.Text(), "\n\n") {
			if !strings.HasPrefix(paragraph, "\t") && !strings.HasPrefix(paragraph, " ") {
				found = append(found, longSentences(file, set.Position(c.Pos()).Line, strings.ReplaceAll(paragraph, "\n", " "))...)
			}
		}
	}
	if strings.HasSuffix(file, "_test.go") {
		return found
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
			for _, m := range counted.FindAllStringSubmatch(l.Value, -1) {
				if !slices.Contains(verbs, m[1]) {
					report(l.Pos(), "a message with %%d %s also says 1 %[1]s: diag.Count(n, noun) has both forms", m[1])
				}
			}
		}
		return true
	})
	line := func(at token.Pos) int { return set.Position(at).Line }
	above := -1 // the last line of a declaration with a comment, which is about those below, too
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil || line(d.Pos()) == above+1 {
				above = line(d.End())
			} else if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv) && !w.methods[d.Name.Name]) {
				report(d.Pos(), "exported %s has no documentation", d.Name)
			}
		case *ast.GenDecl:
			documented := d.Doc != nil
			for _, s := range d.Specs {
				name, doc := described(s)
				documented = documented || doc // one comment may be about all that follow in the group
				switch {
				case name == nil:
				case w.types[name.Name] && d.Tok == token.TYPE:
					report(s.Pos(), "type %s: a noun of the field instead, as docs/glossary.md says", name)
				case name.IsExported() && !documented:
					report(s.Pos(), "exported %s has no documentation", name)
				}
			}
		}
	}
	return found
}

// described returns the first name of a declaration, and whether it has a comment.
func described(s ast.Spec) (name *ast.Ident, documented bool) {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Name, s.Doc != nil || s.Comment != nil
	case *ast.ValueSpec:
		return s.Names[0], s.Doc != nil || s.Comment != nil || s.Type != nil // what its type is for
	}
	return nil, false
}

func exportedReceiver(r *ast.FieldList) bool {
	t := r.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}
