package lazy

import (
	"errors"
	"fmt"
	"slices"

	"ltc/internal/callsite"
)

// Keep makes t a root of every MarkStep from now on until Release, as if it
// were given there. It returns t.
func (t *Tensor) Keep() *Tensor {
	if t == nil || t.tr == nil || t.val != nil || t.storage().v != nil {
		return t
	}
	if !t.tr.enter() {
		return t.tr.poisoned(t.tr.crowded("keep", t))
	}
	defer t.tr.leave()
	t.tr.kept.add(t, nil)
	return t
}

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

// written is a tensor of a roster. One with a value that the current step wrote
// becomes a result of the step; should that fail, the tensor is what it was.
type written struct {
	t    *Tensor
	past *value
}

// roster is a list of tensors, each once, in the order in which they came. Any of
// them leaves in constant time: a hole with no tensor stays behind.
type roster struct {
	all []written
	at  map[*Tensor]int
}

// minHoles is how many holes a roster may have before it looks at closing them.
const minHoles = 32

// add adds t, unless it is there.
func (r *roster) add(t *Tensor, past *value) {
	if _, ok := r.at[t]; ok {
		return
	}
	if len(r.all) > 2*len(r.at)+minHoles {
		r.all = slices.DeleteFunc(r.all, func(w written) bool { return w.t == nil })
		for i, w := range r.all {
			r.at[w.t] = i
		}
	}
	if r.at == nil {
		r.at = map[*Tensor]int{}
	}
	r.at[t] = len(r.all)
	r.all = append(r.all, written{t, past})
}

// drop takes t off the list, if it is there.
func (r *roster) drop(t *Tensor) {
	if i, ok := r.at[t]; ok {
		r.all[i] = written{}
		delete(r.at, t)
	}
}

// len returns how many tensors there are.
func (r *roster) len() int { return len(r.at) }

// tensors calls yield with each tensor, and what was noted with it.
func (r *roster) tensors(yield func(*Tensor, *value) bool) {
	for _, w := range r.all {
		if w.t != nil && !yield(w.t, w.past) {
			return
		}
	}
}

// emptied returns a roster of nothing with the memory of r.
func (r roster) emptied() roster {
	clear(r.all)
	clear(r.at)
	return roster{r.all[:0], r.at}
}
