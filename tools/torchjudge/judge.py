"""Has PyTorch's OpInfo samples judge our ops: make judge-torch.

    judge.py LTC_DUMP [-backend NAME] [-rows FILE] [-page FILE] [-summary FILE] [-dtype NAME]… [-most N] [-only samples|seconds] [-v] [OP…]

One process `LTC_DUMP op -serve` answers all calls. For each op the table says how many
samples were tried, passed and skipped, and why: a skipped sample is no call here (samples.py
has the reasons). A gradient is tried for samples of f32, f64, c64 and c128, and second derivatives
(second.py) for a few of f64 and c128. A file of rows keeps those of earlier runs, which this run's replace,
and the page is of all. A summary is a page with sums and what failed. With -most N an op has at most so many
samples of a dtype, far apart. With -only samples there are no second derivatives, with -only seconds nothing
else. The exit status is 1 if less than 99 % of an op's samples, or of its second derivatives,
passed.
"""

import argparse
import collections
import json
import math
import pathlib
import re
import sys
import warnings

import second
import torch
from torch.testing._internal.common_methods_invocations import op_db

from calls import COMPLEX, DTYPES, FLOATS, NAMES, Call, Skip, continuous
from reference import Reference, cotangent, leaves_of, natural, processing, pulled_back, rounded, tensors, through, undifferentiable, wide, widened
from report import page, summary, table
from samples import CALLS, UNJUDGED
from server import TYPES, Refused, Server, encode

# OpInfo's own tolerances, as torch.testing has them.
RTOL = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2, torch.float32: 1.3e-6, torch.float64: 1e-7, torch.complex64: 1.3e-6, torch.complex128: 1e-7}
ATOL = {torch.float16: 1e-5, torch.bfloat16: 1e-5, torch.float32: 1e-5, torch.float64: 1e-7, torch.complex64: 1e-5, torch.complex128: 1e-7}
SAMPLES, SECONDS = "samples", "seconds"
SECOND_SAMPLES, EDGE_SAMPLES, SECOND_DTYPES = 8, 3, [torch.float64, torch.complex128]  # whose second derivatives are judged
LARGE = 100_000  # elements of a sample that is not judged at edges
DIFFERENTIATED = [torch.float32, torch.float64, *COMPLEX]

PRODUCTS = {"MatMul", "Einsum", "nn.ScaledDotProductAttention", *(f"nn.Conv{k}{d}d" for k in ("", "Transpose") for d in (1, 2, 3)), "nn.Linear", "nn.Bilinear"}
PRODUCT_PACKAGES = ("linalg.", "fft.")


def differ(got, want, scaled=False, slack=0.0):
    """How much a result differs, by more than a slack; None if it does not. Of gradients and
    products, which sum many terms, differences are of the largest element."""
    rtol, atol = RTOL.get(want.dtype, 0), ATOL.get(want.dtype, 0) + slack
    if scaled and continuous(want) and want.isfinite().any():
        atol += rtol * float(want[want.isfinite()].abs().max())
    if got.shape != want.shape or got.dtype != want.dtype:
        return f"is {got.dtype}{list(got.shape)}, want {want.dtype}{list(want.shape)}"
    try:
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as e:
        return " ".join(str(e).split())[:160]
    return None


class Row:
    """How an op's samples were judged, and the second derivatives of some."""

    def __init__(self, tried=0, passed=0, skipped=(), failed=(), seconds=0, seconds_passed=0, seconds_skipped=(), seconds_failed=()):
        self.tried, self.passed = tried, passed
        self.skipped, self.failed = collections.Counter(skipped), collections.Counter(failed)
        self.seconds, self.seconds_passed = seconds, seconds_passed
        self.seconds_skipped, self.seconds_failed = collections.Counter(seconds_skipped), collections.Counter(seconds_failed)


