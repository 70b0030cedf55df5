package stages

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"ltc/backends"
)

// Stages returns how many programs the chain has.
func (e *Executable) Stages() int { return len(e.stages) }

// Text returns the text of a stage.
func (e *Executable) Text(stage int) string { return e.stages[stage].text }

// Executable returns the program of a stage.
func (e *Executable) Executable(stage int) backends.Executable { return e.execs[stage] }

// each yields the programs of the chain that are an I, with their stages.
func each[I any](e *Executable) iter.Seq2[*stage, I] {
	return func(yield func(*stage, I) bool) {
		for k, x := range e.execs {
			if i, ok := x.(I); ok && !yield(e.stages[k], i) {
				return
			}
		}
	}
}

// Compiled returns how many steps of the stages are kernels, and how many ops were left to the
// evaluator.
func (e *Executable) Compiled() (kernels, evaluated int) {
	for _, x := range each[interface{ Compiled() (int, int) }](e) {
		k, n := x.Compiled()
		kernels, evaluated = kernels+k, evaluated+n
	}
	return kernels, evaluated
}

// CopiedBytes implements [backends.Copying].
func (e *Executable) CopiedBytes() (n int64) {
	for _, x := range each[backends.Copying](e) {
		n += x.CopiedBytes()
	}
	return n
}

// ResidentBytes implements [backends.Resident].
func (e *Executable) ResidentBytes() int {
	n := 1 << 10
	for _, x := range each[backends.Resident](e) {
		n += x.ResidentBytes()
	}
	for _, s := range e.stages {
		n += len(s.text) + 8*len(s.ordinals)
	}
	return n
}

// Grown implements [backends.Growing].
func (e *Executable) Grown() *atomic.Int64 { return e.grown }

// Variants implements [backends.Varying].
func (e *Executable) Variants() (made, failed int) {
	for _, x := range each[backends.Varying](e) {
		m, f := x.Variants()
		made, failed = made+m, failed+f
	}
	return made, failed
}

// Finish implements [backends.Tiered].
func (e *Executable) Finish(ctx context.Context) error {
	for _, x := range each[backends.Tiered](e) {
		if err := x.Finish(ctx); err != nil {
			return err
		}
	}
	return nil
}

// passedBytes returns the bytes of the values that stages pass on: of sizes that follow from data
// nothing is known before the run.
func (e *Executable) passedBytes() (n int) {
	for k, s := range e.stages {
		for i := range s.results {
			n += e.execs[k].Signature().Results[i].Type.KnownBytes()
		}
	}
	return n
}

// WorkspaceBytes implements [backends.Sized]: the values that stages pass on, and the largest
// workspace of a stage.
func (e *Executable) WorkspaceBytes() int {
	most := 0
	for _, x := range each[backends.Sized](e) {
		most = max(most, x.WorkspaceBytes())
	}
	return e.passedBytes() + most
}

// MemoryPlan implements [backends.Planned]: the steps of all stages. What stages pass on counts for
// all steps.
func (e *Executable) MemoryPlan() (plan backends.MemoryPlan) {
	type which struct {
		kind  backends.ValueKind
		index int
	}
	at := map[which]int{} // in the plan
	for k, x := range e.execs {
		p, ok := x.(backends.Planned)
		if !ok {
			return backends.MemoryPlan{}
		}
		of, first := p.MemoryPlan(), len(plan.Steps)
		for _, s := range of.Steps {
			s.Op = e.stages[k].ordinal(s.Op)
			s.Live += int64(e.passedBytes())
			plan.Steps = append(plan.Steps, s)
		}
		for _, v := range of.Values {
			if v = e.stages[k].value(v, len(e.sig.Args)); v.Kind == "" {
				continue
			}
			v.First, v.Last = v.First+first, v.Last+first
			key := which{v.Kind, v.Index}
			if i, again := at[key]; again && v.Index >= 0 {
				plan.Values[i].Last = v.Last
				continue
			}
			at[key] = len(plan.Values)
			plan.Values = append(plan.Values, v)
		}
	}
	slices.SortStableFunc(plan.Values, func(a, b backends.ValueMemory) int { return b.Type.KnownBytes() - a.Type.KnownBytes() })
	return plan
}

// value returns a value of the stage as one of the module, which takes args arguments: what other
// stages give and take are temporaries. An argument that tells sizes is none: it has no memory.
func (s *stage) value(v backends.ValueMemory, args int) backends.ValueMemory {
	v.Op = s.ordinal(v.Op)
	temporary := func() {
		v.Kind, v.Index, v.Name = backends.TemporaryValue, -1, ""
	}
	switch v.Kind {
	case backends.ArgumentValue:
		switch {
		case v.Index >= len(s.args):
			return backends.ValueMemory{}
		case s.args[v.Index] < args:
			v.Index = s.args[v.Index]
		default:
			temporary()
		}
	case backends.ResultValue:
		if v.Index < len(s.given) && s.given[v.Index] >= 0 {
			v.Index = s.given[v.Index]
		} else {
			temporary()
		}
	}
	return v
}

// Profile implements [backends.Profiler].
func (e *Executable) Profile() (all []backends.StepProfile) {
	for of, x := range each[backends.Profiler](e) {
		for _, s := range x.Profile() {
			s.Op = of.ordinal(s.Op)
			var results []int
			for _, i := range s.Results {
				if j := of.given[i]; j >= 0 {
					results = append(results, j)
				}
			}
			s.Results = results
			all = append(all, s)
		}
	}
	return all
}
