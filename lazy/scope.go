package lazy

import (
	"strconv"

	"ltc/internal/callsite"
)

// scope is a named part of a step, open.
type scope struct {
	path string // of names and numbers: encoder.0/layer.1
	next int    // the number of the next scope within
	site callsite.Site
}

// NameStep names the step being recorded, and those after it until the next call,
// in errors and reports. Programs do not depend on it.
func (tr *Trace) NameStep(step string) { tr.some().name = step }

// Scope opens a named part of the step: ops recorded until the function that it
// returns is called belong to it, as errors, the text of programs and ltc-dump
// then show; what is compiled and run does not depend on it. Scopes nest: the
// second one opened within encoder.0 is encoder.0/layer.1, numbers starting anew
// in each and at each step. Closing a scope closes those opened within. A scope
// still open at MarkStep makes the step fail: close it before, as with
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

// scoped is the site of a line in the scope that is open.
func (tr *Trace) scoped(s callsite.Site) callsite.Site {
	return s.In(tr.scopes[len(tr.scopes)-1].path)
}

// scopeError is the error of a mark-step in an open scope.
func (tr *Trace) scopeError() error {
	open := tr.scopes[len(tr.scopes)-1]
	return opError(open.site, "mark_step", ErrUsage, nil,
		"scope %q, opened here, is still open; call what Scope returned before MarkStep", open.path)
}
