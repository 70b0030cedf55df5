package cuda

import (
	"math"
	"slices"

	"ltc/backends/cuda/cublaslt"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/ir/types"
)

// product is a step that is products of matrices as cuBLASLt has them, epilogue and
// all.
type product struct {
	problem   cublaslt.Problem
	operands  [5]place // A, B, D, the bias and C of the problem
	work      int64    // multiplications
	algorithm cublaslt.Algorithm
}

// place is where a matrix begins: elements behind an operand's first.
type place struct {
	operand int
	at      int64
}

// leastWork is from how many multiplications on products are the library's, and
// leastSide how many rows and columns these have at least. Smaller ones the kernels of
// package ptx have tiles for. An epilogue that the library has not is fused with the
// product in a kernel, however large that is: what the library computes would have to go
// through memory for it.
const (
	leastWork = 1 << 27
	leastSide = 64
)

// productAlign is what the addresses of a product's matrices are multiples of, in
// bytes: what the library's best algorithms read at a time.
const productAlign = 16

// number is a type of the library's for sums of some type, and what it computes with.
type number struct {
	element, sum types.DType
	of           cublaslt.Type
	compute      cublaslt.Compute
}

var numbers = []number{
	{types.F32, types.F32, cublaslt.F32, cublaslt.ComputeF32},
	{types.F16, types.F32, cublaslt.F16, cublaslt.ComputeF32},
	{types.BF16, types.F32, cublaslt.BF16, cublaslt.ComputeF32},
	{types.F64, types.F64, cublaslt.F64, cublaslt.ComputeF64},
	{types.I8, types.I32, cublaslt.I8, cublaslt.ComputeI32},
}

// stored are the types of results.
var stored = map[types.DType]cublaslt.Type{types.F32: cublaslt.F32, types.F16: cublaslt.F16, types.BF16: cublaslt.BF16, types.F64: cublaslt.F64, types.I32: cublaslt.I32}

// contraction is a kernel that may be a product, with sizes and strides.
type contraction struct {
	k       *kernel.Kernel
	c       *kernel.Contraction
	sizes   []int64
	strides [][]int64 // by operand and dimension
	number  number
	end     epilogue
}

// productOf returns what a step is as products of matrices; nil if it is something
// else.
func productOf(s *plan.Launch, k *kernel.Kernel, tf32 bool) *product {
	if len(s.Moving) > 0 {
		return nil
	}
	if slices.ContainsFunc(k.Params, func(p kernel.Param) bool { return slices.Contains(p.Strides, kernel.TableStride) }) {
		return nil // columns lie anywhere
	}
	c, ok := kernel.AsContraction(k)
	if !ok || len(c.M) == 0 {
		return nil
	}
	x := &contraction{k: k, c: c, sizes: s.Sizes, strides: k.StrideTable(nil, s.Strides)}
	if x.end, ok = epilogueOf(k, c); !ok || !x.typed() {
		return nil
	}
	p, ok := x.matrices()
	if !ok || !distinct(s, p) {
		return nil
	}
	if tf32 && p.problem.Compute == cublaslt.ComputeF32 && x.number.element == types.F32 {
		p.problem.Compute = cublaslt.ComputeTF32
	}
	return p
}

// distinct reports whether no matrix that is read is the one that is written, but for
// one that is added where it lies.
func distinct(s *plan.Launch, p *product) bool {
	to := &p.operands[2]
	for i, o := range p.operands {
		if i == 2 || o.operand < 0 || s.Operands[o.operand].Value != s.Operands[to.operand].Value {
			continue
		}
		if i < 4 || p.problem.C != p.problem.D || s.Operands[o.operand].Offset+o.at != s.Operands[to.operand].Offset+to.at {
			return false
		}
	}
	return true
}

// typed finds out which of numbers both factors and the result are of.
func (x *contraction) typed() bool {
	out := x.k.Params[x.end.to.Param].DType
	for _, n := range numbers {
		if n.sum == x.c.Type && x.plain(&x.c.A, n.element) && x.plain(&x.c.B, n.element) && (out == n.sum || out == n.element && n.sum == types.F32) {
			x.number = n
			return true
		}
	}
	return false
}

// plain reports whether a factor is loaded elements of a type, and nothing else is made
// of them.
func (x *contraction) plain(f *kernel.Factor, t types.DType) bool {
	if f.Load == kernel.None || f.Type != t || x.k.Instrs[f.Load].Type != t {
		return false
	}
	for _, id := range f.Body {
		if id != f.Load && (id != f.Value || x.k.Instrs[id].Op != kernel.Convert) {
			return false
		}
	}
	return true
}

// flat returns how many points some axes have together, and how many elements apart
// neighbours along them are in an operand; false if that is not one number.
func (x *contraction) flat(axes []int, m *kernel.Access) (n, step int64, ok bool) {
	n = 1
	for i := len(axes) - 1; i >= 0; i-- {
		size := x.k.Axis(0, axes[i]).Size.Of(x.sizes)
		if size == 1 {
			continue
		}
		apart := m.StrideAlong(axes[i], x.strides[m.Param])
		if n == 1 {
			step = apart
		} else if apart != step*n {
			return 0, 0, false
		}
		n *= size
	}
	return n, step, true
}

