package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
)

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func prepareUnary(b *builder, o *site) error {
	k := loops.Unary(o.op.Code, o.out[0].dt)
	if k == nil {
		return unsupportedf("elements of type %v", o.out[0].dt)
	}
	b.emit1(o, k)
	return nil
}

// emit1 runs a kernel of one operand, which may be a splat.
func (b *builder) emit1(o *site, k loops.Loop1) {
	a, n := o.in[0].slot, o.out[0].n
	r := b.resultOver(o, 0, 0)
	if n <= blockElements {
		b.emit(func(f *frame) { k(f.p[r], f.p[a], n) })
		return
	}
	sa, sr := b.stride(o.in[0]), o.out[0].dt.Size()
	b.emitRange(n, func(f *frame, i, n int) { k(unsafe.Add(f.p[r], i*sr), unsafe.Add(f.p[a], i*sa), n) })
}

func prepareBinary(b *builder, o *site) error {
	k := loops.Binary(o.op.Code, o.out[0].dt)
	if k == nil {
		return unsupportedf("elements of type %v", o.out[0].dt)
	}
	b.emit2(o, k)
	return nil
}

// emit2 runs a kernel of two operands, which may be splats.
func (b *builder) emit2(o *site, k loops.Loop2) {
	x, y, n := o.in[0].slot, o.in[1].slot, o.out[0].n
	r := b.resultOver(o, 0, 0, 1)
	if n <= blockElements {
		b.emit(func(f *frame) { k(f.p[r], f.p[x], f.p[y], n) })
		return
	}
	sx, sy, sr := b.stride(o.in[0]), b.stride(o.in[1]), o.out[0].dt.Size()
	b.emitRange(n, func(f *frame, i, n int) {
		k(unsafe.Add(f.p[r], i*sr), unsafe.Add(f.p[x], i*sx), unsafe.Add(f.p[y], i*sy), n)
	})
}

// emitRange runs something for n elements, of which it gets the first and their
// number: blocks, between which the run can be cancelled.
func (b *builder) emitRange(n int, run func(f *frame, i, n int)) {
	if n <= blockElements {
		b.emit(func(f *frame) { run(f, 0, n) })
		return
	}
	b.emit(func(f *frame) {
		for i := 0; i < n; i += blockElements {
			if run(f, i, min(blockElements, n-i)); f.due(blockElements) {
				return
			}
		}
	})
}

// emitKernel runs a kernel of one operand from slot to slot.
func (b *builder) emitKernel(k loops.Loop1, to int, size int, from int, fromSize int, n int) {
	b.emitRange(n, func(f *frame, i, n int) { k(unsafe.Add(f.p[to], i*size), unsafe.Add(f.p[from], i*fromSize), n) })
}

func prepareConstant(b *builder, o *site) error {
	t := o.out[0]
	data, splat, err := stablehlo.AsConstant(o.op).Value().Decode()
	if err != nil {
		return err
	}
	if splat && len(data) == t.dt.Size() {
		s, err := b.splat(data, t.n)
		b.alias(o, 0, s)
		return err
	}
	s, err := b.constant(data)
	b.alias(o, 0, s)
	return err
}

func prepareCompare(b *builder, o *site) error {
	op := stablehlo.AsCompare(o.op)
	b.emit2(o, loops.Compare(op.ComparisonDirection(), op.CompareType() == "TOTALORDER", o.in[0].dt))
	return nil
}

// exactly reports whether an op of CHLO is a function that is computed here as
// such, and not by what it stands for: one of real numbers.
func exactly(op *mlir.Op) bool {
	if !loops.IsFunction(op.Code) || len(op.Operands) != 1 {
		return false
	}
	t, ok := op.Operands[0].Type.(*mlir.TensorType)
	if !ok {
		return false
	}
	_, ok = t.Elem.(mlir.FloatType)
	return ok
}

// prepareMap runs the region on each element of the operands.
func prepareMap(b *builder, o *site) error {
	out, r := o.out[0], b.result(o, 0)
	args, scalars := make([]int, len(o.in)), make([]tensor, len(o.in))
	for i, in := range o.in {
		args[i], scalars[i] = b.pointer(o), in.element()
	}
	body, err := b.region(o, 0, args, scalars)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(body.types, []tensor{out.element()}, tensor.equal) {
		return fmt.Errorf("the region must return one %v", out.element())
	}
	b.emitBlocks(out.n, func(f *frame) error {
		for i := range out.n {
			for k, in := range o.in {
				f.p[args[k]] = unsafe.Add(f.p[in.slot], i*in.dt.Size())
			}
			if err := f.exec(body.steps); err != nil {
				return err
			}
			loops.CopyBytes(unsafe.Add(f.p[r], i*out.dt.Size()), f.p[body.results[0]], out.dt.Size())
		}
		return nil
	}, body)
	return nil
}
