package llvm

import (
	"cmp"
	"context"
	"slices"
	"unsafe"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/gemm"
	"ltc/internal/spare"
)

// spreadKernel is a product whose sum runs over several axes: a convolution. It is an
// implicit product of matrices: rows of A and elements of the sum are located by
// tables as blocks of the operands are packed.
type spreadKernel struct{ productKernel }

var (
	_ kernel.Binder   = (*spreadKernel)(nil)
	_ kernel.Preparer = (*spreadKernel)(nil)
	_ kernel.Holder   = (*spread)(nil)
)

// Prepare plans the product for sizes and compiles what is missing.
func (p *spreadKernel) Prepare(ctx context.Context, sizes, strides []int64, last kernel.Code) (kernel.Code, error) {
	r, _ := last.(*spread)
	if r == nil {
		if t, err := p.standIn(ctx, p.newSpread(), sizes, strides); t != nil || err != nil {
			return t, err
		}
		r = p.newSpread()
	}
	return r, r.become(ctx, sizes, strides)
}

func (p *spreadKernel) newSpread() *spread {
	r := &spread{product: product{of: &p.productKernel}}
	r.others = spare.New(4, func() *spread { return &spread{product: product{of: &p.productKernel}, others: r.others} })
	return r
}

// Bind has products keep B; see [productKernel.Bind].
func (p *spreadKernel) Bind(mem []unsafe.Pointer, k kernel.Keeper) kernel.Code {
	if b := p.productKernel.Bind(mem, k).(*productKernel); b != &p.productKernel {
		return &spreadKernel{*b}
	}
	return p
}

// spread is such a product for sizes that are known. The last axes of M along which C
// lies as along one are the rows of its matrices, those of N its columns, and the others
// outer axes.
type spread struct {
	product
	rowsA, columnsB, sumA, sumB offsetTable

	gathers [2]gemm.Gather      // of A and B
	sums    []int               // the axes of the sum, in the order of the tables
	border  border              // of B, if the product says that it has one
	others  *spare.Pool[spread] // for other strides
}

// offsetTable locates the points of some axes of a factor.
type offsetTable struct {
	gemm.Runs
	starts []int64
	axes   []factorAxis
}

// factorAxis is an axis: its number, its size, and the bytes that a factor moves for
// a step.
type factorAxis struct {
	axis int
	size int
	step int64
}

// become makes r the product for sizes and strides.
func (r *spread) become(ctx context.Context, sizes, strides []int64) error {
	problem, ok := r.locate(sizes, strides)
	if !ok {
		return r.alone(ctx)
	}
	return r.planned(ctx, problem, sizes)
}

// locate is as that of a product. If the product does not read an image without its border, B is
// the padded image.
func (r *spread) locate(sizes, strides []int64) (gemm.Problem, bool) {
	r.border.whole = false
	problem, ok := r.locateAll(sizes, strides)
	if !r.of.Border || ok && r.replan(problem) == nil && r.plan.ReadsImage() {
		return problem, ok
	}
	r.border.whole = true
	return r.locateAll(sizes, strides)
}

