"""Exports the programs of models.py as StableHLO text with recorded inputs
and results; see README.md."""

import argparse
import pathlib
import re
import sys

import jax
import numpy as np
from jax import export

sys.dont_write_bytecode = True
import models

HERE = pathlib.Path(__file__).resolve().parent
# Locations name files as seen from the repository's root.
jax.config.update("jax_hlo_source_file_canonicalization_regex", re.escape(str(HERE.parents[1])) + "/")
jax.config.update("jax_platforms", "cpu")

# Most that a float32 result may be off the float64 reference, absolute below
# 1 and relative above: beyond it the recorded results would say nothing.
PRECISION = 5e-6


def text(p: models.Program) -> str:
    """The program as JAX prints it."""
    f = jax.jit(p.function, donate_argnums=p.donate, keep_unused=True)
    if p.via == "export":
        return export.export(f, platforms=["cpu"])(*p.args).mlir_module()
    return f.lower(*p.args).as_text(debug_info=p.via == "locations")


def results(p: models.Program) -> list[np.ndarray]:
    return models.flatten(jax.jit(p.function)(*p.args))


def reference(p: models.Program) -> list[np.ndarray]:
    """The results with all floating-point arguments and constants in float64."""

    def widen(x):
        x = np.asarray(x)
        return x.astype(np.float64) if x.dtype == np.float32 else x

    with jax.enable_x64(True):
        return models.flatten(jax.jit(p.function)(*jax.tree.map(widen, p.args)))


def difference(got: list[np.ndarray], want: list[np.ndarray]) -> float:
    """The largest of |got-want| / max(1, |want|); inf where integers differ."""
    worst = 0.0
    for a, b in zip(got, want, strict=True):
        if a.shape != b.shape:
            raise ValueError(f"shapes differ: {a.shape} and {b.shape}")
        if a.dtype.kind != "f":
            worst = worst if np.array_equal(a, b) else np.inf
            continue
        gap = np.abs(a.astype(np.float64) - b) / np.maximum(1, np.abs(b))
        worst = max(worst, float(np.max(gap, initial=0)))
    return worst


def save(path: pathlib.Path, prefix: str, arrays: list[np.ndarray]) -> None:
    np.savez_compressed(path, **{f"{prefix}{i}": a for i, a in enumerate(arrays)})


def load(path: pathlib.Path, prefix: str) -> list[np.ndarray]:
    with np.load(path) as f:
        return [f[f"{prefix}{i}"] for i in range(len(f.files))]


def ops(module: str) -> list[str]:
    """The names of the ops in the text. func.call prints as call, too."""
    names = set(re.findall(r"\b(?:stablehlo|chlo|func)\.\w+(?=[\"( %])", module))
    if re.search(r"= call @", module):
        names.add("func.call")
    return sorted(names)


def check(out: pathlib.Path, name: str, module: str, args: list, got: list) -> str | None:
    """What of the recorded files this machine does not give; results may
    differ by rounding, which is the compiler's choice on each machine."""
    if (out / f"{name}.mlir").read_text() != module:
        return "text differs"
    recorded = load(out / f"{name}.in.npz", "arr_")
    if len(recorded) != len(args) or not all(map(np.array_equal, recorded, args)):
        return "inputs differ"
    if (gap := difference(got, load(out / f"{name}.out.npz", "out"))) > PRECISION:
        return f"results differ by {gap:.1e}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all if none is given")
    parser.add_argument("-out", type=pathlib.Path, default=HERE.parents[1] / "testdata" / "exported")
    parser.add_argument("-check", action="store_true", help="compare with what is there instead of writing")
    options = parser.parse_args()
    programs = models.programs()
    if unknown := set(options.names) - set(programs):
        parser.error(f"no program {', '.join(sorted(unknown))}: there are {', '.join(programs)}")
    bad = 0
    for name in options.names or programs:
        p = programs[name]
        module, args, got = text(p), models.flatten(p.args), results(p)
        gap = difference(got, reference(p))
        print(f"{name}: {len(args)} arguments, {len(got)} results, {gap:.1e} from float64: {' '.join(ops(module))}")
        if not gap <= PRECISION:
            print(f"{name}: float32 is too far from float64: want at most {PRECISION}", file=sys.stderr)
            bad += 1
        elif options.check:
            if reason := check(options.out, name, module, args, got):
                print(f"{name}: {reason}", file=sys.stderr)
                bad += 1
        else:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"{name}.mlir").write_text(module)
            save(options.out / f"{name}.in.npz", "arr_", args)
            save(options.out / f"{name}.out.npz", "out", got)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
