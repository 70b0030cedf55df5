package lazy

import (
	"ltc/ir/types"
)

func checkCrossEntropy(x, labels *Tensor) *breach {
	if x.Rank() == 0 {
		return breaks(crossEntropyRank, "x must have an axis, of classes")
	}
	if rows := x.Shape()[:x.Rank()-1]; !labels.Shape().Equal(rows) {
		return breaks(crossEntropyLabels, "labels must be integers of shape %v, one for each row of logits", rows)
	}
	return nil
}

func computeCrossEntropy(x, labels *Tensor) *Tensor {
	// Selected, not multiplied: a class that is not the label may be at -Inf.
	logp := x.LogSoftmax(-1)
	mask := recordLabelMask(labels, x.Dim(-1))
	picked := mask.Where(logp, logp.like(0))
	rows := x.Type().Elements() / max(x.Dim(-1), 1)
	return wide(picked, func(picked *Tensor) *Tensor {
		sum := picked.Sum()
		return sum.Div(sum.like(float64(-rows)))
	})
}

func computeLabelMask(labels *Tensor, classes int) *Tensor {
	return computeOneHot(labels, classes, types.Bool)
}

func checkOneHot(_ *Tensor, classes int, _ types.DType) *breach {
	if classes < 0 {
		return breaks(oneHotClasses, "there cannot be %d classes", classes)
	}
	return nil
}

func computeOneHot(x *Tensor, classes int, dtype types.DType) *Tensor {
	// Compared in 64 bits, so that every class number fits.
	index := x.Convert(types.I64)
	if x.DType() == types.U64 {
		index = x
	}
	return index.Unsqueeze(-1).Equal(Iota(x.tr, index.DType(), 0, classes)).Convert(dtype)
}

func checkTopK(x *Tensor, k, axis int) *breach {
	if d := x.Dim(axis); k < 0 || k > d {
		return breaks(topKK, "k is %d, axis %d has %d elements", k, axis, d)
	}
	return nil
}

func computeTopK(x *Tensor, k, axis int) (values, indices *Tensor) {
	values, indices = x.Sort(axis, true)
	return values.Narrow(axis, 0, k), indices.Narrow(axis, 0, k)
}
