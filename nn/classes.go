package nn

import (
	"fmt"
	"slices"

	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
)

// CrossEntropyOptions say which classes and rows count for [CrossEntropy] and [NLLLoss], and how
// much. Their zero value is what PyTorch does by default.
type CrossEntropyOptions struct {
	Weight    *lazy.Tensor // of each class, [classes]; nil: 1
	Ignore    *int         // the label of rows that do not count; nil: -100
	Smoothing float64      // how much of the target is of all classes alike, from 0 to 1; [NLLLoss] takes none
	Reduction Reduction    // ReduceMean
}

func (o *CrossEntropyOptions) ignored() int {
	if o.Ignore == nil {
		return -100
	}
	return *o.Ignore
}

// CrossEntropy returns the loss of logits x[batch, classes, places…] for integer labels
// [batch, places…], or for probabilities of the shape of x. An x of one axis is of classes. The mean is
// over the rows that count, by the weights of their labels; over all rows for probabilities.
func CrossEntropy(x, target *lazy.Tensor, o CrossEntropyOptions) *lazy.Tensor {
	if target.DType().IsFloat() {
		if x.Rank() > 0 && target.OpenShape().Equal(rowsOf(x)) {
			why := fmt.Sprintf("target is %v: labels are integers, convert them with Convert(lazy.I64); floats are probabilities, of the shape %v of x", target.Type(), x.OpenShape())
			return lazy.Refuse(lazy.ErrType, "nn.cross_entropy", why, x, target)
		}
		return functions.As("nn.cross_entropy", func() *lazy.Tensor {
			return recordCrossEntropySoft(x, target, o.Weight, o.Smoothing, o.Reduction)
		}, x, target, o.Weight)
	}
	return recordCrossEntropy(x, target, o.Weight, o.ignored(), o.Smoothing, o.Reduction)
}

// NLLLoss is [CrossEntropy] for logarithms of probabilities, such as LogSoftmax gives.
func NLLLoss(x, labels *lazy.Tensor, o CrossEntropyOptions) *lazy.Tensor {
	return recordNLLLoss(x, labels, o.Weight, o.ignored(), o.Reduction)
}

// classesOf returns the axis of classes.
func classesOf(x *lazy.Tensor) int { return min(x.Rank()-1, 1) }

// rowsOf returns the shape of labels for x, which has an axis.
func rowsOf(x *lazy.Tensor) types.Shape {
	c := classesOf(x)
	return slices.Delete(slices.Clone(x.OpenShape()), c, c+1)
}

// demands are the names of what functions of classes have in common.
type demands struct{ rank, labels, weight, portion, reduction string }

// classes returns the demand that operands and attributes do not meet.
func (d demands) classes(x, labels, weight *lazy.Tensor, smoothing float64, r Reduction) (demand, reason string) {
	if x.Rank() == 0 {
		return d.rank, "x has no axis"
	}
	c := classesOf(x)
	if rows := rowsOf(x); labels != nil && !labels.OpenShape().Equal(rows) {
		return d.labels, fmt.Sprintf("labels must be of shape %v, one for each row of logits", rows)
	}
	if weight != nil && (weight.Rank() != 1 || weight.OpenDim(0) != x.OpenDim(c)) {
		return d.weight, fmt.Sprintf("the number of classes is %v, weight is %v", x.OpenDim(c), weight.Type())
	}
	if smoothing < 0 || smoothing > 1 {
		return d.portion, fmt.Sprintf("smoothing is %v, must be from 0 to 1", smoothing)
	}
	if why := noReduction(r); why != "" {
		return d.reduction, why
	}
	return "", ""
}

func checkCrossEntropy(x, labels, weight *lazy.Tensor, _ int, smoothing float64, r int) (demand, reason string) {
	return demands{crossEntropyRank, crossEntropyLabels, crossEntropyWeight, crossEntropyPortion, crossEntropyReduction}.classes(x, labels, weight, smoothing, r)
}

