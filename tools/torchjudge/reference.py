"""What PyTorch computes for a sample."""

import copy

import torch

from calls import continuous


def tensors(ys):
    return [y for y in (ys if isinstance(ys, (tuple, list)) else [ys]) if isinstance(y, torch.Tensor)]


def wide(x):
    """A sample's argument in f64, or c128."""
    if continuous(x):
        return x.detach().to(torch.complex128 if x.is_complex() else torch.float64)
    if isinstance(x, torch.dtype) and (x.is_floating_point or x.is_complex):
        return torch.complex128 if x.is_complex else torch.float64
    if isinstance(x, (list, tuple)):
        return type(x)(wide(y) for y in x)
    return x


def widened(sample):
    """The sample with arguments in f64, or c128."""
    sample = copy.copy(sample)
    sample.input, sample.args, sample.kwargs = wide(sample.input), wide(tuple(sample.args)), {k: wide(v) for k, v in sample.kwargs.items()}
    return sample


def leaves_of(args):
    """The tensors among arguments that have gradients, in their order."""
    all = []
    for x in args:
        if continuous(x):
            all.append(x)
        elif isinstance(x, (list, tuple)):
            all += leaves_of(x)
    return all


def processing(call, sample):
    """The function of results that is compared."""
    return call.processed if callable(call.processed) else sample.output_process_fn_grad if call.processed else lambda ys: ys


class Reference:
    """What PyTorch computes for a sample."""

    def __init__(self, op, sample, call, args=None, kwargs=None):
        self.op, self.sample, self.call = op, sample, call
        self.args = [sample.input, *sample.args] if args is None else args
        self.kwargs = sample.kwargs if kwargs is None else kwargs
        self.leaves = leaves_of([*self.args, *self.kwargs.values()])

    def wide(self):
        return Reference(self.op, self.sample, self.call, wide(self.args), {k: wide(v) for k, v in self.kwargs.items()})

    def results(self):
        ys = self.op(*self.args, **self.kwargs)
        ys = tensors(processing(self.call, self.sample)(ys))
        return ys if self.call.outputs is None else ys[: len(self.call.outputs)]

    def gradients(self, wrt, cotangents):
        """The results, and the gradients for the leaves whose places are in wrt."""
        for i, x in enumerate(self.leaves):
            x.requires_grad_(i in wrt)
        try:
            ys = self.results()
            gs = pulled_back(ys, [self.leaves[i] for i in wrt], cotangents)
            return [y.detach() for y in ys], gs
        finally:
            for x in self.leaves:
                x.requires_grad_(False)


def pulled_back(ys, xs, cotangents):
    """The gradients for xs of the results that have any, times their cotangents."""
    pairs = [(y, c.to(y.dtype)) for y, c in zip(filter(continuous, ys), cotangents) if y.requires_grad]
    return torch.autograd.grad([y for y, _ in pairs], xs, [c for _, c in pairs], allow_unused=True, materialize_grads=True)


def cotangent(y, ones):
    """A cotangent of a result: other numbers for each element, or ones."""
    if ones:
        return torch.ones_like(y)
    n = max(y.numel(), 1)
    c = torch.linspace(0.5, 1.5, n, dtype=y.real.dtype)
    if y.is_complex():
        c = torch.complex(c, torch.linspace(1, -1, n, dtype=c.dtype))
    return c[: y.numel()].reshape(y.shape)


class Taken(Exception):
    """The arguments that an op was called with."""


def natural(op, sample):
    """The sample with what OpInfo's wrapper makes of its arguments, for which gradients mean something:
    triangular, Hermitian or normalized ones. The second result has the graph that leads to each."""

    def take(*args, **kwargs):
        raise Taken(args, kwargs)

    leaves = leaves_of([sample.input, *sample.args, *sample.kwargs.values()])
    for x in leaves:
        x.requires_grad_(True)
    graphs = {}

    def apart(x):
        if isinstance(x, (list, tuple)):
            return type(x)(apart(y) for y in x)
        if not isinstance(x, torch.Tensor) or x.grad_fn is None:
            return x
        y = x.detach().clone()
        graphs[id(y)] = x, leaves
        return y

    try:
        op.gradcheck_wrapper(take, sample.input, *sample.args, **sample.kwargs)
    except Taken as e:
        (first, *rest), kwargs = e.args
        sample = copy.copy(sample)
        sample.input, sample.args, sample.kwargs = apart(first), tuple(apart(x) for x in rest), {k: apart(v) for k, v in kwargs.items()}
    for x in leaves_of([sample.input, *sample.args, *sample.kwargs.values()]):
        x.requires_grad_(False)
    return sample, graphs


def through(x, g, graphs):
    """The gradient for what x was made of."""
    if g is None or id(x) not in graphs:
        return g
    y, before = graphs[id(x)]
    gs = torch.autograd.grad(y, [b for b in before if b.requires_grad], g, retain_graph=True, allow_unused=True)
    return next(b for b in gs if b is not None)


def undifferentiable(e):
    return "not differentiable with respect to" in str(e) or "derivative for" in str(e)


def rounded(exact, like):
    return [y.to(w.dtype) for y, w in zip(exact, like)]
