"""Writes shapeinfer/testdata/promotion.txt: the dtype that torch.result_type gives for each pair.

    python tools/goldens/promotion.py shapeinfer/testdata/promotion.txt
"""

import sys

import torch

DTYPES = {
    "bool": torch.bool, "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128,
}
NAMES = {d: name for name, d in DTYPES.items()}
NAMES |= {d: "c64" for d in (torch.complex32, getattr(torch, "bcomplex32", None)) if d}  # which there are none of


def common(a, b):
    try:
        return NAMES[torch.result_type(a, b)]
    except RuntimeError:
        return "-"


with open(sys.argv[1], "w") as out:
    print(f"# torch.result_type of PyTorch {torch.__version__.split('+')[0]}, by tools/goldens/promotion.py; - is an error.", file=out)
    for title, x, y in [("two tensors with axes", (2,), (2,)), ("rows have axes, columns are scalars", (2,), ()), ("two scalars", (), ())]:
        print(f"\n{title}\n     " + "".join(f"{b:>5}" for b in DTYPES), file=out)
        for a in DTYPES:
            print(f"{a:>5}" + "".join(f"{common(torch.zeros(x, dtype=DTYPES[a]), torch.zeros(y, dtype=DTYPES[b])):>5}" for b in DTYPES), file=out)
