package fourier

import (
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Passes is a transform of one length in several passes, each a stage of a kernel.
type Passes struct {
	N       int
	Radices []int // as [Radices] returns them
	Inverse bool
	DType   types.DType // of the parts
	// Load writes the load of the element at a place of the transformed dimension, and
	// Store that of a result.
	Load  func(at kernel.Index) Complex
	Store func(at kernel.Index, v Complex)
	// Table adds an operand with constants and returns its number.
	Table func(dims []int, values []float64) int
	// Locals are those of the parts that each pass but the last one leaves to the next one.
	// Write adds them, unless they are there: those of passes with the same radices.
	Locals [][2]int
}

// pass is a pass while it is written. So many transforms are done by the passes before, side by
// side; left elements of each are to be transformed.
type pass struct {
	Arithmetic
	of         *Passes
	number     int
	done, left int
	axes       []kernel.Axis
	// row is which of the transforms, and at which of its places. The last pass stores at to,
	// besides a multiple of done.
	row, at, to kernel.Index
}

// Write writes the stages to a kernel that has its axes.
func (p *Passes) Write(b *kernel.Builder) {
	done := 1
	for i, r := range p.Radices {
		s := pass{Arithmetic: Arithmetic{b, p.DType}, of: p, number: i, done: done, left: p.N / done, row: kernel.At(0), at: kernel.At(0), to: kernel.At(0)}
		if s.left > r {
			s.middle(r)
		} else {
			s.last(r)
		}
		done *= r
	}
}

// axis adds an axis of the stage, and returns its number.
func (p *pass) axis(n int) int {
	p.axes = append(p.axes, kernel.Axis{Name: kernel.StageAxisName(len(p.axes)), Size: kernel.Size(n)})
	return p.ParallelAxes() + len(p.axes) - 1
}

// transformed begins the stage, and transforms as many elements as the radix.
func (p *pass) transformed(r int) []Complex {
	p.Stage(p.axes...)
	load := p.of.Load
	if p.number > 0 {
		from := p.of.Locals[p.number-1]
		load = func(at kernel.Index) Complex {
			return Complex{p.LoadLocal(from[0], p.row, at), p.LoadLocal(from[1], p.row, at)}
		}
	}
	x := make([]Complex, r)
	for j := range x {
		x[j] = load(p.at.Plus(int64(p.left / r * j)))
	}
	return p.transform(x, p.of.Inverse)
}

// middle writes a pass that leaves transforms to later ones. Element k of each is multiplied with
// roots of unity, along the places that are left.
func (p *pass) middle(r int) {
	m := p.left / r
	table := p.of.Table([]int{2, r - 1, m}, p.of.twiddles(r, m))
	if p.number > 0 {
		p.row = kernel.Along(p.axis(p.done))
	}
	p.at = kernel.Along(p.axis(m))
	to := p.locals(p.done*r, m)
	for k, v := range p.transformed(r) {
		if k > 0 {
			row := kernel.At(int64(k - 1))
			v = p.Times(v, Complex{p.Load(table, kernel.At(0), row, p.at), p.Load(table, kernel.At(1), row, p.at)})
		}
		v = p.Whole(v)
		row := kernel.At(int64(k))
		for _, t := range p.row.Terms {
			row.Terms = append(row.Terms, kernel.Term{Axis: t.Axis, Factor: t.Factor * int64(r)})
		}
		p.StoreLocal(to[0], v.Re, row, p.at)
		p.StoreLocal(to[1], v.Im, row, p.at)
	}
}

// last writes the pass that stores the result. Its axes are the digits of a place, of which the
// first pass has made the lowest one: vectors lie along that.
func (p *pass) last(r int) {
	before := p.of.Radices[:p.number]
	weight := p.done
	for d, f := len(before)-1, 1; d >= 0; d-- {
		x := p.axis(before[d])
		weight /= before[d]
		p.row.Terms = append(p.row.Terms, kernel.Term{Axis: x, Factor: int64(f)})
		p.to.Terms = append(p.to.Terms, kernel.Term{Axis: x, Factor: int64(weight)})
		f *= before[d]
	}
	for k, v := range p.transformed(r) {
		p.of.Store(p.to.Plus(int64(p.done*k)), p.Whole(v))
	}
}

// locals returns the pair of locals that a pass stores to, of which [LocalBytes] has the sizes.
func (p *pass) locals(rows, columns int) [2]int {
	if p.number == len(p.of.Locals) {
		var pair [2]int
		for i := range pair {
			pair[i] = p.Local(kernel.Local{Name: kernel.LocalName(len(p.Kernel().Locals)), DType: p.DType, Dims: []kernel.Size{kernel.Size(localRows(rows)), kernel.Size(columns)}})
		}
		p.of.Locals = append(p.of.Locals, pair)
	}
	return p.of.Locals[p.number]
}

// twiddles returns exp(s·2πipk/(r·m)) for k = 1…r-1 and p = 0…m-1: real parts, then imaginary
// ones.
func (p *Passes) twiddles(r, m int) []float64 {
	all := make([]float64, 2*(r-1)*m)
	re, im := all[:(r-1)*m], all[(r-1)*m:]
	for k := 1; k < r; k++ {
		for j := range m {
			i := (k-1)*m + j
			re[i], im[i] = Root(j*k%(r*m), r*m)
			if !p.Inverse {
				im[i] = -im[i]
			}
		}
	}
	return all
}
