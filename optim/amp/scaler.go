// Package amp has loss scaling for mixed precision, torch.amp.GradScaler. [lazy.Trace.Autocast] is torch.autocast.
// The central type is [LossScaler].
//
// The package imports only ltc/ir/types, ltc/lazy, ltc/optim and ltc/optim/internal/state.
package amp

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim"
	"ltc/optim/internal/state"
)

// ScalerConfig is the config of [NewLossScaler]. A field of 0 has PyTorch's default.
type ScalerConfig struct {
	Scale    float64 // at first; 0: 65536
	Growth   float64 // the factor of the scale after Interval good steps; 0: 2
	Backoff  float64 // the factor of the scale after a step that is skipped; 0: 0.5
	Interval int     // good steps in a row before the scale grows; 0: 2000
}

// least is the least scale, the least normal number of f32: one of 0 would stay 0.
const least = 0x1p-126

// LossScaler scales losses, so that gradients of f16 do not become 0, and skips steps whose
// gradients are not finite: torch.amp.GradScaler. The scale is a variable: a step that is skipped
// compiles nothing, and nothing is read back.
//
// A LossScaler belongs to one optimizer.
type LossScaler struct {
	config  ScalerConfig
	o       *optim.Optimizer
	scale   *lazy.Tensor // f32
	tracker *lazy.Tensor // good steps since the scale changed
	found   *lazy.Tensor // whether a gradient of the step at hand is not finite
	err     error
}

// NewLossScaler returns a scaler of the losses of o.
func NewLossScaler(o *optim.Optimizer, c ScalerConfig) *LossScaler {
	c = ScalerConfig{cmp.Or(c.Scale, 65536), cmp.Or(c.Growth, 2), cmp.Or(c.Backoff, 0.5), cmp.Or(c.Interval, 2000)}
	s := &LossScaler{config: c, o: o}
	if s.err = s.check(); s.err != nil {
		s.err = fmt.Errorf("loss_scaler: %w", s.err)
		return s
	}
	dev := o.Params()[0].Device()
	s.scale = dev.Variable("loss_scaler.scale", types.F32).Init(lazy.Constant(c.Scale))
	s.tracker = dev.Variable("loss_scaler.tracker", types.I32)
	return s
}

func (s *LossScaler) check() error {
	c := s.config
	switch {
	case s.o == nil:
		return errors.New("the optimizer is nil: give the one whose steps it is to skip")
	case len(s.o.Params()) == 0:
		return s.o.StepGrads(nil) // the mistake in its arguments
	case !(c.Scale >= least) || c.Scale > math.MaxFloat32:
		return fmt.Errorf("Scale %v is not a number of f32 above 0", c.Scale)
	case !(c.Growth >= 1) || math.IsInf(c.Growth, 1):
		return fmt.Errorf("Growth %v is not a finite number from 1 on", c.Growth)
	case !(c.Backoff > 0 && c.Backoff < 1):
		return fmt.Errorf("Backoff %v is not in (0, 1)", c.Backoff)
	case c.Interval < 1:
		return fmt.Errorf("Interval %d is not from 1 on", c.Interval)
	}
	return nil
}

// made returns an error if NewLossScaler did not make the scaler.
func (s *LossScaler) made() error {
	switch {
	case s == nil:
		return errors.New("loss_scaler: the scaler is nil: make it by NewLossScaler")
	case s.err == nil && s.scale == nil:
		return errors.New("loss_scaler: the scaler is the zero value: make it by NewLossScaler")
	}
	return s.err
}

// Check returns an error if the scaler was made with a mistake, or for another optimizer than o.
func (s *LossScaler) Check(o *optim.Optimizer) error {
	if err := s.made(); err != nil {
		return err
	}
	if s.o != o {
		return errors.New("loss_scaler: the scaler is another optimizer's: give NewLossScaler the one whose steps it is to skip")
	}
	return nil
}

// Factor returns the scale, a variable; nil if there is none.
func (s *LossScaler) Factor() *lazy.Tensor {
	if s == nil {
		return nil
	}
	return s.scale
}

// State returns the scaler's variables, loss_scaler.scale and loss_scaler.tracker. A checkpoint has them with those of
// the optimizer, by their names: checkpoint.LoadInto, before a step uses them, or [LossScaler.LoadState] gives them their values.
func (s *LossScaler) State() []*lazy.Tensor {
	if s.made() != nil {
		return nil
	}
	return []*lazy.Tensor{s.scale, s.tracker}
}

// LoadState assigns the scale and its counter from tensors under the names of [LossScaler.State], as
// [optim.Optimizer.LoadState] does. Training goes on with the bits of a run that was never interrupted.
func (s *LossScaler) LoadState(tr *lazy.Trace, tensors map[string]*lazy.Tensor) error {
	if err := s.made(); err != nil {
		return err
	}
	return state.Load("loss_scaler", tr, s.State(), tensors)
}

