package reference

import (
	"context"
	"crypto/sha256"
	"fmt"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
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

// The first byte of a kept plan says whether it is of a program or of a family.
const (
	ofProgram byte = iota
	ofFamily
)

// get returns the plan of the program, or the family if it leaves sizes open; nil if there is none. A plan depends on the
// text alone: options change only what the evaluator does, whose steps are compiled anew.
func (k *keptPlans) get(ctx context.Context) (p *plan.Program, f *plan.Family) {
	if k.keeper == nil {
		return nil, nil
	}
	data, ok := k.keeper.KeptPlan(k.module.Text())
	if !ok {
		return nil, nil
	}
	kept, log := len(k.module.Text()), backends.LoggerOf(ctx)
	var err error
	switch {
	case len(data) > 0 && data[0] == ofFamily:
		f, err = plan.DecodeFamily(data[1:], plan.NewOrigin(kept, k.openAgain), k.host, log)
	default:
		if p, err = plan.Decode(data[min(len(data), 1):], plan.NewOrigin(kept, k.again), k.host); err == nil {
			p.Logger = log
		}
	}
	if err != nil {
		k.options.Log().Warn("ltc: the plan of a program on disk is damaged: it is made anew", "program", k.options.File(), "reason", err)
		return nil, nil
	}
	if f != nil {
		f.Open().KeepVariants(k, k.host)
	} else {
		p.KeepVariants(k, k.host)
	}
	return p, f
}

// host has the evaluator run an op of the host.
func (k *keptPlans) host(text string) (backends.Executable, int, error) {
	ctx := backends.WithLogger(context.Background(), &k.options)
	run, err := eval.New().Compile(ctx, backends.NewModule(text), backends.Options{Name: k.options.File(), Threads: k.options.Threads})
	return run, k.options.Threads, err
}

// Get implements [plan.Variants].
func (k *keptPlans) Get(layouts string) (data []byte, ok bool) {
	return k.keeper.KeptPlan(k.variant(layouts))
}

// Keep implements [plan.Variants].
func (k *keptPlans) Keep(layouts string, data []byte) {
	if len(data) <= mostPlanned {
		k.keeper.KeepPlan(k.variant(layouts), "the plan of "+k.options.File()+" for other layouts", data)
	}
}

// variant stands for the program and layouts.
func (k *keptPlans) variant(layouts string) string {
	return fmt.Sprintf("%x %s", sha256.Sum256([]byte(k.module.Text())), layouts)
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

// openAgain makes the program whose numbers are expressions from its text.
func (k *keptPlans) openAgain() (*plan.Program, error) {
	f, err := familyOf(backends.WithLogger(context.Background(), &k.options), k.module, k.options, 0, k.compilers)
	if err != nil {
		return nil, err
	}
	return f.Open(), nil
}

// keep keeps the plan of what the program became.
func (k *keptPlans) keep(e backends.Executable) {
	if k.keeper == nil {
		return
	}
	var kind byte
	var data []byte
	var prog *plan.Program
	var ok bool
	switch e := e.(type) {
	case *compiled:
		prog = e.Plan.Program
		data, ok = prog.Encode()
	case *openExecutable:
		kind, prog = ofFamily, e.Family.Open()
		data, ok = e.Family.Encode()
	}
	if !ok || len(data) >= mostPlanned {
		return
	}
	k.keeper.KeepPlan(k.module.Text(), "the plan of "+k.options.File()+": "+diag.Count(len(prog.Steps), "step"), append([]byte{kind}, data...))
	prog.KeepVariants(k, k.host)
}
