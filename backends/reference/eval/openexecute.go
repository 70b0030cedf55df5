package eval

import (
	"context"
	"fmt"
	"slices"

	"ltc/backends"
	"ltc/backends/reference/internal/dense"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/sharing"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// openExecutable is a program whose main function leaves sizes open: those of
// the arguments that a call brings.
type openExecutable struct {
	sig     *backends.Signature
	program *openProgram
	main    *mlir.Op
	bound   []soa.View // by argument; nil if none is
	sizes   []backends.OpenSize
	sized   []bool // by argument, whether the program asks for its sizes alone
}

// sizedAlone returns for each argument of main whether nothing but its sizes is read.
func sizedAlone(main *mlir.Op) []bool {
	args := main.Body().Args
	alone := make([]bool, len(args))
	for i := range alone {
		alone[i] = true
	}
	for _, op := range main.Body().Ops {
		if op.Code == stablehlo.GetDimensionSize {
			continue
		}
		for v := range op.Uses() {
			if i := slices.Index(args, v); i >= 0 {
				alone[i] = false
			}
		}
	}
	return alone
}

// Signature returns what the program takes and gives.
func (e *openExecutable) Signature() *backends.Signature { return e.sig }

// Artifact returns an error: the evaluator keeps no form but the text.
func (e *openExecutable) Artifact() ([]byte, error) { return (*executable)(nil).Artifact() }

// Bind fixes arguments marked ltc.constant: every later run reads them in place.
func (e *openExecutable) Bind(ctx context.Context, constants map[int]soa.View) (backends.Executable, error) {
	bound, err := dense.Bind(ctx, e.sig, e.bound, constants)
	if err != nil {
		return nil, err
	}
	n := *e
	n.bound = bound
	return &n, nil
}

// Execute runs the program on the calling goroutine.
func (e *openExecutable) Execute(ctx context.Context, c *backends.Call) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := backends.CheckCall(e.sig, c, e.bound); err != nil {
		return err
	}
	var in value
	for i := range e.sizes {
		if _, err := e.sizes[i].In(c, e.bound); err != nil {
			return err
		}
	}
	copies := 0 // bytes
	for i, t := range e.main.FuncType().Ins {
		v, err, parse := c.Args[i], error(nil), parseTensor
		if e.bound != nil && !e.bound[i].IsZero() {
			v = e.bound[i]
		} else if e.sized[i] {
			parse = sizedTensor // its memory may be one element
		} else if v, err = dense.Copy(&copies, i, v); err != nil {
			return err
		}
		ct, err := closed(t.(*mlir.TensorType), v.Type.Shape, nil)
		if err != nil {
			return fmt.Errorf("execute: argument %d: %w", i, err)
		}
		tt, reason := parse(ct)
		if reason != "" {
			return fmt.Errorf("execute: argument %d: %s", i, reason)
		}
		in = append(in, part{tt, v.Base()})
	}
	out, err := e.program.call(&workspace{ctx: ctx, Budget: loops.Budget{Done: ctx.Done()}, wanted: e.wanted(c)}, e.main, in)
	if err != nil {
		return err
	}
	return e.hand(c, apart(out, in))
}

// wanted returns the shapes of the memory given for results, by the values that go
// there and those that only lie as others between steps.
func (e *openExecutable) wanted(c *backends.Call) map[*mlir.Value][]int {
	body := e.main.Body()
	shapes := map[*mlir.Value][]int{}
	for j, v := range body.Ops[len(body.Ops)-1].Operands {
		if j >= len(c.Results) || c.Results[j].IsZero() {
			continue
		}
		shapes[v] = c.Results[j].Type.Shape
		for v.Def != nil && len(v.Def.Operands) == 1 && (v.Def.Code == stablehlo.Convert || v.Def.Code == stablehlo.BitcastConvert) {
			v = v.Def.Operands[0]
			shapes[v] = c.Results[j].Type.Shape
		}
	}
	return shapes
}

// apart copies the values in out that lie where one in in does: that memory is
// the caller's, and may be where another result goes.
func apart(out, in value) value {
	for i, r := range out {
		if slices.ContainsFunc(in, func(a part) bool { return a.p == r.p }) {
			p := first(soa.New(r.bytes() + 1).Bytes())
			loops.CopyBytes(p, r.p, r.bytes())
			out[i].p = p
		}
	}
	return out
}

// hand gives the results to the caller, who finds an error before any of them
// is written. One that has the size of the argument donated to it goes there.
func (e *openExecutable) hand(c *backends.Call, out value) error {
	for j, r := range out {
		if v := c.Results[j]; !v.IsZero() && !v.Type.Shape.Equal(types.Shape(r.shape)) {
			return &backends.RunError{Op: -1, Reason: fmt.Errorf("result %d has shape %v, the memory given for it %v", j, types.Shape(r.shape), v.Type.Shape)}
		}
	}
	for j, r := range out {
		from := soa.At(r.p, r.public())
		if i := e.sig.Results[j].Alias; c.Results[j].IsZero() && i >= 0 && c.Args[i].Type.Equal(from.Type) {
			c.Results[j] = c.Args[i]
		}
		if c.Results[j].IsZero() {
			c.Results[j] = c.Make(from.Type)
		}
		sharing.Write(c.Results[j])
		handOver(c.Results[j], from)
	}
	return nil
}
