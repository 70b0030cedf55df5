package optim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/lazy"
)

// Zero is the number 0 in fields of configs and groups, where 0 itself means the default.
const Zero = math.SmallestNonzeroFloat64

// Optimizer updates variables from their gradients by one rule. The first mistake in the
// arguments that it was made from is the error of every Step.
//
// An Optimizer belongs to one goroutine at a time.
type Optimizer struct {
	name   string
	dev    *lazy.Device
	groups []*ParamGroup
	news   []assignment // memory of a step's
	err    error        // of the arguments
}

// rule is how one kind of optimizer updates parameters.
type rule interface {
	// check reports which number of the config is out of range.
	check() error
	// slots are the state of a parameter of the given type.
	slots(w types.Type) []slot
	// counters are the numbers of a group that change at each step. The first is the
	// count of steps, if there are any.
	counters() []slot
	// update records the step of one parameter, and returns its new value. It replaces
	// the elements of s.state by the new state.
	update(s *step) *lazy.Tensor
}

// slot describes a variable of an optimizer's state.
type slot struct {
	name    string
	shape   []int
	initial float64
}

// like describes state of the shape of the parameter, zero at first.
func like(w types.Type, names ...string) (all []slot) {
	for _, name := range names {
		all = append(all, slot{name: name, shape: w.Shape})
	}
	return all
}

// parameter is a variable that is updated, with its state.
type parameter struct {
	w      *lazy.Tensor
	dtype  types.DType  // that updates are computed in
	master *lazy.Tensor // w in that dtype, unrounded; nil without Master
	state  []*lazy.Tensor
}

// newOptimizer makes an optimizer of params and groups. config returns the rule of a group
// and the numbers that all rules have, after the defaults.
func newOptimizer(name string, dev *lazy.Device, params []*lazy.Tensor, groups []Group, config func(g Group) (hyper, rule)) *Optimizer {
	o := &Optimizer{name: name, dev: dev}
	if len(params) > 0 || len(groups) == 0 {
		groups = slices.Insert(slices.Clone(groups), 0, Group{Params: params})
	}
	if o.err = o.checkParams(groups); o.err != nil {
		return o
	}
	base, _ := config(Group{})
	for i, g := range groups {
		h, r := config(g)
		p := &ParamGroup{o: o, rule: r, hyper: h, ratio: 1}
		if g.LR != 0 {
			p.ratio = h.lr / base.lr
		}
		err := p.check(g, r)
		if g.LR != 0 && base.lr == 0 {
			err = errors.New("it has a rate of its own, whose ratio to the config's LR of 0 is none: give that an LR above 0")
		}
		if err != nil {
			o.err = fmt.Errorf("%s: %s%w", name, ofGroup(i, len(groups)), err)
			return o
		}
		o.groups = append(o.groups, p)
	}
	for i, g := range groups {
		o.groups[i].allocate(i, g.Params)
	}
	return o
}

// ofGroup begins the message about a group, if there are several.
func ofGroup(i, of int) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf("group %d: ", i)
}

func (o *Optimizer) checkParams(groups []Group) error {
	if o.dev == nil {
		return fmt.Errorf("%s: the device is nil: give the one that lazy.Open returned", o.name)
	}
	seen := map[*lazy.Tensor]string{}
	for i, g := range groups {
		if len(g.Params) == 0 {
			if len(groups) > 1 {
				return fmt.Errorf("%s: group %d has no parameters: give it variables to train, or leave it out", o.name, i)
			}
			return fmt.Errorf("%s: no parameters: give the variables to train", o.name)
		}
		for j, w := range g.Params {
			at := fmt.Sprint(j)
			if len(groups) > 1 {
				at = fmt.Sprintf("%d of group %d", j, i)
			}
			if err := o.checkParam(at, w); err != nil {
				return err
			}
			if first, ok := seen[w]; ok {
				return fmt.Errorf("%s: parameters %s and %s are the same variable, %q: give it once, or each step would update it twice", o.name, first, at, w.Name())
			}
			seen[w] = at
		}
	}
	return nil
}

