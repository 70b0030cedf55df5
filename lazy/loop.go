package lazy

import (
	"fmt"
	"math"

	"ltc/internal/callsite"
	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// While runs body on the state as long as cond, given the state, is true, and returns the last
// state. The state begins as init, at least one tensor; body returns as many, of the same types.
// The condition is a bool scalar.
//
// Both functions are called once, now, with tensors that stand for the state of any iteration. What
// they may use otherwise is as for [If]. There are no gradients through While. A loop that
// does not end ends with the context of MarkStepContext. The tensors returned are poisoned when
// something is wrong.
func While(cond func(tr *Trace, state []*Tensor) *Tensor, body func(tr *Trace, state []*Tensor) []*Tensor, init ...*Tensor) []*Tensor {
	l, bad := newLoop("while", init)
	if bad != nil {
		return failed(bad, len(init))
	}
	if cond == nil || body == nil {
		return l.fail(l.usage("the condition or the body is nil"))
	}
	return l.while(func(state []*Tensor) *Tensor { return cond(l.tr, state) }, func(state []*Tensor) []*Tensor { return body(l.tr, state) })
}

// For runs body n times on the state, and returns the last state. The state begins as init, at
// least one tensor; body returns as many, of the same types. Its i is the number of the iteration, from
// 0: an i32 scalar, or one of n's dtype if n is a tensor.
//
// n is an int, or an integer scalar tensor; below 0 it counts as 0. A size that is open is a tensor
// ([Tensor.Size]), no int. A loop whose n is a tensor is
// the same program for any number, and has no gradients: it is like [While]. Gradients go
// through a loop whose n is an int, as through a [Scan]. What body may use otherwise is as for [If].
// The tensors returned are poisoned when something is wrong.
func For[N int | *Tensor](n N, body func(tr *Trace, i *Tensor, state []*Tensor) []*Tensor, init ...*Tensor) []*Tensor {
	const op = "for"
	bound, counted := any(n).(*Tensor)
	given := init
	if counted {
		given = append([]*Tensor{bound}, init...)
	}
	l, bad := newLoop(op, given)
	if bad != nil {
		return failed(bad, len(init))
	}
	if l.init = init; body == nil {
		return l.fail(l.usage("the body is nil"))
	}
	if len(init) == 0 {
		return l.fail(l.usage("it has no state: give it the tensors that iterations change"))
	}
	if counted {
		if !bound.DType().IsInteger() || bound.Rank() != 0 {
			return l.fail(opError(l.site, op, ErrType, []*Tensor{bound}, "n must be an int or an integer scalar"))
		}
		zero := l.tr.constant(bound.DType(), 0)
		l.init, l.ours = append([]*Tensor{zero}, init...), 1
		last := l.while(func(state []*Tensor) *Tensor { return state[0].Less(bound) }, func(state []*Tensor) []*Tensor {
			next := body(l.tr, state[0], state[1:])
			return append([]*Tensor{state[0].Add(l.tr.constant(bound.DType(), 1))}, next...)
		})
		if len(last) <= len(init) {
			return last
		}
		return last[1:]
	}
	iterations := any(n).(int)
	if dims.IsExpr(iterations) {
		return l.fail(l.usage(fmt.Sprintf("n is %s, the name of a size that is open and no number: write For(y.Size(0), …), with the tensor y and its axis of that size", dims.String(iterations))))
	}
	if iterations > math.MaxInt32 {
		return l.fail(l.usage(fmt.Sprintf("n is %d, more than an i32 holds: give n as an i64 scalar", iterations)))
	}
	carry, _ := l.scan(max(iterations, 0), nil, ScanOptions{}, func(i *Tensor, state, _ []*Tensor) (carry, ys []*Tensor) {
		return body(l.tr, i, state), nil
	})
	return carry
}

// ScanOptions says how [Scan] runs. The zero value is right for most.
type ScanOptions struct {
	// Reverse takes the rows of xs from the last to the first. Rows of ys stand where those
	// of xs did.
	Reverse bool
	// Checkpoint has gradients save the carries of each iteration alone, and compute all else that
	// they need of an iteration again. Without it all of that is saved: faster, with more memory.
	Checkpoint bool
}

// Scan runs f once for each row of xs along their first axis, and returns the last carry and the
// rows that f returns, stacked: as [n, …] for n rows. The carry begins as init, which may be
// empty. f returns as many tensors of the same types as the next carry, and any number of rows.
//
// The xs, at least one, have the same first dimension; f is given rows without it. f is called
// once, now, with tensors that stand for those of any iteration. What it may use otherwise is as for
// [If]. Gradients go through Scan, to init, xs and what f takes from outside. The tensors
// returned are poisoned when something is wrong.
func Scan(f func(tr *Trace, carry, xs []*Tensor) (next, ys []*Tensor), init, xs []*Tensor, o ScanOptions) (carry, ys []*Tensor) {
	return scanRows("scan", f, init, xs, o)
}

// Map runs f once for each row of xs along their first axis, and returns the rows that f returns,
// stacked. It is a [Scan] without a carry.
func Map(f func(tr *Trace, xs []*Tensor) []*Tensor, xs ...*Tensor) []*Tensor {
	var rows func(tr *Trace, carry, xs []*Tensor) (next, ys []*Tensor)
	if f != nil {
		rows = func(tr *Trace, _, xs []*Tensor) (next, ys []*Tensor) { return nil, f(tr, xs) }
	}
	_, ys := scanRows("map", rows, nil, xs, ScanOptions{})
	return ys
}

func scanRows(op string, f func(tr *Trace, carry, xs []*Tensor) (next, ys []*Tensor), init, xs []*Tensor, o ScanOptions) (carry, ys []*Tensor) {
	l, bad := newLoop(op, append(append([]*Tensor{}, init...), xs...))
	if bad != nil {
		return failed(bad, len(init)), failed(bad, 1)
	}
	l.init = init
	var err *OpError
	switch {
	case f == nil:
		err = l.usage("the function is nil")
	case len(xs) == 0:
		err = l.usage("it has no xs, whose rows are its iterations: use For")
	default:
		err = l.unequalRows(xs)
	}
	if err != nil {
		return l.fail(err), l.fail(err)[:1]
	}
	return l.scan(xs[0].OpenDim(0), xs, o, func(_ *Tensor, carry, xs []*Tensor) (next, ys []*Tensor) { return f(l.tr, carry, xs) })
}

// unequalRows returns why xs have not as many rows.
func (l *loop) unequalRows(xs []*Tensor) *OpError {
	for _, x := range xs {
		switch {
		case x.Rank() == 0:
			return opError(l.site, l.op, ErrType, xs, "a scalar, of %v, has no rows", x.madeAt())
		case x.OpenDim(0) != xs[0].OpenDim(0):
			return opError(l.site, l.op, ErrType, xs, "the numbers of rows differ: %d, of %v, and %d, of %v", xs[0].OpenDim(0), xs[0].madeAt(), x.OpenDim(0), x.madeAt())
		case x.OpenDim(0) > math.MaxInt32:
			return opError(l.site, l.op, ErrType, xs, "there are %s, more than an i32 holds", diag.Count(x.OpenDim(0), "row"))
		}
	}
	return nil
}

// loop is a loop that is being recorded.
type loop struct {
	tr      *Trace
	op      string
	site    callsite.Site
	init    []*Tensor
	ours    int // how many of init, the first, are no state of the caller's: the number of the iteration
	streams []*loopStream
}

func newLoop(op string, init []*Tensor) (l *loop, bad *Tensor) {
	tr, bad := controlTrace(op, init...)
	if bad != nil {
		return nil, bad
	}
	return &loop{tr: tr, op: op, site: tr.site(), init: init}, nil
}

func (l *loop) usage(why string) *OpError { return opError(l.site, l.op, ErrUsage, l.init, "%s", why) }

// fail returns the results of a loop that cannot be.
func (l *loop) fail(err *OpError) []*Tensor { return failed(l.tr.poisoned(err), len(l.init)) }

// closure returns one of the loop's.
func (l *loop) closure(what string) *closure {
	c := l.tr.newClosure(l.op, what, l.site)
	c.loop = l
	return c
}

// takes gives c, which is open, parameters for the state.
func (l *loop) takes(c *closure) []*Tensor {
	state := make([]*Tensor, len(l.init))
	for i, x := range l.init {
		state[i] = c.formalParameter(l.tr, x.Type(), x)
	}
	return state
}

// while records a While.
func (l *loop) while(cond func(state []*Tensor) *Tensor, body func(state []*Tensor) []*Tensor) []*Tensor {
	tr, c, b := l.tr, l.closure("the condition"), l.closure("the body")
	_, err := tr.recordClosure(c, func() []*Tensor { return []*Tensor{cond(l.takes(c))} })
	if err == nil {
		if t := c.Results()[0].Type; !t.Equal(types.Of(types.Bool)) {
			err = opError(l.site, l.op, ErrType, l.init, "the condition is %v, of %v, must be a bool scalar: compare, and reduce with Max or Min", t, c.Results()[0].Loc)
		}
	}
	if err == nil {
		_, err = tr.recordClosure(b, func() []*Tensor {
			state := l.takes(b)
			next := body(state)
			return append(next[:len(next):len(next)], l.advanced(b)...)
		})
	}
	if err == nil {
		err = l.changes(b.Results(), len(b.Results())-len(l.streams))
	}
	if err != nil {
		return l.fail(err)
	}
	l.takesStreams(c)
	l.takesStreams(b)
	given := append([]*Tensor{}, l.init...)
	for _, s := range l.streams {
		given = append(given, forkedState(s.from.state(tr, l.op, 4)))
	}
	return tr.control(ir.OpWhile, l.op, l.site, given, nil, len(l.init), c, b)
}

// scan records a Scan.
func (l *loop) scan(iterations int, xs []*Tensor, o ScanOptions, f func(iteration *Tensor, carry, xs []*Tensor) (next, ys []*Tensor)) (carry, ys []*Tensor) {
	tr, c := l.tr, l.closure("the body")
	var next, rows []*Tensor
	var takes []*ir.Node // the parameters of the rows, which come after those of streams
	_, err := tr.recordClosure(c, func() []*Tensor {
		iteration := c.formalParameter(tr, types.Of(types.I32), nil)
		state := l.takes(c)
		given := make([]*Tensor, len(xs))
		for i, x := range xs {
			given[i] = c.formalParameter(tr, types.Type{DType: x.DType(), Shape: x.OpenShape()[1:]}, x)
		}
		takes = c.Split(len(xs))
		next, rows = f(iteration, state, given)
		return append(append(next[:len(next):len(next)], l.advanced(c)...), rows...)
	})
	if err == nil {
		err = l.changes(c.Results(), len(next))
	}
	if err == nil && len(next)+len(rows) == 0 {
		err = l.usage("the body returns no tensor, must return one or more")
	}
	if err != nil {
		return l.fail(err), failed(l.tr.poisoned(err), len(rows))
	}
	l.takesStreams(c)
	c.Take(takes...)
	given := append([]*Tensor{}, l.init...)
	for _, s := range l.streams {
		given = append(given, s.from.state(tr, l.op, 4*s.blocks*iterations))
	}
	carries := len(given)
	all := tr.control(ir.OpScan, l.op, l.site, append(given, xs...), []ir.Attr{
		ir.ScanIterations: {Int: int64(iterations)}, ir.ScanReverse: {Int: int64(flag(o.Reverse))}, ir.ScanCarries: {Int: int64(carries)},
		ir.ScanXs: {Int: int64(len(xs))}, ir.ScanCheckpoint: {Int: int64(flag(o.Checkpoint))},
	}, carries+len(rows), c)
	return all[:len(next):len(next)], all[carries:]
}

// changes returns why the first n results of a body are no next state; nil if they are.
func (l *loop) changes(results []*ir.Node, n int) *OpError {
	if n != len(l.init) {
		return opError(l.site, l.op, ErrType, l.init, "the state has %s, and the body returns %d", diag.Count(len(l.init)-l.ours, "tensor"), n-l.ours)
	}
	for i, x := range l.init {
		if err := x.fault(func() callsite.Site { return l.site }, l.op, i, l.init); err != nil {
			return err // the body has released it
		}
		if y := results[i]; !x.Type().Equal(y.Type) {
			return opError(l.site, l.op, ErrType, l.init, "state %d is %v at first, of %v, and %v after an iteration, of %v%s", i-l.ours, x.Type(), x.madeAt(), y.Type, y.Loc, underAutocast(x.DType(), y.Type.DType))
		}
	}
	return nil
}

// A loop that draws from a stream of random numbers carries the state of the stream: each iteration
// goes on where the one before has ended. Where the number of iterations is known, the stream goes on
// by what all of them draw, as if they were written out. Otherwise they draw from a fork.

// loopStream is a stream that a loop draws from.
type loopStream struct {
	from   *Random
	blocks int                   // that an iteration draws
	state  map[*closure]*ir.Node // at the beginning of the iteration
}

// iteration returns the loop whose iteration is being recorded, the innermost; nil if there is none.
func (tr *Trace) iteration() *loop {
	for i := len(tr.closures) - 1; i >= 0; i-- {
		if l := tr.closures[i].loop; l != nil {
			return l
		}
	}
	return nil
}

// draw returns the state from which the iteration draws.
func (l *loop) draw(tr *Trace, d *draw) *Tensor {
	var s *loopStream
	for _, other := range l.streams {
		if other.from == d.from {
			s = other
		}
	}
	if s == nil {
		s = &loopStream{from: d.from, state: map[*closure]*ir.Node{}}
		l.streams = append(l.streams, s)
	}
	at := s.blocks
	s.blocks += d.blocks
	i := len(tr.closures) - 1
	for tr.closures[i].loop != l {
		i--
	}
	return s.after(tr, tr.closures[i], at)
}

// begins returns the parameter of c that is the stream's state where an iteration begins.
func (s *loopStream) begins(c *closure) *ir.Node {
	n := s.state[c]
	if n == nil {
		loc := c.B.SetLoc(c.Site)
		n = c.B.Parameter(types.Of(types.U64, 2), "", nil)
		c.B.SetLoc(loc)
		s.state[c] = n
	}
	return n
}

// after returns the state some blocks after the beginning of an iteration in c.
func (s *loopStream) after(tr *Trace, c *closure, blocks int) *Tensor {
	state := &Tensor{tr: tr, node: s.begins(c), epoch: c.epoch, dev: tr.dev}
	if blocks == 0 {
		return state
	}
	return state.Add(Iota(tr, types.U64, 0, 2).Mul(tr.constant(types.U64, uint64(blocks))))
}

// advanced returns the states of streams after an iteration, in the body c, which is open.
func (l *loop) advanced(c *closure) []*Tensor {
	all := make([]*Tensor, len(l.streams))
	for i, s := range l.streams {
		all[i] = s.after(l.tr, c, s.blocks)
	}
	return all
}

// takesStreams gives c parameters for the states of streams.
func (l *loop) takesStreams(c *closure) {
	for _, s := range l.streams {
		c.Take(s.begins(c))
	}
}
