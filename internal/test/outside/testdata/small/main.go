// Command small has a backend of its own, which runs two ops on f32.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/lazy"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

func init() {
	backends.Register("small", func(string) (backends.Backend, error) { return small{}, nil })
}

type small struct{ backends.NotImplemented }

func (small) Name() string { return "small" }

func (s small) Compile(ctx context.Context, m backends.Module, o backends.Options) (backends.Executable, error) {
	p, err := backends.Load(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if err := kit.Inline(ctx, p.Module); err != nil { // functions and composites
		return nil, err
	}
	lacking := p.Lacking
	lack := func(op *mlir.Op, reason string) {
		lacking = append(lacking, backends.UnsupportedOp{Op: op.Name(), Pos: op.Pos, Line: p.Line(op.Pos), Reason: reason})
	}
	for _, op := range p.Module.Func("main").Body().Ops {
		switch op.Code {
		case stablehlo.Add, stablehlo.Multiply:
			if t := op.Results[0].Type.(*mlir.TensorType); t.Elem != mlir.F32 {
				lack(op, fmt.Sprintf("elements of %v", t.Elem))
			}
		case mlir.OpReturn:
		case stablehlo.CustomCall:
			lack(op, fmt.Sprintf("it calls %v", op.Attrs.Get("call_target_name")))
		default:
			lack(op, "not an op of this backend")
		}
	}
	if err := backends.Unsupported(s.Name(), p.File, lacking); err != nil {
		return nil, err
	}
	return &program{p}, nil
}

type program struct{ *backends.Program }

func (p *program) Signature() *backends.Signature { return p.Program.Signature }

func (p *program) Bind(context.Context, map[int]soa.View) (backends.Executable, error) {
	return nil, fmt.Errorf("bind: %w", errors.ErrUnsupported)
}

func (p *program) Artifact() ([]byte, error) { return nil, errors.ErrUnsupported }

func (p *program) Execute(ctx context.Context, c *backends.Call) error {
	if err := backends.CheckCall(p.Signature(), c, nil); err != nil {
		return err
	}
	values := map[*mlir.Value]soa.View{}
	main := p.Module.Func("main").Body()
	for i, a := range main.Args {
		values[a] = soa.Make(p.Signature().Args[i].Type)
		if err := soa.Copy(values[a], c.Args[i]); err != nil { // of any strides
			return err
		}
	}
	for _, op := range main.Ops[:len(main.Ops)-1] {
		if ctx.Err() != nil { // before the first write, also in each iteration of a loop
			return context.Cause(ctx)
		}
		x, y := soa.Slice[float32](values[op.Operands[0]]), soa.Slice[float32](values[op.Operands[1]])
		out := soa.Make(values[op.Operands[0]].Type)
		z := soa.Slice[float32](out)
		for i := range z {
			switch op.Code {
			case stablehlo.Add:
				z[i] = x[i] + y[i]
			case stablehlo.Multiply:
				z[i] = x[i] * y[i]
			}
		}
		values[op.Results[0]] = out
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, v := range main.Ops[len(main.Ops)-1].Operands { // nothing fails from here on
		r := p.Signature().Results[i]
		switch {
		case !c.Results[i].IsZero(): // the caller's memory
		case r.Alias >= 0:
			c.Results[i] = c.Args[r.Alias] // donated: written over
		default:
			c.Results[i] = c.Make(r.Type)
		}
		if err := soa.Copy(c.Results[i], values[v]); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	dev, err := lazy.Open("small")
	if err != nil {
		log.Fatal(err)
	}
	tr := lazy.NewTrace(dev)
	w := lazy.SetValues(dev.Variable("w", lazy.F32, 2), []float32{1, 2})
	w.Add_(lazy.From(tr, []float32{10, 20}))
	y := tr.Read(w).Mul(w)
	fmt.Println(tr.MarkStep(y))
	fmt.Println(lazy.ToSlice[float32](w))
	fmt.Println(lazy.ToSlice[float32](y))
	fmt.Println(tr.MarkStep(y.Exp()))
}
