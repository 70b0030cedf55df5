"""Goldens of the layers and losses of package nn that ops.py does not have."""

import itertools

import torch
import torch.nn.functional as F

from cases import *  # noqa: F403: the vocabulary of this table


def index(shape, below, dtype="i64"):
    return lambda m, d: m.tensor(dtype, shape, 0, below - 1)


def given(values, dtype="i64"):
    return lambda m, d: torch.tensor(values, dtype=DTYPES[dtype])


def between(low, high, shape):
    return lambda m, d: m.tensor(d, shape, low, high)


def signs(shape):
    return lambda m, d: (2 * m.tensor("i64", shape, 0, 1) - 1).to(DTYPES[d])


def conv(x, w, *b, stride=(1,), padding=(0,), dilation=(1,), groups=1, same=False):
    f = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[w.dim()]
    return f(x, w, *b, stride=tuple(stride), padding="same" if same else tuple(padding), dilation=tuple(dilation), groups=groups)


def transposed(x, w, *b, stride=(1,), padding=(0,), dilation=(1,), more=(0,), groups=1):
    f = {3: F.conv_transpose1d, 4: F.conv_transpose2d, 5: F.conv_transpose3d}[w.dim()]
    return f(x, w, *b, stride=tuple(stride), padding=tuple(padding), output_padding=tuple(more), groups=groups, dilation=tuple(dilation))


def trained(x, mean, variance, *scaled, momentum, epsilon):
    m, v = mean.detach().clone(), variance.detach().clone()
    return F.batch_norm(x, m, v, *scaled, True, momentum, epsilon), m, v


def heads(q, k, v, w, out, b, c, heads, causal=False):
    """MultiHeadAttention, whose batch is the first axis."""
    e, mask = q.shape[-1], torch.nn.Transformer.generate_square_subsequent_mask(q.shape[1], dtype=q.dtype) if causal else None
    y, _ = F.multi_head_attention_forward(q.mT.permute(2, 0, 1), k.mT.permute(2, 0, 1), v.mT.permute(2, 0, 1), e, heads, w, b, None, None, False, 0.0, out, c, need_weights=False, attn_mask=mask)
    return y.transpose(0, 1)


REDUCTIONS = ["mean", "sum", "none"]
REDUCED = [{"reduction": i} for i in range(3)]


def rotary(x, places, base=10000.0, interleaved=False):
    """Rotary position embedding, of which PyTorch has no function."""
    pairs = x.shape[-1] // 2
    angles = places.double().unsqueeze(-1) * torch.tensor([base ** (-i / pairs) for i in range(pairs)], dtype=torch.float64)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :pairs], x[..., pairs:])
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1 if interleaved else -2).reshape(x.shape)


def reducing(fn, *fixed):
    return lambda *xs, reduction, **a: fn(*xs, *fixed, reduction=REDUCTIONS[reduction], **a)


def with_attrs(**a):
    return [a | r for r in REDUCED]


POOLS = [{"window": [2, 3], "stride": [2, 3]}, {"window": [3, 3], "stride": [2, 1], "padding": [1, 1]}, {"window": [3, 3], "stride": [2, 2], "ceil": True}]
BAGS = ["sum", "mean", "max"]
GRIDS = ["nearest", "bilinear", "bicubic"]
BEYOND = ["zeros", "border", "reflection"]
PADS = ["constant", "reflect", "replicate", "circular"]
SIZES = ["nearest", "bilinear", "bicubic", "nearest-exact", "area"]


def interpolated(x, sizes=(), scale=None, mode=0, alignCorners=False, antialias=False):
    return F.interpolate(x, tuple(sizes) or None, scale, SIZES[mode], alignCorners if mode in (1, 2) else None, antialias=antialias)


