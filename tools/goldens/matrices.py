"""Goldens of package linalg, and of the Fourier transforms of package fft."""

import itertools

import torch

from cases import *  # noqa: F403: the vocabulary of this table

L = torch.linalg


def definite(shape):
    """Symmetric matrices whose eigenvalues are positive."""
    return lambda m, d: (lambda a: (a @ a.mT + shape[-1] * torch.eye(shape[-1], dtype=torch.float64)).to(DTYPES[d]))(m.tensor("f64", shape, -1, 1))


def symmetric(shape):
    return lambda m, d: (lambda a: (a + a.mT).to(DTYPES[d]))(m.tensor("f64", shape, -1, 1))


def regular(shape):
    """Matrices far from singular ones."""
    return lambda m, d: (m.tensor("f64", shape, -1, 1) + 2 * torch.eye(shape[-2], shape[-1], dtype=torch.float64)).to(DTYPES[d])


def triangular(shape, upper=False, unit=False):
    def make(m, d):
        a = regular(shape)(m, d)
        a = a.triu() if upper else a.tril()
        return a - a.diagonal(dim1=-2, dim2=-1).diag_embed() + torch.eye(shape[-1], dtype=a.dtype) if unit else a
    return make


def rising(shape):
    """Upper triangular matrices with 1, 2, 3 on the diagonal: the order of PyTorch's eigenvalues is free for others."""
    return lambda m, d: (m.tensor("f64", shape, -1, 1).triu(1) + torch.arange(1.0, shape[-1] + 1, dtype=torch.float64).diag()).to(DTYPES[d])


def factor(shape, part):
    return lambda m, d: L.lu_factor(regular(shape)(Maker("lu"), "f64"))[part].to(DTYPES[d] if part == 0 else torch.int32)


def reflectors(shape, part):
    return lambda m, d: torch.geqrf(m.tensor("f64", shape))[part].to(DTYPES[d])


def solved_triangular(x, b, upper=False, right=False, transpose=False, unit=False):
    if transpose:
        x, upper = x.mT, not upper
    return L.solve_triangular(x, b, upper=upper, left=not right, unitriangular=unit)


def inverse_of_factor(x, upper):
    """cholesky_inverse, with no gradient for the triangle that is not read."""
    return torch.cholesky_inverse(x.triu() if upper else x.tril(), upper)


def solved_by_factor(x, b, upper):
    return torch.cholesky_solve(b, x.triu() if upper else x.tril(), upper)


def condition(x, p):
    """L.cond, whose own gradient fails where it takes an inverse."""
    return L.cond(x, p) if abs(p) == 2 else L.matrix_norm(x, p) * L.matrix_norm(L.inv(x), p)


SQUARE, TALL, WIDE, BATCH = (3, 3), (4, 3), (3, 4), (2, 3, 3)
UPPER = [{"upper": False}, {"upper": True}]

