package mlir

import (
	"errors"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of what is short: a module's head and the insides of types and
// structured attributes. Op lines, locations and attributes are read by hand,
// token by token (see OpText, attrNode), since participle takes no list of more
// than a million. Names are left as they are written: resolver looks them up.
type (
	// moduleNode is all of a module before its region.
	moduleNode struct {
		Name  string    `parser:"('module' | 'builtin.module') @Symbol?"`
		Attrs *dictNode `parser:"('attributes' @@)?"`
	}

	// The insides of tokens that are whole types and attributes.
	tensorNode struct {
		Dims     []string  `parser:"'tensor' '<' @Dim*"`
		Elem     *TypeText `parser:"@@"`
		Encoding *attrNode `parser:"(',' @@)? '>'"`
	}
	complexNode struct {
		Elem *TypeText `parser:"'complex' '<' @@ '>'"`
	}
	tupleNode struct {
		Open  string      `parser:"@'tuple' '<'"`
		Elems []*TypeText `parser:"(@@ (',' @@)*)? '>'"`
	}
	shapedNode struct {
		Tensor  *tensorNode  `parser:"@@"`
		Complex *complexNode `parser:"| @@"`
		Tuple   *tupleNode   `parser:"| @@"`
	}
	hashNode struct {
		Name   string      `parser:"@Hash '<'"`
		Enum   *enumNode   `parser:"( @@"`
		Fields []entryNode `parser:"| @@ (',' @@)* )? '>'"`
	}
	enumNode struct {
		Kind  string `parser:"(?= Ident Ident) @Ident"`
		Value string `parser:"@Ident"`
	}
)

// The parsers are built when the first text needs them: each costs a program
// that only imports this package thousands of allocations.
var (
	moduleParser = build[moduleNode](false)
	shapedParser = build[shapedNode](true)
	hashParser   = build[hashNode](true)
)

func build[T any](inner bool) func() *participle.Parser[T] {
	return sync.OnceValue(func() *participle.Parser[T] {
		// No lookahead: the first token decides everywhere, and an error past it
		// is final instead of being lost in the next alternative.
		return participle.MustBuild[T](participle.Lexer(definition{inner}), participle.UseLookahead(0))
	})
}

// inside reads a token's text, which starts at pos in the whole one.
func inside[T any](p func() *participle.Parser[T], text string, pos Pos) (*T, *Error) {
	v, err := p().ParseString("", text)
	if err == nil {
		return v, nil
	}
	e := asError(err)
	return nil, NewError(shift(e.Pos, pos), e.Msg)
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
		return Unexpected(ownToken(&tok.Unexpected), "")
	}
	var perr participle.Error
	if errors.As(err, &perr) && strings.HasPrefix(perr.Message(), "too many iterations") {
		return NewError(at(perr.Position()), "a list here has at most 1000000 elements")
	}
	if errors.As(err, &perr) {
		return NewError(at(perr.Position()), perr.Message())
	}
	return NewError(Pos{1, 1}, err.Error())
}

// Unexpected says which token stands where want should.
func Unexpected(t Token, want string) *Error {
	e := &Error{Pos: t.Pos}
	switch {
	case t.Type == tokBad:
		e.Msg = t.Value
		return e
	case t.EOF():
		e.Msg = "unexpected end of text"
	case len(t.Value) > shownToken:
		e.Msg = "unexpected " + Clip(t.Value)
	default:
		e.Msg = "unexpected '" + t.Value + "'"
	}
	if want != "" {
		e.Msg += ": " + want + " is expected"
	}
	return e
}

func at(p lexer.Position) Pos { return Pos{p.Line, p.Column} }
