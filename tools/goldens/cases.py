"""Cases of an op: what it is called on, and what PyTorch gives.

A floating-point result that is compared within a tolerance is computed by PyTorch in f64
from the inputs as their dtype holds them, and rounded once to the dtype of the result. All
else is computed in the dtype itself.
"""

import base64
import zlib

import numpy
import torch

FLOATS = ["f32", "f64", "f16", "bf16"]
SIGNED = ["i32", "i64", "i16", "i8"]
INTEGERS = SIGNED + ["u8"]
NUMBERS = FLOATS + INTEGERS
LOGICAL = ["bool"] + INTEGERS
ANY = ["bool"] + NUMBERS
COMPLEX = ["c64", "c128"]

DTYPES = {
    "bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "c64": torch.complex64, "c128": torch.complex128,
}
NAMES = {d: n for n, d in DTYPES.items()}

# How results are compared: bit by bit, as numbers (0 is -0), in units in the last place,
# relatively, or so by absolute values: the signs of vectors of a decomposition are free.
EXACT, EQUAL, ELEMENTARY, RELATIVE, ABSOLUTE = "exact", "equal", "elementary", "relative", "absolute"


class Maker:
    """Makes inputs, the same in each run."""

    def __init__(self, op):
        self.random = numpy.random.RandomState(zlib.crc32(op.encode()))

    def tensor(self, dtype, shape, low=-3.0, high=3.0):
        if dtype == "bool":
            return torch.from_numpy(numpy.array(self.random.randint(0, 2, shape), dtype=bool))
        if dtype in COMPLEX:
            return torch.complex(self.tensor("f64", shape, low, high), self.tensor("f64", shape, low, high)).to(DTYPES[dtype])
        if dtype in FLOATS:
            x = numpy.array(self.random.uniform(low, high, shape))
            return torch.from_numpy(x).to(DTYPES[dtype])
        if dtype[0] == "u":
            low = max(low, 0)
        x = numpy.array(self.random.randint(int(numpy.ceil(low)), int(high) + 1, shape))
        return torch.from_numpy(x).to(DTYPES[dtype])


def special(dtype):
    """NaN, infinities, zeros of both signs and extremes of a floating-point dtype."""
    i = torch.finfo(DTYPES[dtype])
    return torch.tensor([float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, i.max, i.min, i.tiny], dtype=torch.float64).to(DTYPES[dtype])


def encode(t, reversed_axes=False):
    t = t.detach().contiguous().resolve_conj().resolve_neg()
    t = t.clone() if t._is_zerotensor() else t
    name = NAMES[t.dtype]
    raw = (t.view(torch.int16) if name == "bf16" else t).numpy().tobytes()
    a = {"dtype": name, "shape": list(t.shape), "data": base64.b64encode(raw).decode()}
    if reversed_axes:
        a["reversed"] = True  # the elements lie in memory with the axes in the opposite order
    return a


def text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (list, tuple)):
        return ",".join(str(x) for x in v)
    return str(v)


def wide(t):
    return t.double() if t.is_floating_point() else t.cdouble() if t.is_complex() else t


def continuous(t):
    return t.is_floating_point() or t.is_complex()


def listed(ys):
    return list(ys) if isinstance(ys, (tuple, list)) else [ys]


def computed(fn, inputs):
    """What PyTorch gives. A function that it does not have for a small dtype is that of f32, rounded."""
    try:
        return listed(fn(*inputs))
    except (RuntimeError, NotImplementedError):
        small = [x.dtype for x in inputs if x.dtype in (torch.float16, torch.bfloat16)]
        if not small:
            raise
        ys = listed(fn(*[x.float() if x.is_floating_point() else x for x in inputs]))
        return [y.to(small[0]) if y.is_floating_point() else y for y in ys]


def results(fn, inputs, kind):
    """What PyTorch gives, with results rounded to the dtype that it gives itself."""
    own = computed(fn, inputs)
    if kind in (EXACT, EQUAL) or not any(continuous(y) for y in own):
        return own
    exact = listed(fn(*[wide(x) for x in inputs]))
    return [e.to(y.dtype) for e, y in zip(exact, own)]


