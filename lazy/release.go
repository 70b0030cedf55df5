package lazy

import (
	"errors"
	"fmt"

	"ltc/internal/callsite"
)

// ErrReleased: a tensor was used after [Tensor.Release].
var ErrReleased = errors.New("released tensor")

// releaseOp is the op of the error that a released tensor holds.
const releaseOp = "release"

// fault returns why t, operand i of op, is poisoned; nil if it is not. A use of
// what was released is a mistake of its own, made at site.
func (t *Tensor) fault(site func() callsite.Site, op string, i int, xs []*Tensor) *OpError {
	s := t.storage()
	switch {
	case t.err != nil && !t.err.releases():
		return t.err
	case s.err != nil && !s.err.releases():
		return s.err
	case s.err == nil:
		return nil
	}
	what := "it"
	switch {
	case s != t:
		what = fmt.Sprintf("what operand %d is a view of", i)
	case len(xs) > 1:
		what = fmt.Sprintf("operand %d", i)
	}
	return opError(site(), op, ErrReleased, xs, "%s was released at %s:%d and has no value any more: release it after its last use", what, s.err.File, s.err.Line)
}

// releases reports whether e is what Release leaves behind.
func (e *OpError) releases() bool { return e.Err == ErrReleased && e.Op == releaseOp }

// Release undoes Keep, and gives up the value of t if it has one, host data or
// a result: from then on using t is an error of the line that does, which says where t
// was released.
// Steps recorded before still read the value, and so do other tensors that
// share it. Nobody need call it, since what nothing refers to is freed by
// itself; it is for a large value that a variable of the program would keep for
// longer than it is needed. Variables and views are let be.
func (t *Tensor) Release() {
	if t == nil {
		return
	}
	// What has a value and no node is the trace's no more: any goroutine may
	// release it.
	if t.tr != nil && (t.val == nil || t.node != nil || t.isView()) {
		if !t.tr.enter() {
			t.tr.crowded("release", t)
			return
		}
		defer t.tr.leave()
		t.tr.kept.drop(t)
		if t.val != nil { // written and read in this step: it is no result of it any more
			t.tr.written.drop(t)
		}
	}
	if t.val == nil || t.v != nil || t.isView() {
		return
	}
	var sites callsite.Cache
	at := sites.Caller()
	err := opError(at, releaseOp, ErrReleased, []*Tensor{t}, "the tensor was released here and has no value any more; release it after its last use")
	v := t.val
	if t.node == nil && t.alias == nil && !t.dev.opByOp {
		v.giveBack(t.dev.memory.Pool)
	}
	t.val, t.node, t.err = nil, nil, err
	v.unpin()
}
