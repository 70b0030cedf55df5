package nn_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
	"ltc/lazy"
	"ltc/nn"
)

// mistake is a bad call and what its error says.
type mistake struct {
	want string
	y    *lazy.Tensor
}

// A call that breaks a rule is an error with the op, the types, the rule and the line. Each demand
// that a function of the package checks has a case.
func TestMistakes(t *testing.T) {
	tr := trace(t, "cpu")
	labels := map[string]bool{}
	for _, m := range slices.Concat(badActivations(tr), badNorms(tr), badLosses(tr), badLayers(tr), badWindows(tr), badResampling(tr)) {
		require.ErrorContains(t, m.y.Err(), m.want)
		require.ErrorContains(t, m.y.Err(), "_test.go:")
		var e *lazy.OpError
		require.True(t, errors.As(m.y.Err(), &e))
		labels[e.Label] = true
	}
	for _, o := range ops.PackageRows("nn") {
		for i, d := range o.Where {
			if label := fmt.Sprintf("%s_c%d", o.Mnemonic(), len(o.Operands)+i+1); !o.Attribute(d.Name) {
				require.True(t, labels[label], "no bad call breaks %s: %s", label, d.Text)
			}
		}
	}
}

// of returns zeros.
func of(tr *lazy.Trace, dims ...int) *lazy.Tensor { return lazy.Zeros(tr, lazy.F32, dims...) }

func badActivations(tr *lazy.Trace) []mistake {
	f, i := of(tr, 3), lazy.Zeros(tr, lazy.I32, 1)
	return []mistake{
		{"nn.silu(i32[1]): x must be floating point, is i32; convert it with Convert (nn.silu_c1)", nn.SiLU(i)},
		{"nn.elu(f32[3]): alpha is NaN, must be a finite number (nn.elu_c2)", nn.ELU(f, math.NaN())},
		{"nn.glu(f32[3]): axis 1 is out of range: a tensor of shape [3] has axis 0 alone (nn.glu_c2)", nn.GLU(f, 1)},
		{"nn.glu(f32[3]): the dimension of axis 0 of f32[3] is 3, must be even (nn.glu_c3)", nn.GLU(f, -1)},
		{"nn.celu(f32[3]): alpha is 0, which x is divided by (nn.celu_c3)", nn.CELU(f, 0)},
		{"nn.softplus(f32[3]): beta is 0, which is divided by (nn.softplus_c4)", nn.Softplus(f, 0, 1)},
		{"nn.soft_shrink(f32[3]): lambda is -1, must not be negative (nn.soft_shrink_c3)", nn.SoftShrink(f, -1)},
		{"nn.hard_tanh(f32[3]): low is 2 and high 1: it must be at least low (nn.hard_tanh_c4)", nn.HardTanh(f, 2, 1)},
		{"nn.fake_quantize(f32[3]): scale is NaN, must be a finite number (nn.fake_quantize_c2)", nn.FakeQuantize(f, math.NaN(), 0, 0, 255)},
		{"nn.fake_quantize(f32[3]): scale is 0, must be positive (nn.fake_quantize_c3)", nn.FakeQuantize(f, 0, 0, 0, 255)},
		{"nn.fake_quantize(f32[3]): zero is 256, must be from low, 0, to high, 255 (nn.fake_quantize_c4)", nn.FakeQuantize(f, 0.5, 256, 0, 255)},
		{"nn.prelu(f32[2,3], f32[2]): weight must be a scalar or have one axis, of dimension 1 or 3 (nn.prelu_c3)", nn.PReLU(of(tr, 2, 3), of(tr, 2))},
		{"nn.rrelu(f32[3], f32[2]): slopes must broadcast to [3] (nn.rrelu_c3)", nn.RReLU(f, of(tr, 2))},
	}
}

