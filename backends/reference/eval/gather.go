package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/soa"
)

// indexMap is what gather and scatter share: how rows of an index tensor name
// places in a tensor.
type indexMap struct {
	read     indexFunc
	size     int   // bytes of an index
	batch    []int // offsets of the rows, in row-major order of the batch, in bytes
	step     int   // bytes between the entries of a row
	dims     []int // the dimension each entry counts in
	batching [][2]int
	shape    []int // of the batch: of the index tensor without the vector's dimension
}

// newIndexMap reads the parts of the attribute whose names differ between the
// two ops.
func (b *builder) newIndexMap(d mlir.Dict, dims, operandBatching, indexBatching string, t tensor, idx operand) (*indexMap, error) {
	rank := len(idx.shape)
	vector, err := intAttr(d, "index_vector_dim", 0)
	m := &indexMap{read: indexReader(idx.dt), size: idx.dt.Size()}
	into, err1 := axes(d, dims, len(t.shape))
	ob, err2 := axes(d, operandBatching, len(t.shape))
	ib, err3 := axes(d, indexBatching, rank)
	if err := firstError(err, err1, err2, err3); err != nil {
		return nil, err
	}
	switch {
	case m.read == nil:
		return nil, fmt.Errorf("indices of %v, want integers", idx.dt)
	case vector < 0 || vector > rank:
		return nil, fmt.Errorf("index_vector_dim = %d for indices of rank %d", vector, rank)
	case len(ob) != len(ib) || slices.Contains(ib, vector):
		return nil, fmt.Errorf("%s %v and %s %v do not pair up", operandBatching, ob, indexBatching, ib)
	}
	m.dims = into
	strides, entries := soa.Dense(idx.shape), 1
	if vector < rank {
		entries, m.step = idx.shape[vector], strides[vector]*m.size
	}
	if entries != len(into) {
		return nil, fmt.Errorf("%s has %d entries, the index vector %d", dims, len(into), entries)
	}
	var outer []int
	for i, n := range idx.shape {
		if i != vector {
			m.shape, outer = append(m.shape, n), append(outer, strides[i])
		}
	}
	if m.batch, err = b.offsets(m.shape, outer); err != nil {
		return nil, err
	}
	for i := range m.batch {
		m.batch[i] *= m.size
	}
	for i := range ob {
		pos := ib[i]
		if pos > vector {
			pos-- // in the batch, which lacks the vector's dimension
		}
		if t.shape[ob[i]] != m.shape[pos] {
			return nil, fmt.Errorf("%s and %s pair dimensions of %d and %d", operandBatching, indexBatching, t.shape[ob[i]], m.shape[pos])
		}
		m.batching = append(m.batching, [2]int{ob[i], pos})
	}
	return m, nil
}

func prepareGather(b *builder, o *site) error {
	if err := o.arity(2, 1); err != nil {
		return err
	}
	in, idx, out := o.in[0], o.in[1], o.out[0]
	d, err := fields(o.op.Attrs, "dimension_numbers")
	sizes, err1 := ints(o.op.Attrs, "slice_sizes")
	offset, err2 := axes(d, "offset_dims", len(out.shape))
	collapsed, err3 := axes(d, "collapsed_slice_dims", len(in.shape))
	if err := firstError(err, err1, err2, err3, o.likeResult(0)); err != nil {
		return err
	}
	m, err := b.newIndexMap(d, "start_index_map", "operand_batching_dims", "start_indices_batching_dims", in.tensor, idx)
	if err != nil {
		return err
	}
	w, err := b.newWindow(in.tensor, out, sizes, collapsed, m, offset)
	if err != nil {
		return err
	}
	size, strides := in.dt.Size(), soa.Dense(in.shape)
	move := newMover(size, w.shape, w.outer, w.inner)
	r := b.result(o, 0)
	if out.n == 0 {
		return nil
	}
	last := make([]int, len(in.shape))
	for i, n := range in.shape {
		if sizes[i] == 0 { // of a dimension that the result has not
			return fmt.Errorf("slices of no element in dimension %d are to give %d elements", i, out.n)
		}
		last[i] = n - sizes[i]
	}
	b.emit(func(f *frame) {
		rows, from, to := f.p[idx.slot], f.p[in.slot], f.p[r]
		for i, row := range m.batch {
			if f.due(stepWork / 4) {
				return
			}
			at := 0
			for k, d := range m.dims {
				x := m.read(unsafe.Add(rows, row+k*m.step))
				at += min(max(x, 0), last[d]) * strides[d]
			}
			for _, p := range m.batching {
				at += w.index(i, p[1]) * strides[p[0]]
			}
			move.run(f, unsafe.Add(to, w.batch[i]*size), unsafe.Add(from, at*size))
		}
	})
	return nil
}

// window is the part of a tensor that one row of indices names, and its place
// in the other tensor, which has a window for each row.
type window struct {
	shape        []int // without the dimensions that are collapsed
	inner, outer []int // strides in the tensor and in the other one
	dims         []int // of the tensor, by dimension of shape
	batch        []int // offsets of the windows in the other tensor, in elements
	rows         []int // the batch's shape
}

