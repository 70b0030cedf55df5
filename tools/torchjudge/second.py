"""Second derivatives: the gradients of a weighted sum of the gradients of a sample.

Our calls become functions of torch.autograd: the gradient of a call is another call of ltc-dump,
and so is the gradient of that. PyTorch then differentiates a sample that is several calls here as
it differentiates its own ops, and both are asked for the same derivatives.
"""

import itertools

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from calls import Call, continuous
from reference import Taken, cotangent, leaves_of, processing, tensors, undifferentiable
from server import Refused, encode


BEYOND = 1e12  # quotients of what rounding has left of 0


class Forward(torch.autograd.Function):
    """The floating-point results of a call. The others are in a list of the context."""

    @staticmethod
    def forward(ctx, server, call, others, *inputs):
        ctx.asked = server, call
        ctx.save_for_backward(*inputs)
        ys, _ = server.ask(call, inputs)
        others += ys
        return tuple(y for y in ys if continuous(y))

    @staticmethod
    def backward(ctx, *cotangents):
        return None, None, None, *Backward.apply(*ctx.asked, len(cotangents), *cotangents, *ctx.saved_tensors)


class Backward(torch.autograd.Function):
    """The gradients of a call for its inputs, None for one that is not floating point."""

    @staticmethod
    def forward(ctx, server, call, n, *given):
        ctx.asked, ctx.n = (server, call), n
        ctx.save_for_backward(*given)
        cotangents, inputs = given[:n], given[n:]
        _, gs = server.ask(call, inputs, grad=True, cotangents=[encode(c) for c in cotangents])
        return tuple(gs)

    @staticmethod
    def backward(ctx, *weights):
        server, call = ctx.asked
        cotangents, inputs = ctx.saved_tensors[: ctx.n], ctx.saved_tensors[ctx.n :]
        given = [w if w is not None else torch.zeros_like(x) for w, x in zip(weights, inputs) if continuous(x)]
        seconds, tangents = server.ask_second(call, inputs, cotangents=[encode(c) for c in cotangents], weights=[encode(w) for w in given])
        return None, None, None, *tangents, *seconds


def ours(server, call, sample):
    """The results of a call that are compared, as a part of a graph of torch."""
    inputs = [ours(server, x, sample)[0] if isinstance(x, Call) else x for x in call.inputs]
    ys = inputs
    if call.op is not None:
        ys = []
        if any(x.requires_grad for x in inputs):
            graph = iter(Forward.apply(server, call, ys, *inputs))
            ys = [next(graph) if continuous(y) else y for y in ys]
        else:
            ys, _ = server.ask(call, inputs)
    ys = call.compared(ys)
    if call.processed:
        ys = tensors(processing(call, sample)(ys[0] if len(ys) == 1 else tuple(ys)))
    return ys


def arguments(op, sample):
    """What OpInfo's wrapper makes of a sample's arguments, as a graph from its tensors."""

    def take(*args, **kwargs):
        raise Taken(args, kwargs)

    try:
        op.gradcheck_wrapper(take, sample.input, *sample.args, **sample.kwargs)
    except Taken as e:
        return e.args


def derivatives(ys, leaves, cotangents, weights):
    """The gradients of results for leaves, and the gradients of these for leaves and cotangents."""
    gs = gradients(ys, leaves, cotangents)
    seconds = gradients(gs, [*leaves, *cotangents], weights)
    return [g.detach() for g in gs], [s.detach() for s in seconds]


def gradients(ys, xs, weights):
    """The gradients of a weighted sum, as a part of the graph: zeros for what it does not depend on."""
    pairs = [(y, w) for y, w in zip(ys, weights) if y.requires_grad]
    if not pairs:
        return [torch.zeros_like(x) for x in xs]
    return torch.autograd.grad([y for y, _ in pairs], xs, [w for _, w in pairs], create_graph=True, allow_unused=True, materialize_grads=True)


class Undefined(Exception):
    """There is no second derivative to compare with."""


def judged(server, call_of, op, sample, differ):
    """How the second derivatives of a sample differ from PyTorch's; None if they do not. Raises Skip
    for a sample that is no call, and Undefined where there is nothing to compare with."""
    leaves = leaves_of([sample.input, *sample.args, *sample.kwargs.values()])
    wrt = list(leaves)
    while True:
        try:
            return judged_by(server, call_of, op, sample, differ, wrt)
        except RuntimeError as e:
            if not without(e) or len(wrt) < 2:
                raise Undefined("PyTorch: " + str(e).split(".")[0][:100])
            # PyTorch has none for one of them: those that it has one for alone remain.
            for x in leaves:
                x.requires_grad_(False)
            fewer = [x for x in wrt if has(op, sample, x)]
            wrt = fewer if 0 < len(fewer) < len(wrt) else wrt[:1]
        finally:
            for x in leaves:
                x.requires_grad_(False)


