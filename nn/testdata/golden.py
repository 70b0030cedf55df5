"""Writes torch.txt, what PyTorch computes for the functions of package nn, beside this file.

The version that wrote it stands in its first line. A case has the text of its inputs, the results and,
of the sum of the results times the weights of kind w, the gradients of its inputs. The test makes the
same inputs by the formulas of fill.
"""
import math
import os
import sys

import torch
import torch.nn.functional as F

ENDS = [-math.inf, -1000, -6, -3, -1, -0.5, -0.0, 0.0, 0.5, 1, 3, 6, 1000, math.inf, math.nan]


def fill(kind, dims, k):
    """Elements of input k: kinds f (any sign, many on kinks), u (between 0 and 1), p (positive), s (-1 or 1),
    e (ends), lN (labels below N), b (bool), w (weights)."""
    n = math.prod(dims)
    i = torch.arange(n, dtype=torch.float64)
    if kind == "f":
        v = ((i * 7 + 3 * k + 5) % 23 - 11) / 4
    elif kind == "u":
        v = ((i * 7 + 3 * k + 5) % 23 + 1) / 25
    elif kind == "p":
        v = ((i * 7 + 3 * k + 5) % 23 + 1) / 10
    elif kind == "s":
        v = (i * 7 + 3 * k + 5) % 23 % 2 * 2 - 1
    elif kind == "w":
        v = ((i * 5 + 2) % 17 - 6) / 8
    elif kind == "e":
        v = torch.tensor(ENDS, dtype=torch.float64)
    elif kind[0] == "l":
        v = ((i * 7 + i // 3 + k) % int(kind[1:])).long()
    elif kind == "b":
        v = (i * 7 + 3 * k + 5) % 23 % 3 > 0
    return v.reshape(dims)


def text(t):
    return " ".join("%.12g" % v for v in t.double().reshape(-1).tolist())


out = ["# PyTorch %s" % torch.__version__.split("+")[0]]


def case(name, f, *inputs, grad=True):
    """f of inputs, each "kind" or "kind dims". Without grad there are no gradients."""
    xs = []
    for k, s in enumerate(inputs):
        kind, *dims = s.split()
        dims = [int(d) for d in dims[0].split(",")] if dims else ([len(ENDS)] if kind == "e" else [])
        x = fill(kind, dims, k)
        xs.append(x.requires_grad_() if x.is_floating_point() and grad and kind != "s" else x)
    ys = f(*xs)
    ys = ys if isinstance(ys, (tuple, list)) else [ys]
    out.append("%s: %s" % (name, "; ".join(inputs)))
    loss = 0
    for y in ys:
        out.append("  [%s] %s" % (",".join(str(d) for d in y.shape), text(y)))
        if y.is_floating_point() and y.requires_grad:
            loss = loss + (y * fill("w", y.shape, 0)).sum()
    if grad:
        for i, x in enumerate(xs):
            if x.requires_grad:
                g = torch.autograd.grad(loss, x, retain_graph=True, allow_unused=True)[0]
                out.append("  d%d %s" % (i, text(torch.zeros_like(x) if g is None else g)))


def hard_sigmoid(x):
    """F.hardsigmoid, whose gradient of f64 has the digits of f32 alone."""
    return torch.where((x > -3) & (x < 3), x + 3, F.relu6(x + 3).detach()) / 6


def activations():
    fs = {
        "SiLU": F.silu, "ELU": lambda x: F.elu(x, 1.5), "SELU": F.selu, "CELU": lambda x: F.celu(x, 1.5),
        "GELUTanh": lambda x: F.gelu(x, approximate="tanh"), "Mish": F.mish, "LogSigmoid": F.logsigmoid,
        "Softplus": lambda x: F.softplus(x, 2, 3), "Softsign": F.softsign, "TanhShrink": F.tanhshrink,
        "SoftShrink": lambda x: F.softshrink(x, 0.5), "HardShrink": lambda x: F.hardshrink(x, 0.5),
        "HardTanh": lambda x: F.hardtanh(x, -1, 0.5), "ReLU6": F.relu6, "HardSigmoid": hard_sigmoid, "HardSwish": F.hardswish,
        "LeakyReLU": lambda x: F.leaky_relu(x, 0.1), "Threshold": lambda x: F.threshold(x, 0.5, 20),
    }
    for name, f in fs.items():
        case(name, f, "f 3,8")
        case(name + "/ends", f, "e")
    case("GLU", lambda x: F.glu(x, 1), "f 3,4")
    case("PReLU", F.prelu, "f 2,3,2", "f 3")
    case("PReLU/one", F.prelu, "f 2,3", "f 1")
    case("FakeQuantize", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.3, 1, -3, 4), "f 3,4")
    case("Softmin", lambda x: F.softmin(x, 0), "f 3,4")
    case("SafeSoftmax", lambda x: torch._safe_softmax(x, 1), "f 3,4")


def norms():
    def batch(x, m, v, g=None, b=None):
        y = F.batch_norm(x, m.detach().clone(), v.detach().clone(), g, b, True, 0.25, 1e-3)
        m, v = m.detach().clone(), v.detach().clone()
        F.batch_norm(x.detach(), m, v, None, None, True, 0.25, 1e-3)
        return y, m, v

    case("BatchNorm", lambda x, m, v, g, b: F.batch_norm(x, m, v, g, b, False, 0.1, 1e-3), "f 2,3,2", "f 3", "p 3", "f 3", "f 3", grad=False)
    case("BatchNorm/plain", lambda x, m, v: F.batch_norm(x, m, v, None, None, False, 0.1, 1e-3), "f 2,3,2", "w 3", "p 3", grad=False)
    case("BatchNormTraining", batch, "f 2,3,2", "w 3", "p 3", "f 3", "f 3")
    case("BatchNormTraining/plain", batch, "f 4,3", "w 3", "p 3")
    case("InstanceNorm", lambda x, g, b: F.instance_norm(x, weight=g, bias=b, eps=1e-3), "f 2,2,3", "f 2", "f 2")
    case("InstanceNorm/plain", lambda x: F.instance_norm(x, eps=1e-3), "f 2,2,3,2")
    case("GroupNorm", lambda x, g, b: F.group_norm(x, 2, g, b, 1e-3), "f 2,4,3", "f 4", "f 4")
    case("GroupNorm/plain", lambda x: F.group_norm(x, 2, eps=1e-3), "f 3,4")
    case("LayerNorm", lambda x, g, b: F.layer_norm(x, [3, 2], g, b, 1e-3), "f 2,3,2", "f 3,2", "f 3,2")
    case("LayerNorm/plain", lambda x: F.layer_norm(x, [4], eps=1e-3), "f 2,4")
    case("RMSNorm", lambda x, g: F.rms_norm(x, [4], g, 1e-3), "f 2,4", "f 4")
    case("RMSNorm/plain", lambda x: F.rms_norm(x, [2, 4], eps=1e-3), "f 2,4")
    case("LocalResponseNorm", lambda x: F.local_response_norm(x, 2, 0.5, 0.75, 1.5), "f 2,5,2")
    case("LocalResponseNorm/odd", lambda x: F.local_response_norm(x, 3, 0.5, 0.75, 1.5), "f 2,4,2,2")
    case("WeightNorm", lambda v, g: torch._weight_norm(v, g, 0), "f 3,2,2", "f 3,1,1")
    case("WeightNorm/last", lambda v, g: torch._weight_norm(v, g, 2), "f 2,2,3", "f 1,1,3")
    case("Renorm", lambda x: torch.renorm(x, 2, 0, 3), "f 3,4")
    case("Renorm/cube", lambda x: torch.renorm(x, 3, 1, 2.5), "f 3,4,2")
    case("Normalize", lambda x: F.normalize(x, 2, 1, 1e-3), "f 3,4")
    case("Normalize/sums", lambda x: F.normalize(x, 1, 0, 2), "f 3,4")
    case("Normalize/power", lambda x: F.normalize(x, 2.5, 1, 1e-3), "f 3,7")


def losses():
    red = {"": "mean", "/sum": "sum", "/none": "none"}
    for s, r in red.items():
        case("CrossEntropy" + s, lambda x, t: F.cross_entropy(x, t, reduction=r), "f 4,5", "l5 4")
        case("CrossEntropy/weight" + s, lambda x, t: F.cross_entropy(x, t, fill("p", [3], 7), ignore_index=2, label_smoothing=0.25, reduction=r), "f 2,3,4", "l3 2,4")
        case("NLLLoss" + s, lambda x, t: F.nll_loss(x, t, fill("p", [5], 7), ignore_index=1, reduction=r), "f 4,5", "l5 4")
        case("MSELoss" + s, lambda x, t: F.mse_loss(x, t, reduction=r), "f 3,4", "f 3,4")
    case("CrossEntropy/places", lambda x, t: F.cross_entropy(x, t, ignore_index=2, label_smoothing=0.25), "f 2,3,4", "l3 2,4")
    case("CrossEntropy/one", F.cross_entropy, "f 5", "l5")
    case("CrossEntropy/soft", lambda x, t: F.cross_entropy(x, t, torch.tensor([1.0, 2, 3], dtype=torch.float64), label_smoothing=0.25), "f 2,3,4", "u 2,3,4")
    case("CrossEntropy/nothing", lambda x, t: F.cross_entropy(x, t * 0 - 100), "f 2,3", "l3 2", grad=False)
    case("NLLLoss/plain", lambda x, t: F.nll_loss(x, t), "f 4,5", "l5 4")
    case("BCELoss", F.binary_cross_entropy, "u 3,4", "u 3,4")
    case("BCELoss/weight", lambda x, t: F.binary_cross_entropy(x, t, fill("p", [4], 7), reduction="sum"), "u 3,4", "u 3,4")
    case("BCEWithLogits", F.binary_cross_entropy_with_logits, "f 3,4", "u 3,4")
    case("BCEWithLogits/weights", lambda x, t: F.binary_cross_entropy_with_logits(x, t, fill("p", [3, 1], 7), pos_weight=fill("p", [4], 8), reduction="none"), "f 3,4", "u 3,4")
    case("BCEWithLogits/weight", lambda x, t: F.binary_cross_entropy_with_logits(x, t, fill("p", [4], 7)), "f 3,4", "u 3,4")
    case("L1Loss", F.l1_loss, "f 3,4", "f 3,4")
    case("SmoothL1Loss", lambda x, t: F.smooth_l1_loss(x, t, beta=0.5), "f 3,4", "p 3,4")
    case("SmoothL1Loss/0", lambda x, t: F.smooth_l1_loss(x, t, beta=0.0, reduction="none"), "f 3,4", "p 3,4")
    case("HuberLoss", lambda x, t: F.huber_loss(x, t, delta=1.5), "f 3,4", "p 3,4")
    case("KLDivLoss", lambda x, t: F.kl_div(x, t, reduction="batchmean"), "f 3,4", "u 3,4")
    case("KLDivLoss/log", lambda x, t: F.kl_div(x, t, reduction="mean", log_target=True), "f 3,4", "f 3,4")
    case("PoissonNLLLoss", lambda x, t: F.poisson_nll_loss(x, t, full=True), "f 3,4", "p 3,4")
    case("PoissonNLLLoss/rates", lambda x, t: F.poisson_nll_loss(x, t, log_input=False, eps=1e-3), "p 3,4", "p 3,4")
    case("GaussianNLLLoss", lambda x, t, v: F.gaussian_nll_loss(x, t, v, full=True, eps=0.5), "f 3,4", "f 3,4", "p 3,4")
    case("SoftMarginLoss", lambda x, t: F.soft_margin_loss(x, t), "f 3,4", "s 3,4")
    case("HingeEmbeddingLoss", lambda x, t: F.hinge_embedding_loss(x, t, 1.25), "f 3,4", "s 3,4")
    case("MarginRankingLoss", lambda x, y, t: F.margin_ranking_loss(x, y, t, 1.25), "f 6", "f 6", "s 6")
    case("CosineEmbeddingLoss", lambda x, y, t: F.cosine_embedding_loss(x, y, t, 0.25), "f 3,4", "f 3,4", "s 3")
    case("CosineSimilarity", lambda x, y: F.cosine_similarity(x, y, 1, 4.5), "f 3,4", "p 1,4")
    case("PairwiseDistance", lambda x, y: F.pairwise_distance(x, y, 2, 1e-3, True), "f 3,4", "p 3,4")
    case("PairwiseDistance/sums", lambda x, y: F.pairwise_distance(x, y, 1, 1e-3), "f 3,4", "p 3,4")
    case("CDist", lambda x, y: torch.cdist(x, y), "f 2,3,4", "f 2,2,4")
    case("CDist/power", lambda x, y: torch.cdist(x, y, 1.5), "f 3,4", "f 5,4")
    case("PDist", F.pdist, "f 5,3")
    case("TripletMarginLoss", lambda x, p, n: F.triplet_margin_loss(x, p, n, 2, 2, 1e-3), "f 3,4", "f 3,4", "p 3,4")
    case("TripletMarginLoss/swap", lambda x, p, n: F.triplet_margin_loss(x, p, n, 2, 3, 1e-3, swap=True, reduction="none"), "f 3,4", "p 3,4", "f 3,4")
    case("MultiMarginLoss", F.multi_margin_loss, "f 3,4", "l4 3")
    case("MultiMarginLoss/square", lambda x, t: F.multi_margin_loss(x, t, 2, 0.5, fill("p", [4], 7), reduction="none"), "f 3,4", "l4 3")
    case("MultiMarginLoss/one", F.multi_margin_loss, "f 4", "l4")
    case("MultiLabelMarginLoss", lambda x, t: F.multilabel_margin_loss(x, t - 1), "f 3,4", "l4 3,4")
    case("MultiLabelMarginLoss/none", lambda x, t: F.multilabel_margin_loss(x, t - 1, reduction="none"), "f 2,6", "l4 2,6")
    case("MultiLabelSoftMarginLoss", F.multilabel_soft_margin_loss, "f 3,4", "u 3,4")
    case("MultiLabelSoftMarginLoss/weight", lambda x, t: F.multilabel_soft_margin_loss(x, t, fill("p", [4], 7), reduction="none"), "f 3,4", "u 3,4")


def ctc():
    steps, lengths = torch.tensor([6, 4, 5]), torch.tensor([2, 3, 0])
    for s, r in {"": "mean", "/none": "none"}.items():
        case("CTCLoss" + s, lambda x, t: F.ctc_loss(x.log_softmax(2), t + (1 if s else 0), steps, lengths, 0 if s else 3, r), "f 6,3,4", "l3 3,3")
    case("CTCLoss/impossible", lambda x, t: F.ctc_loss(x.log_softmax(2), t, torch.tensor([1, 2]), torch.tensor([2, 2]), 3, "sum", True), "f 3,2,4", "l3 2,3")


def layers():
    case("Linear", F.linear, "f 2,3,4", "f 5,4", "f 5")
    case("Linear/one", F.linear, "f 4", "f 5,4")
    case("Bilinear", F.bilinear, "f 2,3", "f 2,4", "f 5,3,4", "f 5")
    case("Conv1d", lambda x, w, b: F.conv1d(x, w, b, 2, 1, 2), "f 2,3,9", "f 4,3,3", "f 4")
    case("Conv1d/alone", F.conv1d, "f 3,5", "f 2,3,2")
    case("Conv2d", lambda x, w, b: F.conv2d(x, w, b, (2, 1), (1, 0), 1, 2), "f 1,4,5,4", "f 4,2,3,2", "f 4")
    case("Conv2d/same", lambda x, w: F.conv2d(x, w, padding="same", dilation=(1, 2)), "f 1,2,4,5", "f 2,2,2,3")
    case("Conv3d", F.conv3d, "f 1,2,3,3,3", "f 2,2,2,1,2")
    case("ConvTranspose1d", lambda x, w, b: F.conv_transpose1d(x, w, b, 3, 1, 2, 2, 1), "f 2,4,4", "f 4,3,3", "f 6")
    case("ConvTranspose2d", lambda x, w: F.conv_transpose2d(x, w, None, (2, 1), (1, 0), (1, 0)), "f 1,2,3,2", "f 2,2,3,2")
    case("ConvTranspose3d", F.conv_transpose3d, "f 2,2,2,2", "f 2,1,2,1,2", "f 1")
    case("Embedding", lambda i, w: F.embedding(i, w, -2), "l5 2,3", "f 5,3")
    case("EmbeddingBag", lambda i, w: F.embedding_bag(i, w, mode="sum", per_sample_weights=fill("f", [2, 3], 7)), "l5 2,3", "f 5,3")
    case("EmbeddingBag/mean", lambda i, w: F.embedding_bag(i, w, padding_idx=2), "l5 2,3", "f 5,3")
    case("EmbeddingBag/max", lambda i, w: F.embedding_bag(i, w, mode="max"), "l5 2,3", "f 5,3", grad=False)


def bags():
    at = lambda: torch.tensor([0, 2, 2, 5])
    case("EmbeddingBagOffsets", lambda i, w: F.embedding_bag(i, w, at(), mode="sum", per_sample_weights=fill("f", [7], 7)), "l5 7", "f 5,3")
    case("EmbeddingBagOffsets/mean", lambda i, w: F.embedding_bag(i, w, at(), padding_idx=-2), "l5 7", "f 5,3")
    case("EmbeddingBagOffsets/max", lambda i, w: F.embedding_bag(i, w, at(), mode="max"), "l5 7", "f 5,3")


def pools():
    case("MaxPool", lambda x: F.max_pool1d(x, 3, 2, 1, return_indices=True), "f 1,2,7")
    case("MaxPool/2d", lambda x: F.max_pool2d(x, (2, 3), (2, 1), (1, 0), (1, 2), True, return_indices=True), "f 2,1,4,7")
    case("MaxPool/3d", lambda x: F.max_pool3d(x, 2, 1, return_indices=True), "f 2,3,3,3")
    case("AvgPool", lambda x: F.avg_pool2d(x, (2, 3), (2, 2), (1, 1), True), "f 1,2,4,6")
    case("AvgPool/exclude", lambda x: F.avg_pool2d(x, 3, 2, 1, True, False), "f 2,4,5")
    case("AvgPool/divisor", lambda x: F.avg_pool3d(x, 2, 1, divisor_override=3), "f 1,1,3,3,2")
    case("AvgPool/1d", lambda x: F.avg_pool1d(x, 2, 1, 1), "f 1,2,5")
    case("LPPool", lambda x: F.lp_pool2d(x, 2, 2, 1), "p 1,2,3,3")
    case("LPPool/cube", lambda x: F.lp_pool1d(x, 3, 2, ceil_mode=True), "p 2,5")
    case("AdaptiveAvgPool", lambda x: F.adaptive_avg_pool1d(x, 3), "f 1,2,7")
    case("AdaptiveAvgPool/2d", lambda x: F.adaptive_avg_pool2d(x, (3, 2)), "f 2,4,4")
    case("AdaptiveAvgPool/3d", lambda x: F.adaptive_avg_pool3d(x, (2, 5, 1)), "f 1,1,3,3,2")
    case("AdaptiveMaxPool", lambda x: F.adaptive_max_pool1d(x, 3, True), "f 1,2,7")
    case("AdaptiveMaxPool/2d", lambda x: F.adaptive_max_pool2d(x, (3, 2), True), "f 1,2,4,5")
    case("AdaptiveMaxPool/3d", lambda x: F.adaptive_max_pool3d(x, (2, 3, 1), True), "f 1,3,3,2")
    case("MaxUnpool/overlap", lambda x: F.max_unpool1d(*F.max_pool1d(x, 3, 1, return_indices=True), 3, 1), "f 2,6")
    case("MaxUnpool", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), "f 1,2,4,6")


