"""Cases of second derivatives: the gradients of a weighted sum of an op's gradients.

All is f64 (or c128). A case has the inputs, cotangents of the results, weights of the gradients,
and what PyTorch gives: the derivatives of the weighted sum for each input, and for each cotangent.
"""

import zlib

import numpy
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from cases import continuous, encode, listed, results, wide

# How many cases with gradients an op's second derivatives are of, and how many of these at edges.
CASES, EDGES = 3, 1

# Ops whose goldens have no gradients: their second derivatives are of the cases of f32.
MORE = {
    *("AtLeast1D", "AtLeast2D", "AtLeast3D", "BroadcastTo", "Diagonal", "Ldexp", "Narrow", "Reshape", "Reverse", "Select", "SelectRows", "Slice", "Transpose", "Unsqueeze"),
    *("ScatterMaxAlong", "ScatterMinAlong", "ScatterMulAlong", "fft.FFTShift", "fft.IFFTShift", "linalg.HouseholderProduct", "linalg.LUSolve"),
    *("nn.BatchNorm", "nn.ChannelShuffle", "nn.HingeEmbeddingLoss", "nn.MultiLabelSoftMarginLoss", "nn.SoftMarginLoss"),
}

# Ops whose second derivatives at edges PyTorch does not define, or defines in another way.
NO_EDGES = {
    "KthValue": "one of equal elements has the gradient", "TopK": "one of equal elements has the gradient", "Sort": "one of equal elements has the gradient",
    "linalg.LstSq": "a matrix without full rank",
}

# What is differentiated in place of a function of PyTorch, by the attributes.
FORMULAS = {
    # The second derivatives of PyTorch's function are not those of its gradient.
    "nn.WeightNorm": lambda axis: lambda v, g: v * (g / v.norm(dim=[i for i in range(v.dim()) if i != axis], keepdim=True)),
    # Those of PyTorch's function are NaN for cotangents that are 0.
    "LogCumSumExp": lambda axis: lambda x: x.exp().cumsum(axis).log(),
}


def steps(random, shape, parts):
    """Few-bit numbers between -1 and 1, which compress."""
    xs = [torch.from_numpy(numpy.array(random.randint(-8, 9, tuple(shape)) / 8)) for _ in range(parts)]
    return torch.complex(*xs) if parts == 2 else xs[0]


def gradients(ys, xs, weights):
    """The gradients of a weighted sum: zeros for what it does not depend on."""
    pairs = [(y, w) for y, w in zip(ys, weights) if y.requires_grad]
    if not pairs:
        return [torch.zeros_like(x) for x in xs]
    return torch.autograd.grad([y for y, _ in pairs], xs, [w for _, w in pairs], create_graph=True, allow_unused=True, materialize_grads=True)


def case(name, fn, inputs, attrs):
    """A case; None where PyTorch has no second derivatives, or they are not finite."""
    random = numpy.random.RandomState(zlib.crc32(name.encode()))
    xs = [wide(x.detach()).clone().requires_grad_(continuous(x)) for x in inputs]
    try:
        with sdpa_kernel(SDPBackend.MATH):  # the others have no second derivatives
            try:
                ys = listed(fn(*xs))
            except RuntimeError as e:
                if "is not differentiable with respect to" not in str(e):
                    raise
                for x in xs[1:]:  # targets
                    x.requires_grad_(False)
                ys = listed(fn(*xs))
        ys = [y for y in ys if continuous(y)]
        cts = [steps(random, y.shape, 1 + y.is_complex()).requires_grad_() for y in ys]
        wrt = [x for x in xs if x.requires_grad]
        weights = {id(x): steps(random, x.shape, 1 + x.is_complex()) for x in wrt}
        gs = gradients(ys, wrt, cts)
        seconds = gradients(gs, [*wrt, *cts], weights.values())
    except RuntimeError as e:
        print(f"{name}: {e}".split("\n")[0][:150])
        return None
    if not all(x.isfinite().all() for x in (*ys, *gs, *seconds)):
        return None
    own, weights = iter(seconds), [weights.get(id(x), torch.zeros_like(x)) for x in xs if continuous(x)]
    c = {"case": name, "kind": "second"}
    if attrs:
        c["attrs"] = attrs
    c["inputs"], c["cotangents"], c["weights"] = [encode(x) for x in xs], [encode(ct) for ct in cts], [encode(w) for w in weights]
    c["seconds"] = [encode(next(own)) if x.requires_grad else None for x in xs]
    c["tangents"] = [encode(t) for t in own]
    return c


def edges(inputs):
    """Inputs at edges: zeros for one of them, zeros for all, whole numbers."""
    places = [i for i, x in enumerate(inputs) if continuous(x)]
    for zero in [*([i] for i in places), places] if len(places) > 1 else [places]:
        yield f"zeros for {', '.join(map(str, zero))}", [torch.zeros_like(x) if i in zero else x for i, x in enumerate(inputs)]
    if not any(x.is_complex() for x in inputs):
        yield "whole numbers", [x.round() if x.is_floating_point() else x for x in inputs]


def cases(op, of_op):
    """The cases of second derivatives for an op whose cases are given."""
    found = [c for c in of_op if c.get("cotangents") or op in MORE and any(x["dtype"] == "f32" and not x.get("reversed") for x in c["inputs"]) and "special" not in c["case"]][:CASES]
    for i, c in enumerate(found):
        fn, inputs, attrs, kind = c["call"]
        if [encode(y) for y in results(fn, inputs, kind)] != c["results"]:
            raise ValueError(f"{op}, {c['case']}: the function has bound other attributes since: give them as defaults")
        if op in FORMULAS:
            fn = FORMULAS[op](**attrs)
        yield case(c["case"], fn, inputs, c.get("attrs"))
        if i < EDGES and op not in NO_EDGES:
            for name, xs in edges(inputs):
                yield case(f"{c['case']}, {name}", fn, xs, c.get("attrs"))
