package eval

import (
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/soa"
	"ltc/stablehlo"
)

// prepareScatter updates elements in the row-major order of the indices' batch
// dimensions: the last of several updates that replace an element stays. Elements of an
// update that are outside of the operand are left out one by one.
func prepareScatter(b *builder, o *site) error {
	n := len(o.out)
	s, err := b.newScatter(o)
	if err != nil {
		return err
	}
	results, inputs := make([]int, n), make([]int, n)
	for i, t := range o.out { // the body may work on a wider type than the inputs'
		inputs[i] = b.converted(o, o.in[i].slot, o.in[i].dt, t.dt, t.n)
		s.updates = append(s.updates, b.converted(o, o.in[n+1+i].slot, o.in[n+1+i].dt, t.dt, o.in[n+1+i].n))
		results[i] = b.resultOver(o, i, i)
		if slices.ContainsFunc(o.in[n:], func(x operand) bool { return x.slot == o.in[i].slot }) || n > 1 {
			b.code.slots[results[i]].reuse = nil
		}
	}
	apply, body, err := b.scatterBody(o, s, results)
	if err != nil {
		return err
	}
	run := func(f *frame) error {
		for i, r := range results {
			if f.p[r] != f.p[inputs[i]] {
				f.copy(f.p[r], f.p[inputs[i]], o.out[i].bytes())
			}
		}
		return s.each(f, apply)
	}
	if body == nil {
		b.emitWork(loops.Times(o.in[n+1].n, stepWork), func(f *frame) { _ = run(f) })
	} else {
		b.emitBlocks(o.in[n+1].n, run, body)
	}
	return nil
}

type scatter struct {
	*indexMap
	w       *window
	idx     int   // slot
	updates []int // slots
	shape   []int
	strides []int
	sizes   []int // of the window, by dimension of the input
}

func (b *builder) newScatter(o *site) (*scatter, error) {
	n := len(o.out)
	in, idx, update := o.in[0], o.in[n], o.in[n+1]
	d := stablehlo.AsScatter(o.op).ScatterDimensionNumbers()
	windowDims, inserted := toInts(d.UpdateWindowDims), toInts(d.InsertedWindowDims)
	m, err := b.newIndexMap(d.ScatterDimsToOperandDims, d.InputBatchingDims, d.ScatterIndicesBatchingDims, int(d.IndexVectorDim), idx)
	if err != nil {
		return nil, err
	}
	sizes := make([]int, len(in.shape))
	k := 0
	for i := range sizes {
		sizes[i] = min(1, in.shape[i])
		batching := slices.ContainsFunc(m.batching, func(p [2]int) bool { return p[0] == i })
		if !batching && !slices.Contains(inserted, i) {
			sizes[i] = update.shape[windowDims[k]]
			k++
		}
	}
	w, err := b.newWindow(in.tensor, update.tensor, sizes, inserted, m, windowDims)
	if err != nil {
		return nil, err
	}
	return &scatter{indexMap: m, w: w, idx: idx.slot, shape: in.shape, strides: soa.Dense(in.shape), sizes: sizes}, nil
}

// each calls apply with the offsets, in elements, of every place in the input
// and the update for it.
func (s *scatter) each(f *frame, apply func(f *frame, to, from int) error) error {
	if slices.Contains(s.w.shape, 0) || slices.Contains(s.shape, 0) { // of 0 may be a dimension that windows have not
		return nil
	}
	rows := f.p[s.idx]
	start, c := make([]int, len(s.shape)), cursor{w: s.w, at: make([]int, len(s.shape))}
	for i, row := range s.batch {
		clear(start)
		for k, d := range s.dims {
			start[d] = s.read(unsafe.Add(rows, row+k*s.step))
		}
		for _, p := range s.batching {
			start[p[0]] = s.w.index(i, p[1])
		}
		base, whole := 0, true
		for d, x := range start {
			base += x * s.strides[d]
			whole = whole && x >= 0 && x <= s.shape[d]-s.sizes[d]
		}
		for more := true; more; more = c.next() {
			if err := f.stop(stepWork / 4); err != nil {
				return err
			}
			if !whole && !s.inside(start, c.at) {
				continue
			}
			if err := apply(f, base+c.inner, s.w.batch[i]+c.outer); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scatter) inside(start, at []int) bool {
	for d, x := range start {
		// x may be as large as an int can be: subtract rather than add.
		if x < -at[d] || x >= s.shape[d]-at[d] {
			return false
		}
	}
	return true
}

// cursor counts through the elements of a window in row-major order, and starts
// anew after the last.
type cursor struct {
	w            *window
	at           []int // by dimension of the tensor that the window is part of
	inner, outer int   // offsets in it, and in the tensor of windows, in elements
}

// next steps to the next element; false after the last.
func (c *cursor) next() bool {
	w := c.w
	for k := len(w.shape) - 1; k >= 0; k-- {
		x := &c.at[w.dims[k]]
		*x++
		c.inner, c.outer = c.inner+w.inner[k], c.outer+w.outer[k]
		if *x < w.shape[k] {
			return true
		}
		c.inner, c.outer = c.inner-*x*w.inner[k], c.outer-*x*w.outer[k]
		*x = 0
	}
	return false
}

// scatterBody returns what updates one element. The block is nil when the body
// is one op or returns the update.
func (b *builder) scatterBody(o *site, s *scatter, results []int) (func(f *frame, to, from int) error, *block, error) {
	n := len(results)
	if n == 1 {
		size, to, from := o.out[0].dt.Size(), results[0], s.updates[0]
		op, mirrored := simpleBody(o.op.Regions[0])
		if k := loops.Binary(op, o.out[0].dt); k != nil && !mirrored {
			return func(f *frame, i, j int) error {
				p := unsafe.Add(f.p[to], i*size)
				k(p, p, unsafe.Add(f.p[from], j*size), 1)
				return nil
			}, nil, nil
		}
	}
	body, args, store, err := b.combining(o, 0)
	if err != nil {
		return nil, nil, err
	}
	return func(f *frame, i, j int) error {
		for k := range n {
			size := o.out[k].dt.Size()
			f.p[args[k]] = unsafe.Add(f.p[results[k]], i*size)
			f.p[args[n+k]] = unsafe.Add(f.p[s.updates[k]], j*size)
		}
		if err := f.exec(body.steps); err != nil {
			return err
		}
		store(f, args)
		return nil
	}, body, nil
}