def images():
    case("Unfold", lambda x: F.unfold(x, (2, 3), (2, 1), (1, 0), (1, 2)), "f 2,2,4,5")
    case("Fold", lambda x: F.fold(x, (4, 5), (2, 3), (2, 1), (1, 0), (1, 2)), "f 2,12,8")
    case("Fold/alone", lambda x: F.fold(x, (3, 3), (2, 2)), "f 4,4")
    case("PixelShuffle", lambda x: F.pixel_shuffle(x, 2), "f 2,8,2,3")
    case("PixelUnshuffle", lambda x: F.pixel_unshuffle(x, 2), "f 2,4,6")
    case("ChannelShuffle", lambda x: F.channel_shuffle(x, 2), "f 1,6,2")
    for i, mode in enumerate(["constant", "reflect", "replicate", "circular"]):
        case("Pad/" + mode, lambda x: F.pad(x, (1, 2, 2, 0), mode), "f 1,2,3,4")
    case("Pad/cut", lambda x: F.pad(x, (-1, 2)), "f 2,4")
    case("Pad/replicas", lambda x: F.pad(x, (-4, 5, 2, -3), "replicate"), "f 1,2,3,4")
    case("PadValue", lambda x: F.pad(x, (1, -2, 0, 1), value=2.5), "f 2,3,4")


