package exec

import (
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/backends/kit/plan"
)

// Timer counts the runs of a step and their times. Any number of goroutines may add to
// it.
type Timer struct{ runs, total, least atomic.Int64 } // times in ns

// Add counts a run that took the given time.
func (t *Timer) Add(took time.Duration) {
	ns := max(int64(took), 1)
	for {
		least := t.least.Load()
		if least != 0 && least <= ns || t.least.CompareAndSwap(least, ns) {
			break
		}
	}
	t.total.Add(ns)
	t.runs.Add(1)
}

// Profile returns the profile of each step of the program; nil if Times is nil. The steps of a
// region follow its loop or branch, and their profiles come from the region's executable. For
// each step that is a kernel, Profile calls the function how, in which the target can add to the
// step's profile.
func (x *Plan) Profile(how func(step int, of *backends.StepProfile)) []backends.StepProfile {
	if x.Times == nil {
		return nil
	}
	p := x.Program
	var all []backends.StepProfile
	for i := range p.Steps {
		s, t := &p.Steps[i], &x.Times[i]
		of := p.Profile(i)
		of.Runs, of.Total, of.Least = t.runs.Load(), time.Duration(t.total.Load()), time.Duration(t.least.Load())
		of.Results = resultsOf(p, i)
		if of.Kernel {
			how(i, &of)
		}
		all = append(all, of)
		for r, ops := range s.RegionOps() {
			all = nested(all, x.Regions[i][r], ops)
		}
	}
	return all
}

// resultsOf returns the numbers of the program's results that a step writes.
func resultsOf(p *plan.Program, step int) []int {
	var results []int
	_, writes := p.Access(step)
	for _, v := range writes {
		if x := &p.Values[v]; x.Kind == plan.Result {
			results = append(results, x.Index)
		}
	}
	return results
}

// nested appends the profile of a region's steps, one level deeper. Ops maps the ordinals
// of the region's ops to those of the program.
func nested(all []backends.StepProfile, region backends.Executable, ops plan.Ordinals) []backends.StepProfile {
	p, ok := region.(backends.Profiler)
	if !ok {
		return all
	}
	for _, s := range p.Profile() {
		s.Depth++
		s.Results = nil // they number results of the region
		if s.Op >= 0 && s.Op < len(ops) {
			s.Op = ops[s.Op]
		} else {
			s.Op = -1
		}
		all = append(all, s)
	}
	return all
}
