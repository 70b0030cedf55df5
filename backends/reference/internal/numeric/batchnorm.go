package numeric

import (
	"math"

	"ltc/backends/reference/internal/loops"
)

// BatchNorm is a batch normalization, with the formulas of the specification. Its operand is
// [outer, feature, inner].
type BatchNorm struct {
	Outer, Features, Inner int
	Epsilon                float64
	Budget                 *loops.Budget // of the run
}

// each visits the elements of one feature.
func (n *BatchNorm) each(feature int, visit func(i int)) {
	for i := range n.Outer {
		if n.Budget.Due(4 * n.Inner) {
			return
		}
		start := (i*n.Features + feature) * n.Inner
		for k := range n.Inner {
			visit(start + k)
		}
	}
}

// sum adds something up over the elements of one feature.
func (n *BatchNorm) sum(feature int, of func(i int) float64) float64 {
	total := 0.0
	n.each(feature, func(i int) { total += of(i) })
	return total
}

// Inference returns in out the operand, scaled and shifted by feature, for an operand, scales,
// offsets, means and variances.
func (n *BatchNorm) Inference(out, in [][]float64) {
	x, scale, offset, mean, variance := in[0], in[1], in[2], in[3], in[4]
	for c := range n.Features {
		deviation := math.Sqrt(variance[c] + n.Epsilon)
		n.each(c, func(i int) { out[0][i] = scale[c]*((x[i]-mean[c])/deviation) + offset[c] })
	}
}

// Training returns in out that of [BatchNorm.Inference], and the means and variances, for an operand,
// scales and offsets.
func (n *BatchNorm) Training(out, in [][]float64) {
	x, mean, variance := in[0], out[1], out[2]
	count := float64(n.Outer * n.Inner)
	for c := range n.Features {
		mean[c] = n.sum(c, func(i int) float64 { return x[i] }) / count
		variance[c] = n.sum(c, func(i int) float64 { return (x[i] - mean[c]) * (x[i] - mean[c]) }) / count
	}
	n.Inference(out, [][]float64{x, in[1], in[2], mean, variance})
}

// Gradient returns in out the gradients by operand, scale and offset, for an operand, scales, means,
// variances and the gradient by result.
func (n *BatchNorm) Gradient(out, in [][]float64) {
	x, scale, mean, variance, grad := in[0], in[1], in[2], in[3], in[4]
	count := float64(n.Outer * n.Inner)
	for c := range n.Features {
		deviation := math.Sqrt(variance[c] + n.Epsilon)
		sum := n.sum(c, func(i int) float64 { return grad[i] })
		product := n.sum(c, func(i int) float64 { return grad[i] * (x[i] - mean[c]) })
		n.each(c, func(i int) {
			rest := grad[i]*count - sum - product*(x[i]-mean[c])/(variance[c]+n.Epsilon)
			out[0][i] = scale[c] / deviation / count * rest
		})
		out[1][c], out[2][c] = product/deviation, sum
	}
}