func computeCrossEntropy(x, labels, weight *lazy.Tensor, ignore int, smoothing float64, r int) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, weight)
	return labelled(v[0].LogSoftmax(classesOf(x)), labels, v[1], ignore, smoothing, r).Convert(d)
}

func checkNLLLoss(x, labels, weight *lazy.Tensor, _, r int) (demand, reason string) {
	return demands{rank: nLLLossRank, labels: nLLLossLabels, weight: nLLLossWeight, reduction: nLLLossReduction}.classes(x, labels, weight, 0, r)
}

func computeNLLLoss(x, labels, weight *lazy.Tensor, ignore, r int) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, weight)
	return labelled(v[0], labels, v[1], ignore, 0, r).Convert(d)
}

// labelled returns the loss of logarithms of probabilities for labels.
func labelled(logp, labels, weight *lazy.Tensor, ignore int, smoothing float64, r Reduction) *lazy.Tensor {
	c := classesOf(logp)
	counted := labels.Convert(lazy.I64).NotEqual(lazy.Const(labels.Trace(), lazy.I64, float64(ignore)))
	is := atLabels(logp, counted.WhereScalar(labels, 0), c)
	// Selected, not multiplied: a class that is not the label may be at -Inf.
	losses := is.WhereScalar(logp, 0).Sum(c).Neg()
	var of *lazy.Tensor // how much a row counts
	if weight == nil {
		of = counted.Convert(logp.DType())
	} else {
		weight = alongAxis(weight, logp, c)
		of = counted.WhereScalar(is.WhereScalar(weight, 0).Sum(c), 0)
		losses = losses.Mul(of)
	}
	losses = counted.WhereScalar(losses, 0)
	if smoothing > 0 {
		all := logp
		if weight != nil {
			all = all.Mul(weight)
		}
		share := number(logp, smoothing).Div(logp.Size(c).Convert(logp.DType()))
		losses = losses.MulScalar(1 - smoothing).Sub(counted.WhereScalar(all.Sum(c), 0).Mul(share))
	}
	if r == ReduceMean {
		return losses.Sum().Div(of.Sum())
	}
	return reduced(losses, r)
}

// atLabels returns where along the axis the labels are, with the shape of x.
func atLabels(x, labels *lazy.Tensor, axis int) *lazy.Tensor {
	is := labels.OneHot(x.OpenDim(axis), lazy.Bool)
	perm := allBut(x, x.Rank()-1)
	return is.Transpose(slices.Insert(perm, axis, x.Rank()-1)...)
}

// alongAxis returns v so that it broadcasts along the axis of x.
func alongAxis(v, x *lazy.Tensor, axis int) *lazy.Tensor {
	dims := slices.Repeat([]int{1}, x.Rank()-axis)
	dims[0] = v.OpenDim(0)
	return v.Reshape(dims...)
}

func checkCrossEntropySoft(x, target, weight *lazy.Tensor, smoothing float64, r int) (demand, reason string) {
	if !target.OpenShape().Equal(x.OpenShape()) {
		return crossEntropySoftTarget, fmt.Sprintf("target is %v: probabilities must have the shape %v of x, and labels are integers", target.Type(), x.OpenShape())
	}
	return demands{rank: crossEntropySoftRank, weight: crossEntropySoftWeight, portion: crossEntropySoftPortion, reduction: crossEntropySoftReduction}.classes(x, nil, weight, smoothing, r)
}

func computeCrossEntropySoft(x, target, weight *lazy.Tensor, smoothing float64, r int) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, target, weight)
	x, target = v[0], v[1]
	c := classesOf(x)
	terms := x.LogSoftmax(c)
	if v[2] != nil {
		terms = terms.Mul(alongAxis(v[2], x, c))
	}
	if smoothing > 0 {
		target = target.MulScalar(1 - smoothing).Add(number(x, smoothing).Div(x.Size(c).Convert(x.DType())))
	}
	return reduced(terms.Mul(target).Sum(c).Neg(), r).Convert(d)
}