SEVERAL = [
    # op, function, tensors, options
    ("Cholesky", lambda x, upper: L.cholesky(x, upper=upper), [definite(BATCH)], dict(attrs=UPPER)),
    ("linalg.Cholesky", lambda x, upper: L.cholesky(x, upper=upper), [definite(BATCH)], dict(attrs=UPPER)),
    ("linalg.CholeskyInverse", lambda x, upper: inverse_of_factor(x, upper), [triangular(BATCH)], dict(attrs=UPPER[:1])),
    ("linalg.CholeskySolve", lambda x, b, upper: solved_by_factor(x, b, upper), [triangular(BATCH), (2, 3, 2)], dict(attrs=UPPER[:1])),
    ("TriangularSolve", solved_triangular, [triangular(BATCH), (2, 3, 2)], dict(attrs=[{"upper": False, "right": False, "transpose": False, "unit": False}])),
    ("linalg.SolveTriangular", solved_triangular, [triangular(BATCH), (3, 2)], dict(attrs=[{"upper": False, "right": False, "unit": False}])),
    ("linalg.Cond", condition, [regular(BATCH)], dict(attrs=[{"p": p} for p in (2.0, -2.0, 1.0, -1.0, float("inf"), float("-inf"))])),
    ("linalg.MatrixNorm", lambda x, p: L.matrix_norm(x, p), [(2, 4, 3)], dict(attrs=[{"p": p} for p in (2.0, -2.0, 1.0, -1.0, float("inf"), float("-inf"))])),
    ("linalg.FrobeniusNorm", lambda x: L.matrix_norm(x, "fro"), [(2, 4, 3)], {}),
    ("linalg.NuclearNorm", lambda x: L.matrix_norm(x, "nuc"), [(2, 4, 3)], {}),
    ("Outer", torch.outer, [(3,), (4,)], dict(dtypes=NUMBERS, kind=EXACT, empty=[(0,), (3,)])),
    ("linalg.AddMM", lambda x, y, z, beta, alpha: torch.addmm(x, y, z, beta=beta, alpha=alpha), [(4,), (3, 2), (2, 4)], dict(attrs=[{"beta": 1.0, "alpha": 1.0}, {"beta": 0.5, "alpha": 2.0}, {"beta": 0.0, "alpha": 1.0}])),
    ("linalg.Cross", lambda x, y, axis: L.cross(x, y, dim=axis), [(2, 3), (2, 3)], dict(attrs=[{"axis": 1}, {"axis": -1}], dtypes=NUMBERS)),
    ("linalg.VecDot", lambda x, y, axis: L.vecdot(x, y, dim=axis), [(2, 3), (2, 3)], dict(attrs=[{"axis": 1}, {"axis": 0}])),
    ("linalg.Det", L.det, [regular(BATCH)], {}),
    ("linalg.LogDet", torch.logdet, [definite(BATCH)], {}),
    ("linalg.SlogDet", lambda x: tuple(L.slogdet(x)), [regular(BATCH)], {}),
    ("linalg.EigvalsH", lambda x, upper: L.eigvalsh(x, UPLO="U" if upper else "L"), [symmetric(BATCH)], dict(attrs=UPPER)),
    ("linalg.Eigh", lambda x, upper: tuple(L.eigh(x, UPLO="U" if upper else "L")), [symmetric(BATCH)], dict(attrs=UPPER, kind=ABSOLUTE, gradient=False)),
    ("linalg.Eig", lambda x: tuple(L.eig(x)), [rising(BATCH)], dict(kind=ABSOLUTE, dtypes=FLOATS[:2], gradient=False)),
    ("linalg.Eigvals", L.eigvals, [rising(BATCH)], dict(dtypes=FLOATS[:2], gradient=False)),
    ("linalg.HouseholderProduct", L.householder_product, [reflectors(TALL, 0), reflectors((3, 3), 1)], dict(gradient=False)),
    ("linalg.Reflect", lambda x: tuple(torch.geqrf(x)), [TALL], dict(gradient=False)),
    ("linalg.Inv", L.inv, [regular(BATCH)], {}),
    ("linalg.LU", lambda x: tuple(L.lu(x)), [(2, 4, 3)], dict(gradient=False)),
    ("linalg.LUFactor", lambda x: tuple(L.lu_factor(x)), [(2, 4, 3)], dict(gradient=False)),
    ("linalg.LUSolve", lambda x, pivots, b: L.lu_solve(x, pivots, b), [factor(BATCH, 0), factor(BATCH, 1), (2, 3, 2)], dict(gradient=False)),
    ("linalg.LstSq", lambda x, b: L.lstsq(x, b).solution, [regular(TALL), (4, 2)], {}),
    ("linalg.MatrixExp", torch.matrix_exp, [BATCH], dict(low=-1, high=1)),
    ("linalg.MatrixPower", lambda x, n: L.matrix_power(x, n), [regular(BATCH)], dict(attrs=[{"n": 3}, {"n": 0}, {"n": -2}])),
    ("linalg.MatrixRank", lambda x, rtol: L.matrix_rank(x, rtol=rtol) if rtol >= 0 else L.matrix_rank(x), [lambda m, d: m.tensor(d, (2, 4, 1)) @ m.tensor(d, (2, 1, 3))], dict(attrs=[{"rtol": 0.01}, {"rtol": -1.0}], dtypes=FLOATS[:2], gradient=False)),
    ("linalg.MultiDot", lambda *xs: L.multi_dot(xs), [(2, 3), (3, 4), (4, 2)], {}),
    ("linalg.PInv", lambda x, rtol: L.pinv(x, rtol=rtol), [regular((2, 4, 3))], dict(attrs=[{"rtol": 1e-4}])),
    ("linalg.QR", lambda x, complete: tuple(L.qr(x, "complete" if complete else "reduced")), [regular(TALL)], dict(attrs=[{"complete": False}, {"complete": True}], kind=ABSOLUTE, gradient=False)),
    ("linalg.SVD", lambda x, full: tuple(L.svd(x, full)), [regular(TALL)], dict(attrs=[{"full": False}, {"full": True}], kind=ABSOLUTE, gradient=False)),
    ("linalg.SVDVals", L.svdvals, [regular((2, 4, 3))], {}),
    ("linalg.Solve", lambda x, b, right: L.solve(x, b, left=not right), [regular(BATCH), (2, 3, 3)], dict(attrs=[{"right": False}, {"right": True}])),
    ("linalg.TensorInv", lambda x, ind: L.tensorinv(x, ind), [lambda m, d: regular((6, 6))(m, d).reshape(2, 3, 6)], dict(attrs=[{"ind": 2}])),
    ("linalg.TensorSolve", L.tensorsolve, [lambda m, d: regular((6, 6))(m, d).reshape(2, 3, 6), (2, 3)], {}),
    ("linalg.Trace", lambda x: x.diagonal(dim1=-2, dim2=-1).sum(-1), [(2, 3, 4)], dict(dtypes=NUMBERS)),
    ("linalg.Vander", lambda x, n: L.vander(x, N=n), [(2, 3)], dict(attrs=[{"n": 4}, {"n": 2}])),
]


