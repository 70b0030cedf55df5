"""Goldens of functions of elements, and of reductions, that ops.py does not have."""

import torch

from cases import *  # noqa: F403: the vocabulary of this table


def root(x):
    return x.sign() * x.abs() ** (1 / 3)


UNARY = [
    # op, function, how it is compared, dtypes, domain
    ("Cbrt", root, RELATIVE, FLOATS),
    ("Cosh", torch.cosh, ELEMENTARY, FLOATS),
    ("Sinh", torch.sinh, ELEMENTARY, FLOATS),
    ("Exp2", torch.exp2, ELEMENTARY, FLOATS),
    ("Log2", torch.log2, ELEMENTARY, FLOATS, 0.1, 4),
    ("Log10", torch.log10, ELEMENTARY, FLOATS, 0.1, 4),
    ("Deg2Rad", torch.deg2rad, ELEMENTARY, FLOATS),
    ("Rad2Deg", torch.rad2deg, ELEMENTARY, FLOATS),
    ("Frac", torch.frac, EQUAL, FLOATS),
    ("Trunc", torch.trunc, EXACT, FLOATS + INTEGERS),
    ("Square", torch.square, EXACT, NUMBERS),
    ("Reciprocal", torch.reciprocal, ELEMENTARY, FLOATS, 0.2, 4),
    ("IsNaN", torch.isnan, EXACT, FLOATS),
    ("IsInf", torch.isinf, EXACT, FLOATS),
    ("IsFinite", torch.isfinite, EXACT, FLOATS),
    ("IsPosInf", torch.isposinf, EXACT, FLOATS),
    ("IsNegInf", torch.isneginf, EXACT, FLOATS),
    ("IsReal", torch.isreal, EXACT, ANY),
    ("SignBit", torch.signbit, EXACT, FLOATS + SIGNED),
    ("LogicalNot", torch.logical_not, EXACT, ANY),
    ("Angle", torch.angle, ELEMENTARY, FLOATS),
    ("AtLeast1D", torch.atleast_1d, EXACT, ANY),
    ("AtLeast2D", torch.atleast_2d, EXACT, ANY),
    ("AtLeast3D", torch.atleast_3d, EXACT, ANY),
    ("special.Entr", torch.special.entr, RELATIVE, FLOATS, 0.1, 3),
    ("special.Erfcx", torch.special.erfcx, RELATIVE, FLOATS),
    ("special.Expit", torch.special.expit, ELEMENTARY, FLOATS),
    ("special.I0", torch.special.i0, RELATIVE, FLOATS),
    ("special.I0e", torch.special.i0e, RELATIVE, FLOATS),
    ("special.I1", torch.special.i1, RELATIVE, FLOATS),
    ("special.I1e", torch.special.i1e, RELATIVE, FLOATS),
    ("special.LogNdtr", torch.special.log_ndtr, RELATIVE, FLOATS),
    ("special.Ndtr", torch.special.ndtr, RELATIVE, FLOATS),
    ("special.Ndtri", torch.special.ndtri, RELATIVE, FLOATS, 0.05, 0.95),
    ("special.Sinc", torch.special.sinc, RELATIVE, FLOATS),
]

LOGICAL_OPS = {"LogicalAnd", "LogicalOr", "LogicalXor"}

BINARY = [
    # op, function, how it is compared, dtypes, domains of the two
    ("CopySign", torch.copysign, EXACT, FLOATS),
    ("FMax", torch.fmax, EQUAL, NUMBERS),
    ("FMin", torch.fmin, EQUAL, NUMBERS),
    ("FloatPower", torch.float_power, ELEMENTARY, FLOATS + ["i32"], 0.2, 3, 0, 3),
    ("FloorDivide", torch.floor_divide, EQUAL, NUMBERS, -9, 9, 1, 4),
    ("TruncDivide", lambda x, y: torch.div(x, y, rounding_mode="trunc"), EQUAL, NUMBERS, -9, 9, 1, 4),
    ("Remainder", torch.remainder, EQUAL, NUMBERS, -9, 9, 1, 4),
    ("Hypot", torch.hypot, ELEMENTARY, FLOATS),
    ("Ldexp", torch.ldexp, ELEMENTARY, FLOATS),
    ("LogAddExp", torch.logaddexp, RELATIVE, FLOATS),
    ("LogAddExp2", torch.logaddexp2, RELATIVE, FLOATS),
    ("Xlogy", torch.xlogy, RELATIVE, FLOATS, 0.2, 3),
    ("special.Xlog1py", torch.special.xlog1py, RELATIVE, FLOATS, 0.2, 3),
    ("LogicalAnd", torch.logical_and, EXACT, ANY),
    ("LogicalOr", torch.logical_or, EXACT, ANY),
    ("LogicalXor", torch.logical_xor, EXACT, ANY),
]