// BCEOptions say how the terms of [BCEWithLogits] are weighed.
type BCEOptions struct {
	Weight    *lazy.Tensor // of each element, broadcast to x; nil: 1
	Positive  *lazy.Tensor // of the terms of the target, broadcast to x; nil: 1
	Reduction Reduction    // ReduceMean
}

// BCEWithLogits returns the binary cross-entropy of sigmoid(x) and a target from 0 to 1, exact where
// sigmoid(x) is near 0 or 1.
func BCEWithLogits(x, target *lazy.Tensor, o BCEOptions) *lazy.Tensor {
	if o.Positive == nil && o.Weight != nil {
		o.Positive = number(x, 1)
	}
	return recordBCEWithLogits(x, target, o.Positive, o.Weight, o.Reduction)
}

func checkBCEWithLogits(x, target, positive, weight *lazy.Tensor, r int) (demand, reason string) {
	if !target.OpenShape().Equal(x.OpenShape()) {
		return bCEWithLogitsShapes, "target must have the shape of x"
	}
	if positive != nil && !broadcastsTo(positive, x) || weight != nil && !broadcastsTo(weight, x) {
		return bCEWithLogitsWeight, fmt.Sprintf("weights must broadcast to %v", x.OpenShape())
	}
	return pair(x, x, r, "", bCEWithLogitsReduction)
}

func computeBCEWithLogits(x, target, positive, weight *lazy.Tensor, r int) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, target, positive, weight)
	y := logitTerms(v[0], v[1], v[2])
	if weight != nil {
		y = y.Mul(v[3])
	}
	return reduced(y, r).Convert(d)
}

// logitTerms are the binary cross-entropy of sigmoid(x) and t, of which the terms with t are weighed.
func logitTerms(x, t, positive *lazy.Tensor) *lazy.Tensor {
	y := softplus(x.Neg())
	if positive != nil {
		y = y.Mul(positive.SubScalar(1).Mul(t).AddScalar(1))
	}
	return x.Mul(t.Neg().AddScalar(1)).Add(y)
}

func checkBCELoss(x, target, weight *lazy.Tensor, r int) (demand, reason string) {
	if !target.OpenShape().Equal(x.OpenShape()) {
		return bCELossShapes, "target must have the shape of x"
	}
	if weight != nil && !broadcastsTo(weight, x) {
		return bCELossWeight, fmt.Sprintf("weight must broadcast to %v", x.OpenShape())
	}
	return pair(x, x, r, "", bCELossReduction)
}

func computeBCELoss(x, target, weight *lazy.Tensor, r int) *lazy.Tensor {
	d, v := x.DType(), functions.InF32(x, target, weight)
	y := recordBCETerms(v[0], v[1])
	if weight != nil {
		y = y.Mul(v[2])
	}
	return reduced(y, r).Convert(d)
}

func computeBCETerms(x, target *lazy.Tensor) *lazy.Tensor {
	a, b := logTerms(x)
	return target.Neg().AddScalar(1).Mul(b).Add(target.Mul(a)).Neg()
}

// logTerms returns log x and log(1-x), at least -100.
func logTerms(x *lazy.Tensor) (a, b *lazy.Tensor) {
	return x.Log().MaximumScalar(-100), x.Neg().Log1p().MaximumScalar(-100)
}

// gradBCETerms is what PyTorch has, which is finite at the ends.
func gradBCETerms(x, target, _, ct *lazy.Tensor) []*lazy.Tensor {
	a, b := logTerms(x)
	slope := x.Sub(target).Div(x.Neg().AddScalar(1).Mul(x).MaximumScalar(1e-12))
	return []*lazy.Tensor{ct.Mul(slope), ct.Mul(b.Sub(a))}
}

