package lazy

import (
	"errors"
	"slices"

	"ltc/internal/callsite"
)

// ErrReleased: a tensor was used after [Tensor.Release].
var ErrReleased = errors.New("released tensor")

// Release undoes Keep, and gives up the value of t if it has one, host data or
// a result: from then on using t is an error that says where it was released.
// Steps recorded before still read the value, and so do other tensors that
// share it. Nobody need call it, since what nothing refers to is freed by
// itself; it is for a large value that a variable of the program would keep for
// longer than it is needed. Variables and views are let be.
func (t *Tensor) Release() {
	if t == nil {
		return
	}
	if t.tr != nil {
		t.tr.kept = slices.DeleteFunc(t.tr.kept, func(k *Tensor) bool { return k == t })
	}
	if t.val == nil || t.v != nil || t.isView() {
		return
	}
	if t.tr != nil { // written and read in this step: it is no result of it any more
		t.tr.written = slices.DeleteFunc(t.tr.written, func(w written) bool { return w.t == t })
	}
	var sites callsite.Cache
	at := sites.Caller()
	err := opError(at, "release", ErrReleased, []*Tensor{t}, "the tensor was released here and has no value any more; release it after its last use")
	t.val.unpin()
	t.val, t.node, t.err = nil, nil, err
}
