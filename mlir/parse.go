package mlir

import (
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Parse reads a module. A text of bare top-level ops is the body of one
// without name. The error is an [*Error], or [Errors] in the order of the text;
// file is only what they name. The module keeps text alive.
func Parse(file, text string) (*Module, error) {
	if !utf8.ValidString(text) {
		return nil, join(file, text, []*Error{notUTF8(text)})
	}
	tree, err := parseFile(text)
	if err != nil {
		return nil, join(file, text, []*Error{err})
	}
	r := newResolver()
	m := r.file(tree)
	if len(r.errs) > 0 {
		return nil, join(file, text, r.errs)
	}
	m.file, m.text = file, text
	m.Number()
	return m, nil
}

func notUTF8(text string) *Error {
	s := scanner{text: text, line: 1}
	for {
		c, n := utf8.DecodeRuneInString(text[s.off:])
		if c == utf8.RuneError && n == 1 {
			return errorf(at(s.pos()), "byte %#02x is not UTF-8", text[s.off])
		}
		s.off += n
		if c == '\n' {
			s.line++
			s.start = s.off
		}
	}
}

func parseFile(text string) (*fileNode, *Error) {
	lex, err := definition{}.LexString("", text)
	if err != nil {
		return nil, asError(err)
	}
	tokens, err := lexer.Upgrade(lex)
	if err != nil {
		return nil, asError(err)
	}
	tree, err := fileParser.ParseFromLexer(tokens, participle.AllowTrailing(true))
	if err != nil {
		return nil, asError(err)
	}
	if t := tokens.Peek(); !t.EOF() {
		return nil, unexpected(t, "an op")
	}
	return tree, nil
}

// file makes the module: the text's only top-level op if that is one, and else
// a module without name around all of them.
func (r *resolver) file(tree *fileNode) *Module {
	var ops []*opNode
	for _, it := range tree.Items {
		if it.Op != nil {
			ops = append(ops, it.Op)
			continue
		}
		if old := r.aliases[it.Alias.Name]; old != nil {
			r.fail(at(it.Alias.Pos), "%s is defined a second time; first on line %d", it.Alias.Name, old.Pos.Line)
		}
		r.aliases[it.Alias.Name] = it.Alias
	}
	m := &Module{}
	if len(ops) == 1 && ops[0].name == "builtin.module" {
		op := r.op(ops[0])
		m.Name, m.Loc = op.SymName(), op.Loc
		for _, a := range op.Attrs {
			if a.Name != "sym_name" {
				m.Attrs = append(m.Attrs, a)
			}
		}
		if len(op.Regions) == 1 && len(op.Regions[0].Blocks) <= 1 && len(op.Operands)+len(op.Results) == 0 {
			if b := op.Body(); b != nil {
				m.Ops = b.Ops
			}
			return m
		}
		r.fail(ops[0].pos, "builtin.module has one region of one block, and neither operands nor results")
		return m
	}
	for _, o := range ops {
		m.Ops = append(m.Ops, r.op(o))
	}
	r.settle(0, true)
	return m
}
