"""Runs run_with_xla.py (given by its path, used as it is) for one job after
another, in one process: starting jax takes longer than most programs.

A job is a line of JSON on standard input, the script's arguments; the answer a
line "@@" and JSON on standard output: the script's exit status and its output.
"""
import contextlib
import importlib.util
import io
import json
import sys
import traceback

import ml_dtypes
import numpy as np

spec = importlib.util.spec_from_file_location("run_with_xla", sys.argv[1])
xla = importlib.util.module_from_spec(spec)
spec.loader.exec_module(xla)

load = np.load


def load_bf16(file, *args, **kwargs):
    """numpy.load, giving the two opaque bytes that bfloat16 is saved as their type back."""
    a = load(file, *args, **kwargs)
    if isinstance(a, np.ndarray) and a.dtype == np.dtype("V2"):
        return a.view(ml_dtypes.bfloat16)
    return a


np.load = load_bf16

for line in sys.stdin:
    sys.argv = ["run_with_xla.py"] + json.loads(line)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            status = xla.main()
        except SystemExit as e:
            status = 2
            print(e)
        except Exception:
            status = 2
            print(traceback.format_exc())
    print("@@" + json.dumps({"status": status, "output": out.getvalue()}), flush=True)
