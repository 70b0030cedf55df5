package mlirtext

import (
	"strconv"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// locTable gives locations their aliases: #loc, #loc1, … in the order of use,
// those of parts before what they are part of.
type locTable struct {
	index map[string]int // by the location's text
	texts []string
}

func (t *locTable) alias(l mlir.Location) string {
	key := l.String()
	i, ok := t.index[key]
	if !ok {
		text := t.aliasParts(l).String()
		i = len(t.texts)
		t.index[key] = i
		t.texts = append(t.texts, text)
	}
	if i == 0 {
		return "#loc"
	}
	return "#loc" + strconv.Itoa(i)
}

// aliasLoc is a location that prints as its alias.
type aliasLoc struct {
	mlir.Location
	alias string
}

func (l aliasLoc) String() string { return l.alias }

// aliasParts returns l with aliases for its parts.
func (t *locTable) aliasParts(l mlir.Location) mlir.Location {
	part := func(l mlir.Location) mlir.Location { return aliasLoc{l, t.alias(l)} }
	switch l := l.(type) {
	case mlir.NameLoc:
		if l.Child != nil {
			l.Child = part(l.Child)
		}
		return l
	case mlir.CallLoc:
		return mlir.CallLoc{Callee: part(l.Callee), Caller: part(l.Caller)}
	case mlir.FusedLoc:
		parts := make([]mlir.Location, len(l.Locs))
		for i, p := range l.Locs {
			parts[i] = part(p)
		}
		l.Locs = parts
		return l
	}
	return l
}

func (t *locTable) print(p *Printer) {
	for i, s := range t.texts {
		p.Str("#loc")
		if i > 0 {
			p.Int(int64(i))
		}
		p.Str(" = loc(" + s + ")\n")
	}
}

// loc prints ` loc(#locN)` where locations are wanted and l is one.
func (p *Printer) loc(l mlir.Location) {
	if p.Locations && l != nil {
		p.Str(" loc(" + p.locs.alias(l) + ")")
	}
}

// optionalLoc reads the loc(…) that may stand behind an op or an argument.
func (s *Stream) optionalLoc() mlir.Location {
	if s.tok.Type == tokLoc || s.Is("loc") {
		return s.location()
	}
	return nil
}

// location reads loc(…). Names that are not defined are errors of the resolver
// and give an unknown location.
func (s *Stream) location() mlir.Location {
	if t := s.tok; t.Type == tokLoc { // loc(#alias), a token of its own
		s.Next()
		const open = len("loc(")
		t.Pos.Col += open
		return s.r.aliasedLoc(t.Value[open:len(t.Value)-1], t.Pos)
	}
	s.Expect("loc", "(")
	l := s.insideLoc()
	s.Expect(")")
	return l
}

// insideLoc reads what stands in loc(…).
func (s *Stream) insideLoc() mlir.Location {
	t := s.Next()
	switch {
	case t.Type == HashToken:
		return s.r.aliasedLoc(t.Value, t.Pos)
	case t.Type == StringToken:
		return s.namedLoc(t)
	case t.Type == IdentToken && t.Value == "unknown":
	case t.Type == IdentToken && t.Value == "callsite":
		var l mlir.CallLoc
		s.Expect("(")
		l.Callee = s.insideLoc()
		s.Expect("at")
		l.Caller = s.insideLoc()
		s.Expect(")")
		return l
	case t.Type == IdentToken && t.Value == "fused":
		return s.fusedLoc()
	default:
		s.Stop(Unexpected(t, "a location"))
	}
	return mlir.UnknownLoc{}
}

func (s *Stream) fusedLoc() mlir.Location {
	var l mlir.FusedLoc
	if s.Accept("<") {
		l.Metadata = s.Attr()
		s.Expect(">")
	}
	s.List("[", "]", func() { l.Locs = append(l.Locs, s.insideLoc()) })
	return l
}

// namedLoc reads what follows the string: :line:col, to line:col, or (child).
func (s *Stream) namedLoc(t Token) mlir.Location {
	name, ok := lexeme.Unquote(t.Value)
	if !ok {
		s.r.fail(t.Pos, "string with a wrong escape")
	}
	if s.Accept("(") {
		child := s.insideLoc()
		s.Expect(")")
		return mlir.NameLoc{Name: name, Child: child}
	}
	if !s.Accept(":") {
		return mlir.NameLoc{Name: name}
	}
	l := mlir.RangeLoc{FileLoc: mlir.FileLoc{File: name}}
	s.lineCol(&l.Line, &l.Col)
	if !s.Accept("to") {
		return l.FileLoc
	}
	l.EndLine = l.Line
	if s.Accept(":") {
		s.number(&l.EndCol)
	} else {
		s.lineCol(&l.EndLine, &l.EndCol)
	}
	if l.EndLine == l.Line && l.EndCol == l.Col {
		return l.FileLoc // as MLIR has it
	}
	return l
}

func (s *Stream) lineCol(line, col *int) {
	s.number(line)
	s.Expect(":")
	s.number(col)
}

func (s *Stream) number(n *int) {
	t := s.Kind(IntToken, "a line or column")
	v, err := strconv.ParseUint(t.Value, 10, 32)
	if err != nil {
		s.Stop(mlir.Errorf(t.Pos, "line or column %s of a location does not fit 32 bits", t.Value))
	}
	*n = int(v)
}