WITH_NUMBER = [
    # op, function of x and v, v, how it is compared, dtypes
    ("RSubScalar", lambda x, v: v - x, 0.5, EXACT, FLOATS), ("RDivScalar", lambda x, v: v / x, 0.5, ELEMENTARY, FLOATS), ("RPowScalar", lambda x, v: torch.pow(v, x), 1.5, ELEMENTARY, FLOATS),
    ("RemScalar", torch.fmod, 0.75, EQUAL, FLOATS), ("RemainderScalar", torch.remainder, 0.75, EQUAL, FLOATS), ("FloorDivideScalar", torch.floor_divide, 0.75, EQUAL, FLOATS),
    ("AndScalar", torch.bitwise_and, 6, EXACT, INTEGERS), ("OrScalar", torch.bitwise_or, 6, EXACT, INTEGERS), ("XorScalar", torch.bitwise_xor, 6, EXACT, INTEGERS),
    ("ShiftLeftScalar", torch.bitwise_left_shift, 2, EXACT, INTEGERS), ("ShiftRightScalar", torch.bitwise_right_shift, 1, EXACT, INTEGERS),
]


def logical_shift(x, y):
    """x shifted as if it had no sign, which PyTorch has for u8 alone."""
    bits = 8 * x.element_size()
    mask = torch.where(y == 0, torch.full_like(x, -1), ~(torch.full_like(x, -1) << (bits - y)))
    return (x >> y) & mask


def axes_of(x, axes):
    return tuple(axes) if axes else tuple(range(x.dim()))


def several(fn, x, axes, keep):
    """Reductions that PyTorch has for one axis: here over several."""
    for a in sorted((a % x.dim() for a in axes_of(x, axes)), reverse=True):
        x = fn(x, a, keep)
    return x


AXES = [{"axes": [1]}, {"axes": [-1, 0]}, {"axes": []}]
AXIS = [{"axis": 1}, {"axis": -1}, {"axis": 0}]
MOMENTS = [{"correction": 1.0, "axes": [1]}, {"correction": 0.0, "axes": [0, 2]}]
POWERS = [{"p": 2.0, "axes": [1]}, {"p": 1.0, "axes": [-1, 0]}, {"p": 3.0, "axes": []}, {"p": 0.0, "axes": [1]}, {"p": float("inf"), "axes": [1]}, {"p": float("-inf"), "axes": [0]}]


def keeping(fn):
    return lambda x, axes=(): fn(x, axes_of(x, axes), keepdim=True)


def norm(x, p, axes=(), keep=False):
    return torch.linalg.vector_norm(x, p, axes_of(x, axes), keepdim=keep)