def kept(path, rows, parts):
    """Rows of earlier runs that a file has, with those of this run, in the order of op_db. Of an op that
    both have this run's parts count."""
    path = pathlib.Path(path)
    old = {n: Row(**r) for n, r in json.loads(path.read_text()).items()} if path.exists() else {}
    for n, r in rows.items():
        vars(old.setdefault(n, r)).update({k: v for k, v in vars(r).items() if (SECONDS if k.startswith(SECONDS) else SAMPLES) in parts})
    all = {op.full_name: old[op.full_name] for op in op_db if op.full_name in old and op.full_name in CALLS}
    path.write_text(json.dumps({n: vars(r) for n, r in all.items()}, indent=1))
    return all


def refused(problem):
    """The dtype that an op of ours does not take, if that is the problem."""
    m = re.search(r"must (?:be|have) .*? is (\w+)[;, ]", problem or "")
    return m and m.group(1) in TYPES and m.group(1)


class Run:
    """A call with its results, and those of the calls that its inputs are."""

    def __init__(self, server, call, sample):
        self.server, self.call, self.sample = server, call, sample
        self.before = [Run(server, x, sample) if isinstance(x, Call) else None for x in call.inputs]
        self.inputs = [b.results()[0] if b else x for b, x in zip(self.before, call.inputs)]
        self.ys = None

    def results(self):
        """What is compared, or the call after it takes."""
        if self.ys is None:
            self.ys = self.inputs if self.call.op is None else self.server.ask(self.call, self.inputs)[0]
        return self.chosen(self.ys)

    def chosen(self, ys):
        if self.call.processed:
            ys = self.call.compared(ys)
            return tensors(processing(self.call, self.sample)(ys[0] if len(ys) == 1 else tuple(ys)))
        return self.call.compared(ys)

    def gradients(self, cotangents, into):
        """Adds the gradients for tensors, by their identities. Those of a call are asked for anew
        with the cotangents of its results, and come with the results."""
        if not any(map(continuous, self.inputs)):
            return
        if self.call.partial:
            # The cotangents of the call's own results follow from those of what is compared.
            self.results()
            leaves = [y.detach().requires_grad_() for y in self.ys if continuous(y)]
            given = iter(leaves)
            cotangents = pulled_back(self.chosen([next(given) if continuous(y) else y for y in self.ys]), leaves, cotangents)
        if self.call.op is None:
            self.ys, own = self.inputs, iter(cotangents)
            gs = [next(own) if continuous(x) else None for x in self.inputs]
        else:
            more = {} if self.call.counted else {"cotangents": [encode(c) for c in cotangents]}
            self.ys, gs = self.server.ask(self.call, self.inputs, grad=True, **more)
        for before, x, g in zip(self.before, self.call.inputs, gs):
            if g is None:
                continue
            if before:
                before.gradients([g], into)
            else:
                into[id(x)] = into[id(x)] + g if id(x) in into else g


