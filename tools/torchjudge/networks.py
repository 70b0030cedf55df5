"""Calls of activations, norms, losses and attention of package nn. See samples.py."""

import torch

from calls import Call, Skip, converted, given, number
from elementwise import unary

REDUCTIONS = {"mean": 0, "sum": 1, "none": 2, "batchmean": 3}


def activation(op, **options):
    """An activation whose options are attributes here, by PyTorch's names in their order."""

    def call(x, *args, inplace=False, **kwargs):
        given = dict(zip(options, args)) | kwargs
        attrs = {}
        for name, (here, default) in options.items():
            v = given.pop(name, default)
            if not number(v):
                raise Skip("an option that is a tensor")
            attrs[here] = float(v)
        if given:
            raise Skip(f"option {next(iter(given))}")
        return Call(op, x, **attrs)

    return call


def reduced(size_average, reduce, reduction):
    if size_average is not None or reduce is not None:
        raise Skip("options size_average and reduce")
    return REDUCTIONS[reduction]


def same(*xs):
    if len({x.dtype for x in xs}) > 1:
        raise Skip("promotion of dtypes")
    return xs


def loss(op, **options):
    """A loss of x and target, whose options are attributes here."""

    def call(x, target, size_average=None, reduce=None, reduction="mean", weight=None, **kwargs):
        if weight is not None:
            raise Skip("option weight")
        attrs = {here: kwargs.pop(name, default) for name, (here, default) in options.items()}
        if kwargs:
            raise Skip(f"option {next(iter(kwargs))}")
        return Call(op, *same(x, target), reduction=reduced(size_average, reduce, reduction), **attrs)

    return call


def pair_loss(op, margin):
    def call(x, y, target, margin=margin, size_average=None, reduce=None, reduction="mean"):
        return Call(op, *same(x, y, target), margin=margin, reduction=reduced(size_average, reduce, reduction))

    return call


