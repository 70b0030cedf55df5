package optim

import (
	"fmt"

	"ltc/ir/types"
	"ltc/lazy"
)

// ClipNorm returns gradients scaled so that the norm of all elements is at
// most limit, and the norm before, f64 if a gradient is, else f32. It
// is PyTorch's clip_grad_norm_: the factor is limit / (norm + 1e-6), at most 1. Gradients that
// are nil stay nil. Of no gradients the norm is nil.
func ClipNorm(grads []*lazy.Tensor, limit float64) (clipped []*lazy.Tensor, norm *lazy.Tensor, err error) {
	if !(limit > 0) {
		return nil, nil, fmt.Errorf("clip: the norm's limit %v is not above 0", limit)
	}
	widest := types.F32
	for _, g := range grads {
		if g != nil && g.DType() == types.F64 {
			widest = types.F64
		}
	}
	for _, g := range grads {
		if g == nil {
			continue
		}
		x := g.AsType(wide(g.DType()))
		square := x.Mul(x).Sum().AsType(widest)
		if norm == nil {
			norm = square
		} else {
			norm = norm.Add(square)
		}
	}
	if norm == nil {
		return grads, nil, nil
	}
	norm = norm.Sqrt()
	if norm.Err() != nil {
		return nil, nil, norm.Err()
	}
	factor := norm.AddScalar(1e-6).RDivScalar(limit).MinimumScalar(1)
	clipped = each(grads, func(g *lazy.Tensor) *lazy.Tensor {
		d := wide(g.DType())
		return g.AsType(d).Mul(factor.AsType(d)).AsType(g.DType())
	})
	return clipped, norm, nil
}

// ClipValue returns gradients whose elements are at least -limit and at most limit, as
// PyTorch's clip_grad_value_.
func ClipValue(grads []*lazy.Tensor, limit float64) (clipped []*lazy.Tensor, err error) {
	if !(limit > 0) {
		return nil, fmt.Errorf("clip: the values' limit %v is not above 0", limit)
	}
	return each(grads, func(g *lazy.Tensor) *lazy.Tensor { return g.ClampScalar(-limit, limit) }), nil
}

// each returns f of all gradients but those that are nil.
func each(grads []*lazy.Tensor, f func(*lazy.Tensor) *lazy.Tensor) []*lazy.Tensor {
	all := make([]*lazy.Tensor, len(grads))
	for i, g := range grads {
		if g != nil {
			all[i] = f(g)
		}
	}
	return all
}
