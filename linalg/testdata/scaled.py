"""Writes scaled.json: products of floats of 8 bits by torch._scaled_mm of PyTorch 2.15."""
import json
import os

import torch

torch.manual_seed(8)
E4, E5 = torch.float8_e4m3fn, torch.float8_e5m2
NAMES = {E4: "f8E4M3FN", E5: "f8E5M2", torch.float32: "f32", torch.bfloat16: "bf16"}
WITHIN = {torch.float32: 2**-18, torch.bfloat16: 2**-7, E4: 0, E5: 0}  # of the larger of a result and 1


def case(m, k, n, x, y, rows, bias, out):
    a, b = torch.randn(m, k).to(x), torch.randn(n, k).to(y).t()
    if rows:
        sa, sb = torch.rand(m, 1) + 0.5, torch.rand(1, n) + 0.5
    else:
        sa, sb = torch.rand(()) + 0.5, torch.rand(()) + 0.5
    c = torch.randn(n).to(out) if bias else None
    r = torch._scaled_mm(a, b, sa, sb, bias=c, out_dtype=out)
    raw = lambda t: t.contiguous().view(torch.uint8).flatten().tolist()
    return {"X": NAMES[x], "Y": NAMES[y], "XBits": raw(a), "YBits": raw(b.contiguous()), "M": m, "K": k, "N": n,
            "ScaleX": sa.flatten().tolist(), "ScaleY": sb.flatten().tolist(), "Bias": c.float().tolist() if bias else None,
            "Result": r.float().flatten().tolist(), "DType": NAMES[out], "Within": WITHIN[out]}


cases = []
for x, y in ((E4, E4), (E4, E5), (E5, E4)):
    cases += [case(16, 32, 16, x, y, False, False, torch.float32), case(16, 16, 32, x, y, False, False, torch.bfloat16), case(3, 16, 16, x, y, True, False, torch.bfloat16)]
cases.append(case(16, 32, 16, E4, E4, True, True, torch.bfloat16))
cases += [case(16, 32, 16, E4, E4, False, False, E4), case(3, 16, 16, E5, E4, False, False, E5)]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scaled.json"), "w") as f:
    f.write("[" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases) + "]\n")