SEVERAL = [
    # op, function, tensors, options
    ("nn.AdaptiveAvgPool", lambda x, sizes: F.adaptive_avg_pool2d(x, sizes), [(2, 3, 5, 7)], dict(attrs=[{"sizes": [2, 3]}, {"sizes": [5, 4]}])),
    ("nn.AdaptiveMaxPool", lambda x, sizes: F.adaptive_max_pool2d(x, sizes, return_indices=True), [(2, 3, 5, 7)], dict(attrs=[{"sizes": [2, 3]}, {"sizes": [5, 4]}], kind=EQUAL)),
    ("nn.AffineGrid", lambda theta, sizes, alignCorners=False: F.affine_grid(theta, [theta.shape[0], 1, *sizes], alignCorners), [(2, 2, 3)], dict(attrs=[{"sizes": [3, 4]}, {"sizes": [3, 4], "alignCorners": True}])),
    ("nn.AvgPool", lambda x, window, stride, padding=0, ceil=False, excludePad=False, divisor=0: F.avg_pool2d(x, window, stride, padding, ceil, not excludePad, divisor or None), [(2, 3, 6, 7)],
     dict(attrs=POOLS + [{"window": [3, 3], "stride": [2, 2], "padding": [1, 1], "excludePad": True}, {"window": [2, 2], "stride": [2, 2], "divisor": 3}])),
    ("nn.MaxPool", lambda x, window, stride, padding=0, dilation=1, ceil=False: F.max_pool2d(x, window, stride, padding, dilation, ceil, True), [(2, 3, 6, 7)], dict(attrs=POOLS + [{"window": [2, 2], "stride": [1, 1], "dilation": [2, 2]}], kind=EQUAL)),
    ("nn.LPPool", lambda x, p, window, stride, ceil=False: F.lp_pool2d(x, p, window, stride, ceil), [between(0.1, 2, (2, 3, 6, 7))], dict(attrs=[{"p": 2.0, "window": [2, 3], "stride": [2, 3]}, {"p": 3.0, "window": [2, 2], "stride": [1, 2]}])),
    ("nn.MaxUnpool", lambda x, i, sizes: F.max_unpool2d(x, i, 2, 2, 0, sizes), [(1, 2, 2, 2), given([[[[0, 3], [8, 11]], [[5, 6], [13, 10]]]])], dict(attrs=[{"sizes": [4, 4]}], kind=EXACT)),
    ("nn.Unfold", lambda x, window, stride, padding=0, dilation=1: F.unfold(x, window, dilation, padding, stride), [(2, 3, 5, 6)], dict(attrs=[{"window": [2, 3], "stride": [1, 2]}, {"window": [2, 2], "stride": [1, 1], "padding": [1, 1], "dilation": [2, 2]}], kind=EXACT)),
    ("nn.Fold", lambda x, sizes, window, stride, padding=0: F.fold(x, sizes, window, 1, padding, stride), [(2, 12, 12)], dict(attrs=[{"sizes": [4, 5], "window": [2, 2], "stride": [1, 1]}])),
    ("nn.Bilinear", F.bilinear, [(3, 4), (3, 2), (5, 4, 2), (5,)], {}),
    ("nn.Linear", F.linear, [(2, 3, 4), (5, 4), (5,)], dict(dtypes=FLOATS + ["i32"])),
    ("nn.Conv", conv, [(2, 3, 6, 5), (4, 3, 3, 2), (4,)], dict(attrs=[{}, {"stride": [2, 1], "padding": [1, 2], "dilation": [1, 2]}, {"same": True}], dtypes=FLOATS)),
    ("nn.Conv1d", conv, [(2, 4, 7), (6, 2, 3), (6,)], dict(attrs=[{"groups": 2}, {"groups": 2, "stride": [2], "padding": [1]}])),
    ("nn.Conv2d", conv, [(2, 4, 6, 5), (6, 2, 3, 2), (6,)], dict(attrs=[{"groups": 2}, {"groups": 2, "stride": [2, 1], "padding": [1, 0], "dilation": [1, 2]}])),
    ("nn.Conv3d", conv, [(1, 2, 4, 4, 5), (3, 2, 2, 2, 3), (3,)], dict(attrs=[{}, {"stride": [1, 2, 1], "padding": [1, 0, 1]}])),
    ("nn.ConvTranspose", transposed, [(2, 3, 4, 5), (3, 4, 3, 2), (4,)], dict(attrs=[{}, {"stride": [2, 3], "padding": [1, 0], "more": [1, 2]}, {"dilation": [2, 1]}])),
    ("nn.ConvTranspose1d", transposed, [(2, 4, 5), (4, 3, 3), (6,)], dict(attrs=[{"groups": 2}, {"groups": 2, "stride": [2], "padding": [1], "more": [1]}])),
    ("nn.ConvTranspose2d", transposed, [(2, 4, 3, 4), (4, 3, 3, 2), (6,)], dict(attrs=[{"groups": 2}, {"groups": 2, "stride": [2, 1], "padding": [1, 0]}])),
    ("nn.ConvTranspose3d", transposed, [(1, 2, 2, 3, 2), (2, 3, 2, 2, 3), (3,)], dict(attrs=[{}, {"stride": [1, 2, 1], "padding": [1, 0, 1]}])),
    ("nn.BatchNormTraining", trained, [(3, 4, 2), (4,), between(0.5, 2, (4,)), (4,), (4,)], dict(attrs=[{"momentum": 0.1, "epsilon": 1e-5}])),
    ("nn.WeightNorm", lambda v, g, axis: torch._weight_norm(v, g, axis), [(3, 4), between(0.5, 2, (3, 1))], dict(attrs=[{"axis": 0}])),
    ("nn.Renorm", lambda x, p, axis, most: torch.renorm(x, p, axis, most), [(3, 4)], dict(attrs=[{"p": 2.0, "axis": 0, "most": 2.0}, {"p": 1.0, "axis": 1, "most": 3.0}])),
    ("nn.CosineEmbeddingLoss", reducing(F.cosine_embedding_loss), [(3, 4), (3, 4), signs((3,))], dict(attrs=with_attrs(margin=0.1))),
    ("nn.MarginRankingLoss", reducing(F.margin_ranking_loss), [(5,), (5,), signs((5,))], dict(attrs=with_attrs(margin=0.5))),
    ("nn.HingeEmbeddingLoss", reducing(F.hinge_embedding_loss), [(3, 4), signs((3, 4))], dict(attrs=with_attrs(margin=1.0), gradient=False)),
    ("nn.GaussianNLLLoss", lambda x, t, v, full, epsilon, reduction: F.gaussian_nll_loss(x, t, v, full, epsilon, REDUCTIONS[reduction]), [(3, 4), (3, 4), between(0.3, 2, (3, 4))], dict(attrs=with_attrs(full=True, epsilon=1e-6) + [{"full": False, "epsilon": 1e-6, "reduction": 0}])),
    ("nn.TripletMarginLoss", lambda x, p_, n, margin, p, epsilon, swap=False, reduction=0: F.triplet_margin_loss(x, p_, n, margin, p, epsilon, swap, reduction=REDUCTIONS[reduction]), [(3, 4), (3, 4), (3, 4)],
     dict(attrs=with_attrs(margin=1.0, p=2.0, epsilon=1e-6) + [{"margin": 1.0, "p": 1.0, "epsilon": 1e-6, "swap": True, "reduction": 2}])),
    ("nn.Rotary", rotary, [(2, 3, 4), given([0, 1, 5])], dict(attrs=[{"base": 100.0}, {"base": 10000.0, "interleaved": True}])),
    ("nn.MultiMarginLoss", lambda x, l, *w, p, margin, reduction: F.multi_margin_loss(x, l, p, margin, *w, reduction=REDUCTIONS[reduction]), [(4, 5), index((4,), 5), between(0.5, 2, (5,))], dict(attrs=with_attrs(p=1, margin=1.0) + [{"p": 2, "margin": 0.5, "reduction": 0}], gradient=False)),
    ("nn.MultiLabelMarginLoss", reducing(F.multilabel_margin_loss), [(2, 5), given([[3, 0, -1, 1, 2], [1, 4, 2, -1, -1]])], dict(attrs=REDUCED)),
    ("nn.MultiLabelSoftMarginLoss", reducing(F.multilabel_soft_margin_loss), [(3, 4), lambda m, d: m.tensor("i64", (3, 4), 0, 1).to(DTYPES[d])], dict(attrs=REDUCED, gradient=False)),
    ("nn.CTCLoss", lambda x, t, s, n, blank, reduction, zeroInfinity=False: F.ctc_loss(x, t, s, n, blank, REDUCTIONS[reduction], zeroInfinity), [lambda m, d: m.tensor(d, (6, 2, 4)).log_softmax(-1), given([[1, 2, 2], [3, 1, 0]]), given([6, 5]), given([3, 2])],
     dict(attrs=with_attrs(blank=0), dtypes=FLOATS[:2], gradient=False)),
    ("nn.Embedding", lambda w, i, padding=(): F.embedding(i.long(), w, padding[0] if padding else None), [(5, 3), index((2, 4), 5, "i32")], dict(attrs=[{}, {"padding": [1]}], kind=EXACT)),
    ("nn.EmbeddingBag", lambda w, i, mode, padding=(): F.embedding_bag(i, w, mode=BAGS[mode], padding_idx=padding[0] if padding else None), [(5, 3), index((2, 4), 5)], dict(attrs=[{"mode": 0}, {"mode": 1}, {"mode": 2}, {"mode": 0, "padding": [1]}])),
    ("nn.EmbeddingBagOffsets", lambda w, i, o, mode, padding=(): F.embedding_bag(i, w, o, mode=BAGS[mode], padding_idx=padding[0] if padding else None), [(5, 3), index((7,), 5), given([0, 3, 3])], dict(attrs=[{"mode": 0}, {"mode": 1}, {"mode": 2}])),
    ("nn.GridSample", lambda x, g, mode, padding, alignCorners=False: F.grid_sample(x, g, GRIDS[mode], BEYOND[padding], alignCorners), [(2, 3, 4, 5), between(-1.3, 1.3, (2, 3, 2, 2))],
     dict(attrs=[{"mode": 1, "padding": 0, "alignCorners": False}, {"mode": 1, "padding": 1, "alignCorners": True}, {"mode": 1, "padding": 2}, {"mode": 0, "padding": 0}, {"mode": 2, "padding": 0}], dtypes=FLOATS[:2])),
    ("nn.Interpolate", interpolated, [(2, 3, 4, 5)], dict(attrs=[{"sizes": [6, 3], "mode": 0}, {"sizes": [6, 3], "mode": 1}, {"sizes": [6, 3], "mode": 1, "alignCorners": True}, {"sizes": [6, 3], "mode": 2}, {"sizes": [2, 3], "mode": 3},
                                                       {"sizes": [2, 3], "mode": 4}, {"sizes": [2, 3], "mode": 1, "antialias": True}, {"scale": 2.0, "mode": 1}])),
    ("nn.Pad", lambda x, padding, mode: F.pad(x, padding, PADS[mode]), [(2, 3, 4)], dict(attrs=[{"padding": [1, 2], "mode": i} for i in range(4)], kind=EXACT)),
    ("nn.PadValue", lambda x, padding, value: F.pad(x, padding, value=value), [(2, 3, 4)], dict(attrs=[{"padding": [1, 2], "value": 1.5}, {"padding": [-1, 0, 0, 1], "value": -2.0}], kind=EXACT)),
    ("nn.ScaledDotProductAttention", lambda q, k, v, *m, causal=False, scale=None: F.scaled_dot_product_attention(q, k, v, *m, is_causal=causal, scale=scale), [(2, 2, 3, 4), (2, 2, 5, 4), (2, 2, 5, 6)], dict(attrs=[{}, {"causal": True}, {"scale": 0.3}])),
    ("nn.MultiHeadAttention", heads, [(2, 3, 4), (2, 3, 4), (2, 3, 4), (12, 4), (4, 4), (12,), (4,)], dict(attrs=[{"heads": 2}, {"heads": 2, "causal": True}], dtypes=FLOATS[:2], low=-1, high=1)),
]


