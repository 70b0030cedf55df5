package optim

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/optim/internal/state"
)

// LBFGSConfig is the config of [NewLBFGS].
type LBFGSConfig struct {
	LR              float64 // length of a step, or the first that the line search tries; 0: 1
	Iterations      int     // most of a Step; 0: 20
	Evaluations     int     // most of a Step; 0: 5/4 of Iterations
	ToleranceGrad   float64 // largest |g| to end at; 0: 1e-7
	ToleranceChange float64 // change of the loss or of a parameter to end at; 0: 1e-9
	History         int     // updates that are remembered; 0: 100
	LineSearch      bool    // find a length by the strong conditions of Wolfe
	Maximize        bool    // ascend
}

// LBFGS is torch.optim.LBFGS: steps along the gradient times an estimate of the inverse
// Hessian. It suits smooth losses of a whole data set. It keeps 2·History copies of the
// parameters.
//
// An LBFGS belongs to one goroutine at a time.
type LBFGS struct {
	config      LBFGSConfig
	params      []*lazy.Tensor
	n           int // elements of all parameters
	dtype       types.DType
	lr          *lazy.Tensor // the length of a move
	state       lbfgsState
	starts      []*lazy.Tensor // the parameters before a move
	evaluations int
	err         error
}

// lbfgsState are the variables of an LBFGS. The vectors are of all parameters.
type lbfgsState struct {
	direction, grad   *lazy.Tensor // of the latest iteration
	length            *lazy.Tensor // of the latest move
	steps, changes    *lazy.Tensor // [History, n]: moves, and how they changed the gradient
	inverse           *lazy.Tensor // [History]: 1 / (change · step)
	scale             *lazy.Tensor // of the first estimate of the inverse Hessian
	next, count, done *lazy.Tensor // row to write, rows written, iterations
}

// NewLBFGS returns an LBFGS of params, floating-point variables of dev, each once.
func NewLBFGS(dev *lazy.Device, params []*lazy.Tensor, c LBFGSConfig) *LBFGS {
	fill(&c.LR, 0, 1)
	fill(&c.ToleranceGrad, 0, 1e-7)
	fill(&c.ToleranceChange, 0, 1e-9)
	c.Iterations = cmp.Or(c.Iterations, 20)
	c.Evaluations = cmp.Or(c.Evaluations, c.Iterations*5/4)
	c.History = cmp.Or(c.History, 100)
	check := &Optimizer{name: "lbfgs", dev: dev}
	o := &LBFGS{config: c, params: slices.Clone(params), dtype: types.F32}
	if o.err = errors.Join(c.check(), check.checkParams([]Group{{Params: params}})); o.err != nil {
		return o
	}
	for _, w := range params {
		o.n += w.Shape().Elements()
		if w.DType() == types.F64 {
			o.dtype = types.F64
		}
		o.starts = append(o.starts, dev.Variable(w.Name()+".start", w.DType(), w.Shape()...))
	}
	o.lr = lazy.NewScalar(dev, "length", o.dtype, 0)
	number := func(name string) *lazy.Tensor { return dev.Variable("lbfgs."+name, types.I32) }
	vector := func(name string, shape ...int) *lazy.Tensor {
		return dev.Variable("lbfgs."+name, o.dtype, shape...)
	}
	o.state = lbfgsState{
		direction: vector("direction", o.n), grad: vector("grad", o.n), length: vector("length"),
		steps: vector("steps", c.History, o.n), changes: vector("changes", c.History, o.n), inverse: vector("inverse", c.History),
		scale: vector("scale").Init(lazy.Constant(1)), next: number("next"), count: number("count"), done: number("iterations"),
	}
	return o
}

// maxHistory bounds History.
const maxHistory = 1 << 16

func (c LBFGSConfig) check() error {
	for name, n := range map[string]int{"Iterations": c.Iterations, "Evaluations": c.Evaluations, "History": c.History} {
		if n < 1 {
			return fmt.Errorf("lbfgs: %s %d is below 1", name, n)
		}
	}
	if c.History > maxHistory {
		return fmt.Errorf("lbfgs: History %d is above %d: each update that is remembered has the size of the parameters twice, 100 is usual", c.History, maxHistory)
	}
	err := errors.Join(rate(c.LR), notNegative("ToleranceGrad", c.ToleranceGrad), notNegative("ToleranceChange", c.ToleranceChange))
	if err != nil {
		return fmt.Errorf("lbfgs: %w", err)
	}
	return nil
}

// Params returns the parameters.
func (o *LBFGS) Params() []*lazy.Tensor { return slices.Clone(o.params) }

// LR returns the length of a step.
func (o *LBFGS) LR() float64 { return o.config.LR }

// SetLR changes the length of a step. A bad one is the error of every Step until a good
// one is set.
func (o *LBFGS) SetLR(lr float64) { o.config.LR = lr }

// Evaluations returns how often the loss has been computed.
func (o *LBFGS) Evaluations() int { return o.evaluations }

