package lazy

import (
	"slices"

	"ltc/ir"
)

// hook is a function given to OnNode.
type hook struct{ f func(NodeInfo) }

// OnNode has f called after every node that the trace makes, within the op that
// makes it. Nodes are ops, those that gradients and broadcasting are made of among
// them, constants, host data, and variables when the step first reads them. An op that
// a step repeats is no new node. Functions are called in the order of OnNode; f must not
// record in the trace. A panic of f goes through the op, and the step fails with an error
// that says so. remove ends it, at once and also from within f; removing twice does
// nothing.
func (tr *Trace) OnNode(f func(NodeInfo)) (remove func()) {
	tr = tr.some()
	h := &hook{f}
	tr.hooks = append(slices.Clip(tr.hooks), h) // those being called are in the old list
	tr.b.OnNode(tr.nodeMade)
	return func() {
		i := slices.Index(tr.hooks, h)
		if i < 0 {
			return
		}
		h.f = nil
		if tr.hooks = slices.Delete(slices.Clone(tr.hooks), i, i+1); len(tr.hooks) == 0 {
			tr.b.OnNode(nil)
		}
	}
}

// nodeMade calls the hooks for a node. If one does not return, the op that made the
// node is cut short, and the step with it: whoever goes on does not lose a write.
func (tr *Trace) nodeMade(n *ir.Node) {
	info, returned := infoOf(n), false
	defer func() {
		if !returned && tr.bad == nil {
			tr.bad = opError(n.Loc, info.Op, ErrUsage, nil, "a function given to OnNode panicked when the op was recorded, which ended the op or write that made it; record the step again")
		}
	}()
	for _, h := range tr.hooks {
		if h.f != nil {
			h.f(info)
		}
	}
	returned = true
}
