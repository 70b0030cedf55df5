"""Calls that take the place of functions of PyTorch of other kinds which are no op here: a few ops for each. See samples.py."""

import itertools
import math

import torch

from calls import COMPLEX, Call, Skip, converted, each, given, listed, name_of
from matrices import matmul
from networks import REDUCTIONS as REDUCED, attention, labels_loss, same
from shapes import numbers


# Rows of given places.


def combinations(x, r=2, with_replacement=False):
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = torch.tensor(list(choose(range(len(x)), r)), dtype=torch.int64).reshape(-1, r)
    return Call("Gather", x, places)


def cartesian_prod(*xs):
    xs = [x for y in xs for x in (y if isinstance(y, (list, tuple)) else [y])]
    if len(xs) == 1:
        return Call("Clone", xs[0])
    return Call("Stack", *(Call("Reshape", Call("Meshgrid", *xs, outputs=[i]), dims=[-1]) for i in range(len(xs))), axis=-1)


def triangle(relation):
    def call(rows, columns, offset=0, dtype=torch.int64, **kwargs):
        i, j = Call("Iota", dtype="i64", axis=0, dims=[rows, 1]), Call("Iota", dtype="i64", axis=1, dims=[1, columns])
        places = Call("Transpose", Call("Nonzero", Call(relation, Call("AddScalar", i, v=float(offset)), j)), perm=[1, 0])
        return converted_to(places, torch.int64, dtype)

    return call


def converted_to(y, dtype, wanted):
    return y if dtype == wanted else Call("Convert", y, dtype=name_of(wanted))


def nonzero_static(x, size, fill_value=-1):
    return Call("Narrow", Call("Concatenate", Call("Nonzero", x), torch.full((size, x.dim()), fill_value), axis=0), axis=0, start=0, length=size)


def unravel_index(indices, shape):
    x, step, all = converted(indices, torch.int64), math.prod(listed(shape)), []
    for n in listed(shape):
        step //= n
        all.append(Call("Remainder", Call("FloorDivide", x, torch.tensor(step)), torch.tensor(n)))
    return each(*all)


# Gathering and scattering.


def masked_index(x, mask, indices, fill):
    y = Call("Index", x, *inside(x, torch.broadcast_tensors(*indices)))
    return Call("Where", mask, y, torch.full((), fill, dtype=x.dtype))


def masked_index_put(x, mask, indices, values):
    if x.dtype == torch.bool:
        raise Skip("dtype bool")
    dims = torch.broadcast_shapes(*(i.shape for i in indices))
    return Call("IndexPut", x, Call("Where", mask, values, torch.zeros((), dtype=x.dtype)), *inside(x, (i.expand(dims) for i in indices)), accumulate=True)


def inside(x, indices):
    """Indices that exist, as those are which the mask leaves out."""
    return [Call("ClampScalar", i, low=0.0, high=float(n - 1)) for i, n in zip(indices, x.shape)]


def extremes(dtype):
    """The numbers that Maximum and Minimum leave others as they are with."""
    if dtype.is_floating_point:
        return -math.inf, math.inf
    info = torch.iinfo(dtype)
    return info.min, info.max


SCATTERS = {"sum": "ScatterAddAlong", "prod": "ScatterMulAlong", "mean": "ScatterAddAlong", "amin": "ScatterMinAlong", "amax": "ScatterMaxAlong"}


def scatter_reduce(x, dim, index, src, reduce, include_self=True):
    """A scatter that combines; without the elements of x there is what changes no other in their place."""
    if index.dim() == 0 and x.dim():
        raise Skip("an index without an axis")
    if x.dtype == torch.bool:
        raise Skip("dtype bool")
    start = x
    if not include_self:
        low, high = extremes(x.dtype)
        identity = {"sum": 0, "mean": 0, "prod": 1, "amin": high, "amax": low}[reduce]
        start = Call("ScatterAlong", x, index, torch.full(index.shape, identity, dtype=x.dtype), axis=dim)
    y = Call(SCATTERS[reduce], start, index, src, axis=dim)
    if reduce != "mean":
        return y
    ones = torch.ones(index.shape, dtype=x.dtype)
    counts = Call("ScatterAddAlong", torch.full(x.shape, int(include_self), dtype=x.dtype), index, ones, axis=dim)
    return Call("Div" if x.is_floating_point() else "FloorDivide", y, Call("ClampScalar", counts, low=1.0, high=math.inf))


def index_reduce(x, dim, index, source, reduce, include_self=True):
    if x.dim() == 0:
        return Call("Reshape", scatter_reduce(x.reshape(1), 0, index, source.reshape(1), reduce, include_self), dims=[])
    along = [1] * x.dim()
    along[dim] = index.numel()
    return scatter_reduce(x, dim, index.reshape(along).expand(source.shape), source, reduce, include_self)


