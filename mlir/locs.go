package mlir

import "strconv"

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
		text := t.text(l)
		i = len(t.texts)
		t.index[key] = i
		t.texts = append(t.texts, text)
	}
	if i == 0 {
		return "#loc"
	}
	return "#loc" + strconv.Itoa(i)
}

// text is l with aliases in place of its parts.
func (t *locTable) text(l Location) string {
	switch l := l.(type) {
	case NameLoc:
		if l.Child != nil {
			return quote(l.Name) + "(" + t.alias(l.Child) + ")"
		}
	case CallLoc:
		return "callsite(" + t.alias(l.Callee) + " at " + t.alias(l.Caller) + ")"
	case FusedLoc:
		s := "fused"
		if l.Metadata != nil {
			s += "<" + l.Metadata.String() + ">"
		}
		s += "["
		for i, e := range l.Locs {
			if i > 0 {
				s += ", "
			}
			s += t.alias(e)
		}
		return s + "]"
	}
	return l.String()
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
