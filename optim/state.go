package optim

import (
	"fmt"
	"slices"
	"strings"

	"ltc/lazy"
)

// State returns the variables that the next step depends on, but for the parameters: for
// checkpoints. Their names begin with those of the parameters, as in w.exp_avg, or with
// the optimizer's, as in adam.step. Rates and momentum are not among them.
func (o *Optimizer) State() (all []*lazy.Tensor) {
	for _, g := range o.groups {
		all = append(all, g.counter...)
		for _, p := range g.params {
			if p.master != nil {
				all = append(all, p.master)
			}
			all = append(all, p.state...)
		}
	}
	return all
}

// LoadState assigns the state from tensors under the names of [Optimizer.State], in the
// trace tr, whose MarkStep runs the assignments. Other tensors are left alone. After an
// error nothing has been assigned.
func (o *Optimizer) LoadState(tr *lazy.Trace, tensors map[string]*lazy.Tensor) error {
	if o.err != nil {
		return o.err
	}
	return load(o.name, tr, o.State(), tensors)
}

// load assigns variables from the tensors of their names.
func load(name string, tr *lazy.Trace, variables []*lazy.Tensor, tensors map[string]*lazy.Tensor) error {
	if tr == nil {
		return fmt.Errorf("%s: load: the trace is nil: give the one whose MarkStep is to load", name)
	}
	var problems, missing []string
	var news []assignment
	seen := map[string]bool{}
	for _, v := range variables {
		x, ok := tensors[v.Name()]
		switch {
		case seen[v.Name()]:
			problems = append(problems, fmt.Sprintf("two variables are named %q: give parameters names that differ", v.Name()))
		case !ok || x == nil:
			missing = append(missing, fmt.Sprintf("%q", v.Name()))
		case x.Err() != nil:
			problems = append(problems, fmt.Sprintf("%q: %v", v.Name(), x.Err()))
		case !slices.Equal(x.Shape(), v.Shape()) || x.DType() != v.DType():
			problems = append(problems, fmt.Sprintf("%q is %v, and its variable %v", v.Name(), x.Type(), v.Type()))
		default:
			news = append(news, assignment{v, tr.Read(x)})
		}
		seen[v.Name()] = true
	}
	if len(missing) > 0 {
		problems = append(problems, "the tensors lack "+strings.Join(missing, ", "))
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: load: %s: load what the same optimizer of the same parameters saved", name, strings.Join(problems, "; "))
	}
	for _, a := range news {
		a.variable.Assign(a.value)
	}
	return nil
}
