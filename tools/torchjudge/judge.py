"""Has PyTorch's OpInfo samples judge our ops: make judge-torch.

    judge.py LTC_DUMP [-backend NAME] [-page FILE] [-dtype NAME]… [-v] [OP…]

One process `LTC_DUMP op -serve` answers all calls. For each op the table says how many
samples were tried, passed and skipped, and why: a skipped sample is no call of one op here
(samples.py has the reasons). A gradient is tried for samples of f32 and f64. The exit status
is 1 if less than 99 % of an op's samples passed.
"""

import argparse
import base64
import collections
import json
import re
import subprocess
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

from samples import CALLS, DTYPES, FLOATS, Skip

NAMES = {torch.bool: "bool", torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
         torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64"}
TYPES = {n: d for d, n in NAMES.items()}
# OpInfo's own tolerances, as torch.testing has them.
RTOL = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.float64: 1e-7}
ATOL = {torch.float16: 1e-5, torch.bfloat16: 1e-5, torch.float32: 1e-5, torch.float64: 1e-7}


PRODUCTS = {"MatMul", "nn.ScaledDotProductAttention", *(f"nn.Conv{k}{d}d" for k in ("", "Transpose") for d in (1, 2, 3)), "nn.Linear", "nn.Bilinear"}


class Server:
    def __init__(self, binary, backend):
        self.command = [binary, "op", "-serve", "-backend", backend]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.start()
            raise RuntimeError("ltc-dump ended")
        return json.loads(line)


def encode(t):
    t = t.detach().contiguous().resolve_conj().resolve_neg()
    raw = (t.view(torch.int16) if t.dtype == torch.bfloat16 else t).numpy().tobytes()
    return {"dtype": NAMES[t.dtype], "shape": list(t.shape), "data": base64.b64encode(raw).decode()}


def decode(a):
    d = TYPES[a["dtype"]]
    raw = bytearray(base64.b64decode(a["data"] or ""))
    if not raw:
        return torch.empty(a["shape"], dtype=d)
    t = torch.frombuffer(raw, dtype=d)
    return t.reshape(a["shape"])


def text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (list, tuple)):
        return ",".join(str(int(x)) for x in v)
    return str(v)


def tensors(ys):
    return [y for y in (ys if isinstance(ys, (tuple, list)) else [ys]) if isinstance(y, torch.Tensor)]


def differ(got, want, scaled=False):
    """How much a result differs; None if it does not. Of gradients and products, which sum
    many terms, differences are of the largest element."""
    rtol, atol = RTOL.get(want.dtype, 0), ATOL.get(want.dtype, 0)
    finite = want[want.isfinite()] if want.is_floating_point() else want
    if scaled and finite.numel():
        atol += rtol * float(finite.abs().max())
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"is {got.dtype}{list(got.shape)}, want {want.dtype}{list(want.shape)}"
    try:
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as e:
        return " ".join(str(e).split())[:160]
    return None


class Row:
    def __init__(self):
        self.tried = self.passed = 0
        self.skipped, self.failed = collections.Counter(), collections.Counter()


def wide(x):
    """A sample's argument in f64."""
    if isinstance(x, torch.Tensor) and x.is_floating_point():
        return x.detach().double()
    if isinstance(x, (list, tuple)):
        return type(x)(wide(y) for y in x)
    return x


def leaves_of(args):
    """The floating-point tensors among arguments, in their order."""
    all = []
    for x in args:
        if isinstance(x, torch.Tensor) and x.is_floating_point():
            all.append(x)
        elif isinstance(x, (list, tuple)):
            all += leaves_of(x)
    return all


def reference(op, args, kwargs, wrt, cotangents):
    """What PyTorch gives: the results and, for the places of leaves in wrt, the gradients."""
    leaves = leaves_of([*args, *kwargs.values()])
    for i, x in enumerate(leaves):
        x.requires_grad_(wrt is not None and i in wrt)
    ys = tensors(op(*args, **kwargs))
    if wrt is None:
        return ys, []
    pairs = [(y, c.to(y.dtype)) for y, c in zip([y for y in ys if y.is_floating_point()], cotangents) if y.requires_grad]
    gs = torch.autograd.grad([y for y, _ in pairs], [leaves[i] for i in wrt], [c for _, c in pairs], allow_unused=True, materialize_grads=True)
    for x in leaves:
        x.requires_grad_(False)
    return [y.detach() for y in ys], gs


def refused(problem):
    """The dtype that an op of ours does not take, if that is the problem."""
    m = re.search(r"must (?:be|have) .*? is (\w+)[;, ]", problem or "")
    return m and m.group(1) in TYPES and m.group(1)


