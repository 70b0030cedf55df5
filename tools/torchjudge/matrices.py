"""Calls of products and of package linalg. See samples.py."""

import torch

from calls import Call, Skip, listed, name_of, only, times


def matmul(x, y, **kwargs):
    return Call("MatMul", x, y)


def tensordot(x, y, dims):
    a, b = (range(x.dim() - dims, x.dim()), range(dims)) if isinstance(dims, int) else dims
    left = [chr(ord("a") + i) for i in range(x.dim())]
    right = [chr(ord("A") + i) for i in range(y.dim())]
    for i, j in zip(a, b):
        right[j] = left[i]
    kept = [c for c in left if c not in right] + [c for c in right if c not in left]
    product = Call("Einsum", x, y, equation=f"{''.join(left)},{''.join(right)}->{''.join(kept)}")
    if x.is_floating_point() or x.is_complex() or all(x.shape[i] == y.shape[j] for i, j in zip(a, b)):
        return product
    return Call("Convert", product, dtype=name_of(x.dtype))  # a sum over an axis that the other has as 1


def inner(x, y):
    return matmul(x, y) if x.dim() == 1 and y.dim() == 1 else Call("Mul", x, y) if x.dim() == 0 or y.dim() == 0 else tensordot(x, y, ([x.dim() - 1], [y.dim() - 1]))


def kron(x, y):
    if x.dim() != 2 or y.dim() != 2:
        raise Skip("no matrices")
    return Call("Reshape", Call("Einsum", x, y, equation="ij,kl->ikjl"), dims=[x.shape[0] * y.shape[0], x.shape[1] * y.shape[1]])


def added(product):
    """beta times x plus alpha times a product; without x if beta is 0."""

    def call(x, a, b, beta=1, alpha=1):
        y = times(product(a, b), alpha, a.dtype)
        return y if beta == 0 else Call("Add", times(x, beta, x.dtype), y)

    return call


def outer(x, y):
    return Call("Einsum", x, y, equation="i,j->ij")


def cross(x, y, dim=None):
    if dim is None:
        dim = list(torch.broadcast_shapes(x.shape, y.shape)).index(3)
    return Call("linalg.Cross", x, y, axis=dim)


def factor(op, **options):
    """A function of one tensor with a flag: PyTorch's name of it and ours."""

    def call(x, *args, **kwargs):
        flags = dict(zip(options, args)) | kwargs
        only(flags, *options, "check_errors")
        return Call(op, x, **{here: bool(flags.get(name, False)) for name, here in options.items()}, outputs=1)

    return call


def alone(op, outputs=None, processed=False):
    """A function of one tensor whose options are defaults."""

    def call(x, *args, pivot=True, **kwargs):
        only(kwargs, "check_errors")
        if args or not pivot:
            raise Skip("further arguments")
        return Call(op, x, outputs=outputs, processed=processed)

    return call


def in_order(ys):
    """Eigenvalues, whose order PyTorch leaves open, in one, with the absolute values of their vectors."""
    values = ys[0] if isinstance(ys, tuple) else ys
    order = (0.8 * values.detach().real + 0.6 * values.detach().imag).argsort(-1)
    values = values.gather(-1, order)
    return (values, ys[1].abs().take_along_dim(order.unsqueeze(-2), -1)) if isinstance(ys, tuple) else values


def triangle(op, **options):
    def call(x, UPLO="L"):
        return Call(op, x, upper=UPLO == "U", processed=True)

    return call


def qr(x, mode="reduced"):
    if mode == "r":
        raise Skip("option mode: R alone")
    return Call("linalg.QR", x, complete=mode == "complete")


def lu_solve(lu, pivots, b, left=True, adjoint=False):
    if left == adjoint:
        raise Skip("a system with the adjoint of factors")
    if adjoint:  # X Aᴴ = B, whose adjoint is A Xᴴ = Bᴴ
        turned = lambda x: Call("SwapAxes", Call("Conj", x) if b.is_complex() else x, axis1=-2, axis2=-1)
        return turned(Call("linalg.LUSolve", lu, pivots, turned(b)))
    return Call("linalg.LUSolve", lu, pivots, b)


