"""The ops of the goldens: for each Go name, its cases by the function of PyTorch that it is."""

import torch
import torch.nn.functional as F

from cases import *  # noqa: F403: the vocabulary of this table


def reduced(fn):
    """A reduction over axes, all where none are given."""
    return lambda x, axes=(): fn(x, tuple(axes) if axes else tuple(range(x.dim())))


def keeping(fn):
    return lambda x, axes=(): fn(x, tuple(axes) if axes else tuple(range(x.dim())), keepdim=True)


def logic(of_bools, of_bits):
    return lambda *xs: of_bools(*xs) if xs[0].dtype == torch.bool else of_bits(*xs)


UNARY = [
    ("Abs", torch.abs, EXACT, FLOATS + SIGNED),
    ("Neg", torch.neg, EXACT, NUMBERS),
    ("Sign", torch.sign, EXACT, FLOATS + SIGNED),
    ("Floor", torch.floor, EXACT, FLOATS),
    ("Ceil", torch.ceil, EXACT, FLOATS),
    ("Round", torch.round, EXACT, FLOATS),
    ("ReLU", torch.relu, EQUAL, NUMBERS),
    ("Not", logic(torch.logical_not, torch.bitwise_not), EXACT, LOGICAL),
    ("Clone", torch.clone, EXACT, ANY),
    ("Stop", torch.clone, EXACT, INTEGERS),
    ("Detach", torch.Tensor.detach, EXACT, ANY),
    ("Exp", torch.exp, ELEMENTARY, FLOATS),
    ("Expm1", torch.expm1, ELEMENTARY, FLOATS),
    ("Log", torch.log, ELEMENTARY, FLOATS, 0.1, 4),
    ("Log1p", torch.log1p, ELEMENTARY, FLOATS, -0.9, 4),
    ("Sqrt", torch.sqrt, ELEMENTARY, FLOATS, 0.1, 4),
    ("Rsqrt", torch.rsqrt, ELEMENTARY, FLOATS, 0.1, 4),
    ("Sin", torch.sin, ELEMENTARY, FLOATS),
    ("Cos", torch.cos, ELEMENTARY, FLOATS),
    ("Tanh", torch.tanh, ELEMENTARY, FLOATS),
    ("Sigmoid", torch.sigmoid, ELEMENTARY, FLOATS),
    ("Erf", torch.erf, ELEMENTARY, FLOATS),
    ("GELU", F.gelu, RELATIVE, FLOATS),
    ("Tan", torch.tan, ELEMENTARY, FLOATS, -1.5, 1.5),
    ("Asin", torch.asin, ELEMENTARY, FLOATS, -1, 1),
    ("Acos", torch.acos, ELEMENTARY, FLOATS, -1, 1),
    ("Atan", torch.atan, ELEMENTARY, FLOATS),
    ("Asinh", torch.asinh, ELEMENTARY, FLOATS),
    ("Acosh", torch.acosh, ELEMENTARY, FLOATS, 1.1, 4),
    ("Atanh", torch.atanh, ELEMENTARY, FLOATS, -0.9, 0.9),
    ("Erfc", torch.erfc, ELEMENTARY, FLOATS),
    ("ErfInv", torch.erfinv, ELEMENTARY, FLOATS, -0.9, 0.9),
    ("Lgamma", torch.lgamma, RELATIVE, FLOATS, 0.2, 5),
    ("Digamma", torch.digamma, RELATIVE, FLOATS, 0.2, 5),
    ("nn.SiLU", F.silu, ELEMENTARY, FLOATS),
    ("nn.GELUTanh", lambda x: F.gelu(x, approximate="tanh"), RELATIVE, FLOATS),
    ("nn.Mish", F.mish, RELATIVE, FLOATS),
    ("nn.LogSigmoid", F.logsigmoid, RELATIVE, FLOATS),
    ("nn.Softsign", F.softsign, RELATIVE, FLOATS),
    ("nn.TanhShrink", F.tanhshrink, RELATIVE, FLOATS),
    ("nn.SELU", F.selu, RELATIVE, FLOATS),
    ("nn.ReLU6", F.relu6, EQUAL, FLOATS),
    ("nn.HardSigmoid", F.hardsigmoid, RELATIVE, FLOATS),
    ("nn.HardSwish", F.hardswish, RELATIVE, FLOATS),
]

