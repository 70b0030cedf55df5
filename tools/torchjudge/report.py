"""The tables of samples: printed, and as pages."""

import collections
import pathlib

import torch
from torch.testing._internal.common_methods_invocations import op_db

from samples import FAMILIES
from unjudged import REASONS

HEAD = """# Judged by PyTorch's samples: {family}
[The index](../pytorch-samples.md) says how this page came about.

"""

# What is said of a page before its table.
NOTES = {
    "Random numbers and tensors without values": """Draws are judged by their shapes, their dtypes and what all draws have in common: numbers are finite and within the range of the distribution, and an element after dropout is 0 or scaled. Their values are not compared. Tensors without values, as `empty` makes them, are judged by shape and dtype alone.

""",
}

LEFT_OUT = """# Judged by PyTorch's samples: ops without a line
[The index](../pytorch-samples.md) says how this page came about. These entries of OpInfo are not judged.

| ops | why |
|---|---|
"""

INDEX = """# Judged by PyTorch's samples
`make judge-torch PAGE=docs/pytorch-samples.md` wrote these pages on the backend `{backend}`, with PyTorch {torch}. [The page on PyTorch](pytorch.md) says how samples are judged.

| page | ops | samples | passed | skipped | second derivatives | passed |
|---|---|---|---|---|---|---|
"""


def most(counter, n=2):
    return "; ".join(f"{n} × {r.split(' Mismatched')[0][:90]}" for r, n in counter.most_common(n)).replace("|", "\\|").replace("<", "&lt;")


def totals(rows):
    """How many ops were tried, and their samples: tried, passed, skipped, and of second derivatives tried and passed."""
    tried = [r for r in rows.values() if r.tried or r.seconds]
    return len(tried), *(sum(map(f, tried)) for f in (lambda r: r.tried, lambda r: r.passed, lambda r: r.skipped.total(), lambda r: r.seconds, lambda r: r.seconds_passed))


def table(rows):
    lines = ["| op | samples | passed | skipped | second derivatives | passed | why samples failed, or else were skipped |", "|---|---|---|---|---|---|---|"]
    for name, r in rows.items():
        if r.tried or r.seconds:
            failed = r.failed + collections.Counter({f"second: {why}": n for why, n in r.seconds_failed.items()})
            why = "failed: " + most(failed) if failed else most(r.skipped, 1)
            seconds = f"{r.seconds} | {r.seconds_passed}" if r.seconds else " | "
            lines.append(f"| {name} | {r.tried} | {r.passed} | {r.skipped.total()} | {seconds} | {why} |")
    n, *sums = totals(rows)
    lines.append(f"| all {n} | " + " | ".join(map(str, sums)) + " | |")
    return "\n".join(lines)


SUMMARY = """# Judged by PyTorch's samples on the backend {backend}
[The index](../pytorch-samples.md) says how samples are judged. This run is on the backend `{backend}`, with PyTorch {torch}.{few}

| family | ops | samples | passed | skipped | second derivatives | passed |
|---|---|---|---|---|---|---|
"""


def summary(path, rows, backend, most):
    """Writes a page with the sums of families, and the ops of which a sample failed."""
    few = f" It takes at most {most} of an op's samples of a dtype." if most else ""
    text = SUMMARY.format(backend=backend, torch=torch.__version__.split("+")[0], few=few)
    for family, calls in FAMILIES.items():
        text += f"| {family} | " + " | ".join(map(str, totals({n: r for n, r in rows.items() if n in calls}))) + " |\n"
    text += "| all | " + " | ".join(map(str, totals(rows))) + " |\n"
    failed = {n: r for n, r in rows.items() if r.failed or r.seconds_failed}
    pathlib.Path(path).write_text(text + ("\n" + table(failed).rpartition("\n")[0] + "\n" if failed else "\nNo sample failed.\n"))


def untried(rows):
    names = [f"`{n}`" for n, r in rows.items() if not r.tried and r.skipped]
    return f"\nWith no sample that is one call: {', '.join(names)}.\n" if names else ""


def page(path, rows, backend):
    """Writes the index and, into a folder of its name, a page for each family of ops."""
    path = pathlib.Path(path)
    folder = path.with_suffix("")
    folder.mkdir(exist_ok=True)
    index = INDEX.format(backend=backend, torch=torch.__version__.split("+")[0])
    for family, calls in FAMILIES.items():
        own = {n: r for n, r in rows.items() if n in calls}
        file = family.split()[0].strip(",").lower() + ".md"
        index += f"| [{family}]({folder.name}/{file}) | " + " | ".join(map(str, totals(own))) + " |\n"
        (folder / file).write_text(HEAD.format(family=family.lower()) + NOTES.get(family, "") + table(own) + "\n" + untried(own))
    (folder / "left-out.md").write_text(LEFT_OUT + "".join(f"| {', '.join(f'`{n}`' for n in names)} | {why} |\n" for why, names in REASONS.items()))
    judged, left = sum(r.tried > 0 for r in rows.values()), sum(map(len, REASONS.values()))
    index += "| all | " + " | ".join(map(str, totals(rows))) + " |\n"
    index += f"\n[Compiled code]({folder.name}/cpu.md) has a run of its own.\n" if (folder / "cpu.md").exists() else ""
    index += f"\nOf OpInfo's {len(op_db)} entries {judged} are judged. {left} have no line: [why]({folder.name}/left-out.md). The others have no sample that is a call, as their page says.\n"
    twice = [r for r in rows.values() if r.seconds]
    index += f"\nSecond derivatives are judged of {len(twice)} entries, on fewer samples. {sum(r.seconds_skipped.total() for r in rows.values())} samples of them are skipped: PyTorch's derivatives are not finite or not defined there, or [differ](pytorch.md#differences) at a kink, or the sample is no call.\n"
    path.write_text(index)
