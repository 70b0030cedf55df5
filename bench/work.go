package main

import (
	"context"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/mlir"
	"ltc/stablehlo"
)

// work is what a call of a program takes at least: operations on floats, which its kernels
// count, and bytes of arguments that it reads and of results that it writes.
type work struct{ flops, read, written float64 }

// work counts what a call takes. Loops are known by their runs alone, so the program runs
// once more with its steps measured.
func (c *firstRun) work(e *env) (w work, err error) {
	if w.read, w.written, err = traffic(c.text); err != nil {
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

// traffic counts the bytes of each argument once, and those of each result. An argument that
// only gathers and slices read counts as what they take of it, if that is less. A donated
// argument that is updated in place counts as written where the update is.
func traffic(text string) (read, written float64, err error) {
	ctx := context.Background()
	p, err := backends.Load(ctx, backends.NewModule(text), backends.Options{})
	if err != nil {
		return 0, 0, err
	}
	if err := kit.Inline(ctx, p.Module); err != nil {
		return 0, 0, err
	}
	body := p.Module.Func("main").Body()
	u := uses{taken: map[*mlir.Value]float64{}, whole: map[*mlir.Value]bool{}, place: placesOf(body, p.Signature), written: map[*mlir.Value]float64{}}
	for _, op := range body.Ops {
		if op.Code == mlir.OpReturn {
			for _, v := range op.Operands {
				if arg := u.place[v]; arg != nil {
					written += u.written[arg]
				} else {
					written += size(v)
				}
			}
			continue
		}
		u.add(op)
	}
	for _, a := range body.Args {
		if u.whole[a] {
			read += size(a)
		} else {
			read += min(u.taken[a], size(a))
		}
	}
	return read, written, nil
}

// placesOf returns the donated argument whose memory holds a value that a
// dynamic_update_slice or a scatter makes of it, for values on the way to the result that the
// argument is donated to.
func placesOf(body *mlir.Block, sig *backends.Signature) map[*mlir.Value]*mlir.Value {
	made := map[*mlir.Value]*mlir.Op{}
	place := map[*mlir.Value]*mlir.Value{}
	for _, op := range body.Ops {
		for _, v := range op.Results {
			made[v] = op
		}
		if op.Code != mlir.OpReturn {
			continue
		}
		for i, a := range sig.Args {
			if a.Alias < 0 {
				continue
			}
			var way []*mlir.Value
			v := op.Operands[a.Alias]
			for made[v] != nil && updates(made[v]) != nil {
				way = append(way, v)
				v = made[v].Operands[0]
			}
			if v == body.Args[i] {
				for _, w := range way {
					place[w] = v
				}
			}
		}
	}
	return place
}

// updates returns the operand with what an op writes into its first one; nil if it is no such
// op.
func updates(op *mlir.Op) *mlir.Value {
	switch {
	case op.Code == stablehlo.DynamicUpdateSlice:
		return op.Operands[1]
	case op.Code == stablehlo.Scatter && len(op.Results) == 1:
		return op.Operands[2]
	}
	return nil
}

// uses is what a program does with values.
type uses struct {
	taken   map[*mlir.Value]float64     // bytes that gathers and slices take
	whole   map[*mlir.Value]bool        // read whole
	place   map[*mlir.Value]*mlir.Value // donated arguments, see placesOf
	written map[*mlir.Value]float64     // bytes written into a donated argument
}

// add notes what an op and its regions do.
func (u *uses) add(op *mlir.Op) {
	for i, v := range op.Operands {
		arg := u.place[v]
		if arg != nil {
			v = arg
		}
		switch op.Code {
		case stablehlo.Gather, stablehlo.DynamicSlice, stablehlo.Slice:
			if i == 0 {
				u.taken[v] += size(op.Results[0])
				continue
			}
		case stablehlo.DynamicUpdateSlice, stablehlo.Scatter:
			if i == 0 && u.place[op.Results[0]] == v {
				u.written[v] += size(updates(op))
				continue
			}
		}
		u.whole[v] = true
	}
	for inner := range op.Inner() {
		u.add(inner)
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
