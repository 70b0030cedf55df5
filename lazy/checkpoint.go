package lazy

import "ltc/ir"

// Checkpoint returns f(x), and has gradients compute the values within f again, instead of keeping
// them from f to then: less memory for more time. Deep models keep the results of their blocks
// alone if each block is a checkpoint. Results and gradients are those of f(x), bit by bit where the
// backend fuses both alike.
//
// f is called once, now. It may use any tensor of the step, variables and values, and draw random
// numbers, which are the same ones when they are computed again. It may not assign variables or
// write what it has not recorded. The tensor returned is poisoned when something is wrong.
func Checkpoint(x *Tensor, f func(x *Tensor) *Tensor) *Tensor {
	var all func([]*Tensor) []*Tensor
	if f != nil {
		all = func(xs []*Tensor) []*Tensor { return []*Tensor{f(xs[0])} }
	}
	return CheckpointAll([]*Tensor{x}, all)[0]
}

// CheckpointAll is [Checkpoint] for functions of several tensors, or with several results, at
// least one of each.
func CheckpointAll(xs []*Tensor, f func(xs []*Tensor) []*Tensor) []*Tensor {
	const op = "checkpoint"
	tr, bad := controlTrace(op, xs...)
	if bad != nil {
		return failed(bad, 1)
	}
	site := tr.site()
	r := tr.newRegion(op, "the function", site)
	var ys []*Tensor
	var err *OpError
	if f == nil {
		err = opError(site, op, ErrUsage, xs, "%s is nil", r.what)
	} else if ys, err = tr.recordRegion(r, func() []*Tensor { return f(xs) }); err == nil && len(ys) == 0 {
		err = opError(site, op, ErrUsage, xs, "%s returns no tensor, must return one or more", r.what)
	}
	if err != nil {
		return failed(tr.poisoned(err), len(ys))
	}
	return tr.control(ir.OpComposite, op, site, nil, nil, len(ys), r)
}
