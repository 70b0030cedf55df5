package eval

import (
	"fmt"
	"math"
	"strconv"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Batch normalization is computed in f64 and rounded once, with the formulas
// of the specification. The operand is [outer, feature, inner].
type batchNorm struct {
	outer, features, inner int
	epsilon                float64
	f                      *frame // of the run
}

// prepareBatchNorm handles the three ops: they take an operand, then numbers by
// feature, and batch_norm_grad last a gradient like the operand; they return
// something like the operand first, then numbers by feature.
func prepareBatchNorm(b *builder, o *site) error {
	run := (*batchNorm).gradient
	switch o.op.Code {
	case stablehlo.BatchNormInference:
		run = (*batchNorm).inference
	case stablehlo.BatchNormTraining:
		run = (*batchNorm).training
	}
	n, err := newBatchNorm(o)
	if err != nil {
		return err
	}
	in, out := make([]int, len(o.in)), make([]int, len(o.out))
	for i, x := range o.in {
		in[i] = b.converted(o, x.slot, x.dt, loops.F64, x.n)
	}
	for i, t := range o.out {
		out[i] = b.scratch(o, 8*t.n)
	}
	b.emit(func(f *frame) {
		from, to := make([][]float64, len(in)), make([][]float64, len(out))
		for i, s := range in {
			from[i] = at[float64](f, s, o.in[i].n)
		}
		for i, s := range out {
			to[i] = at[float64](f, s, o.out[i].n)
		}
		own := *n
		own.f = f
		run(&own, to, from)
	})
	for i, t := range o.out {
		r, s := b.result(o, i), out[i]
		b.emitKernel(loops.Convert(loops.F64, t.dt), r, t.dt.Size(), s, 8, t.n)
	}
	return nil
}

func newBatchNorm(o *site) (*batchNorm, error) {
	shape := o.in[0].shape
	feature, _ := mlir.Int(o.op.Attrs.Get("feature_index"))
	epsilon, ok := o.op.Attrs.Get("epsilon").(mlir.FloatAttr)
	if !ok {
		return nil, fmt.Errorf("attribute epsilon: want a number of f32, got %v", o.op.Attrs.Get("epsilon"))
	}
	e, err := strconv.ParseFloat(epsilon.Text, 32)
	if err != nil {
		return nil, fmt.Errorf("attribute epsilon: %s is not a finite number", epsilon.Text)
	}
	return &batchNorm{outer: volume(shape[:feature]), features: shape[feature], inner: volume(shape[feature+1:]), epsilon: e}, nil
}

// each visits the elements of one feature.
func (n *batchNorm) each(feature int, visit func(i int)) {
	for i := range n.outer {
		if n.f.due(4 * n.inner) {
			return
		}
		start := (i*n.features + feature) * n.inner
		for k := range n.inner {
			visit(start + k)
		}
	}
}

// sum adds something up over the elements of one feature.
func (n *batchNorm) sum(feature int, of func(i int) float64) float64 {
	total := 0.0
	n.each(feature, func(i int) { total += of(i) })
	return total
}

func (n *batchNorm) inference(out, in [][]float64) {
	x, scale, offset, mean, variance := in[0], in[1], in[2], in[3], in[4]
	for c := range n.features {
		deviation := math.Sqrt(variance[c] + n.epsilon)
		n.each(c, func(i int) { out[0][i] = scale[c]*((x[i]-mean[c])/deviation) + offset[c] })
	}
}

func (n *batchNorm) training(out, in [][]float64) {
	x, mean, variance := in[0], out[1], out[2]
	count := float64(n.outer * n.inner)
	for c := range n.features {
		mean[c] = n.sum(c, func(i int) float64 { return x[i] }) / count
		variance[c] = n.sum(c, func(i int) float64 { return (x[i] - mean[c]) * (x[i] - mean[c]) }) / count
	}
	n.inference(out, [][]float64{x, in[1], in[2], mean, variance})
}

func (n *batchNorm) gradient(out, in [][]float64) {
	x, scale, mean, variance, grad := in[0], in[1], in[2], in[3], in[4]
	count := float64(n.outer * n.inner)
	for c := range n.features {
		deviation := math.Sqrt(variance[c] + n.epsilon)
		sum := n.sum(c, func(i int) float64 { return grad[i] })
		product := n.sum(c, func(i int) float64 { return grad[i] * (x[i] - mean[c]) })
		n.each(c, func(i int) {
			rest := grad[i]*count - sum - product*(x[i]-mean[c])/(variance[c]+n.epsilon)
			out[0][i] = scale[c] / deviation / count * rest
		})
		out[1][c], out[2][c] = product/deviation, sum
	}
}
