"""Calls that arrange elements, and that make tensors. See samples.py."""

import torch

from calls import Call, Skip, each, element, flat, listed, name_of, number, only, unpacked
from reductions import dims_of


def clone(x, *args, **kwargs):
    return Call("Clone", x)


def transpose(x, a, b):
    if x.dim() == 0:
        return Call("Clone", x)
    return Call("SwapAxes", x, axis1=a, axis2=b)


def permute(x, *dims, **kwargs):
    dims = kwargs.get("dims", dims)
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return Call("Transpose", x, perm=[d % max(x.dim(), 1) for d in dims])


def movedim(x, source, destination):
    if isinstance(source, int) and x.dim():
        return Call("MoveAxis", x, **{"from": source, "to": destination})
    source, destination = [d % max(x.dim(), 1) for d in listed(source)], [d % max(x.dim(), 1) for d in listed(destination)]
    if x.dim() == 0:
        return Call("Clone", x)
    places = dict(zip(destination, source))
    others = iter(d for d in range(x.dim()) if d not in source)
    return Call("Transpose", x, perm=[places[d] if d in places else next(others) for d in range(x.dim())])


def matrix_transpose(x):
    return Call("SwapAxes", x, axis1=-2, axis2=-1)


def adjoint(x):
    y = Call("Conj", x) if x.is_complex() else x
    return matrix_transpose(y) if x.dim() else y if y is not x else Call("Clone", x)


def shape(op, attr):
    def call(x, *dims, **kwargs):
        only(kwargs)
        dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
        if isinstance(dims, torch.Tensor):
            dims = dims.shape
        return Call(op, x, **{attr: list(dims)})

    return call


def expand(x, *dims):
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    if isinstance(dims, torch.Tensor):
        dims = dims.shape
    dims = list(dims)
    for i in range(1, x.dim() + 1):
        if dims[-i] == -1:
            dims[-i] = x.shape[-i]
    return Call("BroadcastTo", x, dims=dims)


def cat(tensors, dim=0, **kwargs):
    tensors = [t for t in tensors if not (t.dim() == 1 and t.numel() == 0)] or tensors[:1]
    return Call("Concatenate", *tensors, axis=dim)


def several(op):
    """A function of a list of tensors, or of tensors one by one."""

    def call(xs, *more):
        return Call(op, *(xs if isinstance(xs, (list, tuple)) else [xs, *more]))

    return call


def meshgrid(xs, *more, indexing="ij"):
    all = xs if isinstance(xs, (list, tuple)) else [xs, *more]
    if indexing == "xy" and len(all) > 1:
        return each(*(Call("SwapAxes", Call("Meshgrid", *all, outputs=[i]), axis1=0, axis2=1) for i in range(len(all))))
    return several("Meshgrid")(xs, *more)


def at_least(op):
    def call(x, *more):
        if more or not isinstance(x, torch.Tensor):
            return each(*(Call(op, y) for y in ([x, *more] if isinstance(x, torch.Tensor) else x)))
        return Call(op, x)

    return call


def flip(x, *dims, **kwargs):
    dims = kwargs.get("dims", dims)
    dims = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return Call("Reverse", x, axes=list(dims)) if dims else Call("Clone", x)


def squeeze(x, *dim, **kwargs):
    dim = dim[0] if dim else kwargs.get("dim")
    dims = dims_of(x, dim) if dim is not None else [i for i, n in enumerate(x.shape) if n == 1]
    dims = [d for d in dims if x.dim() and x.shape[d] == 1]
    return Call("Squeeze", x, axes=dims) if dims else Call("Clone", x)


def unsqueeze(x, dim):
    return Call("Unsqueeze", x, axis=dim)


def diagonal(x, offset=0, dim1=0, dim2=1):
    return Call("Diagonal", x, offset=offset, axis1=dim1, axis2=dim2)


def diagflat(x, offset=0):
    return Call("Diag", flat(x), offset=offset)


def whole(x):
    """Refuses views of memory that the tensor does not hold."""
    if not x.is_contiguous() or x.storage_offset() or x.untyped_storage().nbytes() != x.numel() * x.element_size():
        raise Skip("a view of memory that the tensor has no part of")


def as_strided(x, size, stride, storage_offset=0):
    whole(x)
    return Call("AsStrided", x, sizes=list(size), strides=list(stride), offset=storage_offset or 0)


def as_strided_scatter(x, src, size, stride, storage_offset=0):
    whole(x)
    y = Call("AsStridedScatter", x, src, strides=list(stride), offset=storage_offset or 0)
    y.differentiable = False  # PyTorch's gradient for x has the replaced elements, and 0 for those that stay
    return y


def chunk(x, chunks, dim=0):
    return Call("Chunk", x, axis=dim, n=chunks)