BINARY = [
    ("Add", torch.add, EXACT, NUMBERS),
    ("Sub", torch.sub, EXACT, NUMBERS),
    ("Mul", torch.mul, EXACT, NUMBERS),
    ("Div", torch.div, EXACT, NUMBERS, -3, 3, 1, 4),
    ("Rem", torch.fmod, EXACT, NUMBERS, -9, 9, 1, 4),
    ("Pow", torch.pow, ELEMENTARY, NUMBERS, 0.2, 3, 0, 3),
    ("Maximum", torch.maximum, EQUAL, NUMBERS),
    ("Minimum", torch.minimum, EQUAL, NUMBERS),
    ("And", logic(torch.logical_and, torch.bitwise_and), EXACT, LOGICAL),
    ("Or", logic(torch.logical_or, torch.bitwise_or), EXACT, LOGICAL),
    ("Xor", logic(torch.logical_xor, torch.bitwise_xor), EXACT, LOGICAL),
    ("ShiftLeft", torch.bitwise_left_shift, EXACT, INTEGERS, -9, 9, 0, 5),
    ("ShiftRight", torch.bitwise_right_shift, EXACT, INTEGERS, -9, 9, 0, 5),
    ("Atan2", torch.atan2, ELEMENTARY, FLOATS),
    ("NextAfter", torch.nextafter, EXACT, FLOATS[:2]),
    ("Equal", torch.eq, EXACT, ANY),
    ("NotEqual", torch.ne, EXACT, ANY),
    ("Less", torch.lt, EXACT, ANY),
    ("LessEqual", torch.le, EXACT, ANY),
    ("Greater", torch.gt, EXACT, ANY),
    ("GreaterEqual", torch.ge, EXACT, ANY),
]

# The ops of BINARY that have cases of two dtypes.
PROMOTED = {"Add", "Mul", "Div", "Maximum", "Equal", "Less"}

COMPARISONS = {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}

WITH_NUMBER = [
    ("AddScalar", torch.add, EXACT), ("SubScalar", torch.sub, EXACT), ("MulScalar", torch.mul, EXACT), ("DivScalar", torch.div, EXACT),
    ("PowScalar", torch.pow, ELEMENTARY), ("MaximumScalar", lambda x, v: x.clamp(min=v), EQUAL), ("MinimumScalar", lambda x, v: x.clamp(max=v), EQUAL),
    ("EqualScalar", torch.eq, EXACT), ("NotEqualScalar", torch.ne, EXACT), ("LessScalar", torch.lt, EXACT), ("LessEqualScalar", torch.le, EXACT),
    ("GreaterScalar", torch.gt, EXACT), ("GreaterEqualScalar", torch.ge, EXACT),
]

AXES = [{"axes": [1]}, {"axes": [-1, 0]}, {"axes": []}]
AXIS = [{"axis": 1}, {"axis": -1}, {"axis": 0}]


def of_axis(fn):
    return lambda x, axis: fn(x, axis)


