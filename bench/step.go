package main

import (
	"fmt"
	"time"

	"ltc/bench/measure"
	"ltc/internal/diag"
	"ltc/lazy"
)

// stepRules are those of steps, which are timed one by one.
var stepRules = measure.Rules{Budget: 2 * time.Second, Warm: 20, MinReps: 7, MaxReps: 3000, Inner: 1}

func add(x, y *lazy.Tensor) *lazy.Tensor     { return x.Add(y) }
func mix100(x, y *lazy.Tensor) *lazy.Tensor  { return mix(x, y, 25) }
func mix1000(x, y *lazy.Tensor) *lazy.Tensor { return mix(x, y, 250) }

func step1Add(e *env) (result, error)    { return e.cached(add, false) }
func step1Reused(e *env) (result, error) { return e.cached(add, true) }

func step100Mix(e *env) (result, error)    { return e.cached(mix100, false) }
func step100Reused(e *env) (result, error) { return e.cached(mix100, true) }

func step1000Mix(e *env) (result, error)    { return e.cached(mix1000, false) }
func step1000Reused(e *env) (result, error) { return e.cached(mix1000, true) }

// cached times steps of fn after the first, each with the result of the one
// before as x. Every step is recorded anew, with the nodes of the step before or
// with its own.
func (e *env) cached(fn func(x, y *lazy.Tensor) *lazy.Tensor, reuse bool) (result, error) {
	s, err := newStepper(e, fn)
	if err != nil {
		return result{}, err
	}
	s.tr.Reuse(reuse)
	t, err := e.time(stepRules, s.step)
	if err != nil {
		return result{}, err
	}
	if n := len(s.tr.Report().Compiles); n > 2 {
		return result{}, fmt.Errorf("%s compiled", diag.Count(n, "program"))
	}
	return figures(t), nil
}

// stepper runs a function on its own result again and again.
type stepper struct {
	tr   *lazy.Trace
	x, y *lazy.Tensor
	fn   func(x, y *lazy.Tensor) *lazy.Tensor
}

func newStepper(e *env, fn func(x, y *lazy.Tensor) *lazy.Tensor) (*stepper, error) {
	dev, err := e.open()
	if err != nil {
		return nil, err
	}
	s := &stepper{tr: lazy.NewTrace(dev), fn: fn}
	s.x, s.y = mixData(s.tr)
	return s, nil
}

func (s *stepper) step() error {
	s.x = s.fn(s.x, s.y)
	if err := s.tr.MarkStep(s.x); err != nil {
		return err
	}
	_, err := s.x.Value() // waits
	return err
}
