package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/soa"
)

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