// locateAll is locate, of a B as r.border says.
func (r *spread) locateAll(sizes, strides []int64) (gemm.Problem, bool) {
	p := r.of
	r.own, r.packed, r.points, r.outer = nil, nil, 1, r.outer[:0]
	r.strides = append(r.strides[:0], strides...)
	r.table = p.Kernel.StrideTable(r.table, strides)
	problem := p.ProblemIn(sizes, r.table)
	if r.flops = flopsOf(&problem); r.flops < fewFlops || problem.StrideC[2] != 1 {
		return problem, false
	}
	p.Locate(&r.factors, r.table)
	inBytes(&r.factors, &problem)
	columns := r.columnAxes(sizes)
	if p.Border && !r.border.locate(r, columns, sizes) {
		return problem, false
	}
	rows := r.findRows(&problem, sizes)
	r.findColumns(&problem, columns, sizes)
	if b := &r.border; p.Border && !b.whole && !b.even && r.columnsB.Step == 2*int(b.element) {
		return problem, false // such copies write over the last element of each row
	}
	for _, a := range p.Outer {
		n := 1
		if !slices.Contains(rows, a) && !slices.Contains(columns, a) {
			n = r.extent(a, sizes)
		}
		r.outer, r.points = append(r.outer, n), r.points*n
	}
	if r.points == 0 {
		return problem, false
	}
	if p.Border {
		r.border.move(&r.factors[1], p.Outer)
	}
	if p.Border && !r.border.whole {
		problem.BorderB = &r.border.Border
	}
	r.findSums(&problem, sizes)
	r.gathers = [2]gemm.Gather{{Row: r.rowsA.Runs, K: r.sumA.Runs}, {Row: r.columnsB.Runs, K: r.sumB.Runs}}
	if size := problem.B.Size(); len(r.columnsB.starts) > 1 || len(r.sumB.starts) > 1 && (r.columnsB.Step == 2*size || r.sumB.Step == size && !r.gathers[1].AlongK(size, problem.N)) {
		r.sumB.flatten() // columns are packed in vectors then
		r.gathers[1].K = r.sumB.Runs
	}
	if len(r.rowsA.starts) == 1 && len(r.sumA.starts) == 1 {
		problem.StrideA[1], problem.StrideA[2] = r.rowsA.Step/problem.A.Size(), r.sumA.Step/problem.A.Size()
	} else {
		problem.GatherA = &r.gathers[0]
	}
	if len(r.columnsB.starts) == 1 && len(r.sumB.starts) == 1 {
		problem.StrideB[2] = r.columnsB.Step / problem.B.Size()
		problem.StrideB[1] = r.sumB.Step / problem.B.Size()
	} else {
		problem.GatherB = &r.gathers[1]
	}
	return problem, true
}

func (r *spread) extent(axis int, sizes []int64) int {
	return int(r.of.Kernel.Axis(0, axis).Size.Of(sizes))
}

// findRows locates the rows of A and C, and returns the axes whose points they are.
func (r *spread) findRows(problem *gemm.Problem, sizes []int64) (rows []int) {
	p := r.of
	m := p.Contraction.M
	first := len(m)
	total, step := 1, int64(0)
	for first > 0 {
		a := m[first-1]
		n, c := r.extent(a, sizes), r.along(a)[2]
		if n != 1 {
			if total != 1 && c != step*int64(total) {
				break
			}
			if total == 1 {
				step = c
			}
			total *= n
		}
		first--
	}
	problem.M, problem.StrideC[1] = total, int(step)
	r.rowsA.locate(m[first:], 0, problem.A.Size(), r, sizes)
	return m[first:]
}

// columnAxes returns the axes whose points are the columns of B and C.
func (r *spread) columnAxes(sizes []int64) []int {
	p := r.of
	n := p.Contraction.N
	first, total := len(n)-1, r.extent(p.N, sizes)
	for first > 0 && (r.extent(n[first-1], sizes) == 1 || p.Follows(n[first-1], int64(total), r.table)) {
		first--
		total *= r.extent(n[first], sizes)
	}
	return n[first:]
}

// findColumns locates the columns of B and C, the points of some axes.
func (r *spread) findColumns(problem *gemm.Problem, axes []int, sizes []int64) {
	problem.N = 1
	for _, a := range axes {
		problem.N *= r.extent(a, sizes)
	}
	r.columnsB.locate(axes, 1, problem.B.Size(), r, sizes)
}

// along returns how many elements A, B and C move for a step of an axis: B in the padded image, if
// it has a border.
func (r *spread) along(axis int) [3]int64 {
	all := r.of.Along(axis, r.table)
	if r.of.Border {
		all[1] = r.border.along(axis)
	}
	return all
}

// findSums locates the elements of the sum, in the order in which the factor that has
// more to pack has them in memory: it is packed in vectors then.
func (r *spread) findSums(problem *gemm.Problem, sizes []int64) {
	p, larger := r.of, 0
	if problem.N > problem.M {
		larger = 1
	}
	r.sums = append(r.sums[:0], p.Contraction.K...)
	order := r.sums
	slices.SortStableFunc(order, func(x, y int) int {
		return -cmp.Compare(abs(r.along(x)[larger]), abs(r.along(y)[larger]))
	})
	r.order = r.order[:0]
	for _, a := range order {
		r.order = append(r.order, int64(a-len(p.Kernel.Axes)))
	}
	r.sumA.locate(order, 0, problem.A.Size(), r, sizes)
	r.sumB.locate(order, 1, problem.B.Size(), r, sizes)
}