ALONG = [
    # op, function, how it is compared, dtypes, attributes, options
    ("Sum", reduced(torch.sum), RELATIVE, NUMBERS, AXES, {}),
    ("SumKeep", lambda x, axes=(): torch.sum(x, tuple(axes) or tuple(range(x.dim())), keepdim=True), RELATIVE, NUMBERS, AXES, {}),
    ("Mean", reduced(torch.mean), RELATIVE, FLOATS, AXES, {}),
    ("MeanKeep", keeping(torch.mean), RELATIVE, FLOATS, AXES, {}),
    ("Max", reduced(torch.amax), EQUAL, NUMBERS, AXES, {"empty": False}),
    ("MaxKeep", keeping(torch.amax), EQUAL, NUMBERS, AXES, {"empty": False}),
    ("Min", reduced(torch.amin), EQUAL, NUMBERS, AXES, {"empty": False}),
    ("MinKeep", keeping(torch.amin), EQUAL, NUMBERS, AXES, {"empty": False}),
    ("ArgMax", of_axis(torch.argmax), EXACT, NUMBERS, AXIS, {}),
    ("ArgSort", lambda x, axis: torch.argsort(x, dim=axis, stable=True), EXACT, NUMBERS, AXIS, {}),
    ("Sort", lambda x, axis, descending: torch.sort(x, dim=axis, descending=descending, stable=True), EXACT, NUMBERS,
     [{"axis": 1, "descending": False}, {"axis": 0, "descending": True}], {}),
    ("TopK", lambda x, k, axis: [torch.sort(x, dim=axis, descending=True, stable=True)[i].narrow(axis, 0, k) for i in range(2)], EXACT, NUMBERS,
     [{"k": 2, "axis": 1}, {"k": 3, "axis": 0}], {"empty": False}),
    ("Prod", lambda x, axes: torch.prod(x.flatten() if not axes else x, 0 if not axes else axes[0]), RELATIVE, NUMBERS, [{"axes": [1]}, {"axes": []}], {}),
    ("LogSumExp", reduced(torch.logsumexp), RELATIVE, FLOATS, AXES, {}),
    ("Any", lambda x, axes: torch.any(x, tuple(axes)) if axes else torch.any(x), EXACT, ANY, AXES, {}),
    ("All", lambda x, axes: torch.all(x, tuple(axes)) if axes else torch.all(x), EXACT, ANY, AXES, {}),
    ("Var", lambda x, correction, axes: torch.var(x, tuple(axes), correction=correction), RELATIVE, FLOATS, [{"correction": 1.0, "axes": [1]}, {"correction": 0.0, "axes": [0, 2]}], {"extremes": False, "empty": False}),
    ("Std", lambda x, correction, axes: torch.std(x, tuple(axes), correction=correction), RELATIVE, FLOATS, [{"correction": 1.0, "axes": [1]}, {"correction": 0.0, "axes": [0, 2]}], {"extremes": False, "empty": False}),
    ("CountNonzero", lambda x, axes: torch.count_nonzero(x, tuple(axes)) if axes else torch.count_nonzero(x), EXACT, ANY, AXES, {}),
    ("ArgMin", of_axis(torch.argmin), EXACT, NUMBERS, AXIS, {"empty": False}),
    ("CumSum", of_axis(torch.cumsum), RELATIVE, NUMBERS, AXIS, {}),
    ("CumProd", of_axis(torch.cumprod), RELATIVE, NUMBERS, AXIS, {}),
    ("LogCumSumExp", of_axis(torch.logcumsumexp), RELATIVE, FLOATS, AXIS, {"extremes": False}),
    ("CumMax", of_axis(torch.cummax), EQUAL, NUMBERS, AXIS, {"empty": False, "extremes": False}),
    ("CumMin", of_axis(torch.cummin), EQUAL, NUMBERS, AXIS, {"empty": False, "extremes": False}),
    ("Softmax", of_axis(torch.softmax), RELATIVE, FLOATS, AXIS, {}),
    ("LogSoftmax", of_axis(torch.log_softmax), RELATIVE, FLOATS, AXIS, {}),
    ("Reshape", lambda x, dims: x.reshape(dims), EXACT, ANY, [{"dims": [4, -1]}, {"dims": [24]}], {"empty": False}),
    ("Transpose", lambda x, perm: x.permute(perm or tuple(reversed(range(x.dim())))), EXACT, ANY, [{"perm": [1, 2, 0]}, {"perm": []}], {}),
    ("Reverse", lambda x, axes: x.flip(tuple(axes) or tuple(range(x.dim()))), EXACT, ANY, AXES, {}),
    ("Slice", lambda x, starts, limits, strides: x[tuple(slice(a, b, c) for a, b, c in zip(starts, limits, strides))], EXACT, ANY,
     [{"starts": [0, 1, 0], "limits": [2, 4, 2], "strides": [1, 2, 1]}], {"empty": False}),
    ("Unsqueeze", of_axis(torch.unsqueeze), EXACT, ANY, [{"axis": 1}, {"axis": -1}], {}),
    ("Select", lambda x, axis, index: x.select(axis, index), EXACT, ANY, [{"axis": 1, "index": 2}, {"axis": -1, "index": -1}], {}),
    ("Narrow", lambda x, axis, start, length: x.narrow(axis, start, length), EXACT, ANY, [{"axis": 1, "start": 1, "length": 2}], {}),
    ("Diagonal", lambda x, offset, axis1, axis2: x.diagonal(offset, axis1, axis2), EXACT, ANY,
     [{"offset": 0, "axis1": 0, "axis2": 1}, {"offset": 1, "axis1": 0, "axis2": 1}, {"offset": -1, "axis1": 1, "axis2": -1}], {}),
    ("BroadcastTo", lambda x, dims: x.expand(dims), EXACT, ANY, [{"dims": [5, 3, 4, 2]}], {"empty": False}),
    ("PadZeros", lambda x, padding: F.pad(x, [padding[2], padding[3], padding[0], padding[1]]), EXACT, NUMBERS, [{"padding": [1, 0, 2, -1]}], {"empty": False}),
    ("nn.ELU", lambda x, alpha: F.elu(x, alpha), ELEMENTARY, FLOATS, [{"alpha": 1.0}, {"alpha": 0.5}], {}),
    ("nn.GLU", lambda x, axis: F.glu(x, axis), ELEMENTARY, FLOATS, [{"axis": 1}, {"axis": -1}], {}),
    ("nn.CELU", lambda x, alpha: F.celu(x, alpha), ELEMENTARY, FLOATS, [{"alpha": 1.5}], {}),
    ("nn.HardShrink", lambda x, **a: F.hardshrink(x, a["lambda"]), EXACT, FLOATS, [{"lambda": 0.5}], {}),
    ("nn.SoftShrink", lambda x, **a: F.softshrink(x, a["lambda"]), EQUAL, FLOATS, [{"lambda": 0.5}], {}),
    ("nn.HardTanh", lambda x, low, high: F.hardtanh(x, low, high), EQUAL, FLOATS, [{"low": -1, "high": 0.5}], {}),
    ("nn.LeakyReLU", lambda x, slope: F.leaky_relu(x, slope), ELEMENTARY, FLOATS, [{"slope": 0.01}], {}),
    ("nn.Softplus", lambda x, beta, threshold: F.softplus(x, beta, threshold), RELATIVE, FLOATS, [{"beta": 1.0, "threshold": 20.0}, {"beta": 2.0, "threshold": 3.0}], {}),
    ("nn.Threshold", lambda x, threshold, value: F.threshold(x, threshold, value), EQUAL, FLOATS, [{"threshold": 0.5, "value": 2.0}], {}),
    ("nn.FakeQuantize", lambda x, scale, zero, low, high: torch.fake_quantize_per_tensor_affine(x, scale, zero, low, high), RELATIVE, FLOATS, [{"scale": 0.25, "zero": 0, "low": -8, "high": 7}, {"scale": 0.1, "zero": 3, "low": 0, "high": 15}], {"extremes": False}),
    ("nn.Softmin", lambda x, axis: F.softmin(x, axis), RELATIVE, FLOATS, AXIS, {}),
    ("nn.Normalize", lambda x, p, axis, epsilon: F.normalize(x, p, axis, epsilon), RELATIVE, FLOATS, [{"p": 2.0, "axis": 1, "epsilon": 1e-12}, {"p": 1.0, "axis": -1, "epsilon": 1e-12}], {"extremes": False}),
    ("nn.RMSNorm", lambda x, last, epsilon: F.rms_norm(x, x.shape[-last:], eps=epsilon), RELATIVE, FLOATS, [{"last": 1, "epsilon": 1e-5}, {"last": 2, "epsilon": 1e-5}], {"extremes": False, "empty": False}),
    ("nn.LocalResponseNorm", lambda x, size, alpha, beta, k: F.local_response_norm(x, size, alpha, beta, k), RELATIVE, FLOATS, [{"size": 2, "alpha": 0.1, "beta": 0.75, "k": 1.0}], {"extremes": False, "empty": False}),
]

