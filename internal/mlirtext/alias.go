package mlirtext

import (
	"strings"

	"ltc/internal/diag"
	"ltc/mlir"
)

// alias is `#loc1 = loc(…)`, `#map = …` or `!t = …`. It may stand before or
// after its use, so where aliases stand is found out first; what they are is
// read at the first use.
type alias struct {
	offset int // of the name in the text
	pos    mlir.Pos

	read bool
	attr mlir.Attribute // a TypeAttr for a type
	loc  mlir.Location
	err  *mlir.Error // of syntax
	end  Place       // behind it
}

const (
	maxAliases   = 1000
	maxAliasText = 1 << 20
)

// findAliases notes what could be an alias or a section of resources: what
// starts a line. Those that start within one are met later (see parse).
func (r *resolver) findAliases(text string, offset, line int) {
	for i := offset; i < len(text); line++ {
		k := i
		for k < len(text) && (text[k] == ' ' || text[k] == '\t') {
			k++
		}
		if k < len(text) {
			switch text[k] {
			case '#', '!':
				if name := aliasName(text[k:]); name != "" {
					r.noteAlias(name, k, mlir.Pos{Line: line, Col: k - lineStart(text, k) + 1})
				}
			case '{':
				if strings.HasPrefix(text[k:], "{-#") && r.section == nil {
					r.section = &section{offset: k, pos: mlir.Pos{Line: line, Col: k - lineStart(text, k) + 1}}
				}
			}
		}
		n := strings.IndexByte(text[k:], '\n')
		if n < 0 {
			return
		}
		i = k + n + 1
	}
}

func lineStart(text string, i int) int { return strings.LastIndexByte(text[:i], '\n') + 1 }

// aliasName returns the #x of a text that begins with `#x =`, or "".
func aliasName(text string) string {
	s := scanner{text: text, off: 1}
	if s.suffix("") != "" {
		return ""
	}
	name := text[:s.off]
	rest := strings.TrimLeft(text[s.off:min(s.off+64, len(text))], " \t")
	if !strings.HasPrefix(rest, "=") || strings.IndexByte(name, '.') >= 0 {
		return ""
	}
	return name
}

func (r *resolver) noteAlias(name string, offset int, pos mlir.Pos) *alias {
	a := r.aliases[name]
	if a == nil {
		a = &alias{offset: offset, pos: pos}
		r.aliases[name] = a
	}
	return a
}

// aliasItem reads the alias that starts here, or moves past one that has been
// read.
func (r *resolver) aliasItem(s *Stream) {
	t := s.tok
	from := s.off - len(t.Value)
	a := r.aliases[t.Value]
	switch {
	case a == nil:
		a = r.noteAlias(t.Value, from, t.Pos)
		r.late = append(r.late, t.Value)
	case a.offset != from:
		r.fail(t.Pos, "%s is defined a second time; first on line %d", t.Value, a.pos.Line)
		r.readAlias(s, &alias{})
		return
	}
	if !a.read && !r.busy[t.Value] {
		r.resolveAlias(t.Value, a, t.Pos)
	}
	if a.err != nil {
		s.Stop(a.err)
	}
	if a.read {
		s.GoTo(a.end)
	}
}

// readAlias reads name = value.
func (r *resolver) readAlias(s *Stream, a *alias) {
	s.Next()
	s.Expect("=")
	if s.tok.Type == tokLoc || s.Is("loc") {
		a.loc = s.location()
	} else {
		a.attr = s.Attr()
	}
	a.end = s.Mark()
}

// resolveAlias reads the alias for its first use at pos.
func (r *resolver) resolveAlias(name string, a *alias, pos mlir.Pos) {
	if len(r.busy) >= maxAliases {
		r.fail(pos, "aliases stand for aliases more than %d deep", maxAliases)
		return
	}
	bad := len(r.errs)
	r.busy[name] = true
	a.err = r.try(func() { r.readAlias(newStream(r, r.text, a.offset, a.pos), a) })
	a.read = true
	delete(r.busy, name)
	if a.err != nil {
		r.errs = append(r.errs, a.err)
	}
	text := ""
	switch v := a.attr.(type) {
	case nil, *mlir.DenseAttr:
	default:
		text = v.String()
	}
	if _, file := a.loc.(mlir.FileLoc); a.loc != nil && !file {
		text = a.loc.String()
	}
	// Ten aliases that each name the one before ten times stand for 10^10.
	if len(text) > maxAliasText {
		r.fail(pos, "alias %s stands for a text of more than %s", name, diag.Count(maxAliasText, "byte"))
	}
	if len(r.errs) > bad {
		a.attr, a.loc = nil, nil
	}
}

// lookUp returns the alias, read; nil after an error, which it records.
func (r *resolver) lookUp(name, what string, pos mlir.Pos) *alias {
	a := r.aliases[name]
	switch {
	case a == nil:
		if r.missing[name] == nil {
			r.missing[name] = mlir.Errorf(pos, "%s alias %s is not defined", what, name)
		}
		return nil
	case r.busy[name]:
		r.fail(pos, "alias %s is defined by itself", name)
		return nil
	}
	if !a.read {
		if r.resolveAlias(name, a, pos); !a.read {
			return nil
		}
	}
	if a.attr == nil && a.loc == nil {
		return nil // its error is recorded
	}
	return a
}

func (r *resolver) aliasedType(name string, pos mlir.Pos) mlir.Type {
	a := r.lookUp(name, "type", pos)
	if a == nil {
		return nil
	}
	t, ok := a.attr.(mlir.TypeAttr)
	if !ok {
		r.fail(pos, "alias %s is not a type", name)
		return nil
	}
	return t.Type
}

func (r *resolver) aliasedAttr(name string, pos mlir.Pos) mlir.Attribute {
	a := r.lookUp(name, "attribute", pos)
	if a != nil && a.attr == nil {
		r.fail(pos, "alias %s is a location, not an attribute", name)
		return nil
	}
	if a == nil {
		return nil
	}
	return a.attr
}

func (r *resolver) aliasedLoc(name string, pos mlir.Pos) mlir.Location {
	a := r.lookUp(name, "location", pos)
	if a == nil {
		return mlir.UnknownLoc{}
	}
	if a.loc == nil {
		r.fail(pos, "alias %s is not a location", name)
		return mlir.UnknownLoc{}
	}
	return a.loc
}
