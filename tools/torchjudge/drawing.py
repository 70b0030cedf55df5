"""Calls of random numbers, and of tensors whose elements have no value yet. See samples.py."""

import math

import torch

from calls import Call, Skip, listed, name_of, number, unpacked
from shapes import filled


def within(low, high=math.inf):
    """Says of results that not all of their elements are finite and between two numbers."""

    def wrong(y):
        ok = (y.isfinite() & (y >= low) & (y <= high) if not y.is_complex() else y.isfinite()) if y.dtype != torch.bool else torch.ones_like(y)
        return None if ok.all() else f"random numbers not within {low} and {high}"

    return wrong


ANY = within(-math.inf)


def unbounded(y):
    return "random numbers that are NaN" if y.isnan().any() else None


def unknown(y):
    """Elements that have no value."""
    return None


def uniform(dtype, dims):
    if dtype.is_complex:
        raise Skip(f"dtype {name_of(dtype)}")
    return Call("Random.Uniform", dtype=name_of(dtype), dims=dims)


def normal(dtype, dims, mean=0.0, std=1.0, **options):
    if dtype.is_complex:
        raise Skip(f"dtype {name_of(dtype)}")
    return Call("Random.Normal", dtype=name_of(dtype), mean=float(mean), stddev=float(std), dims=dims, **options)


def dims_of(x):
    return list(x.shape)


def uniform_(x, low=0.0, high=1.0):
    return Call("AddScalar", Call("MulScalar", uniform(x.dtype, dims_of(x)), v=float(high - low)), v=float(low), drawn=within(low, high))


def remaining(x):
    """1 less numbers of [0, 1), in f32 at least: none of them is 0."""
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    return Call("RSubScalar", uniform(dtype, dims_of(x)), v=1.0)


def exponential(x, rate=1.0):
    return Call("Convert", Call("MulScalar", Call("Log", remaining(x)), v=-1.0 / rate), dtype=name_of(x.dtype), drawn=within(0))


def geometric(x, p):
    return Call("Convert", Call("ClampScalar", Call("Ceil", Call("MulScalar", Call("Log", remaining(x)), v=1 / math.log1p(-p))), low=1.0, high=math.inf), dtype=name_of(x.dtype), drawn=within(1))


def cauchy(x, median=0.0, sigma=1.0):
    turns = Call("MulScalar", Call("AddScalar", remaining(x), v=-0.5), v=math.pi)
    return Call("Convert", Call("AddScalar", Call("MulScalar", Call("Tan", turns), v=float(sigma)), v=float(median)), dtype=name_of(x.dtype), drawn=unbounded)


def log_normal(x, mean=1.0, std=2.0):
    return Call("Exp", normal(x.dtype, dims_of(x), mean, std), drawn=within(0))


def of_shape(draw, drawn):
    def call(*size, dtype=None, **kwargs):
        y = draw(dtype or torch.get_default_dtype(), unpacked(size))
        y.drawn, y.differentiable = drawn, False
        return y

    return call


def like(draw, drawn):
    return lambda x, dtype=None, **kwargs: of_shape(draw, drawn)(dims_of(x), dtype=dtype or x.dtype)


def integers(low, high, dims, dtype):
    """Integers of [low, high), which PyTorch also gives as floating point."""
    whole = not dtype.is_floating_point and dtype != torch.bool
    y = Call("Random.RandInt", dtype=name_of(dtype) if whole else "i64", low=low, high=high, dims=dims)
    y = y if whole else Call("Convert", y, dtype=name_of(dtype))
    y.drawn, y.differentiable = within(low, high - 1), False
    return y


def randint(*args, dtype=None, **kwargs):
    low, high, size = args if len(args) == 3 else (0, *args)
    return integers(low, high, listed(size), dtype or torch.int64)


def randint_like(x, *args, dtype=None, **kwargs):
    low, high = args if len(args) == 2 else (0, *args)
    return integers(low, high, dims_of(x), dtype or x.dtype)