ALONG = [
    # op, function, how it is compared, dtypes, attributes, options
    ("AMinMax", lambda x, axes=(): (torch.amin(x, axes_of(x, axes)), torch.amax(x, axes_of(x, axes))), EQUAL, NUMBERS, AXES, {"empty": False}),
    ("AllKeep", lambda x, axes=(): torch.all(x, axes_of(x, axes), keepdim=True), EXACT, ANY, AXES, {}),
    ("AnyKeep", lambda x, axes=(): torch.any(x, axes_of(x, axes), keepdim=True), EXACT, ANY, AXES, {}),
    ("ProdKeep", lambda x, axes=(): several(torch.prod, x, axes, True), RELATIVE, NUMBERS, AXES, {"extremes": False}),
    ("NaNSum", lambda x, axes=(): torch.nansum(x, axes_of(x, axes)), RELATIVE, FLOATS, AXES, {"low": -1, "high": 2}),
    ("NaNSumKeep", keeping(torch.nansum), RELATIVE, FLOATS, AXES, {"low": -1, "high": 2}),
    ("NaNMean", lambda x, axes=(): torch.nanmean(x, axes_of(x, axes)), RELATIVE, FLOATS, AXES, {}),
    ("NaNMeanKeep", keeping(torch.nanmean), RELATIVE, FLOATS, AXES, {}),
    ("LogSumExpKeep", keeping(torch.logsumexp), RELATIVE, FLOATS, AXES, {}),
    ("ArgMaxKeep", lambda x, axis: torch.argmax(x, axis, keepdim=True), EXACT, NUMBERS, AXIS, {"empty": False}),
    ("ArgMinKeep", lambda x, axis: torch.argmin(x, axis, keepdim=True), EXACT, NUMBERS, AXIS, {"empty": False}),
    ("MaxWithIndices", lambda x, axis: torch.max(x, axis), EQUAL, NUMBERS, AXIS, {"empty": False}),
    ("MaxWithIndicesKeep", lambda x, axis: torch.max(x, axis, keepdim=True), EQUAL, NUMBERS, AXIS, {"empty": False}),
    ("MinWithIndices", lambda x, axis: torch.min(x, axis), EQUAL, NUMBERS, AXIS, {"empty": False}),
    ("MinWithIndicesKeep", lambda x, axis: torch.min(x, axis, keepdim=True), EQUAL, NUMBERS, AXIS, {"empty": False}),
    ("Norm", norm, RELATIVE, FLOATS, POWERS, {"extremes": False, "empty": True}),
    ("NormKeep", lambda x, p, axes=(): norm(x, p, axes, True), RELATIVE, FLOATS, POWERS, {"extremes": False}),
    ("linalg.VectorNorm", norm, RELATIVE, FLOATS, POWERS, {"extremes": False}),
    ("VarKeep", lambda x, correction, axes: torch.var(x, tuple(axes), correction=correction, keepdim=True), RELATIVE, FLOATS, MOMENTS, {"extremes": False, "empty": False}),
    ("StdKeep", lambda x, correction, axes: torch.std(x, tuple(axes), correction=correction, keepdim=True), RELATIVE, FLOATS, MOMENTS, {"extremes": False, "empty": False}),
    ("VarMean", lambda x, correction, axes: torch.var_mean(x, tuple(axes), correction=correction), RELATIVE, FLOATS, MOMENTS, {"extremes": False, "empty": False}),
    ("StdMean", lambda x, correction, axes: torch.std_mean(x, tuple(axes), correction=correction), RELATIVE, FLOATS, MOMENTS, {"extremes": False, "empty": False}),
    ("Median", lambda x, axis: torch.median(x, axis), EQUAL, FLOATS, AXIS, {"empty": False, "extremes": False}),
    ("Mode", lambda x, axis: torch.mode(x, axis), EQUAL, FLOATS, AXIS, {"empty": False, "extremes": False}),
    ("KthValue", lambda x, k, axis: torch.kthvalue(x, k, axis), EQUAL, FLOATS, [{"k": 2, "axis": 1}, {"k": 1, "axis": -1}], {"empty": False, "extremes": False}),
    ("NaNToNum", lambda x, nan, positive, negative: torch.nan_to_num(x, nan, positive, negative), EXACT, FLOATS, [{"nan": 2.0, "positive": 100.0, "negative": -50.0}], {}),
    ("RoundDecimals", lambda x, decimals: torch.round(x, decimals=decimals), RELATIVE, FLOATS[:2], [{"decimals": 2}, {"decimals": 0}], {"extremes": False, "differentiable": False}),
    ("ClampScalar", lambda x, low, high: x.clamp(low, high), EQUAL, FLOATS + SIGNED, [{"low": -1, "high": 2}], {}),
    ("special.Logit", lambda x, eps: torch.special.logit(x, None if eps < 0 else eps), RELATIVE, FLOATS, [{"eps": 0.1}, {"eps": -1.0}], {"low": 0.05, "high": 0.95}),
    ("special.MvLgamma", lambda x, p: torch.special.multigammaln(x, p), RELATIVE, FLOATS, [{"p": 2}, {"p": 1}], {"low": 2, "high": 5, "extremes": False}),
    ("special.Polygamma", lambda x, n: torch.special.polygamma(n, x), RELATIVE, FLOATS[:2], [{"n": 2}, {"n": 1}, {"n": 0}], {"low": 0.5, "high": 5, "extremes": False}),
    ("nn.SafeSoftmax", lambda x, axis: torch.softmax(x, axis), RELATIVE, FLOATS, AXIS, {}),
    ("fft.FFTShift", lambda x, axes=(): torch.fft.fftshift(x, tuple(axes) or None), EXACT, ANY, AXES, {}),
    ("fft.IFFTShift", lambda x, axes=(): torch.fft.ifftshift(x, tuple(axes) or None), EXACT, ANY, AXES, {}),
]


