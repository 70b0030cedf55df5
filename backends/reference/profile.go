package reference

import (
	"context"
	"sync/atomic"
	"time"

	"ltc/backends"
	"ltc/backends/kit"
)

// measured is what the runs of a step have taken. Any number of goroutines add
// to it.
type measured struct{ runs, total, least atomic.Int64 } // in ns

// add counts a run.
func (t *measured) add(took time.Duration) {
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

// timed runs a step and counts how long it took, unless it failed.
func (e *compiled) timed(ctx context.Context, l *launcher, i int, done <-chan struct{}) error {
	start := time.Now()
	err := e.step(ctx, l, &e.steps[i], done)
	if err == nil {
		e.times[i].add(time.Since(start))
	}
	return err
}

// Profile returns what the steps have taken; see [backends.Profiler].
func (e *compiled) Profile() []backends.StepProfile {
	if e.times == nil {
		return nil
	}
	var all []backends.StepProfile
	for i := range e.steps {
		s, t := &e.steps[i], &e.times[i]
		p := backends.StepProfile{
			Op: s.Ordinal, Line: backends.LineOf(s.Loc), Parts: s.parts, Runs: t.runs.Load(), Total: time.Duration(t.total.Load()), Least: time.Duration(t.least.Load()),
		}
		p.Results = e.resultsOf(s)
		switch {
		case s.code != nil:
			k := e.program.Kernels[s.Kernel]
			w := k.Work(s.Sizes)
			p.Kernel, p.What, p.Flops, p.Bytes, p.Factors = true, k.Describe(s.Sizes), w.Flops, w.Bytes, w.Factors
			all = append(all, p)
		case s.Loop != nil:
			p.What, p.Nested = "while", true
			all = append(all, p)
			all = nested(all, s.Loop.Cond, s.Loop.CondOps)
			all = nested(all, s.Loop.Body, s.Loop.BodyOps)
		case s.Branch != nil:
			p.What, p.Nested = "branch", true
			all = append(all, p)
			for j, b := range s.Branch.Branches {
				all = nested(all, b, s.Branch.Ops[j])
			}
		default:
			p.What = s.Host.Name
			for _, a := range s.Host.Args {
				p.Bytes += float64(a.Type.Bytes())
			}
			for _, v := range s.Host.Outs {
				p.Bytes += float64(e.program.Values[v].Type.Bytes())
			}
			all = append(all, p)
		}
	}
	return all
}

// resultsOf returns the results of main that a step writes.
func (e *compiled) resultsOf(s *compiledStep) []int {
	var outs []kit.ValueID
	switch {
	case s.Kernel >= 0:
		for _, j := range e.program.Kernels[s.Kernel].Outs() {
			outs = append(outs, s.Operands[j].Value)
		}
	case s.Loop != nil:
		outs = s.Loop.Outs
	case s.Branch != nil:
		outs = s.Branch.Outs
	default:
		outs = s.Host.Outs
	}
	var results []int
	for _, v := range outs {
		if x := &e.program.Values[v]; x.Kind == kit.Result {
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
