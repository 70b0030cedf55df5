package exec

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/backends/kit"
)

// Timer counts what the runs of a step have taken. Any number of goroutines add to
// it.
type Timer struct{ runs, total, least atomic.Int64 } // in ns

// Add counts a run.
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

// Profile returns what the steps of a program have taken, if they are measured; steps of
// regions come from the executables of these. The target may say more of a step that is a
// kernel, in how.
func (x *Plan) Profile(how func(step int, of *backends.StepProfile)) []backends.StepProfile {
	if x.Times == nil {
		return nil
	}
	p := x.Program
	var all []backends.StepProfile
	for i := range p.Steps {
		s, t := &p.Steps[i], &x.Times[i]
		of := backends.StepProfile{
			Op: s.Ordinal, Line: backends.LineOf(s.Loc), Runs: t.runs.Load(), Total: time.Duration(t.total.Load()), Least: time.Duration(t.least.Load()),
			Results: resultsOf(p, i),
		}
		switch w := s.Work.(type) {
		case *kit.Launch:
			k := p.Kernels[w.Kernel]
			work := k.Work(w.Sizes)
			of.Kernel, of.What, of.Flops, of.Bytes, of.Factors = true, k.Describe(w.Sizes), work.Flops, work.Bytes, work.Factors
			how(i, &of)
		case *kit.Composite:
			of.Kernel, of.What = true, w.Name
			for _, a := range slices.Concat(w.Args, w.Outs) {
				of.Bytes += float64(a.Type.Bytes())
			}
			how(i, &of)
		case *kit.Sort:
			of.Kernel, of.What = true, "sort"
			for _, a := range slices.Concat(w.Args, w.Outs) {
				of.Bytes += float64(a.Type.Bytes())
			}
			how(i, &of)
		case *kit.Host:
			of.What = w.Op.String()
			for _, a := range w.Args {
				of.Bytes += float64(a.Type.Bytes())
			}
			for _, v := range w.Outs {
				of.Bytes += float64(p.Values[v].Type.Bytes())
			}
		case *kit.Loop:
			of.What, of.Nested = "while", true
		case *kit.Branch:
			of.What, of.Nested = "branch", true
		default:
			panic(fmt.Sprintf("exec: no profile of a %T", w))
		}
		all = append(all, of)
		for r, ops := range s.RegionOps() {
			all = nested(all, x.Regions[i][r], ops)
		}
	}
	return all
}

// resultsOf returns the results of main that a step writes.
func resultsOf(p *kit.Program, step int) []int {
	var results []int
	_, writes := p.Access(step)
	for _, v := range writes {
		if x := &p.Values[v]; x.Kind == kit.Result {
			results = append(results, x.Index)
		}
	}
	return results
}

// nested adds the steps of a region.
func nested(all []backends.StepProfile, region backends.Executable, ops kit.Ordinals) []backends.StepProfile {
	p, ok := region.(backends.Profiler)
	if !ok {
		return all
	}
	for _, s := range p.Profile() {
		s.Depth++
		s.Results = nil // of the region
		if s.Op >= 0 && s.Op < len(ops) {
			s.Op = ops[s.Op]
		} else {
			s.Op = -1
		}
		all = append(all, s)
	}
	return all
}
