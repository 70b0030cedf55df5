package eval

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/internal/diag"
	"ltc/soa"
)

// windowDim says how windows lie along one dimension of a tensor. The tensor's
// elements stand base apart, those of a window dilation apart, and the windows
// start stride apart, the first of them low before the tensor's first element.
type windowDim struct {
	in, out, size          int // elements of the tensor, windows, elements of a window
	stride, base, dilation int
	low, high              int
	reversed               bool // a window's elements are counted from its end
}

// at returns the index in the tensor of element w of window o; -1 in the
// padding and between elements that stand apart.
func (d *windowDim) at(o, w int) int {
	if d.reversed {
		w = d.size - 1 - w
	}
	p := o*d.stride + w*d.dilation - d.low
	if d.base != 1 {
		if p%d.base != 0 {
			return -1
		}
		p /= d.base
	}
	if p < 0 || p >= d.in {
		return -1
	}
	return p
}

// windowAttrs names the attributes of an op that lays windows. An empty name
// is an attribute that the op does not have.
type windowAttrs struct{ stride, base, dilation string }

// newWindows reads how windows of the given size lie over dimensions in, so
// that there are out of them. The padded tensor has to be one that memory
// could hold, which bounds the work of one window too.
func newWindows(o *site, names windowAttrs, in, out, size []int, elem loops.DType) ([]windowDim, error) {
	rank := len(in)
	list := func(name string) ([]int, error) {
		v := o.ints(name)
		if len(v) == 0 {
			v = slices.Repeat([]int{1}, rank)
		}
		if len(v) != rank {
			return nil, fmt.Errorf("%s has %s for %s", name, diag.Count(len(v), "entry"), diag.Count(rank, "dimension"))
		}
		for i, x := range v {
			if x < 1 {
				return nil, fmt.Errorf("%s of dimension %d is %d, want at least 1", name, i, x)
			}
		}
		return v, nil
	}
	stride, err1 := list(names.stride)
	base, err2 := list(names.base)
	dilation, err3 := list(names.dilation)
	padding := o.ints("padding")
	if err := firstError(err1, err2, err3); err != nil {
		return nil, err
	}
	if len(padding) == 0 {
		padding = make([]int, 2*rank)
	}
	if len(padding) != 2*rank || len(size) != rank || len(out) != rank {
		return nil, fmt.Errorf("a window of rank %d with %s into rank %d, want %d, %d and %d", len(size), diag.Count(len(padding), "padding"), len(out), rank, 2*rank, rank)
	}
	ws, total := make([]windowDim, rank), elem.Size()
	for i := range ws {
		d := &ws[i]
		*d = windowDim{in: in[i], out: out[i], size: size[i], stride: stride[i], base: base[i], dilation: dilation[i], low: padding[2*i], high: padding[2*i+1]}
		padded, n, ok := d.count()
		if ok && n != d.out {
			return nil, fmt.Errorf("dimension %d has %s, the result %d", i, diag.Count(n, "window"), d.out)
		}
		if total = loops.Product(total, max(padded, 1)); !ok {
			total = -1
		}
		if err := soa.Fits(total); err != nil {
			return nil, fmt.Errorf("padded dimension %d: %w", i, err)
		}
	}
	return ws, nil
}

// count returns the length of the padded dimension and how many windows it
// has; false if an int cannot hold it.
func (d *windowDim) count() (padded, n int, ok bool) {
	spread, window := 0, 0
	if d.in > 0 {
		spread = loops.Product(d.in-1, d.base)
	}
	if d.size > 0 {
		window = loops.Product(d.size-1, d.dilation)
	}
	const most = 1 << 60
	for _, x := range []int{spread, window, d.low, -d.low, d.high, -d.high} {
		if x > most || spread < 0 || window < 0 {
			return 0, 0, false
		}
	}
	spread, window = spread+min(d.in, 1), window+min(d.size, 1)
	padded = d.low + spread + d.high
	if padded > 0 && window <= padded {
		n = (padded-window)/d.stride + 1
	}
	return padded, n, true
}

// inputOffset returns the offset in the tensor, in elements, of element w of
// window o; false if there is none.
func inputOffset(ws []windowDim, strides, o, w []int) (int, bool) {
	at := 0
	for i := range ws {
		x := ws[i].at(o[i], w[i])
		if x < 0 {
			return 0, false
		}
		at += x * strides[i]
	}
	return at, true
}

func volume(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// eachIndex counts through the indices of a shape in row-major order until visit
// fails. A shape without dimensions has one index.
func eachIndex(shape []int, visit func(i int, at []int) error) error {
	if volume(shape) == 0 {
		return nil
	}
	c := odometer{shape, make([]int, len(shape))}
	for i := 0; ; i++ {
		if err := visit(i, c.at); err != nil {
			return err
		}
		if !c.next() {
			return nil
		}
	}
}

// indexFunc reads one integer as an index. Values beyond an int's range become
// the nearest int.
type indexFunc func(unsafe.Pointer) int

// indexReader returns the reader of integers of type d; nil for other types.
func indexReader(d loops.DType) indexFunc {
	if !d.IsInt() {
		return nil
	}
	return loops.ByInteger[indexFunc](d.Layout(), readIndex[int8], readIndex[int16], readIndex[int32], readIndex[int64], readIndex[uint8], readIndex[uint16], readIndex[uint32], readIndex[uint64])
}

func readIndex[T loops.Integer](p unsafe.Pointer) int {
	v := *(*T)(p)
	if i := int(v); v < 0 == (i < 0) {
		return i
	}
	return int(^uint(0) >> 1)
}

// odometer counts through the indices of a shape in row-major order.
type odometer struct {
	shape, at []int
}

// next steps to the next index; false after the last.
func (c *odometer) next() bool {
	for i := len(c.shape) - 1; i >= 0; i-- {
		if c.at[i]++; c.at[i] < c.shape[i] {
			return true
		}
		c.at[i] = 0
	}
	return false
}

// offsets is the function of that name, for a table that the executable holds.
func (b *builder) offsets(shape, strides []int) ([]int, error) {
	if err := b.table(shape); err != nil {
		return nil, err
	}
	return offsets(shape, strides), nil
}

// table reserves the memory of a table with a word for every index of a shape.
func (b *builder) table(shape []int) error {
	n := bits.UintSize / 8
	for _, s := range shape {
		n = loops.Times(n, s)
	}
	if err := b.reserve(n); err != nil {
		return fmt.Errorf("a table of the offsets of %v: %w", shape, err)
	}
	b.tables += n
	return nil
}

// offsets returns the offset of every index of a shape, in elements, in
// row-major order.
func offsets(shape, strides []int) []int {
	n := volume(shape)
	if n == 0 {
		return nil
	}
	out := make([]int, 0, n)
	for c := (odometer{shape, make([]int, len(shape))}); ; {
		at := 0
		for i, x := range c.at {
			at += x * strides[i]
		}
		out = append(out, at)
		if !c.next() {
			return out
		}
	}
}
