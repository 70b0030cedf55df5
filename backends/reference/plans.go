package reference

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"

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

// mostPlanned is how many bytes a plan that is kept has at most.
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

// keptPlan is what is kept of a program: its plan, or the family if the program leaves sizes open.
type keptPlan struct {
	program *plan.Program // of a family, that whose numbers are expressions
	family  *plan.Family  // nil: no size is open
}

// kept returns what is kept of e.
func (e *compiled) kept() keptPlan { return keptPlan{program: e.Plan.Program} }

// kept returns what is kept of s.
func (s *openExecutable) kept() keptPlan { return keptPlan{s.Family.Open(), s.Family} }

// encode returns the bytes of p; false if it cannot be kept.
func (p keptPlan) encode() (data []byte, ok bool) {
	kind := ofProgram
	if p.family != nil {
		kind = ofFamily
		data, ok = p.family.Encode()
	} else {
		data, ok = p.program.Encode()
	}
	return append([]byte{kind}, data...), ok
}

// decode reads what encode returned.
func (k *keptPlans) decode(data []byte, log *slog.Logger) (p keptPlan, err error) {
	kept := len(k.module.Text())
	if len(data) > 0 && data[0] == ofFamily {
		if p.family, err = plan.DecodeFamily(data[1:], plan.NewOrigin(kept, k.openAgain), k.host, log); err == nil {
			p.program = p.family.Open()
		}
		return p, err
	}
	if p.program, err = plan.Decode(data[min(len(data), 1):], plan.NewOrigin(kept, k.again), k.host); err == nil {
		p.program.Logger = log
	}
	return p, err
}

// compile makes p executable.
func (p *keptPlan) compile(ctx context.Context, m backends.Module, o backends.Options, compilers []kernel.Compiler) (backends.Executable, error) {
	if p.family != nil {
		e, err := compileFamily(ctx, o.File(), p.family, m, o, compilers)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	e, err := compileProgram(ctx, o.File(), p.program, o, compilers)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// get returns what is kept of the program; nil if nothing is. A plan depends on the
// text alone: options change only what the evaluator does, whose steps are compiled anew.
func (k *keptPlans) get(ctx context.Context) *keptPlan {
	if k.keeper == nil {
		return nil
	}
	data, ok := k.keeper.KeptPlan(k.module.Text())
	if !ok {
		return nil
	}
	p, err := k.decode(data, backends.LoggerOf(ctx))
	switch {
	case errors.Is(err, plan.ErrHost): // the compile of the text reports it
		return nil
	case err != nil:
		k.options.Log().Warn("ltc: the plan of a program on disk is damaged: it is made anew", "program", k.options.File(), "reason", err)
		return nil
	}
	p.program.KeepVariants(k, k.host)
	return &p
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
	k.write(k.variant(layouts), "the plan of "+k.options.File()+" for other layouts", data)
}

// write keeps data under a key, unless it is too large. It reports whether it does.
func (k *keptPlans) write(key, title string, data []byte) bool {
	if len(data) > mostPlanned {
		return false
	}
	k.keeper.KeepPlan(key, title, data)
	return true
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
func (k *keptPlans) keep(p keptPlan) {
	if k.keeper == nil {
		return
	}
	data, ok := p.encode()
	if ok && k.write(k.module.Text(), "the plan of "+k.options.File()+": "+diag.Count(len(p.program.Steps), "step"), data) {
		p.program.KeepVariants(k, k.host)
	}
}