# PyTorch's names of the reductions of losses, by their numbers in package nn.
REDUCTIONS = ["mean", "sum", "none"]

LOSSES = [
    # op, function of x, target and a reduction, attributes, domains of x and target
    ("nn.MSELoss", lambda x, y, r: F.mse_loss(x, y, reduction=r), {}, (-3, 3), (-3, 3)),
    ("nn.L1Loss", lambda x, y, r: F.l1_loss(x, y, reduction=r), {}, (-3, 3), (-3, 3)),
    ("nn.SmoothL1Loss", lambda x, y, r: F.smooth_l1_loss(x, y, reduction=r, beta=0.7), {"beta": 0.7}, (-3, 3), (-3, 3)),
    ("nn.HuberLoss", lambda x, y, r: F.huber_loss(x, y, reduction=r, delta=0.7), {"delta": 0.7}, (-3, 3), (-3, 3)),
    ("nn.BCELoss", lambda x, y, r: F.binary_cross_entropy(x, y, reduction=r), {}, (0.1, 0.9), (0, 1)),
    ("nn.BCEWithLogits", lambda x, y, r: F.binary_cross_entropy_with_logits(x, y, reduction=r), {}, (-3, 3), (0, 1)),
    ("nn.KLDivLoss", lambda x, y, r: F.kl_div(x, y, reduction=r), {"logTarget": False}, (-3, 0), (0.1, 1)),
    ("nn.PoissonNLLLoss", lambda x, y, r: F.poisson_nll_loss(x, y, reduction=r, full=True), {"logInput": True, "full": True, "epsilon": 1e-8}, (-2, 2), (0.5, 4)),
    ("nn.SoftMarginLoss", lambda x, y, r: F.soft_margin_loss(x, y, reduction=r), {}, (-3, 3), (-1, 1)),
]