def case(name, fn, inputs, attrs=None, kind=EXACT, gradient=False, reversed_axes=False):
    """A case as a line of a golden, with the call that it was made of."""
    c = {"case": name, "kind": kind, "call": (fn, inputs, attrs, kind)}
    if attrs:
        c["attrs"] = {k: text(v) for k, v in attrs.items()}
    c["inputs"] = [encode(x, reversed_axes and x.dim() > 1) for x in inputs]
    ys = results(fn, inputs, kind)
    c["results"] = [encode(y) for y in ys]
    if not gradient:
        return c
    xs = [wide(x).requires_grad_(continuous(x)) for x in inputs]
    ys = [y for y in listed(fn(*xs)) if continuous(y)]
    random = numpy.random.RandomState(zlib.crc32(name.encode()))

    def cotangent(y):
        parts = [torch.from_numpy(numpy.array(random.uniform(-1, 1, tuple(y.shape)))).float() for _ in range(1 + y.is_complex())]
        return torch.complex(*parts) if y.is_complex() else parts[0]

    cts = [cotangent(y) for y in ys]
    wrt = [x for x in xs if x.requires_grad]
    loss = sum((y * wide(ct).conj()).real.sum() if y.is_complex() else (y * ct.double()).sum() for y, ct in zip(ys, cts))
    gs = iter(torch.autograd.grad(loss, wrt, allow_unused=True, materialize_grads=True))
    c["cotangents"] = [encode(ct) for ct in cts]
    c["gradients"] = [encode(next(gs).to(x.dtype)) if continuous(x) else None for x in inputs]
    return c


def with_two(op, fn, kind):
    """Cases of an op with a number for integers and complex numbers, which have the number 2."""
    m = Maker("with two " + op)
    for d in INTEGERS + COMPLEX:
        try:
            yield case(d, lambda x: fn(x, 2), [m.tensor(d, (2, 3), 1, 3)], {"v": 2}, RELATIVE if d in COMPLEX and kind != EQUAL else kind)
        except RuntimeError as e:
            print(f"{op}: {d}: {e}".split("\n")[0])


def of(call):
    """The dtype of a call: that of the first input of floating point, or of the first."""
    inputs = call[1]
    return NAMES[next((x for x in inputs if continuous(x)), inputs[0]).dtype]


def converted(x, dtype):
    """Numbers of another dtype that are like those of x."""
    if dtype in COMPLEX:
        return torch.complex(x.double(), x.double().flatten().roll(1).reshape(x.shape)).to(DTYPES[dtype])
    x = x.real if x.is_complex() else x
    if dtype == "bool":
        return x > 0
    return (x.abs() if dtype == "u8" else x).to(DTYPES[dtype])


def whole(fn, dtype):
    """A function on integers by that on f64, where PyTorch has it for floating point alone and results are integers."""
    def call(*xs):
        def back(y):
            if not y.is_floating_point():
                return y
            if not (y == y.round()).all():
                raise RuntimeError("results are no integers")
            return y.to(DTYPES[dtype])
        return [back(y) for y in listed(fn(*[x.double() if x.dtype == DTYPES[dtype] else x for x in xs]))]
    return call


# Ops that find places of elements: which one of equal elements that is is not defined.
DISTINCT = {"KthValue"}


def more_dtypes(op, cases, wanted):
    """A small case for each dtype that is wanted and has none."""
    with_inputs = [c["call"] for c in cases if c["inputs"]]
    if not with_inputs:
        return
    base = next((c for c in with_inputs if continuous(c[1][0]) or any(continuous(x) for x in c[1])), with_inputs[0])
    fn, inputs, attrs, kind = base
    own, place = of(base), next((i for i, x in enumerate(inputs) if continuous(x)), 0)
    have = {c["inputs"][place]["dtype"] for c in cases if place < len(c["inputs"])}
    for d in wanted:
        if d in have:
            continue
        xs = [converted(x.flatten().argsort().argsort().reshape(x.shape) if op in DISTINCT else x, d) if NAMES[x.dtype] == own else x for x in inputs]
        how = RELATIVE if d in COMPLEX and kind != EQUAL else kind
        for f in [fn, whole(fn, d)] if d not in COMPLEX + FLOATS else [fn]:
            try:
                yield case(d, f, xs, attrs, how)
                break
            except Exception as e:
                print(f"{op}: {d}: {e}".split("\n")[0])


def unary(op, fn, kind, dtypes, low=-3.0, high=3.0, differentiable=None, attrs=None, extremes=True):
    m, own = Maker(op), dtypes[0]
    x = m.tensor(own, (3, 4), low, high)
    if differentiable is None:
        differentiable = own in FLOATS
    yield case("plain", fn, [x], attrs, kind, gradient=differentiable)
    yield case("not contiguous", fn, [x], attrs, kind, reversed_axes=True)
    yield case("0-d", fn, [m.tensor(own, (), low, high)], attrs, kind)
    yield case("empty", fn, [m.tensor(own, (0, 3), low, high)], attrs, kind)
    for d in dtypes:
        if d != own:
            yield case(d, fn, [m.tensor(d, (2, 3), low, high)], attrs, kind)
        if d in FLOATS and extremes:
            yield case("special " + d, fn, [special(d)], attrs, kind)