def split(x, size, dim=0):
    return Call("Split", x, axis=dim, size=size) if isinstance(size, int) else Call("SplitSizes", x, axis=dim, sizes=list(size))


def tensor_split(x, parts, dim=0):
    if isinstance(parts, torch.Tensor):
        parts = parts.tolist()
    if isinstance(parts, int):
        return Call("TensorSplit", x, axis=dim, n=parts)
    ends = [min(max(p + x.shape[dim] if p < 0 else p, 0), x.shape[dim]) for p in parts] + [x.shape[dim]]
    sizes = [b - a for a, b in zip([0, *ends], ends)]
    if min(sizes) < 0:
        raise Skip("places that do not rise")
    return Call("SplitSizes", x, axis=dim, sizes=sizes)


def split_along(dim):
    return lambda x, parts: tensor_split(x, parts, 0 if dim == 1 and x.dim() == 1 else dim)


def unbind(x, dim=0):
    return Call("Unbind", x, axis=dim)


def narrow(x, dim, start, length):
    return Call("Narrow", x, axis=dim, start=int(start), length=length)


def bounds(x, dim, start, end, step):
    """Starts, limits and strides of all axes, as a slice of Python has them for one."""
    starts, limits, strides = [0] * x.dim(), list(x.shape), [1] * x.dim()
    starts[dim], limits[dim], strides[dim] = slice(start, end, step).indices(x.shape[dim])
    limits[dim] = max(starts[dim], limits[dim])
    return starts, limits, strides


def sliced(x, dim=0, start=None, end=None, step=1):
    starts, limits, strides = bounds(x, dim, start, end, step)
    return Call("Slice", x, starts=starts, limits=limits, strides=strides)


def slice_scatter(x, src, dim=0, start=None, end=None, step=1):
    starts, _, strides = bounds(x, dim, start, end, step)
    return Call("SliceScatter", x, src, starts=starts, strides=strides)


def flatten(x, start_dim=0, end_dim=-1):
    return Call("Flatten", x, first=start_dim, last=end_dim)


def unflatten(x, dim, sizes):
    return Call("Unflatten", x, axis=dim, dims=list(sizes))


def tile(x, *dims):
    return Call("Tile", x, repeats=unpacked(dims))


def repeat_interleave(x, repeats, dim=None, output_size=None):
    if isinstance(repeats, torch.Tensor):
        raise Skip("repeats that are a tensor")
    return Call("RepeatInterleave", flat(x) if dim is None else x, repeats=repeats, axis=dim or 0)


def roll(x, shifts, dims=()):
    return Call("Roll", x, shifts=listed(shifts), axes=listed(dims))


def rot90(x, k=1, dims=(0, 1)):
    return Call("Rot90", x, k=k, axis1=dims[0], axis2=dims[1])


def pad(x, pad, mode="constant", value=None):
    if mode == "constant" and value:
        if isinstance(value, complex):
            raise Skip("complex numbers")
        element(value, x.dtype)
        return Call("nn.PadValue", x, padding=list(pad), value=float(value))
    return Call("nn.Pad", x, padding=list(pad), mode=mode)


def full(size, value, dtype=None, **kwargs):
    if isinstance(value, complex):
        raise Skip("complex numbers")
    dtype = dtype or torch.tensor(value).dtype
    element(value, dtype)
    return Call("Full", dtype=name_of(dtype), x=float(value), dims=listed(size))


def filled(op):
    """Zeros or ones of a size."""

    def call(*size, dtype=None, **kwargs):
        return Call(op, dtype=name_of(dtype or torch.get_default_dtype()), dims=unpacked(size))

    return call


def new_filled(op):
    return lambda x, *size, dtype=None, **kwargs: filled(op)(*size, dtype=dtype or x.dtype)


def filled_like(op):
    return lambda x, dtype=None, **kwargs: filled(op)(list(x.shape), dtype=dtype or x.dtype)


def eye(n, m=None, dtype=None, **kwargs):
    return Call("Eye", dtype=name_of(dtype or torch.get_default_dtype()), rows=n, columns=n if m is None else m)


def arange(*args, end=None, dtype=None, **kwargs):
    args = args if end is None else (*args, end)
    start, end, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    if not all(number(v) for v in (start, end, step)) or dtype is None and any(isinstance(v, float) for v in (start, end, step)):
        raise Skip("further arguments")
    return Call("ARange", dtype=name_of(dtype or torch.int64), start=float(start), end=float(end), step=float(step))


def numbers(op):
    """Numbers between two, equally far apart, or the powers of a base by them."""

    def call(start, end, steps, base=10.0, dtype=None, **kwargs):
        if not number(start) or not number(end):
            raise Skip("ends that are no numbers of Go")
        more = {"base": float(base)} if op == "LogSpace" else {}
        return Call(op, dtype=name_of(dtype or torch.get_default_dtype()), start=float(start), end=float(end), n=steps, **more)

    return call