def loss(op, fn, attrs, of_x, of_target):
    m = Maker(op)
    for d in FLOATS:
        x, y = m.tensor(d, (3, 4), *of_x), m.tensor(d, (3, 4), *of_target)
        for i, r in enumerate(REDUCTIONS):
            if d == "f32" or r == "mean":
                yield case(f"{d} {r}", lambda x, y, r=r: fn(x, y, r), [x, y], attrs | {"reduction": i}, RELATIVE, gradient=d == "f32" and op != "nn.SoftMarginLoss")  # PyTorch has none for the target


def one_of(op):
    """The cases of ops with several tensors of different kinds."""
    m = Maker(op)
    t = m.tensor

    def index(shape, below, dtype="i64"):
        return t(dtype, shape, 0, below - 1)

    if op == "Where":
        for d in ANY:
            yield case(d, torch.where, [t("bool", (3, 4)), t(d, (3, 4)), t(d, (4,))], gradient=d == "f32")
        yield case("0-d", torch.where, [t("bool", ()), t("f32", ()), t("f32", ())])
        yield case("empty", torch.where, [t("bool", (0, 4)), t("f32", (0, 1)), t("f32", (4,))])
    if op == "WhereScalar":
        for d in NUMBERS:
            yield case(d, lambda c, x: torch.where(c, x, torch.tensor(2, dtype=x.dtype)), [t("bool", (3, 4)), t(d, (4,))], {"v": 2}, gradient=d == "f32")
    if op == "Convert":
        for a in ANY:
            for b in ANY:
                yield case(f"{a} to {b}", lambda x: x.to(DTYPES[b]), [t(a, (7,), 0 if b == "u8" else -3, 3)], {"dtype": b})
        for a in COMPLEX:
            yield case(f"{a} to bool", lambda x: x.to(torch.bool), [torch.tensor([0, 1, -2j, 3 + 1j, complex("nan")], dtype=DTYPES[a])], {"dtype": "bool"})
    if op == "MatMul":
        for d in FLOATS + ["i32", "i64"]:
            yield case(d, torch.matmul, [t(d, (3, 4)), t(d, (4, 2))], kind=RELATIVE, gradient=d == "f32")
        yield case("batch", torch.matmul, [t("f32", (2, 3, 4)), t("f32", (2, 4, 5))], kind=RELATIVE, gradient=True)
        yield case("shared", torch.matmul, [t("f32", (2, 3, 4)), t("f32", (4, 5))], kind=RELATIVE, gradient=True)
        yield case("not contiguous", torch.matmul, [t("f32", (3, 4)), t("f32", (4, 2))], kind=RELATIVE, reversed_axes=True)
        yield case("empty", torch.matmul, [t("f32", (3, 0)), t("f32", (0, 2))], kind=RELATIVE)
        yield case("no rows", torch.matmul, [t("f32", (0, 4)), t("f32", (4, 2))], kind=RELATIVE)
    if op == "Concatenate":
        for d in ANY:
            yield case(d, lambda *xs: torch.cat(xs, 1), [t(d, (2, 3)), t(d, (2, 1)), t(d, (2, 0))], {"axis": 1}, gradient=d == "f32")
    if op == "Gather":
        for d in ANY:
            yield case(d, lambda x, i: x[i.long()], [t(d, (5, 3)), index((2, 2), 5, "i32")], gradient=d == "f32")
    if op == "IndexSelect":
        for d in ANY:
            yield case(d, lambda x, i: x.index_select(1, i), [t(d, (3, 5)), index((4,), 5)], {"axis": 1}, gradient=d == "f32")
    if op == "IndexAdd":
        for d in NUMBERS:
            yield case(d, lambda x, i, u: x.index_add(0, i, u), [t(d, (5, 3)), index((4,), 5), t(d, (4, 3))], {"axis": 0}, kind=RELATIVE, gradient=d == "f32")
    if op == "IndexCopy":
        for d in ANY:
            yield case(d, lambda x, i, u: x.index_copy(0, i, u), [t(d, (5, 3)), torch.tensor([3, 0]), t(d, (2, 3))], {"axis": 0}, gradient=d == "f32")
    if op == "GatherAlong":
        for d in ANY:
            yield case(d, lambda x, i: x.gather(1, i), [t(d, (3, 5)), index((2, 4), 5)], {"axis": 1}, gradient=d == "f32")
    if op == "ScatterAlong":
        for d in ANY:
            yield case(d, lambda x, i, u: x.scatter(1, i, u), [t(d, (2, 5)), torch.tensor([[0, 3], [4, 1]]), t(d, (2, 2))], {"axis": 1}, gradient=d == "f32")
    for name, how in [("ScatterAddAlong", "sum"), ("ScatterMulAlong", "prod"), ("ScatterMinAlong", "amin"), ("ScatterMaxAlong", "amax")]:
        if op == name:
            for d in NUMBERS:
                yield case(d, lambda x, i, u, how=how: x.scatter_reduce(1, i, u, how), [t(d, (2, 5)), index((2, 4), 5), t(d, (2, 4))], {"axis": 1}, kind=RELATIVE, gradient=d == "f32" and how == "sum")
    if op == "Nonzero":
        for d in ANY:
            yield case(d, torch.nonzero, [t(d, (3, 4), -1, 1).round() if d in FLOATS else t(d, (3, 4), -1, 1)], {"bound": [12]})
    if op == "MaskedSelect":
        for d in ANY:
            yield case(d, torch.masked_select, [t(d, (3, 4)), t("bool", (4,))])
    if op == "Unique":
        for d in NUMBERS:
            yield case(d, torch.unique, [t(d, (12,), -2, 2).round() if d in FLOATS else t(d, (12,), -2, 2)])
    if op == "OneHot":
        for d in ["i64", "i32", "u8"]:
            yield case(d, lambda x: F.one_hot(x.long(), 5), [index((3, 2), 5, d)], {"classes": 5, "dtype": "i64"})
    if op == "LayerNorm":
        for d in FLOATS:
            yield case(d, lambda x, g, b: F.layer_norm(x, (6,), g, b, 1e-5), [t(d, (3, 6)), t(d, (6,)), t(d, (6,))], {"epsilon": 1e-5}, kind=RELATIVE, gradient=d == "f32")
    if op == "CrossEntropy":
        for d in FLOATS:
            yield case(d, lambda x, l: F.cross_entropy(x, l.long()), [t(d, (4, 5)), index((4,), 5, "i32")], kind=RELATIVE, gradient=d == "f32")
    if op == "Attention":
        for d in FLOATS:
            yield case(d, F.scaled_dot_product_attention, [t(d, (2, 2, 3, 4)), t(d, (2, 2, 5, 4)), t(d, (2, 2, 5, 6))], kind=RELATIVE, gradient=d == "f32")
        yield case("causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), [t("f32", (2, 2, 4, 4))] * 3, {"causal": True}, kind=RELATIVE, gradient=True)
        yield case("mask", F.scaled_dot_product_attention, [t("f32", (2, 2, 3, 4)), t("f32", (2, 2, 5, 4)), t("f32", (2, 2, 5, 6)), t("f32", (3, 5))], kind=RELATIVE, gradient=True)
        yield case("scale", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), [t("f32", (1, 2, 3, 4))] * 3, {"scale": 0.3}, kind=RELATIVE)
    if op == "Conv":
        for d in FLOATS[:2]:
            yield case(d, F.conv2d, [t(d, (2, 3, 6, 5)), t(d, (4, 3, 3, 2))], kind=RELATIVE, gradient=d == "f32")
        yield case("strides", lambda x, k: F.conv2d(x, k, stride=(2, 1), padding=(1, 2), dilation=(1, 2)), [t("f32", (2, 3, 6, 5)), t("f32", (4, 3, 3, 2))],
                   {"strides": [2, 1], "padding": [1, 1, 2, 2], "dilation": [1, 2]}, kind=RELATIVE, gradient=True)
        yield case("groups", lambda x, k: F.conv2d(x, k, groups=2), [t("f32", (2, 4, 5, 5)), t("f32", (6, 2, 3, 3))], {"groups": 2}, kind=RELATIVE, gradient=True)
        yield case("1 axis", F.conv1d, [t("f32", (2, 3, 6)), t("f32", (4, 3, 3))], kind=RELATIVE, gradient=True)
        yield case("3 axes", F.conv3d, [t("f32", (1, 2, 4, 4, 4)), t("f32", (3, 2, 2, 2, 2))], kind=RELATIVE, gradient=True)
    if op == "MaxPool":
        for d in FLOATS:
            yield case(d, lambda x: F.max_pool2d(x, (2, 3)), [t(d, (2, 3, 6, 6))], {"window": [2, 3]}, gradient=d == "f32")
        yield case("strides", lambda x: F.max_pool2d(x, 3, stride=2, padding=1), [t("f32", (2, 3, 6, 5))], {"window": [3, 3], "strides": [2, 2], "pad": 1}, gradient=True)
        yield case("dilation", lambda x: F.max_pool1d(x, 2, stride=1, dilation=2), [t("f32", (2, 3, 6))], {"window": [2], "strides": [1], "dilation": [2]}, gradient=True)
    if op == "AvgPool":
        for d in FLOATS:
            yield case(d, lambda x: F.avg_pool2d(x, (2, 3)), [t(d, (2, 3, 6, 6))], {"window": [2, 3]}, kind=RELATIVE, gradient=d == "f32")
        yield case("strides", lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), [t("f32", (2, 3, 6, 5))], {"window": [3, 3], "strides": [2, 2], "pad": 1}, kind=RELATIVE, gradient=True)
    if op == "nn.PReLU":
        for d in FLOATS:
            yield case(d, F.prelu, [t(d, (2, 3, 4)), t(d, (3,))], kind=ELEMENTARY, gradient=d == "f32")
        yield case("one weight", F.prelu, [t("f32", (2, 3)), t("f32", (1,))], kind=ELEMENTARY, gradient=True)
    if op == "nn.GroupNorm":
        for d in FLOATS:
            yield case(d, lambda x, g, b: F.group_norm(x, 2, g, b, 1e-5), [t(d, (2, 4, 3)), t(d, (4,)), t(d, (4,))], {"groups": 2, "epsilon": 1e-5}, kind=RELATIVE, gradient=d == "f32")
    if op == "nn.InstanceNorm":
        for d in FLOATS:
            yield case(d, lambda x, g, b: F.instance_norm(x, weight=g, bias=b, eps=1e-5), [t(d, (2, 3, 5)), t(d, (3,)), t(d, (3,))], {"epsilon": 1e-5}, kind=RELATIVE, gradient=d == "f32")
    if op == "nn.LayerNorm":
        for d in FLOATS:
            yield case(d, lambda x, g, b: F.layer_norm(x, (3, 4), g, b, 1e-5), [t(d, (2, 3, 4)), t(d, (3, 4)), t(d, (3, 4))], {"last": 2, "epsilon": 1e-5}, kind=RELATIVE, gradient=d == "f32")
    if op == "nn.BatchNorm":
        for d in FLOATS:
            yield case(d, lambda x, m, v, g, b: F.batch_norm(x, m, v, g, b, eps=1e-5), [t(d, (2, 3, 4)), t(d, (3,)), t(d, (3,), 0.5, 2), t(d, (3,)), t(d, (3,))], {"epsilon": 1e-5}, kind=RELATIVE, gradient=False)
    if op == "nn.CosineSimilarity":
        for d in FLOATS:
            yield case(d, lambda x, y: F.cosine_similarity(x, y, 1, 1e-8), [t(d, (3, 4)), t(d, (3, 4))], {"axis": 1, "epsilon": 1e-8}, kind=RELATIVE, gradient=d == "f32")
    if op == "nn.PairwiseDistance":
        for d in FLOATS:
            yield case(d, lambda x, y: F.pairwise_distance(x, y, 2, 1e-6), [t(d, (3, 4)), t(d, (3, 4))], {"p": 2, "epsilon": 1e-6, "keep": False}, kind=RELATIVE, gradient=d == "f32")
    if op == "nn.CDist":
        for p in [1.0, 2.0, 3.0]:
            yield case(f"p {p}", lambda x, y, p=p: torch.cdist(x, y, p), [t("f32", (2, 3, 4)), t("f32", (2, 5, 4))], {"p": p}, kind=RELATIVE, gradient=True)
    if op == "nn.PDist":
        yield case("f32", F.pdist, [t("f32", (4, 3))], {"p": 2}, kind=RELATIVE, gradient=True)
    for name, fn in [("nn.CrossEntropy", F.cross_entropy), ("nn.NLLLoss", F.nll_loss)]:
        if op == name:
            for i, r in enumerate(REDUCTIONS):
                yield case(r, lambda x, l, fn=fn, r=r: fn(x, l.long(), reduction=r), [t("f32", (4, 5)), index((4,), 5, "i32")], {"reduction": i}, kind=RELATIVE, gradient=True)
            yield case("ignored", lambda x, l: fn(x, l.long(), ignore_index=1), [t("f32", (4, 5)), torch.tensor([0, 1, 3, 1], dtype=torch.int32)], {"ignore": 1}, kind=RELATIVE, gradient=True)
            yield case("weights", lambda x, l, w: fn(x, l.long(), weight=w), [t("f32", (4, 5)), index((4,), 5, "i32"), t("f32", (5,), 0.5, 2)], kind=RELATIVE, gradient=False)
            yield case("places", lambda x, l: fn(x, l.long()), [t("f32", (2, 5, 3)), index((2, 3), 5, "i32")], kind=RELATIVE, gradient=True)
    if op == "SliceScatter":
        for d in ANY:
            yield case(d, lambda x, u: x.slice_scatter(u, 0, 1, 5, 2), [t(d, (6, 3)), t(d, (2, 3))], {"starts": [1, 0], "strides": [2, 1]}, gradient=d == "f32")
    if op == "Iota":
        for d in NUMBERS:
            yield case(d, lambda: torch.arange(4, dtype=DTYPES[d]).expand(3, 4), [], {"dtype": d, "axis": 1, "dims": [3, 4]})
    if op == "Full":
        for d in NUMBERS + COMPLEX:
            yield case(d, lambda: torch.full((2, 3), 2, dtype=DTYPES[d]), [], {"dtype": d, "x": 2, "dims": [2, 3]})
    if op == "Squeeze":
        for d in ANY:
            yield case(d, lambda x: x.squeeze(1), [t(d, (3, 1, 1))], {"axes": [1]}, gradient=d == "f32")
        yield case("all", torch.squeeze, [t("f32", (3, 1, 1))])


