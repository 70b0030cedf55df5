package mlir

import "slices"

// OpDef is the row of an op: how its pretty form reads and prints, which
// attributes are properties, and its traits. An op without a row is read and
// printed in the generic form.
type OpDef struct {
	Name   string
	Syntax Syntax // nil: generic form only
	// Props are the attributes that the generic form prints in <{…}>.
	Props []string
	// Regions is how many it has; AnyRegions for any number.
	Regions int
	Traits  Traits
	// Callee is the attribute that names the function that the op runs; "" if it runs
	// none.
	Callee string
	// Static says, of an op that takes attributes or its result's shape as
	// operands, which op it is once these are known.
	Static *Static

	code  Code            // its position in the table, from 1
	shown map[string]bool // the attributes that the syntax prints elsewhere than in AttrDict
}

// languageOps has the rows of the dialects that the language cannot do without.
var languageOps = []OpDef{
	{Name: "builtin.module", Syntax: Syntax{moduleSyntax{}}, Props: []string{"sym_name", "sym_visibility"}, Regions: 1, Traits: Isolated},
	{Name: "func.func", Syntax: Syntax{funcSyntax{}}, Regions: 1, Traits: Isolated,
		Props: []string{"sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"}},
	{Name: "func.call", Syntax: Syntax{callSyntax{}}, Props: []string{"callee", "no_inline"}, Callee: "callee"},
	{Name: "func.return", Syntax: Syntax{Operands(-1), AttrDict{}, TypeList{Operands: true, Optional: true}}, Traits: Terminator},
}

// shortNames are the ops that a function's body may write without dialect.
var shortNames = map[string]string{"module": "builtin.module", "call": "func.call", "return": "func.return"}

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
	Canonical func(Attribute) Attribute
	Type      func(DialectType) DialectType
	// Problem says what is wrong with an attribute #dialect.name<…> in itself; "" if
	// nothing.
	Problem func(Attribute) string
	// Default reports whether op means the same without one of its attributes, which is
	// then not printed.
	Default func(op *Op, a NamedAttr) bool
}

// rows is every op that is known, in the order of codes, and opDefs has them by name.
// known is the rest of what [Register] was told.
var (
	rows   []OpDef
	opDefs map[string]*OpDef
	known  = Dialects{
		Canonical: func(a Attribute) Attribute { return a },
		Type:      func(t DialectType) DialectType { return t },
		Problem:   func(Attribute) string { return "" },
		Default:   func(*Op, NamedAttr) bool { return false },
	}
)

func init() { setRows(languageOps) }

// Register tells this package of dialects; the codes of their ops follow those of
// builtin and func. It is for the init function of one package: a second call panics.
// Texts that are read before, or without it, have the ops of other dialects in their
// generic form.
func Register(d Dialects) {
	if len(rows) > len(languageOps) {
		panic("mlir: dialects are registered a second time")
	}
	known = d
	setRows(slices.Concat(languageOps, d.Ops))
}

func setRows(all []OpDef) {
	rows = all
	opDefs = make(map[string]*OpDef, len(rows))
	for i := range rows {
		d := &rows[i]
		d.shown = map[string]bool{}
		for _, n := range d.Syntax.Shows() {
			d.shown[n] = true
		}
		d.code = Code(i + 1)
		opDefs[d.Name] = d
	}
	for i := range rows {
		if s := rows[i].Static; s != nil {
			s.Op = CodeOf(s.Name)
		}
	}
}
