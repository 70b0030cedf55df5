package mlir

import (
	"strconv"
)

// Location is an MLIR source location. String prints what stands between the
// parentheses of `loc(…)`.
type Location interface {
	String() string
	isLoc()
}

type (
	// FileLoc is "file.go":12:3. A column of 0 is unknown.
	FileLoc struct {
		File      string
		Line, Col int
	}
	// RangeLoc is "file.go":12:3 to 14:1.
	RangeLoc struct {
		FileLoc
		EndLine, EndCol int
	}
	// NameLoc is "name" or "name"(child).
	NameLoc struct {
		Name  string
		Child Location // nil if none
	}
	// CallLoc is callsite(callee at caller).
	CallLoc struct{ Callee, Caller Location }
	// FusedLoc is fused[a, b] or fused<metadata>[a, b].
	FusedLoc struct {
		Locs     []Location
		Metadata Attribute
	}
	// UnknownLoc is `unknown`.
	UnknownLoc struct{}
)

func (FileLoc) isLoc()    {}
func (RangeLoc) isLoc()   {}
func (NameLoc) isLoc()    {}
func (CallLoc) isLoc()    {}
func (FusedLoc) isLoc()   {}
func (UnknownLoc) isLoc() {}

func (l FileLoc) String() string {
	return quote(l.File) + ":" + strconv.Itoa(l.Line) + ":" + strconv.Itoa(l.Col)
}

func (l RangeLoc) String() string {
	s := l.FileLoc.String() + " to "
	if l.EndLine != l.Line {
		s += strconv.Itoa(l.EndLine)
	}
	return s + ":" + strconv.Itoa(l.EndCol)
}

func (l NameLoc) String() string  { return locText(l, Location.String) }
func (l CallLoc) String() string  { return locText(l, Location.String) }
func (l FusedLoc) String() string { return locText(l, Location.String) }
func (UnknownLoc) String() string { return "unknown" }

// locText is the text of l, of whose parts part gives the texts.
func locText(l Location, part func(Location) string) string {
	switch l := l.(type) {
	case NameLoc:
		if l.Child == nil {
			return quote(l.Name)
		}
		return quote(l.Name) + "(" + part(l.Child) + ")"
	case CallLoc:
		return "callsite(" + part(l.Callee) + " at " + part(l.Caller) + ")"
	case FusedLoc:
		meta := ""
		if l.Metadata != nil {
			meta = "<" + l.Metadata.String() + ">"
		}
		return "fused" + meta + "[" + JoinText(l.Locs, part) + "]"
	}
	return l.String()
}

// locTable gives locations their aliases: #loc, #loc1, … in the order of use,
// those of parts before what they are part of.
type locTable struct {
	index map[string]int // by the location's text
	texts []string
}

func (t *locTable) alias(l Location) string {
	key := l.String()
	i, ok := t.index[key]
	if !ok {
		text := locText(l, t.alias)
		i = len(t.texts)
		t.index[key] = i
		t.texts = append(t.texts, text)
	}
	if i == 0 {
		return "#loc"
	}
	return "#loc" + strconv.Itoa(i)
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
func (p *Printer) loc(l Location) {
	if p.Locations && l != nil {
		p.Str(" loc(" + p.locs.alias(l) + ")")
	}
}

// optionalLoc reads the loc(…) that may stand behind an op or an argument.
func (s *Stream) optionalLoc() (Location, *Error) {
	if s.tok.Type == tokLoc || s.Is("loc") {
		return s.location()
	}
	return nil, nil
}

// location reads loc(…). Names that are not defined are errors of the resolver
// and give an unknown location.
func (s *Stream) location() (Location, *Error) {
	if t := s.tok; t.Type == tokLoc { // loc(#alias), a token of its own
		s.Next()
		const open = len("loc(")
		t.Pos.Col += open
		return s.r.aliasedLoc(t.Value[open:len(t.Value)-1], t.Pos), nil
	}
	if err := s.Expect("loc", "("); err != nil {
		return nil, err
	}
	l, err := s.insideLoc()
	if err != nil {
		return nil, err
	}
	return l, s.Expect(")")
}

// insideLoc reads what stands in loc(…).
func (s *Stream) insideLoc() (Location, *Error) {
	t := s.Next()
	switch {
	case t.Type == HashToken:
		return s.r.aliasedLoc(t.Value, t.Pos), nil
	case t.Type == tokString:
		return s.namedLoc(t)
	case t.Type == IdentToken && t.Value == "unknown":
		return UnknownLoc{}, nil
	case t.Type == IdentToken && t.Value == "callsite":
		return s.callLoc()
	case t.Type == IdentToken && t.Value == "fused":
		return s.fusedLoc()
	}
	return nil, Unexpected(t, "a location")
}

func (s *Stream) callLoc() (Location, *Error) {
	var l CallLoc
	err := s.Expect("(")
	if err != nil {
		return nil, err
	}
	if l.Callee, err = s.insideLoc(); err != nil {
		return nil, err
	}
	if err = s.Expect("at"); err != nil {
		return nil, err
	}
	if l.Caller, err = s.insideLoc(); err != nil {
		return nil, err
	}
	return l, s.Expect(")")
}

func (s *Stream) fusedLoc() (Location, *Error) {
	var l FusedLoc
	if s.Accept("<") {
		var err *Error
		if l.Metadata, err = s.Attr(); err != nil {
			return nil, err
		}
		if err := s.Expect(">"); err != nil {
			return nil, err
		}
	}
	err := s.List("[", "]", func() *Error {
		part, err := s.insideLoc()
		l.Locs = append(l.Locs, part)
		return err
	})
	return l, err
}

// namedLoc reads what follows the string: :line:col, to line:col, or (child).
func (s *Stream) namedLoc(t Token) (Location, *Error) {
	name, ok := Unquote(t.Value)
	if !ok {
		s.r.fail(t.Pos, "string with a wrong escape")
	}
	if s.Accept("(") {
		child, err := s.insideLoc()
		if err != nil {
			return nil, err
		}
		return NameLoc{name, child}, s.Expect(")")
	}
	if !s.Accept(":") {
		return NameLoc{Name: name}, nil
	}
	l := RangeLoc{FileLoc: FileLoc{File: name}}
	err := s.lineCol(&l.Line, &l.Col)
	if err != nil || !s.Accept("to") {
		return l.FileLoc, err
	}
	l.EndLine = l.Line
	if s.Is(":") {
		s.Next()
		err = s.number(&l.EndCol)
	} else {
		err = s.lineCol(&l.EndLine, &l.EndCol)
	}
	if l.EndLine == l.Line && l.EndCol == l.Col {
		return l.FileLoc, err // as MLIR has it
	}
	return l, err
}

func (s *Stream) lineCol(line, col *int) *Error {
	if err := s.number(line); err != nil {
		return err
	}
	if err := s.Expect(":"); err != nil {
		return err
	}
	return s.number(col)
}

func (s *Stream) number(n *int) *Error {
	t, err := s.Kind(IntToken, "a line or column")
	if err != nil {
		return err
	}
	v, perr := strconv.ParseUint(t.Value, 10, 32)
	if perr != nil {
		return Errorf(t.Pos, "line or column %s of a location does not fit 32 bits", t.Value)
	}
	*n = int(v)
	return nil
}
