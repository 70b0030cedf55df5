"""Calls of elementwise ops. See samples.py."""

import math

import torch

from calls import Call, Skip, constant, element, name_of, number, only, times


def unary(op):
    def call(x, *args, **kwargs):
        if args:
            raise Skip("further arguments")
        only(kwargs)
        return Call(op, x)

    return call


def binary(op, with_number=None, number_first=None):
    """An op of two tensors. One with a number is an op of its own here, or the number is a constant."""

    def call(x, y, *args, **kwargs):
        only(kwargs, "rounding_mode")
        if args:
            raise Skip("further arguments")
        if number(x) and number_first and fits(x, y):
            return Call(number_first, y, v=float(x))
        if number(y) and with_number and fits(y, x):
            return Call(with_number, x, v=float(y))
        if not isinstance(x, torch.Tensor):
            x = constant(x, y)
        if not isinstance(y, torch.Tensor):
            y = constant(y, x)
        return Call(op, x, y)

    return call


def fits(v, x):
    """Whether a number is an element of a tensor's dtype, and so can be one of Go."""
    if isinstance(v, float):
        return x.is_floating_point() or x.is_complex()
    return x.dtype != torch.bool


def whole(op, with_number):
    """Ops of bits, whose number is an integer."""
    plain = binary(op)

    def call(x, y, *args, **kwargs):
        if number(y) and not isinstance(y, bool) and isinstance(x, torch.Tensor) and x.dtype != torch.bool:
            return Call(with_number, x, v=int(y))
        return plain(x, y, *args, **kwargs)

    return call


def swapped(op, with_number):
    """Operators whose right operand is the receiver, as __rsub__."""
    plain = binary(op, number_first=with_number)
    return lambda x, y, **kwargs: plain(y, x, **kwargs)


def with_alpha(op, with_number):
    plain = binary(op, with_number)

    def call(x, y, alpha=1, **kwargs):
        if alpha == 1:
            return plain(x, y, **kwargs)
        if number(y) and number(alpha) and fits(y, x) and fits(alpha, x):
            return Call(with_number, x, v=float(y * alpha))
        return Call(op, x, times(y, alpha, y.dtype))

    return call


def rsub(x, y, alpha=1):
    return binary("Sub", number_first="RSubScalar")(y, x) if alpha == 1 else Call("Sub", y if isinstance(y, torch.Tensor) else constant(y, x), times(x, alpha, x.dtype))


def where(x, condition, y):
    if number(x) and number(y):
        raise Skip("two numbers")
    if number(y):
        return Call("WhereScalar", condition, x, v=float(y))
    if number(x):
        return Call("ScalarWhere", condition, y, v=float(x))
    return Call("Where", condition, x, y)


def clamp(x, min=None, max=None):
    if min is None and max is None:
        raise Skip("no bound")
    if number(min) or number(max):
        return Call("ClampScalar", x, low=-math.inf if min is None else float(min), high=math.inf if max is None else float(max))
    if max is None:
        return Call("ClampMin", x, min)
    return Call("ClampMax", x, max) if min is None else Call("Clamp", x, min, max)


def bound(op, least):
    def call(x, y):
        if number(y) and fits(y, x):
            return Call("ClampScalar", x, low=float(y) if least else -math.inf, high=math.inf if least else float(y))
        return Call(op, x, y if isinstance(y, torch.Tensor) else constant(y, x))

    return call


def lerp(x, y, weight):
    if isinstance(weight, complex):
        raise Skip("complex numbers")
    return Call("LerpScalar", x, y, weight=float(weight)) if number(weight) else Call("Lerp", x, y, weight)


def scaled(op):
    def call(x, y, z, value=1):
        if isinstance(value, complex):
            raise Skip("complex numbers")
        if not number(value):
            raise Skip("an option that is a tensor")
        return Call(op, x, y, z, scale=float(value))

    return call


def nan_to_num(x, nan=None, posinf=None, neginf=None):
    if any(isinstance(v, complex) for v in (nan, posinf, neginf)):
        raise Skip("complex numbers")
    most = torch.finfo(torch.float64).max  # stands for the largest number of any dtype
    return Call("NaNToNum", x, nan=nan or 0.0, positive=most if posinf is None else posinf, negative=-most if neginf is None else neginf)