def has(op, sample, x):
    """Whether PyTorch has a gradient for one tensor of a sample."""
    x.requires_grad_(True)
    try:
        args, kwargs = arguments(op, sample)
        op(*args, **kwargs)
        return True
    except RuntimeError:
        return False
    finally:
        x.requires_grad_(False)


def judged_by(server, call_of, op, sample, differ, wrt):
    """What judged returns, of the derivatives for some of the sample's tensors."""
    for x in wrt:
        x.requires_grad_(True)
    args, kwargs = arguments(op, sample)
    call = call_of(*args, **kwargs)
    if call.counted or not call.differentiable:
        raise Undefined("random, or of a size that follows from data")
    taken = [x for x in call.tensors() if isinstance(x, torch.Tensor) and x.requires_grad]
    if not taken:
        raise Undefined("no gradient")
    used = torch.autograd.grad(taken, wrt, [torch.ones_like(x) for x in taken], allow_unused=True, retain_graph=True)
    wrt = [x for x, g in zip(wrt, used) if g is not None]  # others are attributes of our call
    with sdpa_kernel(SDPBackend.MATH):  # the other kernels of attention have no second derivatives
        want = tensors(processing(call, sample)(op(*args, **kwargs)))
    want = [y for y in (want if call.outputs is None else want[: len(call.outputs)]) if continuous(y)]
    differentiable = [y.requires_grad for y in want]
    if not any(differentiable):
        raise Undefined("no gradient")
    if not all(y.isfinite().all() for y in want):
        raise Undefined("results that are not finite")
    want = list(itertools.compress(want, differentiable))
    cotangents = [cotangent(y.detach(), ones=False).requires_grad_() for y in want]
    weights = [(-1) ** i * (1 + i / 3) * cotangent(x.detach(), ones=False).flip(tuple(range(x.dim()))) for i, x in enumerate(wrt)]
    gs, seconds = derivatives(want, wrt, cotangents, weights)
    if not all((x.abs() < BEYOND).all() for x in (*gs, *seconds)):
        raise Undefined(f"derivatives that are not finite, or beyond {BEYOND:g}")
    try:
        got = list(itertools.compress(filter(continuous, ours(server, call, sample)), differentiable))
        own, own_seconds = derivatives(got, wrt, cotangents, weights)
    except Refused as e:
        return str(e)
    for what, xs, ys in ("gradient", own, gs), ("second derivative", own_seconds, seconds):
        for x, y in zip(xs, ys, strict=True):
            if problem := differ(x, y, True):
                return f"{what}: {problem}"
    return None


def without(e):
    """Whether an error says that PyTorch has no derivative."""
    return undifferentiable(e) or "not implemented" in str(e)


# Ops whose derivatives at edges are not compared, and why.
NO_EDGES = {
    "edges: PyTorch does not define which of equal elements has the gradient": ["kthvalue", "topk", "msort", "quantile", "nanquantile"],
    "edges: of equal elements one has the gradient, which PyTorch spreads": ["median", "nanmedian"],
    "edges: docs/pytorch.md lists another derivative at a kink": [
        "clamp", "clamp_max", "clamp_min", "fmax", "fmin", "nextafter", "polar", *(f"nn.functional.{n}" for n in ("elu", "celu", "selu", "prelu"))],
    "edges: PyTorch counts elements that are left out, too, among equal ones": [f"{n}_reduce.{r}" for n in ("index", "scatter") for r in ("amin", "amax")],
    "edges: equal eigenvalues and singular values have no vectors of their own": ["linalg.eigh", "linalg.svdvals", "norm.nuc"],
    "edges: docs/pytorch.md has matrices without full rank": ["linalg.lstsq", "linalg.lstsq.grad_oriented"],
}
NO_EDGES = {name: why for why, names in NO_EDGES.items() for name in names}


def edges(sample):
    """A sample at edges: with zeros in place of one of its tensors, of all, with ones, and with whole numbers,
    of which many are equal."""
    leaves = leaves_of([sample.input, *sample.args, *sample.kwargs.values()])
    values = [x.detach().clone() for x in leaves]
    for zero in [*[[x] for x in leaves], leaves] if len(leaves) > 1 else [leaves]:
        for x in zero:
            x.zero_()
        yield "zeros"
        restore(leaves, values)
    for x in leaves:
        x.fill_(1)
    yield "ones"
    restore(leaves, values)
    for x in leaves:
        x.round_() if not x.is_complex() else None
    yield "whole numbers"
    restore(leaves, values)


def restore(leaves, values):
    for x, v in zip(leaves, values):
        x.copy_(v)
