package lazy

import (
	"fmt"

	"ltc/internal/callsite"
	"ltc/ir"
)

// If records both functions and returns the results of then where the scalar pred holds,
// and those of els elsewhere. When the step runs, only one of the two is computed.
//
// The functions are called once, now. Each returns at least one tensor, and both as many, of
// the same types. They may use any tensor of tr, variables and values. They may not assign
// variables or write what they have not recorded: see docs/controlflow.md. Gradients go
// through both. The tensors returned are poisoned when something is wrong.
func If(pred *Tensor, then, els func(tr *Trace) []*Tensor) []*Tensor {
	const op = "if"
	tr, bad := controlTrace(op, pred)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	if pred.DType() != Bool || pred.Rank() != 0 {
		return failed(tr.poisoned(opError(site, op, ErrType, []*Tensor{pred}, "pred must be a bool scalar; compare, and reduce with Max or Min")), 1)
	}
	return tr.branches(op, site, pred, []string{"the first function", "the second function"}, []func(*Trace) []*Tensor{then, els})
}

// Case records all branches and returns the results of the one that the integer scalar index
// chooses: of the last when there is none at index, as below 0. Otherwise it is like [If].
func Case(index *Tensor, branches ...func(tr *Trace) []*Tensor) []*Tensor {
	const op = "case"
	tr, bad := controlTrace(op, index)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	if !index.DType().IsInteger() || index.Rank() != 0 {
		return failed(tr.poisoned(opError(site, op, ErrType, []*Tensor{index}, "index must be an integer scalar")), 1)
	}
	if len(branches) == 0 {
		return failed(tr.poisoned(opError(site, op, ErrUsage, []*Tensor{index}, "there are no branches: give it one or more")), 1)
	}
	names := make([]string, len(branches))
	for i := range names {
		names[i] = fmt.Sprintf("branch %d", i)
	}
	return tr.branches(op, site, narrowIndex(index, len(branches)), names, branches)
}

// narrowIndex returns index as i32: numbers that are none of n branches stay none.
func narrowIndex(index *Tensor, n int) *Tensor {
	if index.DType() == I32 {
		return index
	}
	known := index.Less(index.like(float64(min(n, 127))))
	if index.DType().IsSigned() {
		known = known.And(index.GreaterEqual(index.like(0)))
	}
	if n > 127 { // such an index is exact in i64
		wide := index.Convert(I64)
		known = wide.Less(wide.like(float64(n))).And(wide.GreaterEqual(wide.like(0)))
	}
	return known.WhereScalar(index.Convert(I32), float64(n-1))
}

// branches records the functions as the bodies of a Case.
func (tr *Trace) branches(op string, site callsite.Site, index *Tensor, names []string, fs []func(*Trace) []*Tensor) []*Tensor {
	regions, ys := make([]*region, len(fs)), make([][]*Tensor, len(fs))
	for i, f := range fs {
		r := tr.newRegion(op, names[i], site)
		var err *OpError
		if f == nil {
			err = opError(site, op, ErrUsage, nil, "%s is nil", r.what)
		} else {
			ys[i], err = tr.recordRegion(r, func() []*Tensor { return f(tr) })
		}
		switch {
		case err != nil:
		case len(ys[i]) == 0:
			err = opError(site, op, ErrUsage, nil, "%s returns no tensor, must return one or more", r.what)
		case i > 0:
			err = sameResults(regions[0], r, ys[0], ys[i])
		}
		if err != nil {
			return failed(tr.poisoned(err), max(len(ys[0]), len(ys[i])))
		}
		regions[i] = r
	}
	return tr.control(ir.OpCase, op, site, []*Tensor{index}, nil, len(ys[0]), regions...)
}

// control records a node of control flow: on the operands given, and what the regions take from
// outside.
func (tr *Trace) control(code ir.Op, op string, site callsite.Site, given []*Tensor, attrs []ir.Attr, results int, regions ...*region) []*Tensor {
	ys := make([]*Tensor, results)
	if !tr.enter() {
		putAll(ys, tr.poisoned(tr.crowded(op, given...)))
		return ys
	}
	defer tr.leave()
	body, captured := graphs(regions...)
	if code == ir.OpComposite {
		body.Name = ir.Checkpoint
	}
	in := make([]*ir.Node, len(given), len(given)+len(captured))
	for i, x := range given {
		if in[i] = tr.operand(x); in[i] == nil {
			putAll(ys, tr.refuse(op, given...))
			return ys
		}
	}
	in = append(in, captured...)
	defer tr.at(site)()
	tr.b.SetLoc(site)
	tr.tally.Alone(int(code))
	n, err := tr.b.Node(code, in, attrs, body)
	tr.results(ys, n, err)
	return ys
}

// controlTrace returns the trace that a call of control flow belongs to, or the poisoned
// result of one without.
func controlTrace(op string, xs ...*Tensor) (tr *Trace, bad *Tensor) {
	if bad = firstBad(op, xs...); bad != nil {
		return nil, bad
	}
	if tr = traceOf(xs...); tr == nil {
		if len(xs) == 0 {
			return nil, &Tensor{err: opError(callsite.Caller(), op, ErrUsage, nil, "it is given no tensor, and belongs to no trace: give it one or more tensors of the trace")}
		}
		return nil, noTrace(op, xs...)
	}
	return tr, nil
}

// failed returns the results of a call that is not allowed: as many as are known of, and at
// least one.
func failed(bad *Tensor, n int) []*Tensor {
	ys := make([]*Tensor, max(n, 1))
	putAll(ys, bad)
	return ys
}
