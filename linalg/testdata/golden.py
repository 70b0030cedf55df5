"""Writes torch.txt, what PyTorch computes for the functions of package linalg, beside this file.

The version that wrote it stands in its first line. Inputs of the cases complex/… have the parts of
complex numbers in a last dimension, and so have results. A case has the dimensions of its inputs, the results
and, of the sum of the results times weights, the gradients of its inputs. The test makes the same inputs
and weights by the formula of fill.
"""
import os

import torch

L = torch.linalg


def fill(dims, k):
    n = 1
    for d in dims:
        n *= d
    all = []
    for i in range(n):
        at = (i * 7919 + k * 104729 + 1) * 2654435761 % 2**32
        at = (at ^ at >> 15) * 2246822519 % 2**32
        all.append((at ^ at >> 13) / 2**31 - 1)
    return torch.tensor(all, dtype=torch.float64).reshape(dims)


def definite(x):
    return x @ x.mH + torch.eye(x.shape[-1], dtype=x.dtype)


def singular(x):
    """a matrix whose last column is the sum of the others"""
    return torch.cat([x, x.sum(-1, keepdim=True)], -1)


def in_order(values, vectors=None):
    """the parts of eigenvalues in an order, and the squares of the vectors' moduli"""
    order = (2 * values.imag + values.real).argsort(-1)
    values = values.gather(-1, order)
    if vectors is None:
        return values.real, values.imag
    return values.real, values.imag, vectors.gather(-1, order.unsqueeze(-2).expand(vectors.shape)).abs().square()