def more(op):
    """Cases that have other tensors than those of the table: other shapes, broadcast and empty ones."""
    m = Maker("more " + op)

    def of(name, fn, shapes, attrs=None, kind=RELATIVE, gradient=True):
        return case(name, fn, [s(m, "f32") if callable(s) else m.tensor("f32", s) for s in shapes], attrs, kind, gradient)

    if op == "linalg.CholeskyInverse":
        yield of("upper", lambda x: inverse_of_factor(x, True), [triangular(SQUARE, True)], {"upper": True})
    if op == "linalg.CholeskySolve":
        yield of("upper", lambda x, b: solved_by_factor(x, b, True), [triangular(SQUARE, True), (3, 2)], {"upper": True})
    if op == "linalg.MatrixNorm":
        yield of("wide", lambda x: L.matrix_norm(x, 2), [WIDE], {"p": 2.0})
    if op == "linalg.Cond":
        yield of("tall", lambda x: L.cond(x, 2), [regular(TALL)], {"p": 2.0})
    if op in {"linalg.Det", "linalg.Inv", "linalg.SlogDet"}:
        fn = {"linalg.Det": L.det, "linalg.Inv": L.inv, "linalg.SlogDet": lambda x: tuple(L.slogdet(x))}[op]
        yield of("no matrices", fn, [(0, 3, 3)], gradient=False)
        yield of("one matrix", fn, [regular((5, 5))])
    if op in {"linalg.Inv", "linalg.Det"}:
        yield of("no rows", L.inv if op == "linalg.Inv" else L.det, [(0, 0)], gradient=False)
    if op == "linalg.AddMM":
        a = {"beta": 0.5, "alpha": 2.0}
        yield of("vector", lambda x, y, z: torch.addmv(x, y, z, **a), [(3,), (3, 2), (2,)], a)
        yield of("batch", lambda x, y, z: torch.baddbmm(x, y, z, **a), [(2, 1, 4), (2, 3, 2), (2, 2, 4)], a)
        yield of("no columns", lambda x, y, z: torch.addmm(x, y, z, **a), [(3, 4), (3, 0), (0, 4)], a)
    if op == "linalg.LstSq":
        yield of("wide", lambda x, b: L.lstsq(x, b).solution, [regular(WIDE), (3, 2)])
    if op == "linalg.PInv":
        yield of("wide", lambda x: L.pinv(x, rtol=1e-4), [regular(WIDE)], {"rtol": 1e-4})
    if op in {"linalg.QR", "linalg.SVD"}:
        for name, shape in [("square", SQUARE), ("wide", WIDE), ("batch", (2, 4, 2))]:
            if op == "linalg.QR":
                yield of(name, lambda x: tuple(L.qr(x)), [regular(shape)], None, ABSOLUTE, False)
            else:
                yield of(name, lambda x: tuple(L.svd(x, False)), [regular(shape)], None, ABSOLUTE, False)
    if op == "linalg.SVDVals":
        yield of("wide", L.svdvals, [WIDE])
    if op == "linalg.Solve":
        yield of("vector", L.solve, [regular(SQUARE), (3,)])
        yield of("broadcast", L.solve, [regular((2, 1, 3, 3)), (3, 3, 2)])
    if op in {"TriangularSolve", "linalg.SolveTriangular"}:
        for right in [False, True]:
            for unit in [False, True]:
                a = {"upper": True, "right": right, "unit": unit}
                yield of(f"upper {a}", lambda x, b, a=a: solved_triangular(x, b, **a), [triangular(SQUARE, True, unit), SQUARE], a)
    if op == "TriangularSolve":
        a = {"upper": False, "right": False, "transpose": True, "unit": False}
        yield of("transposed", lambda x, b: solved_triangular(x, b, **a), [triangular(SQUARE), (3, 2)], a)
    if op == "linalg.MatrixExp":
        yield of("large", torch.matrix_exp, [lambda m, d: m.tensor(d, SQUARE, -4, 4)])
    if op == "linalg.VecDot":
        yield of("broadcast", lambda x, y: L.vecdot(x, y, dim=-1), [(2, 1, 3), (1, 4, 3)], {"axis": -1})
    if op == "linalg.Cross":
        yield of("broadcast", lambda x, y: L.cross(x, y, dim=-1), [(2, 1, 3), (1, 4, 3)], {"axis": -1})


