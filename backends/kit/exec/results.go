package exec

import (
	"ltc/backends"
	"ltc/backends/kit/plan"
	"ltc/internal/sharing"
	"ltc/soa"
)

// Results says to which memory the runs of a program may write the program's results. The rules
// of a program's variants and sizes differ only in which step is the last that can fail: see
// [Results.For].
type Results struct {
	program  *plan.Program
	fallible int    // the last step that can fail; -1 if none can
	inPlace  []bool // by result: see [plan.Program.InPlace]
	remote   bool   // kernels access the device's memory only
	// Region says that the program is a region of a loop or branch. The results of a region are
	// in memory of the enclosing run: kernels may write them even if a later step can fail.
	// [MakeRegions] sets it.
	Region bool
}

// NewResults returns the rules for a program whose arguments and results are dense. Fallible is
// the number of the program's last step that can fail on the target; -1 if no step can fail.
// Remote says that kernels access only the memory of a device, as those of a [Device] do. It is
// false for a [Target] in the host's memory.
func NewResults(p *plan.Program, fallible int, remote bool) *Results {
	r := &Results{program: p, fallible: fallible, remote: remote}
	for j := range p.Results {
		r.inPlace = append(r.inPlace, p.InPlace(j))
	}
	return r
}

// For returns the rules for a variant or a size of the program. Fallible is as in [NewResults].
// A result that may overwrite its donated argument in the dense program may also do so in some
// variants: those in which the argument and the result have the same layout. Kernels then read
// and write the same elements.
func (r *Results) For(fallible int) *Results {
	of := *r
	of.fallible = fallible
	return &of
}

// direct reports whether no step that follows the first write of result j can fail.
func (r *Results) direct(j int) bool {
	return r.program.Values[r.program.Results[j]].First > r.fallible
}

// Direct reports whether kernels may write result j to the caller's memory: either no later step
// can fail, or the program is a region.
func (r *Results) Direct(j int) bool { return r.Region || r.direct(j) }

// Made reports whether a run allocates result j of a call. The run allocates the result if the
// call has no view for it, and the result takes over no argument's memory. With
// [backends.Call].Resident, a result on a device does not take over an argument in the host's
// memory.
func (r *Results) Made(c *backends.Call, j int) bool {
	alias := r.program.Signature.Results[j].Alias
	return c.Results[j].IsZero() && (alias < 0 || r.remote && c.Resident && c.Args[alias].Remote() == nil)
}

// Destination returns the caller's memory for result j of a call. It is for results that the run
// does not allocate: see [Results.Made]. AtOnce reports whether kernels may write the result
// directly to that memory: no later step can fail, and no later step reads what the write
// overwrites.
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
	return v, r.inPlace[j] && identical(v, a) || r.remote && a.Remote() == nil || sharing.Disjoint(v, a)
}
