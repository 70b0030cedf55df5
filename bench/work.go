package main

import (
	"context"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/mlir"
	"ltc/stablehlo"
)

// work is what a call of a program takes at least: operations on floats, which its kernels
// count, and bytes of arguments and results.
type work struct{ flops, bytes float64 }

// work counts what a call takes. Loops are known by their runs alone, so the program runs
// once more with its steps measured.
func (c *firstRun) work(e *env) (w work, err error) {
	if w.bytes, err = traffic(c.text); err != nil {
		return work{}, err
	}
	exe, err := c.compile(e, true)
	if err != nil {
		return work{}, err
	}
	p, ok := exe.(backends.Profiler)
	if !ok {
		return w, nil
	}
	if err := exe.Execute(context.Background(), &c.call); err != nil {
		return work{}, err
	}
	for _, s := range p.Profile() {
		if !s.Nested {
			w.flops += s.Flops * float64(s.Runs)
		}
	}
	return w, nil
}

// traffic counts the bytes of each argument once, and of each result. An argument that only
// gathers and slices read counts as what they take of it, if that is less.
func traffic(text string) (float64, error) {
	ctx := context.Background()
	p, err := backends.Load(ctx, backends.NewModule(text), backends.Options{})
	if err != nil {
		return 0, err
	}
	if err := kit.Inline(ctx, p.Module); err != nil {
		return 0, err
	}
	body := p.Module.Func("main").Body()
	taken, whole := map[*mlir.Value]float64{}, map[*mlir.Value]bool{}
	n := 0.0
	for _, op := range body.Ops {
		readBy(op, taken, whole)
		if op.Code == mlir.OpReturn {
			for _, v := range op.Operands {
				n += size(v)
			}
		}
	}
	for _, a := range body.Args {
		if whole[a] {
			n += size(a)
		} else {
			n += min(taken[a], size(a))
		}
	}
	return n, nil
}

// readBy notes which values an op and its regions read whole, and how many bytes they take
// of others.
func readBy(op *mlir.Op, taken map[*mlir.Value]float64, whole map[*mlir.Value]bool) {
	for i, v := range op.Operands {
		switch op.Code {
		case stablehlo.Gather, stablehlo.DynamicSlice, stablehlo.Slice:
			if i == 0 {
				taken[v] += size(op.Results[0])
				continue
			}
		}
		whole[v] = true
	}
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			for _, inner := range b.Ops {
				readBy(inner, taken, whole)
			}
		}
	}
}

// size is the number of bytes of a value; 0 if that is not known.
func size(v *mlir.Value) float64 {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok {
		return 0
	}
	n := float64(mlir.ElementBytes(t.Elem))
	for _, d := range t.Shape {
		n *= float64(max(d, 0))
	}
	return n
}