S = (3, 3)
B = (2, 3, 3)
CASES = {
    "Cholesky": ([B], lambda x: L.cholesky(definite(x))),
    "Cholesky/upper": ([S], lambda x: L.cholesky(definite(x), upper=True)),
    "CholeskySolve": ([S, (3, 2)], lambda x, b: torch.cholesky_solve(b, L.cholesky(definite(x)))),
    "CholeskySolve/upper": ([S, (3, 2)], lambda x, b: torch.cholesky_solve(b, L.cholesky(definite(x), upper=True), upper=True)),
    "CholeskyInverse": ([S], lambda x: torch.cholesky_inverse(L.cholesky(definite(x)))),
    "LUFactor": ([(5, 5)], lambda x: tuple(L.lu_factor(x))),
    "LUFactor/tall": ([(2, 5, 3)], lambda x: tuple(L.lu_factor(x))),
    "LUFactor/wide": ([(3, 5)], lambda x: tuple(L.lu_factor(x))),
    "LU": ([(4, 4)], lambda x: tuple(L.lu(x))),
    "LU/tall": ([(4, 2)], lambda x: tuple(L.lu(x))),
    "LUSolve": ([S, (3, 2)], lambda x, b: L.lu_solve(*L.lu_factor(x), b)),
    "QR": ([(2, 4, 3)], lambda x: tuple(L.qr(x))),
    "QR/square": ([S], lambda x: tuple(L.qr(x))),
    "QR/wide": ([(3, 5)], lambda x: tuple(L.qr(x))),
    "QR/complete": ([S], lambda x: tuple(L.qr(x, "complete"))),
    "Reflect": ([(4, 3)], lambda x: tuple(torch.geqrf(x.detach()))),
    "HouseholderProduct": ([(4, 3), (2,)], lambda x, tau: L.householder_product(x, tau)),
    "Eigh": ([B], lambda x: tuple(t if i == 0 else t.abs().square() for i, t in enumerate(L.eigh(x + x.mH)))),
    "Eigh/triangle": ([(4, 4)], lambda x: L.eigh(x)[0].detach()),
    "EigvalsH": ([(4, 4)], lambda x: L.eigvalsh(x + x.mH, "U")),
    "Eig": ([(2, 4, 4)], lambda x: in_order(*L.eig(x))),
    "Eigvals": ([(5, 5)], lambda x: in_order(L.eigvals(x))),
    "SVD": ([(2, 4, 3)], lambda x: tuple(t if i == 1 else t.abs().square() for i, t in enumerate(L.svd(x, full_matrices=False)))),
    "SVD/wide": ([(3, 5)], lambda x: tuple(t if i == 1 else t.abs().square() for i, t in enumerate(L.svd(x, full_matrices=False)))),
    "SVDVals": ([(4, 2)], lambda x: L.svdvals(x)),
    "SolveTriangular": ([B, (3, 2)], lambda x, b: L.solve_triangular(x + 2 * torch.eye(3), b, upper=True)),
    "SolveTriangular/right": ([S, (2, 3)], lambda x, b: L.solve_triangular(x + 2 * torch.eye(3), b, upper=False, left=False, unitriangular=True)),
    "Solve": ([B, (2, 3, 2)], lambda x, b: L.solve(x, b)),
    "Solve/vector": ([S, (3,)], lambda x, b: L.solve(x, b)),
    "Solve/vectors": ([B, (2, 3)], lambda x, b: L.solve(x, b)),
    "Solve/right": ([S, (2, 2, 3)], lambda x, b: L.solve(x, b, left=False)),
    "Inv": ([B], lambda x: L.inv(x)),
    "LstSq": ([(4, 2), (4, 3)], lambda x, b: L.lstsq(x, b).solution),
    "LstSq/wide": ([(2, 4), (2, 3)], lambda x, b: L.lstsq(x, b).solution),
    "PInv": ([(4, 3)], lambda x: L.pinv(x)),
    "PInv/wide": ([(2, 2, 4)], lambda x: L.pinv(x)),
    "PInv/singular": ([(3, 2)], lambda x: L.pinv(singular(x)).detach()),
    "Det": ([B], lambda x: L.det(x)),
    "Det/singular": ([(3, 2)], lambda x: L.det(singular(x)).detach()),
    "Det/empty": ([(2, 0, 0)], lambda x: L.det(x).detach()),
    "SlogDet": ([(2, 4, 4)], lambda x: tuple(L.slogdet(x))),
    "LogDet": ([B], lambda x: torch.logdet(definite(x))),
    "MatrixRank": ([(3, 2)], lambda x: L.matrix_rank(singular(x)).detach()),
    "MatrixPower/3": ([B], lambda x: L.matrix_power(x, 3)),
    "MatrixPower/-2": ([S], lambda x: L.matrix_power(x, -2)),
    "MatrixPower/0": ([S], lambda x: L.matrix_power(x, 0).detach()),
    "MatrixExp": ([B], lambda x: L.matrix_exp(x)),
    "MatrixExp/large": ([S], lambda x: L.matrix_exp(4 * x)),
    "MatrixNorm/1": ([(2, 3, 4)], lambda x: L.matrix_norm(x, 1)),
    "MatrixNorm/-1": ([(3, 4)], lambda x: L.matrix_norm(x, -1)),
    "MatrixNorm/2": ([(3, 4)], lambda x: L.matrix_norm(x, 2)),
    "MatrixNorm/-2": ([(3, 4)], lambda x: L.matrix_norm(x, -2)),
    "MatrixNorm/inf": ([(3, 4)], lambda x: L.matrix_norm(x, torch.inf)),
    "MatrixNorm/-inf": ([(3, 4)], lambda x: L.matrix_norm(x, -torch.inf)),
    "FrobeniusNorm": ([(2, 3, 4)], lambda x: L.matrix_norm(x)),
    "NuclearNorm": ([(3, 4)], lambda x: L.matrix_norm(x, "nuc")),
    "VectorNorm": ([(3, 4)], lambda x: L.vector_norm(x, 3, 1)),
    "Cond/2": ([(3, 4)], lambda x: L.cond(x)),
    "Cond/-2": ([(3, 4)], lambda x: L.cond(x, -2)),
    "Cond/1": ([B], lambda x: L.cond(x, 1).detach()),
    "MultiDot": ([(2, 5), (5, 3), (3, 4)], lambda x, y, z: L.multi_dot([x, y, z])),
    "MultiDot/vectors": ([(5,), (5, 3), (3,)], lambda x, y, z: L.multi_dot([x, y, z])),
    "AddMM": ([(4,), (3, 2), (2, 4)], lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2)),
    "AddMM/vector": ([(3,), (3, 2), (2,)], lambda x, y, z: torch.addmv(x, y, z, beta=0.5, alpha=2)),
    "AddMM/batch": ([(2, 1, 4), (2, 3, 2), (2, 2, 4)], lambda x, y, z: torch.baddbmm(x, y, z, beta=0.5, alpha=2)),
    "Cross": ([(2, 3), (1, 3)], lambda x, y: L.cross(x, y)),
    "VecDot": ([(2, 3), (1, 3)], lambda x, y: L.vecdot(x, y)),
    "Trace": ([(3, 4)], lambda x: x.diagonal().sum()),
    "Vander": ([(2, 3)], lambda x: L.vander(x, N=4)),
    "Vander/scalar": ([()], lambda x: L.vander(x, N=4)),
    "TensorInv": ([(2, 3, 6)], lambda x: L.tensorinv(x)),
    "TensorSolve": ([(2, 3, 6), (2, 3)], lambda x, b: L.tensorsolve(x, b)),
}
COMPLEX = ["Cholesky", "Cholesky/upper", "CholeskySolve", "CholeskySolve/upper", "CholeskyInverse", "LUFactor", "LUFactor/tall", "LUFactor/wide",
           "LU", "LUSolve", "QR", "QR/square", "QR/wide", "QR/complete", "Reflect", "HouseholderProduct", "Eigh", "Eigh/triangle", "EigvalsH", "Eig", "Eigvals", "SVD",
           "SVD/wide", "SVDVals", "SolveTriangular", "SolveTriangular/right", "Solve", "Solve/vector", "Solve/vectors", "Solve/right", "Inv", "LstSq",
           "LstSq/wide", "PInv", "PInv/wide", "Det", "Det/singular", "SlogDet", "LogDet", "LogDet/general", "MatrixRank", "MatrixPower/3", "MatrixPower/-2",
           "MatrixExp", "MatrixNorm/1", "MatrixNorm/2", "MatrixNorm/-inf", "FrobeniusNorm", "NuclearNorm", "VectorNorm", "Cond/2", "Cond/1",
           "MultiDot", "Cross", "VecDot", "Trace", "Vander", "TensorInv", "TensorSolve"]