def segment_reduce(x, reduce, lengths=None, offsets=None, axis=0, unsafe=False, initial=None, **kwargs):
    """Segments as scatters into their initial values. Elements behind the last one go to a place that is left out."""
    lengths = lengths if offsets is None else offsets.diff(dim=axis)
    n, segments = x.shape[axis], lengths.shape[axis]
    rows = [torch.repeat_interleave(torch.arange(segments), row) for row in lengths.reshape(-1, segments)]
    of = torch.stack([torch.nn.functional.pad(r, (0, n - len(r)), value=segments) for r in rows]).reshape(*x.shape[: axis + 1])
    of = of.reshape(*of.shape, *[1] * (x.dim() - axis - 1)).expand(x.shape).contiguous()
    start = torch.full([*x.shape[:axis], segments + 1, *x.shape[axis + 1 :]], initial, dtype=x.dtype)
    op = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}[reduce]
    y = Call("Narrow", Call(SCATTERS[op], start, of, x, axis=axis), axis=axis, start=0, length=segments)
    if reduce != "mean":
        return y
    return Call("Div", y, lengths.clamp(min=1).to(x.dtype).reshape(*lengths.shape, *[1] * (x.dim() - axis - 1)))


# Products and losses.


def linear_cross_entropy(x, linear_weight, target, *, linear_bias=None, ignore_index=None, options=None, **kwargs):
    if linear_weight.dim() != 2 or x.dim() > 2:
        raise Skip("more axes than rows and classes")
    y = labels_loss("nn.CrossEntropy")(x, target, ignore_index=-100 if ignore_index is None else ignore_index, **kwargs)
    y.inputs[0] = Call("nn.Linear", x, linear_weight, *given(linear_bias))
    return y


def softmax_backward(ct, y, dim, input_dtype):
    """The gradient of a softmax y along an axis."""
    small = ct.dtype in (torch.float16, torch.bfloat16)
    ct, y = (Call("Convert", t, dtype="f32") if small else t for t in (ct, y))
    products = Call("Mul", ct, y)
    return converted_to(Call("Sub", products, Call("Mul", y, Call("SumKeep", products, axes=[dim]))), torch.float32 if small else input_dtype, input_dtype)


def dropout_backward(ct, mask, scale):
    dtype = ct.dtype if ct.is_floating_point() or ct.is_complex() else torch.float32
    return Call("MulScalar", Call("Mul", converted(ct, dtype), Call("Convert", mask, dtype=name_of(dtype))), v=float(scale))