def resampling():
    case("Interpolate/nearest", lambda x: F.interpolate(x, (3, 7)), "f 1,2,4,3")
    case("Interpolate/scale", lambda x: F.interpolate(x, scale_factor=1.7), "f 1,2,4")
    case("Interpolate/scales", lambda x: F.interpolate(x, scale_factor=(1.7, 0.6), mode="bilinear"), "f 1,1,4,5")
    case("Interpolate/scales nearest", lambda x: F.interpolate(x, scale_factor=(0.6, 2.3)), "f 1,1,4,5")
    case("Interpolate/recompute", lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True), "f 1,1,4,3")
    case("Interpolate/exact", lambda x: F.interpolate(x, (2, 5), mode="nearest-exact"), "f 1,2,4,3")
    case("Interpolate/linear", lambda x: F.interpolate(x, 7, mode="linear"), "f 1,2,4")
    case("Interpolate/bilinear", lambda x: F.interpolate(x, (3, 7), mode="bilinear"), "f 1,2,4,3")
    case("Interpolate/corners", lambda x: F.interpolate(x, (3, 5), mode="bilinear", align_corners=True), "f 1,1,4,3")
    case("Interpolate/factor", lambda x: F.interpolate(x, scale_factor=1.7, mode="bilinear"), "f 1,1,4,3")
    case("Interpolate/trilinear", lambda x: F.interpolate(x, (2, 3, 3), mode="trilinear"), "f 1,1,3,2,2")
    case("Interpolate/bicubic", lambda x: F.interpolate(x, (3, 7), mode="bicubic"), "f 1,1,4,5")
    case("Interpolate/cubic", lambda x: F.interpolate(x, (5, 6), mode="bicubic", align_corners=True), "f 1,1,4,3")
    case("Interpolate/area", lambda x: F.interpolate(x, (2, 2), mode="area"), "f 1,2,4,3")
    case("Interpolate/smooth", lambda x: F.interpolate(x, (3, 4), mode="bilinear", antialias=True), "f 1,1,7,5")
    case("Interpolate/smoother", lambda x: F.interpolate(x, (3, 4), mode="bicubic", antialias=True), "f 1,1,8,6")
    for mode in ["nearest", "bilinear", "bicubic"]:
        for padding in ["zeros", "border", "reflection"]:
            case("GridSample/%s/%s" % (mode, padding), lambda x, g: F.grid_sample(x, g * 0.6 + 0.01, mode, padding, mode != "bilinear"), "f 1,2,4,3", "f 1,2,5,2")
    case("GridSample/edges", lambda x, g: F.grid_sample(x, g * 0.6 + 0.01, "bicubic", "reflection", False), "f 1,1,4,3", "f 1,2,5,2")
    case("GridSample/3d", lambda x, g: F.grid_sample(x, g * 0.4 + 0.01, "bilinear", "border", True), "f 2,1,2,3,3", "f 2,2,1,2,3")
    case("AffineGrid", lambda t: F.affine_grid(t, (2, 1, 3, 4), False), "f 2,2,3")
    case("AffineGrid/3d", lambda t: F.affine_grid(t, (1, 1, 2, 1, 3), True), "f 1,3,4")
    case("ScaledDotProductAttention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), "f 1,2,3,4", "f 1,2,5,4", "f 1,2,5,2")
    case("MultiHeadAttention", lambda q, k, w, b, o: F.multi_head_attention_forward(
        q, k, k, 4, 2, w, b, None, None, False, 0.0, o, fill("f", [4], 8), need_weights=False)[0], "f 3,4", "f 5,4", "f 12,4", "f 12", "f 4,4")


for group in [activations, norms, losses, ctc, layers, bags, pools, images, resampling]:
    group()
with open(os.path.join(os.path.dirname(sys.argv[0]), "torch.txt"), "w") as f:
    f.write("\n".join(out) + "\n")
