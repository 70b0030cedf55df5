package simplify

import (
	"math"
	"slices"

	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// A convolution of an image with zeros between its elements, such as a transposed
// convolution or the gradient of one with a stride, multiplies mostly zeros. Some results
// meet other elements of the kernel than their neighbours: along each dimension the pattern
// repeats after a number of results. Results that meet the same elements are a phase. A
// phase is a convolution of the image without zeros with these elements. See Vincent
// Dumoulin and Francesco Visin, A guide to convolution arithmetic for deep learning,
// arXiv:1603.07285, chapter 4. The zeros that phases skip make no NaN of an infinity in the kernel,
// which by the specification of StableHLO they do.

// mostPhases is the largest number of phases: each is a convolution of its own.
const mostPhases = 64

// phases returns how many phases the results have along each dimension of a convolution of so
// many multiplications, those by zeros included. It is nil if there is one phase, if there are
// too many, or if they save less than their launches take: a launch takes as long as so many
// multiplications.
func (w *window) phases(launch, multiplications int64) []int64 {
	all, n := int64(1), make([]int64, len(w.stride))
	for i := range n {
		// What [window.phase] adds and multiplies fits an int64.
		if dims.GoIsExpr(w.low[i]) || max(w.stride[i], w.dilation[i], w.between[i], w.low[i], -w.low[i]) > math.MaxInt32 {
			return nil
		}
		apart := w.between[i] + 1
		n[i] = apart / gcd(apart, w.stride[i])
		if n[i] > mostPhases/all {
			return nil
		}
		all *= n[i]
	}
	const launches = 3 // of a phase: its image, its kernel, and the product
	if all == 1 || multiplications-multiplications/all < launches*all*launch {
		return nil
	}
	return n
}

// multiplications returns how many multiplications a convolution takes with a kernel; the
// largest number if that is more than an int64.
func multiplications(op *mlir.Op, w *mlir.Value) int64 {
	each := int64(1) // of an element of the result
	for d, n := range tensorOf(w).Shape {
		if int64(d) != stablehlo.AsConvolution(op).DimensionNumbers().KernelOutFeature {
			each *= dims.Typical(n)
		}
	}
	out := dims.Typical(resultType(op).Elements())
	if each > 0 && out > math.MaxInt64/each {
		return math.MaxInt64
	}
	return out * each
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// taps are the elements of a kernel along a dimension that a phase reads.
type taps struct{ first, apart, count int64 }

// phase returns what phase p of so many has of the window along dimension i, for an image
// and a kernel of some sizes there, and results of size out in each phase. The count of the
// taps is 0 if the phase reads nothing but zeros.
func (w *window) phase(i int, p, phases, image, kernel, out int64) (one window, t taps) {
	apart, stride, dilation := w.between[i]+1, w.stride[i], w.dilation[i]
	t.apart = apart / gcd(apart, dilation)
	at := func(k int64) int64 { return p*stride + k*dilation - w.low[i] } // where tap k of result p is in the image with zeros
	for t.first < min(t.apart, kernel) && at(t.first)%apart != 0 {
		t.first++
	}
	if t.first < min(t.apart, kernel) {
		t.count = (kernel - t.first + t.apart - 1) / t.apart
	}
	s, d, low := phases*stride/apart, t.apart*dilation/apart, -at(t.first)/apart
	high := dims.GoSub(dims.GoAdd(dims.GoMul(dims.GoSub(out, 1), s), (t.count-1)*d+1-low), image)
	return window{stride: []int64{s}, dilation: []int64{d}, between: []int64{0}, low: []int64{low}, high: []int64{high}}, t
}

// interleaved emits a convolution of an image and a kernel in normal form, whose zeros
// between the elements of the image are not there yet, as one convolution for each phase.
func (e *editor) interleaved(op *mlir.Op, x, w *mlir.Value, at window, phases []int64, t *mlir.TensorType) *mlir.Value {
	n := len(phases)
	each := slices.Clone(t.Shape) // the results of a phase; the last may have some too many
	for i, p := range phases {
		each[1+i] = dims.GoSteps(t.Shape[1+i], p)
	}
	y := e.phasesFrom(op, x, w, at, phases, nil, like(t, each))
	whole := []int64{each[0]} // y is [batch, each, phases, each, phases, …, feature]
	for i, p := range phases {
		whole = append(whole, dims.GoMul(each[1+i], p))
	}
	y = e.reshape(y, append(whole, each[1+n]))
	r := full(tensorOf(y).Shape)
	copy(r.limit, t.Shape)
	return e.slice(y, r)
}

// phasesFrom emits the phases whose numbers along the first dimensions are chosen. The result
// has a dimension for phases behind each spatial one: those along the dimensions that are not
// chosen are in their order there.
func (e *editor) phasesFrom(op *mlir.Op, x, w *mlir.Value, at window, phases, chosen []int64, t *mlir.TensorType) *mlir.Value {
	if i := len(chosen); i < len(phases) {
		parts := make([]*mlir.Value, phases[i])
		for p := range parts {
			parts[p] = e.phasesFrom(op, x, w, at, phases, append(slices.Clone(chosen), int64(p)), t)
		}
		return e.concatenate(parts, int64(2*i+2))
	}
	shape := []int64{t.Shape[0]}
	for i := range phases {
		shape = append(shape, t.Shape[1+i], 1)
	}
	return e.reshape(e.onePhase(op, x, w, at, phases, chosen, t), append(shape, t.Shape[1+len(phases)]))
}

// onePhase emits the results of one phase.
func (e *editor) onePhase(op *mlir.Op, x, w *mlir.Value, at window, phases, chosen []int64, t *mlir.TensorType) *mlir.Value {
	var one window
	var spatial []int64
	r := full(tensorOf(w).Shape)
	for i, p := range chosen {
		a, taps := at.phase(i, p, phases[i], tensorOf(x).Shape[1+i], tensorOf(w).Shape[i], t.Shape[1+i])
		if taps.count == 0 {
			return e.constant(t, 0)
		}
		one.stride, one.dilation, one.between = append(one.stride, a.stride...), append(one.dilation, a.dilation...), append(one.between, a.between...)
		one.low, one.high = append(one.low, a.low...), append(one.high, a.high...)
		r.start[i], r.stride[i] = taps.first, taps.apart
		spatial = append(spatial, int64(i)+1)
	}
	return e.convolution(op, e.padded(x, spatial, one), e.slice(w, r), one, t)
}
