"""Writes torch.txt, what PyTorch computes for the functions of torch.fft, beside this file.

The version that wrote it stands in its first line. A case has the function with its options and the
kind and shape of its input: c for complex, r for real numbers. A line with the result and a line with
the gradient of the input follow, for a gradient of the result by the formula of fill. Complex numbers
are written as re,im. The test makes the same inputs by that formula.
"""
import math
import os

import torch


def fill(kind, dims, k):
    i = torch.arange(math.prod(dims), dtype=torch.float64)
    re = ((i * 7 + 3 * k + 5) % 23 - 11) / 4
    im = ((i * 5 + 2 * k + 3) % 19 - 9) / 4
    return (torch.complex(re, im) if kind == "c" else re).reshape(dims)


def text(t):
    t = t.reshape(-1)
    if t.is_complex():
        return " ".join("%.12g,%.12g" % (v.real, v.imag) for v in t.tolist())
    return " ".join("%.12g" % v for v in t.tolist())


def listed(v):
    return "-" if v is None else ",".join(map(str, v))


out = ["# PyTorch %s" % torch.__version__.split("+")[0]]


def case(name, kind, dims, n=None, axes=None, norm="backward"):
    f = getattr(torch.fft, name)
    x = fill(kind, dims, 0).requires_grad_()
    if name[-1] in "2n":
        arg = {"s": n, "norm": norm}
        if axes is not None:
            arg["dim"] = axes
    else:
        arg = {"n": n[0] if n else None, "norm": norm, "dim": axes[0] if axes else -1}
    y = f(x, **arg)
    y.backward(fill("c" if y.is_complex() else "r", y.shape, 1))
    out.append("%s %s %s n=%s axes=%s norm=%s" % (name, kind, ",".join(map(str, dims)), listed(n), listed(axes), norm))
    out.append("  [%s] %s" % (",".join(map(str, y.shape)), text(y.detach())))
    out.append("  d %s" % text(x.grad))


REAL_INPUT = ["rfft", "ihfft"]
for name in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]:
    kind = "r" if name in REAL_INPUT else "c"
    for norm in ["backward", "ortho", "forward"]:
        case(name, kind, (2, 5), norm=norm)
    case(name, kind, (6,))
    case(name, kind, (4, 3), axes=(0,))
    case(name, kind, (2, 5), n=(4,))
    case(name, kind, (2, 5), n=(9,))
    case(name, kind, (2, 4, 3), n=(6,), axes=(-2,), norm="ortho")
    case(name, kind, (1,), n=(1,))
    if name in ("fft", "ifft", "irfft"):
        case(name, "r", (2, 5))
    kind2 = kind
    for norm in ["backward", "ortho", "forward"]:
        case(name + "2", kind2, (3, 4), norm=norm)
    case(name + "2", kind2, (3, 2, 4), axes=(0, 1))
    case(name + "2", kind2, (2, 3, 4), axes=(1,))
    case(name + "2", kind2, (2, 3, 4), axes=(2, 0, 1))
    case(name + "2", kind2, (3, 4), n=(2, 7))
    case(name + "2", kind2, (3, 4), n=(-1, 5), axes=(1, 0))
    for norm in ["backward", "ortho", "forward"]:
        case(name + "n", kind2, (2, 3, 4), norm=norm)
    case(name + "n", kind2, (2, 3, 4), n=(3, 3))
    case(name + "n", kind2, (2, 3, 4), axes=(2, 0))
    case(name + "n", kind2, (2, 3, 2, 3, 2), axes=(4, 0, 2, 1, 3))
    case(name + "n", kind2, (2, 2, 3, 2))

open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch.txt"), "w").write("\n".join(out) + "\n")
