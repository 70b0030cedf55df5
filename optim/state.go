package optim

import (
	"ltc/lazy"
	"ltc/optim/internal/state"
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
// trace tr, whose MarkStep runs the assignments. It ignores other tensors. After an
// error nothing has been assigned.
func (o *Optimizer) LoadState(tr *lazy.Trace, tensors map[string]*lazy.Tensor) error {
	if o.err != nil {
		return o.err
	}
	return state.Load(o.name, tr, o.State(), tensors)
}