// State returns all variables but the parameters.
func (o *LBFGS) State() []*lazy.Tensor {
	if o.err != nil {
		return nil
	}
	s := o.state
	return []*lazy.Tensor{s.direction, s.grad, s.length, s.steps, s.changes, s.inverse, s.scale, s.next, s.count, s.done}
}

// LoadState assigns the state as [Optimizer.LoadState] does.
func (o *LBFGS) LoadState(tr *lazy.Trace, tensors map[string]*lazy.Tensor) error {
	if o.err != nil {
		return o.err
	}
	return state.Load("lbfgs", tr, o.State(), tensors)
}

// point is the loss at the present parameters.
type point struct {
	loss  float64
	grad  *lazy.Tensor // of all parameters
	along float64      // the gradient times the direction
	most  float64      // the largest |g|
	sum   float64      // the sum of |g|
}

// Step improves the parameters until they change little, or as often as the config allows.
// It marks steps of the trace tr, in which closure records the loss, a scalar, from the
// parameters as they are. It returns the loss before, and waits for each evaluation. If the loss
// or a gradient is not finite where an iteration ends, the error names the evaluation, and the
// parameters are those of the iteration before.
func (o *LBFGS) Step(tr *lazy.Trace, closure func() *lazy.Tensor) (loss float64, err error) {
	switch {
	case o.err != nil:
		return 0, o.err
	case rate(o.config.LR) != nil:
		return 0, fmt.Errorf("lbfgs: %w", rate(o.config.LR))
	case tr == nil || closure == nil:
		return 0, errors.New("lbfgs: Step needs the trace of the loss and a function that records it")
	}
	c := o.config
	done, err := o.state.done.Item()
	if err != nil {
		return 0, err
	}
	first := done == 0
	p, err := o.evaluate(tr, closure)
	if err != nil {
		return 0, err
	}
	if err := o.finite(p); err != nil {
		return 0, err
	}
	loss = p.loss
	if c.Maximize {
		loss = -loss
	}
	evaluations := 1
	for i := range c.Iterations {
		if p.most <= c.ToleranceGrad || i > 0 && evaluations >= c.Evaluations {
			break
		}
		largest, err := o.direction(tr, &p)
		if err != nil {
			return 0, err
		}
		if math.IsNaN(p.along) || math.IsNaN(largest) || math.IsInf(largest, 0) {
			return 0, fmt.Errorf("lbfgs: the direction after evaluation %d is not finite: scale the loss", o.evaluations)
		}
		length := c.LR
		if first {
			length = min(1, 1/p.sum) * c.LR
			first = false
		}
		if p.along > -c.ToleranceChange {
			break
		}
		before := p.loss
		if c.LineSearch {
			at := func(length float64) (point, error) {
				if err := o.move(tr, length); err != nil {
					return point{}, err
				}
				return o.evaluate(tr, closure)
			}
			var tried int
			if p, length, tried, err = strongWolfe(at, length, largest, p, c.ToleranceChange, c.Evaluations-evaluations); err != nil {
				return 0, err
			}
			evaluations += tried
			if err := o.finite(p); err != nil {
				return 0, errors.Join(err, o.restore(tr))
			}
		}
		if err := o.move(tr, length); err != nil {
			return 0, err
		}
		if !c.LineSearch && i+1 < c.Iterations {
			if p, err = o.evaluate(tr, closure); err != nil {
				return 0, err
			}
			evaluations++
			if err := o.finite(p); err != nil {
				return 0, errors.Join(err, o.restore(tr))
			}
		}
		if largest*math.Abs(length) <= c.ToleranceChange || math.Abs(p.loss-before) < c.ToleranceChange {
			break
		}
	}
	return loss, nil
}

// finite reports that the loss or the gradient of the latest evaluation is not finite.
func (o *LBFGS) finite(p point) error {
	for _, x := range []float64{p.loss, p.most, p.sum} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("lbfgs: evaluation %d: the loss is %v, the largest element of the gradient is %v: want finite ones; a smaller LR or LineSearch may help", o.evaluations, p.loss, p.most)
		}
	}
	return nil
}

// restore sets the parameters to where the iteration started, as if it had not moved.
func (o *LBFGS) restore(tr *lazy.Trace) error {
	for i, w := range o.params {
		w.Assign(tr.Read(o.starts[i]))
	}
	o.state.length.Assign(lazy.Zeros(tr, o.dtype))
	return tr.MarkStep()
}

// evaluate computes the loss at the present parameters.
func (o *LBFGS) evaluate(tr *lazy.Trace, closure func() *lazy.Tensor) (p point, err error) {
	loss := closure()
	if loss == nil {
		return p, errors.New("lbfgs: the loss is nil")
	}
	if o.config.Maximize {
		loss = loss.Neg()
	}
	var parts []*lazy.Tensor
	for i, g := range lazy.GradOrNil(loss, o.params...) {
		if g == nil {
			g = lazy.Zeros(tr, o.dtype, o.params[i].Shape()...)
		}
		if g.Err() != nil {
			return p, g.Err()
		}
		parts = append(parts, g.AsType(o.dtype).Reshape(-1))
	}
	p.grad = lazy.Concatenate(0, parts...)
	size := p.grad.Abs()
	numbers := lazy.Stack(0, loss.AsType(o.dtype), p.grad.Mul(o.state.direction).Sum(), size.Max(), size.Sum())
	if err := tr.MarkStep(p.grad, numbers); err != nil {
		return p, err
	}
	found, err := values(numbers)
	if err != nil {
		return p, err
	}
	o.evaluations++
	p.loss, p.along, p.most, p.sum = found[0], found[1], found[2], found[3]
	return p, nil
}