def scan(x, by, axis, reverse=False):
    """The linear recurrence, step by step."""
    xs, bys, ys = x.unbind(axis), by.unbind(axis), []
    n = len(xs)
    for i in range(n - 1, -1, -1) if reverse else range(n):
        ys.append(xs[i] if not ys else bys[i] * ys[-1] + xs[i])
    return torch.stack(ys[::-1] if reverse else ys, axis)


def order(m, d):
    return torch.tensor(2.0, dtype=DTYPES[d])


def between(low, high, shape=(3, 4)):
    return lambda m, d: m.tensor(d, shape, low, high)


def finite(x, y, relative, absolute, equalNaN=False):
    return torch.isclose(x, y, relative, absolute, equalNaN)


SEVERAL = [
    # op, function, tensors, options
    ("AddCDiv", lambda x, y, z, scale: torch.addcdiv(x, y, z, value=scale), [(3, 4), (4,), between(1, 4, (3, 1))], dict(attrs=[{"scale": 0.5}], kind=RELATIVE, empty=[(0, 4), (4,), (0, 1)])),
    ("AddCMul", lambda x, y, z, scale: torch.addcmul(x, y, z, value=scale), [(3, 4), (4,), (3, 1)], dict(attrs=[{"scale": 0.5}], kind=RELATIVE, empty=[(0, 4), (4,), (0, 1)])),
    ("Clamp", torch.clamp, [(3, 4), between(0, 1, (4,)), between(1, 2, ())], dict(kind=EQUAL, dtypes=NUMBERS, empty=[(0, 4), (4,), ()])),
    ("ClampMax", lambda x, y: torch.clamp(x, max=y), [(3, 4), (4,)], dict(kind=EQUAL, dtypes=NUMBERS, empty=[(0, 4), (4,)])),
    ("ClampMin", lambda x, y: torch.clamp(x, min=y), [(3, 4), (4,)], dict(kind=EQUAL, dtypes=NUMBERS, empty=[(0, 4), (4,)])),
    ("Heaviside", torch.heaviside, [lambda m, d: m.tensor(d, (3, 4), -1, 1).round() if d in FLOATS else m.tensor(d, (3, 4), -1, 1), (4,)], dict(dtypes=NUMBERS, gradient=False, empty=[(0, 4), (4,)])),
    ("Lerp", torch.lerp, [(3, 4), (4,), between(0, 1)], dict(kind=RELATIVE, empty=[(0, 4), (4,), (0, 4)])),
    ("LerpScalar", lambda x, y, weight: torch.lerp(x, y, weight), [(3, 4), (4,)], dict(attrs=[{"weight": 0.25}, {"weight": 0.75}], kind=RELATIVE, empty=[(0, 4), (4,)])),
    ("Frexp", torch.frexp, [(3, 4)], dict()),
    ("IsClose", finite, [lambda m, d: m.tensor(d, (3, 4), -1, 1), lambda m, d: m.tensor(d, (4,), -1, 1)], dict(attrs=[{"relative": 0.1, "absolute": 0.5, "equalNaN": False}, {"relative": 0.0, "absolute": 0.9, "equalNaN": True}], dtypes=FLOATS + SIGNED, gradient=False)),
    ("MaskedFill", lambda x, mask, v: x.masked_fill(mask, v), [(3, 4), lambda m, d: m.tensor("bool", (4,))], dict(attrs=[{"v": 2.0}], dtypes=NUMBERS)),
    ("ScalarWhere", lambda cond, y, v: torch.where(cond, torch.tensor(v, dtype=y.dtype), y), [lambda m, d: m.tensor("bool", (3, 4)), (4,)], dict(attrs=[{"v": 2.0}], dtypes=NUMBERS)),
    ("ShiftRightLogical", logical_shift, [between(-9, 9), between(0, 5)], dict(dtypes=SIGNED)),
    ("Polygamma", lambda n, x: torch.special.polygamma(2, x), [order, between(0.5, 5)], dict(kind=RELATIVE, dtypes=FLOATS[:2], gradient=False)),
    ("Zeta", torch.special.zeta, [between(1.5, 4), between(0.5, 4)], dict(kind=RELATIVE, dtypes=FLOATS[:2], gradient=False)),
    ("special.Zeta", torch.special.zeta, [between(1.5, 4), between(0.5, 4)], dict(kind=RELATIVE, dtypes=FLOATS[:2], gradient=False)),
    ("special.GammaInc", torch.special.gammainc, [between(0.5, 5), between(0.2, 6)], dict(kind=RELATIVE, gradient=False)),
    ("special.GammaIncC", torch.special.gammaincc, [between(0.5, 5), between(0.2, 6)], dict(kind=RELATIVE, gradient=False)),
    ("special.GCD", torch.gcd, [between(-40, 40), between(-40, 40)], dict(dtypes=INTEGERS, gradient=False)),
    ("special.LCM", torch.lcm, [between(-40, 40), between(-40, 40)], dict(dtypes=INTEGERS, gradient=False)),
    *((f"special.{n}", getattr(torch.special, f), [between(low, high)], dict(kind=RELATIVE, gradient=False)) for n, f, low, high in [
        ("J0", "bessel_j0", -1.5, 1.5), ("J1", "bessel_j1", -1.5, 1.5), ("Y0", "bessel_y0", 0.1, 1.5), ("Y1", "bessel_y1", 0.1, 1.5), ("AiryAi", "airy_ai", -2, 2),
        ("K0", "modified_bessel_k0", 0.1, 4), ("K1", "modified_bessel_k1", 0.1, 4), ("K0e", "scaled_modified_bessel_k0", 0.1, 4), ("K1e", "scaled_modified_bessel_k1", 0.1, 4)]),
    *((f"special.{n}", getattr(torch.special, f), [between(low, high), between(0, 6)], dict(kind=RELATIVE, gradient=False)) for n, f, low, high in [
        *((f"Chebyshev{k.upper()}", f"chebyshev_polynomial_{k}", -2, 2) for k in "tuvw"), *((f"ShiftedChebyshev{k.upper()}", f"shifted_chebyshev_polynomial_{k}", -1, 2) for k in "tuvw"),
        ("HermiteH", "hermite_polynomial_h", -2, 2), ("HermiteHe", "hermite_polynomial_he", -2, 2), ("LaguerreL", "laguerre_polynomial_l", 0, 4), ("LegendreP", "legendre_polynomial_p", -2, 2)]),
    ("LinearScan", scan, [(3, 4), between(-1, 1)], dict(attrs=[{"axis": 1}, {"axis": 0, "reverse": True}], kind=RELATIVE, dtypes=FLOATS + ["i32"])),
    ("nn.RReLU", lambda x, s: torch.where(x > 0, x, s.detach() * x), [(3, 4), between(0.1, 0.3)], dict(kind=RELATIVE)),
    # complex numbers
    ("Conj", lambda x: torch.conj(x).resolve_conj(), [(3, 4)], dict(dtypes=COMPLEX + FLOATS[:2], empty=[(0, 3)])),
    ("Real", torch.real, [(3, 4)], dict(dtypes=COMPLEX, empty=[(0, 3)])),
    ("Imag", torch.imag, [(3, 4)], dict(dtypes=COMPLEX, empty=[(0, 3)])),
    ("Polar", torch.polar, [between(0.5, 2), (3, 4)], dict(kind=RELATIVE, dtypes=FLOATS[:2])),
    ("ViewAsReal", torch.view_as_real, [(3, 4)], dict(dtypes=COMPLEX, empty=[(0, 3)])),
    ("ViewAsComplex", lambda x: torch.view_as_complex(x.contiguous().clone()), [(3, 4, 2)], dict(dtypes=FLOATS[:2])),
]

