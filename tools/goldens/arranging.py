"""Goldens of ops that arrange, select and scatter elements, that ops.py does not have."""

import itertools

import torch

from cases import *  # noqa: F403: the vocabulary of this table


def index(shape, below, dtype="i64", low=0):
    return lambda m, d: m.tensor(dtype, shape, low, below - 1)


def given(values, dtype="i64"):
    return lambda m, d: torch.tensor(values, dtype=DTYPES[dtype])


def mask(shape):
    return lambda m, d: m.tensor("bool", shape)


def few(shape):
    """Small integers, some of which are equal."""
    return lambda m, d: m.tensor(d, shape, -2, 2).round() if d in FLOATS else m.tensor(d, shape, -2, 2)


def rising(shape):
    return lambda m, d: m.tensor(d, shape).sort(-1).values


WINDOWS = [{"dtype": d, "n": n, "periodic": p} for d, n, p in [("f32", 7, False), ("f32", 8, True), ("f32", 1, False), ("f32", 0, True), ("f64", 7, True), ("f16", 7, False), ("bf16", 7, False)]]


def put(x, values, *indices, accumulate=False):
    return x.index_put(indices, values, accumulate)


def dynamic(x, *starts, sizes):
    begin = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, sizes)]
    return x[tuple(slice(b, b + k) for b, k in zip(begin, sizes))]


def updated(x, update, *starts):
    begin = [min(max(int(s), 0), n - k) for s, n, k in zip(starts, x.shape, update.shape)]
    y = x.clone()
    y[tuple(slice(b, b + k) for b, k in zip(begin, update.shape))] = update
    return y


def padded(x, value, low, high, interior):
    """Padding with places between elements."""
    sizes = [a + b + n + max(n - 1, 0) * i for n, a, b, i in zip(x.shape, low, high, interior)]
    y = value.expand(sizes).clone()
    y[tuple(slice(a, a + n + max(n - 1, 0) * i, i + 1) for n, a, i in zip(x.shape, low, interior))] = x
    return y


def strided(x, update, strides, offset):
    """as_strided_scatter, whose gradient for x is 0 in PyTorch where nothing was replaced, too."""
    places = torch.arange(x.numel()).as_strided(update.shape, strides, offset).reshape(-1)
    return x.reshape(-1).index_put((places,), update.reshape(-1)).reshape(x.shape)


