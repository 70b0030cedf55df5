package mlirtext

import (
	"slices"
	"strings"

	"ltc/internal/lexeme"
	"ltc/mlir"
)

// section is where a text's resources stand; they are read at the first use.
type section struct {
	offset int
	pos    mlir.Pos
	read   bool
	list   []mlir.Resource
	err    *mlir.Error
	end    Place
}

// resourceItem reads the section that starts here, or moves past the one that
// has been read.
func (r *resolver) resourceItem(s *Stream) {
	from := s.off - len(s.tok.Value)
	switch {
	case r.section == nil:
		r.section = &section{offset: from, pos: s.tok.Pos}
	case r.section.offset != from:
		r.fail(s.tok.Pos, "a second section of resources; the first is on line %d", r.section.pos.Line)
		readResources(s)
		return
	}
	r.readSection()
	if r.section.err != nil {
		s.Stop(r.section.err)
	}
	s.GoTo(r.section.end)
}

func (r *resolver) readSection() {
	c := r.section
	if c.read {
		return
	}
	c.read = true
	c.err = r.try(func() {
		s := newStream(r, r.text, c.offset, c.pos)
		c.list = readResources(s)
		c.end = s.Mark()
	})
}

// readResources reads {-# section: { group: { key: value, … } } #-}.
func readResources(s *Stream) (out []mlir.Resource) {
	var path [3]string
	var level func(depth int, open, close string)
	level = func(depth int, open, close string) {
		s.List(open, close, func() {
			path[depth], _ = s.entryName("the name of a resource")
			if s.Expect(":"); depth < 2 {
				level(depth+1, "{", "}")
				return
			}
			v := s.Next()
			if v.Type != StringToken && v.Type != IntToken && v.Type != IdentToken {
				s.Stop(Unexpected(v, "the value of a resource"))
			}
			out = append(out, mlir.Resource{Section: path[0], Group: path[1], Key: path[2], Value: v.Value})
		})
	}
	level(0, "{-#", "#-}")
	return out
}

// resource reads the values of a dense_resource<name>, whose literal so far is
// the name: a number of four bytes, the alignment, and the raw values.
func (r *resolver) resource(a *mlir.DenseAttr) *mlir.Error {
	name, err := entryName(strings.TrimSpace(lexeme.Uncomment(a.Literal)), a.Pos)
	if err != nil {
		return err
	}
	if r.section == nil {
		return mlir.Errorf(a.Pos, "resource %s is not defined: the text has no section {-# … #-}", name)
	}
	r.readSection()
	if r.section.err != nil {
		return r.section.err
	}
	i := slices.IndexFunc(r.section.list, func(e mlir.Resource) bool {
		return e.Section == "dialect_resources" && e.Group == "builtin" && e.Key == name
	})
	if i < 0 {
		return mlir.Errorf(a.Pos, "resource %s is not defined in dialect_resources", name)
	}
	const alignment = len("0x00000000")
	text, ok := strings.CutPrefix(strings.Trim(r.section.list[i].Value, `"`), "0x")
	if !ok || len(text) < alignment-2 {
		return mlir.Errorf(a.Pos, "resource %s is not a hexadecimal string of an alignment and values", name)
	}
	return a.ReadResource(name, text[alignment-2:])
}

// resources prints the sections, entries that stand together in one block.
func (p *Printer) resources(list []mlir.Resource) {
	if len(list) == 0 {
		return
	}
	p.Str("\n{-#\n")
	var open [2]string
	for i, e := range list {
		first := i == 0 || e.Section != open[0]
		group := first || e.Group != open[1]
		if i > 0 {
			p.Str([]string{",\n", "\n    },\n", "\n    }\n  },\n"}[btoi(group)+btoi(first)])
		}
		open = [2]string{e.Section, e.Group}
		if first {
			p.Str("  " + lexeme.Key(e.Section) + ": {\n")
		}
		if group {
			p.Str("    " + lexeme.Key(e.Group) + ": {\n")
		}
		p.Str("      " + lexeme.Key(e.Key) + ": " + e.Value)
	}
	p.Str("\n    }\n  }\n#-}\n")
}
