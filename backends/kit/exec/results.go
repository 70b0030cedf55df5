package exec

import (
	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// Results are the rules for where runs of a program write its results. They hold for its
// variants and for all sizes, too.
type Results struct {
	program  *plan.Program
	fallible int    // the last step that can fail; -1 if none can
	inPlace  []bool // by result: see [plan.Program.InPlace]
	remote   bool   // kernels reach memory of the device only
	// Region says that the program is one of a loop or a branch: its results are memory of
	// a run that nobody sees unless the run succeeds.
	Region bool
}

// NewResults returns the rules for a program whose arguments and results are dense.
// Fallible is the last of its steps that can fail on the target, remote as in
// [VariantOptions].
func NewResults(p *plan.Program, fallible int, remote bool) *Results {
	r := &Results{program: p, fallible: fallible, remote: remote}
	for j := range p.Results {
		r.inPlace = append(r.inPlace, p.InPlace(j))
	}
	return r
}

// For returns the rules for a variant or a size of the program, fallible as in
// [NewResults]. What can be written in place where all is dense can be so where a result
// has the layout of its argument: kernels read and write the same elements.
func (r *Results) For(fallible int) *Results {
	of := *r
	of.fallible = fallible
	return &of
}

// direct reports whether no step behind the one that writes result j can fail.
func (r *Results) direct(j int) bool {
	return r.program.Values[r.program.Results[j]].First > r.fallible
}

// Direct reports whether runs may write result j where it belongs: in memory that the
// caller sees only after all that can fail.
func (r *Results) Direct(j int) bool { return r.Region || r.direct(j) }

// Made reports whether a run makes the memory of result j of a call: the caller has given
// none, or wants it on the device.
func (r *Results) Made(c *backends.Call, j int) bool {
	alias := r.program.Signature.Results[j].Alias
	return c.Results[j].IsZero() && (alias < 0 || r.remote && c.Resident && c.Args[alias].Remote() == nil)
}

// Place returns the memory in which result j of a call belongs, unless the run
// allocates it. It also reports whether the run may write the result there at once: no
// later step fails, and the write overwrites nothing that a later step reads.
func (r *Results) Place(c *backends.Call, j int) (v *soa.View, atOnce bool) {
	v, atOnce = &c.Results[j], r.Direct(j)
	alias := r.program.Signature.Results[j].Alias
	if alias < 0 {
		return v, atOnce
	}
	a := &c.Args[alias]
	switch {
	case v.IsZero():
		return a, atOnce && r.inPlace[j]
	case !atOnce:
		return v, false
	}
	return v, r.inPlace[j] && identical(v, a) || r.remote && a.Remote() == nil || soa.Disjoint(v, a)
}
