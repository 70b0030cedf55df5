package mlir

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of everything but op lines, which read themselves (see opNode).
// Names are left as they are written: resolver looks them up afterwards, so
// that aliases may stand before or after their use.
type (
	fileNode struct {
		Items []*itemNode `parser:"@@*"`
	}
	itemNode struct {
		Alias *aliasNode `parser:"@@"`
		Op    *opNode    `parser:"| @@"`
	}
	// aliasNode is `#loc1 = loc(…)`, `#map = …` or `!t = …`.
	aliasNode struct {
		Pos  lexer.Position
		Name string    `parser:"@(Hash | Bang) '='"`
		Attr *attrNode `parser:"@@"`
	}
	moduleNode struct {
		Name  string      `parser:"('module' | 'builtin.module') @Symbol?"`
		Attrs *dictNode   `parser:"('attributes' @@)?"`
		Body  *regionNode `parser:"@@"`
	}

	attrNode struct {
		Pos    lexer.Position
		Dense  *denseNode   `parser:"@@"`
		Token  string       `parser:"| @(Array | Hash)"`
		String string       `parser:"| @String"`
		Symbol []string     `parser:"| @Symbol ('::' @Symbol)*"`
		List   *listNode    `parser:"| @@"`
		Dict   *dictNode    `parser:"| @@"`
		Number *numberNode  `parser:"| @@"`
		Word   string       `parser:"| @('true' | 'false' | 'unit')"`
		Loc    *locAttrNode `parser:"| @@"`
		Type   *typeRef     `parser:"| @@"`
		Struct *structNode  // made by op lines, not by the grammar
	}
	structNode struct {
		name   string
		fields []*entryNode
	}
	denseNode struct {
		Pos     lexer.Position
		Literal string   `parser:"@Dense ':'"`
		Type    *typeRef `parser:"@@"`
	}
	listNode struct {
		Open  string      `parser:"@'['"`
		Elems []*attrNode `parser:"(@@ (',' @@)*)? ']'"`
	}
	dictNode struct {
		Open    string       `parser:"@'{'"`
		Entries []*entryNode `parser:"(@@ (',' @@)*)? '}'"`
	}
	entryNode struct {
		Pos   lexer.Position
		Name  string    `parser:"@(Ident | String)"`
		Value *attrNode `parser:"('=' @@)?"`
	}
	numberNode struct {
		Text string   `parser:"@(Int | Float)"`
		Type *typeRef `parser:"(':' @@)?"`
	}

	locAttrNode struct {
		Alias string   `parser:"  @Loc"`
		Loc   *locNode `parser:"| 'loc' '(' @@ ')'"`
	}
	// locNode is what stands in loc(…).
	locNode struct {
		Pos     lexer.Position
		Alias   string     `parser:"@Hash"`
		Unknown string     `parser:"| @'unknown'"`
		Call    *callNode  `parser:"| @@"`
		Fused   *fusedNode `parser:"| @@"`
		Named   *namedNode `parser:"| @@"`
	}
	callNode struct {
		Callee *locNode `parser:"'callsite' '(' @@ 'at'"`
		Caller *locNode `parser:"@@ ')'"`
	}
	fusedNode struct {
		Word     string     `parser:"@'fused'"`
		Metadata *attrNode  `parser:"('<' @@ '>')?"`
		Locs     []*locNode `parser:"'[' (@@ (',' @@)*)? ']'"`
	}
	namedNode struct {
		Name  string   `parser:"@String"`
		File  *lineCol `parser:"( ':' @@"`
		Child *locNode `parser:"| '(' @@ ')' )?"`
	}
	lineCol struct {
		Line string   `parser:"@Int"`
		Col  string   `parser:"':' @Int"`
		End  []string `parser:"('to' (@Int? ':' @Int))?"`
	}

	// The insides of tokens that are whole types and attributes.
	tensorNode struct {
		Dims     []string  `parser:"'tensor' '<' @Dim*"`
		Elem     *typeRef  `parser:"@@"`
		Encoding *attrNode `parser:"(',' @@)? '>'"`
	}
	complexNode struct {
		Elem *typeRef `parser:"'complex' '<' @@ '>'"`
	}
	tupleNode struct {
		Open  string     `parser:"@'tuple' '<'"`
		Elems []*typeRef `parser:"(@@ (',' @@)*)? '>'"`
	}
	shapedNode struct {
		Tensor  *tensorNode  `parser:"@@"`
		Complex *complexNode `parser:"| @@"`
		Tuple   *tupleNode   `parser:"| @@"`
	}
	arrayNode struct {
		Elem   *typeRef `parser:"'array' '<' @@"`
		Values []string `parser:"(':' @(Int | Float | Ident) (',' @(Int | Float | Ident))*)? '>'"`
	}
	hashNode struct {
		Name   string       `parser:"@Hash '<'"`
		Enum   *enumNode    `parser:"( @@"`
		Fields []*entryNode `parser:"| @@ (',' @@)* )? '>'"`
	}
	enumNode struct {
		Kind  string `parser:"(?= Ident Ident) @Ident"`
		Value string `parser:"@Ident"`
	}
)