// side is one of the factors: along its own axes and those that are summed.
type side struct {
	load    *kernel.Access
	axes    []int
	n, k    int64
	own, in int64 // elements between neighbours along its own axes, and along K
	to      int64 // and in the result along its own
	apart   int64 // of products
}

func (x *contraction) side(f *kernel.Factor, axes []int, products int64) (s side, ok bool) {
	s = side{load: x.k.Instrs[f.Load].Mem, axes: axes}
	var oks [4]bool
	s.n, s.own, oks[0] = x.flat(axes, s.load)
	s.k, s.in, oks[1] = x.flat(x.c.K, s.load)
	_, s.to, oks[2] = x.flat(axes, x.end.to)
	_, s.apart, oks[3] = x.flat(x.c.Batch, s.load)
	return s, oks == [4]bool{true, true, true, true} && s.n >= 1 && s.k >= 1 && (products == 1 || s.apart >= 0)
}

// matrix is how a factor lies by columns, those of its own axes or of K; whether it is
// that along whose columns K goes.
func (s *side) matrix(t cublaslt.Type) (m cublaslt.Matrix, byK, ok bool) {
	m = cublaslt.Matrix{Type: t, Apart: s.apart}
	switch {
	case s.own == 1 && s.in >= s.n:
		m.Rows, m.Columns, m.Stride = s.n, s.k, s.in
	case s.in == 1 && s.own >= s.k:
		m.Rows, m.Columns, m.Stride, byK = s.k, s.n, s.own, true
	default:
		return m, false, false
	}
	return m, byK, true
}

// matrices finds the matrices of the problem. The library has them by columns: a result
// whose rows lie in memory one behind the other is the transposed product of the
// transposed factors, in the other order.
func (x *contraction) matrices() (*product, bool) {
	products, _, ok := x.flat(x.c.Batch, x.end.to)
	if !ok || products < 1 || products > math.MaxInt32 {
		return nil, false
	}
	a, okA := x.side(&x.c.B, x.c.N, products)
	b, okB := x.side(&x.c.A, x.c.M, products)
	if !okA || !okB {
		return nil, false
	}
	if a.to != 1 {
		a, b = b, a
	}
	if a.to != 1 || b.to < a.n || min(a.n, b.n) < leastSide || max(a.n, b.n, a.k) > math.MaxInt32 {
		return nil, false
	}
	p := &product{work: a.n * b.n * a.k * products}
	q := &p.problem
	var byK [2]bool
	if q.A, byK[0], okA = a.matrix(x.number.of); !okA {
		return nil, false
	}
	if q.B, byK[1], okB = b.matrix(x.number.of); !okB {
		return nil, false
	}
	q.TransA, q.TransB = byK[0], !byK[1]
	_, apart, _ := x.flat(x.c.Batch, x.end.to)
	q.D = cublaslt.Matrix{Type: stored[x.k.Params[x.end.to.Param].DType], Rows: a.n, Columns: b.n, Stride: b.to, Apart: apart}
	q.Products, q.Compute, q.Epilogue, q.Align = int32(products), x.number.compute, cublaslt.Plain, productAlign
	if products > 1 && apart < 1 {
		return nil, false
	}
	p.operands = [5]place{x.place(a.load), x.place(b.load), x.place(x.end.to), {operand: -1}, {operand: -1}}
	for _, m := range x.end.added {
		if !x.bias(p, m, &a, &b) && !x.addend(p, m, &a, &b) {
			return nil, false
		}
	}
	return p, true
}

func (x *contraction) place(m *kernel.Access) place {
	return place{m.Param, m.Origin(x.strides[m.Param])}
}

// bias has elements beside each other, one for each row of D, added; false if what is
// added is something else, or there is a bias already.
func (x *contraction) bias(p *product, m *kernel.Access, rows, columns *side) bool {
	_, step, ok := x.flat(rows.axes, m)
	_, across, okC := x.flat(columns.axes, m)
	_, apart, okB := x.flat(x.c.Batch, m)
	if !ok || !okC || !okB || step != 1 || across != 0 || apart != 0 || p.operands[3].operand >= 0 {
		return false
	}
	p.problem.Epilogue = cublaslt.Bias
	p.problem.Bias = p.problem.D.Type
	p.operands[3] = x.place(m)
	return true
}

// addend has a matrix added; false if what is added is something else, or there is one
// already.
func (x *contraction) addend(p *product, m *kernel.Access, rows, columns *side) bool {
	_, step, ok := x.flat(rows.axes, m)
	_, stride, okC := x.flat(columns.axes, m)
	_, apart, okB := x.flat(x.c.Batch, m)
	if !ok || !okC || !okB || step != 1 || stride < rows.n || p.problem.Products > 1 && apart < 1 || p.problem.Adds {
		return false
	}
	p.problem.C, p.problem.Adds = p.problem.D, true
	p.problem.C.Stride, p.problem.C.Apart = stride, apart
	p.operands[4] = x.place(m)
	return true
}