def fill(x, value):
    if not number(value):
        raise Skip("a tensor for a number")
    return full(list(x.shape), value, dtype=x.dtype)


CALLS = {
    "transpose": transpose, "transpose_copy": transpose, "permute": permute, "permute_copy": permute, "movedim": movedim,
    "t": lambda x: Call("Transpose", x) if x.dim() == 2 else Call("Clone", x), "t_copy": lambda x: Call("Transpose", x) if x.dim() == 2 else Call("Clone", x),
    "T": lambda x: Call("Transpose", x), "mT": matrix_transpose, "H": adjoint, "mH": adjoint,
    **{n: shape("Reshape", "dims") for n in ("reshape", "reshape_as", "view", "view_as", "view_copy")}, "ravel": lambda x: Call("Reshape", x, dims=[x.numel()]),
    "expand": expand, "expand_as": expand, "expand_copy": expand, "broadcast_to": expand, "flatten": flatten, "unflatten": unflatten,
    "cat": cat, "stack": lambda xs, dim=0: Call("Stack", *xs, axis=dim), "hstack": several("HStack"), "vstack": several("VStack"), "dstack": several("DStack"), "column_stack": several("ColumnStack"),
    "block_diag": several("BlockDiag"), "broadcast_tensors": several("BroadcastTensors"), "meshgrid.variadic_tensors": meshgrid, "meshgrid.list_of_tensors": meshgrid,
    "atleast_1d": at_least("AtLeast1D"), "atleast_2d": at_least("AtLeast2D"), "atleast_3d": at_least("AtLeast3D"),
    "flip": flip, "fliplr": lambda x: Call("Reverse", x, axes=[1]), "flipud": lambda x: Call("Reverse", x, axes=[0]), "roll": roll, "rot90": rot90,
    "squeeze": squeeze, "squeeze.multiple": squeeze, "squeeze_copy": squeeze, "unsqueeze": unsqueeze, "unsqueeze_copy": unsqueeze,
    "narrow": narrow, "narrow_copy": narrow, "slice": sliced, "slice_scatter": slice_scatter, "unfold": lambda x, dim, size, step: Call("Unfold", x, axis=dim, size=size, step=step),
    "unfold_copy": lambda x, dim, size, step: Call("Unfold", x, axis=dim, size=size, step=step),
    "chunk": chunk, "unsafe_chunk": chunk, "split": split, "split.list_args": split, "unsafe_split": split, "split_with_sizes": split, "split_with_sizes_copy": split,
    "tensor_split": tensor_split, "hsplit": split_along(1), "vsplit": split_along(0), "dsplit": split_along(2), "unbind": unbind, "unbind_copy": unbind,
    "diag": lambda x, diagonal=0: Call("Diag", x, offset=diagonal), "diag_embed": lambda x, offset=0, dim1=-2, dim2=-1: Call("DiagEmbed", x, offset=offset, axis1=dim1, axis2=dim2), "diagflat": diagflat,
    "diagonal": diagonal, "diagonal_copy": diagonal, "linalg.diagonal": lambda x, offset=0, dim1=-2, dim2=-1: diagonal(x, offset, dim1, dim2),
    "diagonal_scatter": lambda x, src, offset=0, dim1=0, dim2=1: Call("DiagonalScatter", x, src, offset=offset, axis1=dim1, axis2=dim2),
    "tril": lambda x, diagonal=0: Call("Tril", x, diagonal=diagonal), "triu": lambda x, diagonal=0: Call("Triu", x, diagonal=diagonal),
    "as_strided": as_strided, "as_strided.partial_views": as_strided, "as_strided_copy": as_strided, "as_strided_scatter": as_strided_scatter,
    "repeat": tile, "tile": tile, "repeat_interleave": repeat_interleave,
    "constant_pad_nd": lambda x, padding, value=0: pad(x, padding, "constant", value), **{f"nn.functional.pad.{m}": pad for m in ("constant", "reflect", "replicate", "replicate_negative", "circular")},
    "zeros": filled("Zeros"), "ones": filled("Ones"), "full": full, "new_zeros": new_filled("Zeros"), "new_ones": new_filled("Ones"), "new_full": lambda x, size, value, dtype=None, **kwargs: full(size, value, dtype or x.dtype),
    "zeros_like": filled_like("Zeros"), "ones_like": filled_like("Ones"), "full_like": lambda x, value, dtype=None, **kwargs: full(list(x.shape), value, dtype or x.dtype),
    "scalar_tensor": lambda value, dtype=None, **kwargs: full([], value, dtype or torch.get_default_dtype()), "fill": fill, "eye": eye, "arange": arange, "linspace": numbers("LinSpace"), "logspace": numbers("LogSpace"),
}
