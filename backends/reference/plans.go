package reference

import (
	"context"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/diag"
	"ltc/internal/env"
)

// leastPlanned is how long the text of a program is at least whose plan is kept on disk: a
// shorter one is planned in about the time that a file takes.
const leastPlanned = 8 << 10

// mostPlanned is how many bytes a plan has at most that is kept.
const mostPlanned = 16 << 20

// keptPlans are the plans of programs that a compiler keeps, for one compile.
type keptPlans struct {
	keeper    kernel.PlanKeeper // nil: none are kept
	compilers []kernel.Compiler
	module    backends.Module
	options   backends.Options
}

// plansFor returns the plans that are kept for a compile. There are none of a program that is to
// be checked on its way.
func plansFor(m backends.Module, o backends.Options, compilers []kernel.Compiler) *keptPlans {
	k := &keptPlans{compilers: compilers, module: m, options: o}
	if len(m.Text()) >= leastPlanned && !env.Checks.On() && o.Threads >= 0 {
		k.keeper, _ = compilers[0].(kernel.PlanKeeper)
	}
	return k
}

// get returns the plan of the program; nil if there is none. A plan depends on the text alone:
// options change only what the evaluator does, and no plan with such a step is kept.
func (k *keptPlans) get(ctx context.Context) *plan.Program {
	if k.keeper == nil {
		return nil
	}
	data, ok := k.keeper.KeptPlan(k.module.Text())
	if !ok {
		return nil
	}
	p, err := plan.Decode(data, plan.NewOrigin(len(k.module.Text()), k.again))
	if err != nil {
		k.options.Log().Warn("ltc: the plan of a program on disk is damaged: it is made anew", "program", k.options.File(), "reason", err)
		return nil
	}
	p.Logger = backends.LoggerOf(ctx)
	return p
}

// again makes the program from its text, as a compile does.
func (k *keptPlans) again() (*plan.Program, error) {
	ctx := backends.WithLogger(context.Background(), &k.options)
	p, err := backends.LoadOpen(ctx, k.module, k.options)
	if err != nil {
		return nil, err
	}
	return kernelsOf(ctx, p, k.compilers)
}

// keep keeps the plan of the program.
func (k *keptPlans) keep(p *plan.Program) {
	if k.keeper == nil {
		return
	}
	if data, ok := p.Encode(); ok && len(data) <= mostPlanned {
		k.keeper.KeepPlan(k.module.Text(), "the plan of "+k.options.File()+": "+diag.Count(len(p.Steps), "step"), data)
	}
}