func (o *Optimizer) checkParam(at string, w *lazy.Tensor) error {
	switch {
	case w == nil:
		return fmt.Errorf("%s: parameter %s is nil: make it with Device.Variable before the optimizer", o.name, at)
	case w.Err() != nil:
		return fmt.Errorf("%s: parameter %s: %w", o.name, at, w.Err())
	case !w.IsVariable():
		return fmt.Errorf("%s: parameter %s is a %v that is not a variable; make it with Device.Variable", o.name, at, w.Type())
	case w.Device() != o.dev:
		return fmt.Errorf("%s: parameter %s, %q, is on device %v opened at %s, the optimizer on %v opened at %s", o.name, at, w.Name(), w.Device(), w.Device().OpenedAt(), o.dev, o.dev.OpenedAt())
	case !w.DType().IsFloat():
		return fmt.Errorf("%s: parameter %s, %q, is %v; only floating-point variables have gradients", o.name, at, w.Name(), w.Type())
	}
	return nil
}

// Groups returns the groups of parameters: those given to the constructor by themselves
// are the first, if there are any.
func (o *Optimizer) Groups() []*ParamGroup { return slices.Clone(o.groups) }

// Params returns all parameters, in the order of the groups.
func (o *Optimizer) Params() (all []*lazy.Tensor) {
	for _, p := range o.parameters() {
		all = append(all, p.w)
	}
	return all
}

func (o *Optimizer) parameters() (all []*parameter) {
	for _, g := range o.groups {
		all = append(all, g.params...)
	}
	return all
}

// SetLR changes the learning rate, for the steps marked from now on. A group with a rate
// of its own keeps the ratio of the two. It compiles nothing: rates are arguments of the
// program. 0 is a rate, the end of a schedule. A negative or infinite rate, or NaN, is
// the error of every Step until a good one is set; the rate itself stays.
func (o *Optimizer) SetLR(lr float64) {
	for _, g := range o.groups {
		g.SetLR(lr * g.ratio)
	}
}

// LR returns the learning rate of the first group; 0 if the optimizer has none.
func (o *Optimizer) LR() float64 {
	if len(o.groups) == 0 {
		return 0
	}
	return o.groups[0].LR()
}

// SetMomentum changes the momentum of all groups, or β₁ of rules that have betas, as
// [Optimizer.SetLR] changes the rate. Groups that were made with Momentum [Zero] stay without.
func (o *Optimizer) SetMomentum(m float64) {
	for _, g := range o.groups {
		if !g.still() {
			g.SetMomentum(m)
		}
	}
}

// Step records the gradients of loss, a scalar, and the assignments of every parameter
// and its state in the trace of loss, whose MarkStep runs them. Parameters that loss does
// not depend on stay as they are, as in PyTorch. After an error nothing has been assigned.
//
// The count of steps is the group's: it grows if any of the group's parameters is updated.
// Parameters that only some losses depend on belong in a group of their own.
func (o *Optimizer) Step(loss *lazy.Tensor) error {
	grads, err := o.Grads(loss)
	if err != nil {
		return err
	}
	return o.StepGrads(grads)
}

// Grads records the gradients of loss, a scalar, with respect to the parameters, in the
// order of [Optimizer.Params]. It is nil for a parameter that loss does not depend on, or that
// requires no gradient (lazy.Tensor.SetRequiresGrad). That loss depends on none is an error.
func (o *Optimizer) Grads(loss *lazy.Tensor) ([]*lazy.Tensor, error) {
	switch err := o.problem(); {
	case err != nil:
		return nil, err
	case loss == nil:
		return nil, fmt.Errorf("%s: the loss is nil", o.name)
	}
	all := o.Params()
	var trained []*lazy.Tensor
	var places []int // in all
	for i, w := range all {
		if w.RequiresGrad() {
			trained, places = append(trained, w), append(places, i)
		}
	}
	grads := make([]*lazy.Tensor, len(all))
	some := false
	for i, g := range lazy.GradOrNil(loss, trained...) {
		if g == nil {
			continue
		}
		if g.Err() != nil {
			return nil, g.Err()
		}
		grads[places[i]], some = g, true
	}
	if !some {
		return nil, fmt.Errorf("%s: the loss depends on none of the parameters that require gradients, %s: compute it from them in this step", o.name, names(all))
	}
	return grads, nil
}

// names lists the names of tensors, the first few.
func names(ts []*lazy.Tensor) string {
	var all []string
	for _, t := range ts {
		if len(all) == 8 {
			return fmt.Sprintf("%s and %d more", strings.Join(all, ", "), len(ts)-len(all))
		}
		all = append(all, fmt.Sprintf("%q", t.Name()))
	}
	return strings.Join(all, ", ")
}