# Ops that take complex numbers beside others: function, how it is compared, how many tensors.
COMPLEX_TOO = {
    "Add": (torch.add, RELATIVE, 2), "Sub": (torch.sub, RELATIVE, 2), "Mul": (torch.mul, RELATIVE, 2), "Div": (torch.div, RELATIVE, 2), "Pow": (torch.pow, RELATIVE, 2), "MatMul": (torch.matmul, RELATIVE, 2),
    "Equal": (torch.eq, EXACT, 2), "NotEqual": (torch.ne, EXACT, 2),
    "Neg": (torch.neg, RELATIVE, 1), "Square": (torch.square, RELATIVE, 1), "Reciprocal": (torch.reciprocal, RELATIVE, 1), "Exp": (torch.exp, RELATIVE, 1), "Expm1": (torch.expm1, RELATIVE, 1), "Log": (torch.log, RELATIVE, 1),
    "Log1p": (torch.log1p, RELATIVE, 1), "Sqrt": (torch.sqrt, RELATIVE, 1), "Rsqrt": (torch.rsqrt, RELATIVE, 1), "Sin": (torch.sin, RELATIVE, 1), "Cos": (torch.cos, RELATIVE, 1), "Tan": (torch.tan, RELATIVE, 1),
    "Tanh": (torch.tanh, RELATIVE, 1), "Sigmoid": (torch.sigmoid, RELATIVE, 1), "Abs": (torch.abs, RELATIVE, 1), "Angle": (torch.angle, RELATIVE, 1), "Sign": (torch.sgn, RELATIVE, 1), "Sum": (torch.sum, RELATIVE, 1),
    "Mean": (torch.mean, RELATIVE, 1), "IsNaN": (torch.isnan, EXACT, 1), "IsInf": (torch.isinf, EXACT, 1), "IsFinite": (torch.isfinite, EXACT, 1), "IsReal": (torch.isreal, EXACT, 1), "Clone": (torch.clone, EXACT, 1), "Detach": (torch.Tensor.detach, EXACT, 1),
}