def solve(a, b, left=True, check_errors=False):
    if b.dim() == 1 or b.dim() == a.dim() - 1 and b.shape == a.shape[:-1]:
        return Call("Squeeze", Call("linalg.Solve", a, Call("Unsqueeze", b, axis=-1), right=not left), axes=[-1], outputs=1)
    return Call("linalg.Solve", a, b, right=not left, outputs=1)


def triangular_solve(b, a, upper=True, transpose=False, unitriangular=False):
    return Call("TriangularSolve", a, b, right=False, upper=upper, transpose=transpose, unit=unitriangular, outputs=1)


def lstsq(a, b, driver=None):
    return Call("linalg.LstSq", a, b, outputs=1)


def tolerance(rtol):
    """A relative tolerance, which is one number here; a negative one is the default."""
    if isinstance(rtol, torch.Tensor) and rtol.dim():
        raise Skip("a tolerance for each matrix")
    return -1.0 if rtol is None else float(rtol)


def pinv(x, rtol=None, hermitian=False):
    return Call("linalg.PInv", x, rtol=tolerance(rtol))


def matrix_rank(x, tol=None, atol=None, rtol=None, hermitian=False):
    if tol is not None:
        raise Skip("option tol")
    several = isinstance(rtol, torch.Tensor) and rtol.dim() or isinstance(atol, torch.Tensor)
    if not hermitian and atol is None and not several:
        return Call("linalg.MatrixRank", x, rtol=tolerance(rtol))
    # The number of singular values above the larger tolerance.
    if x.numel() == 0:
        raise Skip("no elements, with a tolerance of its own")
    values = Call("Abs", Call("linalg.EigvalsH", x, upper=False)) if hermitian else Call("linalg.SVDVals", x)
    real = x.real.dtype
    least = torch.as_tensor(0.0 if atol is None else atol, dtype=real)
    part = torch.as_tensor(rtol if rtol is not None else torch.finfo(real).eps * max(x.shape[-2:]) if atol is None else 0.0, dtype=real)
    bound = Call("Maximum", Call("Mul", Call("MaxKeep", values, axes=[-1]), part.unsqueeze(-1)), least.unsqueeze(-1))
    return Call("Sum", Call("Greater", values, bound), axes=[-1])


def tensorsolve(a, b, dims=None):
    if dims is not None:
        raise Skip("option dims")
    return Call("linalg.TensorSolve", a, b)


def vander(x, N=None):
    return Call("linalg.Vander", x, n=x.shape[-1] if N is None else N)


def matrix_norm(x, ord="fro", dim=(-2, -1), keepdim=False, dtype=None):
    only({"dtype": dtype})
    last = [d % x.dim() for d in dim]
    perm = [d for d in range(x.dim()) if d not in last] + last
    y = x if perm == list(range(x.dim())) else Call("Transpose", x, perm=perm)
    y = Call(f"linalg.{ {'fro': 'FrobeniusNorm', 'nuc': 'NuclearNorm'}[ord]}", y) if isinstance(ord, str) else Call("linalg.MatrixNorm", y, p=float(ord))
    return Call("Reshape", y, dims=[1 if d in last else n for d, n in enumerate(x.shape)]) if keepdim else y


def norm(x, ord=None, dim=None, keepdim=False, dtype=None):
    only({"dtype": dtype})
    axes = [] if dim is None else listed(dim)
    if ord is None or len(axes) == 1 or dim is None and x.dim() == 1:
        return Call("NormKeep" if keepdim else "Norm", x, p=2.0 if ord is None else float(ord), axes=axes)
    return matrix_norm(x, ord, dim or (-2, -1), keepdim)


