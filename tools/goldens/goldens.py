"""Writes testdata/torch: for each op of the tables what PyTorch computes.

    python -m venv venv && venv/bin/pip install -r tools/goldens/requirements.txt
    venv/bin/python tools/goldens/goldens.py [OP…]

A file NAME.jsonl.gz has a line of JSON for each case: attributes, inputs, results and
gradients, whose data are little-endian elements in base64. The dtypes that an op takes are in
dtypes.txt, which `go test ./internal/test/torchgolden -run DType -update` writes. second/NAME.jsonl.gz
has second derivatives: seconds.py.
"""

import gzip
import itertools
import json
import pathlib
import sys

import torch

import arranging
import functions
import matrices
import networks
import ops
import seconds
from cases import more_dtypes

DIR = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "torch"


def main(names):
    torch.set_num_threads(1)
    (DIR / "second").mkdir(parents=True, exist_ok=True)
    total = 0
    wanted = {line.split()[0]: line.split()[1:] for line in (DIR / "dtypes.txt").read_text().splitlines()}
    tables = [ops, functions, arranging, matrices, networks]
    for op, cases in itertools.chain(*(t.table() for t in tables)):
        if names and op not in names:
            continue
        cases = [*cases, *functions.of_complex(op)]
        cases += more_dtypes(op, cases, wanted.get(op, []))
        second = [c for c in seconds.cases(op, cases) if c]
        for c in cases:
            del c["call"]
        n, n2 = written(DIR / f"{op}.jsonl.gz", cases), written(DIR / "second" / f"{op}.jsonl.gz", second)
        total += n + n2
        print(f"{op}: {len(cases)} cases, {n} bytes; {len(second)} of second derivatives, {n2} bytes")
    print(f"{total} bytes")


def written(path, cases):
    """Writes cases, and returns the bytes. There is no file of none."""
    path.unlink(missing_ok=True)
    if not cases:
        return 0
    data = gzip.compress("".join(json.dumps(c, separators=(",", ":")) + "\n" for c in cases).encode(), 9, mtime=0)
    path.write_bytes(data)
    return len(data)


if __name__ == "__main__":
    main(sys.argv[1:])
