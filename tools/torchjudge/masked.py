"""Calls of torch.masked: Where with the identity of what comes after it, and that. See samples.py."""

import torch

from calls import Call, Skip, converted, name_of, summed
from reductions import dims_of


def visible(x, mask, identity, dtype=None):
    """x where the mask is true, and the identity elsewhere."""
    if mask is None:
        return x
    like = dtype or x.dtype
    name_of(like)
    return Call("Where", mask, converted(x, dtype), torch.full((), identity(like), dtype=like))


def ordered(dtype):
    """Refuses complex numbers, which have no order."""
    if dtype.is_complex:
        raise Skip(f"dtype {name_of(dtype)}")


def lowest(dtype):
    ordered(dtype)
    return False if dtype == torch.bool else -torch.inf if dtype.is_floating_point else torch.iinfo(dtype).min


def highest(dtype):
    ordered(dtype)
    return True if dtype == torch.bool else torch.inf if dtype.is_floating_point else torch.iinfo(dtype).max


def zero(dtype):
    return 0


def one(dtype):
    return 1


def reduction(op, identity):
    def call(x, dim=None, *, keepdim=False, dtype=None, mask=None):
        return finished(op + "Keep" if keepdim else op, x, mask, identity, dtype, axes=dims_of(x, dim))

    return call


def finished(op, x, mask, identity, dtype, **attrs):
    if op.startswith(("Arg", "LogSumExp")) and dtype in (None, x.dtype):
        # PyTorch converts these to the dtype of x.
        y = Call(op, visible(x, mask, identity), **attrs)
        floats = op.startswith("LogSumExp") and (x.is_floating_point() or x.is_complex())
        return y if floats or x.dtype == torch.int64 and op.startswith("Arg") else Call("Convert", y, dtype=name_of(x.dtype))
    if mask is None:
        return summed(op, x, dtype, **attrs)
    y = Call(op, visible(x, mask, identity, dtype), **attrs)
    return y if dtype in (None, torch.int64) or dtype.is_floating_point or dtype.is_complex else Call("Convert", y, dtype=name_of(dtype))


def along(op, identity):
    def call(x, dim=None, *, keepdim=False, dtype=None, mask=None):
        if x.dim() == 0:
            return Call("Reshape", call(x.reshape(1), 0, dtype=dtype, mask=None if mask is None else mask.reshape(-1)), dims=[])
        if dim is None and op.startswith("Arg") and (mask is None or mask.shape == x.shape):
            y = call(x.reshape(-1), 0, dtype=dtype, mask=None if mask is None else mask.reshape(-1))
            return Call("Reshape", y, dims=[1] * x.dim()) if keepdim else y
        if dim is None:
            raise Skip("no axis")
        return finished(op + "Keep" if keepdim else op, x, mask, identity, dtype or x.dtype if op.startswith("Cum") else dtype, axis=dim)

    return call


def norm(x, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    if mask is not None and ord is not None and ord < 0:
        return Call("NormKeep" if keepdim else "Norm", visible(x, mask, highest, dtype), p=float(ord), axes=dims_of(x, dim))
    return Call("NormKeep" if keepdim else "Norm", visible(x, mask, zero, dtype), p=2.0 if ord is None else float(ord), axes=dims_of(x, dim))


def finite(f):
    """Samples with infinities and NaNs, which OpInfo has for results alone."""

    def call(x, *args, **kwargs):
        y = f(x, *args, **kwargs)
        y.differentiable = bool(x.isfinite().all())
        return y

    return call


CALLS = {
    "masked.sum": reduction("Sum", zero), "masked.prod": reduction("Prod", one), "masked.amax": reduction("Max", lowest), "masked.amin": reduction("Min", highest), "masked.logsumexp": reduction("LogSumExp", lowest),
    "masked.argmax": along("ArgMax", lowest), "masked.argmin": along("ArgMin", highest), "masked.cumsum": along("CumSum", zero), "masked.cumprod": along("CumProd", one), "masked.norm": norm,
    "masked.softmax": along("Softmax", lowest), "masked.log_softmax": along("LogSoftmax", lowest), "masked.softmin": along("nn.Softmin", highest),
}
CALLS = {name: finite(call) for name, call in CALLS.items()}