func checkMultiMarginLoss(x, labels, weight *lazy.Tensor, p int, _ float64, r int) (demand, reason string) {
	if x.Rank() > 2 {
		return multiMarginLossRank, fmt.Sprintf("x has rank %d, must be [batch, classes] or [classes]", x.Rank())
	}
	x, labels = oneRow(x, labels)
	if p != 1 && p != 2 {
		return multiMarginLossPower, fmt.Sprintf("p is %d, must be 1 or 2", p)
	}
	return demands{labels: multiMarginLossLabels, weight: multiMarginLossWeight, reduction: multiMarginLossReduction}.classes(x, labels, weight, 0, r)
}

// oneRow returns x, a scalar as a row of one class, and the labels of a row, of which there may be
// one along an axis.
func oneRow(x, labels *lazy.Tensor) (_, _ *lazy.Tensor) {
	if x.Rank() == 0 {
		x = x.Unsqueeze(0)
	}
	if x.Rank() == 1 && labels.Rank() == 1 && labels.OpenDim(0) == 1 {
		labels = labels.Squeeze(0)
	}
	return x, labels
}

func computeMultiMarginLoss(x, labels, weight *lazy.Tensor, p int, margin float64, r int) *lazy.Tensor {
	x, labels = oneRow(x, labels)
	d, v := x.DType(), functions.InF32(x, weight)
	x = v[0]
	c := classesOf(x)
	is := atLabels(x, labels, c)
	z := x.Sub(is.WhereScalar(x, 0).SumKeep(c)).AddScalar(margin)
	z = is.Not().And(z.GreaterScalar(0)).WhereScalar(z, 0)
	if p == 2 {
		z = z.Mul(z)
	}
	if v[1] != nil {
		z = z.Mul(is.WhereScalar(alongAxis(v[1], x, c), 0).SumKeep(c))
	}
	return reduced(z.Mean(c), r).Convert(d)
}

func checkMultiLabelMarginLoss(x, labels *lazy.Tensor, r int) (demand, reason string) {
	if x.Rank() > 2 {
		return multiLabelMarginLossRank, fmt.Sprintf("x has rank %d, must be [batch, classes] or [classes]", x.Rank())
	}
	if !labels.OpenShape().Equal(x.OpenShape()) {
		return multiLabelMarginLossLabels, "labels must have the shape of x"
	}
	return pair(x, x, r, "", multiLabelMarginLossReduction)
}

func computeMultiLabelMarginLoss(x, labels *lazy.Tensor, r int) *lazy.Tensor {
	if x.Rank() == 0 {
		x, labels = x.Unsqueeze(0), labels.Unsqueeze(0)
	}
	return functions.Wide(func(xs ...*lazy.Tensor) *lazy.Tensor {
		x := xs[0]
		c := x.Rank() - 1
		n := x.OpenDim(c)
		tr := x.Trace()
		// A label counts if none up to it is negative.
		upTo := lazy.Iota(tr, lazy.I32, 1, n, n).LessEqual(lazy.Iota(tr, lazy.I32, 0, n, n))
		ends := labels.LessScalar(0).Unsqueeze(-2).And(upTo).Convert(lazy.I32).Max(-1)
		counts := ends.EqualScalar(0)
		safe := counts.WhereScalar(labels, 0)
		of := safe.OneHot(n, lazy.Bool).And(counts.Unsqueeze(-1)) // [batch, labels, classes]
		at := of.WhereScalar(x.Unsqueeze(-2), 0).SumKeep(-1)
		other := of.Convert(lazy.I32).MaxKeep(-2).EqualScalar(0)
		z := x.Unsqueeze(-2).Sub(at).AddScalar(1)
		z = other.And(counts.Unsqueeze(-1)).And(z.GreaterScalar(0)).WhereScalar(z, 0)
		return reduced(z.Sum(-2).Mean(-1), r)
	}, x)
}
