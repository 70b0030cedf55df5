"""Calls that take the place of reductions of PyTorch which are no op here: a few ops for each. See samples.py."""

import math

import torch

from calls import Call, Skip, converted, each, flat, listed, name_of, number
from masked import visible, zero
from reductions import dims_of, places_of


# Numbers of Python.


def item(x):
    return Call("Reshape", x, dims=[], processed=lambda y: torch.as_tensor(y, dtype=x.dtype))


def allclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    return Call("All", Call("IsClose", x, y, relative=rtol, absolute=atol, equalNaN=equal_nan), axes=[], processed=torch.as_tensor)


def equal(x, y):
    if x.shape != y.shape:
        raise Skip("two shapes, which are known to differ")
    return Call("All", Call("Equal", x, y), axes=[], processed=torch.as_tensor)


def isin(x, test, assume_unique=False, invert=False):
    y = Call("Any", Call("Equal", Call("Unsqueeze", x, axis=-1), flat(test)), axes=[-1])
    return Call("LogicalNot", y) if invert else y


def unique_consecutive(x, return_inverse=False, return_counts=False, dim=None):
    """Elements, or rows of an axis, that differ from the one before."""
    rows = flat(x) if dim is None else Call("MoveAxis", x, **{"from": dim, "to": 0}) if x.dim() > 1 else x
    n = x.numel() if dim is None else x.shape[dim]
    if n == 0 or x.numel() == 0:
        raise Skip("no elements")
    if dim is not None and x.dim() == 0:
        raise Skip("an axis of a scalar")
    differ = Call("NotEqual", Call("Narrow", rows, axis=0, start=1, length=n - 1), Call("Narrow", rows, axis=0, start=0, length=n - 1))
    if dim is not None and x.dim() > 1:
        differ = Call("Any", differ, axes=list(range(1, x.dim())))
    new = Call("Concatenate", torch.ones(1, dtype=torch.bool), differ, axis=0)
    values = Call("SelectRows", rows, new) if dim is not None else Call("MaskedSelect", rows, new)
    if dim is not None and x.dim() > 1:
        values = Call("MoveAxis", values, **{"from": 0, "to": dim})
    inverse = Call("AddScalar", Call("CumSum", Call("Convert", new, dtype="i64"), axis=0), v=-1.0)
    bins = len(torch.unique_consecutive(x, return_inverse=True, dim=dim)[1].unique())  # who calls it here knows them
    shaped = Call("Reshape", inverse, dims=list(x.shape)) if dim is None and x.dim() != 1 else inverse
    all = [values, *([shaped] if return_inverse else []), *([Call("Bincount", inverse, bins=bins)] if return_counts else [])]
    return each(*all) if len(all) > 1 else values


# Order statistics.


def nanmedian(x, dim=None, keepdim=False):
    if dim is None:
        return median_of(flat(x), x.numel(), 0, False, None, x.is_floating_point())
    if x.dim() == 0:
        y = median_of(Call("Reshape", x, dims=[1]), 1, 0, False, None, x.is_floating_point())
        return each(y, torch.zeros((), dtype=torch.int64))
    places = places_of(x) is None and not (x.is_floating_point() and x.isnan().any())
    y = [median_of(x, x.shape[dim], dim, keepdim, result, x.is_floating_point()) for result in (None, 1)]
    return each(*y) if places else each(y[0], outputs=1)


def median_of(x, n, axis, keepdim, result, floats):
    """The lower median of what is no NaN, which sorts behind all others."""
    if n == 0:
        raise Skip("no elements")
    counts = Call("Sum", Call("Equal", x, x), axes=[axis])
    at = Call("Unsqueeze", Call("ClampScalar", Call("FloorDivideScalar", Call("AddScalar", counts, v=-1.0), v=2.0), low=0.0, high=math.inf), axis=axis)
    y = Call("GatherAlong", Call("Sort", x, axis=axis, descending=False, outputs=[result or 0]), at, axis=axis)
    return y if keepdim else Call("Squeeze", y, axes=[axis])