def apart(call):
    """call of complex numbers, with their parts in a last dimension"""
    def parts(*xs):
        ys = call(*[torch.view_as_complex(x) for x in xs])
        ys = ys if isinstance(ys, tuple) else (ys,)
        return tuple(torch.view_as_real(y.resolve_conj()) if y.is_complex() else y for y in ys)
    return parts


for name in COMPLEX:
    inputs, call = CASES.get(name, ([B], torch.logdet))
    CASES["complex/" + name] = ([(*dims, 2) for dims in inputs], apart(call))


def shown(t):
    return "[%s] %s" % (",".join(map(str, t.shape)), " ".join("%.12g" % v for v in t.detach().double().flatten().tolist()))


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch.txt"), "w") as f:
    print("# PyTorch", torch.__version__.split("+")[0], file=f)
    for name, (inputs, call) in CASES.items():
        xs = [fill(dims, k).requires_grad_() for k, dims in enumerate(inputs)]
        ys = call(*xs)
        ys = ys if isinstance(ys, tuple) else (ys,)
        print("%s: %s" % (name, "; ".join(",".join(map(str, dims)) for dims in inputs)), file=f)
        for y in ys:
            print("  " + shown(y), file=f)
        loss = sum((y * fill(tuple(y.shape), 9 + i)).sum() for i, y in enumerate(ys) if y.requires_grad and y.is_floating_point())
        if isinstance(loss, torch.Tensor):
            for k, g in enumerate(torch.autograd.grad(loss, xs)):
                print("  d%d %s" % (k, shown(g)), file=f)