def judge(server, op, sample, dtype, row, verbose):
    sample, graphs = natural(op, sample)
    try:
        call = CALLS[op.full_name](sample.input, *sample.args, **sample.kwargs)
    except Skip as e:
        row.skipped[str(e)] += 1
        return
    except TypeError as e:
        row.skipped["arguments: " + str(e).split("()")[-1].strip()] += 1
        return
    inputs = call.tensors()
    if any(not isinstance(x, torch.Tensor) or x.dtype not in NAMES for x in inputs):
        row.skipped["an input that is no tensor, or of another dtype"] += 1
        return
    torchs = Reference(op, sample, call)
    want, wanted = torchs.results(), []
    of_results = [y for y in want if continuous(y)]
    given = {id(x) for x in inputs}
    wrt = [i for i, x in enumerate(torchs.leaves) if id(x) in given]
    cotangents = None
    if call.differentiable and dtype in DIFFERENTIATED and dtype in op.supported_backward_dtypes("cpu") and op.supports_autograd and of_results and wrt:
        cotangents = [cotangent(y, ones=call.counted) for y in of_results]  # a result whose size follows from data has ones
        try:
            want, wanted = torchs.gradients(wrt, cotangents)
        except RuntimeError as e:
            if not undifferentiable(e):
                raise
            wrt = wrt[:1]  # PyTorch has no gradient for the others
            try:
                want, wanted = torchs.gradients(wrt, cotangents)
            except RuntimeError as e:
                if not undifferentiable(e):
                    raise
                cotangents = None
    try:
        run, gs = Run(server, call, sample), {}
        if cotangents is not None:
            run.gradients(cotangents, gs)
        leaves = [torchs.leaves[i] for i in wrt]
        wanted = [through(x, g, graphs) for x, g in zip(leaves, wanted)]
        got = run.results(), [through(x, gs.get(id(x)), graphs) for x in leaves] if wanted else []
        problem = drawn(call, got[0], want) if call.drawn else compared(call, *got, want, wanted)
    except Refused as e:
        problem = str(e)
    except (IndexError, RuntimeError, ValueError) as e:  # results that cannot be those of the op
        problem = f"{type(e).__name__}: {e}"
    if refused(problem):
        row.skipped["dtype " + refused(problem)] += 1
        return
    row.tried += 1
    if problem and dtype in FLOATS + COMPLEX and differs(problem):
        # PyTorch's own result is rounded, too: f64 decides which of the two is right. A result may be
        # twice as far from it as PyTorch's is.
        wider = torchs.wide()
        ys, exact = (wider.results(), []) if cotangents is None else wider.gradients(wrt, cotangents)
        exact = [through(x, g.to(x.dtype), graphs) for x, g in zip(leaves, exact)]
        ys = rounded(ys, want)
        if compared(call, *got, ys, exact, [2 * distance(a, b) for a, b in zip([*want, *wanted], [*ys, *exact])]) is None:
            problem = None
    if problem is None:
        row.passed += 1
        return
    row.failed[problem] += 1
    if verbose:
        print(f"{op.full_name} {NAMES[dtype]} {call}: {problem}", file=sys.stderr)


def judge_seconds(server, op, dtype, row, most, verbose):
    """Judges second derivatives of a few samples, and of a few at edges."""
    if dtype not in op.supported_backward_dtypes("cpu") or not op.supports_gradgrad:
        return
    torch.manual_seed(1)
    for i, sample in enumerate(spread(op.sample_inputs("cpu", dtype, requires_grad=False), min(SECOND_SAMPLES, most or SECOND_SAMPLES))):
        sample = widened(sample)
        judge_second(server, op, sample, dtype, "", row, verbose)
        if i < EDGE_SAMPLES and op.full_name in second.NO_EDGES:
            row.seconds_skipped[second.NO_EDGES[op.full_name]] += 1
        elif i < EDGE_SAMPLES and sum(x.numel() for x in leaves_of([sample.input, *sample.args])) < LARGE:
            try:
                for edge in second.edges(sample):
                    judge_second(server, op, sample, dtype, f"at {edge}: ", row, verbose)
            except RuntimeError:
                row.seconds_skipped["a view whose elements are one cannot be zeros alone"] += 1


def judge_second(server, op, sample, dtype, where, row, verbose):
    try:
        problem = second.judged(server, CALLS[op.full_name], op, sample, differ)
    except (Skip, second.Undefined) as e:
        row.seconds_skipped[str(e)] += 1
        return
    except TypeError as e:
        row.seconds_skipped["arguments: " + str(e).split("()")[-1].strip()] += 1
        return
    except (IndexError, ValueError) as e:
        problem = f"{type(e).__name__}: {e}"
    if refused(problem):
        row.seconds_skipped["dtype " + refused(problem)] += 1
        return
    row.seconds += 1
    if problem is None:
        row.seconds_passed += 1
        return
    row.seconds_failed[where + problem] += 1
    if verbose:
        print(f"{op.full_name} {NAMES[dtype]} {where}{problem} {[list(x.shape) for x in leaves_of([sample.input, *sample.args])]} {sample.kwargs} {sample.args}", file=sys.stderr)


