package gemm

import (
	"cmp"
	"slices"
	"unsafe"

	"ltc/backends/reference/llvm/vector"
)

// image is how the kernel reads a gathered B whose columns are runs: the windows of an image
// that has its features before its spatial dimensions. What a block of columns reads of the
// image is copied as it is. Rows of the window overlap, so this is a fraction of a block's
// panels. Vectors of columns are loaded from the copy at an offset for each element of k.
// The last columns of one run and the first of the next one may share a vector. If columns
// are two elements apart, the copy has every second element, and the others after them.
type image struct {
	spans   []imageSpan // that the blocks of k read
	first   []int       // the first span of each block of k, and the end of the last block's
	offsets []int64     // the bytes in the copy from a column to an element of k of its own
	step    int         // elements from a column to the next: 1 or 2
	behind  int         // the bytes behind a span that are written
	bytes   int         // of the copy, at most
	order   []int       // elements of a block of k, by their offsets in B
}

// imageSpan is memory that a block of k reads for the first column of a block: from an offset
// in bytes on, up to the element that is more bytes behind. It is copied to the offset to, and
// elements between the columns' to odd.
// Code reads this structure.
type imageSpan struct{ from, more, to, odd int64 }

// panelVectors says where a panel's vectors are in the copy of an image. Code reads this
// structure.
type panelVectors struct {
	mixed   int64 // bit j: vector j has columns of two runs
	_       int64
	vectors [2]struct {
		at, next uintptr // the first lane, and where it would be if all lanes were of the next run
		count    int64   // lanes of the first run
	}
}

const (
	// imageDistance is the prefetch distance in elements of k: what the kernel reads of a row of
	// the image is too short for the machine to see an order in it.
	imageDistance = 16
	// imageShare is how many times as large as the copy a block's panels are at least. Else
	// packing saves more than it takes: vectors of panels are aligned, and of one run.
	imageShare = 3
)

const panelVectorsBytes = int(unsafe.Sizeof(panelVectors{}))

// imageOf plans how blocks of width columns are read from copies of parts of B, in memory
// that is used again. It returns nil if they cannot be, or panels take less memory.
func (q *Plan) imageOf() *image {
	p, c, g := &q.p, q.core, q.p.GatherB
	size := p.B.Size()
	switch {
	case q.on.Level < vector.AVX2 || q.on.Level == vector.NEON,
		g == nil || p.PackedB || p.Batch != 1 || p.K == 0 || p.N == 0,
		g.K.Starts == nil || g.Row.Starts == nil || g.K.Length != 1,
		g.Row.Step != size && g.Row.Step != 2*size,
		g.Row.Length < c.lanes && g.Row.Length < p.N,
		c.group != 1 || p.B != c.elem || p.PrologueB.set():
		return nil
	}
	if q.spare == nil {
		q.spare = new(image)
	}
	m := q.spare
	m.step, m.behind = g.Row.Step/size, 0
	if p.BorderB != nil {
		m.behind = line
	}
	end := q.imageEnd(m)
	if end < 0 {
		return nil
	}
	k := unsafe.Slice(g.K.Starts, p.K)
	m.spans, m.first, m.offsets, m.bytes = m.spans[:0], m.first[:0], slices.Grow(m.offsets[:0], p.K+imageDistance)[:p.K+imageDistance], 0
	for from := 0; from < p.K; from += q.depth {
		m.first = append(m.first, len(m.spans))
		if !m.block(k, from, min(from+q.depth, p.K), size, end) {
			return nil
		}
	}
	m.first = append(m.first, len(m.spans))
	width := min(q.width, ceil(p.N, c.columns())*c.columns())
	if m.bytes > min(min(q.depth, p.K)*width*size/imageShare, q.l2()/2) {
		return nil
	}
	clear(m.offsets[p.K:])
	return m
}