def triplet_with_distance(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
    if distance_function is not None and not isinstance(distance_function, torch.nn.PairwiseDistance):
        raise Skip("a function of the user")
    return Call("nn.TripletMarginLoss", *same(anchor, positive, negative), margin=margin, p=2.0, epsilon=1e-6, swap=swap, reduction=REDUCED[reduction])


def flash_attention(q, k, v, dropout_p=0.0, is_causal=False, attn_mask=None, scale=None):
    y = attention(q, k, v, attn_mask, dropout_p, is_causal, scale)
    y.outputs = [0]
    return y


def adjoint(x):
    return Call("SwapAxes", Call("Conj", x) if COMPLEX.count(dtype_of(x)) else x, axis1=-2, axis2=-1)


def dtype_of(x):
    return x.dtype if isinstance(x, torch.Tensor) else dtype_of(x.inputs[0])


def ormqr(a, tau, c, left=True, transpose=False):
    """Q with all its columns: a and tau with zeros for reflectors that are not there."""
    m, k = a.shape[-2], tau.shape[-1]
    if a.shape[-1] != k:
        a = Call("Narrow", a, axis=-1, start=0, length=k)
    if k < m:
        a = Call("Concatenate", a, torch.zeros(*c.shape[:-2], m, m - k, dtype=c.dtype), axis=-1)
        tau = Call("Concatenate", tau, torch.zeros(*c.shape[:-2], m - k, dtype=c.dtype), axis=-1)
    q = Call("linalg.HouseholderProduct", a, tau)
    if transpose:
        q = adjoint(q)
    return Call("MatMul", q, c) if left else Call("MatMul", c, q)


def svd(x, some=True, compute_uv=True):
    if not compute_uv:
        raise Skip("option compute_uv")
    u, s, vh = (Call("linalg.SVD", x, full=not some, outputs=[i]) for i in range(3))
    return each(u, s, Call("SwapAxes", Call("Conj", vh) if x.is_complex() else vh, axis1=-2, axis2=-1), processed=True)


def lu_unpack(lu, pivots, unpack_data=True, unpack_pivots=True):
    """L and U; the permutation is that of linalg.LU."""
    if not unpack_data:
        raise Skip("the permutation alone")
    m, n = lu.shape[-2:]
    k = min(m, n)
    lower = Call("Add", Call("Tril", Call("Narrow", lu, axis=-1, start=0, length=k), diagonal=-1), torch.eye(m, k, dtype=lu.dtype))
    upper = Call("Triu", Call("Narrow", lu, axis=-2, start=0, length=k), diagonal=0)
    return each(lower, upper, processed=lambda ys: ys[-2:])


def polar(x):
    """U Vᴴ and V S Vᴴ, which are the same for any signs of singular vectors."""
    u, s, vh = (Call("linalg.SVD", x, full=False, outputs=[i]) for i in range(3))
    v = Call("SwapAxes", Call("Conj", vh) if x.is_complex() else vh, axis1=-2, axis2=-1)
    return each(Call("MatMul", u, vh), Call("MatMul", Call("Mul", v, Call("Unsqueeze", s, axis=-2)), vh))


def matrix_sqrth(x):
    """V √λ Vᴴ, of a Hermitian matrix whose eigenvalues are not negative."""
    values, vectors = (Call("linalg.Eigh", x, upper=False, outputs=[i]) for i in range(2))
    return Call("MatMul", Call("Mul", vectors, Call("Unsqueeze", Call("Sqrt", values), axis=-2)), Call("SwapAxes", Call("Conj", vectors) if x.is_complex() else vectors, axis1=-2, axis2=-1))


# Windows.


def window(op, **options):
    def call(n, *, sym=True, dtype=None, **kwargs):
        more = {k: float(kwargs.get(k, v)) for k, v in options.items()}
        return Call(op, dtype=name_of(dtype or torch.get_default_dtype()), n=n, periodic=not sym, **more)

    return call


def made(of_counts):
    """A window that is computed from 0, 1, 2, … in f64. Its period is one longer if it is periodic."""

    def call(n, *, sym=True, dtype=None, device=None, requires_grad=False, **kwargs):
        if n < 2:
            return Call("Ones", dtype=name_of(dtype or torch.get_default_dtype()), dims=[n])
        counts = Call("ARange", dtype="f64", start=0.0, end=float(n), step=1.0)
        period = max(n - 1 if sym else n, 1)
        return Call("Convert", of_counts(counts, n, period, sym, **kwargs), dtype=name_of(dtype or torch.get_default_dtype()))

    return call


def scaled(x, v, add=0.0):
    return Call("AddScalar", Call("MulScalar", x, v=float(v)), v=float(add))


def cosine(x, n, period, sym):
    return Call("Sin", scaled(x, math.pi / (period + 1), 0.5 * math.pi / (period + 1)))


def exponential(x, n, period, sym, center=None, tau=1.0):
    center = period / 2 if center is None else center
    return Call("Exp", Call("MulScalar", Call("Abs", Call("AddScalar", x, v=-float(center))), v=-1 / tau))


def gaussian(x, n, period, sym, std=1.0):
    return Call("Exp", Call("MulScalar", Call("Square", Call("AddScalar", x, v=-period / 2)), v=-0.5 / std**2))


def cosines(x, n, period, sym, a):
    y = None
    for i, c in enumerate(a):
        term = Call("MulScalar", Call("Cos", Call("MulScalar", x, v=2 * math.pi * i / period)), v=float(c) * (-1) ** i)
        y = term if y is None else Call("Add", y, term)
    return y


def general_hamming(x, n, period, sym, alpha=0.54):
    return cosines(x, n, period, sym, [alpha, 1 - alpha])


def nuttall(x, n, period, sym):
    return cosines(x, n, period, sym, [0.3635819, 0.4891775, 0.1365995, 0.0106411])


def read(call):
    """A function of numbers whose arguments may be scalars: their values are read."""
    plain = lambda v: v.item() if isinstance(v, torch.Tensor) and v.dim() == 0 else v
    return lambda *args, **kwargs: call(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()})


SHAPES = {
    "combinations": combinations, "cartesian_prod": cartesian_prod, "triu_indices": triangle("LessEqual"), "tril_indices": triangle("GreaterEqual"), "unravel_index": unravel_index,
    "linspace.tensor_overload": read(numbers("LinSpace")), "logspace.tensor_overload": read(numbers("LogSpace")), "zero_": lambda x: Call("Zeros", dtype=name_of(x.dtype), dims=list(x.shape)),
    **{f"signal.windows.{n}": window(f"{n.title()}Window") for n in ("hamming", "hann", "bartlett", "blackman")}, "signal.windows.kaiser": window("KaiserWindow", beta=12.0),
    **{f"signal.windows.{n}": made(f) for n, f in {"cosine": cosine, "exponential": exponential, "gaussian": gaussian, "general_cosine": cosines, "general_hamming": general_hamming, "nuttall": nuttall}.items()},
}
INDEXING = {
    "_unsafe_masked_index": masked_index, "_unsafe_masked_index_put_accumulate": masked_index_put, "nonzero_static": nonzero_static, "_segment_reduce.lengths": segment_reduce, "_segment_reduce.offsets": segment_reduce,
    **{f"scatter_reduce.{r}": scatter_reduce for r in ("sum", "prod", "amin", "amax", "mean")}, **{f"index_reduce.{r}": index_reduce for r in ("prod", "amin", "amax", "mean")},
}
MATRICES = {"ormqr": ormqr, "svd": svd, "lu_unpack": lu_unpack, "linalg.matrix_sqrth": matrix_sqrth, "linalg.polar": polar, "bmm.triton_optimized": matmul}
NETWORKS = {
    "nn.functional.linear_cross_entropy": linear_cross_entropy, "nn.functional.triplet_margin_with_distance_loss": triplet_with_distance,
    "_softmax_backward_data": softmax_backward, "native_dropout_backward": dropout_backward,
    "torch.ops.aten._scaled_dot_product_flash_attention_for_cpu": flash_attention,
}