// values returns the elements of an f32 or f64 vector.
func values(x *lazy.Tensor) ([]float64, error) {
	if x.DType() == types.F64 {
		return lazy.ToSlice[float64](x)
	}
	narrow, err := lazy.ToSlice[float32](x)
	all := make([]float64, len(narrow))
	for i, v := range narrow {
		all[i] = float64(v)
	}
	return all, err
}

// direction remembers the latest move, computes the direction to move along from p, and
// sets p.along. It returns the direction's largest element.
func (o *LBFGS) direction(tr *lazy.Trace, p *point) (largest float64, err error) {
	s, n, m := o.state, o.n, o.config.History
	grad := tr.Read(p.grad)
	step, change := tr.Read(s.direction).Mul(s.length), grad.Sub(s.grad)
	product := change.Mul(step).Sum()
	next, count := tr.Read(s.next), tr.Read(s.count)
	zero := lazy.Const(tr, types.I32, 0)

	// A move along which the gradient did not grow is written over the row's old value.
	kept := product.GreaterScalar(1e-10)
	row := func(x, at *lazy.Tensor) *lazy.Tensor { return x.DynamicSlice([]int{1, n}, at, zero).Reshape(n) }
	number := func(x, at *lazy.Tensor) *lazy.Tensor { return x.DynamicSlice([]int{1}, at).Reshape() }
	write := func(x, y *lazy.Tensor) *lazy.Tensor {
		old := tr.Read(x)
		return old.DynamicUpdateSlice(kept.Where(y, row(old, next)).Reshape(1, n), next, zero)
	}
	steps, changes := write(s.steps, step), write(s.changes, change)
	inverse := tr.Read(s.inverse)
	inverse = inverse.DynamicUpdateSlice(kept.Where(product.Reciprocal(), number(inverse, next)).Reshape(1), next)
	scale := kept.Where(product.Div(change.Mul(change).Sum()), tr.Read(s.scale))
	next = kept.Where(next.AddScalar(1).RemScalar(float64(m)), next)
	count = kept.Where(count.AddScalar(1).MinimumScalar(float64(m)), count)

	// The rows from the latest to the first, and back.
	loop := lazy.For(count, func(tr *lazy.Trace, i *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		q, factors := state[0], state[1]
		at := next.Sub(i).AddScalar(float64(m - 1)).RemScalar(float64(m))
		factor := row(steps, at).Mul(q).Sum().Mul(number(inverse, at))
		return []*lazy.Tensor{q.Sub(row(changes, at).Mul(factor)), factors.DynamicUpdateSlice(factor.Reshape(1), at)}
	}, grad.Neg(), lazy.Zeros(tr, o.dtype, m))
	factors := loop[1]
	loop = lazy.For(count, func(tr *lazy.Trace, i *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		r := state[0]
		at := next.Sub(count).Add(i).AddScalar(float64(m)).RemScalar(float64(m))
		factor := row(changes, at).Mul(r).Sum().Mul(number(inverse, at))
		return []*lazy.Tensor{r.Add(row(steps, at).Mul(number(factors, at).Sub(factor)))}
	}, loop[0].Mul(scale))
	d := loop[0]

	numbers := lazy.Stack(0, grad.Mul(d).Sum(), d.Abs().Max())
	if numbers.Err() != nil {
		return 0, numbers.Err()
	}
	for _, a := range []assignment{{s.direction, d}, {s.grad, grad}, {s.steps, steps}, {s.changes, changes}, {s.inverse, inverse},
		{s.scale, scale}, {s.next, next}, {s.count, count}, {s.done, tr.Read(s.done).AddScalar(1)}} {
		a.variable.Assign(a.value)
	}
	for i, w := range o.params {
		o.starts[i].Assign(tr.Read(w))
	}
	if err := tr.MarkStep(numbers); err != nil {
		return 0, err
	}
	found, err := values(numbers)
	if err != nil {
		return 0, err
	}
	p.along = found[0]
	return found[1], nil
}

// move sets the parameters to where the iteration started plus length times the direction.
func (o *LBFGS) move(tr *lazy.Trace, length float64) error {
	if err := o.lr.Set(length); err != nil {
		return fmt.Errorf("lbfgs: length %v: %w", length, err)
	}
	t := tr.Read(o.lr)
	by := tr.Read(o.state.direction).Mul(t)
	at := 0
	for i, w := range o.params {
		n := w.Shape().Elements()
		part := by.Narrow(0, at, n).Reshape(w.Shape()...)
		w.Assign(tr.Read(o.starts[i]).AsType(o.dtype).Add(part).AsType(w.DType()))
		at += n
	}
	o.state.length.Assign(t.MulScalar(1))
	return tr.MarkStep()
}