def of_complex(op):
    """The cases of complex numbers of an op."""
    if op not in COMPLEX_TOO:
        return
    fn, kind, n = COMPLEX_TOO[op]
    m = Maker("complex " + op)
    for d in COMPLEX:
        xs = [m.tensor(d, (3, 4)) for _ in range(n)]
        if op == "MatMul":
            xs[1] = m.tensor(d, (4, 2))
        yield case(d, fn, xs, None, kind, gradient=d == "c64" and kind != EXACT)


def table():
    for op, fn, kind, dtypes, *domain in UNARY:
        whole = op.startswith("Is") or op in {"SignBit", "LogicalNot"}
        yield op, unary(op, fn, kind, dtypes, *domain, differentiable=not whole and dtypes[0] in FLOATS)
    for op, fn, kind, dtypes, *domain in BINARY:
        yield op, binary(op, fn, kind, dtypes, *domain, differentiable=False if op in LOGICAL_OPS | {"FloorDivide", "TruncDivide", "Ldexp"} else None)
    for op, fn, v, kind, dtypes in WITH_NUMBER:
        yield op, [*unary(op, lambda x: fn(x, v), kind, dtypes, 0.1, 3, attrs={"v": v}, differentiable=dtypes is FLOATS and op != "FloorDivideScalar"), *(with_two(op, fn, kind) if dtypes is FLOATS else [])]
    for op, fn, kind, dtypes, attrs, options in ALONG:
        whole = op.startswith(("Arg", "All", "Any"))
        yield op, along(op, fn, kind, dtypes, attrs, **({"differentiable": False} if whole else {}) | options)
    for op, fn, shapes, options in SEVERAL:
        yield op, calls(op, fn, shapes, **options)
