"""Writes NAME.mlir and NAME.npz, with operands and JAX's results, of small programs.

pip install jax==0.10.2, then python make.py in this folder. Where a sign is the
implementation's to choose, programs return what does not depend on it.
"""
import re

import jax
import jax.export
import jax.numpy as jnp
import jax.scipy.linalg as sl
import numpy as np

jax.config.update("jax_enable_x64", True)
random = np.random.default_rng(7)


def values(*shape, dtype=np.float32):
    return random.standard_normal(shape).astype(dtype)


def symmetric(*shape, dtype=np.float32):
    a = values(*shape, dtype=dtype)
    return a + np.swapaxes(a, -1, -2)


def t(a):
    return jnp.swapaxes(a, -1, -2)


def qr(mode):
    def f(a):
        q, r = jnp.linalg.qr(a, mode=mode)
        return q @ r, jnp.abs(r), t(q) @ q
    return f


def svd(full):
    def f(a):
        u, s, v = jnp.linalg.svd(a, full_matrices=full)
        k = s.shape[-1]
        return s, (u[..., :k] * s[..., None, :]) @ v[..., :k, :], t(u) @ u, v @ t(v)
    return f


def eigh(a):
    w, v = jnp.linalg.eigh(a)
    return w, (v * w[..., None, :]) @ t(v), t(v) @ v


def tridiagonal(a):
    _, d, e, _ = jax.lax.linalg.tridiagonal(a)
    return d, jnp.abs(e)


def hessenberg(a):
    h, q = sl.hessenberg(a, calc_q=True)
    return q @ h @ q.T, jnp.tril(h, -2)


def pivoted(a):
    q, r, p = sl.qr(a, pivoting=True)
    return q @ r, jnp.abs(r), p


f64 = np.float64
singular = np.array([[[1, 2, 3], [2, 4, 6], [1, 1, 1]], [[0, 0, 0], [0, 1, 2], [0, 3, 4]]], f64)
bad = np.array([[[1, np.nan], [np.nan, 2]], [[1, np.inf], [np.inf, 3]], [[1e300, 0], [0, 1e-300]], [[0, 0], [0, 0]]], f64)
programs = {
    "lu_factor": (sl.lu_factor, values(3, 5, 5)),
    "lu_wide": (jax.lax.linalg.lu, values(4, 6, dtype=f64)),
    "lu_tall": (jax.lax.linalg.lu, values(2, 6, 3)),
    "lu_singular": (jax.lax.linalg.lu, singular),
    "lu_bad": (jax.lax.linalg.lu, bad[2:]),
    "solve": (jnp.linalg.solve, values(3, 5, 5), values(3, 5, 2)),
    "inv": (jnp.linalg.inv, values(6, 6, dtype=f64)),
    "det": (jnp.linalg.det, values(3, 5, 5, dtype=f64)),
    "qr_tall": (qr("reduced"), values(3, 6, 4)),
    "qr_wide": (qr("reduced"), values(4, 6, dtype=f64)),
    "qr_complete": (qr("complete"), values(6, 4)),
    "qr_pivoted": (pivoted, values(6, 4, dtype=f64)),
    "eigh": (eigh, symmetric(3, 5, 5)),
    "eigh_f64": (eigh, symmetric(9, 9, dtype=f64)),
    "eigvalsh_bad": (jnp.linalg.eigvalsh, bad),
    "svd_tall": (svd(False), values(3, 7, 4)),
    "svd_wide": (svd(False), values(3, 8, dtype=f64)),
    "svd_full": (svd(True), values(2, 4, 6)),
    "svd_values": (lambda a: jnp.linalg.svd(a, compute_uv=False), values(40, 3)),
    "svd_bad": (lambda a: jnp.linalg.svd(a, compute_uv=False), bad),
    "pinv": (jnp.linalg.pinv, values(6, 4)),
    "lstsq": (lambda a, b: jnp.linalg.lstsq(a, b)[0], values(7, 3, dtype=f64), values(7, 2, dtype=f64)),
    "expm": (sl.expm, values(4, 4, dtype=f64)),
    "hessenberg": (hessenberg, values(5, 5, dtype=f64)),
    "tridiagonal": (tridiagonal, symmetric(5, 5)),
    "tridiagonal_solve": (jax.lax.linalg.tridiagonal_solve, values(5), 4 + values(5), values(5), values(5, 2)),
    "reflectors": (lambda a, tau, c: jax.lax.linalg.ormqr(a, tau, c, left=False, transpose=True), values(5, 3), values(3), values(2, 5)),
}
# Those whose first dimension is open in the text.
programs |= {"open_" + name: (f, *(values(3, *shape) for shape in shapes)) for name, f, *shapes in [
    ("solve", jnp.linalg.solve, (4, 4), (4, 2)),
    ("qr", qr("reduced"), (5, 3)),
    ("svd", svd(False), (5, 3)),
    ("eigh", lambda a: eigh(a + t(a)), (4, 4)),
    ("cholesky", lambda a: jnp.linalg.cholesky(a @ t(a) - jnp.eye(4, dtype=a.dtype) / 2), (4, 4)),
]}
for name, (f, *operands) in programs.items():
    jitted = jax.jit(f)
    results = jax.tree.leaves(jitted(*operands))
    text = jitted.lower(*operands).as_text()
    if name.startswith("open_"):
        batch, = jax.export.symbolic_shape("b")
        types = [jax.ShapeDtypeStruct((batch, *x.shape[1:]), x.dtype) for x in operands]
        text = jax.export.export(jitted, platforms=["cpu"])(*types).mlir_module()
        text = "\n".join(line for line in re.sub(r" loc\([^()]*(\([^()]*(\([^()]*\))?[^()]*\))*[^()]*\)", "", text).split("\n") if not line.startswith("#loc"))
    with open(name + ".mlir", "w") as file:
        file.write(text)
    named = {f"arg{i}": x for i, x in enumerate(operands)} | {f"out{i}": np.asarray(x) for i, x in enumerate(results)}
    np.savez(name + ".npz", **named)