def differs(problem):
    """Whether a problem is one of values."""
    return problem.removeprefix("gradient: ").startswith(("Tensor-likes are not", "Scalars are not"))


def distance(x, exact):
    """The largest difference of elements; 0 if some are infinite."""
    if not continuous(x) or not x.numel():
        return 0.0
    d = float((wide(x) - wide(exact)).abs().max())
    return d if math.isfinite(d) else 0.0


def compared(call, got, gradients, want, wanted, slack=()):
    """How results and gradients differ from what is wanted; None if they do not."""
    slack = iter(slack)
    scaled = any(op in PRODUCTS or op.startswith(PRODUCT_PACKAGES) for op in call.ops())
    if len(got) != len(want):
        return f"{len(got)} results, want {len(want)}"
    for y, w in zip(got, want):
        if problem := differ(y.detach(), w, scaled, next(slack, 0.0)):
            return problem
    for g, w in zip(gradients, wanted):
        if g is None:
            return "gradient: none"
        if problem := differ(g, w, True, next(slack, 0.0)):
            return "gradient: " + problem
    return None


def drawn(call, got, want):
    """How results that are random, or have no value, differ from what is wanted: their shapes and
    dtypes, and what the call says of them; None if they do not."""
    for y, w in zip(got, want, strict=True):
        if y.shape != w.shape or y.dtype != w.dtype:
            return f"is {y.dtype}{list(y.shape)}, want {w.dtype}{list(w.shape)}"
    return next(filter(None, map(call.drawn, got)), None)


def spread(samples, most):
    """At most so many samples, far apart, of which the last is one; all if most is 0."""
    if not most:
        return samples
    samples = list(samples)
    n = min(most, len(samples))
    return [samples[(i + 1) * len(samples) // n - 1] for i in range(n)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("binary")
    p.add_argument("-backend", default="eval")
    p.add_argument("-rows")
    p.add_argument("-page")
    p.add_argument("-summary")
    p.add_argument("-dtype", action="append")
    p.add_argument("-most", type=int, default=0)
    p.add_argument("-only", choices=[SAMPLES, SECONDS])
    p.add_argument("-v", action="store_true")
    p.add_argument("ops", nargs="*")
    a = p.parse_intermixed_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    unknown = [op.full_name for op in op_db if (op.full_name in CALLS) == (op.full_name in UNJUDGED)]
    if unknown:
        sys.exit(f"ops that have neither a line nor a reason for which they have none, or both: {', '.join(unknown)}")
    server, rows, parts = Server(a.binary, a.backend), {}, [a.only] if a.only else [SAMPLES, SECONDS]
    for op in op_db:
        name = op.full_name
        if name not in CALLS or a.ops and name not in a.ops:
            continue
        row = rows[name] = Row()
        for dtype in SECOND_DTYPES if SECONDS in parts else []:
            if not a.dtype or NAMES[dtype] in a.dtype:
                judge_seconds(server, op, dtype, row, a.most, a.v)
        for dtype in DTYPES if SAMPLES in parts else []:
            if dtype not in op.supported_dtypes("cpu") or a.dtype and NAMES[dtype] not in a.dtype:
                continue
            torch.manual_seed(1)
            for sample in spread(op.sample_inputs("cpu", dtype, requires_grad=False), a.most):
                judge(server, op, sample, dtype, row, a.v)
        if a.rows:
            kept(a.rows, {name: row}, parts)
    print(table(rows))
    if a.page:
        page(a.page, kept(a.rows, {}, parts) if a.rows else rows, a.backend)
    if a.summary:
        summary(a.summary, kept(a.rows, {}, parts) if a.rows else rows, a.backend, a.most)
    sys.exit(any(r.passed < 0.99 * r.tried or r.seconds_passed < 0.99 * r.seconds for r in rows.values()))


if __name__ == "__main__":
    main()
