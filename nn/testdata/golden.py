"""Writes torch.txt, what PyTorch computes for the functions of package nn, beside this file.

The version that wrote it stands in its first line. A case has the text of its inputs, the results and,
of the sum of the results times the weights of kind w, the gradients of its inputs. The test makes the
same inputs by the formulas of fill.
"""
import math
import os
import sys

import torch
import torch.nn.functional as F

ENDS = [-math.inf, -1000, -6, -3, -1, -0.5, -0.0, 0.0, 0.5, 1, 3, 6, 1000, math.inf, math.nan]


def fill(kind, dims, k):
    """Elements of input k: kinds f (any sign, many on kinks), u (between 0 and 1), p (positive), s (-1 or 1),
    e (ends), lN (labels below N), b (bool), w (weights)."""
    n = math.prod(dims)
    i = torch.arange(n, dtype=torch.float64)
    if kind == "f":
        v = ((i * 7 + 3 * k + 5) % 23 - 11) / 4
    elif kind == "u":
        v = ((i * 7 + 3 * k + 5) % 23 + 1) / 25
    elif kind == "p":
        v = ((i * 7 + 3 * k + 5) % 23 + 1) / 10
    elif kind == "s":
        v = (i * 7 + 3 * k + 5) % 23 % 2 * 2 - 1
    elif kind == "w":
        v = ((i * 5 + 2) % 17 - 6) / 8
    elif kind == "e":
        v = torch.tensor(ENDS, dtype=torch.float64)
    elif kind[0] == "l":
        v = ((i * 5 + k) % int(kind[1:])).long()
    elif kind == "b":
        v = (i * 7 + 3 * k + 5) % 23 % 3 > 0
    return v.reshape(dims)


def text(t):
    return " ".join("%.12g" % v for v in t.detach().double().reshape(-1).tolist())


out = ["# PyTorch %s" % torch.__version__.split("+")[0]]


def case(name, f, *inputs, grad=True):
    """f of inputs, each "kind" or "kind dims". Without grad there are no gradients."""
    xs = []
    for k, s in enumerate(inputs):
        kind, *dims = s.split()
        dims = [int(d) for d in dims[0].split(",")] if dims else ([len(ENDS)] if kind == "e" else [])
        x = fill(kind, dims, k)
        xs.append(x.requires_grad_() if x.is_floating_point() and grad else x)
    ys = f(*xs)
    ys = ys if isinstance(ys, (tuple, list)) else [ys]
    out.append("%s: %s" % (name, "; ".join(inputs)))
    loss = 0
    for y in ys:
        out.append("  [%s] %s" % (",".join(str(d) for d in y.shape), text(y)))
        if y.is_floating_point() and y.requires_grad:
            loss = loss + (y * fill("w", y.shape, 0)).sum()
    if grad:
        for i, x in enumerate(xs):
            if x.is_floating_point():
                g = torch.autograd.grad(loss, x, retain_graph=True, allow_unused=True)[0]
                out.append("  d%d %s" % (i, text(torch.zeros_like(x) if g is None else g)))


def hard_sigmoid(x):
    """F.hardsigmoid, whose gradient of f64 has the digits of f32 alone."""
    return torch.where((x > -3) & (x < 3), x + 3, F.relu6(x + 3).detach()) / 6


def activations():
    fs = {
        "SiLU": F.silu, "ELU": lambda x: F.elu(x, 1.5), "SELU": F.selu, "CELU": lambda x: F.celu(x, 1.5),
        "GELUTanh": lambda x: F.gelu(x, approximate="tanh"), "Mish": F.mish, "LogSigmoid": F.logsigmoid,
        "Softplus": lambda x: F.softplus(x, 2, 3), "Softsign": F.softsign, "TanhShrink": F.tanhshrink,
        "SoftShrink": lambda x: F.softshrink(x, 0.5), "HardShrink": lambda x: F.hardshrink(x, 0.5),
        "HardTanh": lambda x: F.hardtanh(x, -1, 0.5), "ReLU6": F.relu6, "HardSigmoid": hard_sigmoid, "HardSwish": F.hardswish,
        "LeakyReLU": lambda x: F.leaky_relu(x, 0.1), "Threshold": lambda x: F.threshold(x, 0.5, 20),
    }
    for name, f in fs.items():
        case(name, f, "f 3,8")
        case(name + "/ends", f, "e")
    case("GLU", lambda x: F.glu(x, 1), "f 3,4")
    case("PReLU", F.prelu, "f 2,3,2", "f 3")
    case("PReLU/one", F.prelu, "f 2,3", "f 1")
    case("Softmin", lambda x: F.softmin(x, 0), "f 3,4")
    case("SafeSoftmax", lambda x: torch._safe_softmax(x, 1), "f 3,4")


for group in [activations]:
    group()
with open(os.path.join(os.path.dirname(sys.argv[0]), "torch.txt"), "w") as f:
    f.write("\n".join(out) + "\n")
