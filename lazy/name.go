package lazy

import (
	"strconv"

	"ltc/internal/callsite"
	"ltc/ir/types"
)

// Name returns the name that a variable or scalar argument was made with, or
// that Named gave; "" for other tensors.
func (t *Tensor) Name() string {
	switch {
	case t == nil:
	case t.v != nil:
		return t.v.name
	case t.val != nil:
		return t.val.name
	}
	return ""
}

// Named gives host data, or a result that has a value, a name, which programs
// show as that of their argument (ltc.name), and returns it. What is computed,
// and whether it has to be compiled, does not depend on names: of equal programs
// with other names the one compiled first lends its own. Name a tensor before
// other traces use it.
func (t *Tensor) Named(name string) *Tensor {
	if b := firstBad("named", t); b != nil {
		return b
	}
	if t.v != nil || t.val == nil || t.isView() {
		return t.misuse("named", "only host data and results that have a value can be named, variables when they are made")
	}
	t.val.name = name
	if t.node != nil && t.node.Value == any(t.val) {
		t.node.SetParamName(name)
	}
	if t.tr != nil {
		if n := t.tr.arguments.Of(t.val); n != nil {
			n.SetParamName(name)
		}
	}
	return t
}

// Parameter is an argument of a program.
type Parameter struct {
	Name  string // of a variable or as Named gave it; arg0, arg1, … by position without one
	Named bool
	Type  types.Type
	Alias int // the result that takes over its memory; -1 if none
}

// Parameters returns the arguments of the latest program that the trace's
// MarkStep ran, in their order in its text.
func (tr *Trace) Parameters() []Parameter {
	if tr == nil || tr.stepped == nil {
		return nil
	}
	g := tr.stepped.Graph
	all := make([]Parameter, len(g.Params))
	taken := map[string]bool{}
	for i, p := range g.Params {
		all[i] = Parameter{Name: p.ParamName(), Named: p.ParamName() != "", Type: p.Type, Alias: -1}
		taken[all[i].Name] = true
	}
	for i := range all {
		if all[i].Named {
			continue
		}
		name := "arg" + strconv.Itoa(i)
		for taken[name] { // somebody's own
			name += "_"
		}
		all[i].Name, taken[name] = name, true
	}
	for i, p := range g.Alias {
		if p >= 0 {
			all[p].Alias = i
		}
	}
	return all
}

// IsVariable reports whether t is a variable, which ops with an underscore and
// Assign accept.
func (t *Tensor) IsVariable() bool { return t != nil && t.v != nil }

// scope is a named part of a step, open.
type scope struct {
	path string // of names and numbers: encoder.0/layer.1
	next int    // the number of the next scope within
	site callsite.Site
}

// NameStep names the step being recorded, and those after it until the next call,
// in errors and reports. Programs do not depend on it.
func (tr *Trace) NameStep(step string) { tr.some().name = step }

// Scope opens a named part of the step: ops recorded until the function that it returns is
// called belong to it. Errors, the text of programs and ltc-dump show it; the code that is
// compiled and run does not depend on it. Scopes nest: the second one opened within
// encoder.0 is encoder.0/layer.1, numbers starting anew in each and at each step. Closing a
// scope closes those opened within. A scope still open at MarkStep makes the step fail:
// close it before, as with
//
//	func (e *Encoder) Forward(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
//		defer tr.Scope("encoder")()
func (tr *Trace) Scope(name string) (end func()) {
	tr = tr.some()
	next, path := &tr.scopeNext, ""
	if n := len(tr.scopes); n > 0 {
		outer := &tr.scopes[n-1]
		next, path = &outer.next, outer.path+"/"
	}
	path += name + "." + strconv.Itoa(*next)
	*next++
	at, epoch := len(tr.scopes), tr.epoch
	site := tr.site()
	tr.scopes = append(tr.scopes, scope{path: path, site: site})
	closed := false
	return func() {
		if !closed && epoch == tr.epoch && at < len(tr.scopes) {
			tr.scopes = tr.scopes[:at]
		}
		closed = true
	}
}
