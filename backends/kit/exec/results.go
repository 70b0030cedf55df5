package exec

import (
	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// Results says to which memory the runs of a program may write its results. All variants and
// sizes of the program share these rules. Only the last step that can fail differs.
type Results struct {
	program  *plan.Program
	fallible int    // the last step that can fail; -1 if none can
	inPlace  []bool // by result: see [plan.Program.InPlace]
	remote   bool   // kernels access the device's memory only
	// Region says that the program is a region of a loop or branch. Its results are memory
	// of the enclosing run: they may be written even if a later step fails.
	Region bool
}

// NewResults returns the rules for a program whose arguments and results are dense.
// Fallible is the number of its last step that can fail on the target; -1 if none can.
// Remote is as in [VariantOptions].
func NewResults(p *plan.Program, fallible int, remote bool) *Results {
	r := &Results{program: p, fallible: fallible, remote: remote}
	for j := range p.Results {
		r.inPlace = append(r.inPlace, p.InPlace(j))
	}
	return r
}

// For returns the rules for a variant or a size of the program. Fallible is as in
// [NewResults]. A result that may overwrite its argument in the dense program may do so in
// a variant where both have the same layout: kernels read and write the same elements.
func (r *Results) For(fallible int) *Results {
	of := *r
	of.fallible = fallible
	return &of
}

// direct reports whether no step that follows the first write of result j can fail.
func (r *Results) direct(j int) bool {
	return r.program.Values[r.program.Results[j]].First > r.fallible
}

// Direct reports whether kernels may write result j to the caller's memory: no later step
// can fail, or the program is a region.
func (r *Results) Direct(j int) bool { return r.Region || r.direct(j) }

// Made reports whether a run allocates result j of a call. It does if the call has no view for
// the result, and the result takes over no argument's memory. With Resident, a device's result
// does not take over memory of the host.
func (r *Results) Made(c *backends.Call, j int) bool {
	alias := r.program.Signature.Results[j].Alias
	return c.Results[j].IsZero() && (alias < 0 || r.remote && c.Resident && c.Args[alias].Remote() == nil)
}

// Destination returns the caller's memory for result j of a call. It is for results that the
// run does not allocate: see [Results.Made]. AtOnce reports whether kernels may write it there:
// no later step can fail, and no later step reads what the write overwrites.
func (r *Results) Destination(c *backends.Call, j int) (v *soa.View, atOnce bool) {
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