var (
	fileParser   = build[fileNode](false)
	moduleParser = build[moduleNode](false)
	attrParser   = build[attrNode](false)
	dictParser   = build[dictNode](false)
	locParser    = build[locNode](false)
	shapedParser = build[shapedNode](true)
	arrayParser  = build[arrayNode](true)
	hashParser   = build[hashNode](true)
)

func build[T any](inner bool) *participle.Parser[T] {
	// No lookahead: the first token decides everywhere, and an error past it
	// is final instead of being lost in the next alternative.
	return participle.MustBuild[T](participle.Lexer(definition{inner}), participle.UseLookahead(0))
}

// sub reads one production of the grammar from within an op line.
func sub[T any](p *participle.Parser[T], lex *lexer.PeekingLexer) (*T, error) {
	v, err := p.ParseFromLexer(lex, participle.AllowTrailing(true))
	if err != nil {
		return nil, asError(err)
	}
	return v, nil
}

// inside reads a token's text, which starts at pos in the whole one.
func inside[T any](p *participle.Parser[T], text string, pos Pos) (*T, *Error) {
	v, err := p.ParseString("", text)
	if err == nil {
		return v, nil
	}
	e := asError(err)
	return nil, &Error{Pos: shift(e.Pos, pos), Msg: e.Msg}
}

// shift moves a position within a token to the token's place in the text.
func shift(p, base Pos) Pos {
	if p.Line <= 1 {
		return Pos{base.Line, base.Col + p.Col - 1}
	}
	return Pos{base.Line + p.Line - 1, p.Col}
}

// asError gives participle's errors the form of this package's.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var tok *participle.UnexpectedTokenError
	if errors.As(err, &tok) {
		return unexpected(&tok.Unexpected, "")
	}
	var perr participle.Error
	if errors.As(err, &perr) {
		return &Error{Pos: at(perr.Position()), Msg: perr.Message()}
	}
	return &Error{Pos: Pos{1, 1}, Msg: err.Error()}
}

// unexpected says which token stands where want should.
func unexpected(t *lexer.Token, want string) *Error {
	e := &Error{Pos: at(t.Pos)}
	switch {
	case t.Type == tokBad:
		e.Msg = t.Value
		return e
	case t.EOF():
		e.Msg = "unexpected end of text"
	case len(t.Value) > 40:
		e.Msg = "unexpected " + t.Value[:40] + "…"
	default:
		e.Msg = "unexpected '" + t.Value + "'"
	}
	if want != "" {
		e.Msg += ": " + want + " is expected"
	}
	return e
}

func at(p lexer.Position) Pos { return Pos{p.Line, p.Column} }
