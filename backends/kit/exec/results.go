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
	failing  int    // fallible of a run that nobody can cancel
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
// false for a [Target] in the host's memory. See also [Results.Uncancelled].
func NewResults(p *plan.Program, fallible int, remote bool) *Results {
	r := &Results{program: p, fallible: fallible, failing: fallible, remote: remote}
	for j := range p.Results {
		r.inPlace = append(r.inPlace, p.InPlace(j))
	}
	return r
}

// Uncancelled sets the number of the last step that can fail after it has begun to write, in a run
// whose context cannot end: [plan.Program.LastFailing], or a later step of the target's. A loop of
// kernels is none: it updates a donated argument in place. Until Uncancelled is called the number is
// that of [NewResults]. Uncancelled returns r.
func (r *Results) Uncancelled(failing int) *Results {
	r.failing = failing
	return r
}

// Failing returns the number that Uncancelled has set.
func (r *Results) Failing() int { return r.failing }

// For returns the rules for a variant or a size of the program. Fallible is as in [NewResults], and
// failing as in [Results.Uncancelled].
// A result that may overwrite its donated argument in the dense program may also do so in some
// variants: those in which the argument and the result have the same layout. Kernels then read
// and write the same elements.
func (r *Results) For(fallible, failing int) *Results {
	of := *r
	of.fallible, of.failing = fallible, failing
	return &of
}

// Direct reports whether kernels may write result j to the caller's memory in any run: either no
// step that follows the first write can fail, or the program is a region.
func (r *Results) Direct(j int) bool { return r.direct(j, r.fallible) }

// direct is Direct where the last step that can fail is given.
func (r *Results) direct(j, fallible int) bool {
	return r.Region || r.program.Values[r.program.Results[j]].First > fallible
}

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
// overwrites. Cancellable says that the context of the run can end.
func (r *Results) Destination(c *backends.Call, j int, cancellable bool) (v *soa.View, atOnce bool) {
	fallible := r.failing
	if cancellable {
		fallible = r.fallible
	}
	v, atOnce = &c.Results[j], r.direct(j, fallible)
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
