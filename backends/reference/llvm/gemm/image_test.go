package gemm

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// window is a convolution of an image that has its features before its spatial dimensions.
type window struct {
	planes, rows, columns int // of the image's features, and of the result
	high, wide            int // of the window
	step, dilation, gap   int // of columns, of rows of the window, behind a row
	filters               int
	f64, atEnd, fuse      bool
	reversed              bool // the kernel has its filters last, and its window in the reverse order
	border                *around
}

// around is how many elements around an image are 0 and not in memory. Negative ones are in memory
// and not in the image.
type around struct{ top, bottom, left, right int }

// problem returns the product, how many elements memory has of the image, and where it has an
// element of the image, if so.
func (x window) problem() (p Problem, elements int, in func(element int) (int, bool)) {
	d := types.F32
	if x.f64 {
		d = types.F64
	}
	size := d.Size()
	pitch := (x.columns-1)*x.step + x.wide + x.gap
	height := (x.rows-1)*x.step + (x.high-1)*x.dilation + 1
	if x.border != nil {
		pitch -= x.gap
		if x.step == 2 {
			pitch = (pitch + 2) &^ 1
		}
	}
	p = Dense(d, d, d, d, 1, x.filters, x.rows*x.columns, x.planes*x.high*x.wide)
	rows, ks := make([]int64, x.rows), make([]int64, p.K)
	for i := range rows {
		rows[i] = int64(i * x.step * pitch * size)
	}
	for i := range ks {
		plane, row, column := i/(x.high*x.wide), i/x.wide%x.high, i%x.wide
		ks[i] = int64(((plane*height+row*x.dilation)*pitch + column) * size)
	}
	p.StrideB = [3]int{}
	p.GatherB = &Gather{Row: Runs{&rows[0], x.columns, x.step * size}, K: Runs{&ks[0], 1, 0}}
	if x.border == nil {
		return p, x.planes*height*pitch - x.gap, func(i int) (int, bool) { return i, true }
	}
	o := x.border
	wide := (x.columns-1)*x.step + x.wide - o.left - o.right
	row, plane := wide+x.gap, (height-o.top-o.bottom)*(wide+x.gap)
	in = func(i int) (int, bool) {
		i, left := i/pitch, i%pitch-o.left
		of, top := i/height, i%height-o.top
		return of*plane + top*row + left, left >= 0 && left < wide && top >= 0 && top < height-o.top-o.bottom
	}
	starts := make([]int64, x.planes*height)
	for i := range starts {
		of, top := i/height, i%height-o.top
		if starts[i] = int64((of*plane + top*row - o.left) * size); top < 0 || top >= height-o.top-o.bottom {
			starts[i] = NoRow
		}
	}
	p.BorderB = &Border{Rows: &starts[0], Width: pitch, First: min(max(o.left, 0), pitch), Count: len(starts)}
	p.BorderB.End = max(min(o.left+wide, pitch), p.BorderB.First)
	return p, x.planes*plane - x.gap, in
}

// run returns the bytes of the result, and what checks them.
func (x window) run(t *testing.T, on Machine, parts int) ([]byte, func()) {
	r := rand.New(rand.NewPCG(uint64(x.rows), uint64(x.columns)))
	p, elements, in := x.problem()
	tensor := func(n int) *tensor { return newTensor(t, p.A, [3]int{1, 1, n}, orders[0], 0, x.atEnd) }
	a, b, c := tensor(p.M*p.K).fill(r), tensor(max(elements, 1)).fill(r), tensor(p.M*p.N)
	ops := Operands{A: a.pointer(), B: b.pointer(), C: c.pointer()}
	ofA := func(m, k int) int { return m*p.K + k }
	if x.reversed {
		window := x.high * x.wide
		ofA = func(m, k int) int { return ((window-1-k%window)*x.planes+k/window)*x.filters + m }
		starts := make([]int64, p.K)
		for k := range starts {
			starts[k] = int64(ofA(0, k) * p.A.Size())
		}
		p.StrideA = [3]int{}
		p.GatherA = &Gather{Row: Runs{new(int64), x.filters, p.A.Size()}, K: Runs{&starts[0], 1, 0}}
	}
	bias, residual := tensor(p.N).fill(r), newTensor(t, p.A, [3]int{1, p.M, p.N}, orders[0], 0, x.atEnd).fill(r)
	if x.fuse {
		p.Epilogue = biasResidualReLU(kind{p.A, p.A, p.A, p.A})
		ops.Epilogue = pointers(bias.pointer(), residual.pointer(), residual.strides)
	}
	product := bind(t, p, on)
	require.Equal(t, on.FMA() && on.Level != vector.NEON, product.plan.image != nil, "%+v", x)
	multiply(product, parts, ops)
	return c.bytes, func() {
		g, size := p.GatherB, p.A.Size()
		rows, ks := unsafe.Slice(g.Row.Starts, x.rows), unsafe.Slice(g.K.Starts, p.K)
		for m := range p.M {
			for n := range p.N {
				sum, all := 0., 0.
				for k := range p.K {
					at, ok := in((int(rows[n/x.columns]) + n%x.columns*g.Row.Step + int(ks[k])) / size)
					if !ok {
						continue
					}
					v := a.get(0, 0, ofA(m, k)) * b.get(0, 0, at)
					sum, all = sum+v, all+math.Abs(v)
				}
				if x.fuse {
					sum, all = max(sum+bias.get(0, 0, n)+residual.get(0, m, n), 0), all+2
				}
				allowed := float64(p.K+2)*epsilon(p.A)*all + 1.01*epsilon(p.A)*math.Abs(sum)
				if off := math.Abs(c.get(0, 0, m*p.N+n) - sum); !(off <= allowed) {
					require.LessOrEqual(t, off, allowed, "%+v: row %d, column %d", x, m, n)
				}
			}
		}
	}
}

// Convolutions whose vectors lie along the rows of an image read a copy of parts of it, and
// nothing outside of it. What they compute has the same bits in any number of parts. With
// LTC_SOAK=1 there are 600 for each processor.
func TestImages(t *testing.T) {
	for _, on := range machines() {
		t.Run(on.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, 10))
			for range trials.Soak(5, 600) {
				x := window{planes: 1 + r.IntN(5), rows: 6 + r.IntN(8), columns: 32 + r.IntN(50), high: 5 + r.IntN(3), wide: 4 + r.IntN(4),
					step: 1, dilation: 1 + r.IntN(2), gap: r.IntN(4), filters: 1 + r.IntN(40), f64: r.IntN(4) == 0, atEnd: r.IntN(2) == 0, fuse: r.IntN(3) == 0, reversed: r.IntN(3) == 0}
				switch r.IntN(3) {
				case 0:
					x.step, x.high, x.wide = 2, 7, 7
				case 1:
					x.planes, x.filters = 20+r.IntN(20), 1+r.IntN(15) // several blocks of k
				}
				if r.IntN(2) == 0 && on.FMA() && on.Level != vector.NEON {
					x.border = &around{top: r.IntN(6) - 2, bottom: r.IntN(6) - 2, left: r.IntN(9) - 3, right: r.IntN(9) - 3}
				}
				c, check := x.run(t, on, 1)
				check()
				for parts := 2; parts <= 4; parts++ {
					again, _ := x.run(t, on, parts)
					require.Equal(t, c, again, "%+v", x)
				}
			}
		})
	}
}
