package fuse

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/diag"
)

// Check shows that each kernel is right and within its operands, which are of
// the types that it takes them for, and that values are made once, before they
// are read. What it reports is a mistake of a pass.
func (g *Graph) Check() error {
	made := make([]bool, len(g.values))
	there := func(v plan.ValueID) bool { return g.values[g.root(v)].def == nil || made[g.root(v)] }
	for i, n := range g.nodes {
		for _, v := range n.ins() {
			if !there(v) {
				return fmt.Errorf("node %d reads v%d before it is made", i, v)
			}
		}
		for _, v := range n.outs() {
			if made[g.root(v)] != n.onto {
				if n.onto {
					return fmt.Errorf("node %d writes over v%d before it is made", i, v)
				}
				return fmt.Errorf("node %d makes v%d, which has been made before", i, v)
			}
			made[g.root(v)] = true
		}
		if n.kernel == nil {
			continue
		}
		if err := g.checkKernel(n); err != nil {
			return fmt.Errorf("node %d: %w\n%v", i, err, n.kernel)
		}
	}
	for j, v := range g.results {
		if !there(v) {
			return fmt.Errorf("nothing makes result %d, v%d", j, v)
		}
	}
	return nil
}

// checkKernel checks a node's kernel, whose operands, axes and locals need not
// have names of their own yet.
func (g *Graph) checkKernel(n *node) error {
	k := *n.kernel
	if len(n.operands) != len(k.Params) {
		return fmt.Errorf("%s for %s", diag.Count(len(n.operands), "operand"), diag.Count(len(k.Params), "parameter"))
	}
	k.Params, k.Locals, k.Stages = slices.Clone(k.Params), slices.Clone(k.Locals), slices.Clone(k.Stages)
	for i := range k.Params {
		p, t := &k.Params[i], g.values[n.operands[i]].typ
		if p.DType != t.DType || !slices.EqualFunc(p.Dims, t.Shape, func(d kernel.Size, n int) bool { return d == kernel.Size(n) }) {
			return fmt.Errorf("v%d is %v, but parameter %d is of %v with dimensions %v", n.operands[i], t, i, p.DType, p.Dims)
		}
		p.Name = operandName(i, p.Out)
	}
	for i := range k.Locals {
		k.Locals[i].Name = kernel.LocalName(i)
	}
	k.Axes = renamed(k.Axes, kernel.AxisName)
	for s := range k.Stages {
		k.Stages[s].Axes = renamed(k.Stages[s].Axes, kernel.StageAxisName)
	}
	t := k.Typical()
	if k.Sizes == 0 && hasNegative(t) { // 64 - n of 256, say: no run is for such sizes
		return nil
	}
	if err := kernel.Verify(t); err != nil {
		return err
	}
	return kernel.Bounds(t, nil)
}

// hasNegative reports whether an axis of k has less than no elements.
func hasNegative(k *kernel.Kernel) bool {
	negative := func(a kernel.Axis) bool { return a.Size < 0 }
	return slices.ContainsFunc(k.Axes, negative) || slices.ContainsFunc(k.Stages, func(s kernel.Stage) bool { return slices.ContainsFunc(s.Axes, negative) })
}

// renamed returns axes with names by their places.
func renamed(axes []kernel.Axis, name func(int) string) []kernel.Axis {
	axes = slices.Clone(axes)
	for i := range axes {
		axes[i].Name = name(i)
	}
	return axes
}
