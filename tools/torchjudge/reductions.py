"""Calls of reductions, scans, sorting and counting. See samples.py."""

import torch

from calls import Call, Skip, converted, each, flat, given, number, only, summed


def dims_of(x, dim):
    if dim is None:
        return []
    return [dim] if isinstance(dim, int) else list(dim)


def reduction(op, keep=None):
    def call(x, dim=None, keepdim=False, dtype=None, **kwargs):
        if isinstance(dim, bool):
            raise Skip("further arguments")
        only(kwargs)
        if keepdim and keep is None:
            raise Skip("option keepdim")
        return summed(keep if keepdim else op, x, dtype, axes=dims_of(x, dim))

    return call


def along(op):
    def call(x, dim=None, *args, dtype=None, **kwargs):
        only(kwargs)
        if args or dim is None or not isinstance(dim, int) or isinstance(dim, bool):
            raise Skip("further arguments, or no axis")
        return summed(op, x, dtype, axis=dim)

    return call


def moments(op, keep):
    """Variances and deviations, whose correction is 1 where none is given."""

    def call(x, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        c = correction if correction is not None else 1 if unbiased is None else int(unbiased)
        if keepdim and keep is None:  # the mean is kept beside it
            return each(Call(op.replace("Mean", "Keep"), x, correction=float(c), axes=dims_of(x, dim)), Call("MeanKeep", x, axes=dims_of(x, dim)))
        return Call(keep if keepdim else op, x, correction=float(c), axes=dims_of(x, dim))

    return call


def extreme(op):
    def call(x, dim, keepdim=False):
        return Call(op + "Keep" if keepdim else op, x, axis=dim)

    return call


def arg_extreme(op):
    def call(x, dim=None, keepdim=False):
        if dim is not None:
            return Call(op + "Keep" if keepdim else op, x, axis=dim)
        y = Call(op, flat(x), axis=0)
        return Call("Reshape", y, dims=[1] * x.dim()) if keepdim else y

    return call


def ranked(op):
    """Values with their places along one axis: modes and medians."""

    def call(x, dim=-1, keepdim=False):
        return kept(keepdim, x, op, axis=dim)

    return call


def kept(keepdim, x, op, axis, **attrs):
    """Values and their places, whose axis stays if it is to."""
    if not keepdim or x.dim() == 0:
        return Call(op, x, axis=axis, outputs=places_of(x), **attrs)
    return each(*(Call("Unsqueeze", Call(op, x, axis=axis, outputs=[i], **attrs), axis=axis) for i in range(places_of(x) or 2)), outputs=places_of(x))


def places_of(x):
    """Which results are compared: no places of equal elements, as one of several is given."""
    return None if x.unique().numel() == x.numel() else 1


def median(x, dim=None, keepdim=False):
    return ranked("Median")(x, dim, keepdim) if dim is not None else Call("Median", flat(x), axis=0, outputs=1)


def kthvalue(x, k, dim=-1, keepdim=False):
    return kept(keepdim, x, "KthValue", axis=dim, k=k)


def aminmax(x, dim=None, keepdim=False):
    if keepdim:
        return each(Call("MinKeep", x, axes=dims_of(x, dim)), Call("MaxKeep", x, axes=dims_of(x, dim)))
    return Call("AMinMax", x, axes=dims_of(x, dim))


def norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    return Call("NormKeep" if keepdim else "Norm", converted(x, dtype), p=float(ord), axes=dims_of(x, dim))


def old_norm(x, p="fro", dim=None, keepdim=False, dtype=None):
    """torch.norm, which takes all axes unless it is told."""
    if p == "nuc":
        if keepdim or dim is not None and [d % x.dim() for d in dims_of(x, dim)] != [x.dim() - 2, x.dim() - 1] or x.dim() != 2 and dim is None:
            raise Skip("nuclear norms of other axes than the last two, or option keepdim")
        return Call("linalg.NuclearNorm", x)
    return norm(x, 2 if p in ("fro", None) else p, dim, keepdim, dtype)


def sort(x, dim=-1, descending=False, stable=None):
    if x.dtype == torch.bool:
        values, places = (Call("Sort", as_numbers(x), axis=dim, descending=bool(descending), outputs=[i]) for i in range(2))
        return each(Call("Convert", values, dtype="bool"), places) if stable else each(Call("Convert", values, dtype="bool"), outputs=1)
    return Call("Sort", x, axis=dim, descending=bool(descending), outputs=None if stable else 1)


def as_numbers(x):
    """Bools as numbers, which have an order here."""
    return Call("Convert", x, dtype="u8") if x.dtype == torch.bool else x


def argsort(x, dim=-1, descending=False, stable=False):
    if not stable and x.unique().numel() < x.numel():
        raise Skip("an order of equal elements that is not defined")
    x = as_numbers(x)
    return Call("Sort", x, axis=dim, descending=True, outputs=[1]) if descending else Call("ArgSort", x, axis=dim)


def msort(x):
    return each(Call("Convert", Call("Sort", as_numbers(x), axis=0, descending=False), dtype="bool")) if x.dtype == torch.bool else Call("Sort", x, axis=0, descending=False, outputs=1)


def topk(x, k, dim=-1, largest=True, sorted=True):
    if not largest:
        return Call("Narrow", Call("Sort", x, axis=dim, descending=False), axis=dim, start=0, length=k, outputs=1) if x.dim() else Call("Clone", x, outputs=1)
    return Call("TopK", x, k=k, axis=dim, outputs=1)


def unique(x, sorted=True, return_inverse=False, return_counts=False, dim=None):
    outputs = [0] + [1] * return_inverse + [2] * return_counts
    op, attrs = ("UniqueAll", {}) if dim is None else ("UniqueAlong", {"axis": dim})
    if x.dtype == torch.bool:
        values, *others = (Call(op, as_numbers(x), outputs=[i], **attrs) for i in outputs)
        y = each(Call("Convert", values, dtype="bool"), *others)
    else:
        y = Call(op, x, outputs=outputs, counted=True, **attrs) if len(outputs) > 1 or dim is not None else Call("Unique", x, counted=True)
    if not sorted and dim is None:
        results = ["values", *["inverse"] * return_inverse, *["counts"] * return_counts]
        y.processed = lambda ys: in_order(dict(zip(results, ys if isinstance(ys, tuple) else [ys])))
    return y


def in_order(results):
    """Values in their order, which PyTorch may leave open, with what belongs to them."""
    values = results["values"]
    order = values.argsort()
    all = [values[order]]
    if "inverse" in results:
        all.append(order.argsort()[results["inverse"]])
    if "counts" in results:
        all.append(results["counts"][order])
    return tuple(all)


def nonzero(x, as_tuple=False):
    if as_tuple:
        return each(*(Call("Select", Call("Nonzero", flat(x) if x.dim() == 0 else x), axis=1, index=i) for i in range(max(x.dim(), 1))))
    return Call("Nonzero", x)


def bincount(x, weights=None, minlength=0):
    bins = max(minlength, int(x.max()) + 1 if x.numel() else 0)  # who calls it here knows them
    return Call("Bincount", x, *given(weights), bins=bins)


def narrowed(indices, out_int32):
    return Call("Convert", indices, dtype="i32") if out_int32 else indices


def searchsorted(boundaries, x, out_int32=False, right=False, side=None, sorter=None):
    if number(x):
        x = torch.tensor(x, dtype=boundaries.dtype)
    if sorter is not None:
        boundaries = Call("GatherAlong", boundaries, sorter, axis=-1)
    return narrowed(Call("SearchSorted", boundaries, x, right=right or side == "right"), out_int32)


def bucketize(x, boundaries, out_int32=False, right=False):
    if number(x):
        x = torch.tensor(x, dtype=boundaries.dtype)
    return narrowed(Call("Bucketize", x, boundaries, right=right), out_int32)


def softmax(op):
    plain = along(op)
    return lambda x, dim=None, dtype=None, **kwargs: plain(x, dim, dtype=dtype)


def spaced(x, dx, size, axis):
    """The distances between samples along an axis: those of x, or dx."""
    if x is None:
        return dx
    if x.dim() == 1 and axis not in (-1,) or x.dim() > 1 and x.shape[axis] != size:
        raise Skip("places that are no row of the last axis")
    return Call("Sub", Call("Narrow", x, axis=axis, start=1, length=size - 1), Call("Narrow", x, axis=axis, start=0, length=size - 1))


def trapezoids(then):
    """The areas between samples, added up."""

    def call(y, x=None, dx=1, dim=-1):
        n, axis = y.shape[dim], dim - y.dim() if dim >= 0 else dim
        if n == 0:
            raise Skip("no samples")
        width = spaced(x, dx, n, axis)
        sums = Call("Add", Call("Narrow", y, axis=dim, start=1, length=n - 1), Call("Narrow", y, axis=dim, start=0, length=n - 1))
        areas, half = (sums, width / 2) if number(width) else (Call("Mul", sums, width), 0.5)
        if not y.is_floating_point() and not y.is_complex():
            areas = Call("Convert", areas, dtype="f32")
        areas = Call("MulScalar", areas, v=half)
        return Call("Sum", areas, axes=[dim]) if then == "Sum" else Call(then, areas, axis=dim)

    return call


def diff(x, n=1, dim=-1, prepend=None, append=None):
    parts = given(prepend, x, append)
    y, size = Call("Concatenate", *parts, axis=dim) if len(parts) > 1 else x, sum(t.shape[dim] for t in parts)
    if n == 0:
        return Call("Clone", x)
    for _ in range(min(n, size)):
        size -= 1
        y = Call("NotEqual" if x.dtype == torch.bool else "Sub", Call("Narrow", y, axis=dim, start=1, length=size), Call("Narrow", y, axis=dim, start=0, length=size))
    return y


def distance(x, y, p=2):
    return Call("Norm", Call("Sub", x, y), p=float(p), axes=[])


def centered(x):
    """Rows less their means."""
    return Call("Sub", rows_of(x), Call("MeanKeep", rows_of(x), axes=[1]))


def rows_of(x):
    """x as rows of floating-point numbers."""
    y = x if x.is_floating_point() or x.is_complex() else Call("Convert", x, dtype="f32")
    return y if x.dim() == 2 else Call("Reshape", y, dims=[1, x.numel()])


def with_itself(x, rows):
    """The products of rows with each other."""
    return Call("MatMul", rows, Call("Transpose", Call("Conj", rows) if x.is_complex() else rows, perm=[1, 0]))


def cov(x, correction=1, fweights=None, aweights=None):
    n = x.shape[-1] if x.dim() else 1
    if fweights is None and aweights is None:
        if n <= correction:
            raise Skip("no degrees of freedom")
        return single(x, Call("MulScalar", with_itself(x, centered(x)), v=1 / (n - correction)))
    real = x.real.dtype if x.is_floating_point() or x.is_complex() else torch.float32
    weights = [converted(w, w.dtype if w.is_floating_point() else real) for w in given(fweights, aweights)]
    w = weights[0] if len(weights) == 1 else Call("Mul", *weights)
    total = Call("Sum", w, axes=[])
    rows = rows_of(x)
    means = Call("Div", Call("SumKeep", Call("Mul", rows, w), axes=[1]), total)
    if aweights is None:
        free = Call("AddScalar", total, v=-float(correction))
    else:
        free = Call("Sub", total, Call("MulScalar", Call("Div", Call("Sum", Call("Mul", w, aweights), axes=[]), total), v=float(correction)))
    rows = Call("Sub", rows, means)
    other = Call("Mul", rows, w)
    y = Call("MatMul", rows, Call("Transpose", Call("Conj", other) if x.is_complex() else other, perm=[1, 0]))
    return single(x, Call("Div", y, Call("ClampScalar", free, low=0.0, high=float("inf"))))


def single(x, y):
    """The result for rows, which is a scalar for one."""
    return Call("Reshape", y, dims=[]) if x.dim() < 2 or x.shape[0] == 1 else y


def corrcoef(x):
    rows = centered(x)
    return single(x, with_itself(x, Call("Div", rows, Call("NormKeep", rows, p=2.0, axes=[1]))))


def sum_to_size(x, *shape):
    shape = list(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else list(shape)
    if shape == list(x.shape) and shape:
        return Call("Clone", x)
    if len(shape) == x.dim():
        return Call("SumKeep", x, axes=[i for i, (n, m) in enumerate(zip(x.shape, shape)) if n != m])
    more = x.dim() - len(shape)
    if shape != list(x.shape[more:]):
        raise Skip("axes that stay beside others that go")
    return Call("Sum", x, axes=list(range(more)))


CALLS = {
    "sum": reduction("Sum", "SumKeep"), "mean": reduction("Mean", "MeanKeep"), "amax": reduction("Max", "MaxKeep"), "amin": reduction("Min", "MinKeep"), "max.reduction_no_dim": reduction("Max"), "min.reduction_no_dim": reduction("Min"),
    "prod": reduction("Prod", "ProdKeep"), "logsumexp": reduction("LogSumExp", "LogSumExpKeep"), "all": reduction("All", "AllKeep"), "any": reduction("Any", "AnyKeep"), "sum_to_size": sum_to_size,
    "argmax": arg_extreme("ArgMax"), "argmin": arg_extreme("ArgMin"), "sort": sort, "argsort": argsort, "msort": msort, "topk": topk, "aminmax": aminmax,
    "kthvalue": kthvalue, "median": median, "mode": ranked("Mode"),
    "var": moments("Var", "VarKeep"), "std": moments("Std", "StdKeep"), "var.unbiased": moments("Var", "VarKeep"), "std.unbiased": moments("Std", "StdKeep"),
    "var_mean": moments("VarMean", None), "std_mean": moments("StdMean", None), "var_mean.unbiased": moments("VarMean", None), "std_mean.unbiased": moments("StdMean", None),
    "max.reduction_with_dim": extreme("MaxWithIndices"), "min.reduction_with_dim": extreme("MinWithIndices"),
    "linalg.vector_norm": norm, "norm": old_norm, "norm.fro": old_norm, "norm.nuc": old_norm, "norm.inf": old_norm,
    "count_nonzero": reduction("CountNonzero"), "nansum": reduction("NaNSum", "NaNSumKeep"), "nanmean": reduction("NaNMean", "NaNMeanKeep"),
    "cumsum": along("CumSum"), "cumprod": along("CumProd"), "cummax": along("CumMax"), "cummin": along("CumMin"), "logcumsumexp": along("LogCumSumExp"),
    "softmax": softmax("Softmax"), "log_softmax": softmax("LogSoftmax"), "softmax.with_dtype": softmax("Softmax"), "log_softmax.with_dtype": softmax("LogSoftmax"),
    "nonzero": nonzero, "argwhere": nonzero, "unique": unique, "bincount": bincount, "searchsorted": searchsorted, "bucketize": bucketize,
    "trapezoid": trapezoids("Sum"), "trapz": trapezoids("Sum"), "cumulative_trapezoid": trapezoids("CumSum"), "diff": diff, "dist": distance, "cov": cov, "corrcoef": corrcoef,
}
