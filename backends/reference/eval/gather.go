package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/soa"
	"ltc/stablehlo"
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

// newIndexMap takes the parts of the attribute whose names differ between the
// two ops.
func (b *builder) newIndexMap(dims, operandBatching, indexBatching []int64, vector int, idx operand) (*indexMap, error) {
	m := &indexMap{read: indexReader(idx.dt), size: idx.dt.Size(), dims: toInts(dims)}
	strides := soa.Dense(idx.shape)
	if vector < len(idx.shape) {
		m.step = strides[vector] * m.size
	}
	var outer []int
	for i, n := range idx.shape {
		if i != vector {
			m.shape, outer = append(m.shape, n), append(outer, strides[i])
		}
	}
	var err error
	if m.batch, err = b.offsets(m.shape, outer); err != nil {
		return nil, err
	}
	for i := range m.batch {
		m.batch[i] *= m.size
	}
	for i, pos := range toInts(indexBatching) {
		if pos > vector {
			pos-- // in the batch, which lacks the vector's dimension
		}
		m.batching = append(m.batching, [2]int{int(operandBatching[i]), pos})
	}
	return m, nil
}

func prepareGather(b *builder, o *site) error {
	in, idx, out := o.in[0], o.in[1], o.out[0]
	d, sizes := stablehlo.AsGather(o.op).DimensionNumbers(), toInts(stablehlo.AsGather(o.op).SliceSizes())
	m, err := b.newIndexMap(d.StartIndexMap, d.OperandBatchingDims, d.StartIndicesBatchingDims, int(d.IndexVectorDim), idx)
	if err != nil {
		return err
	}
	w, err := b.newWindow(in.tensor, out, sizes, toInts(d.CollapsedSliceDims), m, toInts(d.OffsetDims))
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
			return fmt.Errorf("slices of no element in dimension %d are to give %s", i, diag.Count(out.n, "element"))
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
		return nil, fmt.Errorf("%s for a tensor of rank %d", diag.Count(len(sizes), "slice size"), len(t.shape))
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
	in, out := o.in[0], o.out[0]
	b.emitMove(o, append(make([]int, len(out.shape)-len(in.shape)), soa.Dense(in.shape)...), 0)
	return nil
}

// prepareIndexSelect is torch_index_select: it takes the slices along one
// dimension that the indices name, which are moved into the range that there
// is, as those of gather are. The first batch_dims dimensions go together.
func prepareIndexSelect(b *builder, o *site) error {
	in, idx, out := o.in[0], o.in[1], o.out[0]
	op := stablehlo.AsTorchIndexSelect(o.op)
	dim, batch := int(op.Dim()), int(op.BatchDims())
	if !slices.Equal(in.shape[:batch], idx.shape[:batch]) {
		return fmt.Errorf("dim = %d and batch_dims = %d of %v with indices %v", dim, batch, in.tensor, idx.tensor)
	}
	read, n := indexReader(idx.dt), in.shape[dim]
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
