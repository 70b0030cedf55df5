// Package mlirtext reads and prints the text form of MLIR: the core language, and every op
// in its generic form. It knows the pretty forms of builtin and func, and those that
// [Register] is told of. Importing it is what gives package mlir its text form. A pretty
// form is a [Syntax], a list of parts that both reads and prints it.
//
// Its central type is [Stream], the tokens of a text, which parts of a syntax read.
//
// The package imports only ltc/internal/diag, ltc/internal/halt, ltc/internal/lexeme, ltc/mlir and
// the standard library.
package mlirtext

import "ltc/mlir"

// OpDef is the row of an op: how its pretty form reads and prints, which
// attributes are properties, and its traits. An op without a row is read and
// printed in the generic form.
type OpDef struct {
	Name   string
	Syntax Syntax // nil: generic form only
	// The other fields are those of [mlir.OpDef].
	Props   []string
	Regions int
	Traits  mlir.Traits
	Callee  string
	Static  *mlir.Static
}

// Dialects is what a package knows of the dialects whose ops it describes. Texts are
// read, checked in themselves and printed by it.
type Dialects struct {
	Ops []OpDef
	// Complete are the dialects all of whose ops are among Ops: what else has their
	// names is a mistake.
	Complete []string
	// Fields are those of the structured attributes that have no others, by name. A
	// text that gives one of them a field of another name, or one twice, is refused
	// when it is read; others are kept as they stand.
	Fields map[string][]string
	// Canonical returns the one way in which an attribute #dialect.name<…> is written,
	// and Type that of a type !dialect.name<…>.
	Canonical func(mlir.Attribute) mlir.Attribute
	Type      func(mlir.DialectType) mlir.DialectType
	// Problem says what is wrong with an attribute #dialect.name<…> in itself; "" if
	// nothing.
	Problem func(mlir.Attribute) string
	// Default reports whether op means the same without one of its attributes, which is
	// then not printed.
	Default func(op *mlir.Op, a mlir.NamedAttr) bool
}

// form is the pretty form of an op of the table.
type form struct {
	code   mlir.Code
	syntax Syntax          // nil: generic form only
	shown  map[string]bool // the attributes that the syntax prints elsewhere than in AttrDict
}

// forms has the ops of builtin and func, and those that [Register] was told of, in the
// order of codes; formByName has them by name. known is the rest of what Register was told.
var (
	forms      []form
	formByName = map[string]*form{}
	known      = Dialects{
		Canonical: func(a mlir.Attribute) mlir.Attribute { return a },
		Type:      func(t mlir.DialectType) mlir.DialectType { return t },
		Problem:   func(mlir.Attribute) string { return "" },
		Default:   func(*mlir.Op, mlir.NamedAttr) bool { return false },
	}
)

// languageSyntax has the pretty forms of builtin and func, in the order of codes.
var languageSyntax = []Syntax{
	nil,
	{moduleSyntax{}},
	{funcSyntax{}},
	{callSyntax{}},
	{Operands(-1), AttrDict{}, TypeList{Operands: true, Optional: true}},
}

// shortNames are the ops that a function's body may write without dialect.
var shortNames = map[string]string{"module": "builtin.module", "call": "func.call", "return": "func.return"}

func init() {
	setForms(languageSyntax)
	mlir.RegisterText(mlir.Text{Print: printModule, Op: opText})
}

// Register tells this package, and package mlir, of dialects; the codes of their ops
// follow those of builtin and func. It is for the init function of one package: a second
// call panics. Texts that are read before, or without it, have the ops of other dialects
// in their generic form.
func Register(d Dialects) {
	ops, all := make([]mlir.OpDef, len(d.Ops)), languageSyntax
	for i, o := range d.Ops {
		ops[i] = mlir.OpDef{
			Name: o.Name, Props: o.Props, Operands: operands(o.Syntax), Regions: o.Regions, Traits: o.Traits, Callee: o.Callee, Static: o.Static,
		}
		all = append(all, o.Syntax)
	}
	mlir.Register(ops, d.Canonical)
	known = d
	setForms(all)
}

func setForms(all []Syntax) {
	forms = make([]form, len(all))
	for i, s := range all {
		f := &forms[i]
		f.code, f.syntax, f.shown = mlir.Code(i), s, map[string]bool{}
		for _, n := range s.Shows() {
			f.shown[n] = true
		}
		if i > 0 {
			formByName[f.code.String()] = f
		}
	}
}

// operands returns how many operands a pretty form has; -1 if it does not tell.
func operands(s Syntax) int {
	for _, p := range s {
		if n, ok := p.(Operands); ok && n >= 0 {
			return int(n)
		}
	}
	return -1
}

// formOf returns the pretty form of an op; nil if the table has none of its name.
func formOf(op *mlir.Op) *form {
	if op.Code == 0 {
		return nil
	}
	return &forms[op.Code]
}