def quantile(x, q, dim=None, keepdim=False, *, interpolation="linear", nan=False):
    """Quantiles between the two nearest elements in their order. Ranks are computed as PyTorch computes them, in the dtype of x."""
    qs = torch.as_tensor(q, dtype=x.dtype)
    points = qs.reshape(-1)
    if x.dim() == 0 or dim is None:
        rows, axis, n = Call("Reshape", x, dims=[x.numel()]), 0, x.numel()
    else:
        rows, axis, n = x, dim % x.dim(), x.shape[dim]
    ordered = Call("Sort", rows if rows is not x or axis == x.dim() - 1 else Call("MoveAxis", rows, **{"from": axis, "to": -1}), axis=-1, descending=False)
    if nan:
        counts = Call("Convert", Call("SumKeep", Call("Equal", ordered, ordered), axes=[-1]), dtype=name_of(x.dtype))
        ranks = Call("ClampScalar", Call("Mul", Call("AddScalar", counts, v=-1.0), points), low=0.0, high=math.inf)
        at = lambda op: Call("GatherAlong", ordered, Call("Convert", Call(op, ranks), dtype="i64"), axis=-1)
        weight = Call("Sub", ranks, Call("Floor", ranks))
    else:
        ranks = points * (n - 1)
        at = lambda op: Call("IndexSelect", ordered, {"Floor": ranks.floor(), "Ceil": ranks.ceil(), "Round": ranks.round()}[op].long(), axis=-1)
        weight = ranks - ranks.floor()
    if interpolation == "linear":
        y = Call("Lerp", at("Floor"), at("Ceil"), weight)
    elif interpolation == "midpoint":
        y = Call("LerpScalar", at("Floor"), at("Ceil"), weight=0.5)
    else:
        y = at({"lower": "Floor", "higher": "Ceil", "nearest": "Round"}[interpolation])
    kept = [n for i, n in enumerate(x.shape) if rows is x and i != axis]
    if kept:  # [others…, points] becomes [points, others…]
        y = Call("MoveAxis", y, **{"from": -1, "to": 0})
    shape = kept if not keepdim else [1 if rows is not x or i == axis else d for i, d in enumerate(x.shape)]
    return Call("Reshape", y, dims=list(qs.shape) + shape)


def nanquantile(x, q, dim=None, keepdim=False, *, interpolation="linear"):
    return quantile(x, q, dim, keepdim, interpolation=interpolation, nan=True)


# Counting in bins.


def bin_of(x, edges):
    """The number of the bin of each element, of which the last one has its upper edge, and whether there is one."""
    n = edges.numel() - 1
    at = Call("AddScalar", Call("Bucketize", x, edges, right=True), v=-1.0)
    inside = Call("And", Call("GreaterEqual", x, edges[0]), Call("LessEqual", x, edges[-1]))
    return Call("ClampScalar", at, low=0.0, high=float(n - 1)), inside


def counted(x, edges, weight):
    n = edges.numel() - 1
    row = x.reshape(-1)
    at, inside = bin_of(row, edges)
    w = torch.ones(row.shape, dtype=x.dtype) if weight is None else weight.reshape(-1)
    return Call("Bincount", at, Call("Where", inside, w, torch.zeros((), dtype=w.dtype)), bins=n)


def histc(x, bins=100, min=0, max=0):
    low, high = (min, max) if min != max else (float(x.min()), float(x.max())) if x.numel() else (0, 0)
    if low == high:
        low, high = low - 1, high + 1
    dtype, x = x.dtype, flat(x)
    at = Call("DivScalar", Call("MulScalar", Call("SubScalar", x, v=float(low)), v=float(bins)), v=float(high - low))
    at = Call("ClampScalar", Call("Convert", at, dtype="i64"), low=0.0, high=float(bins - 1))
    inside = Call("And", Call("GreaterEqualScalar", x, v=float(low)), Call("LessEqualScalar", x, v=float(high)))
    return Call("Convert", Call("Bincount", at, Call("Convert", inside, dtype=name_of(dtype)), bins=bins), dtype=name_of(dtype))


def histogram(x, bins, *, range=None, weight=None, density=False):
    if isinstance(bins, torch.Tensor):
        edges, made = bins, Call("Clone", bins)
    else:
        low, high = range or ((float(x.min()), float(x.max())) if x.numel() else (0.0, 1.0))
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges = torch.linspace(low, high, bins + 1, dtype=x.dtype)
        made = Call("LinSpace", dtype=name_of(x.dtype), start=float(low), end=float(high), n=bins + 1)
    y = counted(x, edges, weight)
    if density:
        y = Call("Div", Call("Div", y, Call("Sum", y, axes=[])), edges.diff())
    return each(y, made)


# Derivatives of samples.


def gradient(x, *, spacing=None, dim=None, edge_order=1):
    axes = [d % x.dim() for d in (range(x.dim()) if dim is None else listed(dim))]
    steps = spacing if isinstance(spacing, (list, tuple)) else [1.0 if spacing is None else spacing] * len(axes)
    if not all(number(s) for s in steps):
        raise Skip("coordinates that are tensors")
    if not x.is_floating_point() and not x.is_complex():
        raise Skip("integers, which are converted")
    return each(*(slope(x, d, float(h), edge_order) for d, h in zip(axes, steps)))


