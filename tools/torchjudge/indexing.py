"""Calls that select, gather and scatter elements. See samples.py."""

import torch

from calls import Call, Skip, flat, number, only, times
from shapes import bounds, sliced


def masked_scatter(x, mask, source):
    dims = torch.broadcast_shapes(mask.shape, x.shape)
    if dims != x.shape:
        x = Call("BroadcastTo", x, dims=list(dims))
    return Call("MaskedScatter", x, mask, source)


def with_axis(x, index):
    if index.dim() == 0 and x.dim():
        raise Skip("an index without an axis")
    return index


def index_add(x, dim, index, source, alpha=1):
    return Call("IndexAdd", x, with_axis(x, index), times(source, alpha, source.dtype), axis=dim)


def indexed(op):
    def call(x, dim, index, *more, **kwargs):
        return Call(op, x, with_axis(x, index), *more, axis=dim)

    return call


def index_fill(x, dim, index, value):
    if isinstance(value, torch.Tensor):
        value = value.item()  # a number here
    if not number(value):
        raise Skip("complex numbers")
    return Call("IndexFill", x, with_axis(x, index), axis=dim, v=float(value))


def take_along_dim(x, indices, dim=None):
    return Call("TakeAlong", flat(x), flat(indices), axis=0) if dim is None else Call("TakeAlong", x, indices, axis=dim)


def scatter(op):
    with_reduce = {None: op, "add": "ScatterAddAlong", "multiply": "ScatterMulAlong"}

    def call(x, dim, index, src=None, reduce=None, **kwargs):
        src = kwargs.pop("value", src)
        only(kwargs)
        if isinstance(src, complex):
            raise Skip("complex numbers")
        if not isinstance(src, torch.Tensor):
            src = torch.full(index.shape, src, dtype=x.dtype)
        return Call(with_reduce[reduce], x, with_axis(x, index), src, axis=dim)

    return call


def one_hot(x, num_classes=-1):
    if num_classes < 0 and x.numel() == 0:
        raise Skip("classes counted from no data")
    return Call("OneHot", x, classes=num_classes if num_classes >= 0 else int(x.max()) + 1, dtype="i64")


def put(x, index, source, accumulate=False):
    if accumulate and x.dtype == torch.bool:
        raise Skip("dtype bool")
    return Call("Put", x, index, source, accumulate=accumulate)


def index_put(x, indices, values, accumulate=False):
    if accumulate and x.dtype == torch.bool:
        raise Skip("dtype bool")
    return Call("IndexPut", x, values, *indices_of(indices), accumulate=accumulate)


def indices_of(indices):
    """Indices of the first axes, as tensors."""
    all = list(indices)
    while all and (all[-1] is Ellipsis or isinstance(all[-1], slice) and all[-1] == slice(None)):
        all.pop()
    if not all or any(isinstance(i, (slice, int)) or i is None or i is Ellipsis for i in all):
        raise Skip("indices of several kinds")
    return [i if isinstance(i, torch.Tensor) else torch.tensor(i) for i in all]


def getitem(x, index):
    if isinstance(index, slice):
        return sliced(x, 0, index.start, index.stop, index.step)
    if isinstance(index, int):
        return Call("Select", x, axis=0, index=index)
    if isinstance(index, list):
        index = (index,)
    if isinstance(index, tuple) and any(isinstance(i, (slice, int)) for i in index) and sum(isinstance(i, (list, torch.Tensor)) for i in index) < 2:
        return along_axes(x, index)
    indices = indices_of(index if isinstance(index, tuple) else (index,))
    return Call("Index", x, *indices, counted=any(i.dtype == torch.bool for i in indices))


def along_axes(x, index):
    """An index for each axis, of which one at most is a list: axis by axis, from the last."""
    y, shape = x, list(x.shape)
    for d in reversed(range(len(index))):
        i = index[d]
        if isinstance(i, slice):
            starts, limits, strides = bounds(torch.empty(shape), d, i.start, i.stop, i.step)
            y = Call("Slice", y, starts=starts, limits=limits, strides=strides)
            shape[d] = len(range(*i.indices(shape[d])))
        elif isinstance(i, int):
            y = Call("Select", y, axis=d, index=i)
            del shape[d]
        elif isinstance(i, list) or i is not Ellipsis and i.dtype != torch.bool:
            y = Call("IndexSelect", y, torch.as_tensor(i), axis=d)
            shape[d] = len(i)
        elif i is not Ellipsis or d < len(index) - 1:
            raise Skip("indices of several kinds")
    return y


CALLS = {
    "index_select": indexed("IndexSelect"), "index_add": index_add, "index_copy": indexed("IndexCopy"), "index_fill": index_fill, "index_put": index_put, "__getitem__": getitem,
    "gather": lambda x, dim, index, **kwargs: Call("GatherAlong", x, with_axis(x, index), axis=dim), "take_along_dim": take_along_dim,
    "take": lambda x, index: Call("Take", x, index), "put": put, "select": lambda x, dim, index: Call("Select", x, axis=dim, index=index),
    "select_scatter": lambda x, src, dim, index: Call("SelectScatter", x, src, axis=dim, index=index),
    "scatter": scatter("ScatterAlong"), "scatter_add": scatter("ScatterAddAlong"),
    "masked_scatter": masked_scatter, "masked_select": lambda x, mask: Call("MaskedSelect", x, mask, counted=True),
    "nn.functional.one_hot": one_hot,
}