def labels_loss(op):
    def call(x, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
        if target.dtype.is_floating_point and op != "nn.CrossEntropy":
            raise Skip("probabilities of classes")
        attrs = {"ignore": ignore_index, "reduction": reduced(size_average, reduce, reduction)}
        if label_smoothing:
            attrs["smoothing"] = label_smoothing
        return Call(op, x, target, *([] if weight is None else same(x, weight)[1:]), **attrs)

    return call


def bce(x, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    return Call("nn.BCELoss", *same(x, target, *([] if weight is None else [weight])), reduction=reduced(size_average, reduce, reduction))


def bce_with_logits(x, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    if pos_weight is not None and weight is None:
        weight = torch.ones((), dtype=x.dtype)
    return Call("nn.BCEWithLogits", *same(x, target, *[w for w in (weight, pos_weight) if w is not None]), reduction=reduced(size_average, reduce, reduction))


def poisson(x, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):
    return Call("nn.PoissonNLLLoss", *same(x, target), logInput=log_input, full=full, epsilon=eps, reduction=reduced(size_average, reduce, reduction))


def gaussian(x, target, var, full=False, eps=1e-6, reduction="mean"):
    if number(var):
        raise Skip("a number for a tensor")
    if var.dim() != x.dim() and var.dim():
        var = Call("Unsqueeze", var, axis=-1)
    return Call("nn.GaussianNLLLoss", *same(x, target), var, full=full, epsilon=eps, reduction=REDUCTIONS[reduction])


def hinge(x, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    return Call("nn.HingeEmbeddingLoss", *same(x, target), margin=margin, reduction=reduced(size_average, reduce, reduction))


def triplet(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):
    return Call("nn.TripletMarginLoss", *same(anchor, positive, negative), margin=margin, p=p, epsilon=eps, swap=swap, reduction=reduced(size_average, reduce, reduction))


def multi_margin(x, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    return Call("nn.MultiMarginLoss", x, target, *([] if weight is None else same(x, weight)[1:]), p=p, margin=margin, reduction=reduced(size_average, reduce, reduction))


def multilabel_margin(x, target, size_average=None, reduce=None, reduction="mean"):
    return Call("nn.MultiLabelMarginLoss", x, target, reduction=reduced(size_average, reduce, reduction))


def multilabel_soft(x, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    return Call("nn.MultiLabelSoftMarginLoss", *same(x, target, *([] if weight is None else [weight])), reduction=reduced(size_average, reduce, reduction))


def scaled(op, x, weight, bias, *others, outputs=None, **attrs):
    """A norm with its scale and shift. A shift without a scale has one of ones."""
    if weight is None and bias is not None:
        weight = torch.ones(bias.shape, dtype=bias.dtype)
    return Call(op, x, *others, *given(weight, bias), outputs=outputs, **attrs)


def group_norm(x, num_groups, weight=None, bias=None, eps=1e-5, outputs=None):
    return scaled("nn.GroupNorm", x, weight, bias, groups=num_groups, epsilon=eps, outputs=outputs)


def layer_norm(x, normalized_shape, weight=None, bias=None, eps=1e-5, outputs=None):
    return scaled("nn.LayerNorm", x, weight, bias, last=len(normalized_shape), epsilon=eps, outputs=outputs)


def rms_norm(x, normalized_shape, weight=None, eps=None):
    if eps is None:
        eps = torch.finfo(x.dtype).eps
    return Call("nn.RMSNorm", x, *given(weight), last=len(normalized_shape), epsilon=eps)


def instance_norm(x, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-5):
    """What PyTorch writes into the running statistics is no result, and not compared."""
    if not use_input_stats:
        return batch_norm(x, running_mean, running_var, weight, bias, eps=eps)
    return scaled("nn.InstanceNorm", x, weight, bias, epsilon=eps)


def batch_norm(x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """In training the new running statistics, which PyTorch writes, are results here, and not compared."""
    if x.dim() < 2:
        raise Skip("no axis of channels, in an x without elements")
    if not training:
        return scaled("nn.BatchNorm", x, weight, bias, running_mean, running_var, epsilon=eps, outputs=1)
    if running_mean is None:
        running_mean, running_var = torch.zeros(x.shape[1], dtype=x.dtype), torch.ones(x.shape[1], dtype=x.dtype)
    return scaled("nn.BatchNormTraining", x, weight, bias, running_mean, running_var, momentum=momentum, epsilon=eps, outputs=[0])


def native_batch_norm(x, weight, bias, *more):
    if len(more) == 3:
        more = (None, None, *more)
    return batch_norm(x, more[0], more[1], weight, bias, *more[2:])


def attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    if dropout_p:
        raise Skip("dropout")
    attrs = {"causal": is_causal}
    if scale is not None:
        attrs["scale"] = scale
    return Call("nn.ScaledDotProductAttention", q, k, v, *given(attn_mask), **attrs)


def rrelu(x, lower=1 / 8, upper=1 / 3, training=False, inplace=False):
    if training:
        raise Skip("random slopes")
    return Call("nn.RReLU", x, torch.full((), (lower + upper) / 2, dtype=x.dtype))


def ctc(x, targets, steps, lengths, blank=0, reduction="mean", zero_infinity=False):
    steps, lengths = (t if isinstance(t, torch.Tensor) else torch.tensor(t) for t in (steps, lengths))
    return Call("nn.CTCLoss", x, targets, steps, lengths, blank=blank, zeroInfinity=zero_infinity, reduction=REDUCTIONS[reduction])


def prelu(x, weight):
    return Call("nn.PReLU", x, weight)


def softmin(x, dim=None, dtype=None, **kwargs):
    if dim is None:
        raise Skip("no axis")
    if x.dim() == 0:
        return Call("Reshape", Call("nn.Softmin", Call("Reshape", converted(x, dtype), dims=[1]), axis=0), dims=[])
    if x.dtype == torch.uint8:
        raise Skip("dtype u8, whose negative numbers are large ones in PyTorch")
    return Call("nn.Softmin", converted(x, dtype), axis=dim)


def safe_softmax(x, dim, dtype=None):
    return Call("nn.SafeSoftmax", converted(x, dtype), axis=dim)


def linear(x, weight, bias=None):
    return Call("nn.Linear", x, weight, *given(bias))


CALLS = {
    "nn.functional.elu": activation("nn.ELU", alpha=("alpha", 1.0)),
    "nn.functional.celu": activation("nn.CELU", alpha=("alpha", 1.0)),
    "nn.functional.hardshrink": activation("nn.HardShrink", lambd=("lambda", 0.5)),
    "nn.functional.softshrink": activation("nn.SoftShrink", lambd=("lambda", 0.5)),
    "nn.functional.hardtanh": activation("nn.HardTanh", min_val=("low", -1.0), max_val=("high", 1.0)),
    "nn.functional.leaky_relu": activation("nn.LeakyReLU", negative_slope=("slope", 0.01)),
    "nn.functional.softplus": activation("nn.Softplus", beta=("beta", 1.0), threshold=("threshold", 20.0)),
    "nn.functional.threshold": activation("nn.Threshold", threshold=("threshold", 0.0), value=("value", 0.0)),
    "nn.functional.prelu": prelu, "nn.functional.softmin": softmin,
    "nn.functional.mse_loss": loss("nn.MSELoss"), "nn.functional.l1_loss": loss("nn.L1Loss"), "nn.functional.smooth_l1_loss": loss("nn.SmoothL1Loss", beta=("beta", 1.0)),
    "nn.functional.huber_loss": loss("nn.HuberLoss", delta=("delta", 1.0)), "nn.functional.kl_div": loss("nn.KLDivLoss", log_target=("logTarget", False)),
    "nn.functional.soft_margin_loss": loss("nn.SoftMarginLoss"), "nn.functional.binary_cross_entropy": bce, "nn.functional.binary_cross_entropy_with_logits": bce_with_logits,
    "nn.functional.poisson_nll_loss": poisson, "nn.functional.gaussian_nll_loss": gaussian, "nn.functional.hinge_embedding_loss": hinge, "nn.functional.triplet_margin_loss": triplet,
    "nn.functional.margin_ranking_loss": pair_loss("nn.MarginRankingLoss", 0.0), "nn.functional.cosine_embedding_loss": pair_loss("nn.CosineEmbeddingLoss", 0.0),
    "nn.functional.multi_margin_loss": multi_margin, "nn.functional.multilabel_margin_loss": multilabel_margin, "nn.functional.multilabel_soft_margin_loss": multilabel_soft,
    "nn.functional.cross_entropy": labels_loss("nn.CrossEntropy"), "nn.functional.nll_loss": labels_loss("nn.NLLLoss"),
    "nn.functional.group_norm": group_norm, "nn.functional.layer_norm": layer_norm, "nn.functional.rms_norm": rms_norm, "nn.functional.instance_norm": instance_norm, "nn.functional.batch_norm": batch_norm,
    "nn.functional.local_response_norm": lambda x, size, alpha=1e-4, beta=0.75, k=1.0: Call("nn.LocalResponseNorm", x, size=size, alpha=alpha, beta=beta, k=k),
    "nn.functional.normalize": lambda x, p=2.0, dim=1, eps=1e-12: Call("nn.Normalize", x, p=p, axis=dim, epsilon=eps),
    "nn.functional.cosine_similarity": lambda x, y, dim=1, eps=1e-8: Call("nn.CosineSimilarity", *same(x, y), axis=dim, epsilon=eps),
    "nn.functional.pairwise_distance": lambda x, y, p=2.0, eps=1e-6, keepdim=False: Call("nn.PairwiseDistance", *same(x, y), p=p, epsilon=eps, keep=keepdim),
    "nn.functional.pdist": lambda x, p=2.0: Call("nn.PDist", x, p=p), "cdist": lambda x, y, p=2.0, compute_mode=None: Call("nn.CDist", *same(x, y), p=p),
    "renorm": lambda x, p, dim, maxnorm: Call("nn.Renorm", x, p=p, axis=dim, most=maxnorm),
    "nn.functional.linear": linear, "nn.functional.bilinear": lambda x, y, w, b=None: Call("nn.Bilinear", x, y, w, *([] if b is None else [b])),
    "nn.functional.batch_norm.without_cudnn": batch_norm, "native_batch_norm": native_batch_norm, "_native_batch_norm_legit": native_batch_norm, "_batch_norm_with_update": lambda x, w, b, mean, var, momentum, eps: batch_norm(x, mean, var, w, b, True, momentum, eps),
    "native_layer_norm": lambda x, shape, w, b, eps: layer_norm(x, shape, w, b, eps, outputs=1), "native_group_norm": lambda x, w, b, n, c, places, groups, eps: group_norm(x, groups, w, b, eps, outputs=1),
    "nn.functional.rrelu": rrelu, "nn.functional.ctc_loss": ctc, "nn.functional.softmin.with_dtype": softmin, "torch.ops.aten._safe_softmax.default": safe_softmax,
    "nn.functional.scaled_dot_product_attention": attention, "nn.functional.gelu": lambda x, approximate="none": Call("GELU" if approximate == "none" else "nn.GELUTanh", x), "nn.functional.glu": lambda x, dim=-1: Call("nn.GLU", x, axis=dim),
    **{f"nn.functional.{n}": unary(g) for n, g in {"relu": "ReLU", "silu": "nn.SiLU", "silu.complex": "nn.SiLU", "mish": "nn.Mish", "softsign": "nn.Softsign", "tanhshrink": "nn.TanhShrink", "logsigmoid": "nn.LogSigmoid",
       "hardsigmoid": "nn.HardSigmoid", "hardswish": "nn.HardSwish", "relu6": "nn.ReLU6", "selu": "nn.SELU"}.items()},
}