SEVERAL = [
    # op, function, tensors, options
    ("AsStrided", lambda x, sizes, strides, offset: x.contiguous().as_strided(sizes, strides, offset), [(3, 4)], dict(attrs=[{"sizes": [2, 3], "strides": [4, 1], "offset": 1}, {"sizes": [3, 3], "strides": [2, 1], "offset": 0}], dtypes=NUMBERS + ["bool"], strided=False)),
    ("AsStridedScatter", strided, [(3, 4), (2, 2)], dict(attrs=[{"strides": [4, 1], "offset": 1}], dtypes=NUMBERS, strided=False)),
    ("BitCast", lambda x, dtype: x.view(torch.int32), [(3, 4)], dict(attrs=[{"dtype": "i32"}], dtypes=["f32", "i32"], gradient=False)),
    ("Bincount", lambda x, *w, bins: torch.bincount(x, *w, minlength=bins), [index((9,), 5)], dict(attrs=[{"bins": 6}], dtypes=["i64"])),
    ("Bucketize", lambda x, b, right=False: torch.bucketize(x, b, right=right), [few((3, 4)), rising((5,))], dict(attrs=[{"right": False}, {"right": True}], dtypes=NUMBERS, gradient=False)),
    ("SearchSorted", lambda x, v, right=False: torch.searchsorted(x, v, right=right), [rising((5,)), few((3, 4))], dict(attrs=[{"right": False}, {"right": True}], dtypes=NUMBERS, gradient=False)),
    ("Chunk", lambda x, axis, n: x.chunk(n, axis), [(5, 4)], dict(attrs=[{"axis": 0, "n": 2}, {"axis": -1, "n": 3}], dtypes=NUMBERS + ["bool"])),
    ("Split", lambda x, axis, size: x.split(size, axis), [(5, 4)], dict(attrs=[{"axis": 0, "size": 2}, {"axis": -1, "size": 3}], dtypes=NUMBERS + ["bool"])),
    ("SplitSizes", lambda x, axis, sizes: x.split(sizes, axis), [(5, 4)], dict(attrs=[{"axis": 0, "sizes": [1, 4]}, {"axis": -1, "sizes": [2, 0, 2]}], dtypes=NUMBERS + ["bool"])),
    ("TensorSplit", lambda x, axis, n: x.tensor_split(n, axis), [(5, 4)], dict(attrs=[{"axis": 0, "n": 2}, {"axis": -1, "n": 3}], dtypes=NUMBERS + ["bool"])),
    ("Unbind", lambda x, axis: x.unbind(axis), [(3, 4)], dict(attrs=[{"axis": 0}, {"axis": -1}], dtypes=NUMBERS + ["bool"])),
    ("Diag", lambda x, offset: torch.diag(x, offset), [(4,)], dict(attrs=[{"offset": 0}, {"offset": 1}, {"offset": -2}], dtypes=NUMBERS + ["bool"])),
    ("DiagEmbed", lambda x, offset, axis1, axis2: torch.diag_embed(x, offset, axis1, axis2), [(2, 3)], dict(attrs=[{"offset": 0, "axis1": -2, "axis2": -1}, {"offset": 1, "axis1": 0, "axis2": 2}], dtypes=NUMBERS + ["bool"])),
    ("DiagonalScatter", lambda x, s, offset, axis1, axis2: torch.diagonal_scatter(x, s, offset, axis1, axis2), [(3, 4), (3,)], dict(attrs=[{"offset": 0, "axis1": 0, "axis2": 1}, {"offset": 1, "axis1": 0, "axis2": 1}], dtypes=NUMBERS + ["bool"])),
    ("SelectScatter", lambda x, s, axis, index: torch.select_scatter(x, s, axis, index), [(3, 4), (3,)], dict(attrs=[{"axis": 1, "index": 2}, {"axis": -1, "index": -1}], dtypes=NUMBERS + ["bool"])),
    ("DynamicSlice", dynamic, [(4, 5), given(1), given(9)], dict(attrs=[{"sizes": [2, 3]}], dtypes=NUMBERS + ["bool"])),
    ("DynamicUpdateSlice", updated, [(4, 5), (2, 3), given(1), given(9)], dict(dtypes=NUMBERS + ["bool"])),
    ("Expand", lambda x, dims: x.expand(dims), [(3, 1)], dict(attrs=[{"dims": [2, 3, 4]}, {"dims": [-1, 4]}], dtypes=NUMBERS + ["bool"])),
    ("Flatten", lambda x, first, last: x.flatten(first, last), [(2, 3, 4)], dict(attrs=[{"first": 0, "last": -1}, {"first": 1, "last": 2}], dtypes=NUMBERS + ["bool"])),
    ("Unflatten", lambda x, axis, dims: x.unflatten(axis, dims), [(2, 6)], dict(attrs=[{"axis": 1, "dims": [2, 3]}, {"axis": -1, "dims": [3, -1]}], dtypes=NUMBERS + ["bool"])),
    ("MoveAxis", lambda x, **a: x.movedim(a["from"], a["to"]), [(2, 3, 4)], dict(attrs=[{"from": 0, "to": 2}, {"from": -1, "to": 0}], dtypes=NUMBERS + ["bool"])),
    ("SwapAxes", lambda x, axis1, axis2: x.swapaxes(axis1, axis2), [(2, 3, 4)], dict(attrs=[{"axis1": 0, "axis2": 2}, {"axis1": -1, "axis2": 1}], dtypes=NUMBERS + ["bool"])),
    ("Index", lambda x, *i: x[i], [(4, 5), index((2, 1), 4), index((3,), 5, low=-5)], dict(dtypes=NUMBERS + ["bool"])),
    ("IndexPut", put, [(4, 5), (3,), given([0, 3, 1]), given([2, 2, -1])], dict(attrs=[{"accumulate": False}, {"accumulate": True}], dtypes=NUMBERS)),
    ("IndexFill", lambda x, i, axis, v: x.index_fill(axis, i, v), [(3, 4), given([2, 0])], dict(attrs=[{"axis": 1, "v": 2.0}, {"axis": 0, "v": 1.0}], dtypes=NUMBERS)),
    ("MaskedScatter", lambda x, k, s: x.masked_scatter(k, s), [(3, 4), mask((3, 4)), (12,)], dict(dtypes=NUMBERS + ["bool"])),
    ("Take", torch.take, [(3, 4), index((2, 3), 12, low=-12)], dict(dtypes=NUMBERS + ["bool"])),
    ("TakeAlong", lambda x, i, axis: torch.take_along_dim(x, i, axis), [(3, 4), index((1, 2), 3, low=-3)], dict(attrs=[{"axis": 1}], dtypes=NUMBERS + ["bool"])),
    ("Put", lambda x, i, v, accumulate=False: x.put(i, v, accumulate), [(3, 4), given([0, 7, -1]), (3,)], dict(attrs=[{"accumulate": False}, {"accumulate": True}], dtypes=NUMBERS)),
    ("Pad", padded, [(3, 4), ()], dict(attrs=[{"low": [1, 0], "high": [0, 2], "interior": [0, 1]}], dtypes=NUMBERS)),
    ("RepeatInterleave", lambda x, repeats, axis: x.repeat_interleave(repeats, axis), [(3, 4)], dict(attrs=[{"repeats": 2, "axis": 1}, {"repeats": 3, "axis": 0}], dtypes=NUMBERS + ["bool"])),
    ("Roll", lambda x, shifts, axes=(): x.roll(shifts, tuple(axes)), [(3, 4)], dict(attrs=[{"shifts": [1, -2], "axes": [0, 1]}, {"shifts": [5], "axes": []}], dtypes=NUMBERS + ["bool"])),
    ("Rot90", lambda x, k, axis1, axis2: x.rot90(k, (axis1, axis2)), [(3, 4)], dict(attrs=[{"k": 1, "axis1": 0, "axis2": 1}, {"k": -2, "axis1": 0, "axis2": 1}], dtypes=NUMBERS + ["bool"])),
    ("ScatterAdd", lambda x, i, u: x.index_add(0, i, u), [(5, 3), index((4,), 5), (4, 3)], dict(kind=RELATIVE, dtypes=NUMBERS)),
    ("SelectRows", lambda x, k: x[k], [(5, 3), mask((5,))], dict(dtypes=NUMBERS + ["bool"], gradient=False)),
    ("Size", lambda x, axis: torch.tensor(x.shape[axis]), [(3, 4)], dict(attrs=[{"axis": 1}, {"axis": -2}], dtypes=NUMBERS + ["bool"], gradient=False)),
    ("Tile", lambda x, repeats: torch.tile(x, repeats), [(2, 3)], dict(attrs=[{"repeats": [2, 1]}, {"repeats": [2, 1, 2]}], dtypes=NUMBERS + ["bool"])),
    ("Tril", lambda x, diagonal: x.tril(diagonal), [(3, 4)], dict(attrs=[{"diagonal": 0}, {"diagonal": 1}, {"diagonal": -1}], dtypes=NUMBERS)),
    ("Triu", lambda x, diagonal: x.triu(diagonal), [(3, 4)], dict(attrs=[{"diagonal": 0}, {"diagonal": 1}, {"diagonal": -1}], dtypes=NUMBERS)),
    ("Unfold", lambda x, axis, size, step: x.unfold(axis, size, step), [(3, 7)], dict(attrs=[{"axis": 1, "size": 3, "step": 2}], dtypes=NUMBERS + ["bool"])),
    ("UniqueAll", lambda x: torch.unique(x, return_inverse=True, return_counts=True), [few((3, 4))], dict(dtypes=NUMBERS, gradient=False)),
    ("UniqueAlong", lambda x, axis: torch.unique(x, return_inverse=True, return_counts=True, dim=axis), [lambda m, d: m.tensor(d, (6, 2), 0, 1).round() if d in FLOATS else m.tensor(d, (6, 2), 0, 1)], dict(attrs=[{"axis": 0}], dtypes=NUMBERS, gradient=False)),
    ("Einsum", lambda x, y, equation: torch.einsum(equation, x, y), [(2, 3, 4), (2, 4, 5)], dict(attrs=[{"equation": "bij,bjk->bik"}, {"equation": "bij,bjk->ki"}, {"equation": "bij,bjk->"}], kind=RELATIVE)),
    ("Zeros", lambda dtype, dims: torch.zeros(dims, dtype=DTYPES[dtype]), [], dict(attrs=[{"dtype": d, "dims": [2, 3]} for d in ANY + COMPLEX], dtypes=["f32"], gradient=False)),
    ("Ones", lambda dtype, dims: torch.ones(dims, dtype=DTYPES[dtype]), [], dict(attrs=[{"dtype": d, "dims": [2, 3]} for d in ANY + COMPLEX], dtypes=["f32"], gradient=False)),
    ("ARange", lambda dtype, start, end, step: torch.arange(start, end, step, dtype=DTYPES[dtype]), [], dict(attrs=[{"dtype": d, "start": 1.0, "end": 6.5, "step": 1.5} for d in FLOATS] + [{"dtype": d, "start": s, "end": e, "step": t} for d in INTEGERS for s, e, t in [(1.0, 6.5, 1.5), (-0.9, 2.1, 2.0), (2.1, -2.9, -1.0)]], dtypes=["f32"], gradient=False)),
    ("LinSpace", lambda dtype, start, end, n: torch.linspace(start, end, n, dtype=DTYPES[dtype]), [], dict(attrs=[{"dtype": d, "start": -1.3, "end": 2.8, "n": 7} for d in FLOATS + SIGNED + COMPLEX] + [{"dtype": "u8", "start": 1.3, "end": 9.8, "n": 7}], kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("LogSpace", lambda dtype, start, end, n, base: torch.logspace(start, end, n, base, dtype=DTYPES[dtype]), [], dict(attrs=[{"dtype": d, "start": -1.3, "end": 2.8, "n": 7, "base": 2.0} for d in FLOATS + SIGNED + COMPLEX] + [{"dtype": "u8", "start": 0.3, "end": 5.8, "n": 7, "base": 2.0}], kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("Eye", lambda dtype, rows, columns: torch.eye(rows, columns, dtype=DTYPES[dtype]), [], dict(attrs=[{"dtype": d, "rows": 3, "columns": 4} for d in ANY + COMPLEX], dtypes=["f32"], gradient=False)),
    ("HannWindow", lambda dtype, n, periodic: torch.hann_window(n, periodic, dtype=DTYPES[dtype]), [], dict(attrs=WINDOWS, kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("HammingWindow", lambda dtype, n, periodic: torch.hamming_window(n, periodic, dtype=DTYPES[dtype]), [], dict(attrs=WINDOWS, kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("BlackmanWindow", lambda dtype, n, periodic: torch.blackman_window(n, periodic, dtype=DTYPES[dtype]), [], dict(attrs=WINDOWS, kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("BartlettWindow", lambda dtype, n, periodic: torch.bartlett_window(n, periodic, dtype=DTYPES[dtype]), [], dict(attrs=WINDOWS, kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("KaiserWindow", lambda dtype, n, periodic, beta: torch.kaiser_window(n, periodic, beta, dtype=DTYPES[dtype]), [], dict(attrs=[w | {"beta": b} for w, b in zip(WINDOWS, [12.0, 2.5] * len(WINDOWS))], kind=RELATIVE, dtypes=["f32"], gradient=False)),
    ("Complex", torch.complex, [(3, 4), (4,)], dict(dtypes=["f32", "f64"], empty=[(0, 4), (4,)])),
    ("Stack", lambda *xs, axis: torch.stack(xs, axis), [(3, 4), (3, 4)], dict(attrs=[{"axis": 0}, {"axis": -1}], dtypes=NUMBERS + ["bool"])),
    ("HStack", lambda *xs: torch.hstack(xs), [(3, 4), (3, 2)], dict(dtypes=NUMBERS + ["bool"])),
    ("VStack", lambda *xs: torch.vstack(xs), [(3, 4), (4,)], dict(dtypes=NUMBERS + ["bool"])),
    ("DStack", lambda *xs: torch.dstack(xs), [(3, 4), (3, 4)], dict(dtypes=NUMBERS + ["bool"])),
    ("ColumnStack", lambda *xs: torch.column_stack(xs), [(3, 4), (3,)], dict(dtypes=NUMBERS + ["bool"])),
    ("BlockDiag", lambda *xs: torch.block_diag(*xs), [(2, 3), (2,), ()], dict(dtypes=NUMBERS + ["bool"])),
    ("Meshgrid", lambda *xs: torch.meshgrid(*xs, indexing="ij"), [(3,), (), (2,)], dict(dtypes=NUMBERS + ["bool"])),
    ("BroadcastTensors", lambda *xs: torch.broadcast_tensors(*xs), [(3, 1), (4,), ()], dict(dtypes=NUMBERS + ["bool"])),
    ("SumPool", lambda x, window, strides, pad=0: torch.nn.functional.avg_pool2d(x, window, strides, pad, divisor_override=1), [(2, 3, 6, 6)], dict(attrs=[{"window": [2, 3], "strides": [2, 3]}, {"window": [3, 3], "strides": [2, 1], "pad": 1}], kind=RELATIVE)),
    ("nn.PixelShuffle", lambda x, factor: torch.nn.functional.pixel_shuffle(x, factor), [(2, 8, 2, 3)], dict(attrs=[{"factor": 2}], dtypes=NUMBERS + ["bool"])),
    ("nn.PixelUnshuffle", lambda x, factor: torch.nn.functional.pixel_unshuffle(x, factor), [(2, 2, 4, 6)], dict(attrs=[{"factor": 2}], dtypes=NUMBERS + ["bool"])),
    ("nn.ChannelShuffle", lambda x, groups: torch.nn.functional.channel_shuffle(x, groups), [(2, 6, 2, 2)], dict(attrs=[{"groups": 3}], dtypes=NUMBERS, gradient=False)),
]


def more(op):
    """Cases that have other tensors than those of the table."""
    m = Maker("more " + op)
    if op == "Bincount":
        for d in ["f32", "f64"]:
            yield case(f"weights {d}", lambda x, w: torch.bincount(x, w, 6), [m.tensor("i64", (9,), 0, 4), m.tensor(d, (9,))], {"bins": 6}, RELATIVE)
    if op == "Diag":
        yield case("matrix", lambda x: torch.diag(x, 1), [m.tensor("f32", (3, 4))], {"offset": 1}, gradient=True)
    if op == "SearchSorted":
        yield case("rows", torch.searchsorted, [m.tensor("f32", (2, 5)).sort(-1).values.contiguous(), m.tensor("f32", (2, 3))])
    if op == "MaskedScatter":
        yield case("broadcast", lambda x, k, s: x.masked_scatter(k, s), [m.tensor("f32", (3, 4)), m.tensor("bool", (4,)), m.tensor("f32", (12,))], gradient=True)
        yield case("empty", lambda x, k, s: x.masked_scatter(k, s), [m.tensor("f32", (0, 4)), m.tensor("bool", (0, 4)), m.tensor("f32", (3,))])


def table():
    for op, fn, shapes, options in SEVERAL:
        yield op, itertools.chain(calls(op, fn, shapes, **options), more(op))