def judge(server, op, sample, dtype, row, verbose):
    try:
        call = CALLS[op.full_name](sample.input, *sample.args, **sample.kwargs)
    except Skip as e:
        row.skipped[str(e)] += 1
        return
    except TypeError as e:
        row.skipped["arguments: " + str(e).split("()")[-1].strip()] += 1
        return
    if any(not isinstance(x, torch.Tensor) or x.dtype not in NAMES for x in call.inputs):
        row.skipped["an input that is no tensor, or of another dtype"] += 1
        return
    args, kwargs = [sample.input, *sample.args], sample.kwargs
    want, gs = reference(op, args, kwargs, None, None)
    request = {"op": call.op, "attrs": {k: text(v) for k, v in call.attrs.items()}, "inputs": [encode(x) for x in call.inputs]}
    inputs = [x for x in call.inputs if x.is_floating_point()]
    places = {id(x): i for i, x in enumerate(leaves_of([*args, *kwargs.values()]))}
    wrt = cotangents = None
    of_results = [y for y in want[: call.outputs] if y.is_floating_point()]
    if dtype in FLOATS[:2] and op.supports_autograd and of_results and any(id(x) in places for x in inputs):
        wrt = [places[id(x)] for x in inputs if id(x) in places]
        # A result whose size follows from data has ones.
        cotangents = [torch.ones_like(y) if call.counted else torch.linspace(0.5, 1.5, max(y.numel(), 1), dtype=y.dtype)[: y.numel()].reshape(y.shape) for y in of_results]
        try:
            want, gs = reference(op, args, kwargs, wrt, cotangents)
        except RuntimeError as e:
            if "not differentiable with respect to" not in str(e) and "derivative for" not in str(e):
                raise
            wrt = wrt[:1]  # PyTorch has no gradient for the others
            want, gs = reference(op, args, kwargs, wrt, cotangents)
        given = iter(gs)
        gs = [next(given, None) if id(x) in places else None for x in inputs]  # others are constants of the call
        request["grad"] = True
        if not call.counted:
            request["cotangents"] = [encode(c) for c in cotangents]
    answer = server.ask(request)
    problem = answer.get("error")
    if refused(problem):
        row.skipped["dtype " + refused(problem)] += 1
        return
    row.tried += 1
    if problem is None:
        problem = compared(answer, call, want, gs)
        if problem and dtype in FLOATS:
            # PyTorch's own result is rounded, too: f64 decides which of the two is right.
            ys, exact = reference(op, wide(args), {k: wide(v) for k, v in kwargs.items()}, wrt, cotangents)
            ys = [y.to(w.dtype) for y, w in zip(ys, want)]
            if compared(answer, call, ys, widened(exact, gs)) is None:
                problem = None
    if problem is None:
        row.passed += 1
        return
    row.failed[problem] += 1
    if verbose:
        print(f"{op.full_name} {NAMES[dtype]} {call.op} {[list(x.shape) for x in call.inputs]} {call.attrs}: {problem}", file=sys.stderr)


def widened(exact, gradients):
    """Gradients in f64, rounded to the dtypes of others, of which some are left out."""
    given = iter(exact)
    return [None if g is None else next(given).to(g.dtype) for g in gradients]


def compared(answer, call, want, gradients):
    """How an answer differs from what is wanted; None if it does not."""
    got, want = [decode(a) for a in answer["results"]][: call.outputs], want[: call.outputs]
    if len(got) != len(want):
        return f"{len(got)} results, want {len(want)}"
    for y, w in zip(got, want):
        if problem := differ(y, w, scaled=call.op in PRODUCTS):
            return problem
    got = [decode(a) for a in answer.get("gradients", []) if a is not None]
    if len(got) != len(gradients):
        return f"{len(got)} gradients, want {len(gradients)}"
    for y, w in zip(got, gradients):
        if w is not None and (problem := differ(y, w, scaled=True)):
            return "gradient: " + problem
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("-backend", default="eval")
    p.add_argument("-page")
    p.add_argument("-dtype", action="append")
    p.add_argument("-v", action="store_true")
    p.add_argument("ops", nargs="*")
    a = p.parse_intermixed_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    server, rows = Server(a.binary, a.backend), {}
    for op in op_db:
        name = op.full_name
        if name not in CALLS or a.ops and name not in a.ops:
            continue
        row = rows[name] = Row()
        for dtype in DTYPES:
            if dtype not in op.supported_dtypes("cpu") or a.dtype and NAMES[dtype] not in a.dtype:
                continue
            torch.manual_seed(1)
            for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
                judge(server, op, sample, dtype, row, a.v)
    report = table(rows)
    print(report)
    if a.page:
        with open(a.page, "w") as f:
            f.write(PAGE.format(backend=a.backend, torch=torch.__version__.split("+")[0]) + report + "\n" + untried(rows))
    sys.exit(any(r.tried and r.passed < 0.99 * r.tried for r in rows.values()))


PAGE = """# Judged by PyTorch's samples
`make judge-torch PAGE=docs/pytorch-samples.md` wrote this page on the backend `{backend}`, with PyTorch {torch}. [The page on PyTorch](pytorch.md) says how samples are judged.

"""


def most(counter, n=2):
    return "; ".join(f"{n} × {r.split(' Mismatched')[0][:90]}" for r, n in counter.most_common(n)).replace("|", "\\|").replace("<", "&lt;")


def table(rows):
    lines = ["| op | samples | passed | skipped | why samples failed, or else were skipped |", "|---|---|---|---|---|"]
    total = [0, 0, 0]
    for name, r in rows.items():
        if not r.tried:
            continue
        n = [r.tried, r.passed, r.skipped.total()]
        total = [t + x for t, x in zip(total, n)]
        why = "failed: " + most(r.failed) if r.failed else most(r.skipped, 1)
        lines.append(f"| {name} | {n[0]} | {n[1]} | {n[2]} | {why} |")
    lines.append(f"| all | {total[0]} | {total[1]} | {total[2]} | |")
    return "\n".join(lines)


def untried(rows):
    names = [f"`{n}`" for n, r in rows.items() if not r.tried and r.skipped]
    return f"\nNot there, or with no sample that is one call: {', '.join(names)}.\n" if names else ""


if __name__ == "__main__":
    main()