def promoted(op, fn, kind, low=-3.0, high=3.0, low2=None, high2=None):
    """Operands of two dtypes, which both have axes or one of which is a scalar."""
    m = Maker("promoted " + op)
    low2, high2 = low if low2 is None else low2, high if high2 is None else high2
    for a, b in [("i32", "f32"), ("f16", "bf16"), ("u8", "i8"), ("i8", "f16"), ("bool", "i64"), ("f32", "f64")]:
        yield case(f"{a} and {b}", fn, [m.tensor(a, (3, 4), low, high), m.tensor(b, (4,), low2, high2)], None, kind)
    for a, b in [("i32", "f64"), ("f64", "f32"), ("i8", "i64"), ("bool", "u8")]:
        yield case(f"{a} and a scalar of {b}", fn, [m.tensor(a, (2, 3), low, high), m.tensor(b, (), low2, high2)], None, kind)


def pairs(dtype):
    s = special(dtype)
    return s.repeat_interleave(len(s)), s.repeat(len(s))


def binary(op, fn, kind, dtypes, low=-3.0, high=3.0, low2=None, high2=None, differentiable=None, extremes=True):
    m, own = Maker(op), dtypes[0]
    low2, high2 = low if low2 is None else low2, high if high2 is None else high2
    x, y = m.tensor(own, (3, 4), low, high), m.tensor(own, (3, 4), low2, high2)
    if differentiable is None:
        differentiable = own in FLOATS
    yield case("plain", fn, [x, y], None, kind, gradient=differentiable)
    yield case("broadcast", fn, [m.tensor(own, (3, 1), low, high), m.tensor(own, (2, 1, 4), low2, high2)], None, kind, gradient=differentiable)
    yield case("not contiguous", fn, [x, y], None, kind, reversed_axes=True)
    yield case("0-d", fn, [m.tensor(own, (), low, high), m.tensor(own, (), low2, high2)], None, kind)
    yield case("empty", fn, [m.tensor(own, (0, 3), low, high), m.tensor(own, (0, 1), low2, high2)], None, kind)
    for d in dtypes:
        if d != own:
            yield case(d, fn, [m.tensor(d, (2, 3), low, high), m.tensor(d, (2, 3), low2, high2)], None, kind)
        if d in FLOATS[:1] and extremes:
            yield case("special " + d, fn, pairs(d), None, kind)


def along(op, fn, kind, dtypes, attrs, low=-3.0, high=3.0, differentiable=None, empty=True, scalar=False, extremes=True, shape=(3, 4, 2)):
    """Cases of an op that takes attributes for one tensor: fn takes the attributes by name."""
    m, own = Maker(op), dtypes[0]
    if differentiable is None:
        differentiable = own in FLOATS
    for a in attrs:
        f = lambda x, a=a: fn(x, **a)
        x = m.tensor(own, shape, low, high)
        yield case(f"plain {a}", f, [x], a, kind, gradient=differentiable)
        yield case(f"not contiguous {a}", f, [x], a, kind, reversed_axes=True)
    a = attrs[0]
    f = lambda x: fn(x, **a)
    if empty:
        yield case("empty", f, [m.tensor(own, (0,) + shape[1:], low, high)], a, kind)
    if scalar:
        yield case("0-d", lambda x: fn(x), [m.tensor(own, (), low, high)], None, kind)
    for d in dtypes:
        if d != own:
            yield case(d, f, [m.tensor(d, shape, low, high)], a, kind)
        if d in FLOATS and extremes:
            s = torch.stack([special(d)[i:i + 4] for i in range(6)]).reshape(3, 4, 2) if shape == (3, 4, 2) else None
            if s is not None:
                yield case("special " + d, f, [s], a, kind)


def calls(op, fn, shapes, attrs=({},), kind=EXACT, dtypes=FLOATS, low=-3.0, high=3.0, gradient=None, empty=None, strided=True):
    """Cases of an op on several tensors: fn takes the attributes by name. A shape stands for a
    tensor of the dtype, a function of Maker and the dtype for what it makes."""
    m, own = Maker(op), dtypes[0]
    if gradient is None:
        gradient = own in FLOATS or own in COMPLEX

    def inputs(d, shapes):
        return [s(m, d) if callable(s) else m.tensor(d, s, low, high) for s in shapes]

    for a in attrs:
        f = lambda *xs, a=a: fn(*xs, **a)
        xs = inputs(own, shapes)
        yield case(f"plain {a}" if a else "plain", f, xs, a, kind, gradient=gradient)
        if strided and any(x.dim() > 1 for x in xs):
            yield case(f"not contiguous {a}" if a else "not contiguous", f, xs, a, kind, reversed_axes=True)
    a = attrs[0]
    f = lambda *xs: fn(*xs, **a)
    if empty:
        yield case("empty", f, inputs(own, empty), a, kind)
    for d in dtypes:
        if d != own:
            yield case(d, f, inputs(d, shapes), a, kind)
