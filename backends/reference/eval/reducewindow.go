package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// prepareReduceWindow reduces every window to an element: the initial value,
// then the window's elements in row-major order. Padding counts as the initial
// value, and so do the holes that base_dilations makes.
func prepareReduceWindow(b *builder, o *site) error {
	n, in, out := len(o.out), o.in[0].shape, o.out[0].shape
	for i := range n {
		if !slices.Equal(o.in[i].shape, in) || !o.in[n+i].scalar() || !slices.Equal(o.out[i].shape, out) {
			return fmt.Errorf("input %v, init %v and result %v do not fit input %v and result %v", o.in[i].shape, o.in[n+i].shape, o.out[i].shape, in, out)
		}
	}
	size := o.ints("window_dimensions")
	if slices.ContainsFunc(size, func(x int) bool { return x < 1 }) {
		return fmt.Errorf("window_dimensions %v, want at least 1 each", size)
	}
	ws, err := newWindows(o, windowAttrs{"window_strides", "base_dilations", "window_dilations"}, in, out, size, o.out[0].dt)
	if err != nil {
		return err
	}
	if n == 1 {
		op, _ := simpleBody(o.op.Regions[0])
		if b.reduceWindowSimple(o, ws, size, op) {
			return nil
		}
	}
	return b.reduceWindowGeneral(o, ws, size)
}

// reduceWindowSimple handles a body of one associative op: it combines rows
// along the last dimension, all windows' elements of one kind at a time.
func (b *builder) reduceWindowSimple(o *site, ws []windowDim, size []int, op mlir.Code) bool {
	out := o.out[0]
	combine := loops.Binary(op, out.dt)
	if combine == nil || loops.Fold(op, out.dt.Accum()) == nil {
		return false
	}
	shape, inStrides := out.shape, soa.Dense(o.in[0].shape)
	if len(ws) == 0 { // as a row of one element
		ws, size, shape, inStrides = []windowDim{{in: 1, out: 1, size: 1, stride: 1, base: 1, dilation: 1}}, []int{1}, []int{1}, []int{1}
	}
	last := len(ws) - 1
	row, bytes := shape[last], out.dt.Size()
	in := b.converted(o, o.in[0].slot, o.in[0].dt, out.dt, o.in[0].n)
	init := b.converted(o, o.in[1].slot, o.in[1].dt, out.dt, 1)
	inits, picked, r := b.scratch(o, row*bytes), b.scratch(o, row*bytes), b.result(o, 0)
	fill := loops.Fill(out.dt)
	pick := loops.BySize(out.dt, pickRow[uint8], pickRow[uint16], pickRow[uint32], pickRow[uint64], pickRow[[2]uint64])
	b.emitWork(loops.Times(out.n, volume(size)), func(f *frame) {
		to, from, none := f.p[r], f.p[in], f.p[inits]
		f.fill(fill, bytes, to, f.p[init], out.n)
		f.fill(fill, bytes, none, f.p[init], row)
		_ = eachIndex(shape[:last], func(i int, o []int) error {
			acc := unsafe.Add(to, i*row*bytes)
			return eachIndex(size, func(_ int, w []int) error {
				if err := f.stop(row); err != nil {
					return err
				}
				at, inside := inputOffset(ws[:last], inStrides, o, w)
				if !inside {
					f.combine(combine, bytes, acc, none, row)
					return nil
				}
				d, src := &ws[last], unsafe.Add(from, at*bytes)
				if d.base == 1 && d.stride == 1 {
					lo := min(max(d.low-w[last]*d.dilation, 0), row)
					hi := max(min(d.in+d.low-w[last]*d.dilation, row), lo)
					f.combine(combine, bytes, acc, none, lo)
					if hi > lo {
						f.combine(combine, bytes, unsafe.Add(acc, lo*bytes), unsafe.Add(src, (lo+w[last]*d.dilation-d.low)*bytes), hi-lo)
					}
					if hi < row {
						f.combine(combine, bytes, unsafe.Add(acc, hi*bytes), none, row-hi)
					}
					return nil
				}
				pick(f.p[picked], src, none, d, w[last])
				f.combine(combine, bytes, acc, f.p[picked], row)
				return nil
			})
		})
	})
	return true
}