// Step is [optim.Optimizer.Step] with the gradients of the scaled loss.
func (s *LossScaler) Step(loss *lazy.Tensor) error {
	if err := s.made(); err != nil {
		return err
	}
	if loss == nil {
		return errors.New("loss_scaler: the loss is nil")
	}
	grads, err := s.o.Grads(s.Scale(loss))
	if err != nil {
		return err
	}
	if grads, err = s.Unscale(grads); err != nil {
		return err
	}
	return s.StepGrads(grads)
}

// Scale returns the loss times the scale, to differentiate.
func (s *LossScaler) Scale(loss *lazy.Tensor) *lazy.Tensor {
	if s.made() != nil || loss == nil {
		return loss // Unscale returns the error
	}
	return loss.Mul(loss.Trace().Read(s.scale).AsType(loss.DType()))
}

// Unscale returns gradients of the scaled loss divided by the scale, in f32 if they are narrower,
// and records whether all are finite. What is done to them before [LossScaler.StepGrads], such as
// [optim.ClipNorm], sees their true size.
func (s *LossScaler) Unscale(grads []*lazy.Tensor) ([]*lazy.Tensor, error) {
	if err := s.made(); err != nil {
		return nil, err
	}
	if s.found != nil {
		s.found = nil
		return nil, errors.New("loss_scaler: Unscale is called twice in a step: give what it returns to StepGrads before")
	}
	unscaled := make([]*lazy.Tensor, len(grads))
	var found, inverse *lazy.Tensor
	for i, g := range grads {
		if g == nil {
			continue
		}
		if g.Err() != nil {
			return nil, fmt.Errorf("loss_scaler: gradient %d: %w", i, g.Err())
		}
		if g.Trace() == nil {
			return nil, fmt.Errorf("loss_scaler: gradient %d belongs to no trace: compute it in a step, or use Trace.Read", i)
		}
		if inverse == nil {
			inverse = g.Trace().Read(s.scale).Convert(types.F64).Reciprocal()
		}
		if g.DType().Size() < types.F32.Size() {
			g = g.Convert(types.F32)
		}
		bad := g.IsFinite().All().Not()
		if found == nil {
			found = bad
		} else {
			found = found.Or(bad)
		}
		if unscaled[i] = g.Mul(inverse.AsType(g.DType())); unscaled[i].Err() != nil {
			return nil, fmt.Errorf("loss_scaler: gradient %d: %w", i, unscaled[i].Err())
		}
	}
	if found == nil {
		return nil, errors.New("loss_scaler: no parameter has a gradient: call Backward of the scaled loss before")
	}
	s.found = found
	return unscaled, found.Err()
}

// NonFinite returns whether a gradient that [LossScaler.Unscale] got is not finite, a scalar of bool: StepGrads skips the
// step then. It is nil before Unscale and after StepGrads.
func (s *LossScaler) NonFinite() *lazy.Tensor {
	if s == nil {
		return nil
	}
	return s.found
}

// StepGrads is [optim.Optimizer.StepGrads] with gradients that [LossScaler.Unscale] of this step returned, changed or not.
// If one was not finite, parameters and state stay what they were, and the scale shrinks.
func (s *LossScaler) StepGrads(grads []*lazy.Tensor) error {
	if err := s.made(); err != nil {
		return err
	}
	found := s.found
	if s.found = nil; found == nil {
		return errors.New("loss_scaler: the step's gradients are not unscaled: give StepGrads what Unscale returns, once")
	}
	if err := s.o.StepGradsUnless(found, grads); err != nil {
		return err
	}
	tr := found.Trace()
	scale, tracker := tr.Read(s.scale), tr.Read(s.tracker).AddScalar(1)
	grown := scale.MulScalar(s.config.Growth)
	full := tracker.EqualScalar(float64(s.config.Interval))
	grown = full.And(grown.IsFinite()).Where(grown, scale)
	s.scale.Assign(found.Where(scale.MulScalar(s.config.Backoff).MaximumScalar(least), grown))
	s.tracker.Assign(found.Or(full).ScalarWhere(0, tracker))
	return nil
}

// StepBackward is [optim.Optimizer.StepBackward] with the gradients of scaled losses.
func (s *LossScaler) StepBackward() error {
	if err := s.made(); err != nil {
		return err
	}
	return s.o.StepBackwardBy(func(grads []*lazy.Tensor) error {
		grads, err := s.Unscale(grads)
		if err != nil {
			return err
		}
		return s.StepGrads(grads)
	})
}
