package model

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ltc/backends"
	"ltc/internal/diag"
	"ltc/soa"
)

// Call runs the model on one view for each of its inputs, in the program's order. The results
// are dense views of fresh memory, which the caller owns. A backend may read inputs in place:
// their memory must not be released before Call returns. An input may have a further last
// dimension of size 1: shape (n, 1) fits a value of shape (n). Any number of goroutines may call
// a model at once. A nil ctx is [context.Background]. Use [Model.Bind] to write results to the
// caller's own memory without an allocation.
func (m *Model) Call(ctx context.Context, inputs ...soa.View) ([]soa.View, error) {
	if m == nil || m.exec == nil {
		return nil, errors.New("model: call: the Model is the zero value: make a Model with New")
	}
	if len(inputs) != len(m.inputs) {
		return nil, fmt.Errorf("model: call: got %s, and the program has %d: %s", diag.Count(len(inputs), "input"), len(m.inputs), m.named())
	}
	if ctx == nil {
		ctx = context.Background()
	}
	call := backends.Call{Args: make([]soa.View, len(m.sig.Args)), Results: make([]soa.View, len(m.sig.Results))}
	for k, v := range inputs {
		a := &m.sig.Args[m.inputs[k]]
		flat, err := fits(v, a.Type)
		if err == nil && a.Alias >= 0 {
			err = errors.New("the program overwrites it: export a program that does not")
		}
		if err != nil {
			return nil, fmt.Errorf("model: call: input %s: %w", backends.Label(k, a.Name), err)
		}
		if flat {
			v = flattened(v)
		}
		call.Args[m.inputs[k]] = v
	}
	if err := m.exec.Execute(ctx, &call); err != nil {
		return nil, fmt.Errorf("model: call: %w", err)
	}
	return call.Results, nil
}

// named lists the inputs with their types, and says which of them are constants.
func (m *Model) named() string {
	var names []string
	for _, i := range m.inputs {
		a := &m.sig.Args[i]
		name := strings.TrimSpace(a.Name + " " + backends.TypeText(a.Type))
		if a.Constant {
			name += " (a constant: New got no value for it)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}
