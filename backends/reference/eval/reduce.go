package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// A reduction goes over a tensor of [outer, reduced, inner] elements; operands are
// transposed to that order where necessary. The order of the reduction is fixed:
//   - Where inner > 1, and for a general body: init, then the reduced elements in
//     row-major order.
//   - Where inner = 1 and the body is one op: sums of floats are made in foldLanes
//     lanes (see loops.Fold), then init is combined with the result.

func prepareReduce(b *builder, o *site) error {
	n, shape := len(o.out), o.in[0].shape
	dims := toInts(stablehlo.AsReduce(o.op).Dimensions())
	var kept []int
	for k := range shape {
		if !slices.Contains(dims, k) {
			kept = append(kept, k)
		}
	}
	for i := range n {
		if !o.in[n+i].scalar() { // the verifier takes initial values of any rank
			return fmt.Errorf("input %v, init %v and result %v do not fit dimensions %v", o.in[i].shape, o.in[n+i].shape, o.out[i].shape, dims)
		}
	}
	slices.Sort(dims)
	r := reduction{kept: kept, dims: dims, outer: 1, reduced: 1, inner: 1}
	for _, d := range dims {
		r.reduced *= shape[d]
	}
	for _, d := range kept {
		switch {
		case len(dims) == 0 || d < dims[0]:
			r.outer *= shape[d]
		case d > dims[len(dims)-1]:
			r.inner *= shape[d]
		default:
			r.transposed = true
		}
	}
	if r.transposed {
		r.outer, r.inner = o.out[0].n, 1
	}
	if n == 1 {
		op, _ := simpleBody(o.op.Regions[0])
		if done := b.reduceSimple(o, r, op); done {
			return nil
		}
	}
	return b.reduceGeneral(o, r)
}

type reduction struct {
	kept, dims            []int // dimensions of the input, ascending
	outer, reduced, inner int
	transposed            bool // the kept dimensions lie between the reduced ones
}

// perm is the order of dimensions in which the reduction reads.
func (r *reduction) perm(rank int) []int {
	if r.transposed {
		return slices.Concat(r.kept, r.dims)
	}
	return types.Axes(rank)
}

// reduceSimple handles a body of one op that is associative.
func (b *builder) reduceSimple(o *site, r reduction, op mlir.Code) bool {
	d, out := o.out[0].dt, o.out[0]
	acc := d.Accum()
	fold, combine := loops.Fold(op, acc), loops.Binary(op, acc)
	if fold == nil || combine == nil {
		return false
	}
	in := b.arranged(o, 0, acc, r.perm(len(o.in[0].shape)))
	init := b.converted(o, o.in[1].slot, o.in[1].dt, acc, 1)
	res := b.result(o, 0)
	sum, size := res, acc.Size()
	var narrow loops.Loop1
	if acc != d {
		sum, narrow = b.scratch(o, out.n*size), loops.Convert(acc, d)
	}
	fill := loops.Fill(acc)
	b.emit(func(f *frame) {
		to, from := f.p[sum], f.p[in]
		f.fill(fill, size, to, f.p[init], out.n)
		row := r.inner * size
		for i := range r.outer {
			if r.inner == 1 {
				if f.due(r.reduced) {
					return
				}
				fold(&f.ws.Budget, unsafe.Add(to, i*size), unsafe.Add(from, i*r.reduced*size), r.reduced)
				continue
			}
			acc := unsafe.Add(to, i*row)
			for j := range r.reduced {
				if f.due(r.inner) {
					return
				}
				f.combine(combine, size, acc, unsafe.Add(from, (i*r.reduced+j)*row), r.inner)
			}
		}
		if narrow != nil {
			f.convert(narrow, d.Size(), size, f.p[res], to, out.n)
		}
	})
	return true
}

// reduceGeneral runs the body once per element: its first arguments point to
// the results, the others to the inputs.
func (b *builder) reduceGeneral(o *site, r reduction) error {
	n := len(o.out)
	in, inits, sizes := make([]int, n), make([]int, n), make([]int, n)
	for i, t := range o.out { // the body may work on a wider type than the inputs'
		in[i] = b.arranged(o, i, t.dt, r.perm(len(o.in[i].shape)))
		inits[i] = b.converted(o, o.in[n+i].slot, o.in[n+i].dt, t.dt, 1)
		sizes[i] = t.dt.Size()
	}
	results := make([]int, n)
	for i := range results {
		results[i] = b.result(o, i)
	}
	body, args, store, err := b.combining(o, 0)
	if err != nil {
		return err
	}
	run := func(f *frame) error {
		for i := range r.outer * r.inner {
			for k := range n {
				f.p[args[k]] = unsafe.Add(f.p[results[k]], i*sizes[k])
				loops.CopyBytes(f.p[args[k]], f.p[inits[k]], sizes[k])
			}
			at := i/r.inner*r.reduced*r.inner + i%r.inner
			for range r.reduced {
				for k := range n {
					f.p[args[n+k]] = unsafe.Add(f.p[in[k]], at*sizes[k])
				}
				if err := f.exec(body.steps); err != nil {
					return err
				}
				store(f, args)
				at += r.inner
			}
		}
		return nil
	}
	b.emitBlocks(o.in[0].n, run, body)
	return nil
}

// combining prepares region r, which makes one of two elements of each result's type. The
// slots args point to the first of each, then to the second; store puts what comes out to
// the first.
func (b *builder) combining(o *site, r int) (body *block, args []int, store func(f *frame, to []int), err error) {
	n := len(o.out)
	args, scalars := make([]int, 2*n), make([]tensor, 2*n)
	for i := range args {
		args[i], scalars[i] = b.pointer(o), o.out[i%n].element()
	}
	if body, err = b.region(o, r, args, scalars); err == nil {
		store, err = b.storing(o, body, o.out)
	}
	return body, args, store, err
}

// storing returns what copies a body's scalar results to where the slots to
// point. All results are read before the first is written, since a result may
// be one of the arguments.
func (b *builder) storing(o *site, body *block, want []tensor) (func(f *frame, to []int), error) {
	if len(body.results) != len(want) {
		return nil, fmt.Errorf("the body returns %s, want %d", diag.Count(len(body.results), "value"), len(want))
	}
	sizes := make([]int, len(want))
	for i, t := range body.types {
		if t.dt != want[i].dt || !t.scalar() {
			return nil, unsupportedf("a body that returns %v%v for %v", t.dt, t.shape, want[i].dt)
		}
		sizes[i] = t.dt.Size()
	}
	from, temp := body.results, b.scratch(o, loops.MaxElement*len(want))
	if len(want) == 1 {
		size := sizes[0]
		return func(f *frame, to []int) { loops.CopyBytes(f.p[to[0]], f.p[from[0]], size) }, nil
	}
	return func(f *frame, to []int) {
		for i, s := range from {
			loops.CopyBytes(unsafe.Add(f.p[temp], loops.MaxElement*i), f.p[s], sizes[i])
		}
		for i := range from {
			loops.CopyBytes(f.p[to[i]], unsafe.Add(f.p[temp], loops.MaxElement*i), sizes[i])
		}
	}, nil
}