func badNorms(tr *lazy.Trace) []mistake {
	x, v, c, c2 := of(tr, 2, 3, 4), of(tr, 5), of(tr, 3), of(tr, 2)
	first := func(y, _, _ *lazy.Tensor) *lazy.Tensor { return y }
	return []mistake{
		{"nn.batch_norm(f32[5], f32[3], f32[3]): x has rank 1, must have at least 2 (nn.batch_norm_c7)", nn.BatchNorm(v, c, c, nil, nil, 0)},
		{"axis 1 of x has dimension 3, a parameter is f32[2] (nn.batch_norm_c8)", nn.BatchNorm(x, c, c, c, c2, 0)},
		{"x has rank 1, must have at least 2 (nn.batch_norm_training_c8)", first(nn.BatchNormTraining(v, c, c, nil, nil, 0, 0))},
		{"axis 1 of x has dimension 3, a parameter is f32[2] (nn.batch_norm_training_c9)", first(nn.BatchNormTraining(x, c2, c, nil, nil, 0, 0))},
		{"each channel has one element, whose variance is 0; training needs more (nn.batch_norm_training_c10)", first(nn.BatchNormTraining(of(tr, 1, 3), c, c, nil, nil, 0, 0))},
		{"x has rank 2, must have at least 3 (nn.instance_norm_c5)", nn.InstanceNorm(of(tr, 2, 3), nil, nil, 0)},
		{"axis 1 of x has dimension 3, a parameter is f32[2] (nn.instance_norm_c6)", nn.InstanceNorm(x, c2, nil, 0)},
		{"each channel has one element, whose variance is 0 (nn.instance_norm_c7)", nn.InstanceNorm(of(tr, 2, 3, 1), nil, nil, 0)},
		{"x has rank 1, must have at least 2 (nn.group_norm_c5)", nn.GroupNorm(v, nil, nil, 1, 0)},
		{"axis 1 of x has dimension 3, a parameter is f32[2] (nn.group_norm_c6)", nn.GroupNorm(x, c2, nil, 1, 0)},
		{"nn.group_norm(f32[2,3,4]): groups is 2, the number of channels 3 (nn.group_norm_c7)", nn.GroupNorm(x, nil, nil, 2, 0)},
		{"x has rank 3, last is 4 (nn.layer_norm_c5)", nn.LayerNorm(x, nil, nil, 4, 0)},
		{"a parameter is f32[3], must have the shape [4] of the last axes of x (nn.layer_norm_c6)", nn.LayerNorm(x, c, nil, 1, 0)},
		{"x has rank 3, last is 0 (nn.rms_norm_c4)", nn.RMSNorm(x, nil, 0, 0)},
		{"a parameter is f32[3], must have the shape [3,4] of the last axes of x (nn.rms_norm_c5)", nn.RMSNorm(x, c, 2, 0)},
		{"x has rank 1, must have at least 2 (nn.local_response_norm_c5)", nn.LocalResponseNorm(v, 1, 1, 1, 1)},
		{"nn.local_response_norm(f32[2,3,4]): size is 0, must be positive (nn.local_response_norm_c6)", nn.LocalResponseNorm(x, 0, 1, 1, 1)},
		{"nn.weight_norm(f32[2,3,4], f32[3]): g must have the rank of v, dimension 3 for axis 1 and 1 for others (nn.weight_norm_c4)", nn.WeightNorm(x, c, 1)},
		{"nn.renorm(f32[2,3,4]): p is 0, must be positive (nn.renorm_c5)", nn.Renorm(x, 0, 1, 1)},
		{"nn.renorm(f32[2,3,4]): most is -1, must not be negative (nn.renorm_c6)", nn.Renorm(x, 1, 1, -1)},
		{"nn.normalize(f32[2,3,4]): p is NaN, must be a number or an infinity (nn.normalize_c2)", nn.Normalize(x, math.NaN(), 1, 1)},
	}
}