func abs(x int64) int64 { return max(x, -x) }

// locate finds where a factor has the points of some axes, in their order, in
// elements of a size.
func (t *offsetTable) locate(axes []int, factor, size int, r *spread, sizes []int64) {
	t.axes = t.axes[:0]
	for _, a := range axes {
		if n := r.extent(a, sizes); n != 1 {
			t.axes = append(t.axes, factorAxis{a, n, r.along(a)[factor] * int64(size)})
		}
	}
	t.Length, t.Step = 1, 0
	last := len(t.axes)
	for ; last > 0; last-- {
		a := t.axes[last-1]
		if t.Length != 1 && a.step != int64(t.Step*t.Length) {
			break
		}
		if t.Length == 1 {
			t.Step = int(a.step)
		}
		t.Length *= a.size
	}
	t.starts = append(t.starts[:0], 0)
	for _, a := range t.axes[:last] { // each point so far becomes as many as the axis has
		before := len(t.starts)
		t.starts = slices.Grow(t.starts, before*(a.size-1))[:before*a.size]
		for i := before - 1; i >= 0; i-- {
			from := t.starts[i]
			for j := range a.size {
				t.starts[i*a.size+j] = from + int64(j)*a.step
			}
		}
	}
	t.Starts = &t.starts[0]
}

// flatten makes each run one of a single point.
func (t *offsetTable) flatten() {
	n := len(t.starts)
	t.starts = slices.Grow(t.starts, n*(t.Length-1))[:n*t.Length]
	for i := len(t.starts) - 1; i >= 0; i-- {
		t.starts[i] = t.starts[i/t.Length] + int64(i%t.Length*t.Step)
	}
	t.Runs = gemm.Runs{Starts: &t.starts[0], Length: 1}
}

// HeldBytes is the size of the tables.
func (r *spread) HeldBytes() int {
	return (cap(r.border.rows) + cap(r.rowsA.starts) + cap(r.columnsB.starts) + cap(r.sumA.starts) + cap(r.sumB.starts)) * int(unsafe.Sizeof(*r.rowsA.Starts))
}

// mostPadded is about how many bytes the parts of a product pad together.
const mostPadded = 1 << 28

// Parts returns how many parts are worth it. If the image is padded as a whole, each part pads all
// of it: there are no more parts than threads then, and few of a large image.
func (r *spread) Parts(sizes []int64, threads int) int {
	if r.own != nil || !r.border.whole {
		return r.product.Parts(sizes, threads)
	}
	return r.partsOf(min(threads, max(mostPadded/max(r.border.bytes(), 1), 1)))
}

// Scratch returns the workspace of a part. If the image is padded as a whole, each part pads all of
// it in a workspace of its own.
func (r *spread) Scratch(sizes []int64, parts int) int {
	n := r.product.Scratch(sizes, parts)
	if r.own == nil && r.border.whole {
		n += r.border.bytes()
	}
	return n
}

// Run runs a part.
func (r *spread) Run(c *kernel.Call) error {
	switch {
	case r.own != nil:
		return r.own.Run(c)
	case !slices.Equal(c.Strides, r.strides):
		return r.elsewhere(c)
	case r.border.whole:
		padded := unsafe.Add(c.Scratch, r.product.Scratch(c.Sizes, c.Parts))
		r.border.pad(padded, c.Mem[r.factors[1].Param])
		return r.run(c, padded)
	}
	return r.run(c, nil)
}

// elsewhere runs a part for other strides than r is for.
func (r *spread) elsewhere(c *kernel.Call) error {
	m := r.others.Get()
	defer r.others.Put(m)
	if err := m.become(c.Context(), c.Sizes, c.Strides); err != nil {
		return err
	}
	if n := m.Scratch(c.Sizes, c.Parts); n > r.Scratch(c.Sizes, c.Parts) { // of other code, or of more rows
		had := c.Scratch
		defer func() { c.Scratch = had }()
		b := make([]byte, n+64)
		c.Scratch = unsafe.Pointer(&b[-uintptr(unsafe.Pointer(&b[0]))&63])
	}
	return m.Run(c)
}
