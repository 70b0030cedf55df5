// Package state assigns the state of optimizers, and of the loss scaler, from a checkpoint. Its central function is [Load].
//
// The package imports only ltc/lazy.
package state

import (
	"fmt"
	"slices"
	"strings"

	"ltc/lazy"
)

// Load assigns variables from the tensors of their names, in the trace tr. After an error nothing has been assigned.
// Errors begin with name, that of the optimizer or the scaler whose variables these are.
func Load(name string, tr *lazy.Trace, variables []*lazy.Tensor, tensors map[string]*lazy.Tensor) error {
	if tr == nil {
		return fmt.Errorf("%s: load: the trace is nil: give the one whose MarkStep is to load", name)
	}
	var problems, missing []string
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
		}
		seen[v.Name()] = true
	}
	if len(missing) > 0 {
		problems = append(problems, "the tensors lack "+strings.Join(missing, ", "))
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s: load: %s: load the state that %s with the same arguments saved", name, strings.Join(problems, "; "), name)
	}
	values := make([]*lazy.Tensor, len(variables)) // before the first assignment: a tensor may be another of the variables
	for i, v := range variables {
		values[i] = tr.Read(tensors[v.Name()])
	}
	for i, v := range variables {
		v.Assign(values[i])
	}
	return nil
}