func badLosses(tr *lazy.Trace) []mistake {
	type ce = nn.CrossEntropyOptions
	x, y, v, s := of(tr, 2, 3), of(tr, 4), of(tr, 3), of(tr)
	labels, row := lazy.Zeros(tr, lazy.I32, 2), lazy.Zeros(tr, lazy.I32, 3)
	three, one := of(tr, 4, 2, 3), lazy.Zeros(tr, lazy.I32, 2, 1)
	all := []mistake{
		{"x must be [steps, batch, classes], targets [batch, labels], steps and lengths [batch] (nn.ctc_loss_c5)", nn.CTCLoss(x, one, labels, labels, 0, false, 0)},
		{"the batch of x is 2, that of targets 2, of steps 3 and of lengths 2 (nn.ctc_loss_c6)", nn.CTCLoss(three, one, row, labels, 0, false, 0)},
		{"blank is 3, there are classes 0 to 2 (nn.ctc_loss_c7)", nn.CTCLoss(three, one, labels, labels, 3, false, 0)},
		{"there is no reduction 3 here (nn.ctc_loss_c8)", nn.CTCLoss(three, one, labels, labels, 0, false, 3)},
		{"nn.cross_entropy(f32[], i32[2]): x has no axis (nn.cross_entropy_c5)", nn.CrossEntropy(s, labels, ce{})},
		{"nn.cross_entropy(f32[2,3], i32[3]): labels must be of shape [2], one for each row of logits (nn.cross_entropy_c6)", nn.CrossEntropy(x, row, ce{})},
		{"the number of classes is 3, weight is f32[4] (nn.cross_entropy_c7)", nn.CrossEntropy(x, labels, ce{Weight: y})},
		{"smoothing is 2, must be from 0 to 1 (nn.cross_entropy_c8)", nn.CrossEntropy(x, labels, ce{Smoothing: 2})},
		{"x has no axis (nn.cross_entropy_soft_c5)", nn.CrossEntropy(s, s, ce{})},
		{"nn.cross_entropy(f32[2,3], f32[2]): target is f32[2]: labels are integers, convert them with Convert(lazy.I64); floats are probabilities, of the shape [2,3] of x", nn.CrossEntropy(x, of(tr, 2), ce{})},
		{"target is f32[3]: probabilities must have the shape [2,3] of x, and labels are integers (nn.cross_entropy_soft_c6)", nn.CrossEntropy(x, v, ce{})},
		{"the number of classes is 3, weight is f32[4] (nn.cross_entropy_soft_c7)", nn.CrossEntropy(x, x, ce{Weight: y})},
		{"smoothing is -1, must be from 0 to 1 (nn.cross_entropy_soft_c8)", nn.CrossEntropy(x, x, ce{Smoothing: -1})},
		{"x has no axis (nn.nll_loss_c4)", nn.NLLLoss(s, labels, ce{})},
		{"labels must be of shape [2], one for each row of logits (nn.nll_loss_c5)", nn.NLLLoss(x, row, ce{})},
		{"the number of classes is 3, weight is f32[4] (nn.nll_loss_c6)", nn.NLLLoss(x, labels, ce{Weight: y})},
		{"target must have the shape of x (nn.bce_loss_c4)", nn.BCELoss(x, v, nil, 0)},
		{"weight must broadcast to [2,3] (nn.bce_loss_c5)", nn.BCELoss(x, x, y, 0)},
		{"target must have the shape of x (nn.bce_with_logits_c5)", nn.BCEWithLogits(x, v, nn.BCEOptions{})},
		{"weights must broadcast to [2,3] (nn.bce_with_logits_c6)", nn.BCEWithLogits(x, x, nn.BCEOptions{Positive: y})},
		{"nn.mse_loss(f32[2,3], f32[4]): [2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.mse_loss_c3)", nn.MSELoss(x, y, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.l1_loss_c3)", nn.L1Loss(x, y, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.smooth_l1_loss_c4)", nn.SmoothL1Loss(x, y, 1, 0)},
		{"beta is -1, must not be negative (nn.smooth_l1_loss_c5)", nn.SmoothL1Loss(x, x, -1, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.huber_loss_c4)", nn.HuberLoss(x, y, 1, 0)},
		{"delta is 0, must be positive (nn.huber_loss_c5)", nn.HuberLoss(x, x, 0, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.kl_div_loss_c3)", nn.KLDivLoss(x, y, false, 0)},
		{"there is no reduction 3 here (nn.kl_div_loss_c4)", nn.KLDivLoss(s, s, false, nn.ReduceBatchMean)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.poisson_nll_loss_c4)", nn.PoissonNLLLoss(x, y, true, false, 0, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.gaussian_nll_loss_c5)", nn.GaussianNLLLoss(x, y, s, false, 0, 0)},
		{"variance must broadcast to [2,3] (nn.gaussian_nll_loss_c6)", nn.GaussianNLLLoss(x, x, y, false, 0, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.soft_margin_loss_c3)", nn.SoftMarginLoss(x, y, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.hinge_embedding_loss_c4)", nn.HingeEmbeddingLoss(x, y, 1, 0)},
		{"[2,3] and [4] do not broadcast at axis -1; reshape one, or give it a dimension of 1 there (nn.margin_ranking_loss_c5)", nn.MarginRankingLoss(x, v, y, 1, 0)},
		{"x and y must have one shape, with an axis of features (nn.cosine_embedding_loss_c5)", nn.CosineEmbeddingLoss(x, v, y, 1, 0)},
		{"target must be of shape [2], one for each row (nn.cosine_embedding_loss_c6)", nn.CosineEmbeddingLoss(x, x, y, 1, 0)},
		{"x, positive and negative must have one shape, with an axis of features (nn.triplet_margin_loss_c7)", nn.TripletMarginLoss(x, x, y, 1, 2, 0, false, 0)},
		{"p is 0, must be positive (nn.triplet_margin_loss_c8)", nn.TripletMarginLoss(x, x, x, 1, 0, 0, false, 0)},
		{"x has rank 3, must be [batch, classes] or [classes] (nn.multi_margin_loss_c5)", nn.MultiMarginLoss(of(tr, 2, 3, 4), labels, nil, 1, 1, 0)},
		{"labels must be of shape [2], one for each row of logits (nn.multi_margin_loss_c6)", nn.MultiMarginLoss(x, row, nil, 1, 1, 0)},
		{"the number of classes is 3, weight is f32[4] (nn.multi_margin_loss_c7)", nn.MultiMarginLoss(x, labels, y, 1, 1, 0)},
		{"p is 3, must be 1 or 2 (nn.multi_margin_loss_c8)", nn.MultiMarginLoss(x, labels, nil, 3, 1, 0)},
		{"x has rank 3, must be [batch, classes] or [classes] (nn.multi_label_margin_loss_c3)", nn.MultiLabelMarginLoss(of(tr, 2, 3, 4), labels, 0)},
		{"labels must have the shape of x (nn.multi_label_margin_loss_c4)", nn.MultiLabelMarginLoss(x, labels, 0)},
		{"target must have the shape of x, with an axis of classes (nn.multi_label_soft_margin_loss_c4)", nn.MultiLabelSoftMarginLoss(x, y, nil, 0)},
		{"weight must broadcast to [2,3] (nn.multi_label_soft_margin_loss_c5)", nn.MultiLabelSoftMarginLoss(x, x, y, 0)},
		{"x and y must have shapes that broadcast (nn.cosine_similarity_c4)", nn.CosineSimilarity(x, y, 0, 0)},
		{"axis is 2, must be from -2 to 1 (nn.cosine_similarity_c5)", nn.CosineSimilarity(x, x, 2, 0)},
		{"x must have an axis, and a shape that broadcasts with that of y (nn.pairwise_distance_c5)", nn.PairwiseDistance(x, y, 1, 0, false)},
		{"x and y must have at least rank 2, and as many features (nn.cdist_c4)", nn.CDist(x, y, 2)},
		{"the axes of x and y before the last two must broadcast (nn.cdist_c4)", nn.CDist(of(tr, 2, 4, 3), of(tr, 3, 4, 3), 2)},
		{"p is -1, must not be negative (nn.cdist_c5)", nn.CDist(x, x, -1)},
		{"x has rank 1, must be [n, features] (nn.pdist_c3)", nn.PDist(y, 2)},
		{"p is -1, must not be negative (nn.pdist_c4)", nn.PDist(x, -1)},
	}
	for label, y := range map[string]*lazy.Tensor{
		"cross_entropy_c9": nn.CrossEntropy(x, labels, ce{Reduction: 4}), "cross_entropy_soft_c9": nn.CrossEntropy(x, x, ce{Reduction: 4}), "nll_loss_c7": nn.NLLLoss(x, labels, ce{Reduction: 4}),
		"bce_loss_c6": nn.BCELoss(x, x, nil, 4), "bce_with_logits_c7": nn.BCEWithLogits(x, x, nn.BCEOptions{Reduction: 4}), "mse_loss_c4": nn.MSELoss(x, x, 4), "l1_loss_c4": nn.L1Loss(x, x, 4),
		"smooth_l1_loss_c6": nn.SmoothL1Loss(x, x, 1, 4), "huber_loss_c6": nn.HuberLoss(x, x, 1, 4), "poisson_nll_loss_c5": nn.PoissonNLLLoss(x, x, true, true, 0, 4), "gaussian_nll_loss_c7": nn.GaussianNLLLoss(x, x, x, true, 0, 4),
		"soft_margin_loss_c4": nn.SoftMarginLoss(x, x, 4), "hinge_embedding_loss_c5": nn.HingeEmbeddingLoss(x, x, 1, 4), "margin_ranking_loss_c6": nn.MarginRankingLoss(x, x, x, 1, 4),
		"cosine_embedding_loss_c7": nn.CosineEmbeddingLoss(x, x, of(tr, 2), 1, 4), "triplet_margin_loss_c9": nn.TripletMarginLoss(x, x, x, 1, 2, 0, false, 4), "multi_margin_loss_c9": nn.MultiMarginLoss(x, labels, nil, 1, 1, 4),
		"multi_label_margin_loss_c5": nn.MultiLabelMarginLoss(x, lazy.Zeros(tr, lazy.I32, 2, 3), 4), "multi_label_soft_margin_loss_c6": nn.MultiLabelSoftMarginLoss(x, x, nil, 4),
	} {
		all = append(all, mistake{"there is no reduction 4 here (nn." + label + ")", y})
	}
	return all
}

func badLayers(tr *lazy.Trace) []mistake {
	type options = nn.ConvOptions
	x, w, v, i := of(tr, 2, 4, 5, 5), of(tr, 6, 4, 3, 3), of(tr, 5), lazy.Zeros(tr, lazy.I32, 2, 3)
	m, j := of(tr, 5, 2), lazy.Zeros(tr, lazy.I32, 3)
	list := []int{1, 2, 3}
	return []mistake{
		{"nn.linear(f32[2,4,5,5]): operand 1 is nil or the zero Tensor, which is none", nn.Linear(x, nil, nil)},
		{"nn.layer_norm(f32[5], f32[5]): operand 1 is nil or the zero Tensor, which is none", nn.LayerNorm(v, nil, v, 1, 0)},
		{"weight has rank 4, must be [out, in] or [in] (nn.linear_c4)", nn.Linear(x, w, nil)},
		{"x is a scalar, must have a last axis of features (nn.linear_c4)", nn.Linear(of(tr), v, nil)},
		{"nn.linear(f32[2,5], f32[3,4]): the last dimension of x is 5, must be 4, the last one of weight (In of layers.Linear) (nn.linear_c4)", nn.Linear(of(tr, 2, 5), of(tr, 3, 4), nil)},
		{"bias must be a scalar, as weight has one axis (nn.linear_c5)", nn.Linear(of(tr, 3, 2), of(tr, 2), of(tr, 2))},
		{"bias must have one axis of dimension 5 (nn.linear_c5)", nn.Linear(of(tr, 3, 2), m, of(tr, 2))},
		{"(nn.bilinear_c5)", nn.Bilinear(x, x, w, nil)},
		{"bias must have one axis of dimension 6 (nn.bilinear_c6)", nn.Bilinear(of(tr, 3, 2), of(tr, 3, 4), of(tr, 6, 2, 4), v)},
		{"weight must have rank 5, and x 4 or 5 (nn.conv_c4)", nn.Conv3d(x, w, nil, options{})},
		{"stride is [1 2 3], must have one entry or 2, of at least 1 (nn.conv_c5)", nn.Conv(x, w, nil, options{Stride: list})},
		{"padding is [-1 -1], must have one entry or 2, of at least 0 (nn.conv_c5)", nn.Conv(x, w, nil, options{Padding: []int{-1}})},
		{"stride is [2 2] and padding [0 0], must be 1 and 0 (nn.conv_c6)", nn.Conv2d(x, w, nil, options{Stride: []int{2}, Same: true})},
		{"x has 4 channels on axis 1, and weight is for 8 in 2 groups (nn.conv_c7)", nn.Conv2d(x, w, nil, options{Groups: 2})},
		{"groups is 4, must be positive and divide the 6 output channels of weight (nn.conv_c7)", nn.Conv2d(x, w, nil, options{Groups: 4})},
		{"nn.conv2d(f32[2,8,8], f32[1,1,3,3]): x has 2 channels on axis 0, and weight is for 1; x of rank 3 is one image without a batch, [channels, places…]: a batch without channels gets their axis by Unsqueeze(1) (nn.conv_c7)", nn.Conv2d(of(tr, 2, 8, 8), of(tr, 1, 1, 3, 3), nil, options{})},
		{"bias must have one axis of dimension 6 (nn.conv_c8)", nn.Conv2d(x, w, v, options{})},
		{"weight must have rank 3, and x 2 or 3 (nn.conv_transpose_c4)", nn.ConvTranspose1d(x, w, nil, options{})},
		{"more is [-1 -1], must have one entry or 2, of at least 0 (nn.conv_transpose_c5)", nn.ConvTranspose2d(x, w, nil, options{More: []int{-1}})},
		{"more is [1 1], must be below the stride [1 1] or the dilation [1 1] (nn.conv_transpose_c6)", nn.ConvTranspose2d(x, w, nil, options{More: []int{1}})},
		{"x has 4 channels on axis 1, and weight is for 6 (nn.conv_transpose_c7)", nn.ConvTranspose2d(x, w, nil, options{})},
		{"groups is 4, must be positive and divide the 6 input channels of weight (nn.conv_transpose_c7)", nn.ConvTranspose2d(x, w, nil, options{Groups: 4})},
		{"bias must have one axis of dimension 3 (nn.conv_transpose_c8)", nn.ConvTranspose2d(x, of(tr, 4, 3, 1, 1), v, options{})},
		{"weight has rank 1, must be [rows, features] (nn.embedding_c3)", nn.Embedding(v, i)},
		{"the padding index is [5], there are rows 0 to 4 (nn.embedding_c4)", nn.Embedding(m, i, 5)},
		{"weight must be [rows, features], and indices [bags, n] (nn.embedding_bag_c4)", nn.EmbeddingBag(v, i, nil, 0, nil)},
		{"the padding index is [1 2 3], there are rows 0 to 4 (nn.embedding_bag_c5)", nn.EmbeddingBag(m, i, nil, 0, list)},
		{"weight must be [rows, features], indices [n], and offsets [bags] (nn.embedding_bag_offsets_c5)", nn.EmbeddingBagOffsets(m, i, i, nil, 0, nil)},
		{"the padding index is [-6], there are rows 0 to 4 (nn.embedding_bag_offsets_c6)", nn.EmbeddingBagOffsets(m, j, j, nil, 0, []int{-6})},
		{"mode is -1 (nn.embedding_bag_offsets_c7)", nn.EmbeddingBagOffsets(m, j, j, nil, -1, nil)},
		{"perIndex must have shape [3], and the mode must be BagSum (nn.embedding_bag_offsets_c8)", nn.EmbeddingBagOffsets(m, j, j, v, 0, nil)},
		{"mode is 3 (nn.embedding_bag_c6)", nn.EmbeddingBag(m, i, nil, 3, nil)},
		{"perIndex must have shape [2,3], and the mode must be BagSum (nn.embedding_bag_c7)", nn.EmbeddingBag(m, i, v, 0, nil)},
	}
}

func badWindows(tr *lazy.Trace) []mistake {
	type options = nn.PoolOptions
	x, v, c := of(tr, 2, 4, 5, 5), of(tr, 5), of(tr, 12, 8)
	list, two := []int{1, 2, 3}, []int{2, 2}
	values := func(y, _ *lazy.Tensor) *lazy.Tensor { return y }
	return []mistake{
		{"x has rank 1, must have 3 or 4 (nn.avg_pool_c2)", nn.AvgPool(v, two, options{})},
		{"stride is [1 2 3], must have one entry or 2, of at least 1 (nn.avg_pool_c3)", nn.AvgPool(x, two, options{Stride: list})},
		{"padding 2 is more than half of the window 2 (nn.avg_pool_c4)", nn.AvgPool(x, two, options{Padding: two})},
		{"dilation is [2 2], must be 1 (nn.avg_pool_c5)", nn.AvgPool(x, two, options{Dilation: two})},
		{"x has rank 1, must have 3 or 4 (nn.lp_pool_c3)", nn.LPPool(v, 2, two, options{})},
		{"dilation is [0 0], must have one entry or 2, of at least 1 (nn.lp_pool_c4)", nn.LPPool(x, 2, two, options{Dilation: []int{0}})},
		{"spatial axis 1: a window of 6, 6 with its dilation, has no place in a dimension of 5, 5 with padding: make the window smaller, or the padding larger (nn.lp_pool_c5)", nn.LPPool(x, 2, []int{2, 6}, options{})},
		{"p is 0, must be positive (nn.lp_pool_c6)", nn.LPPool(x, 0, two, options{})},
		{"dilation is [2 2] and padding [0 0], must be 1 and 0 (nn.lp_pool_c7)", nn.LPPool(x, 2, two, options{Dilation: two})},
		{"x has rank 1, must have 3 or 4 (nn.max_pool_indices_c2)", values(nn.MaxPool(v, two, options{}))},
		{"padding is [1 2 3], must have one entry or 2, of at least 0 (nn.max_pool_indices_c3)", values(nn.MaxPool(x, two, options{Padding: list}))},
		{"a window of 2, 11 with its dilation, has no place in a dimension of 5, 5 with padding: make the window smaller, or the padding larger (nn.max_pool_indices_c4)", values(nn.MaxPool(x, two, options{Dilation: []int{10}}))},
		{"x has rank 1, must have 3 or 4 (nn.adaptive_max_pool_indices_c2)", values(nn.AdaptiveMaxPool(v, 2, 2))},
		{"sizes are [0 2], must be positive (nn.adaptive_max_pool_indices_c3)", values(nn.AdaptiveMaxPool(x, 0, 2))},
		{"x has rank 4, must have 1 or 2 (nn.adaptive_avg_pool_c2)", nn.AdaptiveAvgPool(x)},
		{"sizes are [0 2], must be positive (nn.adaptive_avg_pool_c3)", nn.AdaptiveAvgPool(x, 0, 2)},
		{"x has rank 1, must have 3 or 4 (nn.max_unpool_c3)", nn.MaxUnpool(v, lazy.Zeros(tr, lazy.I64, 5), 2, 2)},
		{"sizes are [0 2], must be positive (nn.max_unpool_c4)", nn.MaxUnpool(x, lazy.Zeros(tr, lazy.I64, 2, 4, 5, 5), 0, 2)},
		{"indices must have the shape of x (nn.max_unpool_c5)", nn.MaxUnpool(x, lazy.Zeros(tr, lazy.I64, 5), 2, 2)},
		{"x has rank 1, must have 3 or 4 (nn.unfold_c2)", nn.Unfold(v, two, options{})},
		{"stride is [1 2 3], must have one entry or 2, of at least 1 (nn.unfold_c3)", nn.Unfold(x, two, options{Stride: list})},
		{"spatial axis 0: a window of 6, 6 with its dilation, has no place in a dimension of 5, 5 with padding: make the window smaller, or the padding larger (nn.unfold_c4)", nn.Unfold(x, []int{6, 1}, options{})},
		{"x has rank 4, must have 2 or 3 (nn.fold_c2)", nn.Fold(x, two, two, options{})},
		{"stride is [1 2 3], must have one entry or 2, of at least 1 (nn.fold_c3)", nn.Fold(c, two, two, options{Stride: list})},
		{"spatial axis 0: a window of 3, 3 with its dilation, has no place in a dimension of 2, 2 with padding: make the window smaller, or the padding larger (nn.fold_c4)", nn.Fold(c, two, []int{3, 1}, options{})},
		{"x has dimensions 12 and 8, must have a multiple of 4 and 1 (nn.fold_c5)", nn.Fold(c, two, two, options{})},
		{"x has rank 1, must have at least 3 (nn.pixel_shuffle_c2)", nn.PixelShuffle(v, 2)},
		{"factor is 3, its square must divide the dimension 4 of channels (nn.pixel_shuffle_c3)", nn.PixelShuffle(x, 3)},
		{"x has rank 1, must have at least 3 (nn.pixel_unshuffle_c2)", nn.PixelUnshuffle(v, 2)},
		{"factor is 3, must divide the dimensions 5 and 5 (nn.pixel_unshuffle_c3)", nn.PixelUnshuffle(x, 3)},
		{"x has rank 1, must have at least 2 (nn.channel_shuffle_c2)", nn.ChannelShuffle(v, 2)},
		{"groups is 3, must divide the dimension 4 of channels (nn.channel_shuffle_c3)", nn.ChannelShuffle(x, 3)},
		{"padding is [1 2 3] for rank 1 (nn.pad_c2)", nn.Pad(v, list, 0)},
		{"mode is 4 (nn.pad_c3)", nn.Pad(v, two, 4)},
		{"padding 0 and 5 does not go with axis 0 of [5] in mode 1 (nn.pad_c4)", nn.Pad(v, []int{0, 5}, nn.PadReflect)},
		{"padding 0 and 6 does not go with axis 0 of [5] in mode 3 (nn.pad_c4)", nn.Pad(v, []int{0, 6}, nn.PadCircular)},
		{"padding -7 and 1 does not go with axis 0 of [5] in mode 2 (nn.pad_c4)", nn.Pad(v, []int{-7, 1}, nn.PadReplicate)},
		{"padding -3 and -3 does not go with axis 0 of [5] in mode 0 (nn.pad_value_c4)", nn.PadValue(v, []int{-3, -3}, 1)},
		{"padding is [1 2 3] for rank 1 (nn.pad_value_c3)", nn.PadValue(v, list, 1)},
		{"value is NaN, must be a number or an infinity (nn.pad_value_c2)", nn.PadValue(v, two, math.NaN())},
		{"padding -3 and -3 does not go with axis 0 of [5] in mode 0 (nn.pad_c4)", nn.Pad(v, []int{-3, -3}, nn.PadConstant)},
	}
}

func badResampling(tr *lazy.Trace) []mistake {
	type options = nn.InterpolateOptions
	x, v := of(tr, 2, 4, 5, 5), of(tr, 5)
	two := []int{2, 2}
	heads := func(x *lazy.Tensor, heads, features int) *lazy.Tensor {
		return nn.MultiHeadAttention(x, x, x, nn.MultiHeadOptions{Heads: heads, In: of(tr, 3*features, features), Out: of(tr, features, features)})
	}
	return []mistake{
		{"x has rank 1, must have at least 3 (nn.interpolate_c3)", nn.Interpolate(v, options{Sizes: two})},
		{"sizes are [] and scale is 0, must be one of them: 2 positive sizes, or a positive scale (nn.interpolate_c4)", nn.Interpolate(x, options{})},
		{"scale is 0.1, which leaves nothing of [2,4,5,5] (nn.interpolate_c4)", nn.Interpolate(x, options{Scale: 0.1})},
		{"the number of scales is 3, must be that of spatial axes, 2 (nn.interpolate_c4)", nn.Interpolate(x, options{Scales: []float64{1, 2, 3}})},
		{"sizes are [] and scale is -1, must be one of them: 2 positive sizes, or a positive scale (nn.interpolate_c4)", nn.Interpolate(x, options{Scales: []float64{2, -1}})},
		{"there is no mode 5 (nn.interpolate_c5)", nn.Interpolate(x, options{Sizes: two, Mode: 5})},
		{"alignCorners and antialias go with ModeLinear and ModeCubic alone (nn.interpolate_c6)", nn.Interpolate(x, options{Sizes: two, AlignCorners: true})},
		{"with a coordinate for each axis of places (nn.grid_sample_c3)", nn.GridSample(x, x, 0, 0, false)},
		{"there is no mode 3 here (nn.grid_sample_c4)", nn.GridSample(x, of(tr, 2, 1, 1, 2), 3, 0, false)},
		{"there is no padding 3 (nn.grid_sample_c5)", nn.GridSample(x, of(tr, 2, 1, 1, 2), 0, 3, false)},
		{"sizes are [0], must be positive (nn.affine_grid_c2)", nn.AffineGrid(x, []int{0}, false)},
		{"theta must be [batch, 2, 3] (nn.affine_grid_c3)", nn.AffineGrid(x, two, false)},
		{"x has rank 1, must be [batch, n, features], or all without batch (nn.heads_c4)", heads(v, 1, 5)},
		{"the last dimension of queries is 5, must be 4, the features of in (Features of layers.MultiheadAttention) (nn.heads_c5)", heads(of(tr, 3, 5), 1, 4)},
		{"in must be [15, 5], and its bias [15] (nn.heads_c5)", nn.MultiHeadAttention(of(tr, 3, 5), of(tr, 3, 5), of(tr, 3, 5), nn.MultiHeadOptions{Heads: 1, In: of(tr, 15, 4), Out: of(tr, 5, 5)})},
		{"the last dimension of values is 5, must be 4, the features of in", nn.MultiHeadAttention(of(tr, 3, 4), of(tr, 3, 4), of(tr, 3, 5), nn.MultiHeadOptions{Heads: 1, In: of(tr, 12, 4), Out: of(tr, 4, 4)})},
		{"the number of heads is 2, of features 5 (nn.heads_c6)", heads(of(tr, 3, 5), 2, 5)},
	}
}