SINGLE = ["Where", "WhereScalar", "Convert", "MatMul", "Concatenate", "Gather", "IndexSelect", "IndexAdd", "IndexCopy", "GatherAlong", "ScatterAlong", "ScatterAddAlong",
          "ScatterMulAlong", "ScatterMinAlong", "ScatterMaxAlong", "Nonzero", "MaskedSelect", "Unique", "OneHot", "LayerNorm", "CrossEntropy", "Attention", "Conv", "MaxPool", "AvgPool",
          "SliceScatter", "Iota", "Full", "Squeeze", "nn.PReLU", "nn.GroupNorm", "nn.InstanceNorm", "nn.LayerNorm", "nn.BatchNorm", "nn.CosineSimilarity", "nn.PairwiseDistance", "nn.CDist", "nn.PDist",
          "nn.CrossEntropy", "nn.NLLLoss"]


def table():
    """The cases of each op."""
    for op, fn, kind, dtypes, *domain in UNARY:
        yield op, list(unary(op, fn, kind, dtypes, *domain, differentiable=dtypes[0] in FLOATS and op not in ("Clone", "Detach") or None))
    for op, fn, kind, dtypes, *domain in BINARY:
        yield op, list(binary(op, fn, kind, dtypes, *domain, differentiable=False if op in COMPARISONS else None)) + (list(promoted(op, fn, kind, *domain)) if op in PROMOTED else [])
    for op, fn, kind in WITH_NUMBER:
        compares = op.removesuffix("Scalar") in COMPARISONS
        v = 1.5 if op == "PowScalar" else 0.5  # PyTorch takes 0.5 for a square root, which differs from a power at -infinity
        yield op, [*unary(op, lambda x: fn(x, v), kind, FLOATS, 0.1, 3, attrs={"v": v}, differentiable=not compares), *with_two(op, fn, kind)]
    for op, fn, kind, dtypes, attrs, options in ALONG:
        whole = op in {"ArgMax", "ArgMin", "ArgSort", "Any", "All", "CountNonzero"}
        yield op, list(along(op, fn, kind, dtypes, attrs, differentiable=False if whole else None, **options))
    for op, fn, attrs, of_x, of_target in LOSSES:
        yield op, list(loss(op, fn, attrs, of_x, of_target))
    for op in SINGLE:
        yield op, list(one_of(op))
