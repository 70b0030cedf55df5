package lazy

import (
	"slices"

	"ltc/ir"
)

// hook is a function given to OnNode.
type hook struct{ f func(NodeInfo) }

// OnNode has f called after every node that the trace makes, within the op that
// makes it: ops, and those that gradients and broadcasting are made of,
// constants, host data and variables that the step reads for the first time. Ops
// that are asked for again in a step are no new nodes. Functions are called in
// the order of OnNode; f must not record in the trace. remove ends it, at once
// and also from within f; removing twice does nothing.
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

// nodeMade calls the hooks for a node.
func (tr *Trace) nodeMade(n *ir.Node) {
	info := infoOf(n)
	for _, h := range tr.hooks {
		if h.f != nil {
			h.f(info)
		}
	}
}
