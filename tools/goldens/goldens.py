"""Writes testdata/torch: for each op of ops.py what PyTorch computes.

    python -m venv venv && venv/bin/pip install -r tools/goldens/requirements.txt
    venv/bin/python tools/goldens/goldens.py [OP…]

A file NAME.jsonl.gz has a line of JSON for each case: attributes, inputs, results and
gradients, whose data are little-endian elements in base64.
"""

import gzip
import json
import pathlib
import sys

import torch

from ops import table

DIR = pathlib.Path(__file__).resolve().parents[2] / "testdata" / "torch"


def main(names):
    torch.set_num_threads(1)
    DIR.mkdir(exist_ok=True)
    total = 0
    for op, cases in table():
        if names and op not in names:
            continue
        lines = "".join(json.dumps(c, separators=(",", ":")) + "\n" for c in cases)
        data = gzip.compress(lines.encode(), 9, mtime=0)
        (DIR / f"{op}.jsonl.gz").write_bytes(data)
        total += len(data)
        print(f"{op}: {len(cases)} cases, {len(data)} bytes")
    print(f"{total} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
