"""Writes float8.json: conversions of floats of 8 bits by PyTorch 2.15, as bits."""
import json
import math
import os
import struct

import torch


def bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def case(dtype):
    values = torch.arange(256, dtype=torch.uint8).view(dtype).float()
    finite = sorted(set(v for v in values.tolist() if math.isfinite(v)))
    largest, step = finite[-1], finite[-1] - finite[-2]
    numbers = finite + [-0.0, math.inf, -math.inf, math.nan, largest + step, largest + step / 2, largest * 4, 3.4e38]
    for a, b in zip(finite, finite[1:]):  # ties, and the neighbours of f32
        m = torch.tensor((a + b) / 2)
        numbers += [m.item(), torch.nextafter(m, torch.tensor(math.inf)).item(), torch.nextafter(m, torch.tensor(-math.inf)).item()]
    numbers += [-n for n in numbers[len(finite):len(finite) + 8]]
    x = torch.tensor(numbers)
    y, weights = torch.tensor(GRADIENT_AT, requires_grad=True), torch.tensor(WEIGHTS)
    (y.to(dtype).float() * weights).sum().backward()
    return {"values": [bits(v) for v in values.tolist()],
            "numbers": x.view(torch.int32).tolist(),
            "rounded": x.to(dtype).view(torch.uint8).tolist(),
            "at": GRADIENT_AT, "weights": WEIGHTS, "gradient": y.grad.tolist()}


GRADIENT_AT, WEIGHTS = [1.5, 2.3, -600.0, 0.01, 0.0], [1.1, -2.3, 600.0, 0.013, 3.0]
out = {"f8E4M3FN": case(torch.float8_e4m3fn), "f8E5M2": case(torch.float8_e5m2)}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "float8.json"), "w") as f:
    f.write("{" + ",\n".join(f'"{d}": {{' + ",\n".join(f'"{k}": {json.dumps(v, separators=(",", ":"))}' for k, v in c.items()) + "}" for d, c in out.items()) + "}\n")