def slope(x, d, h, edge_order):
    """Central differences, and those of the first or second order at the ends."""
    n = x.shape[d]
    part = lambda start, length: Call("Narrow", x, axis=d, start=start, length=length)
    middle = Call("MulScalar", Call("Sub", part(2, n - 2), part(0, n - 2)), v=1 / (2 * h))
    if edge_order == 1:
        ends = [Call("MulScalar", Call("Sub", part(b, 1), part(a, 1)), v=1 / h) for a, b in ((0, 1), (n - 2, n - 1))]
    else:
        ends = [Call("Add", Call("MulScalar", part(a, 1), v=-1.5 / s), Call("Add", Call("MulScalar", part(b, 1), v=2 / s), Call("MulScalar", part(c, 1), v=-0.5 / s))) for a, b, c, s in ((0, 1, 2, h), (n - 1, n - 2, n - 3, -h))]
    return Call("Concatenate", ends[0], middle, ends[1], axis=d)


# torch.masked.


def visible_count(x, mask, axes, keep=True):
    ones = torch.ones(x.shape, dtype=torch.bool)
    return Call("SumKeep" if keep else "Sum", ones if mask is None else Call("And", ones, mask), axes=axes)


def masked_mean(x, dim=None, *, keepdim=False, dtype=None, mask=None):
    if not (dtype or x.dtype).is_floating_point and not (dtype or x.dtype).is_complex:
        raise Skip("integers")
    axes, keep = dims_of(x, dim), "Keep" if keepdim else ""
    counts = Call("Convert", visible_count(x, mask, axes, keepdim), dtype=name_of(dtype or x.dtype))
    return Call("Div", Call("Sum" + keep, visible(x, mask, zero, dtype), axes=axes), counts)


def masked_var(root):
    def call(x, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        dtype = dtype or x.dtype
        if dtype.is_complex:
            raise Skip(f"dtype {name_of(dtype)}")
        dtype = dtype if dtype.is_floating_point else torch.float32
        axes, c = dims_of(x, dim), correction if correction is not None else 1 if unbiased is None else int(unbiased)
        n = Call("Convert", visible_count(x, mask, axes), dtype=name_of(dtype))
        x = converted(x, dtype)
        mean = Call("Div", Call("SumKeep", hidden(x, mask, dtype), axes=axes), n)
        squares = Call("Square", hidden(Call("Sub", x, mean), mask, dtype))
        free = Call("Convert", visible_count_of(x, mask, axes, keepdim), dtype=name_of(dtype))
        y = Call("Div", Call("SumKeep" if keepdim else "Sum", squares, axes=axes), Call("ClampScalar", Call("AddScalar", free, v=-float(c)), low=0.0, high=math.inf))
        return Call("Sqrt", y) if root else y

    return call


def hidden(x, mask, dtype):
    return x if mask is None else Call("Where", mask, x, torch.zeros((), dtype=dtype))


def visible_count_of(x, mask, axes, keep):
    shape = (x.inputs[0] if isinstance(x, Call) else x).shape
    return visible_count(torch.empty(shape), mask, axes, keep)


def masked_median(x, dim=-1, *, keepdim=False, dtype=None, mask=None):
    if x.dim() == 0:
        return Call("Reshape", masked_median(x.reshape(1), 0, dtype=dtype, mask=None if mask is None else mask.reshape(1)), dims=[])
    hidden_x = x if mask is None else Call("Where", mask, x, torch.full((), math.nan, dtype=x.dtype))
    return median_of(hidden_x, x.shape[dim], dim, keepdim, None, True)


def masked_normalize(x, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    if x.dim() == 0:
        return Call("Reshape", masked_normalize(x.reshape(1), ord, 0, eps=eps, dtype=dtype, mask=None if mask is None else mask.reshape(1)), dims=[])
    x = visible(x, mask, zero, dtype)
    return Call("nn.Normalize", x, p=float(ord), axis=dim, epsilon=eps)


def masked_logaddexp(x, y, *, dtype=None, input_mask=None, other_mask=None):
    return Call("LogAddExp", *(t if m is None else Call("Where", m, t, torch.full((), -math.inf, dtype=t.dtype)) for t, m in ((x, input_mask), (y, other_mask))))


def spherical_bessel_j0(x):
    return Call("special.Sinc", Call("MulScalar", x if x.is_floating_point() else Call("Convert", x, dtype="f32"), v=1 / math.pi))


CALLS = {
    "item": item, "allclose": allclose, "equal": equal, "isin": isin, "unique_consecutive": unique_consecutive, "nanmedian": nanmedian, "quantile": quantile, "nanquantile": nanquantile,
    "histc": histc, "histogram": histogram, "gradient": gradient, "masked.mean": masked_mean, "masked.var": masked_var(False), "masked.std": masked_var(True), "masked.median": masked_median,
    "masked.normalize": masked_normalize, "masked.logaddexp": masked_logaddexp, "special.spherical_bessel_j0": spherical_bessel_j0,
}