def normal_of(mean, std, size=None, dtype=None, **kwargs):
    """Normal numbers times deviations, plus means, either of which may be a number."""
    if number(mean) and number(std):
        return normal(dtype or torch.get_default_dtype(), list(size), mean, std, drawn=ANY)
    kept = next(t for t in (mean, std) if isinstance(t, torch.Tensor))
    dims = list(torch.broadcast_shapes(*(t.shape for t in (mean, std) if isinstance(t, torch.Tensor))))
    y = normal(kept.dtype, dims)
    y = Call("MulScalar", y, v=float(std)) if number(std) else Call("Mul", y, std)
    y = Call("AddScalar", y, v=float(mean)) if number(mean) else Call("Add", y, mean)
    y.drawn, y.differentiable = ANY, False
    return y


def multinomial(p, n, replacement=False):
    return Call("Random.Multinomial", p, n=n, replacement=replacement, drawn=within(0, p.shape[-1] - 1))


def bernoulli(p, *args):
    """Uniform numbers are below the probability, element by element."""
    u = uniform(torch.float64 if p.dtype == torch.float64 else torch.float32, dims_of(p))
    return Call("Convert", Call("Less", u, p), dtype=name_of(p.dtype), drawn=zeros_and_ones)


def zeros_and_ones(y):
    return None if ((y == 0) | (y == 1)).all() else "random numbers that are not 0 and 1"


def dropout(x, p=0.5, training=True, inplace=False):
    return dropped(x, x, p, training)


def dropped(x, at, p, training):
    """x with what Dropout makes of ones at the places of a mask, which broadcasts with x."""
    if not training:
        return Call("Clone", x)
    y = Call("Random.Dropout", x, p=float(p)) if at is x else Call("Mul", x, Call("Random.Dropout", torch.ones(at, dtype=x.dtype), p=float(p)))
    if 0 < p < 1:
        y.drawn, y.differentiable = kept_or_zero(x, p), False
    return y


def kept_or_zero(x, p):
    """Elements are 0, or those of x divided by the probability that they stay."""
    kept = x / (1 - p)
    return lambda y: None if ((y == 0) | torch.isclose(y, kept, rtol=1e-2)).all() else "elements that are neither dropped nor kept"


def dropout_of_channels(spatial):
    def call(x, p=0.5, training=True, inplace=False):
        channels = list(x.shape[: x.dim() - spatial]) if x.dim() > spatial + 1 else list(x.shape[:1])
        return dropped(x, channels + [1] * (x.dim() - len(channels)), p, training)

    return call


def alpha_dropout(x, p=0.5, training=False, inplace=False):
    if training and p:
        raise Skip("dropout that keeps mean and variance: no op")
    return Call("Clone", x)


def empty(*size, dtype=None, **kwargs):
    y = filled("Zeros")(*size, dtype=dtype)
    y.drawn = unknown
    return y


def new_empty(x, size, *strides, dtype=None, **kwargs):
    return empty(size, dtype=dtype or x.dtype)


CALLS = {
    "uniform": uniform_, "exponential": exponential, "geometric": geometric, "cauchy": cauchy, "log_normal": log_normal, "normal.in_place": lambda x, mean=0.0, std=1.0: normal(x.dtype, dims_of(x), mean, std, drawn=ANY),
    "randn": of_shape(normal, ANY), "randn_like": like(normal, ANY), "rand_like": like(uniform, within(0, 1)), "randint": randint, "randint_like": randint_like,
    "normal": normal_of, "normal.number_mean": normal_of, "multinomial": multinomial, "bernoulli": bernoulli,
    "nn.functional.dropout": dropout, "nn.functional.dropout2d": dropout_of_channels(2), "nn.functional.dropout3d": dropout_of_channels(3),
    "nn.functional.alpha_dropout": alpha_dropout, "nn.functional.feature_alpha_dropout.with_train": alpha_dropout, "nn.functional.feature_alpha_dropout.without_train": alpha_dropout,
    "empty": empty, "empty_like": lambda x, dtype=None, **kwargs: empty(dims_of(x), dtype=dtype or x.dtype), "empty_strided": lambda size, *strides, dtype=None, **kwargs: empty(size, dtype=dtype),
    "empty_permuted": lambda size, *order, dtype=None, **kwargs: empty(size, dtype=dtype), "new_empty": new_empty, "new_empty_strided": new_empty,
}
