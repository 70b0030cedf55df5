package fuse

import (
	"context"
	"slices"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/soa"
)

// Reverse puts the nodes in an order that is wrong.
func (g *Graph) Reverse() { slices.Reverse(g.nodes) }

// Instrs returns a function that counts the instructions of the kernels that the nodes of g
// have then, those that are no longer in g, too.
func (g *Graph) Instrs() func() int {
	nodes := slices.Clone(g.nodes)
	return func() (all int) {
		for _, n := range nodes {
			if n.kernel != nil {
				all += len(n.kernel.Instrs)
			}
		}
		return all
	}
}

// Splits reports whether hoist splits a stage of a kernel.
func Splits(k *kernel.Kernel, stage int) bool { return newStageSplit(k, stage) != nil }

// Orders returns the constraints on the order of passes.
func Orders() [][3]string {
	var all [][3]string
	for _, o := range orders {
		all = append(all, [3]string{o.before, o.after, o.why})
	}
	return all
}

// Evaluate returns the results of a graph: kernels run by the kernels'
// evaluator, and ops that are none by eval.
func (g *Graph) Evaluate(ctx context.Context, eval backends.Backend, scalars kernel.Scalars, args []soa.View) ([]soa.View, error) {
	mem := make([]soa.View, len(g.values)) // by root
	for i, v := range g.args {
		mem[v] = args[i]
	}
	at := func(v plan.ValueID) soa.View {
		r := g.root(v)
		if val := &g.values[r]; mem[r].IsZero() {
			mem[r] = soa.Make(val.typ)
			bytes := unsafe.Slice((*byte)(mem[r].Base()), val.typ.Bytes())
			if val.splat != nil {
				for size := val.typ.DType.Size(); len(bytes) > 0; bytes = bytes[size:] {
					kernel.StoreBits(bytes, size, *val.splat)
				}
			}
			copy(bytes, val.data)
		}
		return soa.At(mem[r].Base(), g.values[v].typ)
	}
	for _, n := range g.nodes {
		if n.kernel == nil {
			text, err := n.step.(interface{ Text() (string, error) }).Text()
			if err != nil {
				return nil, err
			}
			e, err := eval.Compile(ctx, backends.NewModule(text), backends.Options{})
			if err != nil {
				return nil, err
			}
			c := &backends.Call{}
			for _, v := range n.reads {
				c.Args = append(c.Args, at(v))
			}
			for _, v := range n.writes {
				c.Results = append(c.Results, at(v))
			}
			if err := e.Execute(ctx, c); err != nil {
				return nil, err
			}
			continue
		}
		var ptrs []unsafe.Pointer
		var strides []int64
		for i, v := range n.operands {
			operand := at(v)
			ptrs = append(ptrs, operand.Base())
			strides = append(strides, denseStrides(n.kernel.Params[i].Dims)...)
		}
		if err := kernel.Evaluate(n.kernel, nil, ptrs, strides, scalars); err != nil {
			return nil, err
		}
	}
	var results []soa.View
	for _, v := range g.results {
		results = append(results, at(v))
	}
	return results, nil
}

// denseStrides returns the strides, in elements, of a dense operand.
func denseStrides(dims []kernel.Size) []int64 {
	strides := make([]int64, len(dims))
	n := int64(1)
	for d, s := range slices.Backward(dims) {
		strides[d] = n
		n *= int64(s)
	}
	return strides
}
