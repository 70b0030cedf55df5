package mlir

import "strconv"

// loc makes a location; on an error it records it and returns unknown.
func (r *resolver) loc(n *locNode) Location {
	pos := at(n.Pos)
	switch {
	case n.Alias != "":
		return r.locAlias(n.Alias, pos)
	case n.Unknown != "":
		return UnknownLoc{}
	case n.Call != nil:
		return CallLoc{r.loc(n.Call.Callee), r.loc(n.Call.Caller)}
	case n.Fused != nil:
		f := FusedLoc{}
		if n.Fused.Metadata != nil {
			f.Metadata = r.attr(n.Fused.Metadata)
		}
		for _, l := range n.Fused.Locs {
			f.Locs = append(f.Locs, r.loc(l))
		}
		return f
	}
	name, ok := unquote(n.Named.Name)
	if !ok {
		r.fail(pos, "string with a wrong escape")
	}
	switch {
	case n.Named.File != nil:
		line, lerr := strconv.Atoi(n.Named.File.Line)
		col, cerr := strconv.Atoi(n.Named.File.Col)
		if lerr != nil || cerr != nil || line < 0 || col < 0 {
			r.fail(pos, "line or column of a location is not a number that fits")
		}
		return FileLoc{name, line, col}
	case n.Named.Child != nil:
		return NameLoc{name, r.loc(n.Named.Child)}
	}
	return NameLoc{Name: name}
}

func (r *resolver) locAlias(name string, pos Pos) Location {
	if l, ok := r.locs[name]; ok {
		return l
	}
	a := r.aliases[name]
	switch {
	case a == nil:
		r.fail(pos, "location alias %s is not defined", name)
		return UnknownLoc{}
	case a.Attr.Loc == nil:
		r.fail(pos, "alias %s is not a location", name)
		return UnknownLoc{}
	case r.busy[name]:
		r.fail(pos, "alias %s is defined by itself", name)
		return UnknownLoc{}
	}
	if !r.enter(name, pos) {
		return UnknownLoc{}
	}
	defer r.leave(name, len(r.errs))
	n := a.Attr.Loc.Loc
	if n == nil {
		n = aliasLoc(a.Attr.Loc.Alias, a.Attr.Pos)
	}
	l := r.loc(n)
	if _, file := l.(FileLoc); !file {
		bad := len(r.errs)
		if r.limit(name, pos, l.String()); len(r.errs) > bad {
			l = UnknownLoc{}
		}
	}
	r.locs[name] = l
	return l
}

// enter marks an alias as being resolved.
func (r *resolver) enter(name string, pos Pos) bool {
	if r.broken[name] { // looking into it again could take exponential time
		r.fail(pos, "alias %s has an error", name)
		return false
	}
	if len(r.busy) >= maxAliases {
		r.fail(pos, "aliases stand for aliases more than %d deep", maxAliases)
		return false
	}
	r.busy[name] = true
	return true
}

// leave ends what enter began; errs is how many errors there were then.
func (r *resolver) leave(name string, errs int) {
	delete(r.busy, name)
	if len(r.errs) > errs {
		r.broken[name] = true
	}
}

// limit refuses an alias that stands for a huge text: ten aliases that each
// name the one before ten times stand for 10^10.
func (r *resolver) limit(name string, pos Pos, text string) {
	if len(text) > maxAliasText {
		r.fail(pos, "alias %s stands for a text of more than %d bytes", name, maxAliasText)
	}
}

const (
	maxAliases   = 1000
	maxAliasText = 1 << 20
)
