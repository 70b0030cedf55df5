package ops

import "slices"

// nnRows are the composites of package nn: layers, activations and losses. The order is
// that of docs/reference/ops within a family; nothing else depends on it.
var nnRows = slices.Concat(activationRows, normRows, lossRows, layerRows)

var activationRows = []Op{
	{Name: "SiLU", Text: "silu", Family: Activations, Doc: "returns x·sigmoid(x) elementwise, also called swish.",
		Operands: one(Float), Traits: InPlace},
	{Name: "ELU", Text: "elu", Family: Activations, Doc: "returns x where x is positive, and alpha (exp(x)-1) elsewhere.",
		Operands: one(Float), Attrs: []Attr{{"alpha", Real}}, Where: []Demand{{"alpha", "alpha is finite"}}, Traits: InPlace},
	{Name: "SELU", Text: "selu", Family: Activations, Doc: "returns 1.0507… times ELU with alpha 1.6732…: the two numbers keep mean 0 and variance 1 from layer to layer.",
		Operands: one(Float), Traits: InPlace},
	{Name: "CELU", Text: "celu", Family: Activations, Doc: "returns x where x is positive, and alpha (exp(x/alpha)-1) elsewhere.",
		Operands: one(Float), Attrs: []Attr{{"alpha", Real}}, Where: []Demand{{"alpha", "alpha is finite"}, {"zero", "alpha is not 0"}}, Traits: InPlace},
	{Name: "GLU", Text: "glu", Family: Activations, Doc: "returns a·sigmoid(b), where a is the first half of x along the axis and b the second: the gated linear unit.",
		Operands: one(Float), Attrs: alongAxis, Where: []Demand{axisOfX[0], {"even", "the dimension of the axis is even"}}},
	{Name: "GELUTanh", Text: "gelu_tanh", Family: Activations, Doc: "returns x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))) elementwise: GELU by its approximation.",
		Operands: one(Float), Traits: InPlace},
	{Name: "Mish", Family: Activations, Doc: "returns x·tanh(softplus(x)) elementwise.",
		Operands: one(Float), Traits: InPlace},
	{Name: "LogSigmoid", Family: Activations, Doc: "returns the logarithm of sigmoid(x) elementwise, exact where that is small.",
		Operands: one(Float), Traits: OwnGradient | InPlace},
	{Name: "Softplus", Family: Activations, Doc: "returns log(1 + exp(beta x))/beta where beta x is at most the threshold, and x elsewhere.",
		Operands: one(Float), Attrs: []Attr{{"beta", Real}, {"threshold", Real}}, Where: []Demand{{"beta", "beta is finite"}, {"threshold", "threshold is finite"}, {"zero", "beta is not 0"}}, Traits: InPlace},
	{Name: "Softsign", Family: Activations, Doc: "returns x/(1+|x|) elementwise.",
		Operands: one(Float), Traits: InPlace | Floating},
	{Name: "TanhShrink", Family: Activations, Doc: "returns x-tanh(x) elementwise.",
		Operands: one(Float), Traits: InPlace | Floating},
	{Name: "SoftShrink", Family: Activations, Doc: "returns x moved towards 0 by lambda, and 0 where |x| is at most lambda. Its gradient is 0 there.",
		Operands: one(Float), Attrs: []Attr{{"lambda", Real}}, Where: []Demand{{"lambda", "lambda is finite"}, {"negative", "lambda is not negative"}}, Traits: InPlace},
	{Name: "HardShrink", Family: Activations, Doc: "returns x, and 0 where |x| is at most lambda. Its gradient is 0 there.",
		Operands: one(Float), Attrs: []Attr{{"lambda", Real}}, Where: []Demand{{"lambda", "lambda is finite"}}, Traits: InPlace},
	{Name: "HardTanh", Family: Activations, Doc: "returns x within the bounds low and high, and the nearer bound outside. Its gradient at and beyond a bound is 0.",
		Operands: one(Number), Attrs: []Attr{{"low", Real}, {"high", Real}}, Where: []Demand{{"low", "low is finite"}, {"high", "high is finite"}, {"bounds", "low is at most high"}}, Traits: InPlace},
	{Name: "ReLU6", Text: "relu6", Family: Activations, Doc: "returns HardTanh with the bounds 0 and 6.",
		Operands: one(Number), Traits: InPlace},
	{Name: "HardSigmoid", Family: Activations, Doc: "returns (x+3)/6 within the bounds 0 and 1. Its gradient at and beyond -3 and 3 is 0.",
		Operands: one(Float), Traits: InPlace},
	{Name: "HardSwish", Family: Activations, Doc: "returns x·HardSigmoid(x) elementwise. Its gradient is 0 from -3 down and 1 from 3 up.",
		Operands: one(Float), Traits: OwnGradient | InPlace},
	{Name: "LeakyReLU", Text: "leaky_relu", Family: Activations, Doc: "returns x where x is positive, and slope·x elsewhere. Its gradient at 0 is the slope.",
		Operands: one(Float), Attrs: []Attr{{"slope", Real}}, Where: []Demand{{"slope", "slope is finite"}}, Traits: InPlace},
	{Name: "PReLU", Text: "prelu", Family: Activations, Doc: "returns x where x is positive, and weight·x elsewhere. A weight of one axis has an element for each place of axis 1 of x; a single element is for all of x.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "weight", Like: "x"}}, Where: []Demand{{"weight", "weight has one element, or one axis with the dimension of axis 1 of x"}}, Traits: InPlace},
	{Name: "RReLU", Text: "rrelu", Family: Activations, Doc: "returns x where x is positive, and slopes·x elsewhere. In training the slopes are random numbers, Uniform between two bounds; in inference they are the mean of the bounds. They have no gradient.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "slopes", Like: "x"}}, Where: []Demand{{"slopes", "slopes broadcast to the shape of x"}}, Traits: OwnGradient | InPlace},
	{Name: "Threshold", Family: Activations, Doc: "returns x where x is above the threshold, and value elsewhere. NaN stays NaN. Its gradient at the threshold is 0.",
		Operands: one(Number), Attrs: []Attr{{"threshold", Real}, {"value", Real}}, Where: []Demand{{"threshold", "threshold is finite"}, {"value", "value is finite"}}, Traits: InPlace},
	{Name: "FakeQuantize", Family: Activations, Doc: "returns x as integers from low to high would hold it: rounded to q = x/scale + zero, ties to even, within these, and back to scale·(q-zero). That is torch.fake_quantize_per_tensor_affine. The gradient of x is that of the result where q is within low and high, and 0 elsewhere. NaN stays NaN.",
		Operands: one(Float), Attrs: []Attr{{"scale", Real}, {"zero", Int}, {"low", Int}, {"high", Int}},
		Where: []Demand{{"scale", "scale is finite"}, {"positive", "scale is positive"}, {"range", "zero is from low to high"}}, Traits: OwnGradient},
	{Name: "Softmin", Family: Activations, Doc: "returns Softmax of -x along the axis.",
		Operands: one(Float), Attrs: alongAxis, Where: axisOfX},
	{Name: "SafeSoftmax", Family: Activations, Doc: "returns Softmax along the axis, and zeros where all elements along it are -Inf.",
		Operands: one(Float), Attrs: alongAxis, Where: axisOfX, Traits: OwnGradient},
}

// scaled are the operands of a norm, with what its result is scaled and shifted by.
func scaled(more ...Operand) []Operand {
	return slices.Concat([]Operand{{Name: "x", Is: Float}}, more, []Operand{{Name: "gamma", Like: "x", Optional: true}, {Name: "beta", Like: "x", Optional: true}})
}

var (
	epsilonAttr    = Attr{"epsilon", Real}
	finiteEpsilon  = Demand{"epsilon", "epsilon is finite"}
	finiteMomentum = Demand{"momentum", "momentum is finite"}
	batchRank      = Demand{"rank", "x has at least rank 2: batch, channels, …"}
	ofChannels     = Demand{"channels", "gamma and beta have one axis, with the dimension of axis 1 of x"}
	lastAxes       = Demand{"last", "x has as many axes as last says, at least one"}
	positivePower  = Demand{"power", "p is positive"}
)

var normRows = []Op{
	{Name: "BatchNorm", Family: Norms, Doc: "returns (x-mean)/√(variance+epsilon), times gamma plus beta if they are given: batch norm of inference. mean, variance, gamma and beta have an element for each channel, which is axis 1 of x.",
		Operands: scaled(Operand{Name: "mean", Like: "x"}, Operand{Name: "variance", Like: "x"}), Attrs: []Attr{epsilonAttr},
		Where: []Demand{finiteEpsilon, batchRank, {"channels", "mean, variance, gamma and beta have one axis, with the dimension of axis 1 of x"}}},
	{Name: "BatchNormTraining", Family: Norms, Doc: "returns x with each channel, which is axis 1, shifted to mean 0 and scaled to variance 1, times gamma plus beta if they are given. The running statistics are (1-momentum)·mean + momentum·(mean of x), and the same of the variance with divisor n-1. They have no gradients.",
		Operands: scaled(Operand{Name: "mean", Like: "x"}, Operand{Name: "variance", Like: "x"}), Attrs: []Attr{{"momentum", Real}, epsilonAttr}, Results: []string{"y", "runningMean", "runningVariance"},
		Where: []Demand{finiteMomentum, finiteEpsilon, batchRank, {"channels", "mean, variance, gamma and beta have one axis, with the dimension of axis 1 of x"}, {"several", "a channel has more than one element"}}},
	{Name: "InstanceNorm", Family: Norms, Doc: "returns x with each channel of each example, all axes from 2 on, shifted to mean 0 and scaled to variance 1, times gamma plus beta of the channels if they are given.",
		Operands: scaled(), Attrs: []Attr{epsilonAttr},
		Where: []Demand{finiteEpsilon, {"rank", "x has at least rank 3: batch, channels, places…"}, ofChannels, {"several", "a channel of an example has more than one element"}}},
	{Name: "GroupNorm", Family: Norms, Doc: "returns x with each group of channels of each example shifted to mean 0 and scaled to variance 1, times gamma plus beta of the channels if they are given. Channels are axis 1; those of a group stand side by side.",
		Operands: scaled(), Attrs: []Attr{{"groups", Int}, epsilonAttr},
		Where: []Demand{finiteEpsilon, batchRank, ofChannels, {"groups", "groups is positive and divides the number of channels"}}, Traits: AutocastWide},
	{Name: "LayerNorm", Family: Norms, Doc: "returns x with the elements of its last axes, as many as last says, shifted to mean 0 and scaled to variance 1, times gamma plus beta if they are given. These have the shape of those axes.",
		Operands: scaled(), Attrs: []Attr{{"last", Int}, epsilonAttr},
		Where: []Demand{finiteEpsilon, lastAxes, {"row", "gamma and beta have the shape of the last axes of x"}}, Traits: AutocastWide},
	{Name: "RMSNorm", Text: "rms_norm", Family: Norms, Doc: "returns x divided by the root of the mean of x² plus epsilon over its last axes, as many as last says, times gamma if it is given. gamma has the shape of those axes.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "gamma", Like: "x", Optional: true}}, Attrs: []Attr{{"last", Int}, epsilonAttr},
		Where: []Demand{finiteEpsilon, lastAxes, {"row", "gamma has the shape of the last axes of x"}}, Traits: AutocastWide},
	{Name: "LocalResponseNorm", Family: Norms, Doc: "returns x/(k + alpha·m)^beta, where m is the mean of x² over size channels around each; channels that do not exist count as 0. Channels are axis 1.",
		Operands: one(Float), Attrs: []Attr{{"size", Int}, {"alpha", Real}, {"beta", Real}, {"k", Real}},
		Where: []Demand{{"alpha", "alpha is finite"}, {"beta", "beta is finite"}, {"k", "k is finite"}, batchRank, {"size", "size is positive"}}},
	{Name: "WeightNorm", Family: Norms, Doc: "returns v·g/|v|, where |v| is the 2-norm over all axes but the given one: a weight by its direction and its length.",
		Operands: []Operand{{Name: "v", Is: Float}, {Name: "g", Like: "v"}}, Attrs: alongAxis,
		Where: []Demand{{"axis", "axis is one of those of v"}, {"lengths", "g has the shape of v with dimension 1 for all axes but the given one"}}},
	{Name: "Renorm", Family: Norms, Doc: "returns x with each slice at an index of the axis scaled to the p-norm most, where its p-norm is larger.",
		Operands: one(Float), Attrs: []Attr{{"p", Extended}, {"axis", Axis}, {"most", Real}},
		Where: []Demand{anyPower, axisOfX[0], {"most", "most is finite"}, positivePower, {"negative", "most is not negative"}}},
	{Name: "Normalize", Family: Norms, Doc: "returns x divided by its p-norms along the axis, which Norm defines for any p, or by epsilon where they are smaller.",
		Operands: one(Float), Attrs: []Attr{{"p", Extended}, {"axis", Axis}, epsilonAttr},
		Where: []Demand{anyPower, axisOfX[0], finiteEpsilon}},
}

var (
	reductionAttr = Attr{"reduction", Int}
	aReduction    = Demand{"reduction", "reduction is ReduceMean, ReduceSum or ReduceNone"}
	broadcastPair = Demand{"shapes", "the shapes of x and target broadcast"}
	xAndTarget    = []Operand{{Name: "x", Is: Float}, {Name: "target", Like: "x"}}
	twoFloats     = []Operand{{Name: "x", Is: Float}, {Name: "y", Like: "x"}}
	weightOfClass = Operand{Name: "weight", Like: "x", Optional: true}
	marginAttr    = Attr{"margin", Real}
	finiteMargin  = Demand{"margin", "margin is finite"}
	classAxis     = Demand{"rank", "x has an axis of classes: axis 1, or its only one"}
	labelsOfRows  = Demand{"labels", "labels have the shape of x without its axis of classes"}
	classWeights  = Demand{"weight", "weight has one axis, with an element for each class"}
	finitePower   = Demand{"p", "p is finite"}
	anyPower      = Demand{"p", "p is no NaN"}
	sameRows      = Demand{"shapes", "x and y have one shape"}
)

func with(first []Operand, more ...Operand) []Operand { return slices.Concat(first, more) }

var lossRows = []Op{
	{Name: "CrossEntropy", Family: Losses, Doc: "returns -weight[label]·log softmax(x)[label] of each row, reduced. The classes are axis 1 of x[batch, classes, places…], or its only axis. Rows with the label ignore do not count: the mean is the sum divided by the weights of the labels that do. With smoothing the target is mixed with as much of all classes alike.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "labels", Is: Integer}, weightOfClass}, Attrs: []Attr{{"ignore", Int}, {"smoothing", Real}, reductionAttr},
		Where: []Demand{{"smoothing", "smoothing is finite"}, classAxis, labelsOfRows, classWeights, {"portion", "smoothing is from 0 to 1"}, aReduction}, Traits: Inline | Internal | AutocastWide},
	{Name: "CrossEntropySoft", Family: Losses, Doc: "returns -Σ weight·target·log softmax(x) over the classes of each row, reduced: CrossEntropy for probabilities of the classes. The mean is over all rows.",
		Operands: with(xAndTarget, weightOfClass), Attrs: []Attr{{"smoothing", Real}, reductionAttr},
		Where: []Demand{{"smoothing", "smoothing is finite"}, classAxis, {"target", "target has the shape of x"}, classWeights, {"portion", "smoothing is from 0 to 1"}, aReduction}, Traits: Internal | AutocastWide},
	{Name: "NLLLoss", Text: "nll_loss", Family: Losses, Doc: "returns -weight[label]·x[label] of each row, reduced, x being the logarithms of probabilities. See CrossEntropy for classes, rows that do not count and the mean.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "labels", Is: Integer}, weightOfClass}, Attrs: []Attr{{"ignore", Int}, reductionAttr},
		Where: []Demand{classAxis, labelsOfRows, classWeights, aReduction}, Traits: Inline | Internal | AutocastWide},
	{Name: "BCELoss", Text: "bce_loss", Family: Losses, Doc: "returns -weight (target·log x + (1-target) log(1-x)), reduced, for probabilities x. The logarithms are at least -100.",
		Operands: with(xAndTarget, Operand{Name: "weight", Like: "x", Optional: true}), Attrs: []Attr{reductionAttr},
		Where: []Demand{{"shapes", "target has the shape of x"}, {"weight", "weight broadcasts to the shape of x"}, aReduction}, Traits: Inline | AutocastWide},
	{Name: "BCETerms", Text: "bce_terms", Family: Losses, Doc: "returns -(target·log x + (1-target) log(1-x)), the logarithms being at least -100.",
		Operands: xAndTarget, Traits: OwnGradient | Internal},
	{Name: "BCEWithLogits", Text: "bce_with_logits", Family: Losses, Doc: "returns BCELoss of sigmoid(x), exact where that is near 0 or 1, reduced. positive weighs the terms of the target, weight all.",
		Operands: with(xAndTarget, Operand{Name: "positive", Like: "x", Optional: true}, Operand{Name: "weight", Like: "x", Optional: true}), Attrs: []Attr{reductionAttr},
		Where: []Demand{{"shapes", "target has the shape of x"}, {"weight", "weight and positive broadcast to the shape of x"}, aReduction}, Traits: Internal | Promotes | AutocastWide},
	{Name: "MSELoss", Text: "mse_loss", Family: Losses, Doc: "returns (x-target)², reduced.",
		Operands: xAndTarget, Attrs: []Attr{reductionAttr}, Where: []Demand{broadcastPair, aReduction}, Traits: Promotes | AutocastWide},
	{Name: "L1Loss", Text: "l1_loss", Family: Losses, Doc: "returns |x-target|, reduced.",
		Operands: xAndTarget, Attrs: []Attr{reductionAttr}, Where: []Demand{broadcastPair, aReduction}, Traits: Promotes | AutocastWide},
	{Name: "SmoothL1Loss", Text: "smooth_l1_loss", Family: Losses, Doc: "returns d²/(2 beta) where d = |x-target| is below beta, and d-beta/2 elsewhere, reduced.",
		Operands: xAndTarget, Attrs: []Attr{{"beta", Real}, reductionAttr}, Where: []Demand{{"beta", "beta is finite"}, broadcastPair, {"negative", "beta is not negative"}, aReduction}, Traits: Promotes | AutocastWide},
	{Name: "HuberLoss", Family: Losses, Doc: "returns d²/2 where d = |x-target| is at most delta, and delta (d-delta/2) elsewhere, reduced.",
		Operands: xAndTarget, Attrs: []Attr{{"delta", Real}, reductionAttr}, Where: []Demand{{"delta", "delta is finite"}, broadcastPair, {"positive", "delta is positive"}, aReduction}, Traits: AutocastWide},
	{Name: "KLDivLoss", Text: "kl_div_loss", Family: Losses, Doc: "returns target (log target - x), reduced, x being logarithms of probabilities, and target, too, if logTarget. ReduceBatchMean divides the sum by the dimension of axis 0.",
		Operands: xAndTarget, Attrs: []Attr{{"logTarget", Flag}, reductionAttr}, Where: []Demand{broadcastPair, {"reduction", "reduction is ReduceMean, ReduceSum, ReduceNone, or ReduceBatchMean for an x with an axis"}}, Traits: Promotes | AutocastWide},
	{Name: "PoissonNLLLoss", Text: "poisson_nll_loss", Family: Losses, Doc: "returns exp(x) - target·x if logInput, else x - target·log(x+epsilon), reduced. If full, Stirling's approximation of log target! is added where the target is above 1.",
		Operands: xAndTarget, Attrs: []Attr{{"logInput", Flag}, {"full", Flag}, epsilonAttr, reductionAttr}, Where: []Demand{finiteEpsilon, broadcastPair, aReduction}, Traits: Promotes | AutocastWide},
	{Name: "GaussianNLLLoss", Text: "gaussian_nll_loss", Family: Losses, Doc: "returns (log v + (x-target)²/v)/2, reduced, where v is the variance, or epsilon if that is larger. If full, log(2π)/2 is added.",
		Operands: with(xAndTarget, Operand{Name: "variance", Like: "x"}), Attrs: []Attr{{"full", Flag}, epsilonAttr, reductionAttr},
		Where: []Demand{finiteEpsilon, broadcastPair, {"variance", "variance broadcasts to the shape of x"}, aReduction}, Traits: AutocastWide},
	{Name: "SoftMarginLoss", Family: Losses, Doc: "returns log(1 + exp(-target·x)), reduced, for a target of 1 and -1.",
		Operands: xAndTarget, Attrs: []Attr{reductionAttr}, Where: []Demand{broadcastPair, aReduction}, Traits: AutocastWide},
	{Name: "HingeEmbeddingLoss", Family: Losses, Doc: "returns x where the target is 1, and max(0, margin-x) where it is -1, reduced.",
		Operands: xAndTarget, Attrs: []Attr{marginAttr, reductionAttr}, Where: []Demand{finiteMargin, broadcastPair, aReduction}, Traits: Promotes | AutocastWide},
	{Name: "MarginRankingLoss", Family: Losses, Doc: "returns max(0, margin - target (x-y)), reduced, for a target of 1 where x is to be larger, and -1 where y is.",
		Operands: with(twoFloats, Operand{Name: "target", Like: "x"}), Attrs: []Attr{marginAttr, reductionAttr}, Where: []Demand{finiteMargin, {"shapes", "the shapes of x, y and target broadcast"}, aReduction}, Traits: Promotes | AutocastWide},
	{Name: "CosineEmbeddingLoss", Family: Losses, Doc: "returns 1-c where the target is 1, and max(0, c-margin) where it is -1, reduced, where c is the cosine of rows of x and y.",
		Operands: with(twoFloats, Operand{Name: "target", Like: "x"}), Attrs: []Attr{marginAttr, reductionAttr},
		Where: []Demand{finiteMargin, sameRows, {"target", "target has the shape of x without its last axis"}, aReduction}, Traits: AutocastWide},
	{Name: "TripletMarginLoss", Family: Losses, Doc: "returns max(0, margin + d(x, positive) - d(x, negative)), reduced, where d is PairwiseDistance. If swap, the distance of positive to negative counts where it is smaller.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "positive", Like: "x"}, {Name: "negative", Like: "x"}}, Attrs: []Attr{marginAttr, {"p", Real}, epsilonAttr, {"swap", Flag}, reductionAttr},
		Where: []Demand{finiteMargin, finitePower, finiteEpsilon, {"shapes", "x, positive and negative have one shape, with an axis"}, positivePower, aReduction}, Traits: AutocastWide},
	{Name: "MultiMarginLoss", Family: Losses, Doc: "returns the mean over the classes i of weight[label]·max(0, margin - x[label] + x[i])ᵖ, the label left out, reduced.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "labels", Is: Integer}, weightOfClass}, Attrs: []Attr{{"p", Int}, marginAttr, reductionAttr},
		Where: []Demand{finiteMargin, {"rank", "x is [batch, classes] or [classes], or a scalar: one class"}, {"labels", "labels have the shape of x without its axis of classes, or of one row the shape [1]"}, classWeights, {"power", "p is 1 or 2"}, aReduction}, Traits: Inline | AutocastWide},
	{Name: "MultiLabelMarginLoss", Family: Losses, Doc: "returns Σ max(0, 1 - x[label] + x[i])/classes over the labels of a row and the classes i that are none of them, reduced. The labels of a row end before the first negative one.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "labels", Is: Integer}}, Attrs: []Attr{reductionAttr},
		Where: []Demand{{"rank", "x is [batch, classes] or [classes], or a scalar: one class"}, {"labels", "labels have the shape of x"}, aReduction}, Traits: Inline | AutocastWide},
	{Name: "MultiLabelSoftMarginLoss", Family: Losses, Doc: "returns the mean over the last axis of -weight (target·log sigmoid(x) + (1-target) log sigmoid(-x)), reduced.",
		Operands: with(xAndTarget, Operand{Name: "weight", Like: "x", Optional: true}), Attrs: []Attr{reductionAttr},
		Where: []Demand{{"shapes", "target has the shape of x, with an axis"}, {"weight", "weight broadcasts to the shape of x"}, aReduction}, Traits: AutocastWide},
	{Name: "CTCLoss", Text: "ctc_loss", Family: Losses, Doc: "returns minus the logarithm of the probability that x[steps, batch, classes], logarithms of probabilities, spells targets[batch, labels], reduced. steps and lengths say how many steps and labels of each example count; the class blank stands between labels. The mean is over losses divided by lengths. With zeroInfinity impossible targets have no loss, and no gradient.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "targets", Is: Integer}, {Name: "steps", Is: Integer}, {Name: "lengths", Is: Integer}}, Attrs: []Attr{{"blank", Int}, {"zeroInfinity", Flag}, reductionAttr},
		Where: []Demand{{"rank", "x has rank 3, targets rank 2, and steps and lengths rank 1"}, {"batch", "x, targets, steps and lengths have one batch"}, {"blank", "blank is a class"}, aReduction}, Traits: Inline | AutocastWide},
	{Name: "CosineSimilarity", Family: Distances, Doc: "returns the cosine of x and y along the axis of what they broadcast to, whose 2-norms count as epsilon where they are smaller. Scalars are of one element.",
		Operands: twoFloats, Attrs: []Attr{{"axis", Int}, epsilonAttr}, Where: []Demand{finiteEpsilon, {"shapes", "the shapes of x and y broadcast"}, {"axis", "axis is one of those that they broadcast to"}}},
	{Name: "PairwiseDistance", Family: Distances, Doc: "returns the p-norm, which Norm defines for any p, of x-y+epsilon along the last axis, which is kept with dimension 1 if keep.",
		Operands: twoFloats, Attrs: []Attr{{"p", Extended}, epsilonAttr, {"keep", Flag}}, Where: []Demand{anyPower, finiteEpsilon, {"shapes", "the shapes of x and y broadcast, and x has an axis"}}},
	{Name: "CDist", Text: "cdist", Family: Distances, Doc: "returns the p-norms of the differences of each row of x[batch…, n, features] and each of y[batch…, m, features], as [batch…, n, m]. The batches broadcast.",
		Operands: twoFloats, Attrs: []Attr{{"p", Extended}}, Where: []Demand{anyPower, {"shapes", "x and y have at least rank 2 and as many features, and their batches broadcast"}, {"power", "p is not negative"}}},
	{Name: "PDist", Text: "pdist", Family: Distances, Doc: "returns the p-norms of the differences of each row of x[n, features] and each later one, as one axis of n (n-1)/2 elements.",
		Operands: one(Float), Attrs: []Attr{{"p", Extended}}, Where: []Demand{anyPower, {"rank", "x has rank 2"}, {"power", "p is not negative"}}, Traits: Inline},
}

var (
	windowLists = []Attr{{"window", Ints}, {"stride", Ints}, {"padding", Ints}, {"dilation", Ints}, {"ceil", Flag}}
	windowRank  = Demand{"rank", "x has an axis for each of the window, channels, and perhaps a batch before them"}
	windowSizes = Demand{"lists", "window, stride, padding and dilation have an entry for each spatial axis or for all, are positive, and padding is not negative"}
	windowFits  = Demand{"fits", "the window has a place in x with its padding, which is at most half of the window"}
	outputSizes = Demand{"sizes", "there is a positive size for each spatial axis"}
)

var layerRows = []Op{
	{Name: "Linear", Family: Layers, Doc: "returns x weightᵀ, plus the bias if it is given, for x[…, in] and weight[out, in], as […, out]. A weight[in] gives results without a last axis, and takes a bias without axes.",
		Operands: []Operand{{Name: "x", Is: Number}, {Name: "weight", Like: "x"}, {Name: "bias", Like: "x", Optional: true}},
		Where:    []Demand{{"features", "weight has rank 2 or 1, and its last dimension is that of x"}, {"bias", "bias has the axes of weight before the last"}}, Traits: Inline | AutocastNarrow},
	{Name: "Bilinear", Family: Layers, Doc: "returns Σ x[…, i] weight[o, i, j] y[…, j], plus bias[o] if it is given, as […, o].",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "y", Like: "x"}, {Name: "weight", Like: "x"}, {Name: "bias", Like: "x", Optional: true}},
		Where:    []Demand{{"features", "weight has rank 3, and its last dimensions are those of x and y, which agree in all others"}, {"bias", "bias has one axis, with the first dimension of weight"}}, Traits: Inline},
	{Name: "Conv", Family: Products, Doc: "returns the convolution of x[batch, channels, places…] with weight[out, channels/groups, window…], plus the bias of each output channel if it is given, as [batch, out, places…]. The batch can be left out.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "weight", Like: "x"}, {Name: "bias", Like: "x", Optional: true}},
		Attrs:    []Attr{{"spatial", Int}, {"stride", Ints}, {"padding", Ints}, {"dilation", Ints}, {"same", Flag}, {"groups", Int}},
		Where: []Demand{{"rank", "weight has two axes more than there are spatial ones, and x as many or one less"}, {"lists", "stride, padding and dilation have an entry for each spatial axis or for all, are positive, and padding is not negative"},
			{"same", "padding that keeps sizes takes no padding and stride 1"}, {"groups", "groups is positive, divides the output channels, and x has groups times the channels of weight"}, {"bias", "bias has one axis, with the first dimension of weight"}}, Traits: Inline | Internal | AutocastNarrow},
	{Name: "ConvTranspose", Family: Products, Doc: "returns the transposed convolution of x[batch, channels, places…] with weight[channels, out/groups, window…], plus the bias of each output channel if it is given, as [batch, out, places…]: the gradient of Conv. The batch can be left out.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "weight", Like: "x"}, {Name: "bias", Like: "x", Optional: true}},
		Attrs:    []Attr{{"spatial", Int}, {"stride", Ints}, {"padding", Ints}, {"dilation", Ints}, {"more", Ints}, {"groups", Int}},
		Where: []Demand{{"rank", "weight has two axes more than there are spatial ones, and x as many or one less"}, {"lists", "stride, padding, dilation and more have an entry for each spatial axis or for all, stride and dilation are positive, and the others not negative"},
			{"more", "more is below stride or dilation"}, {"groups", "groups is positive and divides the channels of x, which are the first dimension of weight"}, {"bias", "bias has one axis, of output channels"}}, Traits: Inline | Internal | AutocastNarrow},
	{Name: "Embedding", Family: Layers, Doc: "returns the rows of weight[n, features] that the indices choose, as [indices…, features]. The row at the padding index, if there is one, gets no gradient; a negative one counts from the end.",
		Operands: []Operand{{Name: "weight", Is: Float}, {Name: "indices", Is: Integer}}, Attrs: []Attr{{"padding", Ints}},
		Where: []Demand{{"rank", "weight has rank 2"}, {"padding", "there is one padding index at most, that of a row of weight"}}, Traits: Inline},
	{Name: "EmbeddingBag", Family: Layers, Doc: "returns the sum, the mean or the largest elements of the rows of weight that the indices of a bag choose, as [bags, features]; zeros for an empty bag. Bags are the rows of indices[bags, n]. perIndex, if given, multiplies the rows before they are added up. Indices equal to the padding index do not count.",
		Operands: []Operand{{Name: "weight", Is: Float}, {Name: "indices", Is: Integer}, {Name: "perIndex", Like: "weight", Optional: true}}, Attrs: []Attr{{"mode", Int}, {"padding", Ints}},
		Where: []Demand{{"rank", "weight and indices have rank 2"}, {"padding", "there is one padding index at most, that of a row of weight"}, {"mode", "mode is BagSum, BagMean or BagMax"}, {"weights", "perIndex has the shape of indices, and mode is BagSum"}}, Traits: Inline},
	{Name: "EmbeddingBagOffsets", Family: Layers, Doc: "returns EmbeddingBag of bags that are parts of indices[n]: offsets[bags] says where each begins, the first at 0.",
		Operands: []Operand{{Name: "weight", Is: Float}, {Name: "indices", Is: Integer}, {Name: "offsets", Is: Integer}, {Name: "perIndex", Like: "weight", Optional: true}}, Attrs: []Attr{{"mode", Int}, {"padding", Ints}},
		Where: []Demand{{"rank", "weight has rank 2, and indices and offsets have rank 1"}, {"padding", "there is one padding index at most, that of a row of weight"}, {"mode", "mode is BagSum, BagMean or BagMax"}, {"weights", "perIndex has the shape of indices, and mode is BagSum"}}, Traits: Inline},

	{Name: "AvgPool", Family: Pooling, Doc: "returns the means of windows over x[batch, channels, places…], as [batch, channels, windows…]. The divisor counts padding as elements unless exclude is set, or is the given one, if that is not 0.",
		Operands: one(Float), Attrs: slices.Concat(windowLists, []Attr{{"exclude", Flag}, {"divisor", Int}}), Where: []Demand{windowRank, windowSizes, windowFits, {"dilation", "dilation is 1"}}, Traits: Inline | Internal},
	{Name: "LPPool", Text: "lp_pool", Family: Pooling, Doc: "returns (Σ xᵖ)^(1/p) of windows over x[batch, channels, places…], as [batch, channels, windows…]. The sum of a window that ends beyond x is its mean within x times the size of the window.",
		Operands: one(Float), Attrs: slices.Concat([]Attr{{"p", Real}}, windowLists), Where: []Demand{finitePower, windowRank, windowSizes, windowFits, {"power", "p is positive"}, {"dilation", "dilation is 1, and padding 0"}}, Traits: Inline | Internal},
	{Name: "MaxPoolIndices", Family: Pooling, Doc: "returns where the largest element of each window over x[batch, channels, places…] is, the first of equal ones, as i64 index of the places in row-major order.",
		Operands: one(Number), Attrs: windowLists, Where: []Demand{windowRank, windowSizes, windowFits}, Traits: Inline | Internal},
	{Name: "AdaptiveMaxPoolIndices", Family: Pooling, Doc: "returns where the largest elements of the windows of AdaptiveAvgPool are, as MaxPoolIndices does.",
		Operands: one(Float), Attrs: []Attr{{"sizes", Ints}}, Where: []Demand{{"rank", "x has an axis for each size, channels, and perhaps a batch before them"}, outputSizes}, Traits: Inline | Internal},
	{Name: "AdaptiveAvgPool", Family: Pooling, Doc: "returns the means of windows that divide each spatial axis of x[batch, channels, places…] into as many as sizes says. Window i of n goes from ⌊i·d/n⌋ to ⌈(i+1)·d/n⌉.",
		Operands: one(Float), Attrs: []Attr{{"sizes", Ints}}, Where: []Demand{{"rank", "x has an axis for each size, channels, and perhaps a batch before them"}, outputSizes}, Traits: Inline},
	{Name: "MaxUnpool", Family: Pooling, Doc: "returns zeros of the given sizes with the elements of x[batch, channels, places…] at the indices, those of MaxPoolIndices.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "indices", Is: Integer}}, Attrs: []Attr{{"sizes", Ints}},
		Where: []Demand{{"rank", "x has an axis for each size, channels, and perhaps a batch before them"}, outputSizes, {"indices", "indices have the shape of x"}}, Traits: Inline},
	{Name: "Unpooled", Family: Pooling, Doc: "returns y, which has the elements of x at the indices of its last axis. The gradient of x is that of y there, also where a later element of x has the place.",
		Operands: []Operand{{Name: "y", Is: Float}, {Name: "x", Like: "y"}, {Name: "indices", Is: Integer}}, Traits: OwnGradient | Internal},

	{Name: "Unfold", Family: Images, Doc: "returns the windows over x[batch, channels, places…] as columns [batch, channels·window, windows]: im2col.",
		Operands: one(Any), Attrs: windowLists[:4], Where: []Demand{windowRank, windowSizes, {"fits", "the window has a place in x with its padding"}}, Traits: Inline | Internal},
	{Name: "Fold", Family: Images, Doc: "returns the sums of columns x[batch, channels·window, windows] at their places in [batch, channels, sizes…]: col2im.",
		Operands: one(Float), Attrs: slices.Concat([]Attr{{"sizes", Ints}}, windowLists[:4]),
		Where: []Demand{{"rank", "x has rank 3, or 2 without a batch"}, windowSizes, {"fits", "the window has a place in the sizes with the padding"}, {"columns", "x has as many columns as there are windows, and a multiple of the window as rows"}}, Traits: Inline | Internal},
	{Name: "PixelShuffle", Family: Images, Doc: "returns x[…, channels·factor², h, w] as […, channels, h·factor, w·factor].",
		Operands: one(Any), Attrs: []Attr{{"factor", Int}}, Where: []Demand{{"rank", "x has at least rank 3"}, {"factor", "factor is positive, and its square divides the channels"}}, Traits: Inline},
	{Name: "PixelUnshuffle", Family: Images, Doc: "returns x[…, channels, h·factor, w·factor] as […, channels·factor², h, w].",
		Operands: one(Any), Attrs: []Attr{{"factor", Int}}, Where: []Demand{{"rank", "x has at least rank 3"}, {"factor", "factor is positive, and divides the last two dimensions"}}, Traits: Inline},
	{Name: "ChannelShuffle", Family: Images, Doc: "returns x[batch, channels, …] with the channels of its groups in turn: the first of each, the second of each, ….",
		Operands: one(Any), Attrs: []Attr{{"groups", Int}}, Where: []Demand{{"rank", "x has at least rank 2"}, {"groups", "groups is positive, and divides the channels"}}, Traits: Inline},
	{Name: "Pad", Family: Images, Doc: "returns x with places before and after its last axes, which padding lists in pairs from the last axis on. The mode says what they hold: PadConstant zeros, PadReflect the elements mirrored at the edge, PadReplicate the edge, PadCircular the other end. Negative numbers take elements away.",
		Operands: one(Any), Attrs: []Attr{{"padding", Ints}, {"mode", Int}},
		Where: []Demand{{"pairs", "padding has a pair for each of the last axes, at most all"}, {"mode", "mode is PadConstant, PadReflect, PadReplicate or PadCircular"}, {"range", "what negative padding leaves is more than the padding to reflect, at least that for a circle, and not empty to replicate, unless only replicas stay"}}, Traits: Inline},
	{Name: "PadValue", Family: Images, Doc: "returns x with places of the given value before and after its last axes, which padding lists in pairs from the last axis on: Pad of PadConstant with another number than 0. Negative numbers take elements away.",
		Operands: one(Any), Attrs: []Attr{{"padding", Ints}, {"value", Extended}},
		Where: []Demand{{"value", "value is not NaN"}, {"pairs", "padding has a pair for each of the last axes, at most all"}, {"range", "negative padding takes no more than all elements"}}, Traits: Inline},
	{Name: "Interpolate", Family: Images, Doc: "returns x[batch, channels, places…] with other sizes of its places: the given ones, or those of x times the scale. The mode says of which elements a result is made.",
		Operands: one(Float), Attrs: []Attr{{"sizes", Ints}, {"scale", Real}, {"mode", Int}, {"alignCorners", Flag}, {"antialias", Flag}, {"recompute", Flag}, {"scales", Int}, {"axis", Int}},
		Where: []Demand{{"scale", "scale is finite"}, {"rank", "x has at least rank 3"}, {"sizes", "there is a positive size for each axis of places, or a positive scale for each or for all that leaves an element"},
			{"mode", "mode is ModeNearest, ModeNearestExact, ModeLinear, ModeCubic or ModeArea"}, {"options", "alignCorners and antialias are of ModeLinear and ModeCubic"}}, Traits: Inline | Internal},
	{Name: "GridSample", Family: Images, Doc: "returns the elements of x[batch, channels, places…] at the places that grid[batch, results…, coordinates] has: from -1 to 1 along each axis, those of the last axis first. They go from edge to edge, or with alignCorners from the centre of the first element to that of the last. The padding says what lies beyond: GridZeros, GridBorder or GridReflect.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "grid", Like: "x"}}, Attrs: []Attr{{"mode", Int}, {"padding", Int}, {"alignCorners", Flag}},
		Where: []Demand{{"rank", "grid has the rank and the batch of x, and a coordinate for each axis of places"}, {"mode", "mode is ModeNearest, ModeLinear or ModeCubic"}, {"padding", "padding is GridZeros, GridBorder or GridReflect"}}, Traits: Inline},
	{Name: "AffineGrid", Family: Images, Doc: "returns the grid[batch, sizes…, coordinates] for GridSample that theta[batch, n, n+1] makes of places of n axes: a matrix and a shift.",
		Operands: []Operand{{Name: "theta", Is: Float}}, Attrs: []Attr{{"sizes", Ints}, {"alignCorners", Flag}},
		Where: []Demand{{"sizes", "sizes are positive"}, {"theta", "theta has rank 3, with a row for each size, and one column more"}}, Traits: Inline},
	{Name: "Heads", Family: Layers, Doc: "returns x[batch, n, features] times a third of the weight in, plus that of its bias if it is given, as [batch, heads, n, features/heads]: the queries, keys or values of MultiHeadAttention.",
		Operands: []Operand{{Name: "x", Is: Float}, {Name: "in", Like: "x"}, {Name: "bias", Like: "x", Optional: true}}, Attrs: []Attr{{"heads", Int}, {"part", Int}},
		Where: []Demand{{"rank", "x has rank 3"}, {"weights", "in is [3·features, features], and its bias [3·features]"}, {"heads", "the number of heads is positive and divides the features"}}, Traits: Inline | Internal | AutocastNarrow},
}