// problem returns the error of every step.
func (o *Optimizer) problem() error {
	if o.err != nil {
		return o.err
	}
	for i, g := range o.groups {
		if err := errors.Join(g.lrErr, g.momentumErr); err != nil {
			return fmt.Errorf("%s: %s%w", o.name, ofGroup(i, len(o.groups)), err)
		}
	}
	return nil
}

// StepGrads is [Optimizer.Step] with gradients, in the order of [Optimizer.Params]. A
// parameter whose gradient is nil, or that requires none, stays as it is.
func (o *Optimizer) StepGrads(grads []*lazy.Tensor) error { return o.StepGradsUnless(nil, grads) }

// StepGradsUnless is [Optimizer.StepGrads] that changes nothing in steps where skip, a bool scalar, is true.
func (o *Optimizer) StepGradsUnless(skip *lazy.Tensor, grads []*lazy.Tensor) error {
	if err := o.problem(); err != nil {
		return err
	}
	if skip != nil && skip.Err() != nil {
		return fmt.Errorf("%s: skip: %w", o.name, skip.Err())
	}
	if skip != nil && (skip.DType() != types.Bool || skip.Rank() != 0) {
		return fmt.Errorf("%s: skip is %v: give a bool scalar", o.name, skip)
	}
	tr, err := o.checkGrads(grads)
	if err != nil {
		return err
	}
	lazy.RecordAs(o.name, func() []*lazy.Tensor { // on one line
		err = o.record(tr, skip, grads)
		return nil
	}, grads...)
	return err
}

// record records the update and assigns parameters and state.
func (o *Optimizer) record(tr *lazy.Trace, skip *lazy.Tensor, grads []*lazy.Tensor) (err error) {
	news := o.news[:0]
	defer func() { // its memory is the next step's
		clear(news)
		o.news = news
	}()
	for _, g := range o.groups {
		if news, err = g.record(news, tr, grads[:len(g.params)]); err != nil {
			return err
		}
		grads = grads[len(g.params):]
	}
	for _, a := range news {
		if skip != nil {
			a.value = skip.Where(tr.Read(a.variable), a.value)
		}
		a.variable.Assign(a.value)
	}
	return nil
}

// StepBackward is [Optimizer.Step] with the gradients that [lazy.Tensor.Backward] has added to the
// parameters, and forgets them: the next Backward begins anew. Parameters without one stay as they
// are. After an error the gradients are still there.
func (o *Optimizer) StepBackward() error {
	if err := o.problem(); err != nil {
		return err
	}
	return o.StepBackwardBy(o.StepGrads)
}

// StepBackwardBy is [Optimizer.StepBackward] with another step, such as one that clips gradients before.
func (o *Optimizer) StepBackwardBy(step func(grads []*lazy.Tensor) error) error {
	params := o.Params()
	grads := make([]*lazy.Tensor, len(params))
	for i, w := range params {
		grads[i] = w.Grad()
	}
	if err := step(grads); err != nil {
		return err
	}
	for _, w := range params {
		w.ZeroGrad()
	}
	return nil
}

func (o *Optimizer) checkGrads(grads []*lazy.Tensor) (tr *lazy.Trace, err error) {
	all := o.Params()
	if len(grads) != len(all) {
		return nil, fmt.Errorf("%s: %s for %s: give one for each of Params, nil for none", o.name, diag.Count(len(grads), "gradient"), diag.Count(len(all), "parameter"))
	}
	for i, g := range grads {
		if g == nil {
			continue
		}
		switch {
		case g.Err() != nil:
			return nil, fmt.Errorf("%s: gradient of %q: %w", o.name, all[i].Name(), g.Err())
		case !slices.Equal(g.Shape(), all[i].Shape()) || !g.DType().IsFloat():
			return nil, fmt.Errorf("%s: gradient %d is %v, parameter %q is %v: give gradients in the order of Params", o.name, i, g.Type(), all[i].Name(), all[i].Type())
		case g.Trace() == nil:
			return nil, fmt.Errorf("%s: gradient of %q belongs to no trace: compute it in a step, or use Trace.Read", o.name, all[i].Name())
		}
		tr = g.Trace()
	}
	if tr == nil {
		return nil, fmt.Errorf("%s: no parameter has a gradient: call Backward of the loss before StepBackward, or give StepGrads one that is not nil", o.name)
	}
	return tr, nil
}

// assignment is what a step writes.
type assignment struct{ variable, value *lazy.Tensor }