// pickRow takes element w of every window along d; where there is none, the
// value at none.
func pickRow[T any](to, from, none unsafe.Pointer, d *windowDim, w int) {
	o, a, v := unsafe.Slice((*T)(to), d.out), unsafe.Slice((*T)(from), d.in), *(*T)(none)
	for i := range o {
		if x := d.at(i, w); x >= 0 {
			o[i] = a[x]
		} else {
			o[i] = v
		}
	}
}

// reduceWindowGeneral runs the body once per element of each window, as
// reduceGeneral does.
func (b *builder) reduceWindowGeneral(o *site, ws []windowDim, size []int) error {
	n := len(o.out)
	in, inits, results := make([]int, n), make([]int, n), make([]int, n)
	for i, t := range o.out {
		in[i] = b.converted(o, o.in[i].slot, o.in[i].dt, t.dt, o.in[i].n)
		inits[i] = b.converted(o, o.in[n+i].slot, o.in[n+i].dt, t.dt, 1)
		results[i] = b.result(o, i)
	}
	body, args, store, err := b.combining(o, 0)
	if err != nil {
		return err
	}
	strides := soa.Dense(o.in[0].shape)
	b.emitBlocks(loops.Times(o.out[0].n, volume(size)), func(f *frame) error {
		return eachIndex(o.out[0].shape, func(i int, at []int) error {
			for k, t := range o.out {
				f.p[args[k]] = unsafe.Add(f.p[results[k]], i*t.dt.Size())
				loops.CopyBytes(f.p[args[k]], f.p[inits[k]], t.dt.Size())
			}
			return eachIndex(size, func(_ int, w []int) error {
				x, inside := inputOffset(ws, strides, at, w)
				for k, t := range o.out {
					f.p[args[n+k]] = f.p[inits[k]]
					if inside {
						f.p[args[n+k]] = unsafe.Add(f.p[in[k]], x*t.dt.Size())
					}
				}
				if err := f.exec(body.steps); err != nil {
					return err
				}
				store(f, args)
				return nil
			})
		})
	}, body)
	return nil
}

// prepareSelectAndScatter finds in every window over the operand the element
// that the first region prefers, and combines the window's value of the source
// into the result there, in the order of the source. A window that lies in the
// padding altogether has no such element; its value is left out.
func prepareSelectAndScatter(b *builder, o *site) error {
	in, source, init, out := o.in[0], o.in[1], o.in[2], o.out[0]
	size := toInts(stablehlo.AsSelectAndScatter(o.op).WindowDimensions())
	ws, err := newWindows(o, windowAttrs{stride: "window_strides"}, in.shape, source.shape, size, in.dt)
	if err != nil {
		return err
	}
	from := b.converted(o, source.slot, source.dt, out.dt, source.n)
	first := b.converted(o, init.slot, init.dt, out.dt, 1)
	r := b.result(o, 0)
	pair := []int{b.pointer(o), b.pointer(o)}
	prefers, err := b.region(o, 0, pair, []tensor{in.element(), in.element()})
	if err != nil {
		return err
	}
	combine, sum, store, err := b.combining(o, 1)
	if err != nil {
		return err
	}
	strides, fill := soa.Dense(in.shape), loops.Fill(out.dt)
	b.emitBlocks(loops.Times(source.n, volume(size)), func(f *frame) error {
		if f.fill(fill, out.dt.Size(), f.p[r], f.p[first], out.n) {
			return errStopped
		}
		return eachIndex(source.shape, func(i int, at []int) error {
			chosen := -1
			err := eachIndex(size, func(_ int, w []int) error {
				if err := f.stop(1); err != nil {
					return err
				}
				x, inside := inputOffset(ws, strides, at, w)
				switch {
				case !inside:
					return nil
				case chosen < 0:
					chosen = x
					return nil
				}
				f.p[pair[0]] = unsafe.Add(f.p[in.slot], chosen*in.dt.Size())
				f.p[pair[1]] = unsafe.Add(f.p[in.slot], x*in.dt.Size())
				if err := f.exec(prefers.steps); err != nil {
					return err
				}
				if *(*uint8)(f.p[prefers.results[0]]) == 0 {
					chosen = x
				}
				return nil
			})
			if err != nil || chosen < 0 {
				return err
			}
			f.p[sum[0]] = unsafe.Add(f.p[r], chosen*out.dt.Size())
			f.p[sum[1]] = unsafe.Add(f.p[from], i*out.dt.Size())
			if err := f.exec(combine.steps); err != nil {
				return err
			}
			store(f, sum)
			return nil
		})
	}, prefers, combine)
	return nil
}
