package kit

import (
	"fmt"
	"slices"

	"ltc/backends/kit/kernel"
)

// check shows that each kernel is right and within its operands, which are of
// the types that it takes them for, and that values are made once, before they
// are read. What it reports is a mistake of a pass.
func (g *graph) check() error {
	made := make([]bool, len(g.values))
	there := func(v ValueID) bool { return g.values[g.root(v)].def == nil || made[g.root(v)] }
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
func (g *graph) checkKernel(n *node) error {
	k := *n.kernel
	if len(n.operands) != len(k.Params) {
		return fmt.Errorf("%d operands for %d parameters", len(n.operands), len(k.Params))
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
		k.Locals[i].Name = localName(i)
	}
	k.Axes = renamed(k.Axes, axisName)
	for s := range k.Stages {
		k.Stages[s].Axes = renamed(k.Stages[s].Axes, stageAxisName)
	}
	if err := kernel.Verify(&k); err != nil {
		return err
	}
	return kernel.Bounds(&k, nil)
}

// renamed returns axes with names by their places.
func renamed(axes []kernel.Axis, name func(int) string) []kernel.Axis {
	axes = slices.Clone(axes)
	for i := range axes {
		axes[i].Name = name(i)
	}
	return axes
}

// check shows that every step stays within the memory of the values that it
// works on. What it reports is a mistake of this package: it is what stands
// between such a mistake and a fault in generated code.
func (p *Program) check() error {
	for i := range p.Steps {
		s := p.Steps[i].Launch()
		if s == nil {
			continue
		}
		k := p.Kernels[s.Kernel]
		if err := kernel.Verify(k); err != nil {
			return fmt.Errorf("kit: step %d: %w", i, err)
		}
		if err := kernel.Bounds(k, s.Sizes); err != nil {
			return fmt.Errorf("kit: step %d: %w", i, err)
		}
		if slices.ContainsFunc(k.Axes, func(a kernel.Axis) bool { return a.Size.Of(s.Sizes) == 0 }) {
			continue // it has no points
		}
		for j, strides := range k.StrideTable(nil, p.denseStrides(s)) {
			o := s.Operands[j]
			at := linear{o.Offset, o.By}.of(p.dense(o.Value))
			lo, hi, empty := at, at, false
			for d, n := range k.Params[j].Dims {
				if k.Params[j].Strides[d] == kernel.TableStride {
					continue // no element of a dense value is in the place of another
				}
				span := (n.Of(s.Sizes) - 1) * strides[d]
				lo, hi, empty = lo+min(span, 0), hi+max(span, 0), empty || n.Of(s.Sizes) == 0
			}
			if have := int64(p.elements(o.Value)); !empty && (lo < 0 || hi >= have) {
				return fmt.Errorf("kit: step %d: operand %d reaches from element %d to %d of %d\n%v", i, j, lo, hi, have, k)
			}
		}
	}
	return nil
}

// denseStrides returns the run-time strides of a launch, those that depend on how
// a value lies as if it were dense: what stays within it then has indices within
// its dimensions, wherever they lead to.
func (p *Program) denseStrides(s *Launch) []int64 {
	if len(s.Moving) == 0 {
		return s.Strides
	}
	strides := slices.Clone(s.Strides)
	for _, m := range s.Moving {
		strides[m.At] = linear{strides[m.At], m.By}.of(p.dense(s.Operands[m.Operand].Value))
	}
	return strides
}

// dense returns the strides of a value that is dense.
func (p *Program) dense(v ValueID) []int64 {
	return rowMajor(p.shape(v))
}

// elements returns how many elements the memory of a value holds.
func (p *Program) elements(v ValueID) int {
	if d := p.Values[v].Data; d != nil {
		return len(d) / p.Values[v].Type.DType.Size()
	}
	return p.Values[v].Type.Shape.Elements()
}