# The norms of transforms, by their numbers in package fft.
NORMS = ["backward", "ortho", "forward"]


def transform(name):
    """Cases of a transform by its function in torch.fft."""
    fn, op, m = getattr(torch.fft, name), "fft." + name.upper(), Maker("fft." + name)
    axes = {"2": 2, "n": 3}.get(name[-1], 1)
    dtypes = {"r": FLOATS[:2], "i": COMPLEX}.get(name[0], COMPLEX)
    if name.startswith("ihfft"):
        dtypes = FLOATS[:2]

    def call(lengths=(), axes_=(), norm=0):
        if axes == 1:
            return lambda x: fn(x, lengths[0] if lengths else None, axes_[0] if axes_ else -1, NORMS[norm])
        return lambda x: fn(x, tuple(lengths) or None, *([tuple(axes_)] if axes_ else []), norm=NORMS[norm])

    x = m.tensor(dtypes[0], (2, 3, 4))
    for i, norm in enumerate(NORMS):
        yield case(norm, call(norm=i), [x], {"norm": i}, RELATIVE, gradient=True)
    yield case("not contiguous", call(), [x], None, RELATIVE, reversed_axes=True)
    lengths, along = ([5], [1]) if axes == 1 else ([5, 3], [0, 2])
    yield case("lengths", call(lengths, along), [x], {"lengths": lengths, "axes": along}, RELATIVE, gradient=True)
    yield case("empty", call(), [m.tensor(dtypes[0], (0, 3, 4) if axes < 3 else (2, 3, 4))], None, RELATIVE)
    for d in dtypes[1:]:
        yield case(d, call(), [m.tensor(d, (2, 3, 4))], None, RELATIVE)
    if name in {"fft", "ifft", "fftn", "fft2", "ifft2", "ifftn"}:
        yield case("real", call(), [m.tensor("f32", (2, 3, 4))], None, RELATIVE, gradient=True)


def stft(n, hop, uncentered=False, padding=0, normalized=False, twoSided=False):
    mode = ["reflect", "constant", "replicate", "circular"][padding]
    return lambda x, w=None: torch.stft(x, n, hop, None if w is None else len(w), w, center=not uncentered, pad_mode=mode, normalized=normalized, onesided=not (twoSided or x.is_complex()), return_complex=True)


def istft(n, hop, uncentered=False, normalized=False, twoSided=False, complex=False, length=None):
    return lambda x, w=None: torch.istft(x, n, hop, None if w is None else len(w), w, center=not uncentered, normalized=normalized, onesided=not twoSided, length=length, return_complex=complex)


def framed(op, fn, shape, own, dtypes, options):
    """Cases of a transform of frames, with a window that is no symmetric one."""
    m = Maker("fft." + op)
    for i, a in enumerate(options):
        inputs = [m.tensor(own, shape(a))] + ([m.tensor(PARTS.get(own, own), (6,), 0.5, 1.5)] if i % 2 == 0 else [])
        yield case(f"{a}", fn(**a), inputs, a, RELATIVE, gradient=True)
    a = options[0]
    yield case("not contiguous", fn(**a), [m.tensor(own, shape(a))], a, RELATIVE, reversed_axes=True)
    for d in dtypes:
        yield case(d, fn(**a), [m.tensor(d, shape(a)), m.tensor(PARTS.get(d, d), (6,), 0.5, 1.5)], a, RELATIVE)


PARTS = {"c64": "f32", "c128": "f64"}
STFT = [{"n": 8, "hop": 2}, {"n": 6, "hop": 3, "padding": 1}, {"n": 7, "hop": 2, "padding": 2, "normalized": True}, {"n": 8, "hop": 8, "uncentered": True},
        {"n": 8, "hop": 2, "padding": 3, "twoSided": True}]
ISTFT = [{"n": 8, "hop": 2}, {"n": 6, "hop": 3}, {"n": 7, "hop": 2, "normalized": True}, {"n": 8, "hop": 8, "uncentered": True},
         {"n": 8, "hop": 2, "twoSided": True}, {"n": 6, "hop": 2, "twoSided": True, "complex": True}, {"n": 8, "hop": 2, "length": 9}]

TRANSFORMS = [k + n for n in ("", "2", "n") for k in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")]


def table():
    for op, fn, shapes, options in SEVERAL:
        yield op, itertools.chain(calls(op, fn, shapes, **({"kind": RELATIVE} | options)), more(op))
    for name in TRANSFORMS:
        yield "fft." + name.upper(), transform(name)
    yield "fft.STFT", framed("STFT", stft, lambda a: (2, 17), "f32", ["f64", *COMPLEX], STFT)
    yield "fft.ISTFT", framed("ISTFT", istft, lambda a: (2, a["n"] if "twoSided" in a else a["n"] // 2 + 1, 5), "c64", ["c128"], ISTFT)
