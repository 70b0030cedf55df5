package lazy

import (
	"strconv"

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
		if n := t.tr.arguments[t.val]; n != nil {
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