CALLS = {
    "matmul": matmul, "mm": matmul, "bmm": matmul, "mv": matmul, "dot": matmul, "__rmatmul__": lambda x, y: matmul(y, x), "inner": inner, "tensordot": tensordot,
    "outer": outer, "kron": kron, "addmm": added(matmul), "addmm.decomposed": added(matmul), "addmv": added(matmul), "baddbmm": added(matmul), "addr": added(outer), "addbmm": added(lambda a, b: Call("Einsum", a, b, equation="bij,bjk->ik")),
    "einsum": lambda xs, equation: Call("Einsum", *xs, equation=equation),
    "vdot": lambda x, y: Call("linalg.VecDot", x, y, axis=0) if x.is_complex() else matmul(x, y), "linalg.vecdot": lambda x, y, dim=-1: Call("linalg.VecDot", x, y, axis=dim),
    "cross": cross, "linalg.cross": lambda x, y, dim=-1: cross(x, y, dim), "trace": alone("linalg.Trace"),
    "linalg.det": alone("linalg.Det"), "logdet": alone("linalg.LogDet"), "linalg.slogdet": alone("linalg.SlogDet"), "matrix_exp": alone("linalg.MatrixExp"), "linalg.matrix_power": lambda x, n: Call("linalg.MatrixPower", x, n=n),
    "cholesky": factor("linalg.Cholesky", upper="upper"), "linalg.cholesky": factor("linalg.Cholesky", upper="upper"), "linalg.cholesky_ex": factor("linalg.Cholesky", upper="upper"),
    "cholesky_inverse": factor("linalg.CholeskyInverse", upper="upper"), "cholesky_solve": lambda b, l, upper=False: Call("linalg.CholeskySolve", l, b, upper=upper),
    "linalg.eig": alone("linalg.Eig", processed=in_order), "linalg.eigvals": alone("linalg.Eigvals", processed=in_order), "linalg.eigh": triangle("linalg.Eigh"), "linalg.eigvalsh": triangle("linalg.EigvalsH"),
    "linalg.svd": lambda x, full_matrices=True: Call("linalg.SVD", x, full=full_matrices, processed=True), "linalg.svdvals": alone("linalg.SVDVals"),
    "linalg.qr": qr, "qr": lambda x, some=True: qr(x, "reduced" if some else "complete"), "geqrf": alone("linalg.Reflect"), "linalg.householder_product": lambda x, tau: Call("linalg.HouseholderProduct", x, tau),
    "linalg.lu": alone("linalg.LU", processed=True), "linalg.lu_factor": alone("linalg.LUFactor"), "linalg.lu_factor_ex": alone("linalg.LUFactor", outputs=2), "lu": lambda x, pivot=True, get_infos=False: alone("linalg.LUFactor", outputs=2)(x, pivot=pivot),
    "linalg.lu_solve": lu_solve, "lu_solve": lambda b, lu, pivots: lu_solve(lu, pivots, b),
    "linalg.inv": alone("linalg.Inv"), "linalg.inv_ex": alone("linalg.Inv", outputs=1), "linalg.solve": solve, "linalg.solve_ex": solve,
    "linalg.solve_triangular": lambda a, b, upper, left=True, unitriangular=False: Call("linalg.SolveTriangular", a, b, upper=upper, right=not left, unit=unitriangular), "triangular_solve": triangular_solve,
    "linalg.lstsq": lstsq, "linalg.lstsq.grad_oriented": lstsq, "linalg.pinv": pinv, "linalg.pinv.hermitian": pinv, "linalg.pinv.singular": lambda a, b: Call("linalg.PInv", Call("MatMul", a, Call("SwapAxes", b, axis1=-2, axis2=-1)), rtol=-1.0), "pinverse": lambda x, rcond=1e-15: pinv(x, rcond),
    "linalg.matrix_rank": matrix_rank, "linalg.matrix_rank.hermitian": matrix_rank, "linalg.cond": lambda x, p=None: Call("linalg.Cond", x, p=2.0 if p is None else float(p)),
    "linalg.matrix_norm": matrix_norm, "linalg.norm": norm, "linalg.norm.subgradients_at_zero": norm, "linalg.multi_dot": lambda xs: Call("linalg.MultiDot", *xs), "linalg.vander": vander,
    "linalg.tensorinv": lambda x, ind=2: Call("linalg.TensorInv", x, ind=ind), "linalg.tensorsolve": tensorsolve,
}
