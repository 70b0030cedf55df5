package layers

import (
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/module"
)

// Embedding has a row of Features numbers for each of Rows indices.
type Embedding struct {
	module.Base
	Rows, Features int
	Padding        []int            // an index whose row is zero at first and gets no gradient; nil for none
	Init           lazy.Initializer // of the weight; nil for the normal distribution

	Weight *lazy.Tensor // [Rows, Features]
}

// Build declares the variable.
func (l *Embedding) Build(b *module.Builder) {
	table(b, "layers.Embedding", &l.Weight, l.Init, l.Rows, l.Features, l.Padding)
}

// Forward records the rows that the indices choose, as [indices…, Features].
func (l *Embedding) Forward(indices *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor { return nn.Embedding(l.Weight, indices, l.Padding...) }, indices)
}

// EmbeddingBag has a row of Features numbers for each of Rows indices, and reduces the rows of a bag of indices.
type EmbeddingBag struct {
	module.Base
	Rows, Features int
	Mode           int              // nn.BagSum, nn.BagMean or nn.BagMax. PyTorch's default is nn.BagMean
	Padding        []int            // an index that does not count; nil for none
	Init           lazy.Initializer // of the weight; nil for the normal distribution

	Weight *lazy.Tensor // [Rows, Features]
}

// Build declares the variable.
func (l *EmbeddingBag) Build(b *module.Builder) {
	table(b, "layers.EmbeddingBag", &l.Weight, l.Init, l.Rows, l.Features, l.Padding)
}

// Forward records a row for each bag, as [bags, Features]. Bags are the rows of indices[bags, n], or with offsets[bags] the parts of
// indices[n] that begin there; offsets may be nil. perIndex, which may be nil, multiplies the rows of a sum.
func (l *EmbeddingBag) Forward(indices, offsets, perIndex *lazy.Tensor) *lazy.Tensor {
	return l.Call(func() *lazy.Tensor {
		if offsets == nil {
			return nn.EmbeddingBag(l.Weight, indices, perIndex, l.Mode, l.Padding)
		}
		return nn.EmbeddingBagOffsets(l.Weight, indices, offsets, perIndex, l.Mode, l.Padding)
	}, indices)
}

// table declares the weight of an embedding.
func table(b *module.Builder, layer string, weight **lazy.Tensor, init lazy.Initializer, rows, features int, padding []int) {
	if !positive(b, layer, option{"Rows", rows}, option{"Features", features}) {
		return
	}
	if len(padding) > 1 || len(padding) == 1 && (padding[0] < -rows || padding[0] >= rows) {
		b.Errorf("%s.Padding is %v: give one index from %d to %d, or none", layer, padding, -rows, rows-1)
		return
	}
	if init == nil {
		init = lazy.Normal(0, 1)
	}
	init = byFeatures(init, 2)
	if len(padding) == 1 {
		init = zeroRow(init, (padding[0]+rows)%rows, features)
	}
	b.Variable(weight, init, rows, features)
}

// zeroRow has what init gives but for one row, which is zero.
func zeroRow(init lazy.Initializer, row, features int) lazy.Initializer {
	return lazy.InitializerFunc(func(t types.Type, uniform func() float64) (func() float64, error) {
		next, err := init.Values(t, uniform)
		if err != nil {
			return nil, err
		}
		i := -1
		return func() float64 {
			if i++; i/features == row {
				next()
				return 0
			}
			return next()
		}, nil
	})
}