// newWindow pairs the dimensions of t that are in the window with those of
// other listed in windowDims, in order, and the others of it with the batch.
func (b *builder) newWindow(t, other tensor, sizes, collapsed []int, m *indexMap, windowDims []int) (*window, error) {
	w := &window{rows: m.shape}
	if len(sizes) != len(t.shape) {
		return nil, fmt.Errorf("%d slice sizes for a tensor of rank %d", len(sizes), len(t.shape))
	}
	batching := func(d int) bool {
		return slices.ContainsFunc(m.batching, func(p [2]int) bool { return p[0] == d })
	}
	inner, outer := soa.Dense(t.shape), soa.Dense(other.shape)
	for i, n := range sizes {
		switch {
		case n < 0 || n > t.shape[i]:
			return nil, fmt.Errorf("a slice of %d in dimension %d, which has %d", n, i, t.shape[i])
		case slices.Contains(collapsed, i) || batching(i):
			if n > 1 {
				return nil, fmt.Errorf("a slice of %d in dimension %d, which is collapsed", n, i)
			}
			continue
		}
		k := len(w.shape)
		if k >= len(windowDims) || other.shape[windowDims[k]] != n {
			return nil, fmt.Errorf("slice dimension %d of size %d has no equal among window dimensions %v of %v", i, n, windowDims, other)
		}
		w.shape, w.dims = append(w.shape, n), append(w.dims, i)
		w.inner, w.outer = append(w.inner, inner[i]), append(w.outer, outer[windowDims[k]])
	}
	var rest, strides []int
	for i, n := range other.shape {
		if !slices.Contains(windowDims, i) {
			rest, strides = append(rest, n), append(strides, outer[i])
		}
	}
	if len(w.shape) != len(windowDims) || !slices.Equal(rest, m.shape) {
		return nil, fmt.Errorf("window dimensions %v leave %v of %v for a batch of indices of shape %v", windowDims, rest, other, m.shape)
	}
	var err error
	w.batch, err = b.offsets(rest, strides)
	return w, err
}

// index returns row i's index in dimension d of the batch.
func (w *window) index(i, d int) int {
	for k := len(w.rows) - 1; k > d; k-- {
		i /= w.rows[k]
	}
	return i % w.rows[d]
}

// prepareBroadcastPrefix is broadcast, which adds dimensions before the
// operand's.
func prepareBroadcastPrefix(b *builder, o *site) error {
	if err := o.arity(1, 1); err != nil {
		return err
	}
	sizes, err := ints(o.op.Attrs, "broadcast_sizes")
	if err := firstError(err, o.likeResult(0)); err != nil {
		return err
	}
	in, out := o.in[0], o.out[0]
	if want := slices.Concat(sizes, in.shape); !slices.Equal(want, out.shape) {
		return fmt.Errorf("broadcast_sizes %v of %v give the shape %v, the result is %v", sizes, in.tensor, want, out)
	}
	b.emitMove(o, append(make([]int, len(sizes)), soa.Dense(in.shape)...), 0)
	return nil
}

// prepareIndexSelect is torch_index_select: it takes the slices along one
// dimension that the indices name, which are moved into the range that there
// is, as those of gather are. The first batch_dims dimensions go together.
func prepareIndexSelect(b *builder, o *site) error {
	if err := o.arity(2, 1); err != nil {
		return err
	}
	in, idx, out := o.in[0], o.in[1], o.out[0]
	dim, err1 := intAttr(o.op.Attrs, "dim", 0)
	batch, err2 := intAttr(o.op.Attrs, "batch_dims", 0)
	if err := firstError(err1, err2, o.likeResult(0)); err != nil {
		return err
	}
	if batch < 0 || dim < batch || dim >= len(in.shape) || batch > len(idx.shape) || !slices.Equal(in.shape[:batch], idx.shape[:batch]) {
		return fmt.Errorf("dim = %d and batch_dims = %d of %v with indices %v", dim, batch, in.tensor, idx.tensor)
	}
	if want := slices.Concat(in.shape[:dim], idx.shape[batch:], in.shape[dim+1:]); !slices.Equal(want, out.shape) {
		return fmt.Errorf("dim = %d and batch_dims = %d give the shape %v, the result is %v", dim, batch, want, out)
	}
	read, n := indexReader(idx.dt), in.shape[dim]
	if read == nil {
		return fmt.Errorf("indices of %v, want integers", idx.dt)
	}
	if n == 0 && out.n > 0 {
		return fmt.Errorf("no element to take in dimension %d of %v", dim, in.tensor)
	}
	outer, middle, count := volume(in.shape[:batch]), volume(in.shape[batch:dim]), volume(idx.shape[batch:])
	run, r := volume(in.shape[dim+1:])*in.dt.Size(), b.result(o, 0)
	if out.n == 0 {
		return nil
	}
	b.emit(func(f *frame) {
		for i := range outer * middle {
			for k := range count {
				if f.due(run) {
					return
				}
				x := read(unsafe.Add(f.p[idx.slot], (i/middle*count+k)*idx.dt.Size()))
				x = min(max(x, 0), n-1)
				loops.CopyBytes(unsafe.Add(f.p[r], (i*count+k)*run), unsafe.Add(f.p[in.slot], (i*n+x)*run), run)
			}
		}
	})
	return nil
}