// imageEnd returns how many bytes are between the first element of a block's first column and
// the end of that of its last one, at most, or -1 if runs do not follow each other.
func (q *Plan) imageEnd(m *image) int {
	p, g := &q.p, q.p.GatherB
	size, length := p.B.Size(), g.Row.Length
	if length >= p.N {
		return (min(q.width, p.N)-1)*g.Row.Step + size
	}
	runs := unsafe.Slice(g.Row.Starts, ceil(p.N, length))
	last, end := (length-1)*g.Row.Step, 0
	for i := range runs {
		if i > 0 && (runs[i]-runs[i-1] <= int64(last) || (runs[i]-runs[i-1])%int64(m.step*size) != 0) {
			return -1
		}
		first := max(i-(q.width-1+length-1)/length, 0)
		end = max(end, int(runs[i]-runs[first]))
	}
	return end + last + size
}

// block plans the spans of a block of k, from element from to before to. It reports whether
// elements of k are whole elements apart.
func (m *image) block(k []int64, from, to, size, end int) bool {
	m.order = m.order[:0]
	for i := from; i < to; i++ {
		m.order = append(m.order, i)
	}
	by := func(x, y int) int { return cmp.Compare(k[x], k[y]) }
	if !slices.IsSortedFunc(m.order, by) {
		slices.SortFunc(m.order, by)
	}
	at := 0
	for i := 0; i < len(m.order); {
		first := k[m.order[i]]
		j := i + 1
		for j < len(m.order) && k[m.order[j]] <= k[m.order[j-1]]+int64(end) {
			j++
		}
		s := imageSpan{from: first, more: k[m.order[j-1]] - first, to: int64(at)}
		// An odd number of cache lines, so that spans do not share the sets of the L1 cache.
		bytes := (ceil((int(s.more)+end)/m.step+size+m.behind, line) | 1) * line
		s.odd = s.to + int64(bytes)
		at += m.step * bytes
		for ; i < j; i++ {
			o := k[m.order[i]] - first
			if o%int64(size) != 0 {
				return false
			}
			if e := o / int64(size); e%int64(m.step) == 0 {
				m.offsets[m.order[i]] = s.to + o/int64(m.step)
			} else {
				m.offsets[m.order[i]] = s.odd + (o-int64(size))/2
			}
		}
		m.spans = append(m.spans, s)
	}
	m.bytes = max(m.bytes, at+2*line) // vectors may end behind the last span
	return true
}

// copyImage copies what a block of columns and of k reads of B, and says where the vectors of
// panels are in the copy.
func (r *run) copyImage(x *block) {
	q := r.plan
	p, c, m, g := &q.p, q.core, q.image, q.p.GatherB
	length := g.Row.Length
	runs := unsafe.Slice(g.Row.Starts, ceil(p.N, length))
	base := runs[x.n/length] + int64(x.n%length*g.Row.Step)
	at := func(n int) int64 { return runs[n/length] + int64(n%length*g.Row.Step) - base }
	panels := ceil(x.columns, c.columns())
	to := r.panels
	last := x.n + x.columns
	all := unsafe.Slice((*panelVectors)(r.vectors), panels)
	for i := range all {
		all[i].mixed = 0
		for j := range c.vecs {
			v, n := &all[i].vectors[j], x.n+i*c.columns()+j*c.lanes
			v.at, v.next, v.count = to, to, int64(c.lanes)
			if n >= last {
				continue
			}
			v.at = to + uintptr(at(n)/int64(m.step))
			if count := length - n%length; count < c.lanes && n+count < last {
				v.count = int64(count)
				all[i].mixed |= 1 << j
				v.next = to + uintptr(at(n+count)/int64(m.step)) - uintptr(count*c.laneSize())
			}
		}
	}
	block := x.k / q.depth
	spans := m.spans[m.first[block]:m.first[block+1]]
	*(*[imageWords]uintptr)(unsafe.Pointer(r.args)) = [imageWords]uintptr{
		imageFrom:  uintptr(r.B) + uintptr(base),
		imageTo:    to,
		imageSpans: uintptr(unsafe.Pointer(&spans[0])),
		imageCount: word(len(spans)),
		imageEnd:   uintptr(at(last-1)) + word(p.B.Size()),
	}
	if b := p.BorderB; b != nil {
		a := (*[imageWords]uintptr)(unsafe.Pointer(r.args))
		a[imageFrom], a[imageFirst], a[imageBorder] = uintptr(r.B), uintptr(base)+word(b.Origin), uintptr(unsafe.Pointer(b))
	}
	r.packB.CallShort(unsafe.Pointer(r.args))
}