def more(op):
    """Cases that have other tensors than those of the table."""
    m = Maker("more " + op)
    t = m.tensor
    if op == "nn.Linear":
        yield case("no bias", F.linear, [t("f32", (3, 4)), t("f32", (5, 4))], None, RELATIVE, True)
        yield case("empty", F.linear, [t("f32", (0, 4)), t("f32", (5, 4))], None, RELATIVE)
    if op == "nn.Conv2d":
        yield case("no batch", lambda x, w: F.conv2d(x, w), [t("f32", (3, 6, 5)), t("f32", (4, 3, 3, 2))], None, RELATIVE, True)
    if op == "nn.ScaledDotProductAttention":
        yield case("mask", F.scaled_dot_product_attention, [t("f32", (2, 2, 3, 4)), t("f32", (2, 2, 5, 4)), t("f32", (2, 2, 5, 6)), t("f32", (3, 5))], None, RELATIVE, True)
    if op == "nn.EmbeddingBag":
        yield case("weights", lambda w, i, p: F.embedding_bag(i, w, per_sample_weights=p, mode="sum"), [t("f32", (5, 3)), t("i64", (2, 4), 0, 4), t("f32", (2, 4))], {"mode": 0}, RELATIVE, True)


def table():
    for op, fn, shapes, options in SEVERAL:
        yield op, itertools.chain(calls(op, fn, shapes, **({"kind": RELATIVE} | options)), more(op))