def masked_fill(x, mask, value):
    if isinstance(value, complex):
        raise Skip("complex numbers")
    if number(value):
        element(value, x.dtype)
        return Call("MaskedFill", x, mask, v=float(value))
    if value.dtype != x.dtype:
        raise Skip("promotion of dtypes")
    return Call("Where", mask, value, x)


def isclose(x, y, rtol=1e-5, atol=1e-8, equal_nan=False):
    return Call("IsClose", x, y, relative=rtol, absolute=atol, equalNaN=equal_nan)


def convert(dtype):
    return lambda x, **kwargs: Call("Convert", x, dtype=dtype)


def to(x, *args, **kwargs):
    for a in [*args, kwargs.get("dtype")]:
        if isinstance(a, torch.dtype):
            return Call("Convert", x, dtype=name_of(a))
        if isinstance(a, torch.Tensor):
            return Call("Convert", x, dtype=name_of(a.dtype))
    return Call("Clone", x)


def clone(x, **kwargs):
    return Call("Clone", x)


CALLS = {
    **{n: unary(g) for n, g in {
        "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "erfc": "Erfc", "erfinv": "ErfInv",
        "exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "floor": "Floor", "frac": "Frac", "lgamma": "Lgamma", "digamma": "Digamma", "log": "Log", "log10": "Log10", "log1p": "Log1p", "log2": "Log2", "round": "Round",
        "reciprocal": "Reciprocal", "rsqrt": "Rsqrt", "sigmoid": "Sigmoid", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh", "trunc": "Trunc", "deg2rad": "Deg2Rad", "rad2deg": "Rad2Deg",
        "abs": "Abs", "neg": "Neg", "sign": "Sign", "sgn": "Sign", "square": "Square", "signbit": "SignBit", "frexp": "Frexp", "bitwise_not": "Not", "logical_not": "LogicalNot", "positive": "Clone",
        "isfinite": "IsFinite", "isinf": "IsInf", "isnan": "IsNaN", "isposinf": "IsPosInf", "isneginf": "IsNegInf", "isreal": "IsReal",
        "conj": "Conj", "conj_physical": "Conj", "resolve_conj": "Clone", "resolve_neg": "Clone", "real": "Real", "imag": "Imag", "angle": "Angle", "view_as_real": "ViewAsReal", "view_as_complex": "ViewAsComplex",
        "i0": "special.I0", "special.modified_bessel_i0": "special.I0", "special.i0e": "special.I0e", "special.i1": "special.I1", "special.modified_bessel_i1": "special.I1", "special.i1e": "special.I1e",
        **{f"special.bessel_{n}": f"special.{n.upper()}" for n in ("j0", "j1", "y0", "y1")}, **{f"special.modified_bessel_{n}": f"special.{n.upper()}" for n in ("k0", "k1")},
        **{f"special.scaled_modified_bessel_{n}": f"special.{n.upper()}e" for n in ("k0", "k1")}, "special.airy_ai": "special.AiryAi",
        "special.ndtr": "special.Ndtr", "special.ndtri": "special.Ndtri", "special.log_ndtr": "special.LogNdtr", "special.entr": "special.Entr", "special.erfcx": "special.Erfcx", "sinc": "special.Sinc",
    }.items()},
    "add": with_alpha("Add", "AddScalar"), "sub": with_alpha("Sub", "SubScalar"), "rsub": rsub, "mul": binary("Mul", "MulScalar", "MulScalar"),
    "__radd__": swapped("Add", "AddScalar"), "__rsub__": swapped("Sub", "RSubScalar"), "__rmul__": swapped("Mul", "MulScalar"), "__rdiv__": swapped("Div", "RDivScalar"), "__rpow__": swapped("Pow", "RPowScalar"),
    "__rmod__": swapped("Remainder", None), "__rand__": whole("And", "AndScalar"), "__ror__": whole("Or", "OrScalar"), "__rxor__": whole("Xor", "XorScalar"),
    "div.no_rounding_mode": binary("Div", "DivScalar", "RDivScalar"), "true_divide": binary("Div", "DivScalar", "RDivScalar"), "div.trunc_rounding": binary("TruncDivide"),
    "div.floor_rounding": binary("FloorDivide", "FloorDivideScalar"), "floor_divide": binary("FloorDivide", "FloorDivideScalar"),
    "fmod": binary("Rem", "RemScalar"), "remainder": binary("Remainder", "RemainderScalar"), "pow": binary("Pow", "PowScalar", "RPowScalar"), "float_power": binary("FloatPower"), "atan2": binary("Atan2"), "ldexp": binary("Ldexp"),
    "hypot": binary("Hypot"), "copysign": binary("CopySign"), "nextafter": binary("NextAfter"), "logaddexp": binary("LogAddExp"), "logaddexp2": binary("LogAddExp2"), "heaviside": binary("Heaviside"),
    "fmax": binary("FMax"), "fmin": binary("FMin"), "xlogy": binary("Xlogy"), "special.xlog1py": binary("special.Xlog1py"), "special.zeta": binary("special.Zeta"),
    **{f"special.{s}chebyshev_polynomial_{k}": binary(f"special.{s[:-1].title()}Chebyshev{k.upper()}") for s in ("", "shifted_") for k in "tuvw"},
    "igamma": binary("special.GammaInc"), "igammac": binary("special.GammaIncC"), "gcd": binary("special.GCD"), "lcm": binary("special.LCM"),
    "special.hermite_polynomial_h": binary("special.HermiteH"), "special.hermite_polynomial_he": binary("special.HermiteHe"),
    "special.laguerre_polynomial_l": binary("special.LaguerreL"), "special.legendre_polynomial_p": binary("special.LegendreP"),
    "maximum": binary("Maximum", "MaximumScalar"), "minimum": binary("Minimum", "MinimumScalar"), "max.binary": binary("Maximum", "MaximumScalar"), "min.binary": binary("Minimum", "MinimumScalar"),
    "bitwise_and": whole("And", "AndScalar"), "bitwise_or": whole("Or", "OrScalar"), "bitwise_xor": whole("Xor", "XorScalar"),
    "bitwise_left_shift": whole("ShiftLeft", "ShiftLeftScalar"), "bitwise_right_shift": whole("ShiftRight", "ShiftRightScalar"),
    "logical_and": binary("LogicalAnd"), "logical_or": binary("LogicalOr"), "logical_xor": binary("LogicalXor"),
    "eq": binary("Equal", "EqualScalar"), "ne": binary("NotEqual", "NotEqualScalar"), "lt": binary("Less", "LessScalar"), "le": binary("LessEqual", "LessEqualScalar"), "gt": binary("Greater", "GreaterScalar"),
    "ge": binary("GreaterEqual", "GreaterEqualScalar"), "isclose": isclose,
    "clamp": clamp, "clamp_min": bound("ClampMin", True), "clamp_max": bound("ClampMax", False), "lerp": lerp, "addcmul": scaled("AddCMul"), "addcdiv": scaled("AddCDiv"),
    "nan_to_num": nan_to_num, "masked_fill": masked_fill, "where": where, "polar": binary("Polar"), "complex": binary("Complex"),
    "logit": lambda x, eps=None: Call("special.Logit", x, eps=-1.0 if eps is None else eps),
    **{f"polygamma.polygamma_n_{n}": lambda x, n: Call("special.Polygamma", x, n=n) for n in range(5)}, "special.polygamma.special_polygamma_n_0": lambda x, n: Call("special.Polygamma", x, n=n),
    **{f"mvlgamma.mvlgamma_p_{p}": lambda x, p: Call("special.MvLgamma", x, p=p) for p in (1, 3, 5)},
    **{f"round.decimals_{n}": lambda x, decimals: Call("RoundDecimals", x, decimals=decimals) for n in ("0", "3", "neg_3")},
    "bfloat16": convert("bf16"), "bool": convert("bool"), "byte": convert("u8"), "char": convert("i8"), "double": convert("f64"), "float": convert("f32"), "half": convert("f16"), "int": convert("i32"),
    "long": convert("i64"), "short": convert("i16"), "cfloat": convert("c64"), "cdouble": convert("c128"), "to": to, "clone": clone, "contiguous": clone, "alias_copy": clone,
}
